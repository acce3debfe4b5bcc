"""pathline reader on a terminal: its keys, filters and searches, and a recording that grows."""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal, needs_screen, session  # noqa: E402

INTERPRETERS = "one"
PROGRAM = '''\
import threading


class SoldOut(Exception):
    pass


def price(item):
    return len(item) * 1.5


def book(order):
    if order["item"] == "rocket":
        raise SoldOut(order["item"])
    return price(order["item"]) * order["count"]


def long(text):
    return text[:1]


def deep(n):
    return deep(n - 1) if n else 0


def main():
    for number in range(40):
        try:
            book({"item": "rocket" if number % 10 == 7 else "anvil", "count": number})
        except SoldOut:
            pass
    long("x" * 150 + "\u5b89" * 30)
    deep(45)


main()
thread = threading.Thread(target=price, args=("rope",), name="worker")
thread.start()
thread.join()
'''
LIVE = '''\
import sys


def tick(line):
    return len(line)


def begin():
    print("begun", flush=True)


begin()
for line in sys.stdin:
    tick(line)
    print("done", flush=True)
'''


def record(folder, text, *words):
    with open(os.path.join(folder, "shop.py"), "w", encoding="utf-8") as f:
        f.write(text)
    subprocess.run([session.PATHLINE, "record", "-q", "--only-mine", *words, "--python", session.PYTHON, "--", "shop.py"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)


@needs_screen
class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = session.scratch()
        record(cls.folder, PROGRAM, "--values", "calls")

    def open(self, *words, cwd=None, **kinds):
        t = Terminal("reader", *words, cwd=cwd or self.folder, **kinds)
        self.addCleanup(t.close)
        return t.wait(r"^ reader")

    def rows(self, t):
        """What is below the header, without times and names of threads."""
        return [re.sub(r"^\d\d:\d\d:\d\d\.\d{6} ", "", line).rstrip() for line in t.screen.display[1:-2]]

    def chosen(self, t):
        """The row that is lit."""
        for y, line in enumerate(t.screen.display):
            if 0 < y < t.screen.lines - 1 and t.screen.buffer[y][0].reverse:
                return line.rstrip()
        return None

    def quit(self, t):
        t.press("q")
        self.assertEqual(t.end(), 0)
        self.assertTrue(t.restored())


class Finished(Case):
    def test_rows(self):
        t = self.open(columns=100).wait(r"-> 0\.0  book")
        rows = [row[14:] for row in self.rows(t)]
        self.assertIn("  main  shop.py:26", rows)
        at = rows.index("    book(order={'item': 'anvil', 'count': 0})  shop.py:12")
        self.assertEqual(rows[at + 1:at + 4], ["      price(item='anvil')  shop.py:8", "      -> 7.5  price  shop.py:9", "    -> 0.0  book  shop.py:15"])
        self.quit(t)

    def test_moves(self):
        t = self.open(rows=12).wait("<module>")
        first = self.chosen(t)
        t.press("j").wait(lambda _: self.chosen(t) != first).press("k").wait(lambda _: self.chosen(t) == first)
        t.press("Space").wait(lambda text: "<module>  shop.py:1 " not in text).press("b").wait("<module>  shop.py:1 ")
        t.press("d").settle().press("u").wait(lambda _: self.chosen(t) == first)
        t.press("G").wait("END OF RECORDING|return  <module>").press("PgUp").wait(lambda text: "return  <module>" not in text)
        t.press("g").wait(lambda _: self.chosen(t) == first).press("End").wait("<module>").press("Home").wait(lambda _: self.chosen(t) == first)
        t.press("F").wait("the recording is complete: this is its end")
        self.quit(t)

    def test_search(self):
        t = self.open(rows=14)
        t.press("/").type("raise SoldOut\\('rocket'\\)\r").wait(lambda _: "raise SoldOut('rocket')  book" in (self.chosen(t) or ""))
        t.press("n").settle()
        t.press("N").settle().press("N").wait("is not found above")
        t.press("/", "Up").wait(":/raise SoldOut").press("Esc")
        t.press("G").press("?").type("count': 39\r").wait(lambda _: "'count': 39" in (self.chosen(t) or ""))
        t.press("/").type("(\r").wait("not a regular expression")
        t.press("/").type("nobody\r").wait("nobody is not found below")
        self.assertIn("'count': 39", self.chosen(t))
        self.quit(t)

    def test_filter(self):
        t = self.open(rows=14)
        t.press("&").type("raise\r").wait("matching: raise").wait("END OF RECORDING")
        rows = [row for row in self.rows(t) if "raise" in row]
        self.assertEqual(sum("  book  " in row for row in rows), 4)
        self.assertFalse([row for row in self.rows(t) if "price" in row])
        t.press("&").type("nobody\r").wait("nothing has nobody").wait("nothing passes the filter")
        t.press("&", "Up").wait("match nobody").press("Up").wait(":match raise").press("Enter").wait("matching: raise")
        t.press("&", "Enter").wait("price").wait(lambda text: "matching:" not in text)
        t.press("&").type("[\r").wait("not a regular expression")
        self.quit(t)

    def test_expressions(self):
        t = self.open(rows=14)
        t.press("f").type("func == 'book' and args.order['count'] == 17\r").wait("filter: func").wait("END OF RECORDING")
        rows = [row[14:].strip() for row in self.rows(t)][:2]
        self.assertRegex("\n".join(rows), r"^book\(order=\{'item': 'rocket', 'count': 17\}\)  .*\n!! book  shop")
        t.press("&").type("!!\r").wait(lambda text: "book(" not in text).press("&", "Enter").wait("book\\(")
        t.press("f").type("func = 3\r").wait("at column 6: =: say ==").wait("!! book")
        t.press("f").type("func == 'bok'\r").wait("nearest: book").wait("nothing passes the filter")
        t.press("f").type("event == 'return' and args.item == 'anvil'\r").wait("-> 7.5  price").press("G").settle()
        self.assertEqual({row[14:].strip() for row in self.rows(t) if "->" in row}, {"-> 7.5  price  shop.py:9"})
        t.press("f", "Enter").wait("deep|book")
        self.quit(t)
        t = self.open("--filter", "event == 'raise'").wait("filter: event").wait("raise SoldOut")
        self.assertNotIn("price", t.text())
        self.quit(t)

    def test_long_rows(self):
        t = self.open(rows=14)
        t.press("/").type("long\\(\r").wait(r"long\(text='x+…")
        t.press("Right").settle().press("Right").wait(r"<").press("Left", "Left").wait(r"long\(text=")
        t.press("v").wait("whole row").wait("\u5b89").wait("shop.py:18").press("v").wait("^ reader")
        t.press("/").type("deep\\(n=2\\)\r").wait(r"\[\d+\] deep\(n=2\)")
        t.press("v").wait("whole row").press("q").wait("^ reader")
        self.quit(t)

    def test_source_and_back(self):
        t = self.open(rows=16)
        t.press("/").type("price\\(item='rope'\r").wait("worker +price").press("Enter").wait(r"^ shop\.py:8  price  thread 1 worker")
        t.press("s").wait(r"^ shop\.py:9").press("q").wait("^ reader").wait("worker +-> 6.0  price")
        t.press("Enter").wait("price").press("F8").wait("^ reader").press("h").wait("KEYS").press("q").wait("^ reader")
        self.quit(t)

    def test_sizes(self):
        t = self.open(rows=20, columns=100).wait(r"\d\.\d{6} MainThread +main")
        t.resize(20, 50).wait(lambda text: not re.search(r"\d\.\d{6} ", text)).wait("^MainThread +main|\nMainThread +main")
        t.resize(20, 30).wait(r"\n +main").resize(3, 30).wait("^ reader").resize(2, 20).settle().resize(1, 1).settle().resize(20, 100).wait(r"\d\.\d{6} MainThread +main")
        self.quit(t)

    def test_threads(self):
        t = self.open("--thread", "worker").wait(r"price\(item='rope'\)").wait("-> 6.0").wait("END OF RECORDING")
        self.assertNotIn("book", t.text())
        self.quit(t)

    def test_a_view_of_replay(self):
        t = Terminal("replay", "--at", "100%", cwd=self.folder)
        self.addCleanup(t.close)
        t.wait("END").press("F8").wait("^ reader").wait("<module>").press("q").wait(r"^ shop\.py").press("F").settle()
        self.quit(t)

    def test_clicks(self):
        t = self.open().wait("book")
        t.press("Click", "Enter").wait(r"^ shop\.py").press("F8").wait("^ reader").press("WheelDown", "WheelUp").settle()
        self.quit(t)


class Plain(Case):
    def test_without_values(self):
        folder = session.scratch()
        record(folder, PROGRAM, "--values=none")
        t = self.open(cwd=folder).wait(r"book  shop\.py:12").wait(r"return  price  shop\.py:9")
        t.press("/").type("raise SoldOut\r").wait("raise SoldOut  book")
        self.quit(t)


class Live(Case):
    def test_follow(self):
        folder = session.scratch()
        with open(os.path.join(folder, "live.py"), "w", encoding="utf-8") as f:
            f.write(LIVE)
        program = subprocess.Popen([session.PATHLINE, "record", "-q", "--only-mine", "--values", "calls", "--python", session.PYTHON, "--", "live.py"], cwd=folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(program.stdout.close)
        self.assertEqual(program.stdout.readline(), b"begun\n")
        following, standing = "END SO FAR; what follows is shown", "END SO FAR; F follows it"
        t = self.open(cwd=folder).wait(following).wait("begin")

        def say(line):
            program.stdin.write(line)
            program.stdin.flush()
            self.assertEqual(program.stdout.readline(), b"done\n")
        say(b"one\n")
        t.wait(r"tick\(line='one\\n'\)").wait("-> 4  tick")
        t.press("k").wait(standing)
        say(b"number two\n")
        t.wait(r"tick\(line='number two\\n'\)").press("F").wait(following)
        for number in range(40):
            say(b"%d\n" % number)
        t.wait(r"tick\(line='39\\n'\)")
        program.stdin.close()
        self.assertEqual(program.wait(60), 0)
        t.wait("the program has ended; the recording is complete").wait("return  <module>")
        self.quit(t)


if __name__ == "__main__":
    unittest.main()
