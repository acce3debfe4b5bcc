# identity min=3.12 gap=tools has=unheard:0
"""The program takes all six tool ids of sys.monitoring, and keeps them."""
import sys

m = sys.monitoring


def before():
    print([m.get_tool(i) for i in range(6)])


def unheard():
    return [m.get_tool(i) for i in range(6)]


before()
for i in range(6):
    try:
        m.use_tool_id(i, "mine%d" % i)
        print(i, "ok")
    except ValueError as e:
        print(i, e)
print(unheard())
