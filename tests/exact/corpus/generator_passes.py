# two-runs
"""Loops on one line whose passes go through a yield, so that the resume implies the pass; beside them some that can go round without. They are
left in every way: by break, return, raise, throw, close, and by nobody."""
import itertools
import signal


class Stop(Exception):
    pass


def plain(of):
    for x in of: yield x


def twice(of):
    for x in of: yield x; yield -x


def counts_down(n):
    while n: n -= 1; yield n


def for_ever():
    while True: yield


def asks():
    while (yield 1): pass


def sent(n):
    while n: n = (yield n) or n - 1


def by_arms(of):
    for x in of: (yield x) if x & 1 else (yield -x)


def by_either(of):
    for x in of: (yield x) or (yield -x) or (yield 0)


def only_some(of):
    for x in of: x & 1 and (yield x)


def breaks(of):
    for x in of: yield x; break
    for x in of: yield -x; continue


def returns(of):
    for x in of: yield x; return x


def raises(of):
    for x in of: yield 6 // x


def hands_on(of):
    for x in of: yield from plain(range(x))


def hands_on_and_yields(of):
    for x in of: yield (yield from plain(range(x)))


def guarded(of):
    try:
        for x in of: yield x
    except (Stop, ZeroDivisionError): yield 1000
    finally:
        for x in of: len([y for y in plain((x, x))])


def in_a_row(of):
    for x in of: yield x
    for x in of: yield x; [y for y in of]
    while of: of = of[1:]; yield of


def calls(of, of_what):
    for x in of: yield of_what(x)


def loops_in_lines(of):
    for x in of:
        for y in of: yield x, y
        while x: x -= 1; yield x
    for x in of:
        yield (y for y in of)


def expressions(of):
    yield (x for x in of)
    yield (x for x in of if x & 1)
    yield (x for x in of if x & 1 if x != 3)
    yield (y for x in of for y in of)
    yield (y for x in of for y in range(x))
    yield (y for x in of if x & 1 for y in of if y & 1)
    yield ((x, y) for x in of for y in plain(range(x)))
    yield (x for x in (y for y in (z for z in of)))
    yield ([y for y in of] for x in of)
    yield (6 // (x - 3) for x in of)
    yield (sum(y for y in range(x)) for x in of)
    yield (x
           for x in of)


GENERATORS = (plain, twice, by_arms, by_either, only_some, breaks, returns, raises, hands_on, hands_on_and_yields, guarded, in_a_row,
              loops_in_lines, lambda of: calls(of, abs), lambda of: calls(of, lambda x: x * x), lambda of: calls(of, lambda x: 6 // x),
              lambda of: counts_down(len(of)), lambda of: sent(len(of)), lambda of: (yield from plain(of)))


def exhaust(generator):
    return list(generator)


def leave_by_break(generator):
    for n, x in enumerate(generator):
        if n == 2: return x


def close(generator):
    for _ in itertools.islice(generator, 2): pass
    generator.close()


def throw(generator):
    for _ in itertools.islice(generator, 2): pass
    return generator.throw(Stop), list(generator)


def drop(generator):
    return next(generator)


def send(generator):
    next(generator)
    return [generator.send(n & 1) for n in range(3)]


def take_by_turns(generator):
    return list(zip(generator, generator))


def try_all(of):
    for make in GENERATORS:
        for way in exhaust, leave_by_break, close, throw, drop, send, take_by_turns:
            try: way(make(of))
            except (Stop, StopIteration, ZeroDivisionError, RuntimeError, TypeError): pass
    for way in exhaust, close, throw, drop, take_by_turns:
        for generator in expressions(of):
            try: way(generator)
            except (Stop, StopIteration, ZeroDivisionError): pass


def endless():
    for make in for_ever, asks:
        g = make()
        for _ in range(5): next(g, None)
        del g
    g = asks()
    next(g)
    for _ in range(5): g.send(1)
    try: g.send(0)
    except StopIteration: pass
    g = for_ever()
    next(g)
    try: g.throw(Stop)
    except Stop: pass


def suspended_in_turns():
    """The passes of several frames of one code at a time."""
    many = [plain(range(n)) for n in range(6)] + [(x * x for x in range(n)) for n in range(6)]
    while many:
        many = [g for g in many if next(g, None) is not None]


def inside_itself():
    def f(n): return sum(f(x) for x in range(n)) + 1
    return f(6)


def raised_by_an_iterator():
    class Iterator:
        def __init__(self): self.n = 0
        def __iter__(self): return self

        def __next__(self):
            self.n += 1
            if self.n > 4: raise Stop
            return self.n

    for make in plain, twice, only_some:
        try: list(make(Iterator()))
        except Stop: pass
    try: sum(x for x in Iterator())
    except Stop: pass


def with_signals():
    signal.signal(signal.SIGUSR1, lambda *_: sum(x for x in range(3)))
    for x in calls(range(4), lambda _: signal.raise_signal(signal.SIGUSR1)): pass
    sum(signal.raise_signal(signal.SIGUSR1) is None for _ in range(4))
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)


async def ticks(of):
    for x in of: yield x


async def ticks_some(of):
    for x in of: x & 1 and (yield x)


async def ticks_and_waits(of):
    while of: of = of[1:]; await Step(); yield of; await Step()


async def again(of):
    async for x in of: yield x


class Step:
    def __await__(self):
        for _ in range(2): yield self


async def asynchronous(of):
    a = [x async for x in ticks(of)], [x async for x in ticks_some(of)], [x async for x in ticks_and_waits(of)]
    b = [x async for x in again(again(ticks_and_waits(of)))], [x async for x in (y async for y in ticks(of) if y & 1)]
    c = [await value(x) for x in of], {x async for x in (await value(x) for x in of)}
    for x in of: await Step()
    async for x in ticks_and_waits(of): await Step(); break
    for make in ticks, ticks_some, ticks_and_waits:
        g = make(of)
        await g.__anext__()
        try: await g.athrow(Stop)
        except Stop: pass
        g = make(of)
        await g.__anext__()
        await g.aclose()
        g = make(of)
        await g.asend(None)
    return a, b, c


async def value(x): return x


def drive(coroutine):
    while True:
        try: coroutine.send(None)
        except StopIteration as end: return end.value


for _ in range(3):
    try_all([1, 2, 3])
    try_all([0, 1, 0, 2, 3, 4])
    try_all([])
    endless()
    suspended_in_turns()
    inside_itself()
    raised_by_an_iterator()
    with_signals()
    drive(asynchronous([1, 2, 3, 4]))
sum(x * x for x in range(3000))
list(plain(range(3000)))
