# identity min=3.12
"""Callbacks, and events on 3.12 and 3.13, stay when an id is freed, and before it is taken; ids are
taken in turn, five at most at a time."""
import sys

m = sys.monitoring
E = m.events
seen = []


def callback(name):
    def hear(code, *rest):
        if code.co_name == "leaf":
            seen.append((name, *rest[1:]))
    hear.__name__ = hear.__qualname__ = name
    return hear


def leaf(x):
    y = x
    return y + 1


def name_of(function):
    return function and function.__name__


def show(what):
    del seen[:]
    leaf(1)
    print(what, [m.get_tool(i) for i in range(6)], [m.get_events(i) for i in range(6)], seen)


for i in (5, 3, 0):
    print(i, name_of(m.register_callback(i, E.PY_START, callback("early%d" % i))))
show("registered")
for i in (5, 3, 1):
    m.use_tool_id(i, "mine%d" % i)
    print(i, name_of(m.register_callback(i, E.PY_RETURN, callback("returns%d" % i))))
    m.set_events(i, E.PY_START | E.PY_RETURN)
show("taken")
for i in (3, 5):
    m.free_tool_id(i)
show("freed")
for i in (5, 3):
    m.use_tool_id(i, "again%d" % i)
show("taken again")
for i in (5, 3, 1):
    print(i, [name_of(m.register_callback(i, e, callback("late%d" % i))) for e in (E.PY_START, E.PY_RETURN)])
    m.set_events(i, E.PY_START)
show("others")
for i in (5, 3, 1):
    m.set_events(i, 0)
    m.free_tool_id(i)
for turn in range(3):
    for i in range(6):
        m.use_tool_id(i, "turn%d" % i)
        m.register_callback(i, E.PY_START, callback("turn%d.%d" % (turn, i)))
        m.set_events(i, E.PY_START)
        show("in turn")
        m.set_events(i, 0)
        m.free_tool_id(i)
print([name_of(m.register_callback(i, E.PY_START, None)) for i in range(6)])
