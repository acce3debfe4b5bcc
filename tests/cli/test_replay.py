"""pathline replay: every move against a naive walk over the flat list of events that dump gives."""
import bisect
import json
import os
import random
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from session import PATHLINE, PYTHON  # noqa: E402

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
FIELDS = "pid,tid,seq,time,depth,event,file,line,code,generator,greenlet,order,thread,type,task"
ENDS = ("return", "unwind")
ENTRIES = ("resume", "throw")


class Event:
    def __init__(self, row):
        self.row = row[:9]
        self.seq, self.depth, self.event, self.line = int(row[2]), int(row[4] or 0), row[5], int(row[7] or 0)
        self.code, self.generator, self.greenlet = row[8], row[9], row[10]
        self.key, self.type, self.task = (int(row[11]), int(row[12]), self.seq), row[13], row[14]
        code = self.code
        self.tells_task = self.event == "line" and bool(self.task) and code in ALL_COROUTINES | ALL_ASYNC_GENERATORS


class Model:
    """One thread's events as a list; positions are indexes."""

    def __init__(self, threads):
        self.threads = threads
        self.all = sorted((e for events in threads for e in events), key=lambda e: e.key)

    def arrived(self, e):
        """Is it an exception that arrives from a callee?"""
        events = next(own for own in self.threads if own[0].row[1] == e.row[1])
        i = bisect.bisect_left(events, e.seq, key=lambda other: other.seq)
        return i > 0 and events[i - 1].event == "unwind" and events[i - 1].depth == e.depth + 1

    def began(self, run, i, task):
        """Where the task has its first line of those in front of run[i] that no other task's come between; None: it has none."""
        other = max((j for j in range(i) if run[j].tells_task and run[j].task != task), default=-1)
        return next((j for j in range(other + 1, i) if run[j].tells_task and run[j].task == task), None)

    def left(self, run, i, task):
        """Where this task began to run, or the one before."""
        j = self.began(run, i, task)
        if j is None:
            before = max((j for j in range(i) if run[j].tells_task and run[j].task != task), default=None)
            j = None if before is None else self.began(run, before + 1, run[before].task)
        return j

    def switch(self, at, back):
        """The event to which ] and [ lead from this one; None: nowhere."""
        run = [e for e in self.all if e.key[:2] == at.key[:2]]
        i = run.index(at)
        if not back:
            to = next((e for e in run[i + 1:] if e.tells_task and e.task != at.task), None)
            return to or next((e for e in self.all if e.key[:2] > at.key[:2]), None)
        j = self.left(run, i, at.task)
        if j is not None:
            return run[j]
        if i:
            return run[0]
        before = [e for e in self.all if e.key[:2] < at.key[:2]]
        if not before:
            return None
        run = [e for e in before if e.key[:2] == before[-1].key[:2]]
        return run[self.left(run, len(run), run[-1].task) or 0]

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
                if inside and e.depth < depth:  # one that is not recorded ended without a word
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

    def behind(self, events, i, out):
        depth, waits = events[i].depth, None
        j = i
        anything = False
        while True:
            e = events[j]
            if waits is not None:
                if e.generator == waits and j < i:
                    waits, depth = None, e.depth
            if waits is None and not anything and e.depth < depth:  # one that is not recorded began without a word
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

    def move(self, command, thread, i, stops, everywhere):
        """(thread, index), or None where it stays."""
        events = self.threads[thread]
        if command in "sS":
            way = range(i + 1, len(events)) if command == "s" else range(i - 1, -1, -1)
            j = next((j for j in way if events[j].event == "line"), None)
        elif command in "nf":
            j = self.ahead(events, i, command == "f")
        elif command in "NF":
            j = self.behind(events, i, command == "F")
        elif command in "cC":
            events = self.all if everywhere else events
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
    """A program by chance. Functions call those behind them, so it ends; each k-th pass of a long loop would be missed without a visit."""

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
        cls.made = subprocess.run([PATHLINE, "record", "--only-mine", "-o", "recording", *PYTHON.split(), "mine.py"],
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
        answers = self.ask("replay", *options, given="".join(c + "\n" for c in commands)).splitlines()
        self.assertEqual(len(answers), len(commands) + 1)
        return [row.split("\t") for row in answers]

    def walk(self, chance, setting, stops, count):
        """Random commands against the naive walk."""
        commands, wanted = list(setting), [None] * len(setting)
        thread, i, everywhere = 0, next(i for i, e in enumerate(self.model.threads[0]) if e.event == "line"), False
        for _ in range(count):
            command = chance.choice("sSnNfFcCsnSNaj")
            if command == "j":
                command = f"j #{chance.randrange(self.model.threads[thread][-1].seq + 3)}"
            commands.append(command)
            if command == "a":
                everywhere = not everywhere
                wanted.append("all threads" if everywhere else "this thread only")
                continue
            to = self.model.move(command, thread, i, stops, everywhere)
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
        self.assertEqual(rows[1], ["!", "Task-1; Task-2; Task-3; Task-4"])
        self.assertEqual(rows[2][5:], ["line", rows[2][6], str(1 + PROGRAM.split("\n").index("    total = 0")), "add"])
        self.assertEqual(rows[3], ["!", "there are: Task-1; Task-2; Task-3; Task-4"])
        self.assertEqual(rows[5], ["!", "this thread has no tasks"])

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
        rows = self.replay("b mine.py:7", "b suare", "b", "b mine.py:6 if hits == 2", "b", "clear 1", "c", "clear 9")
        self.assertIn("near it 6 and 9", rows[1][1])
        self.assertIn("did you mean square", rows[2][1])
        self.assertEqual(rows[3], ["!", "there is no stop"])
        self.assertEqual(rows[5], ["!", "1: b mine.py:6 if hits == 2"])
        self.assertEqual(rows[7], ["!", "there is no stop; set one by b, x or w"])
        self.assertEqual(rows[8], ["!", "there is no stop 9"])

    def test_the_second_hit_both_ways(self):
        hits = [e.row for e in self.model.threads[0] if e.event == "line" and e.line == 6]
        rows = self.replay("b mine.py:6 if hits == 2", "c", "c", "j end", "C")
        self.assertEqual([rows[2], rows[5]], [hits[1], hits[1]])
        self.assertEqual(rows[3][0], "!")

    def test_visited_places_and_marks(self):
        rows = self.replay("s", "m a", "s", "back", "back", "forward", "'a", "''", "back", "'b")
        first, second, third = rows[0], rows[1], rows[3]
        self.assertEqual(rows[4:8], [second, first, second, second])
        self.assertEqual(rows[8], second)
        self.assertNotEqual(third, second)
        self.assertEqual(rows[10], ["!", "there is no such mark"])

    def test_search_and_threads(self):
        rows = self.replay("/^squ", ";", ",", "?nothing", "t worker", "t 0")
        self.assertEqual([row[8] for row in rows[1:4]], ["square"] * 3)
        self.assertEqual(rows[3], rows[1])
        self.assertEqual(rows[4], ["!", "not found"])
        self.assertEqual(rows[5][1], self.model.threads[1][0].row[1])
        self.assertEqual(rows[6][1], rows[0][1])

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
        self.assertEqual(rows[len(way) + 1], ["!", "no switch that way"])
        self.assertEqual(rows[len(way) + 2:-1], [e.row for e in back[1:]])
        self.assertEqual(rows[-1], ["!", "no switch that way"])

    def test_json_gives_the_same(self):
        plain = self.replay("s", "b mine.py:7")
        objects = [json.loads(line) for line in self.ask("replay", "--json", given="s\nb mine.py:7\n").splitlines()]
        self.assertEqual([o["type"] for o in objects], ["event", "event", "refused"])
        self.assertEqual(list(objects[1]["data"]), "pid,tid,seq,time,depth,event,file,line,code".split(","))
        self.assertEqual(str(objects[1]["data"]["seq"]), plain[1][2])
        self.assertEqual(objects[2]["data"]["why"], plain[2][1])

    def test_options_and_ones_own_file(self):
        os.makedirs(os.path.join(self.place, "config", "pathline"), exist_ok=True)
        own = os.path.join(self.place, "config", "pathline", "replay")
        with open(own, "w") as f:
            f.write("# mine\nb mine.py:6\n")
        self.addCleanup(os.unlink, own)
        answers = self.ask("replay", "--command", "j start", "--command=c", "--thread", "worker", given="b\n").splitlines()
        worker = self.model.threads[1]
        self.assertEqual(answers[0].split("\t")[1], worker[0].row[1])
        self.assertEqual(answers[1].split("\t"), worker[0].row)
        self.assertEqual(answers[2].split("\t"), next(e.row for e in worker if e.event == "line" and e.line == 6))
        self.assertEqual(answers[3], "!\t1: b mine.py:6")
        self.assertIn("not a time", self.ask("replay", "--at", "soon", fails=True))

    def test_what_is_not_understood(self):
        rows = self.replay("frob", "s 3", "j soon", "m 1", "/(", "j #1x")
        self.assertEqual([row[0] for row in rows[1:]], ["!"] * 6)


class Long(unittest.TestCase):
    """A path of many windows."""

    def test_the_end_and_back(self):
        recorded = session.Recorded("for i in range(60000):\n    x = i\n    y = i\n", "long.py")
        words = ["--plain", "--command=j end", "--command=S", "--command=j #150000", "--command=S", "--command=s",
                 "--command=b long.py:1 if hits == 1", "--command=C"]
        done = recorded.pathline("replay", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
        flat = recorded.rows("--fields", "pid,tid,seq,time,depth,event,file,line,code")
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
        self.assertEqual(rows[3], ["!", "line 2: 390001 of 400000 hits"])
        self.assertEqual((rows[4][7], rows[5]), ("7", ["!", "line 8: 390000 of 400000 hits"]))
        self.assertEqual(rows[7], ["!", "line 8: 0 of 400000 hits"])
        self.assertEqual(rows[9], rows[2])


if __name__ == "__main__":
    unittest.main()
