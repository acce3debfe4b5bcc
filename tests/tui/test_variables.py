"""The variables of a frame on the screen: their view, and their values beside the source."""
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import terminal     # noqa: E402
from terminal import session  # noqa: E402

INTERPRETERS = "two"

PROGRAM = '''\
class Order:
    def __init__(self, item, count):
        self.item = item
        self.count = count


def price(order, rows, *rest, **more):
    total = 0
    for row in rows:
        total = total + row * order.count
    return total


def main():
    order = Order("anvil", 3)
    return price(order, [1, 2], 7, table={"k": [1], 2: "two"})


main()
'''
_made = {}


def recorded(values):
    if values not in _made:
        _made[values] = session.Recorded(PROGRAM, "prices.py", "--values", values)
    return _made[values]


@terminal.needs_screen
class Arguments(unittest.TestCase):
    def open(self, *words, of="calls", rows=24, columns=120):
        t = terminal.Terminal("replay", *words, cwd=recorded(of).folder, rows=rows, columns=columns)
        self.addCleanup(t.close)
        return t.wait("price")

    def test_view(self):
        """Members unfold and fold, and stay so while one steps."""
        t = self.open("-c", "b price", "-c", "c").press("v").wait("arguments of price, as of its call")
        t.wait(r"\+ order = <Order item='anvil' count=3>  argument #").wait(r"\+ rows = \[1, 2\]").wait(r"\+ \*rest = \(7,\)")
        t.press("z").wait("- order = Order, 2 attributes").wait("item = 'anvil'").wait("count = 3")
        t.press("End", "Enter").wait(r"- \*\*more = dict, 1 item").press("Down", "z").wait("- 'table': dict, 2 items").wait(r"\+ 'k': \[1\]").wait("2: 'two'")
        t.press("n").wait("8 > ").wait("item = 'anvil'")
        t.press("u").wait("no values of main").press("d").wait("2: 'two'").press("q").wait(lambda text: "arguments of" not in text)

    def test_beside(self):
        """Names of a line show their values at its end, up to the line of the frame."""
        t = self.open("-c", "b price", "-c", "c", "-c", "n", columns=160)
        t.wait(r"def price\(order, rows, \*rest, \*\*more\):    order = <Order item='anvil' count=3>, rows = \[1, 2\], rest = \(7,\)")
        t.wait(r"8 > +total = 0 *\n").press("n").wait(r"for row in rows:    rows = \[1, 2\]")
        self.assertRegex(t.text(), r"total \+ row \* order.count *\n")
        t.press("i").wait(r"for row in rows: *\n").press("i").wait(r"for row in rows:    rows")

    def test_under_the_mouse(self):
        t = self.open("-c", "b price", "-c", "c", "-c", "3n").wait("order.count")
        rows = t.text().splitlines()
        y = next(i for i, row in enumerate(rows) if "row * order.count" in row)
        x = rows[y].index("order.count")
        for column, shown in ((x + 1, "order = <Order item='anvil' count=3>"), (x + 8, "order.count = 3")):
            t.type(f"\x1b[<0;{column + 1};{y + 1}M\x1b[<0;{column + 1};{y + 1}m").wait(lambda text, shown=shown: text.splitlines()[-2].startswith(shown))

    def test_the_pointer(self):
        """The mouse over a name shows its value, and nothing when it is gone; the terminal is asked
        for that only if there are values."""
        t = self.open("-c", "b price", "-c", "c", "-c", "3n").wait("order.count")
        self.assertEqual(t.settle().raw.count(b"\x1b[?1003h"), 1)
        rows = t.text().splitlines()
        y = next(i for i, row in enumerate(rows) if "row * order.count" in row)
        x = rows[y].index("order.count")
        move = "\x1b[<35;%d;%dM"
        for column, shown in ((x + 1, "order = <Order item='anvil' count=3>"), (x + 8, "order.count = 3")):
            t.type(move % (column + 1, y + 1)).wait(lambda text, shown=shown: text.splitlines()[-2].startswith(shown))
        t.type(move % (x - 1, y + 1)).wait(lambda text: "order.count = 3" not in text)
        # a key's message stays; the mouse moves on, and a button that is held is no click
        t.type(move % (x + 1, y + 1)).wait("order = <Order").press("p").type("len(rows)\r").wait("^2 *$|\n2 ")
        t.type(move % (x - 1, y + 1)).settle()
        self.assertRegex(t.text(), "\n2 ")
        t.type("\x1b[<0;1;3M" + "".join(f"\x1b[<32;{n};4M" for n in range(1, 9)) + "\x1b[<0;8;4m").settle()
        self.assertEqual(t.text().splitlines()[:-3], rows[:-3])
        t.press("q")
        self.assertEqual(t.end(), 0)
        self.assertTrue(t.restored())
        self.assertGreater(t.raw.rindex(b"\x1b[?1003l"), t.raw.rindex(b"\x1b[?1003h"))
        self.assertNotIn(b"\x1b[?1003h", self.open("-c", "b price", "-c", "c", of="none").wait("price").settle().raw)

    def test_the_pointer_is_left_alone_elsewhere(self):
        """While it is stopped, and in an editor, the terminal reports no movements."""
        t = self.open("-c", "b price", "-c", "c").wait("order.count").settle()
        os.kill(t.pid, signal.SIGTSTP)      # the leader of a session is not stopped by it, and goes on at once
        t.wait(lambda _: t.raw.count(b"\x1b[?1003h") == 2).press("v").wait("arguments of").settle()
        self.assertRegex(t.raw, rb"(?s)\x1b\[\?1003h.*\x1b\[\?1003l.*\x1b\[\?1049l.*\x1b\[\?1049h.*\x1b\[\?1003h")
        os.kill(t.pid, signal.SIGTERM)
        t.end()
        self.assertTrue(t.raw.rindex(b"\x1b[?1003l") > t.raw.rindex(b"\x1b[?1003h") and t.restored())

    def test_asked(self):
        t = self.open("-c", "b price", "-c", "c").press("p").type("len(rows)\r").wait("^2 *$|\n2 ").press(":").type("p ro\t").wait("p rows")
        t.press("Esc").press("v").wait("arguments of").press("{").wait("values of lines were not kept").line("variables").wait("arguments of")

    def test_without(self):
        self.open("-c", "b price", "-c", "c", of="none").press("F7").wait("no values were kept; record --values calls keeps them")

    def test_lines(self):
        """What the last line changed is marked; { and } and W mean the chosen variable."""
        t = self.open("-c", "b price", "-c", "c", "-c", "until 11", of="lines").press("v").wait("variables of price").wait(r"  total = 9  line 10")
        t.press("End").settle().press("Up").settle().press("{").wait(r"10 > .*").wait("total = 9, by line 10").wait(r"  total = 3  line 10")
        t.press("{").wait("total = 3, by line 10").wait(r"  total = 0  line 8").press("}").wait(r"  total = 3  line 10")
        t.press("W").wait("watch total in price").press("C").wait(r"\*  total = 3")


if __name__ == "__main__":
    unittest.main()
