"""pathline reader without a terminal: the rows of calls, results and exceptions as text."""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

PROGRAM = '''\
import threading


def price(item, count=1):
    return len(item) * count


def book(item):
    if item == "rocket":
        raise LookupError(item)
    return price(item)


def numbers():
    got = yield 1
    yield got


def main():
    for item in "anvil", "rocket", "rope":
        try:
            book(item)
        except LookupError:
            pass
    three = numbers()
    next(three)
    three.send("on")


main()
thread = threading.Thread(target=price, args=("worker's", 2), name="worker")
thread.start()
thread.join()
'''
KINDS = "call,return,yield,resume,throw,unwind,raise,reraise,gap,mark"


class Reader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = session.scratch()
        with open(os.path.join(cls.folder, "shop.py"), "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        subprocess.run([session.PATHLINE, "record", "-q", "--only-mine", "--values", "calls", "--python", session.PYTHON, "--", "shop.py"],
                       cwd=cls.folder, check=True)

    def reader(self, *words):
        return session.pathline("reader", *words, cwd=self.folder)

    def texts(self, *words):
        """Without time, thread and number."""
        return [re.sub(r"  #\d+$", "", line[29:]).strip() for line in self.reader(*words).stdout.decode().splitlines()]

    def dumped(self, *words):
        return session.pathline("dump", "-e", KINDS, "--fields", "seq", *words, cwd=self.folder).stdout.decode().split()

    def test_rows(self):
        rows = self.texts("--thread", "MainThread")
        at = rows.index("book(item='rocket')  shop.py:8")
        self.assertEqual(rows[at - 4:at + 3], ["book(item='anvil')  shop.py:8", "price(item='anvil', count=1)  shop.py:4", "-> 5  price  shop.py:5",
                                               "-> 5  book  shop.py:11", "book(item='rocket')  shop.py:8", "raise LookupError('rocket')  book  shop.py:10",
                                               "!! book  shop.py:10"])
        self.assertIn("yield 1  numbers  shop.py:15", rows)
        self.assertIn("resume numbers <- 'on'  shop.py:15", rows)
        self.assertEqual(self.texts("--thread", "worker")[-2:], ["price(item=\"worker's\", count=2)  shop.py:4", "-> 16  price  shop.py:5"])

    def test_the_order_is_that_of_dump(self):
        for words in (), ("--filter", "func == 'book'"), ("--filter", "args.count == 1"), ("--filter", "event == 'return' and args.item == 'rope'"):
            out = self.reader(*words).stdout.decode()
            numbers = re.findall(r"#(\d+)$", out, re.M)
            self.assertTrue(numbers)
            self.assertEqual(numbers, self.dumped(*words), words)

    def test_refusals(self):
        done = self.reader("--filter", "func = 3")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"reader: --filter: at column 6", done.stderr)
        done = self.reader("--filter", "func == 'bok'")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr.decode(), "reader: no row is selected: .*nearest: book")
        self.assertEqual(self.reader("--thread", "nobody").returncode, 2)


if __name__ == "__main__":
    unittest.main()
