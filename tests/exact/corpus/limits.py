# identity vary@3.11
"""How deep a program gets before it is told to stop: the same number with a recorder as without."""
import sys

deepest = 0


def plain(n):
    global deepest
    deepest = n
    plain(n + 1)


def through_c(n):
    global deepest
    deepest = n
    return sorted([1, 2], key=lambda x: through_c(n + 1))


class Deep:
    def __repr__(self):
        global deepest
        deepest += 1
        return repr([self])


def generator(n):
    global deepest
    deepest = n
    yield from generator(n + 1)


for f in (lambda: plain(0), lambda: through_c(0), lambda: repr(Deep()), lambda: list(generator(0)),
          lambda: eval("(" * 150 + ")" * 150), lambda: exec("plain(0)")):
    for limit in (200, 1000):
        sys.setrecursionlimit(limit)
        deepest = 0
        try:
            f()
        except BaseException as e:
            print(limit, deepest, type(e).__name__, e)
sys.setrecursionlimit(1000)
plain(0)
