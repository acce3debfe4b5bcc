# two-runs
"""Comprehensions and generator expressions of each kind, of other iterables and of async ones, with
conditions, nested, on one line and on several, left by exceptions and by nobody: where a loop has
its head and its LINE differs between versions and kinds."""
import itertools


class Pause:
    def __await__(self): yield


def run(coroutine):
    """Without a loop of asyncio, which looks for tasks that the garbage collector has not yet met."""
    try:
        while True: coroutine.send(None)
    except StopIteration:
        return


async def ticks(n):
    for i in range(n): yield i


async def ticks_that_wait(n):
    for i in range(n):
        await Pause()
        yield i


async def double(x): return 2 * x


def lists(of):
    [x for x in of]
    [x for x in of if x & 1]
    [x for x in of if x & 1 if x > 1]
    [(x, y) for x in of for y in of]
    [(x, y) for x in of if x for y in of if y != x]
    [[y for y in range(x)] for x in of]
    [x if x & 1 else -x for x in of]
    [z for x in of if (z := x * 2) > 2]
    [x for x in (
        1, 2, 3)]
    [x
     for x in of]
    [x
     for x in of
     if x & 1]
    [x for x in of
     if x & 1]
    [(x,
      y)
     for x in of
     for y in of
     if x]
    [
        x
        for
        x
        in
        of
    ]
    [x if x & 1 else (
        -x) for x in of]
    return [abs(
        x) for x in of]


def others(of):
    {x for x in of}; {x: x for x in of}; {x: -x for x in of if x}
    {x
     for x in of
     if x}
    {x:
     y
     for x in of for y in of
     if y}
    return {x: {y for y in of if y > x} for x in of}


def generators(of):
    made = (x for x in of), (x for x in of if x & 1), (y for x in of for y in of), (y for x in of if x & 1 for y in of if y & 1), (
        x
        for x in of), (x for x in of
                       if x & 1), (
        y for x in of
        for y in range(x)), (x if x & 1 else (
            -x) for x in of), (x for x in (
                y for y in of)), (sum(y for y in range(x)) for x in of), ([y for y in range(x)] for x in of), (
                    x for x in
                    of if
                    x & 1
                    if x)
    for one in made:
        yield list(one)


async def of_async(n):
    [x async for x in ticks(n)]; {x async for x in ticks_that_wait(n) if x & 1}; {x: x async for x in ticks(n)}
    [x
     async for x in ticks_that_wait(n)
     if x & 1]
    [await double(x) for x in range(n)]
    [await double(x)
     async for x in ticks(n)]
    [(x, y) async for x in ticks(n) for y in range(x)]
    [(x, y) for x in range(n) async for y in ticks(x)]
    made = (x async for x in ticks(n)), (x async for x in ticks_that_wait(n) if x & 1), (await double(x) for x in range(n)), (
        x
        async for x in ticks(n)), (
            x async for x in ticks_that_wait(n)
            if x & 1), ((x, y) async for x in ticks(n) for y in range(x)), (
                (x, y)
                for x in range(n)
                async for y in ticks_that_wait(x)), (x async for x in (y async for y in ticks(n)))
    for one in made:
        [x async for x in one]
        async for _ in one: pass
    broken = (6 // (2 - x) async for x in ticks(n))
    try:
        async for x in broken: pass
    except ZeroDivisionError: pass
    left = (x async for x in ticks_that_wait(n))
    async for x in left: break
    await left.aclose()
    async for x in ticks(n): x
    async for x in (
            ticks(n)): x


def left():
    try: [6 // (2 - x) for x in range(4)]
    except ZeroDivisionError: pass
    try: list(6 // (2 - x) for x in range(4))
    except ZeroDivisionError: pass
    made = (x for x in range(9))
    next(made); made.close()
    made = (x for x in range(9))
    next(made)
    try: made.throw(KeyError)
    except KeyError: pass
    next(x for x in range(9))
    return list(itertools.islice((x for x in itertools.count()), 3)), any(x > 2 for x in range(9)), dict(zip("ab", (x for x in range(9))))


class Body:
    squares = [x * x for x in range(4)]
    odd = list(x for x in range(4) if x & 1)


for times in range(4):
    for of in (), range(1), range(5), [1, 2, 3], iter((4, 5)), (x for x in range(3)):
        print(lists(of), others(of), list(generators(of)))
    run(of_async(4))
    print(left())
