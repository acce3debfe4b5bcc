"""pathline replay: every move against a naive walk over the flat list of events that dump gives."""
import bisect
import itertools
import json
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from session import PATHLINE, PYTHON  # noqa: E402

INTERPRETERS = "two"

QUICK = True
COMMANDS = int(os.environ.get("PATHLINE_REPLAY_COMMANDS", "10000"))

PROGRAM = '''\
import asyncio
import threading


def square(n):
    return n * n


def numbers():
    for n in (1, 2, 3):
        yield square(n)


def chain():
    yield 0
    yield from numbers()


def fail():
    raise KeyError("k")


def work():
    for n in chain():
        try:
            fail()
        except KeyError:
            pass
    return sum(chain())


async def several():
    for i in range(2):
        await asyncio.sleep(0)
        yield i


async def add(k):
    total = 0
    async for n in several():
        total += n
    await asyncio.sleep(0)
    total += k
    return total


async def main():
    tasks = [asyncio.create_task(add(k)) for k in range(3)]
    return sum([await task for task in tasks])


thread = threading.Thread(target=work, name="worker")
thread.start()
asyncio.run(main())
thread.join()
work()
'''
# What is mine alone, so that the walks are short and every code's kind is known.
COROUTINES = {"add", "main", "main.<locals>.<listcomp>"}  # the last one: 3.11
ASYNC_GENERATORS = {"several"}
ALL_COROUTINES = COROUTINES | {f"{kind}{n}{inside}" for n in range(9) for kind, inside in (
    ("co", ""), ("co", ".<locals>.<listcomp>"), ("ag", ".<locals>.<listcomp>"))}  # comprehensions: 3.11
ALL_ASYNC_GENERATORS = ASYNC_GENERATORS | {f"ag{n}" for n in range(9)}
FIELDS = "pid,tid,seq,time,depth,event,file,line,code,generator,greenlet,order,thread,type,task,task_id"
ENDS = ("return", "unwind")
ENTRIES = ("resume", "throw")


class Event:
    def __init__(self, row):
        self.row = [*row[:9], row[13], row[15], row[14]]
        self.seq, self.depth, self.event, self.line = int(row[2]), int(row[4] or 0), row[5], int(row[7] or 0)
        self.code, self.generator, self.greenlet = row[8], row[9], row[10]
        self.key, self.type, self.task = (int(row[11]), int(row[12]), self.seq), row[13], row[14]
        code = self.code
        self.tells_task = self.event == "line" and bool(self.task) and code in ALL_COROUTINES | ALL_ASYNC_GENERATORS


class Model:
    """One thread's events as a list; positions are indexes."""

    def __init__(self, threads):
        self.threads = threads
        self.begins = []
        self.all = sorted((e for events in threads for e in events), key=lambda e: e.key)

    def arrived(self, e):
        """Is it an exception that arrives from a callee, or from what is awaited?"""
        events = next(own for own in self.threads if own[0].row[1] == e.row[1])
        i = bisect.bisect_left(events, e.seq, key=lambda other: other.seq)
        if i and events[i - 1].event == "throw" and events[i - 1].depth == e.depth:
            i -= 1
        return i > 0 and events[i - 1].event == "unwind" and events[i - 1].depth == e.depth + 1

    def parts(self, run):
        """The events of one thread, without a switch to another, at which a part begins: the first,
        and the first line after a task begins or goes on."""
        task, goes_on = run[0].task, False
        yield run[0]
        for before, e in zip(run, run[1:]):
            if e.event in ENTRIES and e.code in ALL_COROUTINES and task and e.task == task:
                goes_on |= before.event == "yield" or before.code not in ALL_COROUTINES | ALL_ASYNC_GENERATORS
            if e.tells_task and (goes_on or e.task != task):
                task, goes_on = e.task, False
                yield e

    def switch(self, at, back):
        """The event to which ] and [ lead from this one; None: nowhere."""
        if not self.begins:
            for _, run in itertools.groupby(self.all, key=lambda e: e.key[:2]):
                self.begins += self.parts(list(run))
        keys = [e.key for e in self.begins]
        i = bisect.bisect_left(keys, at.key) - 1 if back else bisect.bisect_right(keys, at.key)
        return self.begins[i] if 0 <= i < len(keys) else None

    def suspends(self, events, i):
        if events[i].code in ALL_ASYNC_GENERATORS:
            after = events[i + 1] if i + 1 < len(events) else None
            return bool(after) and after.event == "yield" and after.depth + 1 == events[i].depth
        return events[i].code in ALL_COROUTINES

    def ahead(self, events, i, out):
        """n and f: index, or None. Written over whole frames: find where this one is left for good, or its line."""
        while True:
            depth, generator = events[i].depth, events[i].generator
            inside, left = True, None
            j = i
            while left is None:
                e = events[j]
                if inside and e.depth < depth:  # one that is not recorded ended without an event
                    i, depth, generator, out = j, e.depth, e.generator, False
                    if e.event == "line":
                        return j
                mine = inside and e.depth == depth
                if mine and j > i and not out and e.event == "line":
                    return j
                if mine and (e.event in ENDS or (e.event == "yield" and not self.suspends(events, j))):
                    left = j
                    break
                if mine and e.event == "yield":
                    inside = False
                elif not inside and e.generator == generator:
                    inside, depth = True, e.depth
                j += 1
                if j == len(events):
                    return None
            if depth == 0:
                return next((k for k in range(left + 1, len(events)) if events[k].event == "line"), None)
            # The next frame further out that is recorded: of the event loop nothing is.
            back = next((k for k in range(left + 1, len(events)) if events[k].depth < depth and events[k].event != "outside"), None)
            if back is None:
                return None
            if events[back].event == "line":
                return back
            i, out = back, False

    def after(self, events, i, out):
        depth, waits = events[i].depth, None
        j = i
        anything = False
        while True:
            e = events[j]
            if waits is not None:
                if e.generator == waits and j < i:
                    waits, depth = None, e.depth
            if waits is None and not anything and e.depth < depth:
                # The frame began without an event: its code is not recorded.
                depth, out = e.depth, False
            if waits is None and j < i and e.event == "line" and (anything or (e.depth == depth and not out)):
                return j
            if waits is None and not anything and e.depth == depth:
                generator = e.code not in ALL_COROUTINES | ALL_ASYNC_GENERATORS
                if e.event == "call" or (e.event in ENTRIES and out and generator):
                    anything, out = depth == 0, False
                    depth = next((e.depth for e in events[:j][::-1] if e.depth < depth and e.event != "outside"), -1)
                elif e.event in ENTRIES:
                    waits = e.generator
            j -= 1
            if j < 0:
                return None

    def move(self, command, thread, i, stops, only_here):
        """(thread, index), or None where it stays."""
        events = self.threads[thread]
        if command in "sS":
            way = range(i + 1, len(events)) if command == "s" else range(i - 1, -1, -1)
            j = next((j for j in way if events[j].event == "line"), None)
        elif command in "nf":
            j = self.ahead(events, i, command == "f")
        elif command in "NF":
            j = self.after(events, i, command == "F")
        elif command in "cC":
            events = events if only_here else self.all
            here = self.threads[thread][i]
            at = bisect.bisect_left(events, here.key, key=lambda e: e.key)
            way = events[at + 1:] if command == "c" else events[:at][::-1]
            hit = next((e for e in way if stops(e)), None)
            if hit is None:
                return None
            thread = next(n for n, own in enumerate(self.threads) if own[0].row[1] == hit.row[1])
            return thread, bisect.bisect_left(self.threads[thread], hit.seq, key=lambda e: e.seq)
        else:
            seq = int(command.split("#")[1])
            j = min(bisect.bisect_left(events, seq, key=lambda e: e.seq), len(events) - 1)
        return None if j is None else (thread, j)


class Program:
    """A random program. Functions call only those after them, so it ends; each k-th pass of a long
    loop would be missed without a visit."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.lines = ["import asyncio", "import threading", "", "", "def busy(n):", "    for i in range(n):", "        n -= 1", "    return n"]
        for n in range(8, -1, -1):
            for kind in ("f", "g", "co", "ag"):
                self.function(kind, n)
        self.lines += ["", "", "async def main():", "    await asyncio.gather(*[asyncio.create_task(co(2)) for co in (co0, co1, co0)])",
                       "    return [n async for n in ag0(2)]",
                       "", "", 'thread = threading.Thread(target=f1, args=(2,), name="worker")', "thread.start()", "asyncio.run(main())",
                       "f0(2)", "thread.join()", "list(g0(2))"]
        self.text = "\n".join(self.lines) + "\n"

    def call(self, kind, n):
        """A statement that calls a later function."""
        later = self.chance.randrange(n + 1, 10)
        if later == 9:
            return f"busy({self.chance.choice((1, 2, 2500))})" if self.chance.random() < 0.1 else "x += 1"
        of = self.chance.choice(("f", "g") if kind in "fg" else ("f", "g", "co", "co", "ag"))
        return {"f": f"x += f{later}(x)", "g": f"x += sum(g{later}(x))", "co": f"x += await co{later}(x)",
                "ag": f"x += sum([n async for n in ag{later}(x)])"}[of]

    def statement(self, kind, n, indent):
        pad, chance = "    " * indent, self.chance.random()
        if chance < 0.25 and indent < 3:
            self.lines.append(f"{pad}for i in range({self.chance.randrange(4)}):")
        elif chance < 0.35 and indent < 3:
            self.lines.append(f"{pad}if x % {self.chance.randrange(2, 5)}:")
        elif chance < 0.5 and indent < 3:
            self.lines.append(f"{pad}try:")
            self.statement(kind, n, indent + 1)
            self.lines += [f"{pad}    if x % 2:", f"{pad}        raise KeyError(x)", f"{pad}except KeyError:"]
        else:
            plain = ["x += 1", f"busy({self.chance.randrange(3)})", "x %= 7"]
            plain += ["yield x"] * 2 if kind in ("g", "ag") else []
            plain += ["await asyncio.sleep(0)"] * 2 if kind in ("co", "ag") else []
            self.lines.append(pad + (self.call(kind, n) if self.chance.random() < 0.3 else self.chance.choice(plain)))
            return
        self.statement(kind, n, indent + 1)

    def function(self, kind, n):
        word = "async def" if kind in ("co", "ag") else "def"
        self.lines += ["", "", f"{word} {kind}{n}(x):"]
        for _ in range(self.chance.randrange(2, 6)):
            self.statement(kind, n, 1)
        self.lines.append("    yield x" if kind in ("g", "ag") else "    return x % 5")


def stop(e):
    return (e.event == "line" and e.line == 6) or (e.event == "call" and e.code == "add") or \
        (e.event == "raise" and e.code == "fail")


class Recording(unittest.TestCase):
    @classmethod
    def record(cls, text):
        cls.place = session.scratch()
        with open(os.path.join(cls.place, "mine.py"), "w") as f:
            f.write(text)
        cls.made = subprocess.run([PATHLINE, "record", "--only-mine", "--values", "none", "-o", "recording", *PYTHON.split(), "mine.py"],
                                  cwd=cls.place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        if cls.made.returncode:
            raise AssertionError(cls.made.stdout)
        rows = cls.ask("dump", "--fields", FIELDS).splitlines()
        threads = {}
        for row in (row.split("\t") for row in rows):
            threads.setdefault(int(row[12]), []).append(Event(row))
        cls.model = Model([threads[n] for n in sorted(threads)])

    @classmethod
    def ask(cls, *words, given="", fails=False):
        done = subprocess.run([PATHLINE, words[0], *words[1:], "recording"], cwd=cls.place, input=given, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              env=dict(os.environ, XDG_CONFIG_HOME=os.path.join(cls.place, "config")))
        if bool(done.returncode) != fails:
            raise AssertionError(f"{words}: {done.returncode}: {done.stderr}")
        return done.stderr if fails else done.stdout

    def replay(self, *commands, options=()):
        """One row for each command; what a row with # adds is left out."""
        rows = [row.split("\t") for row in self.ask("replay", *options, given="".join(c + "\n" for c in commands)).splitlines()]
        for row, after in zip(rows, rows[1:] + [["#"]]):
            if row[0] == "#":
                self.assertEqual((len(row), len(after)), (2, 12), (row, after))
        answers = [row for row in rows if row[0] != "#"]
        self.assertEqual(len(answers), len(commands) + 1)
        return answers

    def walk(self, chance, setting, stops, count):
        """Random commands against the naive walk."""
        commands, wanted = list(setting), [None] * len(setting)
        thread, i, only_here = 0, next(i for i, e in enumerate(self.model.threads[0]) if e.event == "line"), False
        for _ in range(count):
            command = chance.choice("sSnNfFcCsnSNaj")
            if command == "j":
                command = f"j #{chance.randrange(self.model.threads[thread][-1].seq + 3)}"
            commands.append(command)
            if command == "a":
                only_here = not only_here
                wanted.append("stops and searches: " + ("this thread only" if only_here else "all threads"))
                continue
            to = self.model.move(command, thread, i, stops, only_here)
            if to:
                thread, i = to
            wanted.append(self.model.threads[thread][i].row if to else None)
        answers = self.replay(*commands)[1:]
        for n, (command, answer, want) in enumerate(zip(commands, answers, wanted)):
            with_before = f"command {n}: {answers[n - 1]} -> {command}"
            if isinstance(want, list):
                self.assertEqual(answer, want, with_before)
            else:
                self.assertEqual(answer[0], "!", with_before)
                if want:
                    self.assertEqual(answer[1], want)


class Random(Recording):
    def test_random_programs(self):
        """Other ones: PATHLINE_REPLAY_SEED=1 and so on."""
        first = 4 * int(os.environ.get("PATHLINE_REPLAY_SEED", 0))
        for n in range(4):
            with self.subTest(seed=first + n):
                self.record(Program(first + n).text)
                chance = random.Random(n)
                lines = sorted({e.line for e in self.model.all if e.event == "line"})
                line = chance.choice(lines)
                self.walk(chance, [f"b mine.py:{line}", "x KeyError"], lambda e: (e.event == "line" and e.line == line) or (
                    e.type == "KeyError" and e.event == "raise" and not self.model.arrived(e)), COMMANDS // 4)


class Thrown(Recording):
    @classmethod
    def setUpClass(cls):
        cls.record("import asyncio\nasync def wait(depth):\n    if depth:\n        await wait(depth - 1)\n    else:\n        await asyncio.sleep(3600)\n"
                   "async def late(depth):\n    try:\n        await wait(depth)\n    except asyncio.CancelledError:\n        raise KeyError\n"
                   "async def main():\n    tasks = [asyncio.create_task(run(n % 4)) for n in range(100) for run in (wait, late)]\n"
                   "    await asyncio.sleep(0)\n    for task in tasks:\n        task.cancel()\n"
                   "    await asyncio.gather(*tasks, return_exceptions=True)\nasyncio.run(main())\n")

    def test_one_stop_for_an_exception_that_is_thrown_through_coroutines(self):
        """As in `report --exceptions`, wherever the search begins."""
        rows = [json.loads(row)["data"] for row in self.ask("report", "--exceptions", "--json").splitlines()]
        count = {name: sum(row["count"] for row in rows if row["type"].endswith(name)) for name in ("CancelledError", "KeyError")}
        self.assertEqual(count, {"CancelledError": 200, "KeyError": 100})
        for name in count:
            for letter, start in ("c", "j start"), ("C", "j end"):
                answers = self.replay(start, f"x {name}", *[letter] * (count[name] + 1))[3:]
                self.assertEqual([row[0] for row in answers].index("!"), count[name], (name, letter))
        chance = random.Random(3)
        thrown = [e.seq for e in self.model.threads[0] if e.event == "throw"]
        places = [seq + n for seq in chance.sample(thrown, 12) for n in range(4)]
        first = [e.seq for e in self.model.threads[0] if e.event == "raise" and "CancelledError" in e.type and not self.model.arrived(e)]
        answers = self.replay("x CancelledError", *[word for seq in places for word in (f"j #{seq}", "c", f"j #{seq}", "C")])[2:]
        for seq, later, earlier in zip(places, answers[1::4], answers[3::4]):
            after, before = [n for n in first if n > seq], [n for n in first if n < seq]
            self.assertEqual(later[2] if later[0] != "!" else None, str(after[0]) if after else None, seq)
            self.assertEqual(earlier[2] if earlier[0] != "!" else None, str(before[-1]) if before else None, seq)


class Replay(Recording):
    @classmethod
    def setUpClass(cls):
        cls.record(PROGRAM)

    def test_random_commands_against_a_naive_walk(self):
        setting = ["b mine.py:6", "b add", "x KeyError"]  # line 6 ran in both threads
        self.walk(random.Random(20261123), setting, stop, COMMANDS)

    def test_hits(self):
        lines = [e for e in self.model.threads[0] if e.event == "line"]
        chosen = random.Random(7).sample(lines, 20)
        rows = self.replay(*[word for e in chosen for word in (f"j #{e.seq}", "hits")])
        for e, row in zip(chosen, rows[2::2]):
            same = [other.seq for other in lines if other.line == e.line]
            self.assertEqual(row, ["!", f"line {e.line}: {sum(seq <= e.seq for seq in same)} of {len(same)} hits"])

    def test_tasks(self):
        rows = self.replay("T", "T Task-3", "T Task-9", "t worker", "T")
        self.assertEqual(rows[1], ["!", "1 Task-1; 2 Task-2; 3 Task-3; 4 Task-4"])
        self.assertEqual(rows[2][5:], ["line", rows[2][6], str(1 + PROGRAM.split("\n").index("    total = 0")), "add", "", "3", "Task-3"])
        self.assertEqual(rows[3], ["!", "there is no task Task-9 in this thread; there are: 1 Task-1; 2 Task-2; 3 Task-3; 4 Task-4"])
        self.assertEqual(rows[5], ["!", "this thread has no tasks"])
        self.assertEqual(self.replay("T 3")[1], rows[2])
        self.assertEqual(self.replay("T 3", "T")[2], ["!", "1 Task-1; 2 Task-2; > 3 Task-3; 4 Task-4"])

    def test_back_is_where_one_came_from(self):
        lines = [e for e in self.model.threads[0] if e.event == "line"]
        rows = self.replay(*["s"] * (len(lines) - 1), *["S"] * (len(lines) - 1))
        self.assertEqual(rows[:len(lines)], [e.row for e in lines])
        self.assertEqual(rows[len(lines) - 1:][::-1], rows[:len(lines)])

    def test_an_await_that_suspends_stays_in_its_frame(self):
        rows = self.replay("b mine.py:42", "c", "n", "n")
        self.assertEqual([row[7:9] for row in rows[2:]], [["42", "add"], ["43", "add"], ["44", "add"]])

    def test_a_yield_goes_back_to_its_consumer(self):
        rows = self.replay("b mine.py:15", "c", "n")
        self.assertEqual([row[7:9] for row in rows[2:]], [["15", "chain"], ["25", "work"]])

    def test_stops_that_never_ran_are_refused(self):
        rows = self.replay("b mine.py:7", "b suare", "B", "b mine.py:6 if hits == 2", "B", "clear 1", "c", "clear 9")
        self.assertIn("the nearest lines that ran are 6 and 9", rows[1][1])
        self.assertIn("did you mean square", rows[2][1])
        self.assertEqual(rows[3], ["!", "there is no stop"])
        self.assertEqual(rows[5], ["!", "1: b mine.py:6 if hits == 2"])
        self.assertEqual(rows[7], ["!", "there is no stop; set one with b, x or w"])
        self.assertEqual(rows[8], ["!", "there is no stop 9; B lists them"])

    def test_numbers_too_large_for_a_stop_are_refused(self):
        large = "99999999999999999999"
        numbers = (large, "18446744073709551617", "9223372036854775808", "-1", "+2", "0", "2x", "=")
        conditions = [f"b mine.py:6 if hits == {n}" for n in numbers]
        for word, row in zip(conditions, self.replay(*conditions)[1:]):
            self.assertEqual(row, ["!", f"not understood: {word}; try b N, b file:N, b function, b N if hits == K"])
        lines = "b " + large, "b mine.py:" + large, "tbreak 2147483648", "b 0"
        for word, row in zip(lines, self.replay(*lines)[1:]):
            self.assertEqual(row, ["!", f"not a line number: {word.split()[1]}; try b N or b file:N"])
        rows = self.replay("b mine.py:6 if hits==2", "b mine.py:9 if  hits  ==  3 ", "B")
        self.assertEqual(rows[3:], [["!", "1: b mine.py:6 if hits == 2; 2: b mine.py:9 if hits == 3"]])

    def test_the_same_stop_again_removes_it(self):
        rows = self.replay("b mine.py:6", "b 6", "b square", "b square", "x KeyError", "x KeyError", "w add", "w add", "B")
        self.assertEqual([row[1] for row in rows[1:]], ["stop 1: b mine.py:6", "removed 1: b mine.py:6", "stop 2: b square", "removed 2: b square",
                                                        "stop 3: x KeyError", "removed 3: x KeyError", "stop 4: w add", "removed 4: w add",
                                                        "there is no stop"])
        rows = self.replay("b mine.py:6", "b square", "x KeyError", "clear 2", "clear 1", "clear 3", "clear", "b 6", "clear", "b 6", "b square", "clear", "clear 9")
        self.assertEqual([row[1] for row in rows[4:8]], ["removed 2: b square; left: 1: b mine.py:6; 3: x KeyError", "removed 1: b mine.py:6; left: 3: x KeyError",
                                                         "removed 3: x KeyError; no stop is left", "there is no stop"])
        self.assertEqual([row[1] for row in rows[9::3]], ["removed the stop", "removed all 2 stops"])
        self.assertEqual(rows[13], ["!", "there is no stop 9; B lists them"])
        line = next(e for e in self.model.threads[0] if e.event == "line" and e.line == 6)
        rows = self.replay(f"j #{line.seq}", "b", "B", "b", "B")
        self.assertTrue(rows[2][1].startswith("stop 1: b /") and rows[2][1].endswith("mine.py:6"), rows[2])
        self.assertEqual(rows[5], ["!", "there is no stop"])

    def test_exceptions_that_never_came_are_refused(self):
        rows = self.replay("x Foo", "x KeyErr", "x keyerror", "B", "x KeyError", "c", "x", "B", "x eyE")
        whole = " x takes a whole name: `report --exceptions` lists them"
        self.assertEqual([row[1] for row in rows[1:5]], ["no such exception was raised: Foo;" + whole, "no such exception was raised: KeyErr; did you mean KeyError?" + whole,
                                                         "no such exception was raised: keyerror; did you mean KeyError?" + whole, "there is no stop"])
        self.assertEqual((rows[6][5], rows[6][9]), ("raise", "KeyError"))
        self.assertEqual(rows[8], ["!", "1: x KeyError; 2: x"])
        # A part of its name:
        self.assertEqual(rows[9], ["!", "no such exception was raised: eyE; did you mean KeyError?" + whole])

    def test_a_stop_that_is_not_reached_says_where_it_would_be(self):
        def count(thread):
            return sum(e.event == "line" and e.line == 6 for e in self.model.threads[thread])
        rows = self.replay("b mine.py:6", "c", "C", "t 0", "j end", "c", "a", "t worker", "j end", "c", "t 0", "j start", "C")
        self.assertEqual(rows[3], ["!", f"no earlier stop in this process; {count(0) + count(1) - 1} later (c: forward)"])
        self.assertEqual(rows[6], ["!", f"no later stop in this process; {count(0) + count(1)} earlier (C: back)"])
        self.assertEqual(rows[7], ["!", "stops and searches: this thread only"])
        last = self.model.threads[1][-1]
        later = sum(e.event == "line" and e.line == 6 and e.key > last.key for e in self.model.threads[0])
        self.assertTrue(later)
        self.assertEqual(rows[10], ["!", f"no later stop in this thread; {later} in MainThread, {count(1)} earlier (a: all threads, C: back)"])
        self.assertEqual(rows[13], ["!", f"no earlier stop in this thread; {count(0)} later (c: forward)"])

    def test_counts(self):
        lines = [e for e in self.model.threads[0] if e.event == "line"]
        rows = self.replay("5s", "3 S", "back", "back", "999999s", "b mine.py:6", "2c", "s 3", "0s", "5", "2a", "2b", "2000000s")
        self.assertEqual(rows[1:5], [lines[5].row, lines[2].row, lines[5].row, lines[0].row])
        self.assertEqual(rows[5], lines[-1].row)
        hits = sorted((e for e in self.model.all if e.event == "line" and e.line == 6), key=lambda e: e.key)
        last = [e for e in hits if e.key > lines[-1].key]
        self.assertEqual(rows[7][0] == "!", not last)
        self.assertEqual(rows[8], ["!", "no later line in this thread"])
        self.assertEqual(rows[9][0], "!")
        self.assertEqual(rows[10], ["!", "5: a count needs a command, such as 5s"])
        self.assertEqual(rows[11:], [["!", "a does not take a count"], ["!", "b does not take a count"], ["!", "a count is from 1 to 1000000"]])

    def test_counts_after_the_word(self):
        """As in gdb: step 3."""
        lines = [e for e in self.model.threads[0] if e.event == "line"]
        rows = self.replay("step 5", "S 3", "reverse-step 2", "next 0", "s x", "2s 3")
        self.assertEqual(rows[1:4], [lines[5].row, lines[2].row, lines[0].row])
        self.assertEqual(rows[4], ["!", "a count is from 1 to 1000000"])
        self.assertEqual(rows[5:], [["!", "s does not take an argument"]] * 2)

    def test_words_of_gdb_and_pdb(self):
        words = [("step", "s"), ("next", "n"), ("reverse-next", "N"), ("reverse-step", "S"), ("break square", "b square"), ("continue", "c"),
                 ("finish", "f"), ("info breakpoints", "B"), ("info threads", "t"), ("where", "bt"), ("backtrace", "bt"), ("up", "u"), ("down", "d"),
                 ("reverse-continue", "C"), ("catch KeyError", "x KeyError"), ("delete 1", "clear 1"), ("thread worker", "t worker"),
                 ("info tasks", "T"), ("tb square", "tbreak square"), ("info line", "list"), ("l 3", "list 3"), ("jump end", "j end"), ("reverse-finish", "F"), ("h n", "help n")]
        self.assertEqual(self.replay(*[word for word, _ in words]), self.replay(*[word for _, word in words]))
        self.assertEqual(self.ask("replay", given="exit\ns\n").count("\n"), 1)

    def test_a_stop_for_once(self):
        rows = self.replay("tbreak square", "B", "c", "B", "c", "j start", "tbreak mine.py:6 if hits == 2", "c", "B", "tbreak 6", "b 6", "B", "b 6")
        self.assertEqual([row[1] for row in rows[1:3]], ["stop 1: tbreak square", "1: tbreak square"])
        self.assertEqual(rows[3][5:9:3], ["call", "square"])
        self.assertEqual([row[1] for row in rows[4:6]], ["there is no stop", "there is no stop; set one with b, x or w"])
        self.assertRegex(rows[7][1], r"^stop 2: tbreak mine\.py:6 if hits == 2$")
        self.assertEqual(rows[8][5:8:2], ["line", "6"])
        self.assertEqual(rows[9][1], "there is no stop")
        self.assertRegex(rows[10][1], r"^stop 3: tbreak /.*mine\.py:6$")
        self.assertRegex(rows[11][1], r"^stop 3: b /.*mine\.py:6$")          # it stays now
        self.assertRegex(rows[12][1], r"^3: b /.*mine\.py:6$")
        self.assertRegex(rows[13][1], r"^removed 3: b /.*mine\.py:6$")

    def test_the_text_of_a_line(self):
        rows = self.replay("list", "l 6", "list 1000", "list square", "b square", "c", "u", "list")
        self.assertRegex(rows[1][1], r"^/.*mine\.py:1: import asyncio$")
        self.assertRegex(rows[2][1], r"^/.*mine\.py:6:     return n \* n$")
        self.assertRegex(rows[3][1], r"mine\.py.* 1000")
        self.assertEqual(rows[4], ["!", "not a line number: square; try list 44"])
        self.assertRegex(rows[8][1], r"^/.*mine\.py:11:         yield square\(n\)$")

    def test_what_debuggers_do_and_a_replay_does_not(self):
        for words, near in (("run", "restart", "start"), "j start"), (("disable 1", "enable", "ignore 1 2", "condition 1 x"), "clear N removes one"):
            for row, word in zip(self.replay(*words)[1:], words):
                self.assertIn(near, row[1], word)

    def test_values_are_not_recorded(self):
        values = "this recording has the path, not the values of variables"
        rows = self.replay("p n", "print(n)", "p(n)", "print n", "b mine.py:6 if n == 3", "tbreak square if n", "b mine.py:6 if hits", "b mine.py:6 if hitsy == 2", "b 6, n == 3", "b mine.py:6, n", "B")
        for row in rows[1:5]:
            self.assertEqual(row, ["!", values])
        for row in rows[5], rows[6], *rows[8:11]:
            self.assertEqual(row, ["!", values + "; b N if hits == K stops at that hit"])
        self.assertRegex(rows[7][1], "^not understood: b mine.py:6 if hits; ")
        self.assertEqual(rows[11], ["!", "there is no stop"])

    def test_the_stack(self):
        rows = self.replay("b square", "c", "bt", "u", "bt")
        frames = rows[3][1].split("; ")
        self.assertRegex(frames[0], r"^> 0 square .*mine\.py:\d+$")
        self.assertRegex(frames[1], r"^1 numbers .*mine\.py:11$")
        self.assertRegex(rows[5][1], r"^0 square .*; > 1 numbers ")

    def test_the_edge_of_what_is_recorded(self):
        """Where no caller is recorded, n, f and F find none; s and S go on."""
        place = session.scratch()
        for name, text in ("mine.py", "def one():\n    x = 1\n    return x\n\n\ndef two():\n    return 2\n"), ("main.py", "import mine\nmine.one()\nmine.two()\n"):
            with open(os.path.join(place, name), "w", encoding="utf-8") as f:
                f.write(text)
        done = session.pathline("record", "-o", "r", "--include", "mine.py", "--exclude", "main.py", "--python", PYTHON, "--", "main.py", cwd=place)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = ["w one", "c", "n", "n", "n", "f", "until", "s", "F", "S", "j end", "n", "s"]
        out = session.pathline("replay", "r", "--plain", *[f"--command={word}" for word in words], cwd=place).stdout.decode()
        rows = [row.split("\t") for row in out.splitlines() if row[0] != "#"][1:]
        answers = dict(zip(enumerate(words), [row[7] if row[0] != "!" else row[1] for row in rows]))
        on, out, back = ("no later line of this frame or its callers is recorded; s goes on", "no later line of this frame's callers is recorded; s goes on",
                         "no earlier line of this frame's callers is recorded; S goes back")
        self.assertEqual(list(answers.values())[2:], ["2", "3", on, out, on, "7", back, "3", "7", "no later line in this thread", "no later line in this thread"])

    def test_it_begins_in_the_program_itself(self):
        """With -m, Python looks for the module first, and imports its package."""
        place = session.scratch()
        os.mkdir(os.path.join(place, "shop"))
        for name, text in ("__init__.py", "x = 1\n"), ("__main__.py", '"""Text."""\nimport json.tool\nx = 2\n'), ("server.py", "from runpy import run_module\nx = 3\nrun_module('shop')\n"):
            with open(os.path.join(place, "shop", name), "w", encoding="utf-8") as f:
                f.write(text)

        def begin(*options):
            done = session.pathline("record", "-q", "-o", "r", *options, cwd=place)
            self.assertEqual(done.returncode, 0, done.stderr)
            out = session.pathline("replay", "r", "--plain", "-c", "j start", cwd=place).stdout.decode().splitlines()
            shutil.rmtree(os.path.join(place, "r"))
            rows = [row.split("\t") for row in out]
            return "/".join(rows[0][6].split("/")[-2:]) + ":" + rows[0][7], rows[1][6], rows[1][2]
        for options, at in (("shop",), "shop/__main__.py:1"), (("shop.server",), "shop/server.py:1"):
            first, file, seq = begin("--python", PYTHON, "-m", *options)
            self.assertEqual((first, file[:1], seq), (at, "<", "0"))
        self.assertEqual(begin("--only-mine", "--python", PYTHON, "-m", "shop.server")[0], "shop/server.py:1")
        self.assertRegex(begin("--python", PYTHON, "-c", "import runpy; runpy.run_module('shop')")[0], "string>:1$")

    def test_it_begins_at_a_line_that_there_is(self):
        """An empty module has a line with the number 0."""
        folder = session.scratch()
        os.makedirs(os.path.join(folder, "calc"))
        for name, text in (("calc/__init__.py", ""), ("calc/parser.py", "def parse():\n    return 1\n"), ("use.py", "import calc.parser\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        session.pathline("record", "-q", "--include", "calc", "--python", session.PYTHON, "--", "use.py", cwd=folder)
        at = session.pathline("replay", "--plain", "-c", "j start", cwd=folder).stdout.decode().split("\t")
        self.assertEqual((os.path.basename(at[6]), at[7]), ("parser.py", "1"))

    def test_until_goes_on_in_its_frame(self):
        rows = self.replay("a", "t worker", "b mine.py:28", "c", "until")
        self.assertEqual([row[7:9] for row in rows[4:6]], [["28", "work"], ["29", "work"]])     # not 24, where the loop goes on
        rows = self.replay("a", "t worker", "b mine.py:6", "c", "until", "S", "until 1000")
        self.assertEqual([row[8] for row in rows[4:6]], ["square", "work"])                     # its frame has ended
        rows = self.replay("a", "t worker", "b work", "c", "until 26", "until 29")
        self.assertEqual([row[7:9] for row in rows[5:]], [["26", "work"], ["29", "work"]])
        self.assertEqual(self.replay("until x")[1], ["!", "not a line number: x; try until 44"])

    def test_a_mistyped_word_names_the_near_one_only(self):
        rows = self.replay("stpe", "contniue", "frobnicate", "zz", "print x", "help frobnicate")
        self.assertEqual([row[1] for row in rows[1:]], [
            "unknown command: stpe; did you mean step?", "unknown command: contniue; did you mean continue?",
            "unknown command: frobnicate; help lists the commands", "unknown command: zz; help lists the commands",
            "this recording has the path, not the values of variables", "unknown command: frobnicate; help lists the commands"])

    def test_help_has_every_command(self):
        rows = self.replay("help", "help n", "help info threads")
        known = self.ask("replay", "--help")
        for word in rows[1][1].split("; help")[0].split():
            self.assertRegex(known, rf"(?m)^  {re.escape(word)} ", word)
        self.assertTrue({"clear", "hits", "B", "until", "bt", "help"} <= set(rows[1][1].replace(";", " ").split()))
        self.assertIn("next", rows[2][1])
        self.assertTrue(rows[3][1].startswith("t [THREAD]: "), rows[3])

    def test_the_second_hit_both_ways(self):
        hits = [e.row for e in self.model.threads[0] if e.event == "line" and e.line == 6]
        rows = self.replay("a", "b mine.py:6 if hits == 2", "c", "c", "j end", "C")
        self.assertEqual([rows[3], rows[6]], [hits[1], hits[1]])
        self.assertEqual(rows[4][0], "!")

    def test_visited_places_and_marks(self):
        rows = self.replay("s", "m a", "s", "back", "back", "forward", "'a", "''", "back", "'b")
        first, second, third = rows[0], rows[1], rows[3]
        self.assertEqual(rows[4:8], [second, first, second, second])
        self.assertEqual(rows[8], second)
        self.assertNotEqual(third, second)
        self.assertEqual(rows[10], ["!", "there is no such mark; m LETTER sets one"])

    def test_search_and_threads(self):
        rows = self.replay("/^squ", ";", ",", "?nothing")
        self.assertEqual([row[8] for row in rows[1:4]], ["square"] * 3)
        self.assertEqual(rows[3], rows[1])
        self.assertEqual(rows[4], ["!", "not found before this place; / searches forward"])
        there = self.replay("t worker", "t 0")
        self.assertEqual([row[1] for row in there], [events[0].row[1] for events in (self.model.threads[n] for n in (0, 1, 0))])

    def test_a_thread_is_where_it_was_at_that_moment(self):
        """By the order of the threads, not by their times; the way back leads to where it was."""
        main, worker = self.model.threads[:2]
        chosen = random.Random(8).sample([e for e in main if e.key > worker[0].key], 20) + main[:1]
        wanted = {e.seq: max((o for o in worker if o.key < e.key), key=lambda o: o.key, default=worker[0]) for e in chosen}
        rows = self.replay(*[word for e in chosen for word in (f"j #{e.seq}", "t worker", "t 0", "t 0")])
        for n, e in enumerate(chosen):
            there, again, here = rows[4 * n + 2:4 * n + 5]
            self.assertEqual((there, again), (wanted[e.seq].row, e.row))
            self.assertEqual(here, ["!", "this is thread 0 MainThread"])
        rows = self.replay("t worker", "t worker", "s", "P 1")
        self.assertEqual([row[1] for row in rows[2::2]], ["this is thread 1 worker", "this is process 1"])
        rows = self.ask("replay", given="t worker\nj end\nt 0\nj end\nt 1\n").splitlines()
        self.assertEqual(rows[1], "#\tworker had not begun; this is its first event")
        self.assertEqual(rows[-2], "#\tthis is the last event of worker")

    def test_a_process_and_back(self):
        """Also into the thread that one came from."""
        text = ("import os\nimport threading\n\n\ndef work():\n    return 1\n\n\npid = os.fork()\nif pid == 0:\n    work()\n    os._exit(0)\n"
                "t = threading.Thread(target=work)\nt.start()\nt.join()\nos.waitpid(pid, 0)\n")
        of = session.Recorded(text, "forks.py", "--only-mine")
        words = ["b work", "a", "t 1", "c", "s", "P 2", "P 1", "P 2", "t 0", "P 1"]
        out = of.pathline("replay", "--plain", *[f"--command={word}" for word in words]).stdout.decode().splitlines()
        rows = [row.split("\t") for row in out if row[0] != "#"]
        self.assertEqual(rows[5][7:9], ["6", "work"])
        self.assertEqual((rows[7], rows[10]), (rows[5], rows[5]))
        self.assertEqual(rows[6], rows[8])
        self.assertNotEqual(rows[6][0], rows[5][0])
        self.assertEqual(rows[9], ["!", "this is thread 0 MainThread"])

    def test_one_space_after_a_sign_is_not_part_of_its_argument(self):
        rows = self.replay("/ ^squ", "m a", "s", "' a", "? ^square$", "/  ^squ")
        self.assertEqual(rows[1], self.replay("/^squ")[1])
        self.assertEqual(rows[4], rows[1])
        self.assertEqual(rows[5][0], "!")
        self.assertEqual(rows[5][1], "not found before this place; / searches forward")
        # Only one row is skipped.
        self.assertEqual(rows[6], ["!", "not found after this place; ? searches backward"])

    def test_switches_are_where_another_task_or_thread_goes_on(self):
        way, at = [], self.model.threads[0][0]
        while at:
            way.append(at)
            at = self.model.switch(at, False)
        self.assertTrue({"Task-2", "Task-3", "Task-4"} < {e.task for e in way}, way)
        self.assertEqual({e.key[1] for e in way}, {0, 1})
        back, at = [], way[-1]
        while at:
            back.append(at)
            at = self.model.switch(at, True)
        rows = self.replay("j start", *["]"] * len(way), *["["] * len(back))
        self.assertEqual(rows[1:len(way) + 1], [e.row for e in way])
        self.assertEqual(rows[len(way) + 1], ["!", "no later switch"])
        self.assertEqual(rows[len(way) + 2:-1], [e.row for e in back[1:]])
        self.assertEqual(rows[-1], ["!", "no earlier switch"])
        self.assertEqual(back, way[::-1])

    def test_parts_of_a_task(self):
        """T goes to the next part of a task, ] and [ to the parts of all, also of the only one."""
        text = "import asyncio\n\n\nasync def one():\n    for i in range(3):\n        await asyncio.sleep(0)\n        i += 1\n\n\nasyncio.run(one())\n"
        of = session.Recorded(text, "one.py", "--only-mine")

        def go(*commands):
            out = of.pathline("replay", "--plain", *[f"--command={c}" for c in commands]).stdout.decode()
            return [row.split("\t")[7] if row[0] != "!" else row for row in out.splitlines() if row[0] != "#"][1:]
        self.assertEqual(go("b one.py:5", "c", "]", "]", "]", "[", "[", "[")[1:], ["5", "7", "7", "7", "7", "7", "5"])
        self.assertEqual(go("T 1", "T 1", "T 1", "T 1", "T 1", "[", "j end", "T 1"),
                         ["5", "7", "7", "7", "!\ttask 1 Task-1 does not go on later; [ goes back", "7", "10", "7"])
        self.assertEqual(go("T 1", "T 1", "s", "s", "[", "["), ["5", "7", "5", "6", "7", "5"])

    def test_a_task_that_runs_no_later_line(self):
        """T goes back to its last part, and says so."""
        text = ("import asyncio\n\n\nasync def job():\n    await asyncio.sleep(0)\n    x = 1\n    await asyncio.sleep(0)\n\n\n"
                "async def main():\n    await asyncio.create_task(job(), name='job')\n    y = 2\n\n\nasyncio.run(main())\nz = 3\n")
        of = session.Recorded(text, "last.py", "--only-mine")
        for words, line, notes in ((("T job", "T job"), "6", []), (("j end", "T job"), "6", ["task 2 job runs no later line; this is its last part with a line"]),
                                   (("j end", "T 1"), "12", ["task 1 Task-1 runs no later line; this is its last part with a line"])):
            out = of.pathline("replay", "--plain", *[f"--command={c}" for c in words]).stdout.decode().splitlines()
            self.assertEqual((out[-1].split("\t")[7], [row[2:] for row in out if row[0] == "#"]), (line, notes), words)

    def test_who_cancelled_a_task(self):
        """The guide's way: from the CancelledError back to another task, and on by lines."""
        text = ("import asyncio\n\n\nasync def inner():\n    await asyncio.sleep(3600)\n\n\nasync def victim():\n    await inner()\n\n\ndef stop(task):\n"
                "    task.cancel()  # here\n\n\nasync def killer(task):\n    await asyncio.sleep(0)\n    stop(task)\n    x = 1\n\n\nasync def main():\n"
                "    task = asyncio.create_task(victim(), name='victim')\n    await asyncio.wait([task, asyncio.create_task(killer(task), name='killer')])\n\n\n"
                "asyncio.run(main())\n")
        of = session.Recorded(text, "who.py", "--only-mine")
        out = of.pathline("replay", "--plain", *[f"--command={c}" for c in ("x CancelledError", "c", "[", "s", "s")]).stdout.decode().splitlines()
        rows, notes = [row.split("\t") for row in out if row[0] not in "#!"], [row for row in out if row[0] == "#"]
        self.assertEqual((rows[1][5], rows[1][11]), ("raise", "victim"))
        self.assertEqual(notes, ["#\ttask 3 killer runs here; you came from task 2 victim"])
        self.assertEqual([(row[7], row[8], row[11]) for row in rows[2:]], [("18", "killer", "killer"), ("13", "stop", "killer"), ("19", "killer", "killer")])

    def test_switches_say_who_ran(self):
        """By number and name: names can be the same."""
        done = subprocess.run([PATHLINE, "replay", "--plain", "recording"], cwd=self.place, input=15 * "]\n" + "[\n", text=True, capture_output=True, timeout=120)
        self.assertEqual(done.stderr, "")
        self.assertEqual(len(done.stdout.splitlines()), 33)
        notes = done.stdout.splitlines()[1::2]
        who = r"(thread \d+ [-\w]+(, task \d+ [-\w]+| outside of tasks)?|task \d+ [-\w]+)"
        for note in notes:
            self.assertRegex(note, rf"^#\t{who} runs here(; you came from {who})?$")
        self.assertTrue(any("task " in note for note in notes))
        # Where there are no tasks, nothing is said of them.
        of = session.Recorded("import threading\n\nt = threading.Thread(target=print, name='w')\nt.start()\nt.join()\nx = 1\n", "plain.py")
        out = of.pathline("replay", "--plain", "--end", "-t", "0", "-c", "[", "-c", "[", "-c", "[").stdout.decode()
        notes = [row[2:] for row in out.splitlines() if row[0] == "#"]
        self.assertTrue(notes)
        for note in notes:
            self.assertRegex(note, r"^thread \d+ [-\w]+ runs here(; you came from thread \d+ [-\w]+)?$")

    def test_of_many_tasks_some_are_named(self):
        text = ("import asyncio\n\n\nasync def job():\n    await asyncio.sleep(0)\n\n\nasync def main():\n"
                "    await asyncio.gather(*[asyncio.create_task(job(), name=f'job-{i}') for i in range(40)])\n\n\nasyncio.run(main())\n")
        of = session.Recorded(text, "many.py", "--only-mine")
        out = of.pathline("replay", "--plain", *[f"--command={c}" for c in ("T", "T 30", "T", "T 99", "T jbo-7", "t 7", "t x", "P 9")]).stdout.decode()
        rows = [row[2:] for row in out.splitlines() if row[0] != "#"][1:]
        rest = "; `report --tasks -n 0` lists all"
        self.assertTrue(rows[0].startswith("41 tasks, some of them: 1 Task-1; 2 job-0; ") and rows[0].endswith("; 12 job-10" + rest), rows[0])
        self.assertRegex(rows[2], r"^41 tasks, some of them: 24 job-22; .*; 29 job-27; > 30 job-28; 31 job-29; .*; 35 job-33" + re.escape(rest))
        self.assertTrue(rows[3].startswith("there is no task 99 in this thread; 41 tasks, some of them: 30 job-28; ") and rows[3].endswith("; 41 job-39" + rest), rows[3])
        self.assertTrue(rows[4].startswith("there is no task jbo-7 in this thread; did you mean job-7? 41 tasks, some of them: "), rows[4])
        self.assertEqual(rows[5:7], [f"there is no thread {name}; there are: 0: MainThread" for name in ("7", "x")])
        self.assertTrue(rows[7].startswith("there is no process 9; there are: 1: pid "), rows[7])

    def test_a_process_and_a_thread_in_it(self):
        text = ("import os\nimport threading\n\n\ndef job():\n    pass\n\n\nif os.fork():\n    os.wait()\nelse:\n"
                "    thread = threading.Thread(target=job, name='killer')\n    thread.start()\n    thread.join()\n")
        of = session.Recorded(text, "two.py", "--only-mine")
        for words, refusal in ((("-t", "killer"), "there is no thread killer in process 1; process 2 has it: P 2, then t killer"),
                               (("-t", "1"), "there is no thread 1 in process 1; process 2 has it: P 2, then t 1"),
                               (("-t", "x"), "there is no thread x; there are: 0: MainThread")):
            done = of.pathline("replay", "--plain", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.decode()), (2, b"", f"pathline: replay: {refusal}\n"))
        done = of.pathline("replay", "--plain", "-p", "2", "-t", "x")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rb"there is no thread x; there are: 0: (killer; 1: MainThread|MainThread; 1: killer)\n$")
        done = of.pathline("replay", "--plain", "-p", "9")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"there is no process 9; there are: 1: pid ", done.stderr)
        for words, line in ((("-p", "2", "--end"), "14"), (("-p", "2", "-t", "killer", "--end"), "6"), (("-p", "1", "--end"), "10")):
            done = of.pathline("replay", "--plain", *words, "-c", "P")
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            rows = [row.split("\t") for row in done.stdout.decode().splitlines() if row[0] != "#"]
            self.assertRegex(rows[1][1], rf"> {words[1]}: pid {rows[0][0]} ")
            self.assertEqual(rows[0][7], line)

    def test_a_prompt_for_a_person(self):
        """Only where commands come from a terminal; stdout has the answers, and nothing else."""
        for words in ((), ("--json",)):
            ours, theirs = pty.openpty()
            p = subprocess.Popen([PATHLINE, "replay", "--plain", *words, "recording"], cwd=self.place, stdin=theirs, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
            os.close(theirs)
            try:
                os.write(ours, b"s\nnonsense\n\x04")
                out, err = p.communicate(timeout=60)
            finally:
                os.close(ours)
            self.assertEqual((p.returncode, err), (0, 3 * "(pathline) " + "\n"))
            self.assertEqual(out, self.ask("replay", "--plain", *words, given="s\nnonsense\n"))
        done = subprocess.run([PATHLINE, "replay", "--plain", "recording"], cwd=self.place, input="s\nnonsense\n", text=True, capture_output=True, timeout=120)
        self.assertEqual(done.stderr, "")

    def test_json_gives_the_same(self):
        commands = ["s", "b mine.py:7", "b mine.py:6", "B", "a", "m a", "t", "x KeyError", "c", "help", "b mine.py:6", "clear"]
        plain = self.replay(*commands)
        objects = [json.loads(line) for line in self.ask("replay", "--json", given="".join(c + "\n" for c in commands)).splitlines()]
        self.assertEqual([o["type"] for o in objects], ["event", "event", "refused", *["done"] * 6, "event", *["done"] * 3])
        self.assertEqual([o["data"].get("what") for o in objects[3:9]], [row[1] for row in plain[3:9]])
        self.assertEqual(list(objects[1]["data"]), "pid,tid,seq,time,depth,event,file,line,code,type,task_id,task".split(","))
        self.assertEqual(str(objects[1]["data"]["seq"]), plain[1][2])
        self.assertEqual(objects[2]["data"]["why"], plain[2][1])
        codes = ["never-ran", "stop-set", "stops", "scope", "marked", "threads", "stop-set", "help", "stop-removed", "stops-removed"]
        self.assertEqual([o["data"]["code"] for o in objects if o["type"] != "event"], codes)
        row = json.loads(self.ask("replay", "--json", given="T 3\n").splitlines()[1])["data"]
        self.assertEqual((row["task_id"], row["task"]), (3, "Task-3"))

    def test_options_and_ones_own_file(self):
        os.makedirs(os.path.join(self.place, "config", "pathline"), exist_ok=True)
        own = os.path.join(self.place, "config", "pathline", "replay")
        with open(own, "w") as f:
            f.write("# mine\nb mine.py:6\n")
        self.addCleanup(os.unlink, own)
        answers = self.ask("replay", "--command", "j start", "--command=c", "--thread", "worker", given="B\n").splitlines()
        worker = self.model.threads[1]
        self.assertEqual(answers[0].split("\t")[1], worker[0].row[1])
        self.assertEqual(answers[1].split("\t"), worker[0].row)
        self.assertEqual(answers[2].split("\t"), next(e.row for e in worker if e.event == "line" and e.line == 6))
        self.assertEqual(answers[3], "!\t1: b mine.py:6")
        self.assertIn("not a time", self.ask("replay", "--at", "soon", fails=True))
        self.assertRegex(self.replay("j")[1][1], r"^j needs a time: .*\+100ms, .*#4711, start, end$")

    def test_a_jump_takes_the_same_times(self):
        """A bare small number is of nothing; +N is of seconds, as in dump --to."""
        lines = [e for e in self.model.threads[0] if e.event == "line"]
        rows = self.replay("j 1.5", "j 12", "j +3600", "j start", "j +0.0", "j -0", "j +1h", "j 0%")
        for row in rows[1:3]:
            self.assertEqual(row[0], "!")
            self.assertIn("+100ms", row[1])
        self.assertEqual(rows[3], rows[7])
        self.assertEqual(rows[5], rows[4])
        self.assertEqual(rows[8], rows[4])
        self.assertEqual(rows[3][2], self.model.threads[0][-1].row[2])
        self.assertTrue(lines)
        self.assertEqual(self.ask("replay", "--at", "+0.1", given="").splitlines()[-1].split("\t")[0], rows[4][0])

    def test_what_is_not_understood(self):
        rows = self.replay("frob", "s x", "j soon", "m 1", "/(", "j #1x")
        self.assertEqual([row[0] for row in rows[1:]], ["!"] * 6)


DEADLOCK = '''\
import os
import threading
import time

first, second = threading.Lock(), threading.Lock()
taken = threading.Semaphore(0)
both = threading.Event()


def take(mine, other):
    mine.acquire()
    taken.release()
    both.wait()
    other.acquire()
    print("never")


one = threading.Thread(target=take, args=(first, second), name="one")
one.start()
taken.acquire()
time.sleep(0.3)
two = threading.Thread(target=take, args=(second, first), name="two")
two.start()
taken.acquire()
both.set()
print(os.getpid(), flush=True)
one.join()
'''


WAITS = '''\
import os
import threading


def done():
    x = 1
    return x


def wait(lock):
    done()
    lock.acquire()
    print("never")


lock = threading.Lock()
lock.acquire(); print(os.getpid(), flush=True); wait(lock)
'''


class Killed(unittest.TestCase):
    """Where a program stood when it was killed: at the ends of its threads, whose last events have
    different times."""

    def test_the_end_of_one_thread_is_that_of_the_others(self):
        place = session.scratch()
        with open(os.path.join(place, "dead.py"), "w") as f:
            f.write(DEADLOCK)
        p = subprocess.Popen([PATHLINE, "record", "-q", "--only-mine", "-o", "r", "--python", PYTHON, "--", "dead.py"], cwd=place,
                             stdout=subprocess.PIPE)
        self.addCleanup(p.stdout.close)
        pid = int(p.stdout.readline())
        os.kill(pid, signal.SIGKILL)
        self.assertEqual(p.wait(60), -signal.SIGKILL)
        last = {}
        for row in session.pathline("dump", "r", "-f", "name,seq", cwd=place).stdout.decode().splitlines():
            name, seq = row.split("\t")
            last[name] = seq
        said = session.pathline("replay", "r", "--plain", "--end", "--thread", "one", "-c", "t two", "-c", "t MainThread", "-c", "t one",
                                "-c", "back", "-c", "back", "-c", "t 1", "-c", "j start", "-c", "t two", cwd=place).stdout.decode().splitlines()
        seqs = [row.split("\t")[2] for row in said if row[0] != "#"]
        main, one, two = last["MainThread"], last["one"], last["two"]
        # The last one: from the start, unlike from an end, t goes to the same time.
        self.assertEqual(seqs, [one, two, main, one, main, two, one, "0", "0"])

    def test_it_stands_where_the_thread_waits(self):
        """The row is the last event; bt, list, hits and b are of the line where the thread waits.
        What may have run since is not known, while the program runs and after it was killed."""
        place = session.scratch()
        with open(os.path.join(place, "waits.py"), "w") as f:
            f.write(WAITS)
        p = subprocess.Popen([PATHLINE, "record", "-q", "--values=none", "-o", "r", "--python", PYTHON, "--", "waits.py"], cwd=place,
                             stdout=subprocess.PIPE)
        self.addCleanup(p.stdout.close)
        pid = int(p.stdout.readline())
        self.addCleanup(lambda: p.poll() is None and os.kill(pid, signal.SIGKILL))

        def ask(*commands):
            done = session.pathline("replay", "r", "--plain", "--end", "--thread", "0", *[f"--command={c}" for c in commands], cwd=place)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            return [row.split("\t") for row in done.stdout.decode().splitlines()]
        end = time.monotonic() + 60
        while not session.pathline("replay", "r", "--plain", "--end", "-t", "0", cwd=place).stdout.startswith(b"#") and time.monotonic() < end:
            pass                                                    # until a look has found it
        # On 3.11 each line is stored when it begins.
        derived = subprocess.run([PYTHON, "-c", "import sys; sys.monitoring"], capture_output=True, check=False).returncode == 0
        for way in "running", "killed":
            if way == "killed":
                os.kill(pid, signal.SIGKILL)
                self.assertEqual(p.wait(60), -signal.SIGKILL)
            rows = ask("bt", "list", "hits", "hits 13", "hits 16", "hits 6", "b", "b waits.py:13", "u", "hits", "j start", "999999s")
            where = r"MainThread was seen last in line 12 of wait, waiting for \S+ \w+"
            self.assertRegex(rows[0][1], "^" + where)
            self.assertRegex(rows[2][1], r"^> 0 wait \S+/waits\.py:12; 1 <module> \S+/waits\.py:17$")
            self.assertRegex(rows[3][1], r"/waits\.py:12:     lock\.acquire\(\)$")
            self.assertEqual(rows[6][1], "line 16: 1 of 1 hits", way)
            unknown = "line {}: not known; the path breaks off before it"
            self.assertEqual(rows[7][1], unknown.format(6) if derived else "line 6: 1 of 1 hits", way)
            if derived:
                self.assertEqual(rows[1][7:9], ["5", "done"], way)
                self.assertEqual([row[1] for row in rows[4:6]], [unknown.format(12), unknown.format(13)], way)
                self.assertRegex(rows[8][1], r"/waits\.py:12 may have run at the end, where the path breaks off; the nearest lines that ran are 11 and 16$")
                self.assertRegex(rows[9][1], r"^waits\.py:13 may have run at the end")
            else:
                self.assertEqual(rows[1][7:9], ["12", "wait"], way)
                self.assertEqual([row[1] for row in rows[4:6]], ["line 12: 1 of 1 hits", "line 13: 0 of 0 hits"], way)
            self.assertRegex(rows[10][1], r"^frame 1: \S+/waits\.py:17 <module>$")
            self.assertEqual(rows[11], ["!", "line 17: 1 of 1 hits"])
            self.assertRegex(rows[-2][1], "times: no later line in this thread; " + where)

    def wait_for_a_look(self, place, recording, thread):
        """Until the collector has seen that the thread waits at the end of its path."""
        end = time.monotonic() + 60
        while b"waiting" not in session.pathline("replay", recording, "--plain", "--end", "-t", thread, cwd=place).stdout:
            self.assertLess(time.monotonic(), end, thread)

    def test_threads_that_hang_when_their_program_ends_in_good_order(self):
        """The end of the path says where they wait, as after a kill, but not of ended threads."""
        place = session.scratch()
        with open(os.path.join(place, "daemons.py"), "w") as f:
            f.write("import sys, threading\nlock = threading.Lock()\nlock.acquire()\ndef stuck():\n    lock.acquire()  # for ever\ndef ends():\n    return 1\n"
                    "for name in ('stuck-0', 'stuck-1'):\n    threading.Thread(target=stuck, name=name, daemon=True).start()\n"
                    "other = threading.Thread(target=ends, name='other')\nother.start()\nother.join()\nsys.stdin.read()\n")
        for name, options in ("all", ()), ("mine", ("--only-mine",)):
            p = subprocess.Popen([PATHLINE, "record", "-q", "-o", name, *options, "--python", PYTHON, "--", "daemons.py"], cwd=place, stdin=subprocess.PIPE)
            self.addCleanup(lambda p=p: p.poll() is None and p.kill())
            for thread in "stuck-0", "stuck-1":
                self.wait_for_a_look(place, name, thread)
            p.communicate(timeout=60)
            self.assertEqual(p.returncode, 0)
            each = r"#\tstuck-0 was seen last in line 5 of stuck, waiting[^;]*; stuck-1: line 5 of stuck, waiting[^;\t]*"
            for words in ("--end",), ("-c", "j end"):
                out = session.pathline("replay", name, "--plain", *words, cwd=place).stdout.decode().splitlines()
                self.assertRegex(out[-2], f"^{each}$", (name, words))

    def test_from_the_end_of_another_thread_to_where_one_hangs(self):
        """Where nothing of a thread follows, `t` goes to its end, as `-t NAME --end` does."""
        place = session.scratch()
        with open(os.path.join(place, "hangs.py"), "w") as f:
            f.write("import os, threading\nlock = threading.Lock()\nlock.acquire()\ndef stuck():\n    x = 1\n    lock.acquire()  # for ever\n"
                    "def ends():\n    print(os.getpid(), flush=True)\nhangs = threading.Thread(target=stuck, name='stuck')\nhangs.start()\n"
                    "other = threading.Thread(target=ends, name='other')\nother.start()\nother.join()\nhangs.join()\n")
        p = subprocess.Popen([PATHLINE, "record", "-q", "-o", "r", "--python", PYTHON, "--", "hangs.py"], cwd=place, stdout=subprocess.PIPE)
        self.addCleanup(p.stdout.close)
        pid = int(p.stdout.readline())
        self.addCleanup(lambda: p.poll() is None and os.kill(pid, signal.SIGKILL))
        self.wait_for_a_look(place, "r", "stuck")
        where = r"stuck was seen last in line 6 of stuck, waiting"
        for way in "running", "killed":
            if way == "killed":
                os.kill(pid, signal.SIGKILL)
                self.assertEqual(p.wait(60), -signal.SIGKILL)
            with self.subTest(way):
                end = session.pathline("replay", "r", "--plain", "--end", "-t", "stuck", cwd=place).stdout.decode().splitlines()
                self.assertRegex(end[0], "^#\t" + where)
                out = session.pathline("replay", "r", "--plain", "-t", "other", "--end", "-c", "t stuck", "-c", "t other", cwd=place).stdout.decode().splitlines()
                rows = [row for row in out if not row.startswith("#")]
                self.assertEqual(rows, [rows[0], end[1], rows[0]])
                self.assertRegex(out[out.index(end[1]) - 1], where)


class Long(unittest.TestCase):
    """A path of many windows."""

    def test_the_end_and_back(self):
        recorded = session.Recorded("for i in range(60000):\n    x = i\n    y = i\n", "long.py")
        words = ["--plain", "--command=j end", "--command=S", "--command=j #150000", "--command=S", "--command=s",
                 "--command=b long.py:1 if hits == 1", "--command=C"]
        done = recorded.pathline("replay", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
        flat = recorded.rows("--fields", "pid,tid,seq,time,depth,event,file,line,code,type,task_id,task")
        lines = [n for n, row in enumerate(flat) if row[5] == "line"]
        self.assertEqual(rows[1], flat[-1])
        self.assertEqual(rows[2], flat[lines[-1]])
        self.assertEqual(rows[3], flat[150000])
        self.assertEqual(rows[4], flat[max(n for n in lines if n < 150000)])
        self.assertEqual(rows[5], flat[min(n for n in lines if n >= 150000)])
        self.assertEqual(rows[7], flat[next(n for n in lines if flat[n][6].endswith("long.py") and flat[n][7] == "1")])

    def test_over_and_out_of_long_calls(self):
        """Most of the path is passed over without a visit."""
        text = ("import asyncio\n\n\ndef inner(n):\n    for i in range(n):\n        n -= 1\n    return n\n\n\n"
                "def work():\n    inner(100000)\n    inner(100000)\n    return 1\n\n\n"
                "async def waits():\n    await asyncio.sleep(0)\n    return work()\n\n\n"
                "async def main():\n    other = asyncio.create_task(waits())\n    first = asyncio.create_task(waits())\n"
                "    await asyncio.sleep(0)\n    return await other + await first\n\n\nasyncio.run(main())\n")
        recorded = session.Recorded(text, "over.py", "--only-mine")
        done = recorded.pathline("replay", "--plain", "--command=b over.py:11", "--command=c", "--command=n", "--command=n", "--command=N",
                                 "--command=N", "--command=n", "--command=s", "--command=s", "--command=s",
                                 "--command=f", "--command=b over.py:17", "--command=j start", "--command=c", "--command=n", "--command=n")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row.split("\t") for row in done.stdout.decode().splitlines()]
        at = [row[7] if row[0] != "!" else "!" for row in rows]
        self.assertEqual(at[2:11], ["11", "12", "13", "12", "11", "12", "5", "6", "5"])
        self.assertEqual(at[11:], ["13", "!", "1", "17", "18", "!"])  # the event loop is not recorded

    def test_the_hit_that_counts_in_a_long_path(self):
        recorded = session.Recorded("def f(i):\n    return i\n\n\nx = 0\nfor i in range(400000):\n    x += f(i)\n    x ^= i\n", "hits.py")
        done = recorded.pathline("replay", "--plain", "--command=b hits.py:2 if hits == 390001", "--command=c", "--command=hits", "--command=F",
                                 "--command=hits 8", "--command=j 0%", "--command=hits 8", "--command=j end", "--command=C")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row.split("\t") for row in done.stdout.decode().splitlines()]
        self.assertEqual(rows[3], ["!", "line 2: 390,001 of 400,000 hits"])
        self.assertEqual((rows[4][7], rows[5]), ("7", ["!", "line 8: 390,000 of 400,000 hits"]))
        self.assertRegex("\t".join(rows.pop(6)), r"^#\tthe nearest event is .* later$")  # of j 0%
        self.assertEqual(rows[7], ["!", "line 8: 0 of 400,000 hits"])
        self.assertEqual(rows[9], rows[2])


if __name__ == "__main__":
    unittest.main()
