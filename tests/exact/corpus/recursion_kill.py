# two-runs
"""The end of a process by a signal of its own while a hot function that calls itself is deep in
calls."""
import os
import signal

from parts.recursion import At, fib


def ends():
    os.kill(os.getpid(), signal.SIGKILL)


At.what = ends
fib(At(40))
