"""--limit is kept at each moment, with what describes the code and with the texts; what was dropped
is told by record, info and report."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "fault"))
import recorded  # noqa: E402

INTERPRETERS = "one"
MIB = 1 << 20


def limits():
    """In MiB. 8 take two minutes: CI asks of them with each fourth commit."""
    is_turn = int(os.environ.get("PATHLINE_ROTATION", "0")) % 4 == 0
    return (1, 2, 8) if os.environ.get("PATHLINE_SUITE") != "ci" or is_turn else (1, 2)


# Which of two lines runs is random, and each line has a time, so that it does not pack. After each
# pass it waits to be asked on.
EVENTS = """\
import random, sys
chance = random.Random(1)

""" + recorded.NOISY + """\

for i in range(int(sys.argv[1])):
    for j in range(25):
        f(chance.getrandbits(4000) | 1 << 4000)
    print(i, flush=True)
    sys.stdin.readline()
"""
# A name of a code, or a text, that does not pack.
CODES = """\
import random, sys
chance = random.Random(1)
for i in range(int(sys.argv[1])):
    name = "f%x" % chance.getrandbits(8000)
    exec(f"def {name}(): pass\\n{name}()")
"""
TEXTS = """\
import os, random, sys
chance = random.Random(1)
os.mkdir(sys.argv[2])
sys.path.insert(0, sys.argv[2])
for i in range(int(sys.argv[1])):
    with open(os.path.join(sys.argv[2], f"m{i}.py"), "w") as file:
        file.write("x = '%x'\\n" % chance.getrandbits(40000))
    __import__(f"m{i}")
"""
PROCESSES = """\
import os, sys
for i in range(int(sys.argv[1])):
    if not os.fork():
        for j in range(1000):
            str(j)
        os._exit(0)
    os.wait()
"""
# Where each of them stands is in the last segment, again and again.
THREADS = """\
import random, sys, threading
chance = random.Random(1)
go_on = threading.Event()
there = threading.Semaphore(0)

def deep(n):
    if n:
        deep(n - 1)
    else:
        there.release()
        go_on.wait()

""" + recorded.NOISY + """\

threads = [threading.Thread(target=deep, args=(20,)) for i in range(int(sys.argv[1]))]
for thread in threads:
    thread.start()
for thread in threads:
    there.acquire()
for i in range(100):
    f(chance.getrandbits(4000) | 1 << 4000)
go_on.set()
for thread in threads:
    thread.join()
"""
# By turns their blocks begin a segment, which is where the blocks of the others must not go on.
TURNS = """\
import random, threading

""" + recorded.NOISY + """\

def run(seed):
    chance = random.Random(seed)
    for i in range(150):
        f(chance.getrandbits(4000) | 1 << 4000)

threads = [threading.Thread(target=run, args=(i,)) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
# What ends early is dropped whole: two threads, and a child.
EARLY = """\
import os, random, threading

def early():
    pass

for i in range(2):
    thread = threading.Thread(target=early)
    thread.start()
    thread.join()
if not os.fork():
    early()
    os._exit(0)
os.wait()
chance = random.Random(1)

""" + recorded.NOISY + """\

for i in range(400):
    f(chance.getrandbits(4000) | 1 << 4000)
"""


class Limit(recorded.Case):
    def setUp(self):
        super().setUp()
        self.out = os.path.join(self.top.name, "r")

    def words(self, text, options, arguments):
        path = pathlib.Path(self.top.name) / "program.py"
        path.write_text(text)
        return [recorded.PATHLINE, "record", *options, "-o", self.out, "--python", recorded.PYTHON, str(path), *arguments]

    def record(self, text, *arguments, options=()):
        done = recorded.run(*self.words(text, options, arguments))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def bytes(self):
        return sum(entry.stat().st_size for entry in os.scandir(self.out))

    def look(self, collector, limit):
        """While the collector stands still, so that no file is counted before it is dropped and
        another one after."""
        os.kill(collector, signal.SIGSTOP)
        recorded.wait_for(lambda: recorded.stat_of(collector)[1] == "T", "the collector's stop")
        self.assertLessEqual(self.bytes(), limit)
        os.kill(collector, signal.SIGCONT)

    def begin(self, limit, passes):
        program = subprocess.Popen(self.words(EVENTS, ["--clock", "line", "--limit", f"{limit}M"], [str(passes)]),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.kill)
        self.assertEqual(program.stdout.readline(), "0\n")
        return program, recorded.wait_for(lambda: recorded.children(program.pid).get("pathline-drain"), "the collector")

    def go_on(self, program):
        program.stdin.write("\n")
        program.stdin.flush()
        return program.stdout.readline()

    def assert_told(self, errors):
        """What was dropped is what is before the first event that is kept, and everyone says so."""
        told = recorded.info(self.out)
        (loss,) = told["losses"]
        self.assertEqual((loss["reason"], loss["lost"]), ("evicted", told["processes"][0]["threads"][0]["first_seq"]))
        self.assertGreater(loss["lost"], 0)
        if errors is not None:
            self.assertIn(f"{loss['lost'] + told['events']:,} events of 1 process", errors)
            self.assertIn(f"lost: {loss['lost']:,} events at 1 place; older blocks were dropped", errors)
        self.assertIn(f"  {loss['lost']:,} events, older blocks were dropped", recorded.run(recorded.PATHLINE, "info", self.out).stdout)
        self.assert_missing(f"without the oldest {loss['lost']:,} events of the recording, which --limit dropped", loss["lost"], None)

    def assert_never_is_not_said(self):
        """Of a line that is not in what is left nobody knows whether it ran."""
        text = recorded.run(recorded.PATHLINE, "report", "--file", "program.py", self.out).stdout
        self.assertRegex(text, r"(?m)^ +\? +1  import random")
        self.assertNotIn("never", text)
        self.assertIn("\n?: not in the recording, of which a part is missing; it may have run\n", text)
        done = subprocess.run([recorded.PATHLINE, "replay", "--plain", self.out], input="b program.py:1\nb nosuch\n", text=True, capture_output=True)
        self.assertRegex(done.stdout, r"!\t\S*program\.py:1 is not in the recording, of which a part is missing; the nearest line that ran is \d+\n"
                                      r"!\tnosuch is not in the recording, of which a part is missing\n$")

    def assert_missing(self, words, dropped, stopped):
        """Each form of `report` says it: a person's in a line, JSON in a row, the others on stderr.
        """
        def report(*words):
            return recorded.run(recorded.PATHLINE, "report", *words, self.out)
        for view in (), ("--functions",), ("--tree",), ("--tasks",), ("--exceptions",), ("--blocking", "1h"):
            done = report(*view)
            self.assertIn(f"\n{words}\n", done.stdout, view)
            self.assertEqual(done.stderr, "", view)
            rows = [json.loads(line) for line in report("--json", *view).stdout.splitlines()]
            self.assertEqual(rows[-1]["type"], "missing", view)
            for row in rows:
                if row["type"] in ("time", "missing"):
                    self.assertEqual((row["data"]["dropped"], row["data"]["stopped"]), (dropped, stopped), view)
        picture = os.path.join(self.top.name, "x.svg")
        for machine, more in (("--csv",), ""), (("--collapsed",), ""), (("--flame", picture), f"pathline: report: wrote {picture}\n"):
            self.assertEqual(report(*machine).stderr, f"{more}pathline: report: {words}\n", machine)
        self.assertIn(f" ({words})</title>", pathlib.Path(picture).read_text(encoding="utf-8"))

    def test_many_events(self):
        for limit in limits():
            with self.subTest(limit=limit):
                self.setUp()
                program, collector = self.begin(limit, 12 * limit)
                while self.go_on(program):
                    self.look(collector, limit * MIB)
                _, errors = program.communicate(timeout=recorded.DEADLINE_S)
                self.assertEqual(program.returncode, 0, errors)
                self.assertLessEqual(self.bytes(), limit * MIB)
                self.assertGreater(self.bytes(), limit * MIB // 2)
                self.assert_sound(self.out)
                self.assert_told(errors)
                self.assert_never_is_not_said()

    def test_collector_killed(self):
        """Who finishes the recording knows what the one before had dropped, and keeps the limit."""
        program, collector = self.begin(1, 1000)
        recorded.wait_for(lambda: self.go_on(program) and not os.path.exists(self.out + "/events.000001"), "a segment that is dropped")
        told = recorded.info(self.out)
        self.assertFalse(told["finished"])
        (loss,) = told["losses"]
        self.assertEqual(loss["reason"], "evicted")
        (python,) = (pid for name, pid in recorded.children(program.pid).items() if not name.startswith("pathline"))
        recorded.kill(collector, python)
        program.communicate(timeout=recorded.DEADLINE_S)
        self.assert_sound(self.out)
        self.assertTrue(recorded.info(self.out)["recovered"])
        self.assertLessEqual(self.bytes(), MIB)
        self.assert_told(None)

    def test_many_codes(self):
        """They are never dropped. Where they alone are more than the limit, the recording stops,
        and the program goes on."""
        for limit, count, stops in (1, 1500, True), (2, 4000, True), (8, 1500, False):
            with self.subTest(limit=limit):
                self.setUp()
                errors = self.record(CODES, str(count), options=["--limit", f"{limit}M"])
                self.assertLessEqual(self.bytes(), limit * MIB)
                self.assert_sound(self.out)
                words = "the descriptions of code, threads and processes fill --limit; give a larger one"
                self.assertEqual(f"recording stopped early: {words}" in errors, stops, errors)
                self.assertEqual(words in recorded.run(recorded.PATHLINE, "info", self.out).stdout, stops)
                if stops:
                    stopped = f"the recording could not be written: {words}"
                    self.assert_missing(f"recording stopped early: {stopped}", 0, stopped)

    def test_many_texts(self):
        for limit in 1, 2, 8:
            with self.subTest(limit=limit):
                self.setUp()
                self.record(TEXTS, "300", self.top.name + "/modules", options=["--limit", f"{limit}M"])
                self.assertLessEqual(self.bytes(), limit * MIB)
                self.assert_sound(self.out)
                told = recorded.info(self.out)
                self.assertEqual(told["losses"], [])
                (texts,) = (size["bytes"] for size in told["sizes"] if size["kind"] == "sources")
                self.assertLessEqual(texts, limit * MIB // 2 + 4096)
                last = recorded.run(recorded.PATHLINE, "report", "--file", self.top.name + "/modules/m299.py", self.out)
                self.assertEqual("limit: texts would take more than half of --limit" in last.stderr, limit < 8, last.stderr)

    def test_many_processes(self):
        errors = self.record(PROCESSES, "150", options=["--limit", "1M"])
        self.assertLessEqual(self.bytes(), MIB)
        self.assert_sound(self.out)
        told = recorded.info(self.out)
        lost = sum(loss["lost"] for loss in told["losses"])
        self.assertEqual(f"{lost + told['events']:,}", re.search(r"([\d,]+) events of 151 processes", errors).group(1))

    def test_many_threads(self):
        errors = self.record(THREADS, "200", options=["--clock", "line", "--limit", "1M"])
        self.assertLessEqual(self.bytes(), MIB)
        self.assert_sound(self.out)
        told = recorded.info(self.out)
        (loss,) = told["losses"]
        self.assertIn(f"{loss['lost'] + told['events']:,} events of 1 process, 201 threads", errors)

    def test_threads_by_turns(self):
        """What is kept does not need what was dropped."""
        self.record(TURNS, options=["--clock", "line", "--limit", "1M"])
        self.assertLessEqual(self.bytes(), MIB)
        self.assert_sound(self.out)

    def test_threads_and_processes_that_are_dropped_whole(self):
        """Each has a gap that says so, at a time of the recording; that is no damage, and no report
        counts the time before."""
        self.record(EARLY, options=["--clock", "line", "--limit", "1M"])
        self.assert_sound(self.out)
        told = recorded.info(self.out)
        ends = {(process["number"], thread["number"]): thread["end"] for process in told["processes"] for thread in process["threads"]}
        self.assertEqual(sorted(ends), [(1, 0), (1, 1), (1, 2), (2, 0)])
        done = recorded.run(recorded.PATHLINE, "dump", "-e", "gap", "--json", self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        gaps = [json.loads(line)["data"] for line in done.stdout.splitlines()]
        self.assertEqual(sorted((gap["process"], gap["thread"]) for gap in gaps), sorted(ends))
        self.assertEqual({gap["type"] for gap in gaps}, {"evicted"})
        self.assertEqual(sum(gap["lost"] for gap in gaps), told["losses"][0]["lost"])
        for gap in gaps:
            if (gap["process"], gap["thread"]) != (1, 0):
                self.assertAlmostEqual(gap["time"], ends[gap["process"], gap["thread"]], delta=.001)
        done = recorded.run(recorded.PATHLINE, "report", "--json", self.out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for row in map(json.loads, done.stdout.splitlines()):
            if row["type"] == "line":
                self.assertLess(row["data"]["own_ns"], 1e12, row)

    def test_nothing_dropped(self):
        errors = self.record("print(1)", options=["--limit", "1M"])
        self.assertNotIn("lost", errors)
        self.assertEqual(recorded.info(self.out)["losses"], [])
        self.assertIn("\nlost\n  nothing\n", recorded.run(recorded.PATHLINE, "info", self.out).stdout)
        self.assertNotIn("--limit", recorded.run(recorded.PATHLINE, "report", self.out).stdout)

    def test_smallest(self):
        for word in "64K", "1", "1023K", "1048575":
            done = recorded.run(*self.words("print(1)", ["--limit", word], []))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"--limit {word} is too small; the smallest limit is 1M; 0 sets no limit", done.stderr)
            self.assertFalse(os.path.exists(self.out))


if __name__ == "__main__":
    unittest.main()
