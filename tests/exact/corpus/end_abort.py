# two-runs
"""The end of a process: os.abort(), deep in calls, loops and a generator."""
import os

from parts import ending


def end():
    os.abort()


ending.deep(5, end)
