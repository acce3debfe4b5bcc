# two-runs
"""Generators that hand on what others yield."""
import gc


class Stop(Exception):
    pass


def inner(n):
    got = []
    for i in range(n):
        try:
            got.append((yield i))
        except Stop as stop:
            got.append(stop.args)
            yield "caught"
    return got


def middle(n):
    got = yield from inner(n)
    yield len(got)
    return got


def outer(n):
    return (yield from middle(n))


def guarded(n):
    try:
        got = yield from middle(n)
    except Stop:
        got = yield "guarded"
    except GeneratorExit:
        n = 0
        raise
    finally:
        n += 1
    return got


def over_c(values):
    yield from values
    yield from iter(values)
    yield from map(str, values)
    x = yield from ()
    return x


def one_line(values): yield from values; yield 1; yield from values


def twice(a, b):
    x = (yield from a), (yield from b)
    return x


def either(flag, values):
    while flag:
        if flag & 1:
            yield from values
        else:
            yield flag
        flag >>= 1


def deep(n):
    if n:
        yield from deep(n - 1)
    yield n


class Iterator:
    """Of Python, without a generator; one has throw, and close."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        self.n -= 1
        if self.n < 0:
            raise StopIteration("end")
        return self.n

    def throw(self, kind, *more):
        if self.n > 1:
            return next(self)
        raise kind

    def close(self):
        self.n = 0


class Empty:
    def __await__(self):
        yield
        return 1


async def awaits(n):
    if n:
        return await awaits(n - 1)
    return await Empty()


def drives(n):
    yield from awaits(n).__await__()


def step(g, how, *args):
    try:
        return getattr(g, how)(*args)
    except (StopIteration, Stop, GeneratorExit, RuntimeError) as end:
        return type(end).__name__


def many(g):
    return [next(g, None), next(g, None), step(g, "send", 4), step(g, "throw", Stop(1)), step(g, "throw", Stop(2)), step(g, "send", 5)]


def main(round):
    for make in (inner, middle, outer, guarded):
        list(make(3))
        many(make(4))
        g = make(5); next(g); next(g); g.close()
        g = make(5); next(g); step(g, "throw", Stop());
        g = make(5); next(g); del g
        g = make(2); [step(g, "send", None) for _ in range(9)]
        g = make(2); next(g); step(g, "throw", Stop()); step(g, "throw", GeneratorExit())
    for values in ([], [1], (1, 2), Iterator(3)):
        for make in (over_c, one_line):
            g = make(values)
            for x in g:
                pass
        either(0, values), list(either(5, values)), list(either(2, values))
    list(twice(inner(2), inner(1)))
    list(twice(Iterator(2), [1, 2]))
    list(twice(inner(1), Iterator(2)))
    sum(deep(12))
    for x in deep(6):
        if x == 3:
            break
    g = deep(9); next(g); next(g); step(g, "throw", Stop()); step(g, "send", None)
    g = drives(5); list(g)
    g = drives(5); next(g); step(g, "throw", Stop())
    g = drives(5); next(g); g.close()
    g = one_line(Iterator(5)); next(g); step(g, "throw", Stop); step(g, "throw", Stop); next(g, None); next(g, None)
    g = one_line(Iterator(5)); next(g); step(g, "throw", Stop); g.close()
    a, b = outer(3), outer(3)
    for x, y in zip(a, b):
        if x == 2:
            step(a, "throw", Stop()), step(b, "throw", Stop())


gc.disable()
for round in range(40):
    main(round)
    gc.collect()
