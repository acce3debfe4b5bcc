# two-runs
"""Forks while functions that call themselves, whose calls are shown, are deep in them: parent and child go on."""
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


def forks():
    At.what = int
    child = os.fork()
    if not child:
        At.child = True
    else:
        os.waitpid(child, 0)


for call in (fib, down):
    At.child, At.what = False, forks
    call(At(6))
    call(At(5))
    call(7)
    if At.child:
        os._exit(0)
