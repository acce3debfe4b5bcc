# two-runs
"""The end of a process by os._exit(7) while a hot function that calls itself is deep in calls."""
import os

from parts.recursion import At, fib


def ends():
    os._exit(7)


At.what = ends
fib(At(40))
