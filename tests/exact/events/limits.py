"""Recursion through C, to the interpreter's own limit: how often each function was entered, and how the error looks."""
import functools
import json
import pickle
import sys

counts = {}


class Attribute:
    def __getattr__(self, name):
        counts["__getattr__"] += 1
        return getattr(self, name + "")


class Reduced:
    def __reduce__(self):
        counts["__reduce__"] += 1
        return Reduced, (Reduced(),)


class Shown:
    def __repr__(self):
        counts["__repr__"] += 1
        return repr([self])


@functools.lru_cache(None)
def cached(n):
    counts["cached"] += 1
    return cached(n + 1)


def key(n):
    counts["key"] += 1
    return sorted([n, n], key=key)


def plain(n):
    counts["plain"] += 1
    return plain(n + 1)


def fib(n):
    counts["fib"] += 1
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def hanoi(n, a, b):
    counts["hanoi"] += 1
    if n == 0:
        return 1
    left = hanoi(n - 1, b, a)
    return left + hanoi(n + 3, b, a)                    # deeper than the first


def limit(name, function, *arguments):
    """[name, how often entered, the message, of how many frames is the traceback, where did it end]"""
    counts[name] = 0
    try:
        function(*arguments)
    except RecursionError as e:
        tb, depth = e.__traceback__, 1
        while tb.tb_next:
            tb, depth = tb.tb_next, depth + 1
        return [name, counts[name], str(e), depth, tb.tb_frame.f_code.co_qualname, tb.tb_lineno]


def limit_at_each(name, function, *arguments):
    """As limit, with so little room that now this call and now that one is the one too many."""
    counts[name], frame, depth = 0, sys._getframe(), 0
    while frame:
        frame, depth = frame.f_back, depth + 1
    for room in [*range(6, 30)] * 2:
        before, counts[name] = counts[name], 0
        sys.setrecursionlimit(depth + room)
        ended = limit(name, function, *arguments) or [name, 0, "", 0, "", 0]
        sys.setrecursionlimit(1000)
        counts[name] += before
    ended[1] = counts[name]
    return ended


sys.setrecursionlimit(1000)
json.dump([limit("__getattr__", getattr, Attribute(), "a"), limit("__reduce__", pickle.dumps, Reduced()), limit("__repr__", repr, Shown()),
           limit("cached", cached, 0), limit("key", key, 0), limit("plain", plain, 0),
           limit_at_each("fib", fib, 12), limit_at_each("hanoi", hanoi, 5, 1, 2)], sys.stdout)
