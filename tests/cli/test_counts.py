"""libpathline counts what it visits, and seeks to where a visit comes: of programs that were just
recorded, and of what is left of them.

The comparing is done in C, by build/tests/unit/trace/counted (tests/lib/counts.h).
"""
import collections
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

COUNTED = os.path.join(session.BUILD, "tests", "unit", "trace", "counted")

PROGRAM = '''\
import asyncio, contextlib, os, re, signal, sys, threading


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def numbers(n):
    for i in range(n):
        try:
            yield i
        except ValueError:
            yield -1
        finally:
            n += 1


def two():
    while True:
        yield 1
        yield 2


def outer(n):
    yield from numbers(n)


def throws(n):
    if n % 3 == 0:
        raise KeyError(n)
    if n % 5 == 0:
        raise ValueError(n)
    return n


def handles(rounds):
    caught = 0
    for n in range(rounds):
        try:
            caught += throws(n)
        except KeyError:
            caught += 1
            continue
        except ValueError as e:
            with contextlib.suppress(ValueError):
                raise e
        finally:
            caught ^= 1
    return caught


def deep(n):
    return deep(n - 1) + 1 if n else 0


def one_line(n):
    while n: n -= 1
    return [i for i in range(30)], sorted(range(30), key=lambda i: -i), re.sub("a", lambda m: "b", "banana")


async def task(n):
    for _ in range(n):
        await asyncio.sleep(0)
    return n


async def tasks():
    return await asyncio.gather(*(task(n) for n in range(10)))


def work(rounds):
    for i in range(rounds):
        fib(8)
        handles(40)
        list(outer(10))
        g = two()
        for _ in range(6):
            next(g)
        g = numbers(5)
        next(g)
        g.throw(ValueError)
        g.close()
        one_line(20)
        deep(60)


work(3)
asyncio.run(tasks())
threads = [threading.Thread(target=work, args=(20,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if "fork" in sys.argv:
    if not os.fork():
        work(2)
        os._exit(0)
    os.wait()
if "kill" in sys.argv:
    work(2)
    os.kill(os.getpid(), signal.SIGKILL)
if "killed" in sys.argv:
    read, write = os.pipe()
    child = os.fork()
    if not child:
        work(1)
        os.write(write, b"!")
        while True:
            work(1)
    os.read(read, 1)
    os.kill(child, signal.SIGKILL)
    os.wait()
'''

# Far more events than a small recording may have: the oldest are dropped.
MANY = "def f(n):\n    n += 1\n    return n\n\n\nfor i in range(%d):\n    try:\n        f(i)\n        {}[i]\n    except KeyError:\n        pass\n"


def is_asked():
    """It takes a minute and more: `make test` and CI ask the interpreter whose turn it is, CI also
    one of the five minor versions, which moves on with each commit."""
    suite = os.environ.get("PATHLINE_SUITE")
    if suite not in ("test", "ci") or os.environ.get("PATHLINE_TURN") == "1":
        return True
    minor = subprocess.run([session.PYTHON, "-c", "import sys; print(sys.version_info[1])"], stdout=subprocess.PIPE, check=True).stdout
    return suite == "ci" and (int(minor) + int(os.environ.get("PATHLINE_ROTATION", "0"))) % 5 == 0


@unittest.skipUnless(is_asked(), "not now: it takes a minute, and is asked of the interpreter whose turn it is")
class Counts(unittest.TestCase):
    def setUp(self):
        self.folder = session.scratch()

    def record(self, *options, text=PROGRAM, arguments=()):
        script = os.path.join(self.folder, "program.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(text)
        directory = os.path.join(self.folder, "recording")
        session.pathline("record", "-q", "-o", directory, *options, "--python", session.PYTHON, "--", script, *arguments)
        return directory

    def same(self, directory):
        done = subprocess.run([COUNTED, directory], capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("the same", done.stdout)
        return int(done.stdout.split(": ")[1].split()[0])

    def test_as_it_is(self):
        self.assertGreater(self.same(self.record(arguments=["fork"])), 10000)

    def test_report_has_the_lines_of_dump(self):
        directory = self.record(arguments=["fork"])
        dumped = collections.Counter(map(tuple, session.rows(directory, "--events", "line,again", "--fields", "file,code,line")))
        reported = collections.Counter()
        for line in session.pathline("report", "--json", directory).stdout.splitlines():
            row = json.loads(line)["data"]
            if row.get("hits"):
                reported[row["file"], row["code"], str(row["line"])] += row["hits"]
        self.assertEqual(reported, dumped)

    def test_every_line_recorded(self):
        self.same(self.record("--order=exact", "--passes=none"))

    def test_each_event_stamped(self):
        self.same(self.record("--clock=line"))

    def test_calls_stamped(self):
        self.same(self.record("--clock=call"))

    def test_code_left_out(self):
        self.same(self.record("--only-mine"))
        shutil.rmtree(os.path.join(self.folder, "recording"))
        self.same(self.record("--exclude=__main__"))

    def test_killed_by_itself(self):
        self.same(self.record(arguments=["kill"]))

    def test_killed_by_another(self):
        self.same(self.record(arguments=["killed"]))

    def test_oldest_dropped(self):
        directory = self.record("--limit=1M", text=MANY % 100000)
        self.same(directory)

    def test_events_dropped(self):
        self.same(self.record("--on-full=drop", text=MANY % 30000))

    def test_cut_off(self):
        directory = self.record()
        segment = os.path.join(directory, "events.000001")
        whole = os.path.getsize(segment)
        for part in (0.9, 0.6, 0.3, 0.1):
            os.truncate(segment, int(whole * part))
            self.same(directory)


if __name__ == "__main__":
    unittest.main()
