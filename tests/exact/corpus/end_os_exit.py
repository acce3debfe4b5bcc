# two-runs
"""The end of a process: os._exit(7), deep in calls, loops and a generator."""
import os

from parts import ending


def end():
    os._exit(7)


ending.deep(5, end)
