# identity min=3.12
"""Coverage that disables what it has seen, a debugger, a profiler, and a tool with the highest id,
at once; each hears what it hears alone."""
import sys

m = sys.monitoring
E = m.events
seen = {}


def hear(tool, what, answer=None):
    def callback(code, *rest):
        if code.co_filename == __file__ and code.co_name in ("work", "leaf", "gen"):
            seen.setdefault(tool, []).append((what, code.co_name, *[r for r in rest if isinstance(r, int)]))
        return answer
    return callback


def leaf(x):
    if x % 3:
        return x
    return -x


def gen(n):
    for i in range(n):
        yield i


def work(n):
    total = 0
    for i in gen(n):
        total += leaf(i)
    return total


def show(what):
    order = []
    print(what, work(6))
    for tool in sorted(seen):
        order.append((tool, len(seen[tool]), seen[tool][:40]))
    print(order)
    seen.clear()


def begin(tool, name, events, answer=None):
    m.use_tool_id(tool, name)
    total = 0
    for what in events:
        m.register_callback(tool, getattr(E, what), hear(name, what, answer))
        total |= getattr(E, what)
    m.set_events(tool, total)


work(50)
begin(5, "five", ("PY_START", "LINE", "RAISE", "EXCEPTION_HANDLED", "PY_YIELD", "PY_RESUME"))
show("five")
begin(m.COVERAGE_ID, "coverage", ("PY_START", "LINE"), m.DISABLE)
show("and coverage")
show("disabled")
begin(m.PROFILER_ID, "profiler", ("PY_START", "PY_RETURN", "PY_UNWIND"))
show("and a profiler")
print(m._all_events())
m.restart_events()
show("restarted")
begin(3, "three", ("PY_START", "BRANCH" if sys.version_info < (3, 14) else "BRANCH_LEFT", "INSTRUCTION"), m.DISABLE)
m.set_events(5, E.PY_START)
show("three beside")
m.set_local_events(3, leaf.__code__, E.LINE | E.PY_RETURN)
m.register_callback(3, E.LINE, hear("three", "local"))
show("local")
m.set_local_events(3, leaf.__code__, 0)
show("no local")
for tool in (5, 3, m.PROFILER_ID, m.COVERAGE_ID):
    m.set_events(tool, 0)
    m.free_tool_id(tool)
show("none")
print(m._all_events())
begin(m.DEBUGGER_ID, "debugger", ("PY_START", "LINE", "JUMP"))
show("a debugger")
begin(5, "five", ("LINE",))
show("a debugger, and another")
