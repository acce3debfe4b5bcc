"""pathline report --filter: rows chosen by an expression."""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

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

    def refused(self, text, *words, code=2):
        done = self.recorded.pathline("report", "--filter", text, *words)
        self.assertEqual((done.returncode, done.stdout), (code, b""), done.stderr)
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
        self.assertIn("func == 'bok' matches nothing; nearest: book, 8 calls", self.refused("func == 'bok'", code=1))
        self.assertIn("line == 9999 is never true", self.refused("line == 9999", code=1))

    def test_what_a_report_does_not_know(self):
        for text in ("duration > 5ms", "result == 3", "exception"):
            with self.subTest(text):
                self.assertIn("--functions counts the calls that have", self.refused(text))
        self.assertIn("leave out --functions", self.refused("line > 3", "--functions"))
        self.assertIn("cannot be used with --tree", self.refused("func == 'book'", "--tree"))
        self.assertIn("--filter: at column 6: =: say == to compare", self.refused("line = 3"))


VALUES = '''\
class SoldOut(Exception):
    pass


def book(item, count):
    left = price(count)
    if count > 3:
        raise SoldOut(item)
    return left


def price(count):
    return count * 2


def numbers(n):
    for i in range(n):
        yield i


for count in range(6):
    try:
        book("anvil" if count % 2 else "rope", count)
    except SoldOut:
        pass
list(numbers(3))
'''


class Counted(Filtered):
    """What no count knows: the lines and calls are gone through."""

    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(VALUES, "shop.py", "--values", "calls")

    test_lines = test_a_thread_by_itself = test_functions = test_with_the_other_choices = test_nothing_is_selected = None
    test_what_a_report_does_not_know = None

    def calls(self, text, *words):
        return {row["code"]: row["calls"] for row in self.rows(text, "--functions", *words)}

    def test_calls(self):
        self.assertEqual(self.calls("args.count > 2"), {"book": 3, "price": 3})
        self.assertEqual(self.calls("args.item == 'anvil'"), {"book": 3})
        self.assertEqual(self.calls("result == 4"), {"book": 1, "price": 1})
        self.assertEqual(self.calls("exception"), {"book": 2})
        self.assertEqual(self.calls("exception.args[0] == 'anvil'"), {"book": 1})
        self.assertEqual(self.calls("args.n == 3 and duration >= 0ms"), {"numbers": 1})
        self.assertEqual(self.calls("duration > 1h or result == 0"), {"book": 1, "price": 1})
        self.assertEqual(self.calls("arg == 'return value' and value == 4"), {"book": 1, "price": 1})
        self.assertEqual(self.calls("args.count > 2 and func == 'book'", "--function", "book"), {"book": 3})

    def test_as_calls_has_them(self):
        for text in ("args.count > 2", "result == 4", "exception", "duration < 1h", "depth > 1", "event == 'unwind'"):
            with self.subTest(text):
                done = self.recorded.pathline("calls", "--all", "--json", "--filter", text)
                names = [json.loads(row)["data"].get("code") for row in done.stdout.splitlines()]
                counted = self.calls(text)
                self.assertTrue(counted)
                for name in ("book", "price"):
                    self.assertEqual(counted.get(name, 0), names.count(name), name)

    def test_by_the_value_of_an_argument(self):
        done = self.recorded.pathline("report", "--json", "--by", "item", "--filter", "exception")
        rows = [row["data"] for row in map(json.loads, done.stdout.splitlines()) if row["type"] == "group"]
        self.assertEqual({row["value"]: (row["calls"], row["raised"], row["results"]) for row in rows},
                         {"'anvil'": (1, 1, "!! SoldOut"), "'rope'": (1, 1, "!! SoldOut")})

    def test_lines_of_such_calls(self):
        self.assertEqual({(row["line"], row["hits"]) for row in self.rows("args.count > 2")},
                         {(6, 3), (7, 3), (8, 2), (9, 1), (13, 3)})
        self.assertEqual({(row["line"], row["hits"]) for row in self.rows("args.n == 3 and line == 18")}, {(18, 3)})
        self.assertEqual(self.rows("time > '+0'", "--function", "price")[0]["hits"], 6)
        text = self.recorded.pathline("report", "--filter", "depth == 2").stdout.decode()
        self.assertRegex(text, r"hits of lines where depth == 2 .*\n hits  line\n +6  .*shop.py:13  return count \* 2\n")

    def test_exceptions(self):
        rows = [json.loads(row)["data"] for row in
                self.recorded.pathline("report", "--exceptions", "--json", "--filter", "exception == 'SoldOut' and line == 8").stdout.splitlines()]
        self.assertEqual([(row["type"], row["count"]) for row in rows if "count" in row], [("SoldOut", 2)])
        self.assertIn("is selected", self.refused("exception == 'KeyError'", "--exceptions", code=1))
        for text in ("exception.args[0] == 'anvil'", "args.item == 'anvil'", "time > '10:00'"):
            self.assertIn("counted by type and place", self.refused(text, "--exceptions"))

    def test_nothing(self):
        self.assertIn("no function has an argument cunt; nearest: count, 12 calls", self.refused("args.cunt > 2", code=1))
        self.assertIn("args.count > 99 is never true; it is 0 to 5", self.refused("args.count > 99", "--functions", code=1))
        self.assertIn("args.count > 99 is never true; it is 0 to 5", self.refused("args.count > 99", code=1))
        self.assertIn("unknown column for --sort 'own'", self.refused("args.count > 2", "--sort", "own"))


if __name__ == "__main__":
    unittest.main()
