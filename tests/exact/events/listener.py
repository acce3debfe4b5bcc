"""Run a program with a sys.monitoring listener for raises, reraises and handlers: listener.py OUT PROGRAM.

OUT gets one row an event: tid, event, file, first, code, line, type. Where the offset says the place, the line is of the offset
(reraise, handled); for raise it is the frame's own, as the offset is wrong there in some versions.
A handler that opens with an instruction of no line has that of the first one that runs behind it.
"""
import dis
import sys

M = sys.monitoring
TOOL = next(t for t in (2, 1, 0) if M.get_tool(t) is None)
lines, ahead, rows = {}, {}, []


def line_of(code, offset):
    known = lines.get(id(code))
    if known is None:
        table = {at: line or 0 for start, end, line in code.co_lines() for at in range(start, end, 2)}
        known = lines[id(code)] = table, code           # kept: the address stays its own
    return known[0][offset]


def line_ahead(code, offset):
    """That of the first instruction with a line, before the code is left or jumps."""
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


def name_of(exception):
    kind = type(exception)
    module = type.__getattribute__(kind, "__module__")
    bare = module in ("builtins", "__main__")
    return kind.__qualname__ if bare else "%s.%s" % (module, kind.__qualname__)


def put(event, code, line, exception, native=__import__("_thread").get_native_id):
    rows.append((native(), event, code.co_filename, code.co_firstlineno, code.co_qualname, line, name_of(exception)))


def on_raise(code, offset, exception):
    put("raise", code, sys._getframe(1).f_lineno or 0, exception)


def on_reraise(code, offset, exception):
    put("reraise", code, line_of(code, offset), exception)


def on_handled(code, offset, exception):
    put("handled", code, line_ahead(code, offset), exception)


def listener_begin():
    M.use_tool_id(TOOL, "listener")
    for event, function in ((M.events.RAISE, on_raise), (M.events.RERAISE, on_reraise), (M.events.EXCEPTION_HANDLED, on_handled)):
        M.register_callback(TOOL, event, function)
    M.set_events(TOOL, M.events.RAISE | M.events.RERAISE | M.events.EXCEPTION_HANDLED)


def listener_end():
    M.set_events(TOOL, 0)


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
