"""Run kinds.py with a listener in Python that notes the values of each event: listen.py OUT PROGRAM
LIMITS, which are as --values-limit has them.

OUT gets a JSON array a line: event, code, the values in the words of `pathline dump`, and of an
exception its id, and the types of its cause and context, in those of `dump --json`. On 3.11,
which has no sys.monitoring, the listener is a trace function; what is thrown into a frame is not
known then.
"""
import builtins
import dis
import json
import sys

import show

OPTIMIZED = 1
NAMES = dis.opname
rows, names = [], {}


def put(event, code, values, words=None):
    """words: what stands before each value."""
    if code.co_filename == program:
        texts = show.values(values) if code.co_flags & OPTIMIZED else []
        words = words or [""] * len(texts)
        more = about(values[0]) if event in ("raise", "throw") and texts else None
        rows.append((event, code.co_qualname, ", ".join(w + t for w, t in zip(words, texts)), more))


def about(error):
    causes = {"cause": error.__cause__, "context": error.__context__}
    return {"id": id(error) >> 3, **{word: show.type_name(type(other)) for word, other in causes.items() if other is not None}}


def put_call(frame):
    code = frame.f_code
    if code.co_filename != program or not code.co_flags & OPTIMIZED:
        put("call", code, ())
        return
    plain, by_name, star = code.co_argcount, code.co_kwonlyargcount, code.co_flags >> 2 & 1
    stars = [""] * plain + ["*"] * star + [""] * by_name + ["**"] * (code.co_flags >> 3 & 1)
    own, known = frame.f_locals, code.co_varnames
    end = plain + by_name
    arguments = known[:plain] + known[end:end + star] + known[plain:end] + known[end + star:len(stars)]
    put("call", code, [own.get(name, show.UNBOUND) for name in arguments], [s + name + "=" for s, name in zip(stars, arguments)])


def put_resume(frame):
    put("resume", frame.f_code, [names["sent"].pop(id(frame), None) if "sent" in names else None])


# ---- 3.12 and later ----

def on_event(word, unwrap=False):
    def callback(code, offset, value):
        put(word, code, [show.unwrapped(value) if unwrap else value])
    return callback


def listen_by_monitoring():
    m = sys.monitoring
    tool = next(t for t in (2, 1, 0) if m.get_tool(t) is None)
    callbacks = {
        m.events.PY_START: lambda code, offset: put_call(sys._getframe(1)),
        m.events.PY_RESUME: lambda code, offset: put_resume(sys._getframe(1)),
        m.events.PY_RETURN: on_event("return"),
        m.events.PY_YIELD: on_event("yield", True),
        m.events.PY_THROW: on_event("throw"),
        m.events.RAISE: on_event("raise"),
    }
    m.use_tool_id(tool, "listener")
    for event, function in callbacks.items():
        m.register_callback(tool, event, function)
    m.set_events(tool, sum(callbacks))
    return lambda: m.set_events(tool, 0)


# ---- 3.11 ----

unwinding = set()                                       # ids of frames
GENERATOR = 0x20 | 0x80                                 # CO_GENERATOR, CO_COROUTINE
left = [None]                                           # the frame to which a generator returned last


def on_entry(frame):
    code = frame.f_code
    if opcode_of(frame) != "RESUME":
        put("throw", code, ())
    elif code.co_code[frame.f_lasti + 1] & 3:
        put_resume(frame)
    else:
        put_call(frame)


def on_exception(frame, value):
    ends = isinstance(value, StopIteration) and opcode_of(frame) in ("FOR_ITER", "SEND")
    if ends and opcode_of(frame) == "SEND" and left[0] == id(frame):
        return
    put("raise", frame.f_code, [value])
    if not ends:
        unwinding.add(id(frame))


def on_return(frame, value):
    opcode = opcode_of(frame)
    if id(frame) not in unwinding and opcode in ("RETURN_VALUE", "YIELD_VALUE"):
        put("return" if opcode == "RETURN_VALUE" else "yield", frame.f_code, [show.unwrapped(value)])
    left[0] = id(frame.f_back) if frame.f_code.co_flags & GENERATOR and opcode == "RETURN_VALUE" else None


def opcode_of(frame):
    return NAMES[frame.f_code.co_code[frame.f_lasti]]


def tell(frame, event, arg):
    if event == "call":
        frame.f_trace_opcodes = True
    if event == "exception":
        on_exception(frame, arg[1])
    elif event == "return":
        on_return(frame, arg)
    else:
        unwinding.discard(id(frame))
        if event == "call":
            on_entry(frame)
        left[0] = None
    return tell


def listen_by_trace():
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
