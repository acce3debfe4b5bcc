# identity min=3.12 gap=tools
"""The code is hot as the program takes all ids: the tool that has the recorder's then hears what it
asks for, and nothing else."""
import sys

m = sys.monitoring
E = m.events
seen = []


def leaf(x):
    y = x
    if y % 2:
        y += 1
    while y > 10:
        y -= 3
    return y


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def cold(x):
    y = x
    return y


def hear(tool, what):
    def callback(code, *rest):
        if code.co_filename == __file__ and code.co_name in ("leaf", "fib", "cold"):
            seen.append((tool, what, code.co_name, *[r for r in rest if isinstance(r, int)]))
    return callback


def show(what):
    del seen[:]
    leaf(15), fib(4), cold(1)
    print(what, len(seen), seen[:60])


for i in range(3000):
    leaf(i % 20)
fib(18)
cold(1)
for i in range(6):
    m.use_tool_id(i, "mine%d" % i)
    for e in ("PY_START", "PY_RETURN", "LINE", "INSTRUCTION", "JUMP"):
        m.register_callback(i, getattr(E, e), hear(i, e))
show("nothing asked for")
for e in ("INSTRUCTION", "PY_START", "JUMP", "PY_RETURN"):
    m.set_events(5, getattr(E, e))
    show(e)
m.set_events(5, E.PY_START | E.LINE)
show("with lines")
m.set_events(5, 0)
m.set_local_events(5, leaf.__code__, E.PY_START | E.LINE)
show("local")
m.set_local_events(5, leaf.__code__, 0)
show("none")
m.free_tool_id(5)
for i in range(300):
    leaf(i % 20)
fib(10)
show("five is free")
