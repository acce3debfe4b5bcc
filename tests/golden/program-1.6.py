"""What format 1.6 added: frames of a trace function, which run unrecorded, and what they call that is heard; a block is cut meanwhile, by its
age. And a frame that is moved to where its call begins."""
import sys
import time


def heard(n):
    total = 0
    for i in range(n):
        total += i
    time.sleep(0.4)
    return total


def ask(n):
    got = sys.call_tracing(heard, (n,))
    return got + sys.call_tracing(heard, (n + 1,))


def tracer(frame, event, arg):
    if frame.f_code is not work.__code__:
        return None
    line = frame.f_lineno - work.__code__.co_firstlineno
    if event == "line" and line in plan:
        step = plan.pop(line)
        if step == "call":
            ask(2)
        elif step == "raise":
            ask(1)
            raise KeyError(line)
        else:
            frame.f_lineno = work.__code__.co_firstlineno
    return tracer


def work(n):
    total = n
    for _ in range(2):
        total += 1
    total += heard(0)
    return total


for plan in ({1: "call"}, {4: "raise"}, {4: "again"}):
    sys.settrace(tracer)
    try:
        work(1)
    except KeyError:
        pass
    sys.settrace(None)
