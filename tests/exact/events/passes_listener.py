"""Run a program with a sys.monitoring listener that finds `again` by itself: passes_listener.py OUT PROGRAM, or OUT -m MODULE...
With - for OUT it runs the same without listening.

From LINE and JUMP alone, by the words of doc/FORMAT.md, in another way than the recorder: frames are told by their own objects'
numbers, nothing is switched off, and that LINE fires on a jump's arrival is seen, not computed.

OUT gets one row an event: tid, line, file, first, code, offset of the jump; and at its end the number of jumps back.
"""
import dis
import io
import sys

import listening

M = sys.monitoring
E = M.events
TOOL = next(t for t in (2, 1, 0) if M.get_tool(t) is None)
native = __import__("_thread").get_native_id
told, arriving, rows, jumps, heads = {}, {}, [], [0], {}


def enters_a_loop(code, at):
    """Is the next item of a loop taken there?"""
    if id(code) not in heads:
        units = {i.offset for i in dis.get_instructions(code) if i.opname in ("FOR_ITER", "GET_ANEXT")}
        heads[id(code)] = units, code                       # kept: the address stays its own
    return at in heads[id(code)][0]


def on_start(code, offset):
    frame = id(sys._getframe(1))
    told[frame] = 0
    arriving.pop(frame, None)


def on_line(code, line):
    frame = sys._getframe(1)
    key, at = id(frame), frame.f_lasti
    pending = arriving.pop(key, None)
    if pending is not None and pending[0] == at:            # the pass is told by this LINE: the jump that led here was none
        told[key] = pending[1]
        if pending[2] is not None:
            rows[pending[2]] = None
    told[key] = at if enters_a_loop(code, at) else at + 1


def on_jump(code, source, target):
    if target > source:
        return
    jumps[0] += 1
    key = id(sys._getframe(1))
    before = told.get(key, 0)
    again = before <= target
    arriving[key] = (target, before, len(rows) if again else None)
    if again:
        rows.append((native(), code.co_filename, code.co_firstlineno, code.co_qualname, source // 2))
    else:
        told[key] = target


def listener_begin():
    if out == "-":
        return
    M.use_tool_id(TOOL, "listener")
    wanted = ((E.PY_START, on_start), (E.LINE, on_line), (E.JUMP, on_jump))
    for event, function in wanted:
        M.register_callback(TOOL, event, function)
    M.set_events(TOOL, sum(event for event, _ in wanted))


def listener_end():
    if out != "-":
        M.set_events(TOOL, 0)


def run_modules(names):
    import unittest
    suites = unittest.defaultTestLoader.loadTestsFromNames(names)
    listener_begin()
    unittest.TextTestRunner(stream=io.StringIO()).run(suites)
    listener_end()


out, *what = sys.argv[1:]
if what[0] == "-m":
    run_modules(what[1:])
else:
    sys.argv[:] = what
    listening.run(what[0], listener_begin, listener_end)
if out != "-":
    listening.write(out, filter(None, rows))
    print(jumps[0], file=sys.stderr)
