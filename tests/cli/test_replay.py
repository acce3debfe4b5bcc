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
FIELDS = "pid,tid,seq,time,depth,event,file,line,code,generator,greenlet,order,thread"
ENDS = ("return", "unwind")
ENTRIES = ("resume", "throw")


class Event:
    def __init__(self, row):
        self.row = row[:9]
        self.seq, self.depth, self.event, self.line = int(row[2]), int(row[4] or 0), row[5], int(row[7] or 0)
        self.code, self.generator, self.greenlet = row[8], row[9], row[10]
        self.key = (int(row[11]), int(row[12]), self.seq)


class Model:
    """One thread's events as a list; positions are indexes."""

    def __init__(self, threads):
        self.threads = threads
        self.all = sorted((e for events in threads for e in events), key=lambda e: e.key)

    def suspends(self, events, i):
        if events[i].code in ASYNC_GENERATORS:
            after = events[i + 1] if i + 1 < len(events) else None
            return bool(after) and after.event == "yield" and after.depth + 1 == events[i].depth
        return events[i].code in COROUTINES

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
                generator = e.code not in COROUTINES | ASYNC_GENERATORS
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


def stop(e):
    return (e.event == "line" and e.line == 6) or (e.event == "call" and e.code == "add") or \
        (e.event == "raise" and e.code == "fail")


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = session.scratch()
        with open(os.path.join(cls.place, "mine.py"), "w") as f:
            f.write(PROGRAM)
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

    def test_random_commands_against_a_naive_walk(self):
        chance = random.Random(20261123)
        setting = ["b mine.py:6", "b add", "x KeyError"]  # line 6 ran in both threads
        commands, wanted = list(setting), [None] * len(setting)
        thread, i, everywhere = 0, next(i for i, e in enumerate(self.model.threads[0]) if e.event == "line"), False
        for _ in range(COMMANDS):
            command = chance.choice("sSnNfFcCsnSNaj")
            if command == "j":
                command = f"j #{chance.randrange(self.model.threads[thread][-1].seq + 3)}"
            commands.append(command)
            if command == "a":
                everywhere = not everywhere
                wanted.append("all threads" if everywhere else "this thread only")
                continue
            to = self.model.move(command, thread, i, stop, everywhere)
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

    def test_switches_are_where_another_run_begins(self):
        runs = [e for i, e in enumerate(self.model.all)
                if i == 0 or e.key[:2] != self.model.all[i - 1].key[:2]]
        count = len(runs) - 1
        rows = self.replay("j start", *["]"] * count, "]", *["["] * count)
        self.assertEqual(rows[1:count + 2], [e.row for e in runs])
        self.assertEqual(rows[count + 2], ["!", "no switch that way"])
        self.assertEqual(rows[count + 3:], [e.row for e in runs[-2::-1]])

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


if __name__ == "__main__":
    unittest.main()
