"""pathline top on a terminal: its views, keys and filter, and the replay that Enter opens."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal, needs_screen, session  # noqa: E402

INTERPRETERS = "one"
PROGRAM = '''\
import sys
import threading
import time


def price(count):
    return count * 2


def book(count):
    try:
        if price(count) % 10 == 0:
            raise LookupError(count)
    except LookupError:
        pass


def listen():
    sys.stdin.read()
    end.set()


end = threading.Event()
threading.Thread(target=listen, name="listener").start()
print("ready", flush=True)
count = 0
while not end.is_set():
    count += 1
    book(count)
    time.sleep(0.001)
'''


@needs_screen
class Top(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="top-")
        self.addCleanup(folder.cleanup)
        self.dir = folder.name
        with open(os.path.join(self.dir, "shop.py"), "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        self.program = subprocess.Popen([session.PATHLINE, "record", "-q", "-o", "r", session.PYTHON, "shop.py"], cwd=self.dir,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.program.stdout.close)
        self.addCleanup(self.end)
        self.assertEqual(self.program.stdout.readline(), b"ready\n")
        self.terminal = Terminal("top", "r", cwd=self.dir, columns=100)
        self.addCleanup(self.terminal.close)
        self.terminal.wait(r"shop.py:6 in price")

    def end(self):
        self.program.stdin.close()
        self.assertEqual(self.program.wait(60), 0)

    def test_views(self):
        t = self.terminal
        t.wait(r"^\d\d:\d\d:\d\d  process \d+ +[\d,]+ calls/s").wait(r"Tab view .* q quit")
        t.press("Tab").wait(r"shop.py:\d+ +(return|time.sleep|if price)")
        t.press("Tab").wait(r"listener +still +\S+ s").wait(r"shop.py:19 in listen")
        t.press("5").wait(r"LookupError +handled +shop.py:13 in book")
        t.type("\x1b[Z").wait(r"task +name").press("1").wait(r"shop.py:6 in price")

    def test_filter(self):
        t = self.terminal
        t.type("/pri").press("Enter").wait(lambda text: "in price" in text and "in book" not in text)
        t.type("/(").press("Enter").wait("the filter is no pattern")
        t.press("Down")
        t.type("/").press("Enter").wait("in book")

    def test_sort(self):
        t = self.terminal
        t.press("w").wait(lambda text: re.search(r"<module>|listen", text.splitlines()[2]))
        t.press("c").wait(lambda text: re.search(r"in (price|book)$", text.splitlines()[2].rstrip()))
        t.press("4", "c").wait("tasks are not sorted by that")

    def test_enter_opens_the_replay(self):
        t = self.terminal
        t.type("/price").press("Enter").wait(lambda text: "in book" not in text)
        t.press("Enter").wait(r"shop.py:[67]  price").wait("return count")
        t.press("q").wait(r"calls/s").wait(r"in price")

    def test_the_end(self):
        t = self.terminal
        self.end()
        t.wait("the program has ended")
        self.assertEqual(t.press("q").end(), 0)


if __name__ == "__main__":
    unittest.main()
