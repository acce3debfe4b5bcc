"""A hot function that calls itself twice, and a number that does something on the way."""


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


class At(int):
    """Does something when it becomes 3."""

    def __sub__(self, other):
        n = int(self) - other
        if n == 3:
            At.what()
        return At(n)


for _ in range(30):
    fib(14)                                             # some ticks long, so that one comes in the midst
