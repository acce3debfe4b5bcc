# identity min=3.12 gap=tools has=again:4
"""All six ids are taken, one is free again, and all are taken once more; events come to a tool
whose id stands for another one."""
import sys

m = sys.monitoring
seen = []


def leaf(x):
    return x + 1


def again(x):
    y = leaf(x) if x in (2, 3) else x
    return y


leaf(0)
again(1)
for i in range(6):
    m.use_tool_id(i, "mine%d" % i)
leaf(1)
again(1)
print([m.get_tool(i) for i in range(6)])
try:
    m.use_tool_id(5, "x")
except ValueError as e:
    print(e)
m.free_tool_id(2)
again(2)
print([m.get_tool(i) for i in range(6)])
for i in (0, 5):
    m.register_callback(i, m.events.PY_START, lambda c, o, i=i: seen.append((i, c.co_name)))
    m.set_events(i, m.events.PY_START)
again(3)
for i in (0, 5):
    m.set_events(i, 0)
print(seen, m.get_events(5), m.get_events(2))
m.use_tool_id(2, "mine again")
again(4)
print([m.get_tool(i) for i in range(6)])
m.free_tool_id(5)
again(5)
m.use_tool_id(5, "five again")
m.free_tool_id(0)
print([m.get_tool(i) for i in range(6)])
