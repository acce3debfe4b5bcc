"""pathline calls: the tree of calls as text, folded and whole, and its positions."""
import csv
import json
import os
import re
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from session import shop  # noqa: E402

INTERPRETERS = "two"

PROGRAM = '''\
def square(n):
    return n * n


def numbers():
    for n in range(4):
        yield square(n)


def fail(key):
    return {}[key]


def attempt():
    try:
        fail("x")
    except KeyError:
        pass


def pair(n):
    square(n)
    for i in range(n % 2 + 1):
        len("")
        square(i)


def deep(n):
    return deep(n - 1) if n else 0


for i in range(1204):
    square(i)
attempt()
list(numbers())
for i in range(6):
    pair(i)
deep(2)
square(1)
square(2)
'''


def lines(recorded, *words):
    """What it prints, without the headings and without times."""
    done = recorded.pathline("calls", *words)
    if done.returncode or done.stderr:
        raise AssertionError(f"calls {words}: {done.returncode} {done.stderr!r}")
    text = re.sub(r"  (<?\d+(\.\d+)? (s|ms|µs|ns)( ±(\?|\d+(\.\d+)? (s|ms|µs|ns)))?|\?)(?=  #)", "", done.stdout.decode())
    return [line for line in text.split("\n") if not re.match("process |thread |$", line)]


def shape(recorded, *words):
    """The same without positions."""
    return [re.sub(r"  #\d+", "", line) for line in lines(recorded, *words)]


def record(text, *options, name="tree.py"):
    return session.Recorded(text, name, "--only-mine", "--values=none", *options)


_tree = None


def tree():
    global _tree
    _tree = _tree or record(PROGRAM)
    return _tree


class Tree(unittest.TestCase):
    maxDiff = None

    def test_expected(self):
        self.assertEqual(shape(tree()), [
            "<module>  tree.py:1",
            "  square  × 1,204  tree.py:1",
            "  attempt  tree.py:14",
            "    fail !! KeyError  tree.py:10",
            "  numbers yields  tree.py:5",
            "    square  tree.py:1",
            "  numbers resumed yields  × 3  tree.py:7",
            "    square  tree.py:1",
            "  numbers resumed  tree.py:7",
            "  pair  × 6  tree.py:21",
            "    square  tree.py:1",
            "    square  tree.py:1",
            "  deep  tree.py:28",
            "    deep  tree.py:28",
            "      deep  tree.py:28",
            "  square  tree.py:1",
            "  square  tree.py:1"])

    def test_all(self):
        whole = shape(tree(), "--all")
        self.assertEqual(len(whole), len(tree().rows("-e", "call,resume", "-f", "seq")))
        self.assertEqual(whole[:3], ["<module>  tree.py:1", "  square  tree.py:1", "  square  tree.py:1"])
        self.assertNotIn("×", "".join(whole))

    def test_counts_are_those_of_the_path(self):
        rows = [json.loads(row)["data"] for row in tree().pathline("calls", "--json", "--all").stdout.splitlines()]
        self.assertEqual([row["seq"] for row in rows],
                         [int(seq) for seq, in tree().rows("-e", "call,resume", "-f", "seq")])
        ends = {"return": 0, "yield": 0, "unwind": 0}
        for row in rows:
            ends[row["end"]] += 1
        for event, count in ends.items():
            self.assertEqual(len(tree().rows("-e", event, "-f", "seq")), count, event)
        self.assertEqual({row["type"] for row in rows if row["end"] == "unwind"}, {"KeyError"})

    def test_json(self):
        rows = [json.loads(row) for row in tree().pathline("calls", "--json").stdout.splitlines()]
        self.assertEqual({(row["type"], row["version"]) for row in rows}, {("call", 1)})
        self.assertEqual(len(rows), len(shape(tree())))
        row = rows[1]["data"]
        self.assertEqual((row["code"], row["count"], row["begin"], row["end"], row["level"], row["first"], row["caller"]),
                         ("square", 1204, "call", "return", 1, 1, 33))
        self.assertLess(row["seq"], row["last_seq"])
        self.assertLessEqual(row["total_ns"], row["most_ns"])

    def test_a_time_has_its_error(self):
        """Of less than a tenth of the time it is not shown; that of several calls is the sum, as
        far as they can have taken so long."""
        run = record("import time\ndef nap():\n    time.sleep(0.02)\ndef idle(): pass\nfor _ in range(9): nap()\nnap(); idle()\ntime.sleep(0.5)\n",
                     "--clock", "tick=10ms")
        rows = [json.loads(row)["data"] for row in run.pathline("calls", "--json").stdout.splitlines()]
        shown = [re.search(r"(\S+ [nmµ]?s( ±\S+ [nmµ]?s)?)  #", line)[1] for line in run.pathline("calls").stdout.decode().splitlines()[2:]]
        self.assertEqual(len(rows), len(shown))
        for row, text in zip(rows, shown):
            with self.subTest(text=text):
                self.assertLessEqual(row["total_ns"] + row["error_ns"], 2 * row["most_ns"])
                self.assertEqual("±" in text, row["total_ns"] > 0 and row["error_ns"] > row["total_ns"] // 10)
                self.assertEqual(text.startswith("<"), not row["total_ns"])
        self.assertRegex(shown[1], "[±<]")
        durations = dict(csv.reader(run.pathline("query", "--csv", "SELECT function, sum(error_ns) FROM call WHERE file LIKE '%tree.py' GROUP BY 1").stdout.decode().splitlines()[1:]))
        self.assertGreaterEqual(int(durations["nap"]), rows[1]["error_ns"])
        self.assertGreaterEqual(int(durations["<module>"]), rows[0]["error_ns"])

    def test_depth(self):
        self.assertEqual(shape(tree(), "--depth", "1"), ["<module>  tree.py:1  +1,241 below"])
        two = shape(tree(), "-d", "2")
        self.assertEqual(two, [re.sub("$", "  +1 below", line) if re.search("attempt|yields", line) else
                               line + "  +2 below" if re.search("pair|deep", line) else line
                               for line in shape(tree()) if not line.startswith("    ")])

    def test_function(self):
        self.assertEqual(shape(tree(), "--function", "pair"),
                         ["pair  × 6  tree.py:21", "  square  tree.py:1", "  square  tree.py:1"])
        self.assertEqual(shape(tree(), "-F", "[af]*"), ["attempt  tree.py:14", "  fail !! KeyError  tree.py:10"])
        self.assertEqual(len(shape(tree(), "-F", "square", "--all")), 1204 + 4 + 6 + 9 + 2)

    def test_a_range(self):
        seqs = [int(re.search(r"#(\d+)", line)[1]) for line in lines(tree())]
        fail = seqs[3]
        self.assertEqual(shape(tree(), "--from", f"#{fail}", "--to", f"#{fail}"),
                         ["<module> continues (not ended)  tree.py:34",
                          "  attempt continues (not ended)  tree.py:16",
                          "    fail (not ended)  tree.py:10"])

    def test_positions_lead_there(self):
        for line in lines(tree()):
            with self.subTest(line):
                place, seq = re.search(r"tree\.py:(\d+).*  #(\d+)", line).groups()
                done = tree().pathline("replay", "--plain", "-p", "1", "-t", "0", "--at", "#" + seq)
                row = done.stdout.decode().splitlines()[0].split("\t")
                self.assertEqual((row[2], row[5], row[7], row[8]),
                                 (seq, "resume" if "resumed" in line else "call", place, line.split()[0]), row)

    def test_heading_is_the_command(self):
        text = tree().pathline("calls").stdout.decode().splitlines()
        self.assertRegex(text[0], r"^process 1  pid \d+  \S*python\S* tree\.py$")
        self.assertEqual(text[1], "thread 0  MainThread  pathline replay -p 1 -t 0 --at '#N'")
        named = tree().pathline("calls", "latest").stdout.decode().splitlines()
        self.assertEqual(named[1], text[1] + " latest")

    def test_rounds(self):
        """What a loop calls in turn is there once, below the number of its rounds."""
        run = record("def a(): pass\ndef b(n): list(map(c, range(n)))\ndef c(i=0): pass\n"
                     "for j in range(4):\n    a()\n    for i in range(5):\n        a(); b(i % 2 + 1)\n    c()\n    c()\n"
                     "a()\nb(1)\n")
        text = shape(run, "-F", "[abc]")
        self.assertEqual(text, [
            "repeated  × 4",
            "  a  tree.py:1",
            "  repeated  × 5",
            "    a  tree.py:1",
            "    b  tree.py:2",
            "      c  tree.py:3",
            "  c  tree.py:3",
            "  c  tree.py:3",
            "a  tree.py:1",
            "b  tree.py:2",
            "  c  tree.py:3"])

    def test_a_round_that_ends_with_repeats(self):
        run = record("def a(): pass\ndef b(): pass\n"
                     "for j in range(4):\n    b()\n    for i in range(3):\n        a()\nb()\n")
        self.assertEqual(shape(run, "-F", "[ab]"), ["repeated  × 4", "  b  tree.py:2", "  a  × 3  tree.py:1", "b  tree.py:2"])

    def test_larger_than_what_is_kept(self):
        """Without folding little is kept: most lines are written before their callers end."""
        long = record("def one(n):\n    return n\n\n\ndef two(n):\n    one(n)\n    1 // (n - 39999)\n\n\n"
                      "def run():\n    for i in range(40000):\n        two(i)\n\n\n"
                      "try:\n    run()\nexcept ZeroDivisionError:\n    one(1)\n")
        self.assertEqual(shape(long, "--all"), ["<module>  tree.py:1", "  run !! ZeroDivisionError  tree.py:10"] +
                         ["    two  tree.py:5", "      one  tree.py:1"] * 39999 +
                         ["    two !! ZeroDivisionError  tree.py:5", "      one  tree.py:1", "  one  tree.py:1"])
        self.assertEqual(shape(long), ["<module>  tree.py:1", "  run !! ZeroDivisionError  tree.py:10",
                                       "    two  × 39,999  tree.py:5", "      one  tree.py:1",
                                       "    two !! ZeroDivisionError  tree.py:5", "      one  tree.py:1", "  one  tree.py:1"])


class Kinds(unittest.TestCase):
    maxDiff = None

    def test_threads(self):
        self.assertEqual([line for line in shape(shop(), "--thread", "worker", "-F", "work")],
                         ["work() -> None  shop.py:20", "  numbers() yields 1  shop.py:8", "    square(n=1) -> 1  shop.py:4",
                          "  numbers resumed yields 4  shop.py:10", "    square(n=2) -> 4  shop.py:4", "  numbers resumed -> None  shop.py:10"])
        text = shop().pathline("calls").stdout.decode()
        self.assertEqual(re.findall(r"(?m)^thread (\d)  (\S+)", text), [("0", "MainThread"), ("1", "worker")])
        self.assertEqual(text, shop().pathline("calls").stdout.decode())

    def test_tasks(self):
        run = record("import asyncio\n\n\nasync def job(n):\n    for i in range(n):\n        await asyncio.sleep(0)\n\n\n"
                     "async def main():\n    await asyncio.gather(asyncio.create_task(job(1), name='one'),\n"
                     "                         asyncio.create_task(job(1), name='two'))\n\n\nasyncio.run(main())\n")
        text = "\n".join(shape(run))
        self.assertRegex(text, r"(?m)^ +job awaits  × 2  tree\.py:4  in task \d one … \d two$")
        self.assertRegex(text, r"(?m)^ +main resumed  tree\.py:10  in task 1 ")
        one = shape(run, "--task", "one")
        self.assertEqual([re.sub(r"task \d", "task N", line) for line in one],
                         ["job awaits  tree.py:4  in task N one", "job resumed  tree.py:6  in task N one"])

    def test_sent_and_thrown(self):
        run = record("def g():\n    try:\n        while True:\n            yield 1\n    except ValueError:\n        yield 2\n\n\n"
                     "x = g()\nnext(x)\nx.send(5)\nx.throw(ValueError('v'))\nx.close()\n")
        self.assertEqual(shape(run)[1:], ["  g yields  tree.py:1", "  g resumed yields  tree.py:4",
                                          "  g thrown yields  tree.py:4", "  g thrown !! GeneratorExit  tree.py:6"])

    def test_fork(self):
        run = record("import os\n\n\ndef child():\n    pass\n\n\ndef start():\n    if not os.fork():\n        child()\n"
                     "        os._exit(0)\n    os.wait()\n\n\nstart()\n")
        text = run.pathline("calls").stdout.decode()
        self.assertEqual(re.findall(r"(?m)^process (\d)", text), ["1", "2"])
        first, second = text.split("\n\n")
        self.assertIn("\n  start  tree.py:8", first)
        self.assertRegex(second, r"\n<module> continues \(not ended.*\n  start continues \(not ended.*\n    child  tree.py:4 ")

    def test_killed(self):
        program = "import os, signal\n\n\ndef inner():\n    os.kill(os.getpid(), signal.SIGKILL)\n\n\ndef outer():\n    inner()\n\n\nouter()\n"
        folder = session.scratch()
        with open(os.path.join(folder, "killed.py"), "w", encoding="utf-8") as f:
            f.write(program)
        session.pathline("record", "--only-mine", "--python", session.PYTHON, "--", "killed.py", cwd=folder)
        text = session.pathline("calls", cwd=folder).stdout.decode()
        self.assertRegex(text, r"(?m)^<module> \(not ended: killed\)  killed\.py:1")
        self.assertRegex(text, r"(?m)^    inner \(not ended: killed\)  killed\.py:4")
        self.assertRegex(text, r"(?m)^ +gap: the process ended abruptly; what followed is not known  #\d+$")

    def test_deep(self):
        run = record("def deep(n):\n    return deep(n - 1) if n else 0\n\n\ndeep(60)\n")
        text = shape(run)
        self.assertEqual(len(text), 62)
        self.assertRegex(text[-1], r"^ {40}\[61\] deep  tree\.py:1$")

    def test_hostile_names(self):
        run = record("def f(): pass\nf.__code__ = f.__code__.replace(co_qualname='a\\033[31m\\n' + 'b' * 4000)\nf()\n"
                     "def g(): pass\ng.__code__ = g.__code__.replace(co_filename='<\\033]0;x\\007>')\ng()\n"
                     "def h():\n    raise type('E\\033[2J', (Exception,), {})\ntry:\n    h()\nexcept Exception:\n    pass\n")
        for words in ((), ("--width", "0"), ("--all",), ("--json",)):
            text = run.pathline("calls", *words).stdout.decode()
            self.assertNotIn("\033", text)
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f]")
        text = run.pathline("calls").stdout.decode()
        self.assertIn("a^[[31m^Jbbb", text)
        self.assertIn(" !! E^[[2J", text)
        self.assertTrue(all(len(line) <= 200 for line in text.split("\n")))
        self.assertRegex(text, r"(?m)^  a.*bbb…  tree\.py:1  .*#\d+$")


VALUES = '''\
def ask(n):
    return n * 2


def book(item, *rest, count=1):
    for i in range(3):
        ask(i)
    return count * 1.5


def fail(key):
    raise KeyError(key)


def gen(k):
    got = yield k
    yield got
    return 7


book("anvil", 1, count=2)
ask(3)
ask(3)
try:
    fail("\\x1b[31m")
except KeyError:
    pass
g = gen(1)
next(g)
g.send(5)
list(g)
ask("a long text " * 100)
'''


class Values(unittest.TestCase):
    maxDiff = None

    def test_expected(self):
        run = record(VALUES, "--values", "calls", name="values.py")
        self.assertEqual(shape(run)[1:-1], [
            "  book(item='anvil', *rest=(1,), count=2) -> 3.0  values.py:5",
            "    ask(n=0) -> 0 … (n=2) -> 4  × 3  values.py:1",
            "  ask(n=3) -> 6  values.py:1",
            "  ask(n=3) -> 6  values.py:1",
            "  fail(key='\\x1b[31m') !! KeyError('\\x1b[31m')  values.py:11",
            "  gen(k=1) yields 1  values.py:15",
            "  gen resumed <- 5 yields 5  values.py:16",
            "  gen resumed -> 7  values.py:17"])
        for columns in (60, 80, 200):
            text = run.pathline("calls", f"--width={columns}").stdout.decode()
            self.assertLessEqual(max(map(len, text.split("\n"))), columns)
            self.assertNotIn("damaged", text)
            self.assertRegex(text.split("\n")[-2], r"…  values\.py:1  \S+ \S+  #\d+$")
        self.assertGreater(len(shape(run, "--width=0")[-1]), 400)
        rows = [json.loads(row)["data"] for row in run.pathline("calls", "--json").stdout.splitlines()]
        self.assertEqual({(a["name"], a["kind"]) for a in rows[1]["args"]}, {("item", "str"), ("*rest", "tuple"), ("count", "int")})
        self.assertEqual((rows[1]["result"]["value"], rows[2]["last_result"]["value"]), (3.0, 4))
        self.assertEqual(rows[5]["exception"]["type"], "KeyError")


LEAVING = '''\
import asyncio


def parse(text):
    try:
        int(text)
    except ValueError as e:
        raise KeyError(text) from e


def closes():
    try:
        parse("zz")
    finally:
        done = 1


def main():
    with open("/dev/null"):
        closes()


async def fetch(n):
    raise OSError(n)


def steps():
    yield 1
    raise TypeError("in a generator")


def passes(call):
    try:
        call()
    except Exception:
        pass


passes(main)
passes(lambda: asyncio.run(fetch(5)))
passes(lambda: list(steps()))
'''


class Leaving(unittest.TestCase):
    def test_an_exception_is_known_in_each_frame_that_it_leaves(self):
        """Through finally, with, the end of `except as`, generators and coroutines."""
        recorded = session.Recorded(LEAVING, "leaving.py", "--values=calls")
        text = recorded.pathline("calls", "--all", "--width", "0").stdout.decode()
        for call in ("parse(text='zz') !! KeyError('zz')", "closes() !! KeyError('zz')", "main() !! KeyError('zz')", "fetch(n=5) !! OSError(5)",
                     "steps resumed !! TypeError('in a generator')"):
            self.assertRegex(text, rf"(?m)^ *{re.escape(call)}  ")
        chosen = recorded.pathline("calls", "--filter", "exception.args[0] == 'zz'").stdout.decode()
        self.assertEqual(re.findall(r"^ *(\w+)\(", chosen, re.M), ["main", "closes", "parse"])


class Output(unittest.TestCase):
    def test_width(self):
        for columns in (60, 100, 200):
            text = tree().pathline("calls", f"--width={columns}").stdout.decode()
            self.assertLessEqual(max(map(len, text.split("\n"))), columns)
        self.assertEqual(lines(tree(), "--width=0"), lines(tree()))

    def test_no_escapes_when_piped(self):
        self.assertNotIn(b"\033", tree().pathline("calls").stdout)
        self.assertIn(b"\033[", tree().pathline("calls", "--color=always").stdout)

    def test_what_is_wrong_is_said(self):
        for words, said in ((["--depth", "x"], "--depth: 'x' is not a number"), (["--width", "7"], "--width: at least 60 columns"),
                            (["--function", "a["], "a bracket of 'a[' is not closed"), (["-t", "nosuch"], "no thread 'nosuch'")):
            done = tree().pathline("calls", *words)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(said, done.stderr.decode())
        done = tree().pathline("calls", "--function", "nosuch")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn("calls: no call of a function 'nosuch' is selected; `pathline report --functions -n 0` lists", done.stderr.decode())
        done = tree().pathline("calls", "--from", "2001-01-01", "--to", "2001-01-02")
        self.assertIn("pathline: calls: no call is selected; the recording is from ", done.stderr.decode())

    def test_an_exception_that_is_printed(self):
        """What the interpreter calls for that has no lines, in threads and at the end."""
        text = ("import threading\n\n\ndef work():\n    raise KeyError(1)\n\n\nt = threading.Thread(target=work)\nt.start()\nt.join()\nwork()\n")
        folder = session.scratch()
        with open(os.path.join(folder, "printed.py"), "w", encoding="utf-8") as f:
            f.write(text)
        self.assertEqual(session.pathline("record", "--python", session.PYTHON, "--", "printed.py", cwd=folder).returncode, 1)

        def calls(*words):
            return session.pathline("calls", *words, cwd=folder).stdout.decode()

        shown = calls()
        self.assertNotRegex(shown, r"TracebackException|StackSummary|linecache")
        self.assertRegex(shown, r"\n( *)<module>.* !! KeyError.*\n(?:.*\n)*\1  work.* !! KeyError")
        every = calls("--all")
        printed = every.count("  _print_exception_bltin") + every.count("\n_print_exception_bltin")
        self.assertEqual(len(re.findall(r"_print_exception_bltin.*\+[\d,]+ below", shown)), printed)
        if printed:
            self.assertEqual(printed, 2)
            self.assertIn("TracebackException.__init__", every)
            self.assertIn("TracebackException.__init__", calls("--function", "TracebackException.*"))
            self.assertIn("TracebackException.__init__", calls("--filter", "func == 'TracebackException.__init__'"))

    def test_closed_pipe(self):
        with session.subprocess.Popen([session.PATHLINE, "calls", "--all", "--json"], cwd=tree().folder, stdout=session.subprocess.PIPE) as p:
            p.stdout.read(1)
            p.stdout.close()
            self.assertEqual(p.wait(), -signal.SIGPIPE)


if __name__ == "__main__":
    unittest.main()
