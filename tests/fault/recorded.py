"""What the fault tests share: a program under `pathline record`, its processes, and what is in its
recording."""
import contextlib
import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ.get("PATHLINE_BUILD", "build")).resolve()
PYTHON = os.environ.get("PATHLINE_PYTHON", "python3")
PATHLINE = str(BUILD / "pathline")
DEADLINE_S = 60

# Runs until it is killed, and stores after each pass how far it came; a pass is one call of f and
# 20 of g.
FOREVER = """\
import mmap, struct, sys

def g(x):
    return x * 2

def f(n):
    s = 0
    for i in range(n):
        s += g(i)
    return s

with open(sys.argv[1], "w+b") as file:
    file.truncate(8)
    cell = mmap.mmap(file.fileno(), 8)
limit = int(sys.argv[2]) if len(sys.argv) > 2 else 0
k = 0
while not limit or k < limit:
    f(20)
    k += 1
    cell[:] = struct.pack("<Q", k)
"""
CALLS_A_PASS = 21
# Which of two lines runs is that of a bit: of a random number, it does not pack.
NOISY = """\
def f(bits):
    while bits:
        if bits & 1:
            x = 1
        else:
            x = 2
        bits >>= 1
"""


def run(*words, **options):
    """A finished process: output and errors as text."""
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=DEADLINE_S,
                          check=False, **options)


def wait_for(condition, what):
    """Its first true value; polls, for what cannot tell."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.002)
    raise AssertionError(f"waited {DEADLINE_S} s for {what}")


def stat_of(pid):
    """(name, state, parent) of a process, or None."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return name, rest[0], int(rest[1])


def is_alive(pid):
    stat = stat_of(pid)
    return stat is not None and stat[1] not in "ZX"


def children(pid):
    """{name: pid} of what lives."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            stat = stat_of(int(entry))
            if stat and stat[2] == pid and stat[1] not in "ZX":
                found[stat[0]] = int(entry)
    return found


class Recorded:
    """A program that is being recorded."""

    def __init__(self, directory, *options, script=FOREVER, arguments=(), **popen):
        self.top = pathlib.Path(directory)
        self.dir = str(self.top / "recording")
        self.cell = self.top / "passes"
        (self.top / "program.py").write_text(script)
        self.record = subprocess.Popen(
            [PATHLINE, "record", "-o", self.dir, "--python", PYTHON, *options, str(self.top / "program.py"),
             str(self.cell), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, **popen)
        self.program = self.collector = None

    def find(self):
        """Learn the pids of program and collector, once the program has begun."""
        wait_for(lambda: self.passes() or self.record.poll() is not None, "the program's first pass")
        # a child of record is "pathline" for a moment, before it has its own name
        self.collector = wait_for(lambda: children(self.record.pid).get("pathline-drain"), "the collector")
        (self.program,) = (pid for name, pid in children(self.record.pid).items() if not name.startswith("pathline"))

    def passes(self):
        try:
            data = self.cell.read_bytes()
        except OSError:
            return 0
        return struct.unpack("<Q", data)[0] if len(data) == 8 else 0

    def end(self):
        """Let it end, and give (exit code, errors)."""
        _, errors = self.record.communicate(timeout=DEADLINE_S)
        return self.record.returncode, errors

    def stop(self):
        kill(*children(self.record.pid).values(), *filter(None, (self.program, self.collector)), self.record.pid)
        self.record.communicate()


def kill(*pids):
    """Kill these in this order; what ends by itself because one before it has ended is no longer
    there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def arenas_of(directory):
    """The arenas in /dev/shm whose recordings lie below this directory."""
    found = []
    for path in pathlib.Path("/dev/shm").glob(f"pathline-{os.getuid()}-*.arena"):
        try:
            with path.open("rb") as file:
                if os.fsencode(directory) in file.read(8192):
                    found.append(path)
        except OSError:
            pass
    return found


def info(directory):
    """What `info --json` says."""
    done = run(PATHLINE, "info", "--json", directory)
    if done.returncode:
        raise AssertionError(f"exit code {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)["data"]


def rows(directory, fields, *options):
    done = run(PATHLINE, "dump", "--fields", fields, *options, directory)
    if done.returncode:
        raise AssertionError(f"exit code {done.returncode}: {done.stdout}{done.stderr}")
    return [line.split("\t") for line in done.stdout.splitlines()]


class Case(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.TemporaryDirectory(prefix="pathline-test-")
        self.addCleanup(self.top.cleanup)

    def record_and_kill(self):
        """A program that was killed with its collector, so that nobody has finished the recording,
        and the arena that they left."""
        program = Recorded(self.top.name, "-q")
        self.addCleanup(program.stop)
        program.find()
        wait_for(lambda: os.path.exists(program.dir + "/events.000001"), "the first block")
        # record first, or it would finish the recording itself
        kill(program.record.pid, program.collector, program.program)
        program.end()
        wait_for(lambda: not is_alive(program.program), "the program's end")
        (arena,) = arenas_of(self.top.name)
        self.addCleanup(lambda: arena.unlink(missing_ok=True))
        return program, arena

    def assert_sound(self, directory):
        done = run(PATHLINE, "check", directory)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def assert_path(self, directory, passes):
        """Each pass that the program had noted is there, and the path has neither hole nor double.
        """
        calls = {"f": 0, "g": 0}
        seq = -1
        for number, event, code in rows(directory, "seq,event,code", "--events", "call,gap"):
            self.assertGreater(int(number), seq, "an event came twice")
            seq = int(number)
            if event == "call" and code in calls:
                calls[code] += 1
        self.assertGreaterEqual(calls["f"], passes)
        # f number n can only begin when the 20 g of each one before have been called
        self.assertGreaterEqual(calls["g"], (calls["f"] - 1) * 20)
        self.assertLessEqual(calls["g"], calls["f"] * 20)
