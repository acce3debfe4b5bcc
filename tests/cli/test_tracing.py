"""A trace function, a profile function or a debugger begins somewhere: the path of the program
stays what it is.

Each program runs twice: once with the call that begins the tracing, and once with a call in its
place that begins nothing. The program itself runs the same lines, so the two paths must be the
same, with no gap. What the tracer itself runs is not compared.
"""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]
import session  # noqa: E402
import traced  # noqa: E402

INTERPRETERS = "rotating"

HEAD = '''\
import sys
import io, json, threading
''' + traced.CALLED + "leaf(1); long(1); long(2)\n"
# Where it begins
PLACES = {
    "after imports": "other(1)\nBEGIN\nleaf(2)\nlong(3)\n",
    "one line": "other(1)\nBEGIN; leaf(7)\nother(2)\n",
    "between calls": "other(1); BEGIN; leaf(7); long(2)\n",
    "class": "class Body:\n    a = leaf(1)\n    b = [leaf(i) for i in range(2)]; BEGIN; c = leaf(2)\n"
             "    def method(self): return leaf(self.a)\nBody().method()\n",
    "metaclass": "class Meta(type):\n    def __new__(m, *a, **k):\n        leaf(1); BEGIN; return type.__new__(m, *a)\n"
                 "    def __call__(m, *a): return leaf(super().__call__(*a).a)\nclass Body(metaclass=Meta):\n    a = leaf(2)\n"
                 "    def __init__(self): self.b = leaf(3)\nBody()\n",
    "decorator": "def place(f):\n    BEGIN\n    def wrap(*a):\n        return f(*a)\n    return wrap\n@place\n@place\ndef decorated(x):\n"
                 "    return leaf(x)\ndecorated(1)\n",
    "generator": "def inner():\n    yield leaf(1)\n    leaf(2); BEGIN; yield leaf(3)\n    yield 4\ndef outer():\n    yield from inner()\n"
                 "    return leaf(5)\nx = [leaf(i) for i in outer()]\n",
    "generator that is closed": "def inner():\n    try:\n        yield leaf(1)\n    finally:\n        BEGIN; leaf(2)\n"
                                "g = inner(); next(g); g.close(); leaf(3)\n",
    "coroutine": "class Pause:\n    def __await__(self): yield\nclass Held:\n    async def __aenter__(self): await Pause()\n"
                 "    async def __aexit__(self, *e): leaf(9)\nasync def place(n):\n    await Pause()\n    leaf(1); BEGIN; other(2)\n"
                 "    await Pause()\n    return leaf(n)\nasync def above():\n    async with Held():\n        return await place(1)\n"
                 "c = above()\ntry:\n    while 1: c.send(None)\nexcept StopIteration: leaf(3)\n",
    "asynchronous generator": "async def items():\n    for i in range(3):\n        if i == 1: BEGIN\n        yield leaf(i)\n"
                              "async def above():\n    return [i async for i in items()]\ntry: above().send(None)\nexcept StopIteration: leaf(3)\n",
    "handler": "def place():\n    try:\n        leaf({}[1])\n    except KeyError:\n        leaf(1); BEGIN; leaf(2)\n    finally:\n"
               "        leaf(5)\n        long(1)\nplace()\n",
    "handler that raises": "def fails():\n    try:\n        leaf({}[1])\n    except KeyError:\n        BEGIN; raise ValueError(1)\n"
                           "def above():\n    try:\n        fails()\n    except ValueError:\n        leaf(1)\nabove()\n",
    "with": "class Held:\n    def __enter__(self):\n        leaf(3)\n    def __exit__(self, *error):\n        BEGIN\n        return True\n"
            "with Held(): leaf({}[1]); other(3)\nleaf(2)\n",
    "comprehension": "def f(): return {i: [leaf(j) if (i, j) != (1, 1) else BEGIN for j in range(3)] for i in range(3)}\nf()\nleaf(1)\n",
    "lambda": "f = lambda i: [leaf(i), BEGIN, leaf(2)]; f(1); other(1)\n",
    "by C": "def place(n):\n    leaf(1); BEGIN\n    return n\nsorted([3, 2], key=place)\nx = list(map(place, (1, 2)))\nleaf(1)\n",
    "attribute": "class Any:\n    def __getattr__(self, n):\n        BEGIN\n        return leaf(1)\n    def __eq__(self, o): return leaf(2)\n"
                 "a = Any(); a.x == a.y; (a.z, a == 1)\n",
    "finaliser": "class Dies:\n    def __del__(self):\n        leaf(1); BEGIN; leaf(2)\ndef f():\n    d = Dies()\n    leaf(3)\nf()\nleaf(4)\n",
    "thread": "def place():\n    leaf(1); BEGIN; other(2)\n    long(1)\nt = threading.Thread(target=place); t.start(); t.join()\nleaf(3)\n",
    "recursion": "def f(n):\n    if n: return f(n - 1) + f(n - 1)\n    leaf(1)\n    BEGIN; return other(1)\nf(2)\nf(1)\n",
    "hot loop": "def f(n):\n    s = 0\n    for i in range(n):\n        s += leaf(i) if i % 3 else 1\n        if i == n - 5: BEGIN\n"
                "        if i % 7 == 0: s = other(i)\n    return s\nf(300)\nf(9)\n",
    "match": "def f(x):\n    match x:\n        case [a, b] if leaf(a): BEGIN; return leaf(b)\n        case {'k': v}: return other(v)\n"
             "        case _: return 3\nf([1, 2]); f({'k': 1}); f(5)\n",
    "one statement on several lines": "x = (leaf(1),\n     other(2),\n     BEGIN,\n     leaf(3),\n     other(4))\nleaf(\n  BEGIN or 2\n)\n",
    "signal": "import signal\ndef on(*a):\n    leaf(1); BEGIN; other(2)\nsignal.signal(signal.SIGUSR1, on)\ndef f():\n    leaf(3)\n"
              "    signal.raise_signal(signal.SIGUSR1)\n    return leaf(4)\nf()\nleaf(5)\n",
    "atexit": "import atexit\ndef f():\n    leaf(1); BEGIN; other(2)\natexit.register(f)\natexit.register(leaf, 3)\n",
    "excepthook": "def hook(*a):\n    leaf(1); BEGIN; other(2)\nsys.excepthook = hook\ndef f():\n    {}[1]\nf()\n",
    "finally": "def f():\n    try:\n        return leaf(1)\n    finally:\n        BEGIN; leaf(2)\nf()\ndef g():\n    for i in range(3):\n"
               "        try:\n            if i == 1: break\n        finally:\n            BEGIN\ng()\n",
}
TRACERS = traced.TRACERS + '''\
def tr_opcodes(frame, event, arg):
    frame.f_trace_lines, frame.f_trace_opcodes = False, True
    return tr_opcodes
'''
DEBUGGERS = '''\
import bdb, pdb
class tr_debugger(bdb.Bdb):
    lines = 0
    def user_line(self, frame):
        self.lines += 1
        if self.lines > 6:
            self.set_continue()
        elif self.lines % 2:
            self.set_next(frame)
def tr_pdb(commands):
    text = "".join(word.replace(".", " ") + chr(10) for word in commands.split())
    pdb.Pdb(stdin=io.StringIO(text), stdout=io.StringIO(), nosigint=True, readrc=False).set_trace(sys._getframe(1))
'''
# (what is in front, what begins it, the lowest version)
WAYS = {
    "local": (TRACERS, "sys.settrace(tr_local)", 11),
    "calls only": (TRACERS, "sys.settrace(tr_none)", 11),
    "opcodes": (TRACERS, "sys.settrace(tr_opcodes)", 11),
    "frames": (TRACERS, "tr_frames(tr_local)", 11),
    "and ends": (TRACERS, "(sys.settrace(tr_local), sys.settrace(None))[1]", 11),
    "profile": (TRACERS, "sys.setprofile(tr_none)", 11),
    "all threads": (TRACERS, "threading.settrace_all_threads(tr_local)", 12),
    "profile of all threads": (TRACERS, "threading.setprofile_all_threads(tr_none)", 12),
    "bdb": (DEBUGGERS, "tr_debugger().set_trace()", 11),
    "pdb": (DEBUGGERS, "tr_pdb('s s s s s r c')", 11),
}
EVENTS = ("call", "line", "return", "yield", "resume", "throw", "unwind", "gap")


class Tracing(unittest.TestCase):
    def setUp(self):
        self.minor = int(subprocess.check_output([session.PYTHON, "-c", "import sys; print(sys.version_info[1])"]))

    def path(self, text):
        """Rows (event, code, line) of the program, but for those of the tracer; gaps of any
        file."""
        folder = session.scratch()
        script, directory = os.path.join(folder, "program.py"), os.path.join(folder, "r")
        with open(script, "w", encoding="utf-8") as f:
            f.write(text)
        done = session.pathline("record", "-q", "-o", directory, "--python", session.PYTHON, script)
        checked = session.pathline("check", directory)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        rows = session.rows("--fields", "event,code,line,file", "--events", ",".join(EVENTS), directory)
        return done.returncode, done.stderr, [
            tuple(row[:3]) for row in rows if row[0] == "gap" or (row[3] == script and not row[1].startswith("tr_"))]

    def agree(self, place, way):
        front, begin, _ = WAYS[way]
        program = HEAD + front + PLACES[place]
        with self.subTest(place=place, way=way):
            self.assertEqual(self.path(program.replace("BEGIN", begin)), self.path(program.replace("BEGIN", "sys.gettrace()")))

    def test_places(self):
        for place in PLACES:
            self.agree(place, "local")

    def test_ways(self):
        for way, (_, _, minor) in WAYS.items():
            if minor <= self.minor:
                for place in ("after imports", "between calls", "generator", "class"):
                    self.agree(place, way)


if __name__ == "__main__":
    unittest.main()
