"""`pathline top`: what a program does each second, counted from the path."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from test_attach import can_attach  # noqa: E402

INTERPRETERS = "two"
PROGRAM = '''\
import asyncio
import sys
import threading


def price(count):
    return count * 2


def book(count):
    try:
        if price(count) % 10 == 0:
            raise LookupError(count)
    except LookupError:
        pass


def wait_for_end(end):
    sys.stdin.read()
    end.set()


async def never():
    await asyncio.Event().wait()


async def main(end):
    kept = asyncio.create_task(never(), name="patient")
    count = 0
    print("ready", flush=True)
    while not end.is_set():
        count += 1
        book(count)
        await asyncio.sleep(0.001)
    kept.cancel()


end = threading.Event()
threading.Thread(target=wait_for_end, args=(end,), name="listener").start()
asyncio.run(main(end))
'''


def words_of(pid):
    """Its command line; "": it has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return os.fsdecode(f.read()).split("\0")
    except OSError:
        return ""


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="top-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.script = os.path.join(self.dir, "shop.py")
        with open(self.script, "w", encoding="utf-8") as f:
            f.write(PROGRAM)

    def start(self, *words):
        program = subprocess.Popen([*words, session.PYTHON, self.script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(program.stdout.close)
        self.addCleanup(self.end, program)
        self.assertEqual(program.stdout.readline(), b"ready\n")
        return program

    def end(self, program):
        program.stdin.close()
        self.assertEqual(program.wait(60), 0)

    def record(self):
        out = os.path.join(self.dir, "recording")
        return out, self.start(session.PATHLINE, "record", "-q", "-o", out)

    def top(self, *words, code=0, **more):
        done = subprocess.run([session.PATHLINE, "top", *words], capture_output=True, text=True, timeout=120, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def looks(self, number, *words):
        lines = self.top("--json", "--rows", "0", "-n", str(number), *words).splitlines()
        self.assertEqual(len(lines), number)
        return [json.loads(line)["data"] for line in lines]


class Recorded(Case):
    def test_counts_are_those_of_the_path(self):
        out, program = self.record()
        time.sleep(1)
        looks = self.looks(3, out)
        self.end(program)
        for look in looks:
            bounds = [f"{look[which]:.6f}" for which in ("from", "to")]
            events = ["--events", "call,raise", "--fields", "event,code,time", out]
            rows = [row for row in session.rows(*events) if float(bounds[0]) <= float(row[2]) < float(bounds[1])]
            for name in ("price", "book"):
                called = sum(row[:2] == ["call", name] for row in rows)
                counted = sum(f["calls"] for f in look["functions"] if f["code"] == name)
                self.assertGreater(called, 20)
                self.assertLessEqual(abs(counted - called), 3, name)
            raised = sum(row[:2] == ["raise", "book"] for row in rows)
            counted = sum(x["count"] for x in look["exceptions"] if x["code"] == "book" and x["type"] == "LookupError")
            self.assertLessEqual(abs(counted - raised), 2)
        self.assertEqual([a["to"] for a in looks[:-1]], [b["from"] for b in looks[1:]])

    def test_what_does_not_run(self):
        out, _ = self.record()
        time.sleep(1.5)
        look = self.looks(2, out)[1]
        threads = {t["name"]: t for t in look["threads"]}
        self.assertEqual(threads["MainThread"]["state"], "runs")
        self.assertEqual(threads["listener"]["state"], "still")
        self.assertGreater(threads["listener"]["still_ns"], 1e9)
        self.assertEqual((threads["listener"]["code"], threads["listener"]["line"]), ("wait_for_end", 19))
        tasks = {t["name"]: t for t in look["tasks"]}
        self.assertEqual(tasks["patient"]["state"], "waits")
        self.assertEqual((tasks["patient"]["code"], tasks["patient"]["line"]), ("never", 24))
        self.assertGreater(tasks["patient"]["waits_ns"], 1e9)
        self.assertGreaterEqual(look["tasks_waiting"], 1)

    def test_tables(self):
        out, _ = self.record()
        time.sleep(1.2)
        for view, title, row in (("functions", "function", r"shop.py:10 in book"), ("lines", "line", r"shop.py:7  return count \* 2"),
                                 ("threads", "at", r"listener +(still|runs)"), ("tasks", "at", r"patient +waits"),
                                 ("exceptions", "raised at", r"LookupError +handled +\S+shop.py:13 in book")):
            text = self.top("-n", "1", "--rows", "0", "--view", view, out)
            head, titles, *rows = text.splitlines()
            self.assertRegex(head, r"^\d\d:\d\d:\d\d  process \d+  [\d,]+ calls/s  [\d,]+ lines/s  [\d,]+ exceptions/s")
            self.assertTrue(titles.endswith(title), titles)
            self.assertRegex("\n".join(rows), row)

    def test_filter_and_sort(self):
        out, _ = self.record()
        time.sleep(1.2)
        text = self.top("-n", "1", "--filter", "shop.py", "--sort", "calls", out)
        names = [line.split()[-1] for line in text.splitlines()[2:]]
        self.assertEqual(set(names[:2]), {"price", "book"})
        self.assertFalse([line for line in text.splitlines()[2:] if "shop.py" not in line])
        self.assertEqual(len(self.top("-n", "1", "--rows", "2", out).splitlines()), 4)

    def test_it_ends_with_the_program(self):
        out, program = self.record()
        top = subprocess.Popen([session.PATHLINE, "top", "--plain", out], stdout=subprocess.PIPE, text=True)
        self.addCleanup(top.stdout.close)
        self.assertIn("calls/s", top.stdout.readline())
        self.end(program)
        top.stdout.read()
        self.assertEqual(top.wait(60), 0)
        self.assertIn(f"is complete; `pathline report {out}`", self.top(out, code=2))


class Refused(Case):
    def test_only_mine_of_a_recording(self):
        out, program = self.record()
        self.assertIn("--only-mine is for a process that is attached", self.top("--only-mine", out, code=2))
        self.assertIn(f"process {program.pid} is recorded already", self.top("--only-mine", str(program.pid), code=2))

    def test_words(self):
        self.assertIn("unknown view 'function'; did you mean 'functions'?", self.top("--view", "function", code=2))
        self.assertIn("unknown column for --sort 'call'", self.top("--view", "threads", "--sort", "call", code=2))
        self.assertIn("--rows: 'x' is not a number", self.top("--rows", "x", code=2))
        self.assertIn("no pattern", self.top("--filter", "(", code=2))
        self.assertIn("-o is for a process", self.top("-o", "somewhere", code=2))

    def test_what_cannot_be_attached(self):
        text = self.top(str(os.getpid()) if not can_attach() else "1", code=125)
        self.assertIn("pathline: attach: ", text)


@unittest.skipUnless(can_attach(), "x86-64, and CPython 3.12 or later, not traced itself")
class Attached(Case):
    def test_its_own_code_alone(self):
        program = self.start()
        listed = {}
        for words in ((), ("--only-mine",)):
            look = json.loads(self.top("--json", "--rows", "0", "-n", "2", *words, str(program.pid)).splitlines()[1])["data"]
            listed[words] = {f["file"] for f in look["functions"]}
        self.assertIn(self.script, listed[("--only-mine",)])
        self.assertLess(listed[("--only-mine",)], listed[()])  # what its own code was called by is on its stack

    def test_a_process(self):
        program = self.start()
        homes = os.path.join(self.dir, "homes")
        os.mkdir(homes)
        look = self.looks_in(homes, program.pid)
        self.assertGreater(sum(f["calls"] for f in look["functions"] if f["code"] == "price"), 20)
        self.assertEqual(glob.glob(homes + "/*"), [])

    def looks_in(self, homes, pid):
        text = self.top("--json", "-n", "1", "--rows", "0", str(pid), env={**os.environ, "TMPDIR": homes})
        return json.loads(text)["data"]

    def test_the_recording_is_kept(self):
        program = self.start()
        out = os.path.join(self.dir, "kept")
        self.top("-n", "1", "-o", out, str(program.pid))
        self.assertIn(["call", "price"], session.rows("--fields", "event,code", out))

    def test_a_process_that_is_recorded(self):
        out, recorder = self.record()
        python = [pid for pid in os.listdir("/proc") if pid.isdigit() and self.script in words_of(pid)
                  and os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(session.PYTHON)]
        time.sleep(1)
        self.assertIn("in price", self.top("-n", "1", "--rows", "0", python[0]))
        self.assertIsNone(recorder.poll())
        self.assertTrue(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
