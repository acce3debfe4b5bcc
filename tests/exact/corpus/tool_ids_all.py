# identity min=3.12 gap=unknown
import sys
m = sys.monitoring
print([m.get_tool(i) for i in range(6)])
for i in range(6):
    try: m.use_tool_id(i, "mine%d" % i); print(i, "ok")
    except ValueError as e: print(i, e)
