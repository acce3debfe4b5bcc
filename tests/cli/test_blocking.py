"""pathline report --blocking: what stood still, and what kept an event loop busy."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"
MODES = ((), ("--only-mine",))

# Tasks that all go on in one pass of the loop. It prints how long each of them, and all, took.
PASS = '''\
import asyncio, json, sys, time
took = {}


async def job(gate, name, delay):
    await gate.wait()
    began = time.monotonic()
    time.sleep(delay)  # sleeps
    took[name] = time.monotonic() - began


async def main():
    gate = asyncio.Event()
    delays = [float(word) for word in sys.argv[1:]]
    tasks = [asyncio.create_task(job(gate, f"job-{i}", delay), name=f"job-{i}") for i, delay in enumerate(delays)]
    await asyncio.sleep(0.02)
    began = time.monotonic()
    gate.set()
    await asyncio.gather(*tasks)
    took["all"] = time.monotonic() - began


asyncio.run(main())
print(json.dumps(took))
'''

# Each step is a pass of its own: the loop polls in between, without a wait.
POLITE = '''\
import asyncio, json, time
took = []


async def job():
    for _ in range(30):
        began = time.monotonic()
        time.sleep(0.01)  # sleeps
        took.append(time.monotonic() - began)
        await asyncio.sleep(0)


async def main():
    await asyncio.sleep(0.02)
    await asyncio.gather(job(), job())


asyncio.run(main())
print(json.dumps([max(took), sum(took)]))
'''

# Callbacks without a task, which end with a return that has no event.
CALLBACKS = '''\
import asyncio, json, time
took = []


def slow(seconds):
    time.sleep(seconds)  # sleeps


def deep(seconds):
    began = time.monotonic()
    slow(seconds)
    slow(seconds / 2)
    took.append(time.monotonic() - began)


async def main():
    loop = asyncio.get_running_loop()
    await asyncio.sleep(0.02)
    for seconds in 0.2, 0.5:
        loop.call_soon(deep, seconds)
    await asyncio.sleep(0.05)
    loop.call_later(0.02, deep, 0.3)
    await asyncio.sleep(0.8)


asyncio.run(main())
print(json.dumps(took))
'''

# Two waits with nothing between them that needs an event.
WAITS = '''\
import json, threading, time
lock = threading.Lock()
times = []


def work():
    a = time.time()
    time.sleep(0.4)  # sleeps
    b = time.time()
    with lock:  # waits
        c = time.time()
    times.extend((a, b, c))


lock.acquire()
thread = threading.Thread(target=work)
thread.start()
time.sleep(1.2)
lock.release()
thread.join()
print(json.dumps(times))
'''

# It waits for ever, after lines of which the last event says nothing, and is killed. It prints when
# it begins to wait.
KILLED = '''\
import os, signal, sys, threading, time
lock = threading.Lock()


def kill():
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)


def stuck(seconds):
    lock.acquire()
    for i in range(1000):
        pass
    time.sleep(seconds)
    print(time.time(), flush=True)
    lock.acquire()  # waits


threading.Thread(target=kill).start()
stuck(float(sys.argv[1]))
'''

# A handler that never ends, until the program is killed.
STUCK = '''\
import asyncio, os, signal, threading, time


def kill():
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)


async def handler():
    await asyncio.sleep(0.1)
    time.sleep(100)  # sleeps


async def main():
    await asyncio.gather(asyncio.create_task(handler(), name="handler"), asyncio.sleep(100))


threading.Thread(target=kill).start()
asyncio.run(main())
'''


def line_of(text, word):
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# " + word))


class Blocking(unittest.TestCase):
    def record(self, text, *options, arguments=()):
        run = session.Recorded(text, "blocks.py", *options, arguments=arguments)
        return run, json.loads(run.done.stdout)

    def killed(self, text, *words, options=()):
        """A folder with the recording of a program that is killed; what it said."""
        folder = session.scratch()
        with open(os.path.join(folder, "blocks.py"), "w", encoding="utf-8") as f:
            f.write(text)
        done = session.pathline("record", "-q", *options, "--python", session.PYTHON, "--", "blocks.py", *words, cwd=folder)
        return folder, done.stdout

    def rows(self, run, least, line):
        """The blocks with this innermost line."""
        return self.rows_in(run.folder, least, line)

    def rows_in(self, folder, least, line):
        told = session.pathline("report", "--blocking", least, "--json", cwd=folder).stdout.splitlines()
        rows = [json.loads(row)["data"] for row in told if json.loads(row)["type"] == "block"]
        return [row for row in rows if row["stack"][0]["line"] == line and row["stack"][0]["file"].endswith("blocks.py")]

    def check_event(self, run, row):
        """Its seq is of an event of that line, in that task."""
        self.assertIsNotNone(row["seq"], row)
        said = run.pathline("replay", "--plain", "-t", str(row["thread"]), "--at", f"#{row['seq']}").stdout.decode().split("\t")
        task = str(row["task_id"]) if row["task_id"] else ""
        self.assertEqual((said[2], said[5], said[7], said[10]), (str(row["seq"]), "line", str(row["stack"][0]["line"]), task), row)

    def check_holds(self, row, seconds):
        """It has this time, and little else."""
        self.assertGreater(row["ns"] + row["error_ns"], seconds * 1e9, row)

    def test_the_task_that_took_most_of_a_pass(self):
        for options in MODES:
            with self.subTest(options):
                run, took = self.record(PASS, *options, arguments=("0.15", "0.6", "0.3"))
                rows = self.rows(run, "100ms", line_of(PASS, "sleeps"))
                longest, = (row for row in rows if row["kind"] == "loop")
                whole = took.pop("all")
                self.check_holds(longest, sum(took.values()))
                self.assertLess(longest["ns"] - longest["error_ns"], whole * 1e9 + 5e7)
                self.assertEqual(longest["task"], max(took, key=took.get), rows)
                # Each that is long alone has one row, which is not that of a wait of the thread.
                alone = {row["task"]: row for row in rows if row["kind"] == "callback"}
                self.assertEqual({row["kind"] for row in rows}, {"loop", "callback"}, rows)
                self.assertEqual((len(rows), set(alone)), (4, set(took)), rows)
                for name, row in alone.items():
                    self.assertAlmostEqual(row["ns"], took[name] * 1e9, delta=row["error_ns"] + 5e6)
                for row in rows:
                    self.check_event(run, row)
                text = run.pathline("report", "--blocking", "100ms").stdout.decode()
                self.assertEqual((text.count("  the event loop was kept busy, "), text.count("  one callback kept the event loop busy, ")), (1, 3), text)

    def test_many_that_are_short(self):
        """A pass that is long although no callback is."""
        for options in MODES:
            with self.subTest(options):
                run, took = self.record(PASS, *options, arguments=["0.02"] * 20)
                row, = self.rows(run, "250ms", line_of(PASS, "sleeps"))
                took.pop("all")
                self.assertEqual(row["kind"], "loop")
                self.assertIn(row["task"], took)
                self.check_holds(row, sum(took.values()))
                self.check_event(run, row)

    def test_tasks_that_let_others_run(self):
        """No pass runs a task twice, also where the loop is left out and polls without a wait."""
        for options in MODES:
            with self.subTest(options):
                run, (longest, whole) = self.record(POLITE, *options)
                for row in self.rows(run, "50ms", line_of(POLITE, "sleeps")):
                    self.assertLess(row["ns"] - row["error_ns"], (2 * longest + whole / 4) * 1e9, row)

    def test_one_callback_is_one_row(self):
        for options in MODES:
            with self.subTest(options):
                run, took = self.record(PASS, *options, arguments=("0.3",))
                row, = self.rows(run, "50ms", line_of(PASS, "sleeps"))
                self.assertEqual((row["kind"], row["task"]), ("loop", "job-0"))
                self.check_holds(row, took["job-0"])
                self.check_event(run, row)

    def test_a_callback_is_told_once(self):
        for options in MODES:
            with self.subTest(options):
                run, took = self.record(CALLBACKS, *options)
                rows = [row for row in self.rows(run, "150ms", line_of(CALLBACKS, "sleeps")) if row["kind"] != "still"]
                rows.sort(key=lambda row: (row["at"], -row["ns"]))
                whole, *alone = rows[:3]
                self.assertEqual([row["kind"] for row in rows], ["loop", "callback", "callback", "loop"], rows)
                self.check_holds(whole, took[0] + took[1])
                for row, seconds in zip((*alone, rows[3]), took):
                    self.assertAlmostEqual(row["ns"], seconds * 1e9, delta=row["error_ns"] + 1e7)
                    self.check_event(run, row)

    def test_waits_beside_each_other_are_two(self):
        """Nothing but samples tells where one ends and the other begins."""
        for options in MODES:
            with self.subTest(options):
                run, (began, between, ended) = self.record(WAITS, *options)
                for word, begin, end in (("sleeps", began, between), ("waits", between, ended)):
                    row, = self.rows(run, "200ms", line_of(WAITS, word))
                    self.assertEqual((row["kind"], row["thread"]), ("still", 1))
                    self.assertAlmostEqual(row["ns"], (end - begin) * 1e9, delta=row["error_ns"] + 5e6)
                    self.check_event(run, row)

    def test_since_when_it_stands_still_before_a_kill(self):
        for seconds, clock in (("0.05", "tick=auto"), ("0.3", "tick=auto"), ("0.3", "tick=1ms"), ("0.31", "tick=1ms"), ("0.32", "tick=1ms")):
            folder, said = self.killed(KILLED, seconds, options=("--clock", clock))
            row, = self.rows_in(folder, "200ms", line_of(KILLED, "waits"))
            self.assertAlmostEqual(row["at"], float(said), delta=row["error_ns"] / 1e9 + 0.001, msg=row)

    def test_a_pass_that_never_ends(self):
        for options in MODES:
            folder, _ = self.killed(STUCK, options=options)
            row, = self.rows_in(folder, "200ms", line_of(STUCK, "sleeps"))
            self.assertEqual((row["kind"], row["task"]), ("loop", "handler"), options)


if __name__ == "__main__":
    unittest.main()
