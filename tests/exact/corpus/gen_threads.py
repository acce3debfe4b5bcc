# same-run
"""Generators resumed from another thread, closed by it or by the collector there, and thrown into through delegation."""
import gc
import threading

out = []
gc.collect()                            # what the interpreter's start has left is not counted below


def inner(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                out.append(got)
    except KeyError:
        yield "caught"
    finally:
        out.append("inner closed")


def outer(n):
    try:
        r = yield from inner(n)
        yield r
    finally:
        out.append("outer closed")


def in_thread(f, *args):
    def body():
        try:
            out.append(f(*args))
        except BaseException as e:
            out.append(type(e).__name__)
    t = threading.Thread(target=body)
    t.start()
    t.join()


g = outer(5)
in_thread(next, g)
next(g)
in_thread(g.send, "hello")
in_thread(g.throw, KeyError)
next(g, None)
in_thread(g.close)

g = outer(9)
next(g)
in_thread(g.close)

g = outer(9)
next(g)
holder = [g]
in_thread(holder.clear)                 # not the last one yet
del g

g = outer(9)
next(g)
holder = [g]
del g
in_thread(holder.clear)                 # closed by that thread's decref

g = outer(9)
next(g)
cycle = [g]
cycle.append(cycle)
del g, cycle
in_thread(gc.collect)


def shared(n):
    for i in range(n):
        yield i


lock, s, seen = threading.Lock(), shared(300), []


def take():
    while True:
        with lock:
            x = next(s, None)
        if x is None:
            return
        seen.append(x)


ts = [threading.Thread(target=take) for _ in range(4)]
for t in ts: t.start()
for t in ts: t.join()


def recursive():
    try:
        yield next(me)
    except ValueError as e:
        yield str(e)


me = recursive()
print(next(me), len(seen), out)
