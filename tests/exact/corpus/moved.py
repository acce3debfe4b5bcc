# same-run min=3.12 gap=jumped
"""A debugger by sys.monitoring that sets f_lineno: over lines that no event tells, backwards, out of a loop, to the call's beginning, and where it must
not; and that calls what is heard."""
import sys

M = sys.monitoring
E = M.events
ID = M.DEBUGGER_ID
said = []


def target(n):
    said.append(1)
    said.append(2)
    said.append(3)
    for i in range(n):
        said.append(5)
        said.append(6)
    said.append(7)
    with open("/dev/null"):
        said.append(9)
    said.append(10)
    return n


def straight():
    a = 1
    b = 2
    c = 3
    return a + b + c


def inner(n):
    for i in range(n):
        if i & 1:
            yield i


def on_line(code, line):
    function = target if code is target.__code__ else straight
    place = line - function.__code__.co_firstlineno
    if code is not function.__code__ or place not in plan:
        return
    to = plan.pop(place)
    if to == "call":
        said.append(sys.call_tracing(sum, (inner(5),)))
        return
    if to == "raise":
        sys.call_tracing(sum, (inner(4),))
        raise KeyError(place)
    try:
        sys._getframe(1).f_lineno = function.__code__.co_firstlineno + to
    except ValueError as e:
        said.append(str(e))


M.use_tool_id(ID, "debugger")
M.register_callback(ID, E.LINE, on_line)
for plan in ({}, {2: 10}, {6: 2}, {3: "call", 7: "call"}, {6: 10}, {10: 1}, {2: 9}, {7: 0}, {10: "raise"}, {3: 1, 10: 3}, {}):
    for everywhere in (False, True):
        before = plan
        for function in (target, straight):
            if everywhere:
                M.set_events(ID, E.LINE)
            else:
                M.set_local_events(ID, function.__code__, E.LINE)
            plan = dict(before)
            try:
                function(3) if function is target else function()
            except KeyError as e:
                said.append(str(e))
            M.set_events(ID, 0)
            M.set_local_events(ID, function.__code__, 0)
        plan = before
        target(2)
        straight()
print(said)
