"""A tool of the program's own hears of lines, jumps and calls, of all code and of one function,
with DISABLE and without: heard.py [EVENT…] prints how often each of its callbacks was called,
before and after the code is hot.

EVENT: a second tool has these events enabled, and does nothing with them.
"""
import collections
import json
import sys

M = sys.monitoring
E = M.events
TOOL, SECOND = 2, 3
heard = collections.Counter()


def on_one_line(): return (lambda: 1)()
def twice(): return on_one_line() + on_one_line()


def on_some(n=1):
    made = (lambda: n)()
    return [on_one_line() for _ in range(3)], sum(x for x in range(made + 2)), sorted([3, 1, 2], key=lambda x: -x)


def generates():
    got = yield (lambda: 1)()
    while got: got -= 1
    yield from (x for x in range(3) if x & 1)


def raises():
    try:
        (lambda: 1 // 0)()
    except ZeroDivisionError:
        pass


class Item:
    def __init__(self): self.price = 1
    @property
    def cost(self): return self.price


def work():
    for _ in range(3):
        on_one_line(); twice(); on_some(); list(generates()); raises(); Item().cost


def listen(name, local, disable):
    key = "%s%s%s" % (name, " of one" if local else "", ", disabled" if disable else "")

    def callback(code, *rest):
        heard[key] += 1
        return M.DISABLE if disable else None

    event = getattr(E, name)
    M.use_tool_id(TOOL, "heard")
    M.register_callback(TOOL, event, callback)
    if local:
        M.set_local_events(TOOL, on_some.__code__, event)
    else:
        M.set_events(TOOL, event)
    work()
    work()
    if local:
        M.set_local_events(TOOL, on_some.__code__, 0)
    M.set_events(TOOL, 0)
    M.free_tool_id(TOOL)


if sys.argv[1:]:
    M.use_tool_id(SECOND, "second")
    for name in sys.argv[1:]:
        M.register_callback(SECOND, getattr(E, name), lambda *rest: None)
    M.set_events(SECOND, sum(getattr(E, name) for name in sys.argv[1:]))
for warm in 0, 700:
    for _ in range(warm):
        work()
    for name in "LINE", "JUMP", "CALL", "PY_START", "PY_RETURN", "PY_YIELD", "PY_RESUME", "RAISE":
        for local in (False, True)[:1 + (name != "RAISE")]:
            for disable in (False, True)[:1 + (name != "RAISE")]:
                listen(name, local, disable)
    # what is enabled anew was disabled by the calls before
    M.restart_events()
print(json.dumps(sorted(heard.items())))
