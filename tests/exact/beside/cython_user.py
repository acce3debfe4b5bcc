"""Says at its end how often each of its own functions was called, by its own count."""
import collections
import types

import fast

counts = collections.Counter()


def double(i):
    counts["double"] += 1
    return i * 2


def bad():
    counts["bad"] += 1
    raise ValueError


def own(n):
    counts["own"] += 1
    got = yield n
    yield got
    return "returned"


@types.coroutine
def pause():
    counts["pause"] += 1
    yield


def to_its_end(coroutine):
    counts["to_its_end"] += 1
    try:
        while True:
            coroutine.send(None)
    except StopIteration as e:
        return e.value


async def slow(x):
    counts["slow"] += 1
    await pause()
    return await fast.waits(quick(x))


async def quick(x):
    counts["quick"] += 1
    await pause()
    return fast.outer(double, x)


def tries(function, *arguments):
    counts["tries"] += 1
    try:
        return function(*arguments)
    except Exception as e:
        return repr(e)


class More(fast.Counter):
    def count(self, to):
        counts["count"] += 1
        return super().count(to) + 1


print(fast.outer(double, 3), list(fast.numbers(3)), fast.fails(bad))
try:
    fast.fails(double.__class__)
except (KeyError, TypeError) as e:
    print(repr(e))
print(sorted([3, 1, 2], key=lambda v: fast.outer(double, v)))
print([tries(fast.both, i) for i in range(5)])
counter, more = fast.Counter(double), More(double)
print(counter.count(3), more.count(2), tries(lambda: counter.value), more.value)
begun = fast.delegates(own(1))
print(next(begun), begun.send("sent"), tries(next, begun), list(fast.delegates(fast.numbers(2))))
print([f(4) for f in fast.closes(double)])
print(to_its_end(slow(2)), to_its_end(fast.waits(quick(1))))
print("called", *("%s:%d" % pair for pair in sorted(counts.items())))
