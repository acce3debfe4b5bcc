# two-runs
"""The end of a process: ctypes.string_at(0), deep in calls, loops and a generator."""
import ctypes

from parts import ending


def end():
    ctypes.string_at(0)


ending.deep(5, end)
