# identity@3.11 same-run
"""Calls that are told by their first witness: threads, signals, forks and tracers that come between a call and that."""
import gc
import os
import signal
import sys
import threading


class Odd:
    """Compares in Python, and that ahead of its own witness too."""

    def __init__(self, value, deep=0):
        self.value = value
        self.deep = deep

    def __lt__(self, other):
        if self.deep and Odd(self.value, self.deep - 1) < other:
            return True
        if self.value is None:
            raise ValueError("nothing to compare")
        if self.value < other.value:
            return True
        return False

    def __bool__(self):
        if self.value:
            return True
        return False

    @property
    def double(self):
        if self.value:
            return 2 * self.value
        return 0

    def __getitem__(self, index):
        if index > 3:
            raise IndexError(index)
        return index

    def __del__(self):
        if self.value == 7:
            gone.append(self.value)


gone = []


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def lower(a, b):
    if a < b:
        return a
    return b


def kind(x):
    if x is None:
        return "none"
    if not x:
        return "empty"
    if x.double > 10:
        return "large"
    return "small"


def third(x):
    if x[3] > x[1]:
        return x[2]
    return x[9]


def missing(x):
    if x.nothing:
        return 1
    return 2


def drops(x):
    x = None
    if x:
        return 1
    return 2


def leaf(x):
    return x


def one(x): return leaf(x) if x else x


def both(x):
    y = x
    if y: z = 1
    else: z = 2
    return leaf(z)


def early(x):
    if x > 3: return x
    for i in range(x):
        if i == 2:
            return i
    return -1


def caught(x):
    try:
        if x.nothing:
            return 1
    except AttributeError:
        return 2
    return 3


def fails(f, *args):
    try:
        return f(*args)
    except (ValueError, AttributeError, IndexError, TypeError) as e:
        return type(e).__name__


def handler(number, frame):
    if number:
        seen.append(number)
    return None


seen = []


def reset(x):
    if x > 0:
        return signal.getsignal(signal.SIGUSR1)
    return None


def counts(n, step):
    total = 0
    while n > 0:
        total += lower(n, n + step)
        total += early(n % 5)
        n -= step
    return total


def forked(x):
    if Forks() < x:
        return "forked"
    return "not"


class Forks:
    """Forks ahead of the witness of who compares."""

    def __lt__(self, other):
        pid = os.fork()
        if pid == 0:
            return True
        os.waitpid(pid, 0)
        return False


def traced(n):
    if n > 2:
        return leaf(n)
    return n


def tracer(frame, event, arg):
    return tracer


print(fib(8), lower(1, 2), lower(Odd(1), Odd(2)).value, lower(Odd(3, 4), Odd(2)).value)
print([kind(x) for x in (None, 0, "", Odd(0), Odd(3), Odd(9))])
print(third([1, 2, 3, 4]), fails(third, Odd(1)), third({1: 1, 2: 2, 3: 3, 9: 9}))
print(fails(missing, 1), fails(missing, 2), fails(lower, Odd(None), Odd(1)), fails(lower, Odd(None, 3), Odd(1)))
print(drops(Odd(7)), gone, one(0), one(1), both(0), both(1), caught(1), [early(i) for i in range(6)])
print(sorted([Odd(3), Odd(1), Odd(2)])[0].value, max(Odd(1), Odd(5)).value, fails(sorted, [Odd(1), 2]))
signal.signal(signal.SIGUSR1, handler)
for i in range(30):
    os.kill(os.getpid(), signal.SIGUSR1)
    reset(i)
print(len(seen))
name = forked(3)
if name == "forked":
    lower(Odd(1), Odd(2))
    os._exit(0)
print(name)
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=counts, args=(400, 1 + i % 2)) for i in range(4)]
for thread in threads:
    thread.start()
counts(400, 1)
for thread in threads:
    thread.join()
gc.collect()
traced(1)
sys.settrace(tracer)
traced(1), traced(3)
sys.settrace(None)
print(traced(3), fib(6))
