# identity@3.11 same-run gap=jumped
"""A debugger that sets f_lineno: backwards, out of a loop, over a statement, out of a with, back to where the call begins; then no jump at all."""
import sys

said = []


def target(n):
    said.append(1)
    for i in range(n):
        said.append(2)
        if i == 1:
            said.append(3)
    said.append(4)
    with open("/dev/null"):
        said.append(5)
    said.append(6)
    return n


first = target.__code__.co_firstlineno
jumps = {}


def tracer(frame, event, arg):
    if frame.f_code is not target.__code__:
        return None
    line = frame.f_lineno - first
    if event == "line" and line in jumps:
        frame.f_lineno = first + jumps.pop(line)
        if once:
            sys.settrace(None)
            return None
    return tracer


for once, plan in ((once, plan) for once in (False, True) for plan in ({4: 6}, {8: 1}, {3: 9}, {1: 9}, {5: 5}, {7: 10}, {6: 0}, {10: 0, 2: 0}, {})):
    jumps = dict(plan)
    sys.settrace(tracer)
    try:
        target(3)
    except ValueError as e:
        said.append(str(e))
    sys.settrace(None)
    target(2)
print(said)
