#!/usr/bin/env python3
"""What the interpreter takes to tell a tool that a branch went one way, from 3.14 on: by LINE, by
INSTRUCTION at one unit, or by BRANCH_RIGHT of one branch.

    python3.14 branches.py FLOOR    FLOOR: the directory of the floor module, build/floor/lib314

Nanoseconds a pass of a loop, less those of the same loop unheard, the least of 300 turns; once
where the event fires in each pass, and once where the other side runs and all is disabled. The
callback does nothing.
"""
import dis
import sys
import time

PASSES, TURNS, TOOL = 20000, 300, 3
SOURCE = """
def f(n, flag):
    for i in range(n):
        if flag:
            pass
        else:
            x = i
    return n
"""
IF, ELSE = 4, 7  # lines of it


def fresh():
    names = {}
    exec(compile(SOURCE, "branches", "exec"), names)
    return names["f"]


def units_of(line):
    return [i.offset for i in dis.get_instructions(fresh()) if i.positions.lineno == line]


def heard_by(events, wanted):
    """The function, in which a callback that does nothing is called where `wanted` says, and
    nowhere else. wanted: the event's arguments after the code -> bool."""
    monitoring = sys.monitoring
    function = fresh()

    def decide(code, *where):
        return None if wanted(*where) else monitoring.DISABLE

    for event in events:
        monitoring.register_callback(TOOL, event, decide)
    monitoring.set_local_events(TOOL, function.__code__, sum(events))
    for flag in (False, True, False):
        function(5, flag)
    for event in events:
        monitoring.register_callback(TOOL, event, floor.callback("noop", 0))
    return function


def seconds(function, flag):
    begin = time.process_time()
    function(PASSES, flag)
    return time.process_time() - begin


def main():
    events = sys.monitoring.events
    sys.monitoring.use_tool_id(TOOL, "branches")
    branch, target = units_of(IF), min(units_of(ELSE))
    functions = {
        "unheard": fresh(),
        "LINE": heard_by([events.LINE], lambda line: line == ELSE),
        "INSTRUCTION": heard_by([events.INSTRUCTION], lambda offset: offset == target),
        "BRANCH_RIGHT": heard_by([events.BRANCH_LEFT, events.BRANCH_RIGHT],
                                 lambda source, to: source in branch and to >= target),
    }
    for flag, words in ((False, "fires"), (True, "is disabled")):
        least = dict.fromkeys(functions, float("inf"))
        for _ in range(TURNS):
            for name, function in functions.items():
                least[name] = min(least[name], seconds(function, flag))
        for name in list(functions)[1:]:
            print(f"{name:12} {words:12} {(least[name] - least['unheard']) / PASSES * 1e9:5.1f} ns")


if __name__ == "__main__":
    if sys.version_info < (3, 14) or len(sys.argv) != 2:
        sys.exit("branches.py: it needs Python 3.14 or later, and the directory of floor.so")
    sys.path.insert(0, sys.argv[1])
    import floor
    main()
