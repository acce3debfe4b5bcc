# identity@3.11 same-run
"""Programs that use sys.settrace and sys.setprofile themselves: local functions, opcodes, functions that raise, in threads."""
import sys
import threading

rows = []


def tracer(frame, event, arg):
    if frame.f_code.co_filename != __file__:
        return None
    rows.append((event, frame.f_lineno - frame.f_code.co_firstlineno))
    return tracer if event != "call" or frame.f_code.co_name != "skipped" else None


def opcodes(frame, event, arg):
    frame.f_trace_opcodes = True
    frame.f_trace_lines = event != "call"
    rows.append(event)
    return opcodes


def raises_late(frame, event, arg):
    if event == "line" and frame.f_code.co_name == "inner" and len(rows) % 5 == 0:
        raise KeyError("from the trace function")
    rows.append(event)
    return raises_late


def profiler(frame, event, arg):
    rows.append(event)


def raising_profiler(frame, event, arg):
    if event == "c_call" and arg is len:
        raise ValueError("from the profile function")


def inner(n):
    for i in range(n):
        if i & 1:
            yield i


def skipped(n):
    return sum(inner(n))


def work():
    total = 0
    try:
        for x in inner(6):
            total += skipped(x)
            len([x])
        with open("/dev/null") as f:
            total += f.fileno() * 0
        {}[1]
    except KeyError:
        total += 1
    finally:
        total += 2
    return [q for q in range(total % 4)]


def under(set_it, function):
    set_it(function)
    try:
        work()
    except (KeyError, ValueError) as e:
        rows.append(str(e))
    finally:
        set_it(None)


for function in (tracer, opcodes, raises_late):
    under(sys.settrace, function)
under(sys.setprofile, profiler)
under(sys.setprofile, raising_profiler)
sys.settrace(tracer)
sys.setprofile(profiler)
work()
sys.settrace(None)
sys.setprofile(None)
work()
threading.settrace(tracer)
threading.setprofile(profiler)
t = threading.Thread(target=work)
t.start()
t.join()
threading.settrace(None)
threading.setprofile(None)
sys._getframe().f_trace = tracer
sys.settrace(tracer)
work()
sys.settrace(None)
print(len(rows) > 100, sorted(set(map(str, rows)))[:4])
