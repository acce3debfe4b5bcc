# two-runs
"""Exceptions in __del__, in weakref callbacks, in atexit, in hooks; resurrection; deletion in the middle of everything."""
import atexit
import gc
import sys
import weakref


class Loud:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        try:
            if self.n == 1:
                raise ValueError("in __del__")
            if self.n == 2:
                1 / 0
        finally:
            for i in range(2):
                self.n += i


kept = []


class Phoenix:
    def __del__(self):
        kept.append(self)


def callback(ref):
    raise KeyError("in callback")


def args_of(*a):
    return len(a)


def dies_at_return():
    a, b = Loud(0), Loud(2)
    return [a, b][0].n + args_of(Loud(0),
                                 Loud(1))


def dies_with_exception():
    local = Loud(1)
    raise OSError("out")


def gen():
    local = Loud(2)
    yield 1
    raise Loud


for i in range(4):
    Loud(i)
    x = Loud(i)
    x = None
    w = weakref.ref(Loud(0), callback)
    dies_at_return()
    try:
        dies_with_exception()
    except OSError as e:
        kept.append(str(e))
    g = gen()
    next(g)
    del g
    Phoenix()
    cycle = [Loud(3)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    {Loud(2): 1, 2: Loud(1)}.clear()
    [Loud(0) for _ in range(2)]

previous = sys.unraisablehook


def hook(u):
    kept.append(u.exc_type.__name__)
    if len(kept) % 2:
        raise RuntimeError("in hook")


sys.unraisablehook = hook
for i in range(4):
    Loud(i)
sys.unraisablehook = previous


@atexit.register
def last():
    print("last", len(kept))


@atexit.register
def failing():
    Loud(1)
    raise LookupError("in atexit")


late = Loud(1)                          # when the module is cleared
print(len(kept))
