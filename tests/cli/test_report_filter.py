"""pathline report --filter: rows chosen by an expression."""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

PROGRAM = '''\
import threading


class Shop:
    def book(self, item):
        left = len(item)
        return left


def work(n):
    shop = Shop()
    for i in range(n):
        shop.book("anvil")


thread = threading.Thread(target=work, args=(3,), name="worker")
thread.start()
thread.join()
work(5)
'''


class Filtered(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(PROGRAM, "shop.py")

    def rows(self, text, *words):
        done = self.recorded.pathline("report", "--json", "-n", "0", "--filter", text, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [row["data"] for row in map(json.loads, done.stdout.splitlines()) if row["type"] in ("line", "function")]

    def refused(self, text, *words):
        done = self.recorded.pathline("report", "--filter", text, *words)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
        return done.stderr.decode()

    def test_lines(self):
        rows = self.rows("func == 'book' and line > 5")
        self.assertEqual({(row["line"], row["hits"]) for row in rows}, {(6, 8), (7, 8)})
        rows = self.rows("file == 'shop.py' and not func == 'work' and (line == 6 or line == 19)")
        self.assertEqual({(row["line"], row["hits"]) for row in rows}, {(6, 8), (19, 1)})

    def test_a_thread_by_itself(self):
        rows = self.rows("thread == 'worker' and func == 'Shop.book' and line == 6")
        self.assertEqual([row["hits"] for row in rows], [3])
        rows = self.rows("func == 'Shop.book' and line == 6 and thread == 0")
        self.assertEqual([row["hits"] for row in rows], [5])

    def test_functions(self):
        rows = self.rows("func == 'Shop%' or func == 'work'", "--functions")
        self.assertEqual({row["code"]: row["calls"] for row in rows}, {"Shop": 1, "Shop.book": 8, "work": 2})
        text = self.recorded.pathline("report", "-f", "--filter", "func == 'work'").stdout.decode()
        self.assertEqual(len(re.findall(r"shop\.py:\d+", text)), 1, text)

    def test_with_the_other_choices(self):
        rows = self.rows("line > 6", "--function", "book")
        self.assertEqual({row["line"] for row in rows}, {7})
        self.assertEqual(self.rows("line > 6", "--file", "shop.py"), self.rows("line > 6 and file == 'shop.py'"))

    def test_nothing_is_selected(self):
        self.assertIn("func == 'bok' matches nothing; nearest: book, 8 calls", self.refused("func == 'bok'"))
        self.assertIn("line == 9999 is never true", self.refused("line == 9999"))

    def test_what_a_report_does_not_know(self):
        for text in ("duration > 5ms", "args.item == 'anvil'", "time > '10:00'", "result == 3", "event == 'line'", "depth > 3"):
            with self.subTest(text):
                self.assertIn("pathline calls --filter", self.refused(text))
        self.assertIn("leave out --functions", self.refused("line > 3", "--functions"))
        self.assertIn("cannot be used with --tree", self.refused("func == 'book'", "--tree"))
        self.assertIn("--filter: at column 6: =: say == to compare", self.refused("line = 3"))


if __name__ == "__main__":
    unittest.main()
