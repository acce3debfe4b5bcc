# two-runs
"""The end of a process: raise ExceptionGroup("g", [ValueError(1), KeyError(2)]), deep in calls, loops and a generator."""
from parts import ending


def end():
    raise ExceptionGroup("g", [ValueError(1), KeyError(2)])


ending.deep(5, end)
