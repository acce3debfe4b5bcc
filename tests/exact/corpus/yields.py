# two-runs
"""Yields that no event tells: many on a line, by every arm, resumed by others than before, with no caller, thrown into, and with signals that come
before the resume."""
import _thread
import atexit
import contextlib
import ctypes
import gc
import itertools
import signal
import time
import types


def arms(n):
    while n:
        if n % 3 == 0:
            yield n
        elif n % 3 == 1:
            (yield n) if n & 1 else (yield -n)
        else:
            yield (yield)
        n -= 1


def one_line(n):
    for i in range(n): yield i; yield -i
    while n: n = (yield n) or n - 1


def deep(n):
    return deep(n - 1) if n else n


def behind_many(n):
    """The line of each yield comes behind what it calls, from which more frames return than are looked at on the short way."""
    while n:
        n -= 1
        if n % 3:
            yield (
                deep(14)
            )
        else:
            yield (
                deep(15)
            )


def nothing():
    return
    yield


def once(): yield


def guarded(log):
    for i in range(9):
        try:
            got = yield i
            if got:
                log.append(got)
        except KeyError:
            yield "key"
        except ValueError:
            continue
        else:
            if i == 7:
                return "seven"
        finally:
            log.append(i)


def hands_on(log):
    got = yield from guarded(log)
    yield got
    got = yield from iter((1, 2))
    for x in guarded(log):
        yield x, (yield x)


def pipeline():
    numbers = (i for i in range(12))
    odd = (i for i in numbers if i & 1)
    squares = (i * i for i in odd for _ in (0, 1))
    return sum(squares) + sum(x for x in one_line(4) if x)


def drive(g, *steps):
    """Each step from another place."""
    out = []
    for step in steps:
        try:
            if step is None:
                out.append(next(g))
            elif isinstance(step, type):
                out.append(g.throw(step))
            elif step == "deep":
                out.append((lambda: (lambda: next(g))())())
            elif step == "sorted":
                out.extend(sorted([1], key=lambda x: (next(g), x)[1]))
            elif step == "map":
                out.extend(map(g.send, [None]))
            elif step == "close":
                out.append(g.close())
            else:
                out.append(g.send(step))
        except (StopIteration, KeyError, ValueError, ZeroDivisionError, TypeError) as e:
            out.append(type(e))
    return out


STEPS = (None, "deep", None, KeyError, "sorted", ValueError, 3, "map", None, 4, "deep", KeyError, None, None, None, None, "close", None)


def resumed_by_others():
    for make in arms, one_line:
        drive(make(9), None, "deep", "sorted", 0, "map", None, None, None, None)
        drive(make(4), None, ZeroDivisionError, None)
    for make in guarded, hands_on:
        for i in range(len(STEPS)):
            drive(make([]), *STEPS[i:])
            drive(make([]), *STEPS[i::2])
    a, b = arms(5), arms(5)
    for x, y in zip(a, b):
        x == y and next(a, None)
    for g in a, b:
        for _ in g:
            for _ in g: break
    left = [arms(3), one_line(2), guarded([]), hands_on([])]
    for g in left:
        next(g)
    del g
    while left:
        left.pop()


class Closes:
    def __init__(self, log):
        self.log = log

    def __del__(self):
        self.log.append("gone")


def nested(log, n):
    """What its loops go over is closed as it is thrown into, before it has handled that or is gone."""
    mine = Closes(log)
    for x in guarded(log):
        for y in (Closes(log) and z for z in one_line(2)):
            for w in nested(log, n - 1) if n else (1, 2):
                try:
                    yield x, y, w, mine
                except KeyError:
                    log.append("key")
                finally:
                    list(one_line(1))


def thrown_into():
    for n in range(3):
        for kind in KeyError, ValueError, ZeroDivisionError, "close":
            for steps in range(1, 7):
                drive(nested([], n), *[None] * steps, kind, None, kind, "deep", kind)
        for _ in nested([], n):
            break


@contextlib.contextmanager
def managed(log):
    log.append("in")
    try:
        yield log
    finally:
        log.append("out")


def manages():
    log = []
    for i in range(3):
        with managed(log) as got:
            if i == 1:
                continue
            got.append(i)
    with contextlib.suppress(KeyError), managed(log):
        raise KeyError(1)
    return log


@types.coroutine
def turn():
    got = yield "turn"
    return got


async def waits(n):
    for i in range(n):
        await turn()
        if i == 2:
            with contextlib.suppress(KeyError):
                await turn()


def loop():
    c = waits(4)
    try:
        c.send(None)
        c.send(1)
        c.send(2)
        c.throw(KeyError(3)) if c.cr_await else None
        while True:
            c.send(4)
    except (StopIteration, KeyError):
        pass
    with contextlib.closing(waits(2)) as c:
        c.send(None)


async def ticks(n):
    for i in range(n):
        yield i
        await turn()


async def hears():
    return [i async for i in ticks(3) if i]


def runs(c):
    try:
        while True:
            c.send(None)
    except StopIteration as e:
        return e.value


def without_callers():
    g = arms(5)
    done = []

    def wait():
        while len(done) < 3:
            time.sleep(0.001)
    for _ in range(3):
        lock = _thread.allocate_lock()
        lock.acquire()
        _thread.start_new_thread(lambda: (done.append(next(g)), lock.release()), ())
        lock.acquire()
    wait()


class Interrupted(Exception):
    pass


raises = getattr(ctypes.PyDLL(None), "raise")           # the signal waits for the next instruction that looks
heard = []


def on_signal(number, frame):
    heard.append((number, frame.f_code.co_name))
    if number == signal.SIGUSR2 and len(heard) % 3 == 0:
        raise Interrupted(number)


def sends(n, number):
    for i in range(n):
        yield number
        if i == 2:
            yield 0


def tolerant(n, number):
    for i in range(n):
        try:
            yield number
        except (Interrupted, KeyboardInterrupt):
            yield 0


def signals():
    before = {n: signal.signal(n, on_signal) for n in (signal.SIGUSR1, signal.SIGUSR2)}
    for number in signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT:
        for make in sends, tolerant:
            for _ in range(4):
                try:
                    list(map(raises, make(5, number)))
                except (Interrupted, KeyboardInterrupt):
                    heard.append("interrupted")
    both = map(raises, itertools.repeat(signal.SIGUSR1)), map(raises, itertools.repeat(signal.SIGUSR2))
    for make in sends, tolerant, lambda *a: (x for x in sends(*a)):
        try:
            list(zip(make(6, 0), *both))
        except Interrupted:
            heard.append("interrupted")
    for n, handler in before.items():
        signal.signal(n, handler)


class Noisy:
    def __init__(self):
        self.me = self

    def __del__(self):
        heard.append("gone")


def collected():
    def makes(n):
        for _ in range(n):
            yield Noisy()
    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(7)
    sum(1 for _ in makes(60))
    gc.set_threshold(*before)
    gc.collect()


for _ in range(2):
    list(nothing()), list(once()), list(arms(12)), list(one_line(3)), list(behind_many(40))
    pipeline()
    resumed_by_others()
    thrown_into()
    manages()
    loop()
    runs(hears())
    without_callers()
    signals()
    collected()
last = (x for x in arms(9) if x)                        # with a callee that has yielded unheard
next(last)
print(len(heard), heard[:7])
atexit.register(last.__next__)                          # nobody calls it
atexit.register(lambda: heard.clear())
atexit.register(last.__next__)
atexit.register(last.__next__)
