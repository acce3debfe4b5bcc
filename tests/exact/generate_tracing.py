"""Random programs in which tracing begins: generate_tracing.text(seed) does the same in each run,
and ends soon.

A trace function, a debugger or a tool of sys.monitoring begins once, at some place. Before that,
some code has run whose events were disabled: code with one way through it, hot code, frames that
returned. All that runs later must be in the path, and nothing of what ran before may be lost.
"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import traced  # noqa: E402

# A line before this one names the kind of test: `two-runs`; or `same-run` where a debugger looks at
# the frames below, because only the oracle has one more of them.
HEADER = '''
import _thread
import sys
started = []
''' + traced.CALLED + traced.TRACERS + '''\
def deep(n): return n and deep(n - 1)
def items(n):
    for i in range(n):
        yield leaf(i)
def fails(x):
    try:
        return {}[x]
    except KeyError:
        return leaf(x)
class Held:
    def __enter__(self): return leaf(1)
    def __exit__(self, *error): return None
class Dies:
    def __init__(self, then): self.then = then
    def __del__(self): self.then()
def tr_once(frame, event, arg):
    started.append(event)
    return tr_once if len(started) < 5 else None
def tr_calls(frame, event, arg):
    leaf(2)
    long(1)
    return tr_calls
def tr_opcodes(frame, event, arg):
    frame.f_trace_opcodes = True
    return tr_opcodes
def tr_no_lines(frame, event, arg):
    frame.f_trace_lines = False
    return tr_no_lines
def tr_stops(frame, event, arg):
    started.append(event)
    if len(started) > 4:
        sys.settrace(None)
    return tr_stops
def tool(number, names, answer):
    m = sys.monitoring
    m.use_tool_id(number, "tool")
    for name in names.split():
        m.register_callback(number, getattr(m.events, name), lambda *a: (leaf(1), answer)[1])
    m.set_events(number, sum(getattr(m.events, name) for name in names.split()))
def tool_here(number, names):
    m = sys.monitoring
    m.use_tool_id(number, "tool")
    for name in names.split():
        m.register_callback(number, getattr(m.events, name), lambda *a: None)
    m.set_local_events(number, sys._getframe(1).f_code, sum(getattr(m.events, name) for name in names.split()))
def drive(coroutine):
    try:
        while 1:
            coroutine.send(None)
    except StopIteration as e:
        return e.value
class pause:
    def __await__(self): yield
def in_thread(function, *args):
    done = _thread.allocate_lock()
    done.acquire()
    def run():
        try:
            function(*args)
        finally:
            done.release()
    _thread.start_new_thread(run, ())
    done.acquire()
'''

# What a program needs besides: by a word of its text. To import all of it would take more lines
# than the rest.
PARTS = {
    "threading.": "import threading\n",
    "slept(": "import asyncio\nasync def slept(place):\n    await asyncio.sleep(0)\n    return await place(1)\n",
    "set_c(": '''import ctypes
@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
def tr_c(object, frame, event, arg): return 0
set_c = ctypes.pythonapi.PyEval_SetTrace
set_c.argtypes = [ctypes.c_void_p, ctypes.py_object]
set_c.restype = None
''',
    "Debugger(": '''import bdb
class Debugger(bdb.Bdb):
    def user_line(self, frame):
        started.append(frame.f_lineno)
        if len(started) > 6:
            self.set_continue()
        elif len(started) % 2:
            self.set_next(frame)
''',
    "debug(": '''import io, pdb
def debug(commands):
    pdb.Pdb(stdin=io.StringIO(commands), stdout=io.StringIO(), nosigint=True, readrc=False).set_trace(sys._getframe(1))
''',
}

PYTHON_TRACERS = ("tr_none", "tr_local", "tr_once", "tr_calls", "tr_opcodes", "tr_no_lines", "tr_stops")

# What begins it: expressions; TR is a tracer.
WAYS = (
    "sys.settrace(TR)", "sys.settrace(TR)", "sys.settrace(TR)",
    "(threading.settrace(TR), (t := threading.Thread(target=long, args=(3,))), t.start(), t.join())",
    "threading.settrace_all_threads(TR)",
    "set_c(ctypes.cast(tr_c, ctypes.c_void_p), None)",
    "tr_frames(TR)",
    "Debugger().set_trace()",
    "Debugger().runcall(long, 2)",
    "debug('c\\n')",
    "debug('n\\n' * 3 + 'c\\n')",
    "debug('s\\n' * 5 + 'r\\n' + 'c\\n')",
    "sys.call_tracing(long, (3,))",
    "tool(sys.monitoring.DEBUGGER_ID, 'LINE', None)",
    "tool(sys.monitoring.DEBUGGER_ID, 'PY_START PY_RETURN LINE', sys.monitoring.DISABLE)",
    "tool(sys.monitoring.PROFILER_ID, 'PY_START PY_RETURN CALL', None)",
    "tool(sys.monitoring.COVERAGE_ID, 'LINE', sys.monitoring.DISABLE)",
    "tool(4, 'INSTRUCTION', None)",
    "tool(4, 'LINE JUMP BRANCH', None)",
    "tool_here(sys.monitoring.DEBUGGER_ID, 'LINE')",
    "tool_here(4, 'LINE PY_RETURN')",
    "sys.setprofile(tr_none)",
    "exec('sys.settrace(TR); leaf(3)')",
    "exec('leaf(3)\\nsys.settrace(TR)\\nother(4)')",
    "(lambda: sys.settrace(TR))()",
    "Dies(lambda: sys.settrace(TR)) and None",
    "deep(3) or sys.settrace(TR)",
    "in_thread(sys.settrace, TR)",
)

CALLS = ("leaf(7)", "other(1)", "long(2)", "long(3)", "deep(4)", "sum(items(3))", "fails(2)", "sorted([3, 1], key=leaf)", "list(map(other, (1, 2)))",
         "[leaf(i) for i in range(2)]", "max(items(2))", "drive(waits(2))", "local()", "Held().__enter__()")


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.way = self.random.choice(WAYS).replace("TR", self.random.choice(PYTHON_TRACERS))
        self.lines = []

    def calls(self, most=2):
        return [self.random.choice(CALLS) for _ in range(self.random.randrange(most + 1))]

    def put(self, indent, text):
        self.lines.append("    " * indent + text)

    def put_calls(self, indent, most=2):
        for call in self.calls(most):
            self.put(indent, self.random.choice((call, "x = " + call, "if leaf(0): " + call)))

    def begin(self, indent, guard=""):
        """The begin itself; what follows is on its own line or not."""
        before, after = self.calls(1), self.calls(2)
        if guard:
            self.put(indent, "if %s: %s" % (guard, self.way))
        elif self.random.random() < .5:
            self.put(indent, "; ".join([*before, self.way, *after]))
        elif self.random.random() < .3:
            self.put(indent, "(%s)" % ", ".join([*before, self.way, *after, "None"]))
        else:
            for text in (*before, self.way, *after):
                self.put(indent, text)
        if self.random.random() < .4:
            self.put(indent, self.random.choice(("sys.settrace(None)", "sys.settrace(None); leaf(8)", "x = leaf(1); sys.settrace(None)")))

    # ---- places ----

    def in_module(self):
        self.put_calls(0, 3)
        self.begin(0)
        self.put_calls(0, 3)

    def in_class(self):
        self.put(0, "class Body:")
        self.put_calls(1, 3)
        self.begin(1)
        self.put_calls(1, 2)
        self.put(1, "def method(self): return leaf(1)")
        self.put(0, "Body().method()")

    def in_function(self, call="place(0)"):
        self.put(0, "def place(n):")
        self.put_calls(1, 2)
        self.begin(1)
        self.put_calls(1, 2)
        self.put(1, "return n")
        self.put(0, call)

    def in_hot_function(self):
        self.put(0, "def place(n, now=False):")
        self.put(1, "s = n")
        self.put(1, self.random.choice(("if n % 3: s += leaf(n)", "s += n and leaf(n)", "while s > 100: s -= 1", "s = [i for i in (n, s)]")))
        self.begin(1, "now")
        self.put(1, self.random.choice(("s = other(n)", "for i in range(2): s = i", "s = n if n % 2 else 1")))
        self.put(1, "return s")
        self.put(0, "for i in range(%d): place(i)" % self.random.choice((20, 1500, 4000)))
        self.put(0, "place(5, True)")
        self.put(0, "place(4)")

    def in_hot_loop(self):
        n = self.random.choice((10, 1500, 4000))
        self.put(0, "def place(n):")
        self.put(1, "s = 0")
        self.put(1, "for i in range(n):")
        self.put(2, self.random.choice(("s += leaf(i)", "s += i", "s += i if i % 3 else 1", "if i % 7 == 0: s = other(i)")))
        self.begin(2, "i == %d" % (n - 5))
        self.put(2, self.random.choice(("s += 1", "s += leaf(i)", "if i % 2: continue")))
        self.put(1, "return s")
        self.put(0, "place(%d)" % n)

    def in_generator(self):
        self.put(0, "def place(n):")
        self.put(1, "yield leaf(n)")
        self.put_calls(1, 1)
        self.begin(1)
        self.put(1, "yield other(n)")
        self.put(1, self.random.choice(("yield from items(2)", "yield 3", "return 4")))
        self.put(0, self.random.choice(("for i in place(2): leaf(i)", "list(place(1))", "g = place(0); next(g); leaf(2); next(g); g.close()")))

    def in_coroutine(self):
        self.put(0, "async def place(n):")
        self.put(1, "await pause()")
        self.put_calls(1, 1)
        self.begin(1)
        self.put(1, "await waits(2)")
        self.put(1, "return leaf(n)")
        self.put(0, self.random.choice(("drive(place(2))", "drive(place(3)); leaf(1)", "asyncio.run(slept(place))")))

    def in_comprehension(self):
        self.put(0, self.random.choice((
            "x = [leaf(i) if i != 1 else (%s, other(i)) for i in range(3)]",
            "x = {i: (%s if i == 1 else leaf(i)) for i in range(3)}",
            "x = list((%s if i == 1 else leaf(i)) for i in range(3))",
            "f = lambda i: [leaf(i), %s, leaf(2)]; f(1)")) % self.way)

    def in_handler(self):
        self.put(0, "def place():")
        self.put(1, "try:")
        self.put(2, "leaf({}[1])")
        self.put(1, "except KeyError:")
        self.begin(2)
        self.put(1, "finally:")
        self.put_calls(2, 2)
        self.put(2, "leaf(5)")
        self.put(0, "place()")

    def in_with(self):
        self.put(0, "class Begins:")
        self.put(1, "def __enter__(self):")
        self.begin(2)
        self.put(1, "def __exit__(self, *error): return leaf(1)")
        self.put(0, "with Begins() as x: " + "; ".join([*self.calls(), "leaf(2)"]))

    def in_decorator(self):
        self.put(0, "def place(function):")
        self.begin(1)
        self.put(1, "return function")
        self.put(0, "@place")
        self.put(0, "def decorated(x): return x")
        self.put(0, "decorated(1)")

    def by_c(self):
        self.in_function(self.random.choice(("sorted([2], key=place)", "list(map(place, (1,)))", "max([3], key=place)")))

    def in_recursion(self):
        self.put(0, "def place(n):")
        self.put(1, "if n: return place(n - 1) + place(n - 1)")
        self.put(1, "if not started:")
        self.put(2, "started.append('here')")
        self.begin(2)
        self.put(1, "return 1")
        self.put(0, "place(%d)" % self.random.choice((0, 2, 5)))

    def in_executed(self):
        text = "leaf(1)\nx = other(2); %s; leaf(3)\nlong(2)\n" % self.way
        self.put(0, "exec(%r)" % text)

    def in_thread(self):
        self.in_function("in_thread(place, 2)")

    def text(self):
        self.put(0, "async def waits(n):")
        self.put(1, "for i in range(n): await pause()")
        self.put(1, "return leaf(n)")
        self.put(0, "def local(): return started")
        if self.random.random() < .3:
            self.put(0, "for i in range(%d): leaf(i); long(i)" % self.random.choice((3, 2000)))
        places = (self.in_module, self.in_module, self.in_class, self.in_function, self.in_hot_function, self.in_hot_loop, self.in_generator,
                  self.in_coroutine, self.in_comprehension, self.in_handler, self.in_with, self.in_decorator, self.by_c, self.in_recursion,
                  self.in_executed, self.in_thread)
        self.random.choice(places)()
        self.put_calls(0, 4)
        self.put(0, "print(len(started))")
        body = "\n".join(self.lines) + "\n"
        question = "same-run" if any(word in body for word in ("Debugger(", "debug(", "tr_frames(")) else "two-runs"
        return "# " + question + HEADER + "".join(part for word, part in PARTS.items() if word in body) + body


def text(seed):
    return Program(seed).text()
