"""Which events have a time of their own: --clock, the idle waits of event loops,
pathline.precise_timestamping()."""
import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "rotating"
from session import PYTHON  # noqa: E402

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")

CALLS = '''\
def f(x):
    y = x + 1
    z = y + 1
    return z


def g():
    t = 0
    for i in range(50):
        t += f(i)
    return t


g()
'''

FIB = '''\
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


fib(16)
'''

LOOP = '''\
import time

end = time.monotonic() + 0.33
while time.monotonic() < end:
    sum(range(2000))
'''

SLEEPS = '''\
import time


def sleeps():
    begun = time.time_ns()
    time.sleep(0.3)
    woke = time.time_ns()
    y = woke  # after
    z = y + 1  # after
    return begun, woke


def calls():
    return sleeps()


print(*calls(), time.time_ns())
'''

IDLE = '''\
import asyncio
import selectors
import socket
import sys


async def naps():
    for _ in range(3):
        await asyncio.sleep(0.05)


class Poll(asyncio.SelectorEventLoop):
    def __init__(self):
        super().__init__(getattr(selectors, sys.argv[1])())


loop = Poll()
loop.run_until_complete(naps())
loop.close()
a, b = socket.socketpair()
a.settimeout(0.05)
try:
    a.recv(1)  # by poll, but no event loop's
except TimeoutError:
    pass
'''

UVLOOP = '''\
import asyncio
import uvloop


async def naps():
    for _ in range(3):
        await asyncio.sleep(0.05)


loop = uvloop.new_event_loop()
loop.run_until_complete(naps())
loop.close()
'''

SECTIONS = '''\
import asyncio
import threading
import pathline


def inside():
    a = 1
    b = 2
    return a + b


def other():
    return 2


def sequence():
    with pathline.precise_timestamping():
        for i in range(3):
            inside()
            yield i


for _ in range(3):
    other()
with pathline.precise_timestamping() as section:
    with section:
        inside()
    inside()
other()
for _ in sequence():
    other()
try:
    with pathline.precise_timestamping():
        inside()
        raise KeyError
except KeyError:
    other()


@pathline.precise_timestamping()
def decorated():
    inside()


@pathline.precise_timestamping()
async def stamped():
    for i in range(3):
        inside()
        await asyncio.sleep(0)


@pathline.precise_timestamping()
async def items():
    inside()
    got = yield 1
    assert got == 2
    try:
        yield 3
    except KeyError:
        inside()
        yield 4


async def not_stamped():
    for i in range(3):
        other()
        await asyncio.sleep(0)


async def main():
    await asyncio.gather(stamped(), not_stamped())
    generator = items()
    assert await generator.asend(None) == 1
    other()
    assert await generator.asend(2) == 3
    assert await generator.athrow(KeyError()) == 4
    other()
    await generator.aclose()


decorated()
other()
asyncio.run(main())
begun, over = threading.Event(), threading.Event()


def beside():
    begun.wait()
    other()
    over.set()


thread = threading.Thread(target=beside)
thread.start()
with pathline.precise_timestamping():
    inside()
    begun.set()
    over.wait()
thread.join()
'''

# Often in a section and out of it again, with returns and lines that the path shows by itself.
IN_AND_OUT = '''\
import pathline


def one(n):
    if n % 3:
        n += 1
    return n


def two(n):
    try:
        return one(n) // (n % 5)
    except ZeroDivisionError:
        return 0
    finally:
        n = None


def count(n):
    for i in range(n):
        yield two(i)


for part in range(4):
    for number in count(300):
        pass
    for number in count(7):
        with pathline.precise_timestamping():
            two(number)
            if number == 3:
                sum(count(4))
'''

KILLS = '''\
import os, sys, time
def sleeps():
    time.sleep(0.3)
sleeps()
os.write(1, b"%d" % time.time_ns())
last = [1, 2]
last = len(last)
os.kill(os.getpid(), 9)
'''

# Straight code needs no event of its lines, so where they are is looked up when a section wants
# them.
STRAIGHT = '''\
import pathline

body = compile("a = 1\\nb = a\\nclass C:\\n    x = 1\\n    y = x\\nd = b\\n", "straight.py", "exec")
exec(body)
with pathline.precise_timestamping():
    exec(body)
exec(body)
'''

# A time that was read at the event is off by what two clocks are apart; any other one by a tick.
STAMPED_NS = 10_000


def minor():
    """The interpreter's version: 3.13."""
    done = subprocess.run([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def record(text, *options, arguments=(), **environment):
    """The rows (event, code, line, error, idle, "stamped") of the script, and all, with their files
    in front."""
    folder = session.scratch()
    script, directory = os.path.join(folder, "script.py"), os.path.join(folder, "r")
    with open(script, "w", encoding="utf-8") as f:
        f.write(text)
    done = session.pathline("record", "-q", "-o", directory, "--python", PYTHON, *options, "--", script, *arguments, **environment)
    if done.returncode or done.stderr:
        raise AssertionError(f"record: {done.returncode} {done.stderr!r}")
    check = session.pathline("check", directory)
    if check.returncode:
        raise AssertionError(check.stderr)
    rows, last = [], {}
    for *row, thread, time in session.rows(directory, "--fields", "file,event,code,line,error,idle,thread,time"):
        # Between two stamps that are near each other the error is as small, at the time of the
        # first one.
        rows.append([*row, "stamped" if int(row[4]) < STAMPED_NS and time != last.get(thread) else ""])
        last[thread] = time
    return directory, [row[1:] for row in rows if row[0].endswith("script.py")], rows


def stamped(rows, *events):
    """(how many of these events have a time of their own, how many there are)"""
    own = [row[5] == "stamped" for row in rows if row[0] in events]
    return sum(own), len(own)


class Clock(unittest.TestCase):
    def test_a_time_is_true_within_its_error(self):
        """Of lines and returns without an event, too: those after a sleep come before the next
        stamp, not within a tick of the last one."""
        recorded = session.Recorded(SLEEPS, "sleeps.py", "-q")
        _, woke, end = map(int, recorded.done.stdout.split())
        after = [str(n) for n, line in enumerate(SLEEPS.split("\n"), 1) if line.endswith("# after")]
        rows = [row[1:] for row in recorded.rows("--fields", "code,event,line,time,error") if row[0] == "sleeps"]
        told = [row for row in rows if row[1] in after or row[0] == "return"]
        self.assertEqual([row[0] for row in told], ["line", "line", "return"])
        for event, line, at, error in told:
            at = int(at.replace(".", ""))
            self.assertLess(at, end, (event, line))
            self.assertGreater(at + int(error), woke, (event, line))

    def test_a_program_that_kills_itself(self):
        """Its last lines have no event, and no stamp comes after them but that of the kill."""
        folder = session.scratch()
        with open(os.path.join(folder, "kills.py"), "w", encoding="utf-8") as f:
            f.write(KILLS)
        done = session.pathline("record", "-q", "-o", "r", "--python", PYTHON, "kills.py", cwd=folder)
        self.assertEqual(done.returncode, -signal.SIGKILL)
        rows = session.rows("r", "--fields", "file,event,line,time,error", cwd=folder)
        after = [row for row in rows if row[0].endswith("kills.py") and row[1] == "line" and int(row[2]) > 5]
        self.assertEqual([row[2] for row in after], ["6", "7", "8"])
        for _, _, line, at, error in after:
            self.assertGreater(int(at.replace(".", "")) + int(error), int(done.stdout), line)
        # a look before the kill says nothing of what came after
        end = session.pathline("replay", "--plain", "--end", "r", cwd=folder).stdout.decode().splitlines()
        self.assertEqual(len(end), 1, end)
        self.assertEqual(end[0].split("\t")[7], "8")

    def test_call_and_line(self):
        _, rows, _ = record(CALLS, "--clock", "call")
        self.assertEqual(stamped(rows, "call", "return"), (104, 104))
        self.assertLess(stamped(rows, "line")[0], 20)
        _, rows, _ = record(CALLS, "--clock", "line")
        self.assertEqual(stamped(rows, "call", "return", "line"), (360, 360))

    def test_timing(self):
        """--timing calls beside any tick: what --clock call does."""
        for clock in ((), ("--clock", "tick=10ms")):
            _, rows, _ = record(CALLS, "--timing", "calls", *clock)
            self.assertEqual(stamped(rows, "call", "return"), (104, 104))
            self.assertLess(stamped(rows, "line")[0], 20)
        _, rows, _ = record(CALLS, "--timing", "calls", "--clock", "line")
        self.assertEqual(stamped(rows, "call", "return", "line"), (360, 360))
        done = session.pathline("record", "--timing", "returns", "--", "x.py")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--timing", done.stderr)

    @unittest.skipIf(minor() == "3.11", "3.11 hears each line by its trace function")
    def test_timed_returns_are_witnesses(self):
        """Which arm a call of fib took is known by where it returned: two events a call, none of a
        line."""
        directory = os.path.join(session.scratch(), "r")
        session.pathline("record", "--stat", "-o", directory, "--timing", "calls", "--python", PYTHON, "-c", FIB)
        info = json.loads(session.pathline("info", "--json", directory).stdout)["data"]
        self.assertEqual(info["counts"]["return"], info["counts"]["call"])
        self.assertGreater(info["counts"]["line"], 2 * 3000)
        self.assertLess(info["recorded"], 2.1 * info["counts"]["call"])

    def test_the_path_is_the_same(self):
        paths = [[row[:3] for row in record(CALLS, "--clock", which)[1]] for which in ("tick=auto", "call", "line", "tick=100us")]
        self.assertEqual(paths[1:], paths[:1] * 3)

    def stamps(self, which):
        """Of a loop of a third of a second: when its lines were stamped, in ns."""
        directory, _, _ = record(LOOP, "--clock", which)
        times = {float(time) * 1e9 for time, error in session.rows(directory, "--fields", "time,error") if int(error) < STAMPED_NS}
        return sorted(times)

    def test_ticks(self):
        """On a busy machine ticks come late, never early: three quarters of one is the least. Some
        others come when a block is written or a code described."""
        for which, ns in (("tick=auto", 1e6), ("tick=1ms", 1e6), ("tick=10ms", 1e7)):
            stamps = self.stamps(which)
            self.assertLess(len(stamps), (stamps[-1] - stamps[0]) / (0.7 * ns) + 25)
        stamps = self.stamps("tick=100us")
        self.assertLess(min(b - a for a, b in zip(stamps, stamps[1:])), 0.5e6)

    def test_a_word_that_is_none(self):
        done = session.pathline("record", "--clock", "tick=1s", "--", "x.py")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--clock", done.stderr)


def packages():
    """What tools/python-packages installed for the interpreter."""
    return os.path.join(session.BUILD, "site", minor())


class Idle(unittest.TestCase):
    def waits(self, everything):
        """The idle waits of three naps, in ns; a loop may wait again for the rest of one."""
        waits = [int(row[5]) for row in everything if row[5]]
        self.assertEqual(sum(wait > 20_000_000 for wait in waits), 3, waits)
        self.assertGreater(sum(waits), 140_000_000)
        return sum(waits)

    def report(self, directory, waits):
        """The rows of lines; what was idle is nobody's."""
        report = [json.loads(line)["data"] for line in session.pathline("report", "--json", directory).stdout.splitlines()]
        self.assertAlmostEqual(report[-1]["idle_ns"], waits, delta=0.1 * waits)
        return report[:-1]

    def ask(self, selector):
        directory, rows, everything = record(IDLE, arguments=(selector,))
        waits = self.waits(everything)
        self.assertFalse(any(row[4] and int(row[4]) > 20_000_000 for row in rows if row[1] == "<module>"), "a socket's wait is no idle one")
        for row in self.report(directory, waits):
            if row["file"] and row["file"].endswith("selectors.py"):
                # What is certainly its own; the rest can be what the machine did meanwhile.
                self.assertLess(row["own_ns"] - row["error_ns"], 20_000_000, row)

    def test_epoll(self):
        self.ask("EpollSelector")

    def test_poll(self):
        self.ask("PollSelector")

    def test_select(self):
        self.ask("SelectSelector")

    def test_uvloop(self):
        """libuv polls by itself, within one line of the program."""
        if not os.path.isdir(os.path.join(packages(), "uvloop")):
            self.skipTest("no uvloop in " + packages())
        directory, rows, everything = record(UVLOOP, PYTHONPATH=packages())
        waits = self.waits(everything)
        line = next(k for k, text in enumerate(UVLOOP.splitlines(), 1) if "run_until_complete" in text)
        lines = {row["line"]: row for row in self.report(directory, waits) if row["file"] and row["file"].endswith("script.py")}
        self.assertIn(("line", "<module>", str(line)), [tuple(row[:3]) for row in rows])
        self.assertLess(lines[line]["waiting_ns"], waits / 2, lines[line])


class Sections(unittest.TestCase):
    def test_every_event_in_them_and_no_other(self):
        _, rows, _ = record(SECTIONS, PYTHONPATH=PACKAGE)
        inside = [row for row in rows if row[1] == "inside"]
        self.assertEqual(stamped(inside, "call", "line", "return"), (65, 65))
        sequence = [row for row in rows if row[1] == "sequence" and int(row[2]) > 18]
        self.assertEqual(stamped(sequence, "line", "yield"), (9, 9))
        # An event outside is stamped where the tick changes, and where the last one was in a
        # section.
        calls = stamped([row for row in rows if row[1] == "other"], "return")
        self.assertLess(calls[0], calls[1] / 2)

    def test_the_path_is_the_same(self):
        self.assertEqual(*([row[:3] for row in record(IN_AND_OUT, *options, PYTHONPATH=PACKAGE)[1]] for options in ((), ("--clock", "line"))))

    def test_straight_code_that_had_run(self):
        rows = [row[1:] for row in record(STRAIGHT, PYTHONPATH=PACKAGE)[2] if row[0] == "straight.py"]
        before, inside, after = (rows[i * len(rows) // 3:(i + 1) * len(rows) // 3] for i in range(3))
        path = [row[:3] for row in before]
        self.assertEqual([int(line) for event, _, line in path if event == "line"], [1, 2, 3, 3, 4, 5, 6])
        self.assertEqual([[row[:3] for row in run] for run in (inside, after)], [path, path])
        self.assertEqual(stamped(inside, "call", "line", "return"), (11, 11))
        stamps = stamped(before, "line")
        self.assertLess(stamps[0], stamps[1] / 2)

    def test_harmless_where_nothing_is_recorded(self):
        with open(os.path.join(session.scratch(), "sections.py"), "w", encoding="utf-8") as f:
            f.write(SECTIONS)
        done = subprocess.run([PYTHON, "-W", "error", f.name], env=dict(os.environ, PYTHONPATH=PACKAGE), capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))


if __name__ == "__main__":
    unittest.main()
