"""C code that reports its own events, when it is built with profile or linetrace: through a trace function before 3.13, through
PyMonitoring_* since."""


def outer(function, n):
    total = 0
    for i in range(n):
        total += inner(i)
        total += function(i)
    return total


cdef inner(int i):
    x = i + 1
    return x


cdef int unlocked(int i) noexcept nogil:
    return i * 2


cpdef int both(int i) except -1:
    if i > 2:
        raise IndexError(i)
    return unlocked(i)


cdef class Counter:
    cdef int n
    cdef object seen

    def __init__(self, seen):
        self.seen = seen

    cdef step(self):
        self.n += 1
        return self.seen(self.n)

    cpdef count(self, int to):
        while self.n < to:
            self.step()
        return self.n

    @property
    def value(self):
        return both(self.n)


def numbers(n):
    for i in range(n):
        yield i


def delegates(inner):
    try:
        got = yield from inner
        yield got
    except KeyError as e:
        yield repr(e)
    finally:
        got = 0


def closes(function):
    def closure(x):
        return function(x) + 1
    return closure, lambda x: closure(x)


async def waits(awaited):
    first = await awaited
    return first, [x async for x in ticks(2)]


async def ticks(n):
    for i in range(n):
        yield i


def fails(function):
    try:
        function()
    except ValueError:
        return 1
    raise KeyError(2)
