"""A program that runs already is recorded by `attach`, exactly, and is left as it was."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"
ASK = "import sys; print(list(sys.version_info[:2]))"
VERSION = tuple(json.loads(subprocess.run([session.PYTHON, "-c", ASK], capture_output=True, check=True).stdout))

# Its own tool of sys.monitoring hears what runs, from before it is attached: the oracle. It writes
# the lines of `step` to stderr when it is told to, by a file that is there.
PROGRAM = r"""
import os, sys, threading, time

lines = []
watched = set()

def step(n):
    total = 0
    for i in range(n % 5):
        if i % 2:
            total += i
        else:
            total -= i
    return total

def generate():
    n = 0
    while True:
        n += 1
        yield step(n)

def sleeper(stop):
    stop.wait()

def on_line(code, line):
    if code in watched:
        lines.append(line)

where = sys.argv[1]
watched.add(step.__code__)
sys.monitoring.use_tool_id(2, "oracle")
sys.monitoring.register_callback(2, sys.monitoring.events.LINE, on_line)
sys.monitoring.set_local_events(2, step.__code__, sys.monitoring.events.LINE)
stop = threading.Event()
thread = threading.Thread(target=sleeper, args=(stop,), name="sleeper")
thread.start()

def main():
    numbers = generate()
    count = 0
    print("ready", flush=True)
    while not os.path.exists(where):
        next(numbers)
        count += 1
        if sys.argv[2] == "sleeps":
            time.sleep(0.001)
    return count

main()
stop.set()
thread.join()
tools = [sys.monitoring.get_tool(i) for i in range(6)]
handlers = len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
import json
print(json.dumps({"lines": lines, "tools": tools, "open": handlers}), flush=True)
"""


def can_attach():
    with open("/proc/self/status", encoding="ascii") as status:
        traced = re.search(r"^TracerPid:\s*(\d+)", status.read(), re.M)
    return os.uname().machine == "x86_64" and VERSION >= (3, 12) and traced[1] == "0"


def tail_of(whole, part):
    """Is `part` a run of consecutive elements of `whole`?"""
    text, wanted = ",".join(map(str, whole)), ",".join(map(str, part))
    return f",{wanted}," in f",{text},"


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="attach-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.script = os.path.join(self.dir, "program.py")
        self.end = os.path.join(self.dir, "end")
        with open(self.script, "w", encoding="utf-8") as f:
            f.write(PROGRAM)

    def start(self, how):
        program = subprocess.Popen([session.PYTHON, self.script, self.end, how], stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        self.assertEqual(program.stdout.readline(), "ready\n")
        return program

    def finish(self, program):
        with open(self.end, "w", encoding="utf-8"):
            pass
        said = json.loads(program.stdout.readline())
        self.assertEqual(program.wait(60), 0)
        return said

    def attach(self, program, *words):
        out = os.path.join(self.dir, f"r{len(os.listdir(self.dir))}")
        done = subprocess.run([session.PATHLINE, "attach", "-o", out, *words, str(program.pid)], capture_output=True,
                              text=True, timeout=60)
        return out, done

    def rows(self, recording):
        done = subprocess.run([session.PATHLINE, "dump", "--json", recording], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(row)["data"] for row in done.stdout.splitlines()]


@unittest.skipUnless(can_attach(), "x86-64, and CPython 3.12 or later, not traced itself")
class Attached(Case):
    def check(self, how):
        program = self.start(how)
        out, done = self.attach(program, "--for", "300ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows(out)
        said = self.finish(program)
        path = [row["line"] for row in rows if row["event"] == "line" and row["code"] == "step"]
        self.assertGreater(len(path), 20)
        self.assertTrue(tail_of(said["lines"], path[5:-5]))
        reasons = [row["type"] for row in rows if row["event"] == "gap"]
        self.assertEqual(set(reasons), {"attached", "detached"})
        self.assertEqual(said["tools"], [None, None, "oracle", None, None, None])
        self.assertEqual(said["open"], [4, 1])
        checked = subprocess.run([session.PATHLINE, "check", out], capture_output=True, text=True, timeout=60)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        return rows

    def test_a_program_that_sleeps(self):
        rows = self.check("sleeps")
        self.assertIn("Condition.wait", {row["code"] for row in rows})

    def test_a_program_that_computes(self):
        self.check("computes")

    def test_again_and_again(self):
        program = self.start("sleeps")
        for _ in range(5):
            out, done = self.attach(program, "--for", "30ms")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("step", {row["code"] for row in self.rows(out)})
        self.assertEqual(self.finish(program)["tools"], [None, None, "oracle", None, None, None])

    def test_detach(self):
        program = self.start("sleeps")
        out = os.path.join(self.dir, "out")
        attach = subprocess.Popen([session.PATHLINE, "attach", "-o", out, str(program.pid)], stderr=subprocess.PIPE, text=True)
        self.addCleanup(attach.stderr.close)
        self.assertIn("attached to process", attach.stderr.readline())
        again = self.attach(program)[1]
        self.assertEqual((again.returncode, "recorded already" in again.stderr), (125, True), again.stderr)
        done = subprocess.run([session.PATHLINE, "detach", str(program.pid)], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(attach.wait(60), 0)
        self.assertIn("step", {row["code"] for row in self.rows(out)})
        self.finish(program)


class Refused(Case):
    def refused(self, *words):
        done = subprocess.run([session.PATHLINE, *words], capture_output=True, text=True, timeout=60, cwd=self.dir)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.returncode, done.stderr

    def test_what_is_no_process_number(self):
        for words in (["attach"], ["attach", "x"], ["attach", "0"], ["detach"], ["attach", "--for", "5", "1"]):
            with self.subTest(words):
                self.assertEqual(self.refused(*words)[0], 2)

    def test_no_such_process(self):
        code, said = self.refused("attach", "4194303")
        self.assertEqual((code, "there is no process 4194303" in said), (125, True), said)

    def test_what_is_no_python(self):
        other = subprocess.Popen(["sleep", "60"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        code, said = self.refused("attach", str(other.pid))
        self.assertEqual((code, "is not a CPython" in said), (125, True), said)
        self.assertEqual(self.refused("detach", str(other.pid))[0], 125)


if __name__ == "__main__":
    unittest.main()
