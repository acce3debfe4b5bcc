"""Random programs: generate.text(seed) is one that does the same in each run, raises often and ends
soon.

It has plain functions, generators, coroutines, asynchronous generators and methods; each calls only
those before it, so none goes on forever, or all of them while no other does (`within`), and takes
from `fuel` as it begins, so all together they end. What is chance for the program comes of
`chance`, a function of C with a seed.
"""
import random
import re

KINDS = ("plain", "plain", "plain", "generator", "coroutine", "async_generator", "method")
ERRORS = ("ValueError", "KeyError", "ZeroDivisionError", "TypeError", "LookupError", "StopIteration", "Exception", "UnboundLocalError")

HEADER = '''\
# two-runs
import _queue
import _random
import _thread
import asyncio
import contextlib
import functools
import gc
import itertools
import sys
import types
import weakref

gc.disable()
sys.unraisablehook = id                                 # what a traceback suggests for a name depends on who runs the program
chance = _random.Random(%(seed)d).random
fuel = iter(range(%(fuel)d)).__next__
outer = False


class Thing:
    total = 0

    def __init__(self, value): self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, kind, error, trace):
        self.total += 1
        return kind is not None and chance() < .3

    async def __aenter__(self): return self.value

    async def __aexit__(self, kind, error, trace):
        await pause()
        return kind is not None and chance() < .3

    def __iter__(self):
        i = 0
        while i < 3:
            yield i
            i += 1

    def __getattr__(self, name):
        if name == "missing":
            raise AttributeError(name)
        return len(name)

    def __add__(self, other):
        return other if isinstance(
            other, int) else self.value

    def __bool__(self): return self.value %% 2 == 0

    def __eq__(self, other):
        return (self.value
                == other)

    __hash__ = None

    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        return i

    def __del__(self):
        Thing.total += 1

    @property
    def twice(self):
        return self.value * 2

    def __lt__(self, other): return self.value < other.value

    def __contains__(self, what):
        for i in self:
            if i == what: return True
        return False

    def __call__(self, *given, **named):
        return (len(given)
                + len(named)
                + self.value)

    def __init_subclass__(cls, **named):
        for name in named:
            setattr(cls, name, named[name])


class Counting:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        self.n -= 1
        if self.n < 0: raise StopIteration
        return self.n


@types.coroutine
def pause():
    got = yield
    return got or 0


def drive(coroutine):
    try:
        for _ in range(200):
            coroutine.send(None)
    except StopIteration as e:
        return e.value or 0
    coroutine.close()
    return 0


class Loop:
    """asyncio's own goes through its tasks in the order of their addresses."""

    def __init__(self): self.ready = []
    def get_debug(self): return False
    def call_exception_handler(self, context): pass
    def call_soon(self, function, *given, context=None): self.ready.append((function, given))

    def run(self, coroutine):
        task = asyncio.Task(coroutine, loop=self, name="run")
        while self.ready:
            function, given = self.ready.pop(0)
            function(*given)
        return task.result() if task.done() else task.cancel()


def wrap(function):
    def wrapped(*args, **names):
        return function(*args, **names)
    return wrapped

'''

DRIVER = '''

def call_all(times):
    caught = {}
    for i in range(times):
        for call in calls:
            try:
                call(i)
            except Exception as e:
                caught[type(e).__name__] = caught.get(type(e).__name__, 0) + 1
    return sorted(caught.items())


def within():
    global outer
    if outer:
        return
    outer = True
    call_all(%(within)d)
    outer = False


def main():
    print(call_all(%(passes)d))

'''

ALONE = '''
main()
'''

# The same codes run in all threads, each in its own names. A thread's end is told by what held its
# beginning, so that no row is a matter of who is first.
IN_THREADS = '''
def begin(code):
    work = functools.partial(exec, code, {"__name__": "again"})
    _thread.start_new_thread(work, ())
    return weakref.ref(work, ended.put)


if __name__ == "__main__":
    sys.setswitchinterval(1e-4)
    ended = _queue.SimpleQueue()
    code = sys._getframe().f_code
    threads = [begin(code) for _ in range(3)]
    main()
    for thread in threads:
        ended.get()
else:
    main()
'''


def is_simple(line):
    return re.match(r"\w*", line).group() not in ("if", "for", "while", "try", "with", "match", "def", "class", "async")


def deeper(lines):
    return ["    " + line.replace("\n", "\n    ") for line in lines]


class Writer:
    """One program. Statements are lists of lines without their indentation."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        # [(name, kind)], of those that may be called
        self.functions = []
        self.names = 0
        self.own = None                                 # a plain function that may call itself

    # ---- chance ----

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def pick(self, *things):
        return self.random.choice(things)

    def new_name(self, word):
        self.names += 1
        return "%s_%d" % (word, self.names)

    # ---- expressions: one text, in which "\n" may be where brackets allow it ----

    def broken(self, *parts):
        """In brackets, so that it may be broken into lines."""
        return "(%s)" % "".join(part + self.pick("", "", " ", "\n") for part in parts)

    def variable(self):
        return self.pick("a", "b", "c")

    def condition(self, depth=2):
        kind = self.random.randrange(9 if depth else 4)
        if kind < 2:
            return "chance() < .%d" % self.pick(1, 3, 5, 9)
        if kind < 4:
            return "%s %s %d" % (self.variable(), self.pick("<", ">", "==", "!=", "<="), self.random.randrange(9))
        if kind < 6:
            return self.broken(self.condition(depth - 1), " %s " % self.pick("and", "or"), self.condition(depth - 1))
        if kind == 6:
            return "not " + self.broken(self.condition(depth - 1))
        if kind == 7:
            return "%s is %sNone" % (self.variable(), self.pick("", "not "))
        return "Thing(%s)" % self.variable()

    def call(self, of, depth):
        """A call of a function that was written before, or None."""
        may = [(name, kind) for name, kind in self.functions if kind in ("plain", "generator", "method") or of in ("coroutine", "async_generator")
               or kind == "coroutine"]
        if not may:
            return None
        name, kind = self.random.choice(may)
        argument = self.expression(of, depth - 1)
        if kind == "plain":
            return self.pick("%s(%s)", "%s(%s)", "%s(\n%s)", "%s(*[%s])", "%s(x=%s)", "max(map(%s, [%s,\n1]))", "functools.partial(%s, %s)()",
                             "(max(1, 2, key=%s) + %s)", "[*filter(%s, [%s])].pop()") % (name, argument)
        if kind == "method":
            return self.pick("Own(a).%s(%s)", "Own.%s(\nOwn(1), %s)") % (name, argument)
        if kind == "generator":
            return self.pick("len(list(%s(%s)))", "next(%s(%s), 0)", "max(*%s(\n%s), 0)", "len([*itertools.islice(%s(%s), 2)])",
                             "close(%s(%s))", "throw(%s(%s))") % (name, argument)
        if kind == "coroutine":
            return ("(await %s(%s))" if of in ("coroutine", "async_generator") else "drive(%s(%s))") % (name, argument)
        return "len([i\nasync for i in %s(%s)\nif i != 2])" % (name, self.variable())

    def expression(self, of, depth=2):
        kind = self.random.randrange(19 if depth > 0 else 4)
        if kind < 2:
            return self.variable()
        if kind < 4:
            return str(self.random.randrange(9))
        sub = [self.expression(of, depth - 1) for _ in range(2)]
        if kind < 6:
            return self.broken(sub[0], " %s " % self.pick("+", "-", "+", "-", "*", "//", "%"), sub[1])
        if kind < 9:
            return self.call(of, depth) or sub[0]
        if kind == 9:
            return self.broken(sub[0], " if ", self.condition(), " else ", sub[1])
        if kind == 10:
            return "len([i %sfor i in range(%d)\n%s])" % (self.pick("", "\n"), self.random.randrange(4), self.pick("", "if i % 2"))
        if kind == 11:
            return "(lambda i:%s%s)(%s)" % (self.pick(" ", "\n"), "i + 1", sub[0])
        if kind == 12:
            return self.pick("Thing(%s).twice", "(Thing(1) + %s)", "Thing(%s).any", "Thing(2)[%s]", "sorted([3, 1, %s], key=\nlambda i: -i)[0]") % sub[0]
        if kind == 13:
            return self.pick("(d := %s)" % sub[0], "len({i:\ni for i in Thing(a)})", "max(Thing(3), key=lambda i: i % (b))")
        if kind == 14:
            return "[%s, %s][%s %% %d]" % (sub[0], sub[1], self.variable(), self.pick(2, 2, 2, 3))
        if kind == 15:
            return "len(f'{%s}{%s!r}')" % (self.variable(), self.variable())
        if kind == 16:
            return self.pick("remembered(%s)", "functools.reduce(fold, [1, 2, %s])", "Thing(1)(%s, i=0)", "(%s in Thing(2))", "min(Thing(2), Thing(%s)).value",
                             "eval('a + 1')", "any(i == (a) and\ni for i in Thing(b))", "len(Own(1).__class__.__name__) + %s").replace("%s", sub[0])
        if kind == 17 and self.own:
            return "%s(x - 1, y - 1) if x and y else 0" % self.own
        if self.one_in(4):
            return self.pick("Thing(0).missing", "nowhere", "int('x')", "(1 if x == 3 else x // 0)", "(x\nand nowhere)")
        return self.pick("abs(%s)" % sub[0], "int('1')", "(x\nor nowhere)", "getattr(Thing(1), 'missing', 2)")

    # ---- statements ----

    def seldom(self):
        return self.pick("", *["if chance() < .%d: " % self.pick(1, 1, 2, 5)] * 5)

    def block(self, place, depth):
        lines = []
        for _ in range(self.pick(1, 1, 2, 3)):
            lines += self.statement(place, depth)
        return lines

    def indented(self, head, lines):
        """A body on the line of its head, where that may be and by chance."""
        if len(lines) == 1 and "\n" not in lines[0] and is_simple(lines[0]) and self.one_in(3):
            return [head + " " + lines[0]]
        return [head, *deeper(lines)]

    def short(self, place):
        kind = self.random.randrange(12)
        variable = self.variable()
        if kind < 5:
            return "%s %s %s" % (variable, self.pick("=", "=", "+=", "-="), self.expression(place.kind))
        if kind == 5 and place.loop:
            return self.seldom() + self.pick("break", "continue")
        if kind == 6:
            return "pass"
        if kind == 7 and not place.group and self.one_in(2):
            return self.seldom() + place.leave(self)
        if kind == 8:
            return "%sraise %s" % (self.seldom(), self.pick("%s", "%s(1)", "%s from None") % self.pick(*ERRORS))
        if kind == 9 and place.kind in ("generator", "async_generator"):
            return self.pick("yield %s", "b = yield %s") % self.expression(place.kind, 1)
        if kind == 9 and place.kind == "coroutine":
            return "a += await pause()"
        if kind == 10:
            return "assert chance() < .9 or %s, a" % self.condition()
        return "%s; %s = %s" % (self.expression(place.kind, 1), variable, self.expression(place.kind, 1))

    def statement(self, place, depth):
        kind = self.random.randrange(25)
        if depth <= 0 or kind < 8:
            return [self.short(place)]
        inner = depth - 1
        is_async = place.kind in ("coroutine", "async_generator")
        if kind < 12:
            lines = self.indented("if %s:" % self.condition(), self.block(place, inner))
            for _ in range(self.pick(0, 0, 1, 2)):
                lines += self.indented("elif %s:" % self.condition(), self.block(place, inner))
            return lines + (self.indented("else:", self.block(place, inner)) if self.one_in(2) else [])
        if kind < 15:
            over = self.pick("range(%d)" % self.random.randrange(5), "[1, 2, a]", "Thing(1)", "(\n3,\n4)", "'ab'", "Counting(2)", "{1: 2}", "zip([1, 2], Thing(0))")
            lines = self.indented("for %s in %s:" % ("i" if "'" in over or "zip" in over else self.pick("i", "a", "c"), over), self.block(place.in_loop(), inner))
            return lines + (self.indented("else:", self.block(place, inner)) if self.one_in(4) else [])
        if kind == 15:
            name = self.new_name("n")
            body = ["%s += 1" % name, *self.block(place.in_loop(), inner)]
            head = self.pick("while %s < 4:" % name, "while %s < 4 and %s:" % (name, self.condition()))
            return ["%s = 0" % name, *self.indented(head, body), *(self.indented("else:", self.block(place, inner)) if self.one_in(4) else [])]
        if kind < 19:
            return self.guarded(place, inner)
        if kind == 19:
            if self.one_in(3):
                return self.indented("with guard(%s)%s:" % (self.variable(), self.pick("", " as b")), self.block(place, inner))
            word = "async with" if is_async and self.one_in(2) else "with"
            return self.indented("%s Thing(%s)%s:" % (word, self.variable(), self.pick("", " as b", ", Thing(\n2) as c")), self.block(place, inner))
        if kind == 20:
            lines = ["match %s:" % self.pick("a", "[a, b]", "{'k': c}", "Thing(a)")]
            for pattern in self.random.sample(("0", "[x, y]", "[1 | 2, *_]", "{'k': 1}", "{'k': k} if k", "Thing(value=2)", "Thing(twice=t)", "int()"), 3):
                lines += deeper(self.indented("case %s:" % pattern, self.block(place, inner)))
            return lines
        if kind == 21:
            name = self.new_name("inner")
            lines = self.indented("def %s(x, y=0):" % name, ["a = b = c = d = x", *self.block(Place("plain"), inner), "return x"])
            return [*(["@wrap"] if self.one_in(2) else []), *lines, "%s = %s(%s)" % (self.variable(), name, self.variable())]
        if kind == 22 and is_async:
            given = [name for name, k in self.functions if k == "async_generator"]
            return self.indented("async for i in %s(a):" % self.random.choice(given), self.block(place.in_loop(), inner)) if given else [self.short(place)]
        if kind == 22 and place.kind == "generator":
            return ["b = yield from %s" % self.pick("Thing(1)", "[1, 2]", *("%s(1)" % name for name, k in self.functions if k == "generator"))]
        if kind == 23:
            return ["class %s:" % self.new_name("Local").title(), "    p = a",
                    *deeper(self.indented("if %s:" % self.condition(), ["q = %s" % self.variable()])), "    def method(self): return self.p"]
        if kind == 24:
            return self.staying(place)
        return ["del b", "b = %s" % self.expression(place.kind)]

    def staying(self, place):
        """A loop that stays on its line for so long that threads meet there, and a pass is heard by
        INSTRUCTION."""
        name = self.new_name("n")
        bodies = [line for line in (self.short(place.in_loop()) for _ in range(3)) if "\n" not in line and is_simple(line)]
        over = self.pick("range(30)", "itertools.repeat(1, 30)", "Counting(20)", "(i for i in range(20))", "[x for x in range(20)]")
        return self.pick(["%s = 30" % name, "while %s: %s -= 1" % (name, name)],
                         ["for i in %s: %s" % (over, bodies[0] if bodies else "pass")],
                         ["b = [%s for %s in %s if %s]" % (name, name, over, self.condition(0))],
                         ["b = sum(%s > 2 for %s in %s)" % (name, name, over)])

    def guarded(self, place, depth):
        lines = self.indented("try:", self.block(place, depth))
        kinds = self.random.sample(ERRORS[:-1], self.pick(0, 1, 1, 2))
        star = "*" if kinds and self.one_in(5) else ""
        for kind in kinds:
            caught = self.pick(kind, kind + " as e", "(%s,\nOSError)" % kind)
            lines += self.indented("except%s %s:" % (star, caught), self.block(place.in_group() if star else place, depth) + ["raise"] * self.one_in(5))
        if kinds and not star and self.one_in(3):
            lines += self.indented("except:", self.block(place, depth))
        if kinds and self.one_in(3):
            lines += self.indented("else:", self.block(place, depth))
        if not kinds or self.one_in(3):
            lines += self.indented("finally:", self.block(place, depth))
        return lines

    # ---- functions ----

    def function(self, kind):
        name = self.new_name(kind[0])
        place = Place(kind)
        self.own = name if kind == "plain" else None
        first = ["yield a"] if kind in ("generator", "async_generator") else []
        body = ["fuel()", "a = b = c = d = x", "if x == %d: within()" % self.random.randrange(5, 150),
                *self.block(place, 3), *first, *self.block(place, 3), place.leave(self)]
        head = "%sdef %s(%sx, y=1):" % ("async " if kind in ("coroutine", "async_generator") else "", name, "self, " if kind == "method" else "")
        lines = [head, *deeper(body)]
        if kind == "method":
            lines = ["def make():", *deeper(lines), "    return " + name, "Own.%s = make()" % name]
        elif self.one_in(5):
            lines.insert(0, "@wrap")
        self.functions.append((name, kind))
        return lines

    def text(self, functions=8, passes=150, within=30):
        """passes: how often each function is called from without; within: and how often from the
        midst of one that is called."""
        threads = self.seed % 3 == 1
        fuel = 4000 if threads else 12000
        parts = [HEADER % {"seed": self.seed, "fuel": fuel}, HELPERS]
        for _ in range(functions):
            parts += ["\n\n", "\n".join(self.function(self.pick(*KINDS)))]
        calls = ["lambda i: " + self.call_of(name, kind) for name, kind in self.functions]
        parts += ["\n\n\ncalls = [\n    %s]\n" % ",\n    ".join(calls), DRIVER % {"passes": passes, "within": within}, IN_THREADS if threads else ALONE]
        return "".join(parts)

    @staticmethod
    def call_of(name, kind):
        return {"plain": "%s(i)", "method": "Own(i).%s(i)", "generator": "list(%s(i))", "coroutine": "drive(%s(i)) if i % 50 else Loop().run(%s(i))",
                "async_generator": "drive(exhaust(%s(i)))"}[kind].replace("%s", name)


HELPERS = '''
class Own(Thing, more=1):
    def __init__(self, value):
        super().__init__(value)

    def __add__(self, other): return super().__add__(other)


@contextlib.contextmanager
def guard(x):
    try:
        yield x
    except LookupError:
        if chance() < .5: raise
    finally:
        Thing.total += x is None


@functools.lru_cache(maxsize=4)
def remembered(x):
    return -1 if x < 0 \\
        else x + 1


def fold(x, y): return x if chance() < .5 else y


def close(generator):
    next(generator, 0)
    generator.close()
    return 1


def throw(generator):
    next(generator, 0)
    try:
        return generator.throw(KeyError(1))
    except (KeyError, StopIteration):
        return 2


async def exhaust(generator):
    return [i async for i in generator]

'''


class Place:
    """In which kind of function a statement stands, and in what there."""

    def __init__(self, kind, loop=False, group=False):
        self.kind, self.loop, self.group = kind, loop, group

    def in_loop(self):
        return Place(self.kind, True, self.group)

    def in_group(self):
        """No break, continue or return leaves an `except*` block."""
        return Place(self.kind, False, True)

    def leave(self, writer):
        return "return" if self.kind == "async_generator" else writer.pick("return", *["return %s" % writer.expression(self.kind, 2)] * 7)


def text(seed):
    return Writer(seed).text()
