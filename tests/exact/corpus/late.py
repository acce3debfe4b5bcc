# two-runs
"""Calls whose first witness lies behind a branch: what happens before it, in them and above them."""
import functools
import gc
import signal
import sys


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


class Number:
    """Comparing runs code of Python, which raises now and then, and compares in its turn."""
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        if self.n > 5:
            self.n += 0
            return self.n < other
        if self.n == 3:
            raise ValueError(self.n)
        return guard(self.n, other) == other

    def __bool__(self):
        if self.n == 4:
            raise KeyError
        return self.n > 2

    def __repr__(self):
        return "Number"


def guard(x, deep=0):
    if x < 4:
        if deep:
            return 1
        return 2
    elif deep > 3:
        return guard(x, deep - 1)
    return 4


def first_is_itself(x):
    if x is None:
        return 0
    if first_is_itself(None if x > 6 else x + 1):
        return 1
    return 0


def refuses(x):
    if not x:
        raise TypeError("no x")
    if isinstance(x, str):
        return len(x)
    return x


def ask(x):
    if refuses(x):
        return True
    return None


def chain(n):
    if n and chain(n - 1) and fib(3):
        return n
    return 1


@functools.lru_cache(maxsize=None)
def cached(n):
    if n < 3:
        return 1
    return cached(n - 1) + cached(n - 2)


def numbers(n):
    for i in range(n):
        if guard(i):
            yield guard(i, i)


class Last:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        if guard(len(self.name)) == 2:
            return
        fib(2)


def dies(last):
    if last and (last := None) is None:
        return 1
    return 2


def default(x, y=None):
    if y is None:
        y = []
    y.append(x)
    return y


def told(signum, frame):
    if signum == signal.SIGUSR1:
        return fib(3)
    return None


def kills(n):
    if signal.raise_signal(signal.SIGUSR1) or n < 2:
        return 1
    return kills(n - 2)


def traced(frame, event, arg):
    return None


def switched(n):
    if sys.settrace(traced if n % 2 else None) or n == 3:
        return fib(2)
    return fib(3)


def unpacks(pair):
    if pair and pair[0]:
        (a, b), c = pair, 0
        return a, b, c
    a, b = pair
    return b, a


def swallowed(call, *args):
    try:
        return call(*args)
    except (ValueError, KeyError, TypeError) as e:
        return type(e).__name__


def main():
    signal.signal(signal.SIGUSR1, told)
    print(fib(9), cached(12))
    for i in range(8):
        print(swallowed(guard, Number(i), i % 5), swallowed(refuses, Number(i)), swallowed(ask, Number(i)))
        print(swallowed(unpacks, (i % 3, 1)), swallowed(unpacks, (i,)), swallowed(unpacks, None))
    print(first_is_itself(0), chain(5), [x for x in numbers(7)])
    print(sorted(range(12), key=guard), list(map(refuses, ["a", 2, "bcd"])))
    print(dies(Last("short")), dies(Last("a longer name")), dies([Last("x")]))
    print(default(1), default(2), default(3, [4]))
    for i in range(150):
        first_is_itself(i % 9)
        swallowed(guard, Number(7), 1)
    print(kills(5))
    gc.collect()


main()
if sys.version_info >= (3, 12):
    for i in range(5):
        switched(i)
    sys.settrace(None)
    print(fib(4), guard(3))
