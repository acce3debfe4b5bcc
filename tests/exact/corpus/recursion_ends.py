# two-runs min=3.12
"""Hot functions that call themselves, and what comes in between while they are deep in calls."""
import gc
import signal
import sys
import threading
import weakref

SOURCE = '''
def {name}(n):
    if n < 2:
        return n
    return {name}(n - 1) + {name}(n - 2)


def {name}_down(n):
    if n == 0:
        return 0
    return {name}_down(n - 1)


for _ in range(30):
    {name}(10)
    {name}_down(50)
'''


class At(int):
    """Does something when it has become 3, and when it becomes 1."""

    def __sub__(self, other):
        n = int(self) - other
        if n in (3, 1) and At.left:
            At.left -= 1
            At.what()
        return At(n)


def with_each(name, what, times=2):
    names = {"__name__": name}
    exec(compile(SOURCE.format(name=name), name + ".py", "exec"), names)
    for call in (names[name], names[name + "_down"]):
        At.what, At.left = what, times
        try:
            call(At(7))
        except ArithmeticError:
            pass
        call(7)
        At.left = times
        try:
            call(At(6))
        except ArithmeticError:
            pass
        call(5)


def small(n):
    return n and small(n - 1)


def handler(number, frame):
    small(2)


def failing_handler(number, frame):
    raise ArithmeticError


def signals():
    signal.raise_signal(signal.SIGUSR1)


def signals_and_fails():
    signal.raise_signal(signal.SIGUSR2)


class Cycle:
    def __init__(self):
        self.self = self

    def __del__(self):
        small(1)


def collects():
    Cycle()
    gc.collect()


def refers():
    thing = type("Thing", (), {})()
    references.append(weakref.ref(thing, lambda _: small(1)))


def raises():
    raise ArithmeticError


def traces():
    sys.settrace(lambda frame, event, arg: None)
    sys.settrace(None)


def starts():
    thread = threading.Thread(target=small, args=(3,))
    thread.start()
    thread.join()


def calls_itself():
    names = {}
    exec(compile(SOURCE.format(name="inner"), "inner.py", "exec"), names)


references = []
signal.signal(signal.SIGUSR1, handler)
signal.signal(signal.SIGUSR2, failing_handler)
with_each("signalled", signals)
with_each("failed", signals_and_fails)
with_each("collected", collects)
with_each("referred", refers)
with_each("raised", raises)
with_each("called", calls_itself)
with_each("started", starts)
with_each("traced", traces)
with_each("traced_on", lambda: sys.settrace(lambda frame, event, arg: None))
sys.settrace(None)
