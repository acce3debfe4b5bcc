"""Run a program with a sys.monitoring listener for raises, reraises and handlers: listener.py OUT PROGRAM.

OUT gets one row an event: tid, event, file, first, code, line, type. Where the offset says the place, the line is of the offset
(reraise, handled); for raise it is the frame's own, as the offset is wrong there in some versions.
A handler that opens with an instruction of no line has that of the first one that runs after it.
"""
import sys

import listening

M = sys.monitoring
TOOL = next(t for t in (2, 1, 0) if M.get_tool(t) is None)
rows = []


def put(event, code, line, exception, native=__import__("_thread").get_native_id):
    rows.append((native(), event, code.co_filename, code.co_firstlineno, code.co_qualname, line, listening.name_of(type(exception))))


def on_raise(code, offset, exception):
    put("raise", code, sys._getframe(1).f_lineno or 0, exception)


def on_reraise(code, offset, exception):
    put("reraise", code, listening.line_of(code, offset), exception)


def on_handled(code, offset, exception):
    put("handled", code, listening.line_ahead(code, offset), exception)


def listener_begin():
    M.use_tool_id(TOOL, "listener")
    for event, function in ((M.events.RAISE, on_raise), (M.events.RERAISE, on_reraise), (M.events.EXCEPTION_HANDLED, on_handled)):
        M.register_callback(TOOL, event, function)
    M.set_events(TOOL, M.events.RAISE | M.events.RERAISE | M.events.EXCEPTION_HANDLED)


def listener_end():
    M.set_events(TOOL, 0)


out, program = sys.argv[1:3]
sys.argv[:] = [program]
listening.run(program, listener_begin, listener_end)
listening.write(out, rows)
