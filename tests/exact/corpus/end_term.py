# two-runs
"""The end of a process: os.kill(os.getpid(), signal.SIGTERM), deep in calls, loops and a generator."""
import os
import signal

from parts import ending


def end():
    os.kill(os.getpid(), signal.SIGTERM)


ending.deep(5, end)
