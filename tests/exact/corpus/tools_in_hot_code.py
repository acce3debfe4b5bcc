# two-runs min=3.12
"""Tools that ask for lines, jumps, calls and instructions, of all code or of one, come and go while
code is hot, also from within it. Of jumps and calls they are told what they are told without us.
branches_in_hot_code.py has branches."""
import collections
import random
import sys

m = sys.monitoring
E = m.events
choose = random.Random(38)
told = collections.Counter()
KINDS = ["LINE", "JUMP", "CALL"]
SHOWN = {"JUMP", "CALL"}


def callback(kind):
    def hear(code, at, *rest):
        if kind in SHOWN and code.co_name in HOT:
            told[kind, code.co_name, at, rest[0] if kind not in ("CALL", "LINE") else None] += 1
    return hear


def branches(n):
    total = 0
    for i in range(n):
        if i % 3:
            total += i
        elif i % 5:
            total -= 1
        else:
            total ^= i
    return total


def one_line(n):
    while n: n -= 1                                     # noqa: E701
    return [x for x in range(9) if x & 1]


def values(n):
    for i in range(n):
        if i & 1:
            yield i


def consumes(n):
    return sum(values(n)) + len(one_line(n))


def catches(n):
    for i in range(n):
        try:
            if i % 4 == 3:
                raise ValueError(i)
        except ValueError as e:
            n = e.args[0]
    return n


def asks(n, act):
    for i in range(n):
        if i == n // 2:
            act()
        total = branches(3)
        if i & 1:
            total += one_line(2)[0]
    return total


HOT = {"branches", "one_line", "values", "consumes", "catches", "asks"}
FUNCTIONS = [branches, one_line, consumes, catches]
taken = {}


def come():
    free = [i for i in (1, 2) if i not in taken]
    if not free:
        return go()
    tool = choose.choice(free)
    m.use_tool_id(tool, "tool%d" % tool)
    kinds = choose.sample(KINDS, choose.randint(1, 3))
    for kind in kinds:
        m.register_callback(tool, getattr(E, kind), callback(kind))
    events = 0
    for kind in kinds:
        events |= getattr(E, kind)
    if choose.random() < 0.5:
        m.set_events(tool, events)
        taken[tool] = None
    else:
        taken[tool] = choose.choice([branches, one_line, values, catches, asks]).__code__
        m.set_local_events(tool, taken[tool], events)


def go():
    if not taken:
        return
    tool, code = taken.popitem()
    if code:
        m.set_local_events(tool, code, 0)
    m.set_events(tool, 0)
    for kind in KINDS:
        m.register_callback(tool, getattr(E, kind), None)
    m.free_tool_id(tool)


def main():
    for turn in range(60):
        if turn == 30:
            KINDS.append("INSTRUCTION")
        for f in choose.sample(FUNCTIONS, 3):
            f(choose.choice((7, 40, 150)))
        choose.choice((come, come, go))()
        act = choose.choice((come, go))
        asks(30, act)
        if turn % 20 == 19:
            while taken:
                go()
            for f in FUNCTIONS:
                f(200)


main()
for row, count in sorted(told.items(), key=str):
    print(*row, count)
