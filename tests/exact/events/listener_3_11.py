"""listener.py for 3.11, which has no sys.monitoring: OUT gets the same rows, by a trace function in Python that asks for every
instruction of every frame, and works out from these what is handled and what is raised again.

It knows code through `dis` alone. The type of what RERAISE raises is that of the last exception handled in its frame.
"""
import dis
import sys
import threading

lines, ahead, rows = {}, {}, []
NAMES = dis.opname
GENERATOR = 0x20 | 0x80                                 # CO_GENERATOR, CO_COROUTINE
state = threading.local()                               # .left: (the frame that was returned to from a generator), or None
going, handled = {}, {}                                 # id of a frame -> type on its way; types being handled, and popped


def line_of(code, offset):
    known = lines.get(id(code))
    if known is None:
        table = {at: line or 0 for start, end, line in code.co_lines() for at in range(start, end, 2)}
        known = lines[id(code)] = table, code           # kept: the address stays its own
    return known[0][offset]


def line_ahead(code, offset):
    if (code, offset) not in ahead:
        line = line_of(code, offset)
        for instruction in dis.get_instructions(code):
            if line or instruction.offset < offset:
                continue
            line = line_of(code, instruction.offset)
            if instruction.opname.startswith(("RERAISE", "RETURN", "RAISE", "JUMP")):
                break
        ahead[code, offset] = line
    return ahead[code, offset]


def name_of(kind):
    module = type.__getattribute__(kind, "__module__")
    bare = module in ("builtins", "__main__")
    return kind.__qualname__ if bare else "%s.%s" % (module, kind.__qualname__)


def put(event, code, line, kind, native=__import__("_thread").get_native_id):
    rows.append((native(), event, code.co_filename, code.co_firstlineno, code.co_qualname, line, name_of(kind)))


def on_exception(frame, arg):
    kind, opcode = type(arg[1]), NAMES[frame.f_code.co_code[frame.f_lasti]]
    ends = opcode in ("FOR_ITER", "SEND") and issubclass(kind, StopIteration)
    if ends and opcode == "SEND" and getattr(state, "left", None) == id(frame):
        return
    put("raise", frame.f_code, frame.f_lineno or 0, kind)
    if not ends:
        going[id(frame)] = kind


def on_handler(frame):
    kind = going.pop(id(frame), None)
    if kind:
        put("handled", frame.f_code, line_ahead(frame.f_code, frame.f_lasti), kind)
        handled.setdefault(id(frame), []).append([kind, False])


def on_instruction(frame):
    code, offset, own = frame.f_code, frame.f_lasti, handled.get(id(frame))
    opcode = NAMES[code.co_code[offset]]
    again = None
    if opcode == "RERAISE":
        again = own.pop()[0]
    elif opcode == "END_ASYNC_FOR":
        kind = own.pop()[0]
        again = kind if not issubclass(kind, StopAsyncIteration) else None
    elif opcode == "RAISE_VARARGS" and code.co_code[offset + 1] == 0:
        again = sys.exc_info()[0]
    elif own and own[-1][1]:                            # POP_EXCEPT was the end of it
        own.pop()
    if opcode == "POP_EXCEPT" and own:
        own[-1][1] = True
    if again:
        put("reraise", code, line_of(code, offset), again)
        going[id(frame)] = again


def tell(frame, event, arg):
    if event == "call":
        frame.f_trace_opcodes = True
    elif event == "exception":
        on_exception(frame, arg)
    elif event == "return":
        going.pop(id(frame), None)
        if NAMES[frame.f_code.co_code[frame.f_lasti]] != "YIELD_VALUE" or arg is None and id(frame) not in handled:
            handled.pop(id(frame), None)
    else:
        on_handler(frame)
        if event == "opcode":
            on_instruction(frame)
    left = event == "return" and frame.f_code.co_flags & GENERATOR and NAMES[frame.f_code.co_code[frame.f_lasti]] == "RETURN_VALUE"
    state.left = id(frame.f_back) if left and frame.f_back else None
    return tell


def listener_begin():
    threading.settrace(tell)
    sys.settrace(tell)


def listener_end():
    sys.settrace(None)


out, program = sys.argv[1:3]
sys.argv[:] = [program]
with open(program) as f:
    code = compile(f.read(), program, "exec")
names = {"__name__": "__main__", "__file__": program, "__builtins__": __builtins__}
listener_begin()
try:
    exec(code, names)
except SystemExit:
    pass
listener_end()
with open(out, "w", encoding="utf-8", errors="surrogateescape") as f:
    for row in rows:
        f.write("\t".join(map(str, row)) + "\n")
