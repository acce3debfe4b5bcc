# two-runs
"""The end of a process: sys.exit("a word"), deep in calls, loops and a generator."""
import sys

from parts import ending


def end():
    sys.exit("a word")


ending.deep(5, end)
