# identity min=3.12
"""A tool takes the id that the recorder has, asks for it, and has it called."""
import sys

m = sys.monitoring
seen = []


def leaf(x):
    return x + 1


def work():
    for i in range(3):
        leaf(i)


print(m.get_tool(5), m.register_callback(5, m.events.LINE, print), m.register_callback(5, m.events.LINE, None), m.get_events(5), m.free_tool_id(5))
try:
    m.set_events(5, m.events.LINE)
except ValueError as e:
    print(e)
m.use_tool_id(5, "mine")
print(m.get_tool(5), [m.get_tool(i) for i in range(5)])
m.register_callback(5, m.events.LINE, lambda code, line: seen.append(line))
m.set_local_events(5, leaf.__code__, m.events.LINE)
work()
print(m.get_local_events(5, leaf.__code__), m.get_events(5))
m.free_tool_id(5)
work()
print(seen, m.get_tool(5))
