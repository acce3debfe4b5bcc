"""listener.py for 3.11, which has no sys.monitoring: OUT gets the same rows, by a trace function in Python that asks for every
instruction of every frame, and works out from these what is handled and what is raised again.

It knows code through `dis` alone. The type of what RERAISE raises is that of the last exception handled in its frame; but
before 3.11.4 what `except*` lets out is a group, also around a single exception that a handler raised.
"""
import dis
import sys
import threading

import listening

rows = []
NAMES = dis.opname
GENERATOR = 0x20 | 0x80                                 # CO_GENERATOR, CO_COROUTINE
state = threading.local()                               # .left: (the frame that was returned to from a generator), or None
WRAPS = sys.version_info < (3, 11, 4)
going, handled = {}, {}                                 # id of a frame -> type on its way; types being handled, and popped


def put(event, code, line, kind, native=__import__("_thread").get_native_id):
    rows.append((native(), event, code.co_filename, code.co_firstlineno, code.co_qualname, line, listening.name_of(kind)))


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
        put("handled", frame.f_code, listening.line_ahead(frame.f_code, frame.f_lasti), kind)
        handled.setdefault(id(frame), []).append([kind, False])


def let_out(kind, code, offset):
    """The type with which `kind` leaves by the RERAISE there."""
    before = [NAMES[code.co_code[at]] for at in range(max(0, offset - 20), offset, 2)]
    if not WRAPS or "PREP_RERAISE_STAR" not in before or issubclass(kind, BaseExceptionGroup):
        return kind
    return ExceptionGroup if issubclass(kind, Exception) else BaseExceptionGroup


def on_instruction(frame):
    code, offset, own = frame.f_code, frame.f_lasti, handled.get(id(frame))
    opcode = NAMES[code.co_code[offset]]
    again = None
    if opcode == "RERAISE":
        again = let_out(own.pop()[0], code, offset)
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
        put("reraise", code, listening.line_of(code, offset), again)
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
listening.run(program, listener_begin, listener_end)
listening.write(out, rows)
