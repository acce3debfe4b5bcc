"""`replay --at-exception`: the last exception that ended a thread, task or process is found where
it was raised, whatever ran later."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from session import PYTHON, pathline, scratch  # noqa: E402

INTERPRETERS = "two"

QUICK = True

# Program, and the line and function in which the exception was raised. A line that raises it ends
# with "# here".
CASES = {
    "main thread": '''\
def inner(n):
    try:
        return 1 / n    # here
    finally:
        int("4")
def outer():
    try:
        inner(0)
    except ValueError:
        pass
outer()
''',
    "the traceback is printed, atexit functions and threads run later": '''\
import atexit, threading
def late():
    raise KeyError("printed and ignored")
def fail():
    raise ValueError("real")    # here
atexit.register(late)
gate = threading.Event()
threading.Thread(target=gate.wait).start()
try:
    fail()
finally:
    gate.set()
''',
    "a handler that passes it on": '''\
import contextlib
@contextlib.contextmanager
def manager():
    try:
        yield
    finally:
        pass
def inner(_):
    try:
        raise ValueError(1)    # here
    except ValueError:
        try:
            {}["x"]
        except KeyError:
            pass
        raise
def outer():
    with manager():
        sorted([1, 2], key=inner)
outer()
''',
    "a finaliser between a frame's end and its caller": '''\
class Resource:
    def __del__(self):
        try:
            {}["nothing"]
        except KeyError:
            pass
def fail():
    resource = Resource()
    return int("x")    # here
def outer():
    fail()
outer()
''',
    "thread": '''\
import threading
def work():
    raise KeyError("in a thread")    # here
thread = threading.Thread(target=work, name="worker")
thread.start()
thread.join()
''',
    "thread without threading": '''\
import _thread, threading
done = threading.Event()
class Signal:
    def __del__(self):
        done.set()
def work(signal):
    raise KeyError("in a thread")    # here
_thread.start_new_thread(work, (Signal(),))
done.wait()
''',
    "exit of a thread is not one": '''\
import sys, threading
def work():
    raise KeyError("in a thread")    # here
for target in (work, sys.exit):
    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
sys.exit(0)
''',
    "exit, where there is nothing else": '''\
import sys
def stop():
    sys.exit(2)    # here
stop()
''',
    "task that nobody waits for": '''\
import asyncio
async def leaf():
    await asyncio.sleep(0)
    raise LookupError("task")    # here
async def middle():
    await leaf()
async def main():
    task = asyncio.create_task(middle(), name="bomb")
    while not task.done():
        await asyncio.sleep(0)
asyncio.run(main())
''',
    "task that the main one waits for": '''\
import asyncio
async def leaf():
    await asyncio.sleep(0)
    raise LookupError("task")    # here
async def main():
    await asyncio.gather(asyncio.create_task(leaf()), asyncio.sleep(3600))
asyncio.run(main())
''',
    "the main task": '''\
import asyncio
async def main():
    other = asyncio.create_task(asyncio.sleep(3600))
    await asyncio.sleep(0)
    raise LookupError("task")    # here
asyncio.run(main())
''',
    "cancelled tasks are none": '''\
import asyncio
async def leaf():
    raise LookupError("task")    # here
async def forever():
    await asyncio.sleep(3600)
async def main():
    first = asyncio.create_task(leaf())
    second = asyncio.create_task(forever())
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait([first, second])
asyncio.run(main())
''',
    "forked process": '''\
import os
import sys
pid = os.fork()
if pid == 0:
    raise OverflowError("child")    # here
os.waitpid(pid, 0)
''',
    "multiprocessing": '''\
import multiprocessing
def job():
    raise OverflowError("child")    # here
process = multiprocessing.get_context("fork").Process(target=job)
process.start()
process.join()
''',
    "multiprocessing, where the child leaves by an exit": '''\
import multiprocessing
def job():
    raise OverflowError("child")    # here
if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=job)
    process.start()
    process.join()
''',
    "the last of two": '''\
import threading
def work():
    raise KeyError("first")
thread = threading.Thread(target=work)
thread.start()
thread.join()
def fail():
    raise ValueError("second")    # here
fail()
''',
    "the main task is cancelled, which ends the main thread": '''\
import asyncio
async def bad():
    raise ValueError("earlier")
async def forever():
    await asyncio.get_running_loop().create_future()
async def leaf():
    await asyncio.get_running_loop().create_future()    # here
async def main():
    victim = asyncio.create_task(forever())
    failed = asyncio.create_task(bad())
    await asyncio.wait([failed])
    victim.cancel()
    await asyncio.wait([victim])
    asyncio.get_running_loop().call_soon(asyncio.current_task().cancel)
    await leaf()
asyncio.run(main())
''',
    "Ctrl-C": '''\
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
def wait():
    os.kill(os.getpid(), signal.SIGINT)    # here
    while True:
        pass    # here
wait()
''',
}


class AtException(unittest.TestCase):
    def record(self, text, *options):
        self.folder = folder = scratch()
        with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as f:
            f.write(text)
        pathline("record", "-q", "-o", "r", *options, "--python", PYTHON, "program.py", cwd=folder)
        return pathline("replay", "--at-exception", "--plain", "r", cwd=folder)

    def assert_here(self, done, text):
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        row = done.stdout.decode().splitlines()[0].split("\t")
        expected = [n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]
        self.assertEqual(row[5], "raise")
        self.assertTrue(row[6].endswith("program.py"), row)
        self.assertIn(int(row[7]), expected, row)

    def test_cases(self):
        for name, text in CASES.items():
            with self.subTest(name):
                self.assert_here(self.record(text), text)

    def test_library_left_out(self):
        """The handler of threading is not recorded, but what called the function is known."""
        for name in ("thread", "multiprocessing", "main thread",
                     "multiprocessing, where the child leaves by an exit"):
            with self.subTest(name):
                self.assert_here(self.record(CASES[name], "--exclude", "stdlib"), CASES[name])
        mine = """\
import threading
class Mine(threading.Thread):
    def run(self):
        super().run()
def work():
    raise KeyError    # here
thread = Mine(target=work)
thread.start()
thread.join()
"""
        self.assert_here(self.record(mine, "--only-mine"), mine)
        pool = '''\
from concurrent.futures import ThreadPoolExecutor
def job(n):
    return 1 // n
with ThreadPoolExecutor(1) as pool:
    futures = [pool.submit(job, n) for n in (1, 0)]
'''
        self.assertEqual(self.record(pool, "--exclude", "stdlib").returncode, 2)

    def test_module(self):
        folder = scratch()
        with open(os.path.join(folder, "mod.py"), "w", encoding="utf-8") as f:
            f.write("def fail():\n    raise ValueError\nfail()\n")
        pathline("record", "-q", "-o", "r", "--python", PYTHON, "-m", "mod", cwd=folder)
        done = pathline("replay", "--at-exception", "--plain", "r", cwd=folder)
        self.assertEqual(done.stdout.decode().split("\t")[7:], ["2", "fail", "ValueError", "", "\n"])

    def test_what_ends_tasks_in_good_order_can_end_a_thread(self):
        """A cancelled task and a closed generator are no crash; these exceptions elsewhere are."""
        orderly = """\
import asyncio
def numbers():
    yield 1
    yield 2
async def forever():
    await asyncio.sleep(3600)
async def main():
    victim = asyncio.create_task(forever())
    await asyncio.sleep(0)
    victim.cancel()
    await asyncio.wait([victim])
asyncio.run(main())
closed, left, kept = numbers(), numbers(), numbers()
for one in closed, left, kept:
    next(one)
closed.close()
del left, one
"""
        raises = "import asyncio\ndef work(*_):\n    raise {}    # here\n"
        thread = "import threading\nthread = threading.Thread(target=work, name='worker')\nthread.start()\nthread.join()\n"
        process = "import multiprocessing\nprocess = multiprocessing.get_context('fork').Process(target=work)\nprocess.start()\nprocess.join()\n"
        for options in (), ("--only-mine",):
            done = self.record(orderly, *options)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            for kind in "asyncio.CancelledError", "GeneratorExit":
                for code, ended in ("work()\n", "main thread"), (thread, "thread"), (process, "process"):
                    with self.subTest(kind, ended=ended, options=options):
                        text = raises.format(kind) + code
                        folder = scratch()
                        with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as f:
                            f.write(text)
                        done = pathline("record", *options, "--python", PYTHON, "program.py", cwd=folder)
                        of = {"main thread": "the main thread", "thread": "thread worker", "process": "process 2"}[ended]
                        self.assertRegex(done.stderr.decode(), rf"(?m)^pathline: \S*{kind[-13:]} ended {of}; it was raised in work, program\.py:3$")
                        row = json.loads(pathline("ls", "--json", cwd=folder).stdout)["data"]
                        self.assertEqual((row["exceptions"], row["exception_ended"]), (1, of))
                        told = pathline("report", "--exceptions", "--json", cwd=folder).stdout.decode().splitlines()
                        rows = [row for row in (json.loads(line)["data"] for line in told) if row["code"] == "work"]
                        self.assertEqual([row["ended"] for row in rows], [ended])
                        self.assert_here(pathline("replay", "--at-exception", "--plain", cwd=folder), text)

    def test_only_the_process_or_thread_that_was_chosen(self):
        text = """\
import multiprocessing, threading
def process(n):
    if n == 2:
        raise KeyError(n)
def job(n):
    if n == 1:
        raise ValueError(n)
    if n == 2:
        raise IndexError(n)
for n in range(3):
    child = multiprocessing.get_context("fork").Process(target=process, args=(n + 1,))
    child.start()
    child.join()
for n in range(4):
    thread = threading.Thread(target=job, name=f"job-{n}", args=(n,))
    thread.start()
    thread.join()
1 / 0
"""
        self.record(text)
        folder = self.folder

        def replay(*words):
            done = pathline("replay", *words, "--at-exception", "--plain", "r", cwd=folder)
            return done.returncode, done.stdout.decode().split("\t")[7:10], done.stderr.decode()

        for words, row in (((), ["18", "<module>", "ZeroDivisionError"]),
                           (("-p", "1"), ["18", "<module>", "ZeroDivisionError"]),
                           (("-p", "3"), ["4", "process", "KeyError"]),
                           (("-t", "job-1"), ["7", "job", "ValueError"]),
                           (("-t", "job-2"), ["9", "job", "IndexError"])):
            with self.subTest(words):
                self.assertEqual(replay(*words), (0, row, ""))
        for words, where in (("-p", "2"), "process 2"), (("-t", "job-3"), "thread job-3 of process 1"):
            with self.subTest(words):
                self.assertEqual(replay(*words), (2, [], f"pathline: replay: nothing in {where} ended by an exception; "
                                                         "without -p and -t all threads are searched\n"))

    def test_a_killed_process_is_only_gone_to_if_it_was_chosen(self):
        text = """\
import multiprocessing, os, signal
def process(n):
    if n:
        os.kill(os.getpid(), signal.SIGSEGV)
for n in range(2):
    child = multiprocessing.get_context("fork").Process(target=process, args=(n,))
    child.start()
    child.join()
"""
        self.record(text)
        for words, said in (((), "process 3 was killed by SIGSEGV, and this is its last event"),
                            (("-p", "3"), "process 3 was killed, and this is its last event"),
                            (("-p", "1"), "nothing in process 1 ended by an exception"),
                            (("-t", "0"), "nothing in thread MainThread of process 1 ended by an exception")):
            with self.subTest(words):
                done = pathline("replay", *words, "--at-exception", "--plain", "r", cwd=self.folder)
                self.assertIn(said, done.stderr.decode())

    def test_none(self):
        done = self.record("try:\n    int('x')\nexcept ValueError:\n    pass\n")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertEqual(done.stderr, b"pathline: replay: no thread, task or process of this recording ended by an exception; "
                                      b"`x` stops at those that were handled\n")


if __name__ == "__main__":
    unittest.main()
