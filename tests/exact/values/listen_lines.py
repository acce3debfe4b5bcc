"""Run a program with a listener in Python that notes the variables of the frame at each event:
listen_lines.py OUT PROGRAM LIMITS, as listen.py.

OUT gets a JSON array a line: event, code, unit of a jump, frame, the variables, as [name, id of the
object, its text], and the names that Python does not show (of comprehensions in a module or a class
body). A frame is named by a number that no other one has. Of a call the variables are its
arguments.
"""
import builtins
import json
import sys

import show

OPTIMIZED = 1
PYTHONS_OWN = {"__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__", "__builtins__", "__cached__",
               "__classcell__", "__classdict__", "__classdictcell__", "__conditional_annotations__", "__doc__", "__file__",
               "__firstlineno__", "__loader__", "__module__", "__name__", "__package__", "__qualname__", "__spec__",
               "__static_attributes__"}
SECRETS = {"password", "token"}
rows, names = [], {}
frames, last_frame = {}, [0]                            # id of a living frame -> its number


def number_of(frame, begins):
    if begins or id(frame) not in frames:
        last_frame[0] += 1
        frames[id(frame)] = last_frame[0]
    return frames[id(frame)]


def arguments(code):
    plain = code.co_argcount + code.co_kwonlyargcount
    return code.co_varnames[:plain + (code.co_flags >> 2 & 1) + (code.co_flags >> 3 & 1)] if code.co_flags & OPTIMIZED else ()


def own_names(frame):
    """None: 3.13 shows of a class body the variables of a comprehension alone, while one runs."""
    if frame.f_code.co_name == "<module>":
        return frame.f_globals
    return frame.f_locals if frame.f_code.co_flags & OPTIMIZED or type(frame.f_locals) is dict else None


def variables(frame, begins):
    found, own = [], own_names(frame)
    for name, value in dict(own).items() if own is not None else ():
        if name in PYTHONS_OWN or name[0] == "." or begins and name not in arguments(frame.f_code):
            continue
        text = "<redacted>" if name in SECRETS else show.values([value])[0]
        found.append((name, id(value), text))
    return found if own is not None else None


def put(event, frame, unit=None):
    code = frame.f_code
    if code.co_filename == program:
        begins = event == "call"
        hidden = () if code.co_flags & OPTIMIZED else code.co_varnames
        rows.append((event, code.co_qualname, unit, number_of(frame, begins), variables(frame, begins), hidden))


# ---- 3.12 and later ----

def on_event(word):
    return lambda code, *rest: put(word, sys._getframe(1)) if code.co_filename == program else None


def on_jump(code, offset, target):
    if code.co_filename == program:
        put("jump", sys._getframe(1), offset // 2)


def listen_by_monitoring():
    m = sys.monitoring
    tool = next(t for t in (2, 1, 0) if m.get_tool(t) is None)
    words = {"PY_START": "call", "LINE": "line", "PY_RETURN": "return", "PY_YIELD": "yield", "RAISE": "raise", "RERAISE": "reraise",
             "EXCEPTION_HANDLED": "handled", "PY_UNWIND": "unwind", "PY_RESUME": "resume", "PY_THROW": "throw"}
    callbacks = {getattr(m.events, name): on_event(word) for name, word in words.items()}
    callbacks[m.events.JUMP] = on_jump
    m.use_tool_id(tool, "listener")
    for event, function in callbacks.items():
        m.register_callback(tool, event, function)
    m.set_events(tool, sum(callbacks))
    return lambda: m.set_events(tool, 0)


# ---- 3.11: what comes by a trace function ----

unwinding = set()                                       # ids of frames


def tell(frame, event, arg):
    if frame.f_code.co_filename != program:
        return None
    code = frame.f_code
    if event == "exception":
        put("raise", frame)
        unwinding.add(id(frame))
    elif event == "return":
        opcode = code.co_code[frame.f_lasti]
        leaves = id(frame) not in unwinding and opcode in RETURNS
        put("yield" if leaves and opcode == RETURNS[1] else "return" if leaves else "unwind", frame)
    else:
        unwinding.discard(id(frame))
        thrown = event == "call" and code.co_code[frame.f_lasti] != RESUME
        resumes = event == "call" and code.co_code[frame.f_lasti + 1] & 3
        put("throw" if thrown else "resume" if resumes else event, frame)
    return tell


def listen_by_trace():
    global RETURNS, RESUME
    import dis
    RETURNS = dis.opmap["RETURN_VALUE"], dis.opmap["YIELD_VALUE"]
    RESUME = dis.opmap["RESUME"]
    sys.settrace(tell)
    return lambda: sys.settrace(None)


def main(out):
    with open(program) as f:
        code = compile(f.read(), program, "exec")
    names.update(__name__="__main__", __file__=program, __builtins__=builtins)
    end = listen_by_monitoring() if sys.version_info >= (3, 12) else listen_by_trace()
    exec(code, names)
    end()
    with open(out, "w") as f:
        f.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    out, program, limits = sys.argv[1:4]
    sys.argv[:] = [program]
    show.set_limits(limits)
    main(out)
