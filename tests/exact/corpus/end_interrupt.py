# two-runs
"""The end of a process: signal.raise_signal(signal.SIGINT), deep in calls, loops and a generator."""
import signal

from parts import ending


def end():
    signal.raise_signal(signal.SIGINT)


ending.deep(5, end)
