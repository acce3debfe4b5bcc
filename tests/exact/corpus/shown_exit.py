# two-runs
"""The end of a process by os._exit(7) while a function that calls itself is deep in calls that are shown."""
import os


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def down(n):
    if n == 0:
        return 0
    return down(n - 1)


class At(int):
    """Does something when it becomes 3."""

    def __sub__(self, other):
        n = int(self) - other
        if n == 3:
            At.what()
        return At(n)


for _ in range(30):
    fib(10)
    down(50)


def ends():
    os._exit(7)


At.what = ends
down(At(40))
