"""Greenlets: begun, switched, thrown into, killed, collected, nested, deep, in several threads,
with generators and contexts."""
import contextvars
import gc
import sys
import threading

import greenlet

name = contextvars.ContextVar("name", default="none")


def ping(other, log):
    for i in range(4):
        log.append(i)
        other[0].switch(i)
    return "ping is over"


def pong(log):
    def run(got):
        while True:
            log.append("got %r" % got)
            got = greenlet.getcurrent().parent.switch()
    return run


def there_and_back():
    log, second = [], []
    second.append(greenlet.greenlet(pong(log)))
    first = greenlet.greenlet(ping)
    value = first.switch(second, log)
    while not first.dead:
        log.append(value)
        value = first.switch(value)
    log.append(value)
    second[0].throw()                       # GreenletExit: it ends in order
    assert second[0].dead
    return log


def down(n, leave):
    try:
        if n:
            return down(n - 1, leave) + 1
        return leave.switch("below")
    finally:
        n = -1


def deep():
    main = greenlet.getcurrent()
    gs = [greenlet.greenlet(down) for _ in range(3)]
    for depth, g in enumerate(gs):
        g.switch(20 * depth, main)
    return [g.switch(1000) for g in reversed(gs)]


def raising(x):
    try:
        greenlet.getcurrent().parent.switch(x)
    except KeyError:
        try:
            greenlet.getcurrent().parent.switch(x + 1)
        except ValueError as e:
            raise LookupError(x) from e


def thrown():
    g = greenlet.greenlet(raising)
    g.switch(1)
    g.throw(KeyError)
    try:
        g.throw(ValueError("no"))
    except LookupError as e:
        return repr(e), repr(e.__cause__), g.dead


class Kept:
    def __init__(self, log):
        self.log = log

    def __del__(self):
        self.log.append("gone")


def waits(kept):
    try:
        greenlet.getcurrent().parent.switch()
    except greenlet.GreenletExit:
        kept.log.append("exit")
        raise
    finally:
        kept.log.append("finally")


def collected():
    log = []
    g = greenlet.greenlet(waits)
    g.switch(Kept(log))
    del g
    g = greenlet.greenlet(waits)
    g.switch(Kept(log))
    g.me = g
    del g
    gc.collect()
    return log


def generator(n):
    for i in range(n):
        yield i
        here = greenlet.getcurrent()
        (here.parent or here).switch("between %d" % i)


def over(n):
    return [x for x in generator(n)]


def generators():
    a, b = greenlet.greenlet(over), greenlet.greenlet(over)
    said = []
    a_value, b_value = a.switch(3), b.switch(2)
    while not (a.dead and b.dead):
        said.append((a_value, b_value))
        if not a.dead:
            a_value = a.switch()
        if not b.dead:
            b_value = b.switch()
    return said, a_value, b_value


def compare(main):
    def key(x):
        main.switch(x)
        return -x
    return sorted([3, 1, 2], key=key)


def in_callback():
    g = greenlet.greenlet(compare)
    met, value = [], g.switch(greenlet.getcurrent())
    while not g.dead:
        met.append(value)
        value = g.switch()
    return met, value


def nested(n):
    if n == 0:
        return "leaf"
    inner = greenlet.greenlet(nested)
    return [n, inner.switch(n - 1)]


def named(text):
    name.set(text)
    greenlet.getcurrent().parent.switch(name.get())
    return name.get()


def contexts():
    gs = [greenlet.greenlet(named) for _ in range(3)]
    for g in gs:
        g.gr_context = contextvars.copy_context()
    said = [g.switch("g%d" % i) for i, g in enumerate(gs)]
    return said, [g.switch() for g in gs], name.get()


def parents():
    """The end of one goes on in a parent that is not where it was begun."""
    def middle():
        return "middle had " + greenlet.getcurrent().parent.switch("to main")

    def last():
        return "last"
    m = greenlet.greenlet(middle)
    said = [m.switch()]
    said.append(greenlet.greenlet(last, m).switch())
    return said


class Runs(greenlet.greenlet):
    def run(self, n):
        return sum(self.parent.switch(i) or 0 for i in range(n))


def from_c():
    """The bottom is C: each of its calls into Python begins without a caller."""
    def step(x):
        greenlet.getcurrent().parent.switch(x)
        return x * 2
    g = greenlet.greenlet(lambda: list(map(step, range(3))))
    h = greenlet.greenlet(list)
    said = [h.switch(map(step, range(3))), g.switch()]
    while not (g.dead and h.dead):
        said.append((h.switch(), g.switch()))
    r = Runs()
    said.append([r.switch(2), r.switch(1), r.switch(2)])
    begun = generator(1)
    said.append(greenlet.greenlet(begun.send).switch(None))
    said.append(next(begun, "nothing"))
    return said


def many():
    """More than wait at a time anywhere, and addresses that serve again."""
    main = greenlet.getcurrent()

    def wait(i):
        got = main.switch(i)
        return got + 1
    total = 0
    for _ in range(3):
        gs = [greenlet.greenlet(wait) for _ in range(300)]
        for i, g in enumerate(gs):
            g.switch(i)
        total += sum(g.switch(i) for i, g in enumerate(reversed(gs)))
    return total


def in_thread(results, i):
    results[i] = (there_and_back(), deep(), generators())


def threads():
    results = {}
    ts = [threading.Thread(target=in_thread, args=(results, i)) for i in range(3)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    return results[0] == results[1] == results[2]


def left_over():
    g = greenlet.greenlet(waits)
    g.switch(Kept([]))
    return g


if __name__ == "__main__":
    for f in (there_and_back, deep, thrown, collected, generators, in_callback, contexts, parents, from_c, many, threads):
        print(f.__name__, f())
    print(greenlet.greenlet(nested).switch(5))
    kept = left_over()
    sys.stdout.flush()
