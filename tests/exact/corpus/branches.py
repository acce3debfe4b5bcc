# two-runs min=3.12
"""Another tool that listens to jumps and branches, to each one or to the first at each place, hears what it would hear alone."""
import sys

M, TOOL = sys.monitoring, 1
NAMES = [n for n in ("JUMP", "BRANCH_LEFT", "BRANCH_RIGHT") if hasattr(M.events, n)] + ["BRANCH"] * (not hasattr(M.events, "BRANCH_LEFT"))
heard = []


def work(n):
    while n: n -= 1
    a = [x for x in range(5) if x & 1]
    for x in a:
        if x > 1:
            continue
        n += sum(y for y in a)
    while True:
        n += 1
        if n > 9: return n


def listen(once):
    def listener(name):
        def on_event(code, *offsets):
            if code.co_filename == __file__:
                heard.append((name, code.co_name, offsets))
            return M.DISABLE if once else None
        return on_event
    for name in NAMES:
        M.register_callback(TOOL, getattr(M.events, name), listener(name))


M.use_tool_id(TOOL, "branches")
for once in False, True:
    listen(once)
    M.set_events(TOOL, sum(getattr(M.events, name) for name in NAMES))
    work(3), work(4)
    M.restart_events()
    work(5)
    M.set_events(TOOL, 0)
    print(once, len(heard), heard)
