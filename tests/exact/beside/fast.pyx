# cython: profile=True, linetrace=True
"""C code that reports its own events: through a trace function before 3.13, through PyMonitoring_* since."""


def outer(function, n):
    total = 0
    for i in range(n):
        total += inner(i)
        total += function(i)
    return total


cdef inner(int i):
    x = i + 1
    return x


def numbers(n):
    for i in range(n):
        yield i


def fails(function):
    try:
        function()
    except ValueError:
        return 1
    raise KeyError(2)
