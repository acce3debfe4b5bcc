# identity min=3.12 gap=unknown
import sys
m = sys.monitoring
seen = []
def leaf(x): return x + 1
leaf(0)
for i in range(6): m.use_tool_id(i, "mine%d" % i)
leaf(1)
print([m.get_tool(i) for i in range(6)])
try: m.use_tool_id(5, "x")
except ValueError as e: print(e)
m.free_tool_id(2)
leaf(2)
print([m.get_tool(i) for i in range(6)])
for i in (0, 5):
    m.register_callback(i, m.events.PY_START, lambda c, o, i=i: seen.append((i, c.co_name)))
    m.set_events(i, m.events.PY_START)
leaf(3)
for i in (0, 5): m.set_events(i, 0)
print(seen, m.get_events(5), m.get_events(2))
