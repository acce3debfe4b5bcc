"""Exceptions that are thrown into generators and coroutines of Cython's. Since 3.13 it reports
their resume while the exception is set; a callback of Python's cannot listen to that without a
SystemError, nor can the oracle."""
import collections
import types

import fast

counts = collections.Counter()


def own(n):
    counts["own"] += 1
    try:
        yield n
    finally:
        counts["ended"] += 0


def tries(function, *arguments):
    counts["tries"] += 1
    try:
        return function(*arguments)
    except BaseException as e:
        return repr(e)


@types.coroutine
def pause():
    counts["pause"] += 1
    yield


async def fails():
    counts["fails"] += 1
    await pause()
    raise ValueError("on purpose")


async def awaits():
    counts["awaits"] += 1
    try:
        await fast.waits(fails())
    except (ValueError, KeyError) as e:
        return repr(e)


def begin(coroutine):
    coroutine.send(None)
    return coroutine


for make in fast.numbers, lambda n: fast.delegates(own(n)), lambda n: fast.delegates(fast.numbers(n)):
    fresh, begun, left = make(2), make(2), make(2)
    print(tries(fresh.throw, ValueError("fresh")), next(begun), tries(begun.throw, LookupError("begun")), next(left), tries(left.close), tries(next, left))
print(tries(begin(awaits()).send, None), tries(begin(awaits()).throw, KeyError("thrown")), tries(begin(awaits()).close))
print("called", *("%s:%d" % pair for pair in sorted(counts.items()) if pair[1]))
