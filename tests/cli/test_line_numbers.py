"""Lines before a function's first, and below 1: a program can give a syntax tree, or a code object, any line numbers.

The same tree is compiled twice. In one a loop's target has a line of its own that is in order; in the other it has the line
that is tried. What ran is the same, so the paths must be the same but for that number.
"""
import collections
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

QUICK = True

FUNCTION = '''\
def a(n):
    t = 0
    for i in range(n):
        try:
            if i == 3:
                raise ValueError(i)
        except ValueError:
            t += 100
    return t
'''
PROGRAM = '''\
import ast, sys
SRC = """FUNCTION"""
def made(line):
    tree = ast.parse(SRC)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = node.lineno + 304
            node.col_offset, node.end_col_offset = 0, 1
    target = tree.body[0].body[1].target
    target.lineno = target.end_lineno = line
    if line < 0:
        target.col_offset = target.end_col_offset = line
    tree.body[0].lineno = 304
    names = {}
    exec(compile(tree, "<inlined>", "exec"), names)
    return names["a"]
a = made(LINE)
MORE
a(6)
a(116)
def after(n): return n + 1
print(sum(after(i) for i in range(5)))
'''.replace("FUNCTION", FUNCTION)
WHOLE = '''\
import ast, sys
SRC = """FUNCTIONa(6)
a(116)
"""
tree = ast.parse(SRC)
for node in ast.walk(tree):
    if hasattr(node, "lineno"):
        node.lineno = node.end_lineno = node.lineno + 4
        node.col_offset, node.end_col_offset = 0, 1
target = tree.body[0].body[1].target
target.lineno = target.end_lineno = 2           # before co_firstlineno, which is 4
tree.body[0].lineno = 4
exec(compile(tree, "<inlined>", "exec"))
def after(n): return n + 1
print(sum(after(i) for i in range(5)))
'''.replace("FUNCTION", FUNCTION)
# Each kind of code, in one program; how often each function is called
KINDS = '''\
def f(n):
    t = 0
    for i in range(n):
        try:
            if i == 3:
                raise ValueError(i)
        except ValueError:
            t += 100
        finally:
            t += 1
    with C() as c:
        t += 1
    while t > 150:
        t -= 7
        if t % 2: continue
    return t
def g(n):
    for i in range(n):
        x = yield i
        if x: return x
    yield from (j for j in range(2))
async def co(n):
    async for x in ag(n):
        n += x
    async with A() as a:
        n += 1
    return n
async def ag(n):
    for i in range(n):
        yield i
class A:
    async def __aenter__(self): return 1
    async def __aexit__(self, *e): return None
class C:
    a = 1
    b = [i for i in range(3)]
    def __enter__(self): return self
    def __exit__(self, *e): return None
lam = lambda x: [y for y in range(x) if y % 2]
def m(x):
    match x:
        case [a, b]:
            return a
        case {"k": v} if v:
            return v
        case _:
            return 0
def nested(n):
    def inner(k):
        return k + n
    return inner(1) + inner(2)
def run(c):
    try:
        c.send(None)
    except StopIteration as e:
        return e.value
print(f(6), f(20), list(g(3)), run(co(4)), lam(4), m([1, 2]), m({"k": 1}), m(3), nested(2), C.b)
'''
CALLS = {"f": 2, "g": 1, "co": 1, "ag": 1, "m": 3, "nested": 1, "run": 1, "<lambda>": 1, "C": 1, "A": 1, "C.__exit__": 2, "A.__aexit__": 1,
         "nested.<locals>.inner": 2, "g.<locals>.<genexpr>": 1, "known": 5}
# Of a third of the nodes, or of all: (name, line from the line it has)
NUMBERS = (
    ("zero", "0 if chosen else line"),
    ("below 1", "-random.randrange(1, 2000) if chosen else line"),
    ("huge", "2**30 + line if chosen else line"),
    ("the largest", "2**31 - 1 if chosen else line"),
    ("the smallest", "5 - 2**31 if chosen else line"),
    ("256 apart", "random.choice((line, line + 256, line + 512))"),
    ("one for all", "5"),
    ("from the last to the first", "100 - line"),
    ("any", "random.randrange(1, 60)"),
    ("all of these", "random.choice((0, -1, 1, 7, 128, 65536, 2**31 - 1, 5 - 2**31, line, line))"),
)
ODD = '''\
import ast, random
random.seed(1)
tree = ast.parse(%r)
for node in ast.walk(tree):
    if hasattr(node, "lineno"):
        line, chosen = node.lineno, random.random() < .3
        node.lineno = node.end_lineno = line = NUMBER
        node.col_offset, node.end_col_offset = random.choice(((0, 1), (5, 7), (4000, 100000), (0, 0))) if line >= 0 else (line, line)
def known():
    return 1
known()
exec(compile(tree, "<odd>", "exec"))
for i in range(4): known()
''' % KINDS
# (name, line of the target, what is done before the calls)
BEFORE_FIRST = (
    ("two before", 302, ""),
    ("one before", 303, ""),
    ("three before", 301, ""),
    ("far before", 7, ""),
    ("under a trace function", 302, "sys.settrace(lambda *_: None)"),
    ("under one that traces lines", 302, "def local(*_): return local\nsys.settrace(local)"),
    ("hot", 302, "for _ in range(40): a(116)"),
)
# (name, line of the target, the line that 3.14 and later may take for the same one, what is done
# before the calls)
TAKEN_FOR_ANOTHER = (
    ("256 before the one after it", 308 - 256, 308, ""),
    ("256 before the one it follows", 307 - 256, 307, ""),
    ("none", 304 - 2, 0, ""),
    ("256 before none", 304 - 2 - 256, 0, ""),
    ("hot", 308 - 256, 308, "for _ in range(40): a(116)"),
    ("under a trace function", 308 - 256, 308, "def local(*_): return local\nsys.settrace(local)"),
)
BELOW_ONE = (
    ("line 0", 0, ""),
    ("below 1", -3, ""),
    ("moved below 1", 302, "a.__code__ = a.__code__.replace(co_firstlineno=1)"),
)


class LineNumbers(unittest.TestCase):
    def setUp(self):
        self.is_traced = subprocess.run([session.PYTHON, "-c", "import sys; sys.monitoring"], capture_output=True, check=False).returncode != 0

    def recorded(self, name, text):
        """Of a recording that is sound and whose program does what it does alone: rows (event,
        code, line).

        3.11 does not know a line below 1 from none: there a function whose first line is below 1
        may have gaps. No other function has one."""
        script, directory = session.scratch() + f"/{name.replace(' ', '_')}.py", session.scratch() + "/recording"
        with open(script, "w", encoding="utf-8") as file:
            file.write(text)
        alone = subprocess.run([session.PYTHON, script], capture_output=True, check=False)
        done = session.pathline("record", "-q", "-o", directory, "--python", session.PYTHON, script)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (alone.returncode, alone.stdout, alone.stderr))
        self.assertEqual(alone.returncode, 0, alone.stderr)
        done = session.pathline("check", directory)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = session.rows("--fields", "event,code,line,first", directory)
        self.assertEqual([], [row for row in rows if row[0] == "gap" and (int(row[3]) > 0 or not self.is_traced)])
        return [tuple(row[:3]) for row in rows]

    def test_whole(self):
        rows = self.recorded("whole", WHOLE)
        counted = collections.Counter(row for row in rows if row[1] in ("a", "after"))
        self.assertEqual(counted[("call", "after", "23")], 5)
        self.assertEqual({row[2]: number for row, number in counted.items() if row[:2] == ("line", "a")},
                         {"2": 122, "6": 2, "7": 124, "8": 122, "9": 122, "10": 2, "11": 2, "12": 2, "13": 2})

    def test_each_kind_of_code(self):
        for name, number in NUMBERS:
            with self.subTest(name):
                rows = self.recorded(name, ODD.replace("NUMBER", number))
                calls = collections.Counter(code for event, code, _ in rows if event == "call")
                self.assertEqual({code: calls[code] for code in CALLS}, CALLS)

    def path(self, name, line, more):
        """Rows (event, code, line) of the calls of a and after, of a recording that is sound."""
        script = PROGRAM.replace("LINE", str(line), 1).replace("MORE", more, 1)
        script = session.scratch() + f"/{name.replace(' ', '_')}.py", script
        with open(script[0], "w", encoding="utf-8") as file:
            file.write(script[1])
        directory = session.scratch() + "/recording"
        done = session.pathline("record", "-o", directory, "--python", session.PYTHON, script[0])
        self.assertEqual((done.returncode, done.stdout), (0, b"15\n"), done.stderr)
        self.assertNotIn(b"lost", done.stderr)
        done = session.pathline("check", directory)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = session.pathline("dump", "--fields", "event,code,line", directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [tuple(row.split("\t")) for row in done.stdout.decode().splitlines()]
        self.assertEqual([], [row for row in rows if row[0] == "gap"])
        self.assertEqual(sum(row[:2] == ("call", "after") for row in rows), 5)
        return [row for row in rows if row[1] == "a"]

    def test_before_the_first(self):
        for name, line, more in BEFORE_FIRST:
            with self.subTest(name):
                rows, plain = self.path(name, line, more), self.path(name, 404, more)
                self.assertIn(("line", "a", str(line)), rows)
                self.assertEqual(rows, [row[:2] + (str(line) if row[2] == "404" else row[2],) for row in plain])

    def test_taken_for_another(self):
        """Between two such lines no LINE comes; nothing else is missing."""
        for name, line, same, more in TAKEN_FOR_ANOTHER:
            with self.subTest(name):
                rows, plain = ([row for row in self.path(name, at, more) if row[2] not in (str(at), str(same))] for at in (line, 404))
                self.assertEqual(rows, plain)

    def test_below_one(self):
        """No number is made up: the interpreter tells none of such lines (3.12 and later), or they have none in the path."""
        for name, line, more in BELOW_ONE:
            with self.subTest(name):
                rows = self.path(name, line, more)
                self.assertEqual(sum(row[0] == "call" for row in rows), 2)
                self.assertEqual(sum(row[0] == "return" for row in rows), 2)
                self.assertEqual([row for row in rows if row[2].startswith("-")], [])


if __name__ == "__main__":
    unittest.main()
