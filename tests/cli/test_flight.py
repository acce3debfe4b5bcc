"""The flight recorder: the newest is kept in memory, and written when something happens."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")
BEGIN = """\
import os, signal, sys, threading, time
import pathline

def early(n):
    return n

def late(n):
    return n

"""
# It runs longer than is kept, and turns over many blocks.
LONG = """\
for n in range(300):
    early(n)
    time.sleep(0.01)
for n in range(20):
    late(n)
"""


def collector_of(pid):
    """Among the children of `pathline record`; the other one is the program."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as f:
                number, rest = f.read().split(" (", 1)
        except OSError:  # it has ended
            continue
        name, after = rest.rsplit(") ", 1)
        if int(after.split()[1]) == pid and "drain" in name:
            return int(number)
    raise AssertionError("there is no collector")


def size_of(folder):
    """Of its files; those that are removed meanwhile have none."""
    size = 0
    for path in glob.glob(os.path.join(folder, "*")):
        try:
            size += os.path.getsize(path)
        except OSError:
            pass
    return size


class Flight(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="flight-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.out = os.path.join(self.dir, "out")
        self.others = set()

    def tearDown(self):
        self.assertEqual(self.memory(), set())

    def memory(self):
        """The directories in memory of what this test records: a program in its folder."""
        found = set(glob.glob(f"/dev/shm/pathline-{os.getuid()}-*.flight")) - self.others
        self.others |= {path for path in found if not self.is_ours(path)}
        return found - self.others

    def is_ours(self, path):
        return self.dir.encode() in session.pathline("info", "--json", path).stdout

    def start(self, text, *words):
        path = os.path.join(self.dir, "app.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(BEGIN + text)
        environment = {**os.environ, "PYTHONPATH": PACKAGE, "PATH": f"{session.BUILD}:{os.environ['PATH']}"}
        return subprocess.Popen([session.PATHLINE, "record", "--flight", "60s", "-o", self.out, *words, "--", session.PYTHON, path],
                                cwd=self.dir, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_it(self, text, *words, code=0):
        program = self.start(text, *words)
        out, err = program.communicate(timeout=120)
        self.assertEqual(program.returncode, code, out + err)
        return err

    def written(self):
        """The recordings; each is whole."""
        names = sorted(name for name in os.listdir(self.out) if name != "latest") if os.path.isdir(self.out) else []
        paths = [os.path.join(self.out, name) for name in names]
        for path in paths:
            done = session.pathline("check", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return paths

    def calls(self, recording):
        done = session.pathline("dump", "--events", "call,gap", "--fields", "event,code", recording)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode().splitlines()

    def test_nothing_happens(self):
        said = self.run_it("late(1)\n")
        self.assertIn("nothing was written", said)
        self.assertFalse(os.path.exists(self.out))

    def test_exit_is_no_exception(self):
        self.run_it("early(1)\nsys.exit(3)\n", code=3)
        self.assertEqual(self.written(), [])

    def test_handled_exceptions_are_none(self):
        self.run_it("""\
def fail():
    raise KeyError
for n in range(10):
    try:
        fail()
    except KeyError:
        early(n)
""")
        self.assertEqual(self.written(), [])

    def test_an_exception_ends_the_program(self):
        said = self.run_it(LONG + "raise KeyError('x')\n", "--flight", "1s", code=1)
        recording, = self.written()
        self.assertIn("the newest was written to", said)
        self.assertIn("KeyError ended", said)
        calls = self.calls(recording)
        early, late = (sum(line.split("\t")[-1] == name for line in calls) for name in ("early", "late"))
        self.assertEqual(late, 20)
        self.assertTrue(0 < early < 290, early)  # 1 s of 3 or more, on a machine that may be slow
        self.assertTrue(any(line.startswith("gap") for line in calls), calls[:3])
        self.assertEqual(os.readlink(os.path.join(self.out, "latest")), os.path.basename(recording))

    def test_an_exception_ends_a_thread(self):
        self.run_it("""\
def fail():
    late(1)
    raise ValueError
thread = threading.Thread(target=fail)
thread.start()
thread.join()
""")
        recording, = self.written()
        self.assertIn("call\tlate", self.calls(recording))

    def test_a_kill(self):
        program = self.start("early(1)\nlate(2)\nprint(os.getpid(), flush=True)\nsys.stdin.readline()\n")
        os.kill(int(program.stdout.readline()), signal.SIGKILL)
        _, err = program.communicate(timeout=120)
        recording, = self.written()
        self.assertIn("call\tlate", self.calls(recording))
        self.assertIn("killed", err)

    def test_a_fatal_signal_in_a_child(self):
        self.run_it("""\
pid = os.fork()
if not pid:
    late(3)
    os.abort()
os.waitpid(pid, 0)
early(4)
""")
        recording, = self.written()
        self.assertLessEqual({"call\tlate", "call\tearly"}, set(self.calls(recording)))

    def test_a_slow_section(self):
        self.run_it("""\
with pathline.within("1h", "fast"):
    early(1)
with pathline.within("10ms", "request", path="/buy"):
    time.sleep(0.05)
    late(1)
""")
        recording, = self.written()
        marks = session.pathline("dump", "-e", "mark", "--fields", "type", recording).stdout.decode()
        self.assertRegex(marks, r"^request took='0\.0\d+s' path='/buy'\n$")

    def test_many_triggers_write_little(self):
        """What happens within 10 s is in one recording, and that of the end has the rest."""
        self.run_it("""\
def fail():
    raise ValueError
threading.excepthook = lambda arguments: None
end = time.monotonic() + 2
while time.monotonic() < end:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
late(1)
""")
        self.assertEqual(len(self.written()), 2)
        self.assertIn("call\tlate", self.calls(self.written()[-1]))

    def test_memory_is_bounded(self):
        program = self.start("""\
print("go", flush=True)
end = time.monotonic() + 4
n = 0
while time.monotonic() < end:
    for n in range(n, n + 1000):
        early(str(n) * 3)
""", "--limit", "1M", "--values", "calls")
        program.stdout.readline()
        most = 0
        while program.poll() is None:
            time.sleep(0.05)
            most = max([most, *map(size_of, self.memory())])
        program.communicate(timeout=120)
        self.assertTrue(200_000 < most <= 1 << 20, most)

    def test_a_snapshot(self):
        program = self.start("late(1)\nprint(os.getpid(), flush=True)\nsys.stdin.readline()\n")
        pid = program.stdout.readline().strip()
        path = os.path.join(self.dir, "snapshot")
        done = session.pathline("snapshot", "-o", path, pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        program.communicate("\n", timeout=120)
        self.assertIn(b"late", session.pathline("dump", "-e", "call", "--fields", "code", path).stdout)
        self.assertEqual(self.written(), [])

    def test_the_collector_is_killed(self):
        program = self.start("late(1)\nprint(flush=True)\nsys.stdin.readline()\nearly(2)\n")
        program.stdout.readline()
        os.kill(collector_of(program.pid), signal.SIGKILL)
        program.communicate("\n", timeout=120)
        session.pathline("ls", cwd=self.dir)
        names = [name for name in os.listdir(self.out) if name != "latest"]
        self.assertEqual(len(names), 1)
        self.assertIn(b"late", session.pathline("dump", "-e", "call", "--fields", "code", os.path.join(self.out, names[0])).stdout)

    def write_app(self, text):
        path = os.path.join(self.dir, "app.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(BEGIN + text)
        return path, {**os.environ, "PYTHONPATH": PACKAGE, "PATH": f"{session.BUILD}:{os.environ['PATH']}"}

    @unittest.skipUnless(os.uname().machine == "x86_64", "x86-64")
    def test_attached(self):
        path, environment = self.write_app("print(flush=True)\nsys.stdin.readline()\nlate(1)\n1 / 0\n")
        with subprocess.Popen([session.PYTHON, path], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as program:
            program.stdout.readline()
            with subprocess.Popen([session.PATHLINE, "attach", "--flight", "60s", "-o", self.out, str(program.pid)],
                                  stderr=subprocess.PIPE, text=True) as attach:
                self.assertIn("attached to process", attach.stderr.readline())
                program.communicate("\n", timeout=60)
                _, said = attach.communicate(timeout=60)
        recording, = self.written()
        self.assertIn("ZeroDivisionError ended", said)
        self.assertIn("call\tlate", self.calls(recording))

    @unittest.skipUnless(os.uname().machine == "x86_64", "x86-64")
    def test_begun_by_the_program(self):
        path, environment = self.write_app("""\
pathline.start("out", flight="60s")
with pathline.within("1ms", "request"):
    late(1)
    time.sleep(0.02)
print(pathline.stop())
""")
        done = subprocess.run([session.PYTHON, path], env=environment, cwd=self.dir, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, self.out + "\n", ""))
        recording, = self.written()
        self.assertIn("call\tlate", self.calls(recording))

    def test_a_service(self):
        os.mkdir(self.out)
        path, environment = self.write_app("late(int(sys.argv[1]))\nassert late(0)\n")
        environment.update(LD_PRELOAD=os.path.join(session.BUILD, "pathline-preload.so"), PATHLINE_DIR=self.out, PATHLINE_FLIGHT="60s")
        done = subprocess.run([session.PYTHON, path, "7"], env=environment, cwd=self.dir, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        deadline = time.monotonic() + 30
        while self.memory() and time.monotonic() < deadline:  # until its collector has written it
            time.sleep(0.02)
        os.unlink(os.path.join(self.out, "pathline.log"))
        recording, = self.written()
        self.assertEqual(self.calls(recording).count("call\tlate"), 2)

    def test_the_default_folder(self):
        path = os.path.join(self.dir, "app.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write("1 / 0\n")
        done = session.pathline("record", "--flight", "60s", "--", session.PYTHON, path, cwd=self.dir)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"pathline why\n", done.stderr)
        page = json.loads(session.pathline("info", "--json", cwd=self.dir).stdout.decode().splitlines()[0])
        self.assertTrue(page)

    def test_refused(self):
        for words, why in ((["--flight", "soon"], "is not a time"), (["--flight", "9s", "--keep", "1h"], "leave --keep out"),
                           (["--flight", "9s", "--stat"], "leave --flight out")):
            done = session.pathline("record", *words, "x.py", cwd=self.dir)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
