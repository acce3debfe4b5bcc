# two-runs
"""Loops that are hot enough for the just-in-time compiler, where the build has one and is asked for it."""
import _random
import os
import sys

if os.environ.get("PYTHON_JIT") != "1":
    os.environ["PYTHON_JIT"] = "1"
    os.execv(sys.executable, [sys.executable, __file__])


def hot(n):
    s = 0
    for i in range(n):
        if i % 7 == 3:
            s += i
        else:
            s -= 1
    return s


class Box:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value


def objects(n):
    t = 0
    for i in range(n):
        t += Box(i).get()
    return t


def numbers(n):
    for i in range(n):
        yield i


def below(n, getrandbits=_random.Random(5).getrandbits):
    """Which leaves what is compiled at the loop's line, now and then."""
    k = n.bit_length()
    r = getrandbits(k)
    while r >= n:
        r = getrandbits(k)
    return r


for _ in range(20):
    for _ in range(400):
        below(5)
    hot(3000)
    objects(2000)
    sum(numbers(2000))
