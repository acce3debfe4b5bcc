"""Random programs in which tools of sys.monitoring come and go: generate_tools.text(seed) does the
same in each run, and ends soon.

Up to two tools ask for lines, branches, instructions, jumps and calls, of all code or of one, ask
for others, ask for nothing, and free their id with or without that, at any time: before code is
hot, when it is, and from within it. All that runs must be in the path, and of branches, jumps and
calls they are told what they are told without us.
"""
import random

# A line before this one names the kind of test.
HEADER = '''\
import collections
import sys
m = sys.monitoring
E = m.events
NAMES = {"BRANCH": [n for n in ("BRANCH_LEFT", "BRANCH_RIGHT") if hasattr(E, n)] or ["BRANCH"]}
told = collections.Counter()
LOCAL = {}
def leaf(x): return x + 1
def events_of(kinds):
    return sum(getattr(E, n) for kind in kinds.split() for n in NAMES.get(kind, [kind]))
def hear(tool, kinds):
    for kind in kinds.split():
        for n in NAMES.get(kind, [kind]):
            def heard(code, at, *rest, kind=kind, n=n):
                if code in HOT and kind in ("BRANCH", "JUMP", "CALL"):
                    told[tool, n, code.co_name, at, rest[0] if kind != "CALL" else None] += 1
            m.register_callback(tool, getattr(E, n), heard)
def ask(tool, kinds, function=None):
    """Come, or ask for others; of all code or of a function."""
    if m.get_tool(tool) is None:
        m.use_tool_id(tool, "tool%d" % tool)
    hear(tool, kinds)
    if function:
        LOCAL.setdefault(tool, set()).add(function)
        m.set_local_events(tool, function.__code__, events_of(kinds))
    else:
        m.set_events(tool, events_of(kinds))
def rest(tool):
    """Ask for nothing."""
    if m.get_tool(tool) is not None:
        m.set_events(tool, 0)
        for function in LOCAL.pop(tool, ()):
            m.set_local_events(tool, function.__code__, 0)
def free(tool):
    """3.12 and 3.13 keep what was asked of a code when its tool's id is freed."""
    for function in LOCAL.pop(tool, ()):
        m.set_local_events(tool, function.__code__, 0)
    if m.get_tool(tool) is not None:
        m.free_tool_id(tool)
'''

KINDS = ("LINE", "BRANCH", "INSTRUCTION", "JUMP", "CALL")

# Bodies of loops, and what may be done at one pass of them.
BODIES = ("t += leaf(i)", "t += i if i % 3 else 1", "if i % 7 == 0: t ^= leaf(t)\n        elif i & 1: t += 2\n        else: t -= 1",
          "t += len([x for x in range(4) if x & i])", "t += i and t and 1", "t += sum(items(3))", "n = 3\n        while n: n -= 1",
          "try:\n            t += 1 // (i % 5)\n        except ZeroDivisionError:\n            t += 1", "for x in (1, 2):\n            if x == i: continue\n            t += x")


class Program:
    def __init__(self, seed):
        self.random = random.Random("tools%d" % seed)
        self.names = ["f%d" % i for i in range(3)]

    def act(self):
        tool = self.random.choice((1, 2))
        chance = self.random.random()
        if chance < .2:
            return "rest(%d)" % tool
        if chance < .4:
            return "free(%d)" % tool
        kinds = " ".join(self.random.sample(KINDS, self.random.randint(1, 3)))
        where = self.random.choice(["", "", *(", " + name for name in (*self.names, "items"))])
        return "ask(%d, %r%s)" % (tool, kinds, where)

    def function(self, name):
        bodies = self.random.sample(BODIES, self.random.randint(1, 3))
        return "def %s(n, act=None):\n    t = 0\n    for i in range(n):\n        if act and i == n // 2: act()\n        %s\n    return t\n" % (
            name, "\n        ".join(bodies))

    def text(self):
        lines = ["# two-runs min=3.12", HEADER + "def items(n):", "    for i in range(n):", "        if i & 1: yield i"]
        lines += [self.function(name) for name in self.names]
        lines.append("HOT = {f.__code__ for f in (%s, items, leaf)}" % ", ".join(self.names))
        for _ in range(self.random.randint(6, 14)):
            name = self.random.choice(self.names)
            count = self.random.choice((3, 40, 400, 1500))
            lines.append(self.random.choice((
                "%s(%d)" % (name, count), "%s(%d, lambda: %s)" % (name, count, self.act()), self.act(),
                "%s; %s(%d)" % (self.act(), name, count), "%s(%d, lambda: (%s, %s))" % (name, count, self.act(), self.act()))))
        lines += ["for tool in (1, 2): free(tool)", *("%s(200)" % name for name in self.names)]
        return "\n".join([*lines, "for row, count in sorted(told.items(), key=str): print(*row, count)"]) + "\n"


def text(seed):
    return Program(seed).text()
