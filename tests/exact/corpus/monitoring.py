# same-run min=3.12
"""Other sys.monitoring tools: that restart events, disable, raise in their callbacks, set local events, free their id and take it again."""
import sys

M = sys.monitoring
E = M.events
ID = M.COVERAGE_ID
seen = []


def inner(n):
    for i in range(n):
        if i & 1:
            yield i


def work(n=5):
    total = 0
    for x in inner(n):
        total += x
    try:
        if total:
            raise ValueError(total)
    except ValueError:
        total = 0
    while total < 3:
        total += 1
    return [q for q in range(total)]


class Stop(Exception):
    pass


def raiser(at):
    count = 0

    def callback(*args):
        nonlocal count
        count += 1
        if count == at:
            raise Stop(at)
    return callback


M.use_tool_id(ID, "cover")
everything = [name for name in vars(E) if name.isupper() and name not in ("NO_EVENTS", "C_RETURN", "C_RAISE")]
for name in everything:
    event = getattr(E, name)
    M.register_callback(ID, event, lambda *a: seen.append(1))
    M.set_events(ID, event)
    work()
    M.restart_events()
    work()
    M.set_events(ID, 0)
    for at in (1, 2, 5):
        M.register_callback(ID, event, raiser(at))
        try:
            M.set_events(ID, event)
            work()
        except Stop:
            seen.append(at)
        finally:
            M.set_events(ID, 0)
    M.register_callback(ID, event, None)
for name in ("LINE", "PY_START", "PY_RETURN", "JUMP", "INSTRUCTION"):
    event = getattr(E, name)
    M.register_callback(ID, event, lambda *a: M.DISABLE)
    M.set_local_events(ID, work.__code__, event)
    M.set_local_events(ID, inner.__code__, event)
    for i in range(4):
        work()
        if i == 2:
            M.restart_events()
    M.set_local_events(ID, work.__code__, 0)
    M.set_events(ID, event)
    work()
    M.set_events(ID, 0)
def low(n):
    if n < 2:
        return n
    return n - 1


for at in range(1, 6):                  # a call that its first witness tells, which another tool ends before that
    low(at)
    M.register_callback(ID, E.PY_START, raiser(at))
    try:
        M.set_events(ID, E.PY_START)
        low(1)
        low(2)
        M.restart_events()
        low(3)
        work()
    except Stop:
        seen.append(at)
    finally:
        M.set_events(ID, 0)
    low(at)
def deeper(n):
    if n:
        return deeper(n - 1)
    return 0


for at in range(1, 9):                  # each time where no frame has been before
    M.register_callback(ID, E.PY_START, raiser(at))
    try:
        M.set_events(ID, E.PY_START)
        deeper(6)
    except Stop:
        seen.append(at)
    finally:
        M.set_events(ID, 0)
for i in range(300):
    M.register_callback(ID, E.LINE, lambda *a: M.DISABLE)
    M.set_events(ID, E.LINE)
    work(i % 4)
    M.restart_events()
    work(2)
    M.set_events(ID, 0)
    M.free_tool_id(ID)
    M.use_tool_id(ID, "again")
for i in range(6):                      # the ids that are left: all of them, and back
    if M.get_tool(i) is None:
        M.use_tool_id(i, "taken")
        M.set_events(i, E.LINE | E.PY_START)
        work()
        M.set_events(i, 0)
        M.free_tool_id(i)
print(len(seen) > 50, work())
