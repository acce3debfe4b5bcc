# two-runs min=3.12
"""Tools ask for branches of code that is hot, of all code or of one, also from within it. They are
told of each branch with its source, also of ways that were not gone before."""
import sys

m = sys.monitoring
E = m.events
KINDS = [getattr(E, name) for name in ("BRANCH_LEFT", "BRANCH_RIGHT") if hasattr(E, name)] or [E.BRANCH]
TOOL = 2
told = []
side = 0


def ways(n, act=None):
    """Which ones are gone depends on `side`."""
    total = 0
    for i in range(n):
        if act and i == n // 2:
            act()
        if side > 0:
            total += 1
        if side > 1:
            total += 2
        if side < 2:
            total += 3
        while side > 2 + i:
            total += 4
            break
        total += side > 2 and i
        for _ in range(side):
            total += 5
        n = n if i else n
    return total


def values(n):
    for i in range(n):
        if i & 1 or side:
            yield i


def one_line(n):
    while n: n -= 1                                     # noqa: E701
    return [x for x in range(9) if x & 1 or side]


def run(n, act=None):
    ways(n, act)
    return sum(values(n)) + len(one_line(n))


def ask_all():
    m.set_events(TOOL, sum(KINDS))


def ask_one():
    m.set_local_events(TOOL, ways.__code__, sum(KINDS))


for _ in range(40):
    run(100)
m.use_tool_id(TOOL, "branches")
for kind in KINDS:
    m.register_callback(TOOL, kind, lambda code, at, to, kind=kind: told.append((code.co_name, kind, at, to)))
ways(10, ask_one)
side = 1
run(3)
ask_all()
side = 2
run(4)
m.set_events(TOOL, 0)
m.set_local_events(TOOL, ways.__code__, 0)
for _ in range(20):
    run(100)
side = 3
run(5, ask_all)
m.set_events(TOOL, 0)
m.free_tool_id(TOOL)
run(50)
for row in told:
    print(*row)
