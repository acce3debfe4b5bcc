"""A program that runs already is recorded by `attach`, exactly, and is left as it was."""
import json
import mmap
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

# Its own tool of sys.monitoring hears what runs, from before it is attached: the oracle. On 3.11,
# where such a tool would be a trace function, the same steps are traced once more at the end, after
# all was left: what they do depends on nothing else. The shared page tells how many steps its main thread and its worker have made (8 bytes each, at 0 and 24), and
# the program to end (byte 8), or to make its steps faster (byte 16).
PROGRAM = r"""
import asyncio, json, mmap, os, sys, threading, time

lines, traced = {}, []

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

async def task(n):
    await asyncio.sleep(0)
    return step(n)

def sleeper(stop):
    stop.wait()

def worker():
    numbers, count = generate(), 0
    while not page[8]:
        next(numbers)
        count += 1
        page[24:32] = count.to_bytes(8, "little")
        time.sleep(0.0005)

def on_line(code, line):
    lines.setdefault(threading.get_ident(), []).append((code.co_name, line))

with open(sys.argv[1], "r+b") as f:
    page = mmap.mmap(f.fileno(), 4096)
watched = [f.__code__ for f in (step, generate, task)]
if sys.version_info >= (3, 12):
    sys.monitoring.use_tool_id(2, "oracle")
    sys.monitoring.register_callback(2, sys.monitoring.events.LINE, on_line)
    for code in watched:
        sys.monitoring.set_local_events(2, code, sys.monitoring.events.LINE)

def trace(frame, event, _):
    if event == "line":
        lines[traced[-1]].append((frame.f_code.co_name, frame.f_lineno))
    return trace if frame.f_code in watched else None

def again(run):
    traced.append(run)
    lines[run] = []
    sys.settrace(trace)
    run()
    sys.settrace(None)

def steps_again():
    numbers = generate()
    for _ in range(max(int.from_bytes(page[at:at + 8], "little") for at in (0, 24)) + 1):
        next(numbers)

def tools():
    if sys.version_info >= (3, 12):
        return [sys.monitoring.get_tool(i) for i in range(6)]
    return [None, None, "oracle" if sys.gettrace() is None else "traced", None, None, None]
stop = threading.Event()
threads = [threading.Thread(target=sleeper, args=(stop,), name="sleeper"), threading.Thread(target=worker, name="worker")]
for thread in threads:
    thread.start()

def count_step(count):
    if not page[16]:
        sum(range(20000))  # so that there are not too many events to look at
    page[:8] = count.to_bytes(8, "little")
    return page[8]

def sleeps():
    numbers, count = generate(), 0
    while not count_step(count):
        next(numbers)
        count += 1
        time.sleep(0.001)

def computes():
    numbers, count = generate(), 0
    while not count_step(count):
        next(numbers)
        count += 1

async def gathers(goes_on):
    count = 0
    while goes_on(count):
        await asyncio.gather(*(task(n) for n in range(4)))
        count += 1

def runs_tasks():
    asyncio.run(gathers(lambda count: not count_step(count)))

def tasks_again():
    last = int.from_bytes(page[:8], "little")
    asyncio.run(gathers(lambda count: count <= last))

print("ready", flush=True)
{"sleeps": sleeps, "computes": computes, "tasks": runs_tasks}[sys.argv[2]]()
stop.set()
for thread in threads:
    thread.join()
had = tools()
if sys.version_info < (3, 12) and not page[16]:
    again(steps_again)
    again(tasks_again)
print(json.dumps({"lines": list(lines.values()), "tools": had,
                  "open": [len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))]}), flush=True)
"""
# A child is forked with the first word that is read from stdin; it lives until it reads "e" from
# its pipe.
FORKS = r"""
import os, select, sys, time

def child(n):
    while not select.select([out], [], [], 0.001)[0]:
        n += 1
    return n

def tools():
    return [sys.monitoring.get_tool(i) if sys.version_info >= (3, 12) else sys.gettrace() for i in range(6)]

print("ready", flush=True)
out, into = os.pipe()
sys.stdin.readline()
pid = os.fork()
if not pid:
    child(0)
    print("child", tools(), flush=True)
    os._exit(7)
print("forked", pid, flush=True)
sys.stdin.readline()
os.write(into, b"e")
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print("parent", tools(), code, flush=True)
"""
# Its children end by _exit, until its stdin ends.
QUITS = r"""
import os, select, sys
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0.02)[0]:
    pid = os.fork()
    if not pid:
        os._exit(3)
    os.waitpid(pid, 0)
"""
# Its children are programs of their own: one by subprocess, one by multiprocessing's spawn.
SPAWNS = r"""
import multiprocessing, os, select, subprocess, sys, time

CHILD = '''
import select, sys, time
def by_subprocess(n):
    while not select.select([0], [], [], 0.001)[0]:
        n += 1
    return n
by_subprocess(0)
print([sys.monitoring.get_tool(i) if sys.version_info >= (3, 12) else sys.gettrace() for i in range(6)], flush=True)
'''

def by_spawn(out):
    while not select.select([out], [], [], 0.001)[0]:
        pass

if __name__ == "__main__":
    print("ready", flush=True)
    sys.stdin.readline()
    out, into = multiprocessing.Pipe(False)
    spawned = multiprocessing.get_context("spawn").Process(target=by_spawn, args=(out,))
    spawned.start()
    process = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, text=True)
    print(process.pid, spawned.pid, flush=True)
    sys.stdin.readline()
    into.send(0)
    process.communicate("e")
    spawned.join()
    print(process.returncode, spawned.exitcode, flush=True)
"""
TOOLS = [None, None, "oracle", None, None, None]


def can_attach():
    with open("/proc/self/status", encoding="ascii") as status:
        traced = re.search(r"^TracerPid:\s*(\d+)", status.read(), re.M)
    return os.uname().machine == "x86_64" and traced[1] == "0"


def is_run_of(whole, part):
    """Is `part` a run of consecutive elements of `whole`?"""
    text, wanted = ";".join(map(repr, whole)), ";".join(map(repr, part))
    return f";{wanted};" in f";{text};"


def interpreter_below(pid):
    """The last of its only children: commands such as unshare start what they are given."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        below = children.read().split()
    return interpreter_below(below[0]) if below else pid


class Program:
    """It runs, and has made its first steps."""

    def __init__(self, folder, how, before=(), script=PROGRAM):
        shared = os.path.join(folder, f"page{len(os.listdir(folder))}")
        with open(shared, "w+b") as f:
            f.truncate(4096)
            self.page = mmap.mmap(f.fileno(), 4096)
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(script)
        self.process = subprocess.Popen([*before, session.PYTHON, path, shared, how], stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise AssertionError("the program did not begin")
        self.pid = str(self.process.pid if not before else interpreter_below(self.process.pid))
        self.run_steps(3)

    def steps(self):
        return [struct.unpack("<Q", self.page[at:at + 8])[0] for at in (0, 24)]

    def run_steps(self, number):
        """Wait until both threads have made so many."""
        wanted = [steps + number for steps in self.steps()]
        while any(steps < least for steps, least in zip(self.steps(), wanted)):
            if self.process.poll() is not None:
                raise AssertionError(f"the program has ended: {self.process.returncode}")
            time.sleep(0.001)

    def end(self):
        self.page[8:9] = b"\1"
        said = json.loads(self.process.stdout.readline())
        if self.process.wait(60):
            raise AssertionError(f"the program ended with {self.process.returncode}")
        return said

    def release(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="attach-")
        self.addCleanup(shutil.rmtree, self.dir)

    def start(self, how):
        program = Program(self.dir, how)
        self.addCleanup(program.release)
        return program

    def begin(self, program, *words):
        """`attach` that has come in: its recording, its process."""
        out = os.path.join(self.dir, f"r{len(os.listdir(self.dir))}")
        attach = subprocess.Popen([session.PATHLINE, "attach", "-o", out, *words, program.pid], stderr=subprocess.PIPE, text=True)
        self.addCleanup(attach.stderr.close)
        self.addCleanup(attach.wait)
        self.addCleanup(attach.kill)
        self.assertIn("attached to process", attach.stderr.readline())
        return out, attach

    def record(self, program, steps=50, *words):
        """So many of its steps: a recording."""
        out, attach = self.begin(program, *words)
        program.run_steps(steps)
        attach.send_signal(signal.SIGINT)
        said = attach.stderr.read()
        self.assertEqual(attach.wait(60), 0, said)
        return out

    def rows(self, recording):
        fields = ["event", "tid", "code", "line", "type"]
        return [dict(zip(fields, row)) for row in session.rows("--fields", ",".join(fields), recording)]

    def check(self, recording):
        done = subprocess.run([session.PATHLINE, "check", recording], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


@unittest.skipUnless(can_attach(), "x86-64, not traced itself")
class Attached(Case):
    def same_path(self, rows, said):
        """Each thread's lines, all of them, are a run of what the oracle heard in one thread."""
        paths = {}
        for row in rows:
            if row["event"] == "line" and row["code"] in ("step", "generate", "task"):
                paths.setdefault(row["tid"], []).append([row["code"], int(row["line"])])
        self.assertGreaterEqual(len(paths), 2)
        for path in paths.values():
            self.assertGreater(len(path), 20)
            self.assertTrue(any(is_run_of(heard, path) for heard in said["lines"]), path[:30])

    def exact(self, how):
        program = self.start(how)
        out = self.record(program)
        rows = self.rows(out)
        said = program.end()
        self.same_path(rows, said)
        self.assertEqual({row["type"] for row in rows if row["event"] == "gap"}, {"attached", "detached"})
        self.assertEqual(said["tools"], TOOLS)
        self.check(out)
        return rows

    def test_a_program_that_sleeps(self):
        rows = self.exact("sleeps")
        self.assertIn("Condition.wait", {row["code"] for row in rows})

    def test_a_program_that_computes(self):
        self.exact("computes")

    def test_a_program_of_tasks(self):
        self.exact("tasks")

    def test_again_and_again(self):
        program = self.start("sleeps")
        recordings = [self.record(program, 5) for _ in range(5)]
        said = program.end()
        for out in recordings:
            self.assertIn("step", {row["code"] for row in self.rows(out)})
        self.assertEqual(said["tools"], TOOLS)

    def test_options_of_record(self):
        """They mean what they mean for `record`."""
        program = self.start("tasks")
        codes = {}
        for words in (("--values", "none"), ("--values", "none", "--only-mine"), ("--values", "none", "--exclude", "__main__")):
            codes[words[2:]] = {row["code"] for row in self.rows(self.record(program, 5, *words)) if row["event"] == "line"}
        seen = {words: {"step", "BaseEventLoop._run_once"} & found for words, found in codes.items()}
        self.assertEqual(seen, {(): {"step", "BaseEventLoop._run_once"}, ("--only-mine",): {"step"},
                                ("--exclude", "__main__"): {"BaseEventLoop._run_once"}})
        out = self.record(program, 5, "--clock", "call", "--values", "calls")
        done = subprocess.run([session.PATHLINE, "calls", out], capture_output=True, text=True, timeout=60, check=True)
        self.assertRegex(done.stdout, r"step\(n=\d+\)")
        out = self.record(program, 5, "--values", "lines")
        done = subprocess.run([session.PATHLINE, "dump", out], capture_output=True, text=True, timeout=60, check=True)
        self.assertRegex(done.stdout, r"total = -?\d")
        self.assertEqual(program.end()["tools"], TOOLS)

    def test_limit(self):
        program = self.start("computes")
        program.page[16:17] = b"\1"  # many events
        out, attach = self.begin(program, "--limit", "1M", "--clock", "line")
        while not self.evicted(out):
            program.run_steps(100)
        attach.send_signal(signal.SIGINT)
        self.assertEqual(attach.wait(60), 0)
        self.assertLessEqual(sum(os.path.getsize(os.path.join(out, name)) for name in os.listdir(out)), 1 << 20)
        self.check(out)
        self.assertEqual(program.end()["tools"], TOOLS)

    def evicted(self, out):
        done = subprocess.run([session.PATHLINE, "info", "--json", out], capture_output=True, text=True, timeout=60, check=True)
        return next(kind["records"] for kind in json.loads(done.stdout)["data"]["sizes"] if kind["kind"] == "evicted")

    def test_for(self):
        program = self.start("sleeps")
        out = os.path.join(self.dir, "out")
        done = subprocess.run([session.PATHLINE, "attach", "-o", out, "--for", "100ms", program.pid], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(out)
        self.assertEqual(program.end()["tools"], TOOLS)
        told = json.loads(session.pathline("info", "--json", out).stdout.splitlines()[0])["data"]
        self.assertRegex(told["command"], r"\S+ \S+\.py \S+ sleeps \(attached\)$")
        self.costs(told["processes"], done.stderr)

    def costs(self, processes, said):
        """What coming in cost the program: as `attach` said, to a hundredth of a millisecond."""
        process, = processes
        held_ms = float(re.search(r"held for ([\d.]+) ms", said)[1])
        self.assertAlmostEqual(process["held_ns"] / 1e6, held_ms, delta=0.01)
        self.assertGreater(process["began_ns"], 0)
        self.assertLess(process["waited_ns"], 60e9)

    def test_a_directory_that_is_not_empty(self):
        program = self.start("sleeps")
        done = session.pathline("attach", "-o", self.dir, program.pid)
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stderr.decode(), f"pathline: attach: {self.dir} is not an empty directory; give -o a new or an empty one\n")
        self.assertEqual(program.end()["tools"], TOOLS)

    def test_the_name_of_the_recording(self):
        """As of `record`: the time and the script, and `latest` leads to it."""
        program = self.start("sleeps")
        done = session.pathline("attach", "--for", "100ms", program.pid, cwd=self.dir)
        latest = os.readlink(os.path.join(self.dir, ".pathline", "latest"))
        self.assertRegex(latest, r"^\d{6}-\d{6}-program$", done.stderr)
        self.assertIn(latest.encode(), session.pathline("ls", cwd=self.dir).stdout)
        program.end()

    def test_a_thread_that_stands_still(self):
        """All of the time is that of the line in which it stood before, although it has no event."""
        program = self.start("sleeps")
        out = os.path.join(self.dir, "out")
        session.pathline("attach", "-q", "-o", out, "--for", "500ms", program.pid)
        said = session.pathline("report", "--blocking", "200ms", out).stdout.decode()
        self.assertRegex(said, r"stood still.*\n(    .*\n)*    sleeper ")
        said = session.pathline("report", "--file", "program.py", out).stdout.decode()
        self.assertRegex(said, r"(?m)^ +\? +.*def sleeper")
        self.assertIn("?: not while it was attached; it may have run before", said)
        said = session.pathline("dump", "-t", "sleeper", out).stdout.decode()
        self.assertRegex(said, r"continues Thread.run  \S+threading.py:\d+\n.* continues sleeper  \S+/program.py:\d+\n.* continues Event.wait "
                               r"(.*\n)+.* gap  recording ended")
        said = session.pathline("calls", "-t", "sleeper", out).stdout.decode()
        self.assertRegex(said, r"\n +sleeper continues \(not ended: detached\)  \S*program.py:\d+ .*\n +Event.wait continues ")
        program.end()

    def test_a_thread_that_stands_in_code_that_is_left_out(self):
        program = self.start("sleeps")
        out = os.path.join(self.dir, "out")
        session.pathline("attach", "-q", "-o", out, "--only-mine", "--for", "100ms", program.pid)
        said = session.pathline("dump", "-t", "sleeper", out).stdout.decode()
        self.assertRegex(said, r"continues sleeper  \S+/program.py:\d+\n.* gap  recording ended")
        program.end()

    def test_detach(self):
        program = self.start("sleeps")
        out, attach = self.begin(program)
        program.run_steps(10)
        again = subprocess.run([session.PATHLINE, "attach", program.pid], capture_output=True, text=True, timeout=60, cwd=self.dir)
        self.assertEqual((again.returncode, "recorded already" in again.stderr), (125, True), again.stderr)
        done = subprocess.run([session.PATHLINE, "detach", program.pid], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(attach.wait(60), 0)
        self.assertIn("step", {row["code"] for row in self.rows(out)})
        self.assertEqual(program.end()["tools"], TOOLS)

    def test_the_program_ends(self):
        program = self.start("sleeps")
        out, attach = self.begin(program)
        program.run_steps(10)
        program.end()
        self.assertEqual(attach.wait(60), 0)
        self.check(out)

    def test_the_collector_is_killed(self):
        program = self.start("computes")
        out, attach = self.begin(program)
        program.run_steps(10)
        with open(f"/proc/{attach.pid}/task/{attach.pid}/children", encoding="ascii") as children:
            collector = int(children.read().split()[0])
        os.kill(collector, signal.SIGKILL)
        self.assertEqual(attach.wait(60), 0)
        program.run_steps(10)
        self.assertEqual(program.end()["tools"], TOOLS)
        self.assertIn("step", {row["code"] for row in self.rows(out)})

    def test_command_and_collector_are_killed(self):
        program = self.start("computes")
        program.page[16:17] = b"\1"  # many events
        _, attach = self.begin(program)
        with open(f"/proc/{attach.pid}/task/{attach.pid}/children", encoding="ascii") as children:
            collector = int(children.read().split()[0])
        attach.kill()
        attach.wait()
        os.kill(collector, signal.SIGKILL)
        while "pathline-" in self.maps(program):  # it notices, and leaves by itself
            program.run_steps(100)
        self.assertEqual(program.end()["tools"], TOOLS)

    def maps(self, program):
        with open(f"/proc/{program.pid}/maps", encoding="utf-8") as maps:
            return "".join(line for line in maps if line.rstrip().endswith((".arena", ".arena (deleted)")))


@unittest.skipUnless(can_attach(), "x86-64, not traced itself")
class Children(Case):
    def processes(self, *words):
        """Of a recording in which a child was forked, and which has ended before the child."""
        program = subprocess.Popen([session.PYTHON, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.kill)
        program.stdout.readline()
        program.pid = str(program.pid)
        out, attach = self.begin(program, "--values", "none", *words)
        program.stdin.write("\n")
        program.stdin.flush()
        child = program.stdout.readline().split()[1]
        deadline = time.monotonic() + 60
        while words and len(self.known(out)) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        attach.send_signal(signal.SIGINT)
        said = attach.stderr.read()
        self.assertEqual((attach.wait(60), "not left" in said), (0, False), said)
        program.pid = int(program.pid)
        rest, _ = program.communicate("\n", timeout=60)
        none = [None] * 6
        self.assertEqual(rest.splitlines(), [f"child {none}", f"parent {none} 7"])
        self.check(out)
        processes = self.known(out)
        self.assertIn(len(processes), (1, 2))
        if len(processes) == 2:
            self.assertEqual((processes[1]["pid"], processes[1]["how"], processes[1]["parent"]), (int(child), "fork", processes[0]["number"]))
        return [row for row in self.rows(out) if row["tid"] == child and row["code"] == "child"]

    def test_what_it_starts(self):
        """Pythons that are not forked, and so begin without a recorder."""
        path = os.path.join(self.dir, "spawns.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(SPAWNS)
        program = subprocess.Popen([session.PYTHON, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        program.stdout.readline()
        program.pid = str(program.pid)
        out, attach = self.begin(program, "--values", "none", "--children")
        program.stdin.write("\n")
        program.stdin.flush()
        pids = [int(pid) for pid in program.stdout.readline().split()]
        deadline = time.monotonic() + 60
        while not {"by_subprocess", "by_spawn"} <= self.line_codes(out) and time.monotonic() < deadline:
            time.sleep(0.1)
        attach.send_signal(signal.SIGINT)
        said = attach.stderr.read()
        self.assertEqual((attach.wait(60), "not left" in said), (0, False), said)
        program.pid = int(program.pid)
        rest, _ = program.communicate("\n", timeout=60)
        self.assertEqual(rest.splitlines(), [str([None] * 6), "0 0"])
        self.check(out)
        processes = {process["pid"]: process for process in self.known(out)}
        for pid in pids:
            self.assertEqual((processes[pid]["how"], processes[pid]["parent"]), ("start", processes[program.pid]["number"]))
            self.assertTrue(processes[pid]["held_ns"] and processes[pid]["began_ns"], processes[pid])
        self.assertLessEqual({"by_subprocess", "by_spawn"}, self.line_codes(out))

    def line_codes(self, out):
        return {row["code"] for row in self.rows(out) if row["event"] == "line"}

    def known(self, out):
        done = subprocess.run([session.PATHLINE, "info", "--json", out], capture_output=True, text=True, timeout=60, check=True)
        return json.loads(done.stdout)["data"]["processes"]

    def test_a_forked_child(self):
        self.assertIn("line", {row["event"] for row in self.processes("--children")})

    def test_children_that_end_by_themselves(self):
        """Nothing says how, if not the system; it is not said that they were killed."""
        program = subprocess.Popen([session.PYTHON, "-c", QUITS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.communicate, "", timeout=60)
        program.stdout.readline()
        out = os.path.join(self.dir, "out")
        session.pathline("attach", "-q", "--children", "--values", "none", "-o", out, "--for", "300ms", str(program.pid))
        ends = [process["ended"] for process in self.known(out)]
        # one may have lived until the recording ended
        self.assertEqual((ends[0], set(ends[1:]) <= {"exited", "lost", "detached"}), ("detached", True), ends)
        self.assertGreater(len(ends), 1)
        self.assertNotIn("killed", session.pathline("info", out).stdout.decode())

    def test_without_children(self):
        self.assertEqual(self.processes(), [])


class Refused(Case):
    def refused(self, *words):
        done = subprocess.run([session.PATHLINE, *words], capture_output=True, text=True, timeout=60, cwd=self.dir)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.returncode, done.stderr

    def test_the_system_does_not_allow_it(self):
        """The line says why, and the command that would give it."""
        protected = subprocess.Popen([session.PYTHON, "-c", "import ctypes, time; ctypes.CDLL(None).prctl(4, 0); print(flush=True); time.sleep(60)"],
                                     stdout=subprocess.PIPE)
        self.addCleanup(protected.stdout.close)
        self.addCleanup(protected.wait)
        self.addCleanup(protected.kill)
        protected.stdout.readline()
        done = subprocess.run(["setpriv", "--bounding-set", "-sys_ptrace", "--inh-caps", "-sys_ptrace", session.PATHLINE, "attach", str(protected.pid)],
                              capture_output=True, text=True, timeout=60, check=False, cwd=self.dir)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (125, 1), done.stderr)
        self.assertRegex(done.stderr, "docker run --cap-add=SYS_PTRACE" if os.geteuid() == 0 else f"sudo pathline attach {protected.pid}")

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
        self.assertEqual((code, "is not a CPython" in said, said.endswith("pathline ps\n")), (125, True, True), said)
        self.assertEqual(self.refused("detach", str(other.pid))[0], 125)


@unittest.skipUnless(can_attach(), "x86-64, not traced itself")
class NowhereToStop(Case):
    def test_a_write_is_not_interrupted(self):
        """Part of it would be written. The refusal says where the program was."""
        script = "import os; end, pipe = os.pipe(); print(flush=True); print(os.write(pipe, bytes(1 << 20)))"
        with subprocess.Popen([session.PYTHON, "-c", script], stdout=subprocess.PIPE, text=True) as program:
            self.addCleanup(program.kill)
            program.stdout.readline()
            with open(f"/proc/{program.pid}/maps", encoding="utf-8") as maps:
                before = len(maps.readlines())
            done = subprocess.run([session.PATHLINE, "attach", str(program.pid)], capture_output=True, text=True, timeout=60,
                                  check=False, cwd=self.dir)
            self.assertEqual((done.returncode, f"thread {program.pid} was in system call 1 (write)" in done.stderr), (125, True), done.stderr)
            with open(f"/proc/{program.pid}/maps", encoding="utf-8") as maps:
                self.assertEqual(len(maps.readlines()), before)
            program.kill()


class Unrecorded(unittest.TestCase):
    def test_detach(self):
        """Whether it could be attached does not matter."""
        for words in ["sleep", "60"], [session.PYTHON, "-c", "print(1, flush=True); input()"]:
            with self.subTest(words=words), subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as idle:
                if words[1] == "-c":
                    idle.stdout.readline()
                done = subprocess.run([session.PATHLINE, "detach", str(idle.pid)], capture_output=True, text=True, timeout=60, check=False)
                idle.kill()
                self.assertEqual((done.returncode, done.stderr),
                                 (125, f"pathline: detach: process {idle.pid} is not recorded; `pathline ps` says which are\n"))


if __name__ == "__main__":
    unittest.main()
