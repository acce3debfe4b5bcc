# identity min=3.12 gap=tools has=after:4
"""A thread takes all ids while others wait, threads begin and end meanwhile, and others go on
behind it."""
import sys
import threading

m = sys.monitoring
E = m.events
taken, freed = threading.Event(), threading.Event()
ready = threading.Semaphore(0)
seen = []


def before():
    ready.release()
    taken.wait()


def unheard():
    return threading.current_thread().name


def after(n):
    for i in range(n):
        n -= 1
    return n


def waits():
    before()
    unheard()
    freed.wait()
    after(3)


def takes():
    for i in range(6):
        m.use_tool_id(i, "mine%d" % i)
    m.register_callback(5, E.PY_START, lambda code, offset: seen.append(code.co_name) if code.co_name in ("unheard", "after") else None)
    m.set_events(5, E.PY_START)
    taken.set()
    unheard()


def joins(*threads):
    for t in threads:
        t.start()
    return threads


waiting = joins(*(threading.Thread(target=waits, name="waits%d" % i) for i in range(3)))
for t in waiting:
    ready.acquire()
for target in (takes, unheard):
    joins(threading.Thread(target=target))[0].join()
m.set_events(5, 0)
m.free_tool_id(3)
freed.set()
for t in waiting:
    t.join()
after(2)
print(sorted(seen)[:2], len(seen) in range(2, 6), [m.get_tool(i) for i in range(6)])
