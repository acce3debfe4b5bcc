"""Run a program while C callbacks listen that do nothing, or next to nothing: the least that
hearing of its events costs.

    python run.py MODE script.py [args]

MODE is one of:
    none                      nothing is heard
    settrace:noop             a C trace function that does nothing
    mon:CALLBACK:EVENT,...    a tool of sys.monitoring (3.12 and later). Events by their names there; CALLS means all those of calls,
                              returns and yields. CALLBACK is noop (does nothing), ring8 (writes code and place in 8 bytes) or
                              ring16 (the same and the clock in 16)

$FLOOR_OUT is the directory in which build.sh put the extension module, $FLOOR_RING a file for the
records, $FLOOR_RING_MB its size.
"""
import os
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = ("PY_START", "PY_RESUME", "PY_RETURN", "PY_YIELD", "PY_UNWIND", "PY_THROW")
TOOL = 3


def monitor(floor, callback, words):
    monitoring = sys.monitoring
    monitoring.use_tool_id(TOOL, "floor")
    events = 0
    for word in words.split(","):
        for number, name in enumerate(CALLS if word == "CALLS" else (word,)):
            event = getattr(monitoring.events, name)
            events |= event
            monitoring.register_callback(TOOL, event, floor.callback(callback, number))
    monitoring.set_events(TOOL, events)


def listen(mode):
    """Gives the function that ends it."""
    import floor
    kind, callback, *rest = mode.split(":")
    if callback.startswith("ring"):
        floor.open_ring(os.environ.get("FLOOR_RING", ""), int(os.environ.get("FLOOR_RING_MB", "64")) << 20)
    if kind == "settrace":
        floor.settrace(True)
        return lambda: floor.settrace(False)
    monitor(floor, callback, *rest)
    return lambda: sys.monitoring.set_events(TOOL, 0)


def main():
    mode, script = sys.argv[1:3]
    sys.argv[:] = sys.argv[2:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    sys.path.insert(0, os.path.join(os.environ.get("FLOOR_OUT", HERE), "lib%d%d" % sys.version_info[:2]))
    with open(script, encoding="utf-8") as file:
        code = compile(file.read(), os.path.abspath(script), "exec")
    program = types.ModuleType("__main__")
    program.__file__ = os.path.abspath(script)
    sys.modules["__main__"] = program
    end = (lambda: None) if mode == "none" else listen(mode)
    try:
        exec(code, program.__dict__)
    finally:
        end()


main()
