# two-runs
"""Forks while a hot function that calls itself is deep in calls: parent and child go on."""
import os

from parts.recursion import At, fib


def forks():
    At.what = int
    child = os.fork()
    if not child:
        At.child = True
    else:
        os.waitpid(child, 0)


At.child = False
for n in (6, 7):
    At.what = forks
    fib(At(n))
    fib(At(5))
    fib(7)
    if At.child:
        os._exit(0)
