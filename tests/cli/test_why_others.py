"""pathline why: which threads and tasks it names as those that were elsewhere, and how far their
end is known."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from session import PYTHON, pathline, scratch  # noqa: E402

INTERPRETERS = "two"

ONE_LINE = '''\
import asyncio


def convert(text):
    return int(text)


async def work(text):
    return convert(await asyncio.sleep(0.01, text))


async def main():
    async with asyncio.TaskGroup() as group:
        for text in "1", "x", "y":
            group.create_task(work(text), name="t-" + text)


asyncio.run(main())
'''
JOINED = '''\
import threading


def bad(text="thread"):
    raise ValueError(text)


def finish():
    {}["key"]


thread = threading.Thread(target=bad, name="worker")
thread.start()
thread.join()
try:
    bad("main")
except ValueError:
    pass
finish()
'''
ALIVE = '''\
import asyncio
import concurrent.futures
import threading

event = threading.Event()


def job(n):
    return n + 1


def waits():
    event.wait()


async def sleeper():
    await asyncio.sleep(60)


async def fails():
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return {}["key"]


async def main():
    plain = asyncio.create_task(sleeper(), name="plain")
    limited = asyncio.create_task(asyncio.wait_for(sleeper(), 90), name="limited")
    await asyncio.create_task(fails(), name="fails")


pool = concurrent.futures.ThreadPoolExecutor(1)
pool.submit(job, 1).result()
threading.Thread(target=waits, daemon=True, name="waits").start()
asyncio.run(main())
'''
LEFT = '''\
import queue
import threading


def job(n):
    done.put(n)
    return n


done = queue.SimpleQueue()
never = queue.SimpleQueue()
timer = threading.Timer(0, job, (1,))
timer.name = "worker"
timer.finished.set = never.get
timer.daemon = True
timer.start()
done.get()
{}["key"]
'''


def others(text, *options):
    """What `why` says after the exceptions: the names of its sections, and their rows."""
    folder = scratch()
    with open(os.path.join(folder, "shop.py"), "w", encoding="utf-8") as f:
        f.write(text)
    pathline("record", *options, "--python", PYTHON, "--", "shop.py", cwd=folder)
    shown = pathline("why", cwd=folder).stdout.decode()
    sections = re.findall(r"^(Tasks that waited|Other threads) then:$", shown, re.M)
    return sections, re.findall(r"^  (?:task|thread) \d+ (.*)", shown, re.M)


class Ended(unittest.TestCase):
    """What had ended is not named. Of what is left out by --only-mine no end is recorded."""

    def test_tasks_that_ended_within_the_line_that_awaited(self):
        for options in ("--only-mine",), ():
            with self.subTest(options=options):
                self.assertEqual(others(ONE_LINE, "--values", "lines", *options), ([], []))

    def test_a_thread_that_was_joined(self):
        for options in ("--only-mine",), ():
            with self.subTest(options=options):
                self.assertEqual(others(JOINED, *options), ([], []))


class Alive(unittest.TestCase):
    def test_what_waits_is_named(self):
        for options in ("--only-mine",), ():
            with self.subTest(options=options):
                sections, found = others(ALIVE, *options)
                self.assertEqual(sections, ["Tasks that waited", "Other threads"])
                shown = "\n".join(found)
                self.assertRegex(shown, r"(?m)^Task-\d+ #\d+ in main, ")
                self.assertRegex(shown, r"(?m)^plain #\d+ in sleeper, \S+:17  await")
                self.assertRegex(shown, r"(?m)^(limited|Task-5) #\d+ in sleeper, \S+:17  await")
                self.assertRegex(shown, r"(?m)^waits #\d+ in waits, \S+:13  event\.wait\(\)$")
                self.assertNotIn("fails #", shown)

    def test_a_worker_that_left_what_is_recorded(self):
        """It is in none of the frames that called the job, nor at their lines."""
        found = others(LEFT, "--only-mine")[1]
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], r"^worker #\d+ in code that is not recorded, after job, shop\.py:7  return n$")


if __name__ == "__main__":
    unittest.main()
