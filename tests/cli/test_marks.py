"""The package pathline: mark() and is_recording(), with a recorder and without one."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"
from session import PYTHON  # noqa: E402

PACKAGE = str(pathlib.Path(__file__).resolve().parents[2] / "python")

MARKS = '''\
import threading
import pathline


def pay(number):
    total = number * 2
    if total > 2:
        pathline.mark("paid", order=number, by="card", password="hunter2", what=threading)
    total += 1
    return total


def items():
    for i in range(2):
        pathline.mark("item", i=i)
        yield i


class Other:
    def __repr__(self):
        raise AssertionError("code of the program must not run")


pay(1)
pay(2)
list(items())
pathline.mark("é" * 100)
pathline.mark("api_key=abc " + "x" * 1000, big="y" * 1000)
pathline.mark(Other(), a=1.5, b=None, c=b"", d=True, e=10 ** 40, f="\\ud800", g=Other())
worker = threading.Thread(target=pay, args=(3,), name="worker")
worker.start()
worker.join()
pathline.mark("")
'''

# `mark` is str without the package: both are builtin functions, so the lines are the same.
STRESS = '''\
import os
import sys
mark = str
if sys.argv[1] == "marked":
    import pathline
    mark = pathline.mark


def deep(n):
    mark("down")
    if n:
        deep(n - 1)
    mark("up")


def items():
    try:
        while True:
            mark("before"); yield 1; mark("after")
    finally:
        mark("closed")


def raises():
    try:
        mark("try")
        raise KeyError
    except KeyError:
        mark("handled")
        return [mark("comprehension") for _ in range(3)]
    finally:
        mark("finally")


async def waits():
    mark("coroutine")


def through():
    return sorted([3, 1, 2], key=lambda x: mark("key") and x or x)


def start():
    deep(20)
    it = items()
    for _ in range(3):
        next(it)
    it.close()
    for _ in range(1200):
        raises()
    through()
    try:
        waits().send(None)
    except StopIteration:
        pass
    if not os.fork():
        deep(2)
        os._exit(0)
    os.wait()


start()
'''

THREADS = '''\
import threading
import pathline


def work(name):
    for i in range(300):
        pathline.mark(name, i=i)


threads = [threading.Thread(target=work, args=(f"w{n}",), name=f"w{n}") for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
'''


def record(text, *options, arguments=()):
    environment = dict(os.environ)
    os.environ["PYTHONPATH"] = PACKAGE
    try:
        return session.Recorded(text, "marks.py", *options, arguments=arguments)
    finally:
        os.environ.clear()
        os.environ.update(environment)


class Marks(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.marks = record(MARKS, "--only-mine")

    def said(self, recorded, *words):
        done = recorded.pathline(*words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def texts(self, recorded, *words):
        return [row[0] for row in recorded.rows("-e", "mark", "-f", "type", *words)]

    def test_each_is_at_its_line_with_its_values(self):
        self.assertEqual(self.marks.rows("-e", "mark", "-f", "code,line,type", "-t", "MainThread")[:4], [
            ["pay", "8", "paid order=2 by='card' password=<redacted> what=<module>"],
            ["items", "15", "item i=0"], ["items", "15", "item i=1"],
            ["<module>", "27", "é" * 58 + "…"]])
        self.assertEqual(self.texts(self.marks, "-t", "worker"), ["paid order=3 by='card' password=<redacted> what=<module>"])

    def test_no_code_of_the_program_runs_and_no_secret_is_kept(self):
        long, kinds, last = self.texts(self.marks, "-t", "MainThread")[4:]
        self.assertRegex(long, "^api_key=<redacted> x+…$")
        self.assertRegex(kinds, r"^<Other> a=1\.5 b=None c=b'' d=True e=1(0{40}) f='.*' g=<Other>$")
        self.assertEqual(last, "")
        shown = record('import pathline\npathline.mark("password=abc", token="t1")\npathline.mark("é" * 100)\n', "--no-redact")
        self.assertEqual(self.texts(shown), ["password=abc token='t1'", "é" * 58 + "…"])

    def test_every_reader_shows_it(self):
        self.assertIn('    mark item i=0 ', self.said(self.marks, "calls", "--all"))
        self.assertIn("mark item i=0", self.said(self.marks, "reader", "--plain"))
        self.assertIn("items|15|item i=1", self.said(self.marks, 
            "query", "--csv", "select function || '|' || line || '|' || type from event where kind = 'mark'"))
        self.assertIn("item i=0", self.said(self.marks, "dump"))

    def test_it_has_a_time_of_its_own(self):
        rows = self.marks.rows("-e", "mark", "-f", "time,error", "-t", "MainThread")
        times = [row[0] for row in rows]
        self.assertEqual(sorted(set(times)), times)
        self.assertTrue(all(int(error) < 1000 for _, error in rows), rows)

    def test_the_path_is_as_without_marks(self):
        def path(recorded):
            rows = recorded.rows("-f", "process,event,code,line,depth")
            begin = next(i for i, row in enumerate(rows) if row[1:3] == ["call", "start"])
            return [row for row in rows[begin:] if row[1] != "mark"]
        for options in ([], ["--passes", "none"], ["--order", "exact"], ["--values", "lines"], ["--clock", "call"]):
            with self.subTest(options=options):
                marked = record(STRESS, "--only-mine", *options, arguments=["marked"])
                bare = record(STRESS, "--only-mine", *options, arguments=["bare"])
                self.assertIn("sound", self.said(marked, "check"))
                self.assertEqual(path(marked), path(bare))
                self.assertEqual(self.texts(marked).count("finally"), 1200)

    def test_marks_of_threads(self):
        recorded = record(THREADS, "--only-mine")
        for n in range(4):
            self.assertEqual(self.texts(recorded, "-t", f"w{n}"), [f"w{n} i={i}" for i in range(300)])

    def test_in_code_that_is_left_out(self):
        """The mark is kept, under the code that is not recorded."""
        recorded = record(MARKS, "--include", "nothing_else")
        for text in self.texts(recorded):
            self.assertTrue(re.match("paid|item|é|api_key|<Other>|$", text), text)
        self.assertIn("sound", self.said(recorded, "check"))

    def test_is_recording(self):
        text = "import pathline\nprint(pathline.is_recording(), pathline.mark('x', y=1))\n"
        with tempfile.TemporaryDirectory() as top:
            program = os.path.join(top, "p.py")
            with open(program, "w", encoding="utf-8") as f:
                f.write(text)
            environment = {**os.environ, "PYTHONPATH": PACKAGE}
            bare = subprocess.run([PYTHON, program], stdout=subprocess.PIPE, text=True, env=environment, check=True)
            self.assertEqual(bare.stdout, "False None\n")
            done = session.pathline("record", "-q", "-o", top + "/out", "--python", PYTHON, program, PYTHONPATH=PACKAGE)
            self.assertEqual(done.stdout, b"True None\n", done.stderr)

    def test_wrong_arguments_are_refused_alike(self):
        text = "import pathline\nfor words in ((), (1, 2)):\n    try:\n        pathline.mark(*words)\n    except TypeError as e:\n        print(e)\n"
        bare = subprocess.run([PYTHON, "-c", text], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": PACKAGE}, check=True)
        with tempfile.TemporaryDirectory() as top:
            done = session.pathline("record", "-q", "-o", top + "/out", "--python", PYTHON, "-c", text, PYTHONPATH=PACKAGE)
        self.assertEqual(done.stdout.decode(), bare.stdout)


if __name__ == "__main__":
    unittest.main()
