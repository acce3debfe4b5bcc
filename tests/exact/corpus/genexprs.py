# two-runs
"""Generator expressions: since 3.15 they ask for their iterator before they are generators."""


class Loud:
    """Its __iter__ is Python code, and runs on behalf of a frame that has not begun."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        for value in self.values:
            yield value


class Refuses:
    def __iter__(self):
        raise ValueError("no iterator")


class Lies:
    def __iter__(self):
        return 7


class Inner:
    def __iter__(self):
        return (2 * x for x in Loud([1, 2]))


def tries(make):
    try:
        print(list(make()))
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)


def of(values):
    return (value + 1 for value in values)


def nested(rows):
    return (y for row in (x for x in rows) for y in (z for z in row))


def never_started(values):
    return (value for value in values)


def left_behind():
    for value in (x for x in Loud(range(5))):
        if value == 2:
            return value


async def asynchronous(values):
    return [x async for x in (v async for v in values())]


async def ticker():
    for n in range(3):
        yield n


def run(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value


tries(lambda: of([1, 2]))
tries(lambda: of(Loud([1, 2])))
tries(lambda: of(Inner()))
tries(lambda: of(5))
tries(lambda: of(Refuses()))
tries(lambda: of(Lies()))
tries(lambda: of(None))
tries(lambda: nested([[1, 2], Loud([3])]))
tries(lambda: nested([[1, 2], 3]))
tries(lambda: nested(Refuses()))
tries(lambda: (a + b for a in (1, 2) for b in Loud([a])))
tries(lambda: (x for x in (1 // y for y in (1, 2))))
print(left_behind())
never_started(Loud([1]))
print(run(asynchronous(ticker)))
for kind in (sum, tuple, set, dict.fromkeys, max):
    print(kind(x for x in Loud([3, 4])))
