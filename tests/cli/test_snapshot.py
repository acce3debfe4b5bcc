"""`pathline snapshot`: what is recorded of a running process, as one file."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")
PROGRAM = '''\
import os
import sys


def before(count):
    return count


def after(count):
    return count


for number in range(100):
    before(number)
print(os.getpid(), flush=True)
sys.stdin.readline()
after(1)
print("after", flush=True)
sys.stdin.readline()
'''
ITSELF = '''\
import sys
sys.path.insert(0, sys.argv[1])
import pathline


def book(count):
    return count * 2


for number in range(100):
    book(number)
print(pathline.snapshot(sys.argv[2]), pathline.snapshot("/nonexistent/file"))
'''


TWO_PARTS = '''\
import time


def before(count):
    return count


def after(count):
    return count


for number in range(2000):
    before(number)
time.sleep(0.5)
for number in range(40):
    after(number)
'''


class Snapshot(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="snapshot-")
        self.addCleanup(shutil.rmtree, self.dir)

    def write(self, text):
        path = os.path.join(self.dir, "program.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def run_command(self, *words, code=0):
        done = subprocess.run([session.PATHLINE, *words], capture_output=True, text=True, timeout=120, cwd=self.dir)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr

    def calls(self, recording):
        """What was called; of a recording that goes on, the end is missing."""
        done = session.pathline("dump", "--events", "call", "--fields", "code", recording)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done.stdout.decode().splitlines()

    def called(self, recording):
        return set(self.calls(recording))

    def test_a_recorded_process(self):
        program = subprocess.Popen([session.PATHLINE, "record", "-q", "-o", os.path.join(self.dir, "r"), session.PYTHON,
                                    self.write(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.stdout.close)
        pid = program.stdout.readline().strip()
        first, second = (os.path.join(self.dir, name) for name in ("first", "second"))
        self.run_command("snapshot", "-o", first, pid)
        self.assertIn("it exists; --force", self.run_command("snapshot", "-o", first, pid, code=2))
        program.stdin.write("\n")
        program.stdin.flush()
        self.assertEqual(program.stdout.readline(), "after\n")
        self.run_command("snapshot", "-o", second, pid)
        program.communicate("\n", timeout=60)
        self.assertEqual(program.returncode, 0)
        self.assertEqual(self.called(first) & {"before", "after"}, {"before"})
        self.assertEqual(self.called(second) & {"before", "after"}, {"before", "after"})
        self.assertEqual(self.calls(first), self.calls(second)[:len(self.calls(first))])
        whole = self.calls(os.path.join(self.dir, "r"))
        self.assertEqual(self.calls(second), whole[:len(self.calls(second))])
        self.whole(first)

    def whole(self, snapshot):
        """It lacks nothing of its time, and says that it is a snapshot; cut short it is damaged."""
        done = session.pathline("check", snapshot)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, rb"^sound, a snapshot, whole up to its time: ")
        self.assertRegex(session.pathline("info", snapshot).stdout, rb"\nstate +a snapshot, whole up to its time: the recording went on when")
        self.assertRegex(session.pathline("dump", snapshot).stdout, rb"gap  the recording is still being written\n")
        self.assertIn(b'"unfinished":true,"snapshot":true', session.pathline("info", "--json", snapshot).stdout)
        os.truncate(snapshot, os.path.getsize(snapshot) - 1)
        self.assertEqual(session.pathline("check", snapshot).returncode, 3)
        self.assertIn(b"its end is missing", session.pathline("info", snapshot).stdout)

    def test_by_itself(self):
        path = os.path.join(self.dir, "itself")
        done = subprocess.run([session.PATHLINE, "record", "-q", "-o", os.path.join(self.dir, "r"), session.PYTHON, self.write(ITSELF),
                               PACKAGE, path], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PATH": session.BUILD + ":" + os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "True False\n")
        self.assertIn("no snapshot: /nonexistent/file cannot be written", done.stderr)
        self.assertIn("book", self.called(path))

    def test_the_newest_alone(self):
        """Of a thread that wrote long before, its last block is there; what is left out is a gap, and it is sound."""
        recording, path = os.path.join(self.dir, "r"), os.path.join(self.dir, "last")
        done = session.pathline("record", "-q", "--values", "none", "-o", recording, "--", session.PYTHON, self.write(TWO_PARTS))
        self.assertEqual(done.returncode, 0, done.stderr)
        for last in "1h", "10ms":
            done = session.pathline("pack", "--force", "--last", last, "-o", path, recording)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(session.pathline("check", path).returncode, 0)
            calls, whole = self.calls(path), self.calls(recording)
            self.assertEqual(calls.count("after"), 40)
            self.assertEqual(calls, whole[-len(calls):] if last == "10ms" else whole)
        done = session.pathline("pack", "--last", "soon", "-o", path, recording)
        self.assertIn(b"'soon' is not a time", done.stderr)
        self.assertEqual(done.returncode, 2)

    def test_nothing_is_recorded(self):
        done = subprocess.run([session.PYTHON, self.write(ITSELF), PACKAGE, "x"], capture_output=True, text=True, timeout=60, cwd=self.dir)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("False False\n", "", 0))

    def test_refused(self):
        self.assertIn(f"process {os.getpid()} is not recorded", self.run_command("snapshot", str(os.getpid()), code=125))
        self.assertIn("there is no process 2147483647", self.run_command("snapshot", "2147483647", code=125))
        self.assertIn("'x' is not a process number", self.run_command("snapshot", "x", code=2))


if __name__ == "__main__":
    unittest.main()
