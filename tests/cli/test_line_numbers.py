"""Lines before a function's first, and below 1: a program can give a syntax tree, or a code object, any line numbers.

The same tree is compiled twice. In one a loop's target has a line of its own that is in order; in the other it has the line
that is tried. What ran is the same, so the paths must be the same but for that number.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

QUICK = True

PROGRAM = '''\
import ast, sys
SRC = """def a(n):
    t = 0
    for i in range(n):
        try:
            if i == 3:
                raise ValueError(i)
        except ValueError:
            t += 100
    return t
"""
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
'''
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
# (name, line of the target, the line that 3.14 and later may take for the same one, what is done before the calls)
TAKEN_FOR_ANOTHER = (
    ("256 before the one behind it", 308 - 256, 308, ""),
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
