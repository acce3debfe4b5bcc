"""pathline report: where the time went; and the samples that say so."""
import collections
import csv
import ctypes
import datetime
import glob
import io
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "rotating"
ALONE = True  # shares of the time are compared

# Three lines of C code whose costs are as 1 : 10 : 100, by construction: sums over lists of one
# number.
SHARES = '''\
def work(passes, one, ten, hundred):
    for _ in range(passes):
        sum(one)  # 1
        sum(ten)  # 10
        sum(hundred)  # 100


work(80000, [1] * 200, [1] * 2000, [1] * 20000)
'''

# Nothing but calls: a thread that fills several chunks of its ring from one look at it to the next.
BUSY = '''\
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


fib(32)
'''

# One line blocks, in the middle of lines that are told by no event of their own.
BLOCK = '''\
import time


def pause():
    x = 1
    y = x + 1
    before = time.perf_counter()
    time.sleep(0.03)  # blocks
    after = time.perf_counter()
    z = y + 1
    return after - before


def busy():
    for i in range(20000):
        pass


busy()
print(sum(pause() for _ in range(5)))
busy()
'''

# It waits for ever, at a line that has no event of its own; one thread waits for it in a function
# without any event.
HANG = '''\
import ctypes
import sys
import threading
import time

if "hidden" in sys.argv:
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: nobody may look


def work(n):  # begins
    return sum(range(n))


def hidden(lock):
    lock.acquire()  # hidden


def stuck(lock):
    lock.acquire()
    work(1000)
    print(threading.get_native_id(), flush=True)
    lock.acquire()  # stuck


lock = threading.Lock()
thread = threading.Thread(target=lambda: hidden(lock), daemon=True)
time.sleep(0.1)
if "thread" in sys.argv:
    lock.acquire()
    thread.start()
    lock = threading.Lock()
stuck(lock)
'''

SLEEPS = '''\
import os
import signal
import threading
import time


def stuck(lock):
    time.sleep(0.2)  # sleeps
    lock.acquire()


lock = threading.Lock()
lock.acquire()
threading.Thread(target=stuck, args=(lock,)).start()
time.sleep(10)
os.kill(os.getpid(), signal.SIGKILL)
'''

# Functions that never ran: most of their lines hold no code, or go on with a statement.
TEXT = '''\
"""def none():
    of a text
"""
import functools


def never(a,
          b=2):
    """Text
of a function"""
    global TEXT
    nowhere: int
    somewhere: int = 1  # never
    # a comment
    c = """
    text
    """
    if a:  # never
        pass  # never
    else:
        b = (3 +  # never
             4)
    try:  # never
        x = a + \\
            c["#"]
    finally:
        print("x",  # never
              1)
    while a: break  # never
    else: a = 1  # never

    @functools.cache  # never
    def inner():  # never
        return x  # never
    return inner  # never


@functools.cache
@functools.cache
def ran(n):
    """Text."""
    here: int
    if n:
        return 1
    else:
        return 2  # never


ran(1)
'''

# Its loop waits, and is then kept busy for the time that is printed.
IDLE = '''\
import asyncio
import time


async def main():
    await asyncio.sleep(0.3)
    begun = time.monotonic_ns()
    while time.monotonic_ns() < begun + 200_000_000:
        pass
    print(time.monotonic_ns() - begun)


asyncio.run(main())
'''

# A task waits with what event loops wait with too, and so does what a thread without a loop calls.
WAITS = '''\
import asyncio
import multiprocessing
import select
import selectors
import socket
import subprocess
import sys

a, b = socket.socketpair()
one, other = multiprocessing.Pipe()
epoll = select.epoll()
epoll.register(a, select.EPOLLIN)
selector = selectors.DefaultSelector()
selector.register(a, selectors.EVENT_READ)


def waits():
    epoll.poll(0.2)  # epoll
    selector.select(0.2)  # selector
    one.poll(0.2)  # pipe
    subprocess.run(["sleep", "0.2"], capture_output=True)  # child


async def handler():
    await asyncio.sleep(0.2)
    for _ in range(1):
        waits()
    await asyncio.sleep(0.2)


if "loop" in sys.argv:
    asyncio.run(handler())
else:
    waits()
'''

# What two lines call is left out: it waits and computes, so many frames above them.
DEEP = '''\
import json
import sys
import time

sys.setrecursionlimit(10000)
left_out = {}
exec(compile("""
def down(n, call):
    return down(n - 1, call) if n else call()

def rest():
    time.sleep(0.2)

def spin():
    end = time.monotonic_ns() + 200_000_000
    while time.monotonic_ns() < end:
        pass
""", "/left/out.py", "exec"), globals(), left_out)
globals().update(left_out)


def timed(call):
    begun = time.monotonic_ns()
    call()
    return time.monotonic_ns() - begun


def own():
    time.sleep(0.2)  # own


def waits():
    down(FRAMES, rest)  # waits


def computes():
    down(FRAMES, spin)  # computes


print(json.dumps({call.__name__: timed(call) for call in (own, waits, computes)}))
'''


def report(recorded, *words):
    """(rows of lines, what is at the end)"""
    done = recorded.pathline("report", "--json", *words)
    if done.returncode or done.stderr:
        raise AssertionError(f"report: {done.returncode} {done.stderr!r}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [row["data"] for row in rows if row["type"] == "line"], [row["data"] for row in rows if row["type"] == "time"]


def line_of(text, word):
    return next(i for i, line in enumerate(text.split("\n"), 1) if line.endswith("# " + word))


class Report(unittest.TestCase):
    def test_shares_of_lines(self):
        recorded = session.Recorded(SHARES, "shares.py")
        lines, (whole,) = report(recorded)
        work = {row["line"]: row for row in lines if row["code"] == "work"}
        sum_ns = sum(row["own_ns"] for row in work.values())
        for word, share in (("1", 1 / 111), ("10", 10 / 111), ("100", 100 / 111)):
            row = work[line_of(SHARES, word)]
            self.assertEqual(row["hits"], 80000)
            self.assertAlmostEqual(row["own_ns"] / sum_ns, share, delta=0.05, msg=str(work))
        self.assertGreater(sum_ns, 0.9 * whole["sum_ns"])

    def test_a_thread_that_fills_chunk_after_chunk_is_seen(self):
        recorded = session.Recorded(BUSY, "busy.py")
        process, = json.loads(recorded.pathline("info", "--json").stdout)["data"]["processes"]
        self.assertGreater(process["samples"], 5)

    def test_own_times_add_up_to_the_recorded_time(self):
        recorded = session.shop()
        lines, (whole,) = report(recorded)
        self.assertAlmostEqual(sum(row["own_ns"] for row in lines) + whole["idle_ns"] + whole["lost_ns"], whole["sum_ns"], delta=1000)
        each = [report(recorded, "--thread", str(n))[1][0]["sum_ns"] for n in (0, 1)]
        self.assertAlmostEqual(sum(each), whole["sum_ns"], delta=1000)
        info = json.loads(recorded.pathline("info", "--json").stdout)["data"]["processes"][0]
        for thread, sum_ns in zip(info["threads"], each):
            self.assertLessEqual(sum_ns, (thread["end"] - thread["start"]) * 1e9 + 1e6)

    def test_hits_are_those_of_dump(self):
        counted = {}
        for file, line in session.shop().rows("--events", "line,again", "--fields", "file,line"):
            counted[file, int(line)] = counted.get((file, int(line)), 0) + 1
        told = {}
        for row in report(session.shop())[0]:
            if row["hits"]:
                told[row["file"], row["line"]] = told.get((row["file"], row["line"]), 0) + row["hits"]
        self.assertEqual(told, counted)

    def test_a_line_that_blocks(self):
        recorded = session.Recorded(BLOCK, "block.py")
        lines, _ = report(recorded)
        row, = [row for row in lines if row["code"] == "pause" and row["line"] == line_of(BLOCK, "blocks")]
        # How long a tick was at most is in the recording: it is the error of each event between two
        # stamps, as most rows are.
        tick_ns = statistics.median(int(error) for error, in recorded.rows("--fields", "error"))
        self.assertAlmostEqual(row["own_ns"], float(recorded.done.stdout) * 1e9, delta=5 * tick_ns + 1e6)
        self.assertGreater(row["waiting_ns"], row["computing_ns"])

    def test_a_line_that_sleeps_among_many_that_cost_nothing(self):
        """They were never seen, so they have next to nothing of its time. An error is one deviation,
        so it is the median of three runs that is near the truth."""
        body = "".join(f"        x{i} = n + {i}\n" for i in range(300))
        text = ("import time\n\n\ndef work():\n    spent = 0\n    for n in range(60):\n" + body
                + "        begun = time.perf_counter_ns()\n        time.sleep(0.01)  # sleeps\n"
                + "        spent += time.perf_counter_ns() - begun\n    return spent\n\n\nprint(work())\n")
        off = []                                        # in errors
        for _ in range(3):
            recorded = session.Recorded(text, "many.py")
            row, = (row for row in report(recorded)[0] if row["line"] == line_of(text, "sleeps"))
            off.append((row["own_ns"] - int(recorded.done.stdout)) / row["error_ns"])
        self.assertLess(abs(sorted(off)[1]), 2, off)

    def deep(self, frames):
        recorded = session.Recorded(DEEP.replace("FRAMES", str(frames)), "deep.py", "--exclude", "/left/*.py")
        measured = json.loads(recorded.done.stdout)
        lines = {row["code"]: row for row in report(recorded)[0] if row["line"] in [line_of(DEEP, word) for word in measured]}
        for word, ns in measured.items():
            row = lines[word]
            with self.subTest(word, frames=frames):
                # it is at most its error in two of three cases
                self.assertAlmostEqual(row["own_ns"], ns, delta=3 * row["error_ns"])
        return measured, lines

    def test_time_in_what_is_left_out_is_that_of_its_caller(self):
        for frames in (30, 300):
            measured, lines = self.deep(frames)
            for word, ns in measured.items():
                self.assertLess(lines[word]["error_ns"], ns / 2)

    def test_looks_that_find_no_line_are_in_the_error(self):
        self.deep(3000)

    def test_waiting_that_no_sample_saw(self):
        """Stamps say how long a function took, and only samples whether it waited: none is not 0.
        """
        rows = [json.loads(line)["data"] for line in session.shop().pathline("report", "--functions", "-n", "0", "--json").stdout.splitlines()]
        rows = {row["id"]: row for row in rows if row.get("id")}
        shown = session.shop().pathline("report", "--functions", "-n", "0").stdout.decode().splitlines()
        some = 0
        for line in shown:
            cells = re.split("  +", line.strip())
            row = rows.get(cells[-3]) if len(cells) > 3 else None
            if row:
                some += cells[2] == "-"
                self.assertEqual(cells[2] == "-", not row["samples"] and not row["waiting_ns"] and row["computing_ns"] > 0, line)
        self.assertTrue(some)

    def test_text(self):
        done = session.shop().pathline("report", "-n", "3")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertRegex(done.stdout, rb"^process 1  \d{4}-\d\d-\d\d  .*shop.py\n +share +own +waiting")
        self.assertEqual(done.stdout.split(b"\n\n")[0].count(b"% "), 3)
        self.assertEqual(session.shop().pathline("report", "-n", "x").returncode, 2)
        for words, said in ((("--from", "+3600"), "from +3600 on"), (("--from", "+1000", "--to", "+1001"), "from +1000 to +1001"), (("--to", "0%"), "up to 0%")):
            for view in (), ("--functions",), ("--exceptions",), ("--json",):
                done = session.shop().pathline("report", *words, *view)
                self.assertEqual(done.returncode, 0)
                self.assertRegex(done.stderr.decode(), "^pathline: report: no line ran " + re.escape(said) + r"; the recording is from \S+ \S+ to \S+\n$")
        self.assertEqual(session.shop().pathline("report", "--from", "0%", "--exceptions").stderr, b"")
        for word in "#3", "#N":
            refused = session.shop().pathline("report", "--from", word)
            self.assertEqual(refused.returncode, 2)
            self.assertRegex(refused.stderr.decode(), fr"^pathline: report: '{word}' is not a time; say [^#]*\n$")


# What contexts, tasks, exceptions and blocks are told of, with lines that say what they are.
SERVE = '''\
import asyncio
import threading
import time


def checked(n):
    if n % 3 == 0:
        raise ValueError(n)  # raises
    return n


class Odd:
    def __getattr__(self, name):
        raise AttributeError(name)  # raises too


def never():
    """Not called."""
    return 1  # never


def tidy():
    try:
        checked(3)
    finally:
        len("x")


def exceptions():
    for n in range(9):
        try:
            checked(n)
        except ValueError:  # handles
            pass
    for _ in range(4):
        try:
            tidy()
        except ValueError:  # handles after a finally
            pass
    for _ in range(5):
        getattr(Odd(), "x", None)  # swallows


async def polite():
    for _ in range(5):
        await asyncio.sleep(0.001)


async def rude():
    await asyncio.sleep(0)
    before = time.perf_counter()
    time.sleep(0.15)  # blocks the loop
    took = time.perf_counter() - before
    await asyncio.sleep(0)
    return took


async def serve():
    rude_one = asyncio.create_task(rude(), name="the rude one")
    await asyncio.gather(asyncio.create_task(polite(), name="the polite one"), rude_one)  # is awaited with a StopIteration
    return rude_one.result()


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)  # recursion


def busy(passes):
    before = time.perf_counter()
    for _ in range(passes):
        sum(range(20000))
    return time.perf_counter() - before


exceptions()
print(asyncio.run(serve()))
print(busy(400))
fib(15)
thread = threading.Thread(target=time.sleep, args=(0.08,))
thread.start()
thread.join()  # waits
'''

_served = None


def served():
    """The recording of SERVE that tests only read."""
    global _served
    _served = _served or session.Recorded(SERVE, "serve.py")
    return _served


def views(recorded, *words):
    """The rows of a view, as they are in the JSON."""
    done = recorded.pathline("report", "--json", *words)
    if done.returncode or done.stderr:
        raise AssertionError(f"report {words}: {done.returncode} {done.stderr!r}")
    return [row["data"] for row in map(json.loads, done.stdout.splitlines()) if row["type"] != "time"]


class Views(unittest.TestCase):
    def row(self, rows, **wanted):
        row, = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
        return row

    def test_sums(self):
        """Own times of lines, of functions and of contexts are the same whole, and a context's time
        is that of its children and its own."""
        lines, (whole,) = report(served())
        rest = whole["idle_ns"] + whole["lost_ns"]
        for words in ((), ("--functions",), ("--tree",)):
            rows = views(served(), *words)
            # What ran without Python has no function of its own in the tree: it is the root's.
            nobody = sum(row["own_ns"] for row in lines if row["code"] is None) if words == ("--tree",) else 0
            self.assertAlmostEqual(sum(row["own_ns"] for row in rows) + nobody + rest, whole["sum_ns"], delta=len(rows) + 1000, msg=words)
        nodes = views(served(), "--tree")
        below = collections.Counter()
        for node in nodes:
            below[node["parent"]] += node["cumulated_ns"]
        for node in nodes:
            self.assertAlmostEqual(node["own_ns"] + below[node["id"]], node["cumulated_ns"], delta=len(nodes), msg=str(node))

    def test_calls_of_callers_are_those_of_the_function(self):
        calls = collections.Counter()
        for row in views(served(), "--callers", "fib"):
            calls[row["caller"]] += row["calls"]
        fib = self.row(views(served(), "--functions"), code="fib")
        self.assertEqual(fib["calls"], 1973)
        self.assertEqual(calls, {"fib": 1972, "<module>": 1})
        self.assertEqual({row["callee"] for row in views(served(), "--callees", "tidy")}, {"checked"})
        self.assertEqual(self.row(views(served(), "--callees", "serve.py:tidy"), callee="checked")["calls"], 4)
        self.assertEqual(self.row(views(served(), "--callers", fib["id"]), caller="<module>")["calls"], 1)

    def test_recursion_counts_a_moment_once(self):
        fib = self.row(views(served(), "--functions"), code="fib")
        line = self.row(views(served()), code="fib", line=line_of(SERVE, "recursion"))
        module = self.row(views(served(), "--functions", "--file", "serve.py"), code="<module>")
        self.assertLessEqual(fib["cumulated_ns"], module["cumulated_ns"])
        self.assertAlmostEqual(fib["cumulated_ns"], fib["own_ns"], delta=10)
        self.assertAlmostEqual(line["cumulated_ns"], fib["own_ns"], delta=fib["own_ns"] * 0.1 + 1000)
        nodes = [node for node in views(served(), "--tree") if node["code"] == "fib"]
        self.assertEqual([node["recursive"] for node in nodes], [0, 1])
        self.assertEqual([node["calls"] for node in nodes], [1, 1972])

    def test_times_are_those_of_a_clock_in_the_program(self):
        rude_s, busy_s = map(float, served().done.stdout.split())
        tick = report(served())[1][0]["tick_ns"]
        row = self.row(views(served()), code="rude", line=line_of(SERVE, "blocks the loop"))
        self.assertAlmostEqual(row["own_ns"], rude_s * 1e9, delta=row["error_ns"] + tick)
        self.assertAlmostEqual(row["max_ns"], rude_s * 1e9, delta=row["max_error_ns"])
        busy = self.row(views(served(), "--functions"), code="busy")
        self.assertAlmostEqual(busy["cumulated_ns"], busy_s * 1e9, delta=busy["error_ns"] + 2 * tick)
        self.assertAlmostEqual(busy["max_ns"], busy_s * 1e9, delta=busy["max_error_ns"])

    def test_times_are_those_of_an_unrecorded_run(self):
        """Of what sleeps: another run of what computes takes another time on a busy machine."""
        alone = subprocess.run([session.PYTHON, served().script], stdout=subprocess.PIPE, check=True, timeout=60)
        row = self.row(views(served(), "--functions"), code="rude")
        self.assertAlmostEqual(row["max_ns"], float(alone.stdout.split()[0]) * 1e9, delta=row["max_error_ns"])

    def test_tasks(self):
        tasks = views(served(), "--tasks")
        rude = self.row(tasks, task="the rude one")
        self.assertEqual(rude["stretches"], 3)
        self.assertEqual((rude["code"], rude["line"]), ("rude", line_of(SERVE, "blocks the loop")))
        self.assertAlmostEqual(rude["max_ns"], float(served().done.stdout.split()[0]) * 1e9, delta=rude["max_error_ns"])
        polite = self.row(tasks, task="the polite one")
        self.assertEqual(polite["stretches"], 6)
        self.assertGreater(polite["wait_ns"], polite["run_ns"])
        self.assertGreater(rude["run_ns"], polite["run_ns"])

    def test_the_longest_is_at_most_the_whole(self):
        """An event loop's wait is in no time, so it is not in the longest pass either."""
        loop = session.Recorded(IDLE, "idle.py")
        busy = int(loop.done.stdout)
        rows = views(loop) + views(loop, "--functions")
        longer = [row for row in rows if (row["max_ns"] or 0) > row["cumulated_ns"]]
        self.assertEqual(longer, [])
        for name in ("run_forever", "_run_once"):
            row, = (row for row in views(loop, "--functions") if row["code"] == f"BaseEventLoop.{name}")
            if row["calls"] > 1:
                self.assertLess(row["max_ns"] - row["max_error_ns"], busy + 1e8, row)
                self.assertGreater(row["max_ns"] + row["max_error_ns"], busy, row)

    def test_a_loop_that_waits_is_not_busy(self):
        """Also where the loop is left out, so that nothing tells that its callback returned."""
        for options in ((), ("--only-mine",)):
            recorded = session.Recorded(IDLE, "idle.py", *options)
            with self.subTest(options):
                block, = [row for row in views(recorded, "--blocking", "100ms") if row["kind"] == "loop"]
                self.assertEqual(block["stack"][0]["code"], "main")
                # around what the program measures is only what the loop itself does, and not the
                # wait of 0.3 s
                spun = int(recorded.done.stdout)
                self.assertGreaterEqual(block["ns"] + block["error_ns"], spun)
                self.assertLess(block["ns"], spun + 150_000_000)

    def test_only_a_loop_s_own_wait_is_idle(self):
        """Not each wait with a selector or an epoll: in a task it keeps the loop busy."""
        whole = ("epoll", "selector", "pipe", "child")
        for words, options in (("loop",), ()), (("loop",), ("--only-mine",)), ((), ()), ((), ("--only-mine",)):
            with self.subTest(words=words, options=options):
                recorded = session.Recorded(WAITS, "waits.py", *options, arguments=words)
                lines, (total,) = report(recorded)
                own = {row["line"]: row["cumulated_ns"] for row in lines if (row["file"] or "").endswith("waits.py")}
                for word in whole:
                    self.assertGreater(own[line_of(WAITS, word)], 100_000_000, word)
                if not words:
                    self.assertEqual(total["idle_ns"], 0)
                    continue
                self.assertGreater(total["idle_ns"], 300_000_000)
                self.assertLess(total["idle_ns"], 600_000_000)
                loop, = (row for row in views(recorded, "--blocking", "600ms") if row["kind"] == "loop")
                self.assertGreater(loop["ns"] + loop["error_ns"], 800_000_000)
                self.assertIn("waits", [frame["code"] for frame in loop["stack"]])

    def test_a_range_that_begins_in_a_line(self):
        """The line has its time in the range, without an event there; all times add up."""
        text = ("import time\ndef first():\n    time.sleep(0.6)\ndef second():\n    time.sleep(0.6)\n"
                "first()\nsecond()\nfirst()\nsecond()\n")
        recorded = session.Recorded(text, "range.py", "--only-mine")
        rows = [json.loads(line)["data"] for line in recorded.pathline("dump", "--json").stdout.decode().splitlines()]
        begins = [row["time"] for row in rows if row["event"] == "call" and row["depth"] == 1]
        for name, call, length in ("first", 2, 0.3), ("second", 1, 0.1):
            times = [datetime.datetime.fromtimestamp(begins[call] + after) for after in (0.2, 0.2 + length)]
            words = "--from", str(times[0]), "--to", str(times[1])
            lines = views(recorded, *words)
            self.assertAlmostEqual(sum(row["own_ns"] for row in lines) / 1e9, length, delta=0.01, msg=lines)
            most = max(lines, key=lambda row: row["own_ns"])
            self.assertEqual((most["code"], most["hits"], most["own_ns"] > length * 0.8e9), (name, 0, True), lines)
            self.assertLessEqual(max(row["max_ns"] or 0 for row in lines), length * 1.01e9)
            told = recorded.pathline("report", *words).stdout.decode()
            self.assertRegex(told, r"\n0 hits: the line began before --from, or its code is left out by a filter\n")
            block, = views(recorded, "--blocking", "50ms", *words)
            self.assertEqual((block["kind"], block["stack"][0]["code"]), ("still", name))
            calls = {row["code"]: row for row in views(recorded, "--functions", *words)}
            self.assertEqual(calls[name]["calls"], 0)
            self.assertGreater(calls["<module>"]["cumulated_ns"], length * 0.9e9)
        # 0.1 s of a pass, another line, and 0.2 s of the next one, which alone has a hit
        times = [datetime.datetime.fromtimestamp(begins[0] + after) for after in (0.5, 1.4)]
        rows = views(recorded, "--from", str(times[0]), "--to", str(times[1]))
        passes, = (row for row in rows if row["code"] == "first" and row["hits"])
        self.assertAlmostEqual(passes["own_ns"] / 1e9, 0.3, delta=0.15, msg=passes)
        self.assertLess(passes["max_ns"], passes["own_ns"] * 0.9, passes)

    def test_the_longest_of_several_passes_between_two_stamps(self):
        """How long each took is not known: the error says so. A function's call is not a pass."""
        text = ("import threading, time\nlock = threading.Lock()\ndef holder():\n    with lock:\n        held.set()\n        time.sleep(0.6)\n"
                "def waiter():\n    with lock:\n        pass\ndef one(): time.sleep(0.2)\nheld = threading.Event()\n"
                "threads = [threading.Thread(target=f) for f in (holder, waiter)]\nthreads[0].start()\nheld.wait()\nthreads[1].start()\n"
                "for thread in threads:\n    thread.join()\none()\none()\n")
        recorded = session.Recorded(text, "passes.py")
        most = {}
        for row in views(recorded):
            if row["own_ns"] > most.get(row["code"], {"own_ns": 0})["own_ns"]:
                most[row["code"]] = row
        waits = most["waiter"]
        self.assertEqual(waits["line"], 8)
        self.assertGreaterEqual(waits["max_ns"] + waits["max_error_ns"], waits["own_ns"] * 0.9, waits)
        self.assertGreater(most["one"]["max_ns"], 190_000_000, most["one"])

    def test_left_out_code_is_explained(self):
        """Its rows have time and no hits. Where nothing is left out there is no such row."""
        text = "import bisect, re\ndef key(m):\n    return m.group()\nfor i in range(3000):\n    re.sub('a+', key, 'baab' * 50)\n"
        note = "\n0 hits: the code is left out by a filter, and calls code that is recorded\n"
        for options, explained in ((), False), (("--only-mine",), True):
            done = session.Recorded(text, "left.py", *options).pathline("report")
            self.assertEqual(note in done.stdout.decode(), explained, options)

    def test_the_line_of_a_def_has_the_time_of_calls(self):
        """Without a hit, unless the def itself is executed: that is another row, which is named."""
        text = "import left\ndef f():\n    return left.one(g)\ndef g():\n    return 1\nfor i in range(20000):\n    f()\n"
        folder = session.scratch()
        with open(os.path.join(folder, "left.py"), "w", encoding="utf-8") as f:
            f.write("one = lambda call: call()\n")
        with open(os.path.join(folder, "calls.py"), "w", encoding="utf-8") as f:
            f.write(text)
        notes = {"left": "\n0 hits: the code is left out by a filter, and calls code that is recorded\n",
                 "def": "\n0 hits of a def: the time from a call of the function to its first line\n"}
        for options in (), ("--exclude", "left"):
            session.pathline("record", "-q", "-o", "r" + "-".join(options), *options, "--python", session.PYTHON, "calls.py", cwd=folder)
            for file, told in ("calls.py", {"def"}), ("left.py", {"left"} if options else set()):
                done = session.pathline("report", "--file", file, "-n", "0", "r" + "-".join(options), cwd=folder).stdout.decode()
                if file == "calls.py":
                    self.assertRegex(done, r" 0 +- +- +- +\S+calls.py:2 in f  def f")
                    self.assertRegex(done, r" 1 .*calls.py:2 in <module>  def f")
                self.assertRegex(done, r"calls.py:7  f\(\)" if file == "calls.py" else r"left.py:1")
                self.assertEqual({word for word, note in notes.items() if note in done}, told, (options, file, done))

    def test_a_line_of_two_functions_names_them(self):
        text = "def f(n):\n    return sum(i * i for i in range(n))\nf(100000)\n"
        done = session.Recorded(text, "two.py", "--only-mine").pathline("report", "-n", "0").stdout.decode()
        self.assertRegex(done, r"two.py:2 in f  return sum")
        self.assertRegex(done, r"two.py:2 in f.<locals>.<genexpr>  return sum")
        self.assertRegex(done, r"two.py:3  f\(")

    def test_a_view_without_rows_says_so(self):
        """To a person; the data has no row."""
        recorded = session.Recorded("def f():\n    return 1\n\n\nf()\n", "none.py", "--only-mine")
        for words, said in ((("--callees", "f"), "It called no function that was recorded."), (("--tasks",), "No asyncio task and no greenlet ran."),
                            (("--exceptions",), "No exception was raised in code that was recorded."), (("--blocking", "1h"), "No thread and no event loop")):
            self.assertRegex(recorded.pathline("report", *words).stdout.decode(), f"(?m)^{said}")
            self.assertEqual(recorded.pathline("report", *words, "--json").stdout, b"")

    def test_rows_that_are_not_shown_are_counted(self):
        for words in (), ("--functions",), ("--tasks",), ("--exceptions",), ("--callees", "serve"):
            outside = words in ((), ("--functions",))   # the row outside of Python
            listed = [row for row in views(served(), *words) if not str(row.get("type")).startswith("Stop")]   # those are counted in a note
            rows = len(listed) - outside
            text = served().pathline("report", "-n", "1", *words).stdout.decode()
            self.assertRegex(text, rf"(?m)^{rows - 1:,} more rows?; -n 0 shows all$", words)
            self.assertNotIn("more row", served().pathline("report", "-n", "0", *words).stdout.decode())
        text = served().pathline("report", "-n", "1", "--blocking", "20ms").stdout.decode()
        self.assertRegex(text, r"(?m)^\d+ more rows?; -n 0 shows all$")
        text = served().pathline("report", "--csv").stdout.decode()
        self.assertEqual(len(text.splitlines()) - 1, len(views(served())))

    def test_what_stamps_prove_has_no_error(self):
        """Nothing of it is an estimate, also where a look came in the moment of an event."""
        text = ("import threading, time\ndef work(lock):\n    for _ in range(200):\n        with lock:\n            time.sleep(0.0005)\n"
                "lock = threading.Lock()\nthreads = [threading.Thread(target=work, args=(lock,)) for _ in range(6)]\n"
                "for thread in threads:\n    thread.start()\nfor thread in threads:\n    thread.join()\n")
        for clock, exact in ("line", True), ("tick=auto", False):
            recorded = session.Recorded(text, "locks.py", "--clock", clock)
            for words in (), ("--functions",):
                rows = [row for row in views(recorded, *words) if row["code"] == "work" and row["own_ns"]]
                self.assertEqual({row["error_ns"] for row in rows} == {0}, exact, (clock, words, rows))

    def test_a_task_that_is_cancelled(self):
        """One exception is one row, through all coroutines; who got several in a row has each."""
        text = ("import asyncio\nasync def inner():\n    await asyncio.sleep(5)\nasync def job():\n    try:\n        await inner()\n"
                "    finally:\n        pass\nasync def main():\n    tasks = [asyncio.create_task(job()) for _ in range(3)]\n"
                "    await asyncio.sleep(0.01)\n    for task in tasks:\n        task.cancel()\n"
                "    await asyncio.gather(*tasks, return_exceptions=True)\n    raise LookupError\nasyncio.run(main())\n")
        for options, raised in ((), "sleep"), (("--only-mine",), "inner"):
            folder = session.scratch()
            with open(os.path.join(folder, "cancels.py"), "w", encoding="utf-8") as f:
                f.write(text)
            session.pathline("record", "-q", *options, "--python", session.PYTHON, "cancels.py", cwd=folder)
            told = session.pathline("report", "--exceptions", "--json", cwd=folder).stdout.decode()
            every = [json.loads(line)["data"] for line in told.splitlines()]
            rows = [row for row in every if "CancelledError" in row["type"]]
            self.assertEqual([(row["count"], row["code"], row["end"], row["ended"]) for row in rows], [(3, raised, "swallowed", "cancelled task")], options)
            shown = session.pathline("report", "--exceptions", "-n", "0", cwd=folder).stdout.decode()
            self.assertRegex(shown, r"(?m)^ +\d+ +1  LookupError .*  ended main thread  ")
            self.assertRegex(shown, rf"(?m)^ +\d+ +3  asyncio.*CancelledError +{raised} +cancelled task  ")
            self.assertEqual({row["ended"] for row in every if row["type"] == "LookupError"},
                             {"main thread"} if options else {"main thread", "task"})

    def test_a_stretch_goes_on_where_an_exception_leaves_what_is_awaited(self):
        """What is thrown goes from the innermost coroutine to the first: that is one stretch."""
        text = ("import asyncio, time\nasync def wait(depth, seconds):\n    try:\n        if depth:\n            await wait(depth - 1, seconds)\n"
                "        else:\n            await asyncio.sleep(3600)\n    finally:\n        time.sleep(seconds)\n"
                "async def again(depth):\n    try:\n        await wait(depth, 0)\n    except asyncio.CancelledError:\n"
                "        asyncio.current_task().set_name('renamed')\n        await asyncio.sleep(0)\n        await asyncio.sleep(0)\n"
                "async def timed(depth):\n    try:\n        async with asyncio.timeout(0.01):\n            await wait(depth, 0)\n    except TimeoutError:\n        pass\n"
                "async def main():\n    tasks = [asyncio.create_task(wait(n, 0), name=f'cancelled {n}') for n in range(4)]\n"
                "    tasks += [asyncio.create_task(again(3), name='again'), asyncio.create_task(wait(3, 0.02), name='slow')]\n"
                "    await asyncio.sleep(0)\n    for task in tasks:\n        task.cancel()\n    await asyncio.wait(tasks)\n"
                "    await asyncio.create_task(timed(3), name='timed')\nasyncio.run(main())\n")
        for options in (), ("--only-mine",), ("--clock", "line"), ("--clock", "line", "--only-mine"):
            recorded = session.Recorded(text, "thrown.py", *options)
            rows = {row["task"]: row for row in views(recorded, "--tasks")}
            self.assertEqual({name: row["stretches"] for name, row in rows.items() if not re.match(r"Task-\d", name)},
                             {"cancelled 0": 2, "cancelled 1": 2, "cancelled 2": 2, "cancelled 3": 2, "renamed": 4, "slow": 2, "timed": 2}, options)
            if "line" not in options:
                continue
            # four sleeps of 20 ms, one in each coroutine
            slow, blocks = rows["slow"], [b for b in views(recorded, "--blocking", "60ms") if b["task"] == "slow" and b["kind"] == "loop"]
            self.assertGreaterEqual(slow["max_ns"] + slow["max_error_ns"], 80e6)
            self.assertTrue(any(b["ns"] + b["error_ns"] >= 80e6 for b in blocks), blocks)

    def test_tasks_that_wait_for_ever(self):
        """In wait_ns up to the end of the thread's path, killed, ended, or going on elsewhere."""
        text = ("import asyncio, os, signal, sys, time\nasync def stuck(event):\n    await asyncio.sleep(0.01)\n    await event.wait()  # for ever\n"
                "async def done():\n    await asyncio.sleep(0.01)\n"
                "async def main():\n    event = asyncio.Event()\n    other = asyncio.create_task(done(), name='done')\n"
                "    waiting = asyncio.create_task(stuck(event), name='stuck')\n    await other\n    await asyncio.sleep(0.3)\n"
                "    if 'kill' in sys.argv:\n        os.kill(os.getpid(), signal.SIGKILL)\n    return waiting\n"
                "loop = asyncio.new_event_loop()\nwaiting = loop.run_until_complete(main())\ntime.sleep(0.3)\n"
                "os._exit(0)\n")
        folder = session.scratch()
        with open(os.path.join(folder, "waits.py"), "w", encoding="utf-8") as f:
            f.write(text)
        for name, least, options, words in (("killed", 0.3, (), ("kill",)), ("ended", 0.6, (), ()), ("mine", 0.6, ("--only-mine",), ())):
            session.pathline("record", "-q", "-o", name, *options, "--python", session.PYTHON, "waits.py", *words, cwd=folder)
            done = session.pathline("report", "--tasks", "--json", name, cwd=folder)
            rows = {row["task"]: row for row in (json.loads(line)["data"] for line in done.stdout.splitlines())}
            stuck = rows["stuck"]
            self.assertGreaterEqual(stuck["wait_ns"] + stuck["wait_error_ns"], least * 1e9, name)
            self.assertEqual((os.path.basename(stuck["wait_file"]), stuck["wait_line"], stuck["wait_code"]),
                             ("waits.py", line_of(text, "for ever"), "stuck"), name)
            self.assertEqual((rows["done"]["wait_file"], rows["done"]["wait_line"]), (None, None))
            self.assertLess(rows["done"]["wait_ns"], 0.2e9)
            shown = session.pathline("report", "--tasks", name, cwd=folder).stdout.decode()
            self.assertRegex(shown, rf"(?m)^task {stuck['task_id']} stuck waits since \d\d:\d\d:\d\d\.\d+ in \S+waits\.py:4  await event")
            self.assertEqual(len(re.findall("waits since", shown)), len([row for row in rows.values() if row["wait_code"]]))

    def test_where_a_task_waits(self):
        """The innermost line of the program's own code; without any, the innermost line."""
        text = ("import asyncio, os, sys\nsys.path.insert(0, 'site-packages')\nimport helper\n"
                "async def inner():\n    await helper.rest()  # inner\nasync def mid():\n    await inner()\n"
                "async def outer():\n    await asyncio.sleep(0)\n    await mid()\nasync def event():\n    await asyncio.Event().wait()  # event\n"
                "async def main():\n    tasks = [asyncio.create_task(job(), name=job.__name__) for job in (outer, event, helper.around)]\n"
                "    await asyncio.sleep(0.01)\n    os._exit(0)\nasyncio.run(main())\n")
        installed = "import asyncio\nasync def rest():\n    await asyncio.sleep(3600)  # rest\nasync def around():\n    await rest()  # around\n"
        for options in (), ("--include", "helper.py", "--include", "waits.py"), ("--only-mine",):
            folder = session.scratch()
            os.mkdir(os.path.join(folder, "site-packages"))
            for name, written in ("waits.py", text), ("site-packages/helper.py", installed):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(written)
            session.pathline("record", "-q", *options, "--python", session.PYTHON, "waits.py", cwd=folder)
            told = session.pathline("report", "--tasks", "--json", cwd=folder).stdout.decode()
            places = {row["task"]: (os.path.basename(row["wait_file"]), row["wait_line"], row["wait_code"])
                      for row in (json.loads(line)["data"] for line in told.splitlines()) if row.get("wait_file")}
            self.assertEqual((places["outer"], places["event"]),
                             (("waits.py", line_of(text, "inner"), "inner"), ("waits.py", line_of(text, "event"), "event")), options)
            if "--only-mine" in options:
                self.assertNotIn("around", places)
            elif options:
                self.assertEqual(places["around"], ("helper.py", line_of(installed, "rest"), "rest"))
            else:
                self.assertEqual((places["around"][0], places["around"][2]), ("tasks.py", "sleep"))
            shown = session.pathline("report", "--tasks", cwd=folder).stdout.decode()
            self.assertRegex(shown, rf"(?m)^task \d+ outer waits since .* in \S+waits\.py:{line_of(text, 'inner')}  await helper")

    def test_blocking(self):
        blocks = views(served(), "--blocking", "60ms")
        line = line_of(SERVE, "blocks the loop")
        # One row: the moment is not listed again as a wait of the thread.
        block, = [row for row in blocks if row["stack"][0]["line"] == line]
        self.assertEqual(block["kind"], "loop")
        self.assertEqual([frame["code"] for frame in block["stack"]][:2], ["rude", "Handle._run"])
        self.assertEqual(block["stack"][-1]["code"], "<module>")
        self.assertAlmostEqual(block["ns"], float(served().done.stdout.split()[0]) * 1e9, delta=block["error_ns"] + 1e6)
        longest = max(views(served(), "--tasks"), key=lambda task: task["max_ns"] or 0)
        self.assertEqual((block["task_id"], block["task"]), (longest["task_id"], longest["task"]))
        # The line's event: in the block's task, and the one that takes the time.
        said = served().pathline("replay", "--plain", "--thread", str(block["thread"]), "--at", f"#{block['seq']}").stdout.decode().split("\t")
        self.assertEqual((said[2], said[5], said[7], said[8], said[10]),
                         (str(block["seq"]), "line", str(block["stack"][0]["line"]), block["stack"][0]["code"], str(block["task_id"])))
        self.assertIn(f", task {longest['task_id']} {longest['task']}, #{block['seq']}\n", served().pathline("report", "--blocking", "60ms").stdout.decode())
        row = next(csv.DictReader(io.StringIO(served().pathline("report", "--blocking", "60ms", "--csv").stdout.decode())))
        self.assertEqual((row["task_id"], row["task"]), ("", "") if blocks[0]["task_id"] is None else (str(blocks[0]["task_id"]), blocks[0]["task"]))
        waits = [row for row in blocks if row["thread"] == 0 and row["stack"][-1]["line"] == line_of(SERVE, "waits")]
        self.assertEqual([(row["kind"], row["task"]) for row in waits], [("still", None)], blocks)
        self.assertEqual(views(served(), "--blocking", "1m"), [])
        self.assertIn("stood still for that long; tasks that wait: pathline report --tasks\n",
                      served().pathline("report", "--blocking", "1m").stdout.decode())
        self.assertEqual(served().pathline("report", "--blocking", "soon").returncode, 2)
        self.assertRegex(served().pathline("report", "--blocking", "60ms").stdout, rb"the event loop was kept busy.*\n +rude +.*:\d+ +time.sleep")

    def test_exceptions_that_ended_something_come_first(self):
        """A thread, a task, the process; also if the code that runs them is left out; and what is
        not shown is told."""
        noise = "".join(f"try:\n    int('x{i}')\nexcept ValueError:\n    pass\n" * 2 for i in range(30))
        text = ("import _thread, asyncio, threading, time\n" + noise + "def work():\n    raise KeyError\nthread = threading.Thread(target=work)\n"
                "thread.start()\nthread.join()\nclass Mine(threading.Thread):\n    def run(self):\n        raise OSError\n"
                "thread = Mine()\nthread.start()\nthread.join()\ndef bare(began):\n    began.release()\n    raise ArithmeticError\n"
                "began = threading.Lock()\nbegan.acquire()\n_thread.start_new_thread(bare, (began,))\nbegan.acquire()\nwhile _thread._count():\n    time.sleep(0.001)\nasync def job():\n    raise LookupError\nasync def main():\n"
                "    asyncio.get_running_loop().call_soon(int, 'callback')\n"
                "    await asyncio.wait([asyncio.ensure_future(job())])\nasyncio.run(main())\nraise RuntimeError\n")
        for options in (), ("--only-mine",), ("--exclude", "stdlib"), ("--exclude", "threading"):
            with self.subTest(options):
                folder = session.scratch()
                with open(os.path.join(folder, "ends.py"), "w", encoding="utf-8") as f:
                    f.write(text)
                session.pathline("record", "-q", *options, "-o", "r", "--python", session.PYTHON, "ends.py", cwd=folder)
                lines = session.pathline("report", "--exceptions", "-n", "7", "r", cwd=folder).stdout.decode().splitlines()
                ends = {row.split()[2]: re.search(r"ended (main )?\w+|unhandled|handled|swallowed", row)[0] for row in lines[2:7]}
                self.assertEqual(ends, {"KeyError": "ended thread", "OSError": "ended thread", "ArithmeticError": "ended thread",
                                        "LookupError": "ended task", "RuntimeError": "ended main thread"}, lines)
                self.assertRegex("\n".join(lines), r"(?m)^\d\d+ more rows; -n 0 shows all$")
                lines = session.pathline("report", "--exceptions", "-n", "0", "r", cwd=folder).stdout.decode()
                self.assertNotIn("more rows", lines)
                self.assertEqual(lines.count("ended "), 5, lines)  # a callback is no task

    def test_exceptions(self):
        rows = [row for row in views(served(), "--exceptions") if row["file"].endswith("serve.py")]
        told = {(row["type"], row["line"], row["end"], row["handled_line"], row["count"]) for row in rows}
        raises, handles, awaits = (line_of(SERVE, words) for words in ("raises", "handles", "is awaited with a StopIteration"))
        # told by the interpreter until 3.14
        told.discard(("StopIteration", awaits, "swallowed", awaits, 1))
        self.assertEqual(told, {
            ("ValueError", raises, "handled", handles, 3),
            ("ValueError", raises, "handled", line_of(SERVE, "handles after a finally"), 4),
            ("AttributeError", line_of(SERVE, "raises too"), "swallowed", line_of(SERVE, "swallows"), 5)})

    def test_what_is_let_go_of_on_the_way_runs_in_between(self):
        """A loop's generator is closed, and objects are deleted, before the exception goes on."""
        text = ("import asyncio, threading\ndef rows():\n    yield 1\n    yield 2\nclass Late:\n    def __del__(self):\n"
                "        try:\n            int('late')\n        except ValueError:\n            pass\n    def __iter__(self):\n        return self\n"
                "    def __next__(self):\n        return 1\n"
                "def inner():\n    for r in rows():\n        for r in Late():\n            raise KeyError('inner')\n"
                "def outer():\n    for r in rows():\n        inner()\n"
                "try:\n    outer()\nexcept KeyError:\n    pass\n"
                "def work():\n    for r in (x for x in rows()):\n        raise OSError\n"
                "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\n"
                "async def job():\n    for r in (x for x in rows()):\n        await asyncio.sleep(10)\n"
                "async def some():\n    yield 1\n    yield 2\n"
                "async def fails():\n    async for r in some():\n        raise LookupError\n"
                "async def main():\n    task = asyncio.create_task(job())\n    await asyncio.sleep(0)\n    task.cancel()\n"
                "    await asyncio.wait([task, asyncio.create_task(fails())])\nasyncio.run(main())\n"
                "for r in rows():\n    raise RuntimeError\n")
        for options in (), ("--only-mine",):
            with self.subTest(options):
                folder = session.scratch()
                with open(os.path.join(folder, "closes.py"), "w", encoding="utf-8") as f:
                    f.write(text)
                session.pathline("record", "-q", *options, "--python", session.PYTHON, "closes.py", cwd=folder)
                told = session.pathline("report", "--exceptions", "--json", cwd=folder).stdout.decode().splitlines()
                every = [json.loads(line)["data"] for line in told]
                rows = [row for row in every if row["file"].endswith("closes.py")]
                wanted = {"KeyError": ("handled", None), "OSError": (None, "thread"), "LookupError": (None, "task"),
                          "RuntimeError": ("unhandled", "main thread")}
                for kind, (end, ended) in wanted.items():
                    found = [(row["end"], row["ended"], row["line"] > 0) for row in rows if row["type"] == kind]
                    self.assertEqual(len(found), 1, (kind, rows))
                    self.assertEqual((found[0][0] if end else None, found[0][1:]), (end, (ended, True)), (kind, rows))
                cancelled = [row["ended"] for row in every if "CancelledError" in row["type"]]
                self.assertEqual([word for word in cancelled if word], ["cancelled task"], cancelled)

    def test_an_exception_that_ends_a_loop(self):
        text = ("class Three:\n    n = 0\n\n    def __iter__(self):\n        return self\n\n    def __next__(self):\n        self.n += 1\n"
                "        if self.n > 3:\n            raise StopIteration\n        return self.n\n\n\n"
                "def run(passes):\n    for n in Three():\n        passes += n\n    return passes\n\n\nrun(1)\nrun(2)\n")
        recorded = session.Recorded(text, "loops.py", "--only-mine")
        rows = [row for row in views(recorded, "--exceptions") if row["file"].endswith("loops.py")]
        self.assertEqual([(row["type"], row["line"], row["end"], row["handled_line"], row["count"]) for row in rows],
                         [("StopIteration", 10, "swallowed", 15, 2)])
        shown = recorded.pathline("report", "--exceptions").stdout.decode()
        self.assertIn("2 StopIteration or StopAsyncIteration of loops, await and yield from; --all shows them.", shown)
        self.assertNotIn("  StopIteration", shown)
        for words in (("--all",), ("--filter", "exception == 'StopIteration'"), ("--csv",)):
            self.assertRegex(recorded.pathline("report", "--exceptions", "-n", "0", *words).stdout.decode(), r"\bStopIteration\b.*__next__")

    def test_exceptions_of_await_and_the_like(self):
        text = ("import asyncio\n\n\nasync def items():\n    yield 1\n\n\nasync def one():\n    async for item in items():\n        pass\n\n\n"
                "def part():\n    return (yield 1)\n\n\ndef whole():\n    yield from part()\n\n\nasync def main():\n    await one()\n"
                "    list(whole())\n    try:\n        next(iter(()))\n    except StopIteration:\n        pass\n\n\nasyncio.run(main())\n")
        recorded = session.Recorded(text, "awaits.py", "--only-mine")
        shown = recorded.pathline("report", "--exceptions", "-n", "0").stdout.decode()
        self.assertEqual(re.findall(r"(Stop\w+) +main +handled +\S+awaits.py:25", shown), ["StopIteration"])
        self.assertEqual(len(re.findall("  Stop", shown)), 1, shown)
        self.assertRegex(shown, r"\d StopIteration or StopAsyncIteration of loops")

    def test_own_exceptions_come_before_those_of_libraries(self):
        text = ("import json\n\n\ndef load(text):\n    try:\n        return json.loads(text)\n    except ValueError:\n        raise KeyError(text)\n\n\n"
                "for text in '{', '[1', 'x':\n    try:\n        json.loads(text)\n    except ValueError:\n        pass\n"
                "try:\n    load('{')\nexcept KeyError:\n    pass\n")
        rows = views(session.Recorded(text, "own.py"), "--exceptions")
        own = [row["file"].endswith("own.py") for row in rows if not row["ended"]]
        self.assertEqual(own, sorted(own, reverse=True), rows)
        self.assertEqual((sum(own) > 0, all(own)), (True, False))

    def test_the_example_of_a_row_is_one_of_its_own(self):
        """All pass the same handler, which raises them anew; they end in two threads, and one
        there."""
        text = ("import threading\n\n\ndef convert(text):\n    try:\n        int(text)\n    except ValueError as e:\n"
                "        raise RuntimeError(text) from e\n\n\ndef keep(text, key=None):\n    try:\n        convert(text)\n"
                "    except RuntimeError:\n        if key != text:\n            raise\n\n\n"
                "thread = threading.Thread(target=keep, args=('q',))\nthread.start()\nthread.join()\n"
                "keep('here', 'here')\ntry:\n    keep('x')\nexcept RuntimeError:\n    pass\n"
                "def last():\n    try:\n        keep('y')\n    except RuntimeError:\n        pass\n\n\nlast()\n")
        recorded = session.Recorded(text, "rows.py", "--only-mine")
        rows = [row for row in views(recorded, "--exceptions") if row["type"] == "RuntimeError"]
        self.assertEqual(sorted((row["ended"] or row["handled_code"], row["message"], row["count"]) for row in rows),
                         [("<module>", "x", 1), ("keep", "here", 1), ("last", "y", 1), ("thread", "q", 1)])

    def test_an_exception_that_nobody_handles(self):
        text = "def f():\n    raise KeyError(1)\n\n\nf()\n"
        folder = session.scratch()
        with open(os.path.join(folder, "fails.py"), "w") as f:
            f.write(text)
        session.pathline("record", "-o", "r", "--python", session.PYTHON, "--", "fails.py", cwd=folder)
        done = session.pathline("report", "r", "--exceptions", "--json", cwd=folder)
        row, = [row["data"] for row in map(json.loads, done.stdout.splitlines()) if row["data"]["file"].endswith("fails.py")]
        self.assertEqual((row["type"], row["line"], row["end"], row["count"]), ("KeyError", 2, "unhandled", 1))

    def test_file(self):
        text = served().pathline("report", "--file", "serve.py").stdout.decode()
        margins = {}
        for line in text.splitlines()[2:]:
            if line:
                margins[int(line[41:49])] = line[:12].split()
        self.assertEqual(len(margins), len(SERVE.splitlines()))
        self.assertEqual(margins[line_of(SERVE, "never")], ["never"])
        self.assertEqual(margins[line_of(SERVE, "recursion")], ["1,973"])
        self.assertEqual(margins[line_of(SERVE, "handles after a finally")], ["4"])
        self.assertEqual(margins[4], [])
        hits = collections.Counter()
        for row in views(served(), "--file", "serve.py"):
            hits[row["line"]] += row["hits"]
        self.assertEqual({line: [f"{n:,}"] for line, n in hits.items() if n},
                         {line: margin for line, margin in margins.items() if margin and margin != ["never"]})
        owns = {int(line[41:49]): (line[12:24].strip(), line[24:34].strip()) for line in text.splitlines()[2:] if line}
        hot = {}
        for row in re.findall(r"(?m)^ *[\d.]+%  +(\S+ \S+) .*? (±\S+ \S+) .*serve\.py:(\d+) ", served().pathline("report", "-n", "0", "--file", "serve.py", "--sort", "own").stdout.decode()):
            hot.setdefault(int(row[2]), []).append(row[:2])
        for line, shown in hot.items():  # one that is in two codes has the sum of both
            if len(shown) == 1:
                self.assertEqual([owns[line]], shown, line)
        self.assertGreater(len(hot), 10)
        self.assertEqual(served().pathline("report", "--file", "nosuch.py").returncode, 1)
        file_id, = {row["file_id"] for row in views(served(), "--file", "serve.py")}
        self.assertEqual(served().pathline("report", "--file", file_id).stdout.decode(), text)

    def test_lines_that_ran_have_an_error(self):
        """Also where a thread ends within a tick of its last stamp, with no time for them."""
        text = ("import threading\n\n\ndef work():\n    a = 1\n    b = 2\n    raise ValueError(a)\n\n\n"
                "threading.excepthook = lambda *a: None\nthread = threading.Thread(target=work)\nthread.start()\nthread.join()\n")
        recorded = session.Recorded(text, "ends.py", "--clock", "tick=10ms")
        shown = recorded.pathline("report", "--file", "ends.py").stdout.decode()
        for line in 5, 6, 7:
            self.assertRegex(shown, rf"(?m)^ +1 +\S+ \S+ +±\S+ \S+ +\d+\.\d% +{line} ")
        for row in report(recorded)[0]:
            if row["code"] == "work" and row["hits"]:
                self.assertGreater(row["error_ns"], 100_000, row)

    def test_lines_that_wait_in_turn(self):
        """A thread that waits long is looked at less and less often: the line after that
        loses no time by it, nor does one without an event for long. An error is one deviation."""
        text = ("import time\n\n\ndef f():\n    begun = time.monotonic_ns()\n    time.sleep(0.4)  # long\n"
                "    middle = time.monotonic_ns()\n    time.sleep(0.1)  # short\n"
                "    return middle - begun, time.monotonic_ns() - middle\n\n\n"
                "print(*map(sum, zip(*(f() for _ in range(4)))))\n")
        recorded = session.Recorded(text, "turns.py")
        for word, ns in zip(("long", "short"), map(int, recorded.done.stdout.split())):
            row, = (row for row in report(recorded)[0] if row["line"] == line_of(text, word))
            self.assertLess(abs(row["own_ns"] - ns), 3 * row["error_ns"], (word, ns, row))

    def test_lines_without_code_are_not_called_never_run(self):
        folder = session.scratch()
        with open(os.path.join(folder, "text.py"), "w", encoding="utf-8") as f:
            f.write(TEXT)
        done = session.pathline("record", "-q", "-o", "r", "--python", session.PYTHON, "--", "text.py", cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = session.pathline("report", "--file", "text.py", "r", cwd=folder).stdout.decode()
        never = {int(line[41:49]) for line in text.splitlines()[2:] if line[:12].strip() == "never"}
        self.assertEqual(never, {n for n, line in enumerate(TEXT.splitlines(), 1) if line.endswith(("# never", '= """', "+ \\"))}, text)

    def test_a_file_and_a_function(self):
        """Both are obeyed: the lines of that function in that file."""
        mine = [row for row in views(served()) if row["code"] == "busy"]
        for words in ((), ("--sort", "hits"), ("-n", "0")):
            text = served().pathline("report", "--file", "serve.py", "--function", "busy", *words).stdout.decode()
            lines = {int(n) for n in re.findall(r"serve\.py:(\d+)(?: in busy)?  ", text)}
            self.assertEqual(lines, {row["line"] for row in mine}, words)
        for words, of in ((("--file", "serve.py", "--function", "nosuch"), "'nosuch' of a file 'serve.py'"),
                          (("--file", "threading.py", "--function", "busy"), "'busy' of a file 'threading.py'"),
                          (("--functions", "--file", "threading.py", "--function", "busy"), "'busy' of a file 'threading.py'")):
            done = served().pathline("report", *words)
            self.assertEqual((done.returncode, done.stderr.decode()),
                             (1, f"pathline: report: no function {of} ran in what was asked for; `pathline report --functions -n 0` lists those that did\n"))

    def test_a_file_without_source(self):
        recorded = session.Recorded("exec(compile('x = 1\\ny = 2\\n', '<made>', 'exec'))\n", "made.py")
        done = recorded.pathline("report", "--file", "<made>")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rb"^pathline: report: <made>: its source is not there")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()[2:] if line], [b"1", b"1"])

    def test_sort_and_rows(self):
        done = served().pathline("report", "--csv", "--sort", "hits", "-n", "4")
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        hits = sorted((row["hits"] for row in views(served())), reverse=True)
        self.assertEqual([int(row["hits"]) for row in rows], hits[:4])
        rows = views(served(), "--functions", "--sort", "cumulated")
        self.assertEqual([row["cumulated_ns"] for row in rows], sorted((row["cumulated_ns"] for row in rows), reverse=True))
        self.assertEqual(views(served(), "--functions", "--sort", "with calls"), rows)
        done = served().pathline("report", "--sort", "nosuch")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr.decode(), "^pathline: report: unknown column for --sort 'nosuch'; there are: share, own, .*, cumulated, hits, [^…]*\n$")
        for word in re.search("there are: (.*)", done.stderr.decode())[1].split(", "):
            self.assertEqual(served().pathline("report", "--json", "--sort", word).returncode, 0, word)
        done = served().pathline("report", "--sort", "hist")
        self.assertEqual((done.returncode, b"did you mean 'hits'" in done.stderr), (2, True))
        self.assertEqual({row["code"] for row in views(served(), "--function", "Odd.__getattr__")}, {"Odd.__getattr__"})
        done = served().pathline("report", "--function", "nosuch")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rb"no function 'nosuch' ran")
        for view in ("--callers", "--callees"):
            done = served().pathline("report", view, "nosuch")
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertRegex(done.stderr, rb"no function 'nosuch' ran")
        for view in ((), ("--functions",)):
            done = served().pathline("report", "--function", "nosuch", *view)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertRegex(done.stderr, rb"no function 'nosuch' ran")

    def test_csv_is_the_json(self):
        for words in ((), ("--functions",), ("--callers", "fib"), ("--tasks",), ("--exceptions",), ("--tree",)):
            done = served().pathline("report", "--csv", "-n", "0", *words)
            rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
            told = views(served(), "-n", "0", *words)
            self.assertEqual(len(rows), len(told))
            for row, data in zip(rows, told):
                self.assertEqual(list(row), list(data))
                for key, value in data.items():
                    self.assertEqual(row[key], "" if value is None else value if isinstance(value, str) else row[key] and row[key])
                    if isinstance(value, (int, float)):
                        self.assertAlmostEqual(float(row[key]), value, places=5)

    def test_flame(self):
        done = served().pathline("report", "--flame", "out.svg", "--collapsed")
        self.assertEqual((done.returncode, done.stderr), (0, b"pathline: report: wrote out.svg\n"))
        with open(os.path.join(served().folder, "out.svg"), encoding="utf-8") as f:
            text = f.read()
        self.assertEqual(text.count("http"), 1)  # the name of SVG's own namespace
        frames = xml.etree.ElementTree.fromstring(text).findall(".//{*}g")
        titles = [frame.find("{*}title").text for frame in frames]
        self.assertTrue(titles[0].startswith("all\n"))
        self.assertEqual(float(frames[0].get("data-w")), 1200)
        self.assertTrue([title for title in titles if title.startswith("busy (serve.py:")])
        for frame in frames:
            self.assertLessEqual(float(frame.get("data-x")) + float(frame.get("data-w")), 1200.1)
        own_us = sum(row["own_ns"] for row in views(served())) / 1000
        stacks = [line.rsplit(" ", 1) for line in done.stdout.decode().splitlines()]
        self.assertAlmostEqual(sum(int(us) for _, us in stacks), own_us, delta=len(views(served(), "--tree")))
        self.assertTrue([stack for stack, _ in stacks if stack.split(";")[0].startswith("<module>") and ";busy (" in stack])
        self.assertEqual(served().pathline("report", "--flame", "no/such/folder.svg").returncode, 1)


# What cProfile counts as a call: each entry, resume and throw of a function of Python.
COUNTED = '''\
import argparse, asyncio, collections, contextlib, dataclasses, difflib, functools, io, json, random, re, sys, textwrap, tokenize


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers(n):
    try:
        for i in range(n):
            yield i
    except ValueError:
        yield -1


@contextlib.contextmanager
def around(x):
    try:
        yield x
    finally:
        fib(2)


@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: int


class Odd:
    def __getattr__(self, name):
        raise AttributeError(name)


def ping(n):
    return pong(n - 1) if n else 0


def pong(n):
    return ping(n - 1) + ping(0) if n else 0


async def worker(n):
    return n


async def await_them():
    return [await worker(i) for i in range(5)]


def drive(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration as e:
        return e.value


def main():
    fib(12)
    ping(11)
    sum(numbers(10))
    g = numbers(5)
    next(g)
    g.throw(ValueError)
    g.close()
    with around(3):
        pass
    try:
        with around(4):
            raise KeyError
    except KeyError:
        pass
    drive(await_them())
    sorted([Point(random.Random(3).randrange(9), i) for i in range(20)])
    json.dumps(json.loads('{"a": [1, 2, {"b": null}]}'), indent=2)
    list(tokenize.generate_tokens(io.StringIO(textwrap.dedent("  x = 1\\n  y = f(2)\\n")).readline))
    list(difflib.unified_diff(["a", "b", "c"], ["a", "c", "d"]))
    re.purge()
    re.sub(r"(\\w+)-(\\d+)", lambda m: m.group(2), "ab-12 cd-34")
    getattr(Odd(), "z", 1)
    parser = argparse.ArgumentParser()
    parser.add_argument("--x", type=int)
    parser.parse_args(["--x", "3"])
    functools.lru_cache(fib)(5)
    collections.namedtuple("N", "a b")(1, 2)


if len(sys.argv) > 1:
    import cProfile
    profile = cProfile.Profile()
    profile.runcall(main)
    print(json.dumps([[e.code.co_filename, e.code.co_firstlineno, e.callcount] for e in profile.getstats() if not isinstance(e.code, str)]))
else:
    main()
'''


class CProfile(unittest.TestCase):
    def test_calls(self):
        recorded = session.Recorded(COUNTED, "counted.py")
        done = subprocess.run([session.PYTHON, "counted.py", "x"], cwd=recorded.folder, stdout=subprocess.PIPE, check=True, timeout=60)
        counted, told = collections.Counter(), collections.Counter()
        for file, line, calls in json.loads(done.stdout):
            counted[os.path.basename(file), line] += calls
        inside = {0: False}
        for node in views(recorded, "--tree"):
            inside[node["id"]] = inside[node["parent"]] or node["code"] == "main"
            if inside[node["id"]]:
                told[os.path.basename(node["file"]), node["line"]] += node["calls"] + node["resumes"] + node["throws"]
        self.assertGreater(len(told), 100)
        self.assertEqual(told, counted)


# The same few bytes again and again, which mean something else each time.
TURNS = '''\
import time

for n in range(64):
    exec(f"def f{n}(x):\\n    return x + {n}\\n")
FUNCTIONS = [globals()[f"f{n}"] for n in range(64)]


def each(passes):
    for f in FUNCTIONS:
        for i in range(passes):
            f(i)


def one(x):
    return x + 1


def inner(passes):
    x = 0
    for i in range(passes):
        x = one(x)
    return x


def by_a(passes):
    for i in range(passes):
        inner(40)


def by_b(passes):
    for i in range(passes):
        inner(40)


def sleeps(i, when):
    if i == when:
        time.sleep(0.3)
    return i


def sleeps_and_calls(i):
    if i in (1000, 3000, 4000, 5000, 7000):
        time.sleep(0.3)
        one(i)


def slow(passes):
    for i in range(passes):
        one(i)  # before
        sleeps(i, 2000)  # sleeps
        one(i)  # between
        sleeps_and_calls(i)  # in the middle
        one(sleeps(i, 6000))  # and calls
        one(i)  # after


each(200)
by_a(100)
by_b(300)
by_a(100)
slow(8000)
'''


# More functions than there are places near each other in the recorder's map of them. Only they
# sleep.
MANY = '''import time


def made(n):
    exec(f"def f{n}(): time.sleep(0.004)", globals())
    return globals()[f"f{n}"]


def all_of(functions):
    for f in functions:
        f()


all_of([made(n) for n in range(500)])
'''


class Many(unittest.TestCase):
    def test_a_sample_is_of_the_innermost_frame(self):
        recorded = session.Recorded(MANY, "many.py")
        waiting = {}
        for row in views(recorded, "--functions"):
            name = "f" if re.fullmatch(r"f\d+", row["code"] or "") else row["code"]
            waiting[name] = waiting.get(name, 0) + row["waiting_ns"]
        self.assertGreater(waiting["f"], 500 * 4_000_000 / 2)
        self.assertLess(waiting["all_of"], 10_000_000)


class Turns(unittest.TestCase):
    """What is counted by turns is what it is by events."""

    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(TURNS, "turns.py")

    def test_one_place_calls_many(self):
        rows, _ = report(self.recorded)
        hits = {row["code"]: row["hits"] for row in rows if row["file"] == "<string>" and row["line"] == 2}
        self.assertEqual(hits, {f"f{n}": 200 for n in range(64)})

    def test_one_function_in_two_contexts(self):
        nodes = {node["id"]: node for node in views(self.recorded, "--tree")}
        calls = {}
        for node in nodes.values():
            if node["code"] == "one":
                inner = nodes[node["parent"]]
                calls[nodes[inner["parent"]]["code"], inner["code"]] = node["calls"], inner["calls"]
        calls = {by: calls[by] for by in calls if by[1] == "inner"}
        self.assertEqual(calls, {("by_a", "inner"): (8000, 200), ("by_b", "inner"): (12000, 300)})

    def test_the_longest_pass_is_of_its_line(self):
        rows, _ = report(self.recorded)
        longest = {row["line"]: row["max_ns"] or 0 for row in rows if row["code"] == "slow"}
        for word in ("sleeps", "in the middle", "and calls"):
            self.assertGreaterEqual(longest[line_of(TURNS, word)], 300_000_000, word)
        for word in ("before", "between", "after"):
            self.assertLess(longest[line_of(TURNS, word)], 300_000_000, word)
        longest = {row["code"]: row["max_ns"] or 0 for row in views(self.recorded, "--functions")}
        for function in ("sleeps", "sleeps_and_calls"):
            self.assertGreater(longest[function], 270_000_000, function)


# One pass of several takes long: of a line in a thread, of a line and a call in a loop that mostly
# takes no time, and in recursion.
LONGEST = '''\
import threading
import time


def some(i):
    time.sleep(0.6 * (i == 20))  # some


def often(i):
    if i == 2000:
        time.sleep(0.5)  # once
    return i


def down(n):
    if n:
        down(n - 1)  # down
    else:
        time.sleep(0.4)


def run():
    for i in range(40):
        some(i)


thread = threading.Thread(target=run)
thread.start()
thread.join()
for i in range(3000):
    often(i)  # often
down(5)
'''


# Threads hand over to each other at the beginning of a call, before its first line.
HANDED_OVER = '''\
import threading


def entered(n):
    return n


def run():
    for n in range(200000):
        entered(n)


threads = [threading.Thread(target=run) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
'''


class Longest(unittest.TestCase):
    """The event at which the longest pass began is in the report, and replay goes to it."""

    def check(self, *options):
        recorded = session.Recorded(LONGEST, "longest.py", "--only-mine", *options)
        rows = [json.loads(row)["data"] for row in recorded.pathline("dump", "--json").stdout.splitlines()]
        by_seq = {(row["thread"], row["seq"]): row["code"] for row in rows}
        lines = {line["line"]: line for line in views(recorded, "-n", "0")}
        for row in views(recorded, "-n", "0") + views(recorded, "--functions", "-n", "0"):
            self.assertEqual(by_seq.get((row["max_thread"], row["max_seq"])), row["code"] if row["max_ns"] else None, row)

        def nth(row, event):
            """Which one it is of these events of the thread; the thread."""
            of = [e["seq"] for e in rows if e["thread"] == row["max_thread"] and e["event"] == event and e["code"] == row["code"]
                  and (event == "call" or e["line"] == row["line"])]
            return of.index(row["max_seq"]), row["max_thread"]
        self.assertEqual(nth(lines[line_of(LONGEST, "some")], "line"), (20, 1))
        self.assertEqual(nth(lines[line_of(LONGEST, "once")], "line"), (0, 0))
        self.assertEqual(nth(lines[line_of(LONGEST, "often")], "line"), (2000, 0))
        self.assertEqual(nth(lines[line_of(LONGEST, "down")], "line"), (0, 0))
        functions = {row["code"]: row for row in views(recorded, "--functions", "-n", "0")}
        self.assertEqual(sum(row["max_seq"] is not None for row in views(recorded, "-n", "2")), 2)
        self.assertEqual([nth(functions[name], "call") for name in ("some", "often", "down")], [(20, 1), (2000, 0), (0, 0)])
        return recorded, lines[line_of(LONGEST, "some")]

    def test_by_default(self):
        recorded, row = self.check()
        shown = recorded.pathline("report").stdout.decode()
        self.assertRegex(shown, rf"(?m) -t 1 #{row['max_seq']} .*longest.py:{row['line']}  ")
        said = recorded.pathline("replay", "--plain", "-t", "1", "--at", f"#{row['max_seq']}").stdout.decode()
        self.assertRegex(said, rf"\tline\t\S*longest.py\t{row['line']}\tsome\t")

    def test_each_line_has_a_time(self):
        self.check("--clock", "line")

    def test_the_line_of_a_def(self):
        """Of the time from a call to the first line no event but the call says that it was."""
        recorded = session.Recorded(HANDED_OVER, "handed_over.py", "--only-mine")
        for row in views(recorded, "-n", "0"):
            if row["code"] == "entered" and row["max_ns"]:
                said = recorded.pathline("replay", "--plain", "-t", str(row["max_thread"]), "--at", f"#{row['max_seq']}")
                self.assertRegex(said.stdout.decode(), rf"\t{'line' if row['hits'] else 'call'}\t\S*handed_over.py\t{row['line']}\tentered\t")


def see_own_only():
    """Root may no longer look into what hides from it."""
    if os.geteuid() == 0:
        # PR_CAPBSET_DROP, CAP_SYS_PTRACE
        ctypes.CDLL(None).prctl(*map(ctypes.c_ulong, (24, 19, 0, 0, 0)))


class Hang(unittest.TestCase):
    """A program that waits for ever: the time is that of the line where it stands, while it runs
    and after it is killed."""

    def hang(self, *words, options=()):
        """A folder with the recording r of a program that has stood still for a second, and is
        killed at the end of the test."""
        folder = session.scratch()
        with open(os.path.join(folder, "hang.py"), "w", encoding="utf-8") as f:
            f.write(HANG)
        p = subprocess.Popen([session.PATHLINE, "record", "-q", "--values=none", *options, "-o", "r", "--python", session.PYTHON, "--",
                              "hang.py", *words],
                             cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             preexec_fn=see_own_only if "hidden" in words else None)
        pid = int(p.stdout.readline())
        self.addCleanup(p.stdout.close)
        self.addCleanup(self.kill, p, pid)
        return folder, p, pid

    def kill(self, p, pid):
        if p.poll() is None:
            os.kill(pid, signal.SIGKILL)
        p.wait(60)

    def report(self, folder, *words):
        done = session.pathline("report", "r", *words, cwd=folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def rows(self, folder, *words):
        return [json.loads(line) for line in self.report(folder, "--json", *words).splitlines()]

    def lines(self, folder, *words):
        return {row["data"]["line"]: row["data"] for row in self.rows(folder, *words) if row["type"] == "line" and row["data"]["file"].endswith("hang.py")}

    def until(self, folder, found):
        """What `found` gives, as soon as it is true."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            result = found()
            if result:
                return result
        self.fail(self.report(folder) + self.report(folder, "--blocking", "100ms"))

    def blocks(self, folder):
        return [row["data"] for row in self.rows(folder, "--blocking", "1s") if row["type"] == "block"]

    def check(self, folder):
        """Nearly all of the time after the first sleep is that of the line."""
        rows = self.lines(folder)
        line = line_of(HANG, "stuck")
        whole = next(row["data"]["sum_ns"] for row in self.rows(folder) if row["type"] == "time")
        rest = sum(row["own_ns"] for number, row in rows.items() if number != line)
        self.assertGreater(rows[line]["own_ns"] + rows[line]["error_ns"], whole - rest)
        self.assertLess(rows[line_of(HANG, "begins")]["own_ns"], 1e8, rows)
        self.assertGreater(rows[line]["waiting_ns"], 0.9 * rows[line]["own_ns"])
        self.assertGreater(rows[line]["max_ns"], 9e8)
        return rows[line]

    def test_a_line_without_an_event(self):
        folder, p, pid = self.hang()
        line = line_of(HANG, "stuck")
        block, = self.until(folder, lambda: self.blocks(folder))
        self.assertEqual([(f["code"], f["line"]) for f in block["stack"]], [("stuck", line), ("<module>", len(HANG.splitlines()))])
        self.check(folder)
        self.kill(p, pid)
        self.check(folder)
        block, = self.blocks(folder)
        self.assertEqual((block["stack"][0]["line"], block["or_later"]), (line, False))
        mark = r"\?" if not self.lines(folder)[line]["hits"] else "1"  # 3.11 stores each line
        self.assertEqual(block["seq"] is None, mark != "1", block)
        self.assertRegex(self.report(folder, "--file", "hang.py"), rf"(?m)^ +{mark} .* lock.acquire\(\)  # stuck$")
        self.assertRegex(self.report(folder, "--file", "hang.py"), r"(?m)^ +never .* lock.acquire\(\)  # hidden$")
        said = session.pathline("replay", "--plain", f"--command=b hang.py:{line}", "r", cwd=folder).stdout.decode()
        self.assertIn("may have run at the end, where the path breaks off" if mark != "1" else "stop 1: ", said)
        self.assertRegex(self.report(folder), rf"(?m) {mark} .* lock.acquire\(\)  # stuck$")
        self.assertEqual(self.lines(folder)[line]["hits"], 1 if mark == "1" else None)
        by_csv = {row["line"]: row["hits"] for row in csv.DictReader(io.StringIO(self.report(folder, "--csv", "--function", "stuck")))}
        self.assertEqual(by_csv[str(line)], "1" if mark == "1" else "")

    def test_each_line_is_stored(self):
        folder, p, pid = self.hang(options=("--order", "exact"))
        self.until(folder, lambda: self.blocks(folder))
        self.kill(p, pid)
        self.assertEqual(self.check(folder)["hits"], 1)

    def test_a_function_without_an_event(self):
        folder, p, pid = self.hang("thread")
        block, = self.until(folder, lambda: [b for b in self.blocks(folder) if b["thread"]])
        self.kill(p, pid)
        for block in block, *(b for b in self.blocks(folder) if b["thread"]):
            self.assertEqual((block["stack"][0]["code"], block["stack"][0]["line"]), ("hidden", line_of(HANG, "hidden")))

    def test_a_line_before_the_hang_has_its_own_time(self):
        """However long the hang is: the samples say when the thread left the line."""
        folder = session.scratch()
        with open(os.path.join(folder, "hang.py"), "w", encoding="utf-8") as f:
            f.write(SLEEPS)
        session.pathline("record", "-q", "-o", "r", "--python", session.PYTHON, "--", "hang.py", cwd=folder)
        line = line_of(SLEEPS, "sleeps")
        blocks = [row["data"] for row in self.rows(folder, "--blocking", "100ms") if row["type"] == "block"]
        slept, = (block for block in blocks if block["stack"][0]["line"] == line)
        row = self.lines(folder)[line]
        self.assertAlmostEqual(row["own_ns"], slept["ns"], delta=slept["error_ns"] + 2e7)
        self.assertAlmostEqual(row["max_ns"], slept["ns"], delta=slept["error_ns"] + 2e7)

    def test_where_nobody_may_look(self):
        """The time is that of one of the lines that may have run, and the error says so."""
        folder, p, pid = self.hang("hidden")
        block, = self.until(folder, lambda: self.blocks(folder))
        self.kill(p, pid)
        for block in block, *self.blocks(folder):
            self.assertTrue(block["or_later"])
        rows = self.lines(folder)
        line = rows[line_of(HANG, "stuck")]
        self.assertGreater(line["own_ns"] + line["error_ns"], 9e8, rows)
        self.assertIn("at this line or a later one", self.report(folder, "--blocking", "1s"))

    def test_a_loop_that_waits_at_the_end_is_idle(self):
        folder = session.scratch()
        with open(os.path.join(folder, "hang.py"), "w", encoding="utf-8") as f:
            f.write("import asyncio, os\n\n\nasync def main():\n    print(os.getpid(), flush=True)\n    await asyncio.sleep(3600)\n\n\nasyncio.run(main())\n")
        p = subprocess.Popen([session.PATHLINE, "record", "-q", "-o", "r", "--python", session.PYTHON, "--", "hang.py"],
                             cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        pid = int(p.stdout.readline())
        self.addCleanup(p.stdout.close)
        self.addCleanup(self.kill, p, pid)

        def idle():
            return next(row["data"]["idle_ns"] for row in self.rows(folder) if row["type"] == "time")
        self.until(folder, lambda: idle() > 1e9)
        self.assertEqual(self.blocks(folder), [])
        self.kill(p, pid)
        self.assertGreater(idle(), 1e9)
        self.assertEqual(self.blocks(folder), [])


    def test_a_child_s_output_is_no_event_loop(self):
        """A program that waits for it until it is killed stands still; no event loop is idle."""
        folder = session.scratch()
        text = "import os, subprocess\nprint(os.getpid(), flush=True)\nsubprocess.run(['sleep', '3600'], capture_output=True)\n"
        with open(os.path.join(folder, "hang.py"), "w", encoding="utf-8") as f:
            f.write(text)
        p = subprocess.Popen([session.PATHLINE, "record", "-q", "-o", "r", "--python", session.PYTHON, "--", "hang.py"],
                             cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        pid = int(p.stdout.readline())
        self.addCleanup(p.stdout.close)
        self.addCleanup(lambda: os.killpg(p.pid, signal.SIGKILL))
        self.addCleanup(self.kill, p, pid)
        self.until(folder, lambda: self.blocks(folder))
        self.kill(p, pid)
        block, = self.blocks(folder)
        self.assertEqual(block["stack"][-1]["line"], 3)
        self.assertEqual(next(row["data"]["idle_ns"] for row in self.rows(folder) if row["type"] == "time"), 0)


class Odd(unittest.TestCase):
    """Recordings that are damaged, or still being written."""

    def test_damaged(self):
        copy = os.path.join(session.scratch(), "copy")
        shutil.copytree(served().directory, copy)
        path, = glob.glob(os.path.join(copy, "events.*"))
        with open(path, "r+b") as f:
            middle = f.seek(0, os.SEEK_END) // 2
            f.seek(middle)
            f.write(b"\xa5" * 64)
        done = session.pathline("report", copy, "--json")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, rb"^pathline: report: the recording is damaged in 1 place; `pathline check \S+` says where")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        whole = rows[-1]["data"]
        own = sum(row["data"]["own_ns"] for row in rows[:-1])
        self.assertGreater(len(rows), 10)
        self.assertAlmostEqual(own + whole["idle_ns"] + whole["lost_ns"], whole["sum_ns"], delta=len(rows) + 1000)
        for words in (("--tree",), ("--functions",), ("--tasks",), ("--blocking", "1ms"), ("--exceptions",), ("--file", "serve.py")):
            self.assertEqual(session.pathline("report", copy, *words).returncode, 3, words)

    def test_being_written(self):
        folder = session.scratch()
        with open(os.path.join(folder, "waits.py"), "w") as f:
            f.write("def f(n):\n    return n + 1\n\n\nfor i in range(1000):\n    f(i)\nprint('ready', flush=True)\ninput()\n")
        p = subprocess.Popen([session.PATHLINE, "record", "-o", "r", "--python", session.PYTHON, "--", "waits.py"], cwd=folder,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            self.assertEqual(p.stdout.readline(), b"ready\n")
            deadline = time.monotonic() + 60
            calls = 0
            while calls < 1000 and time.monotonic() < deadline:
                done = session.pathline("report", "r", "--functions", "--json", cwd=folder)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                calls = sum(row["data"]["calls"] for row in map(json.loads, done.stdout.splitlines()) if row["data"]["code"] == "f")
            self.assertEqual(calls, 1000)
        finally:
            p.communicate(b"\n", timeout=60)
        self.assertEqual(p.returncode, 0)


if __name__ == "__main__":
    unittest.main()
