"""Variables and values in `pathline replay --plain` and `--json`: arguments as of the call."""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

QUICK = True
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
    return price(order, [1, 2, {"a": (4, 5)}][:2], 7, table={"k": [1], 2: "two"})


main()
'''
_made = {}


def recorded(values):
    if values not in _made:
        _made[values] = session.Recorded(PROGRAM, "prices.py", "--values", values)
    return _made[values]


class Values(unittest.TestCase):
    of = "calls"

    def ask(self, *commands, options=("--plain",)):
        """The answers to the commands, without that to the beginning."""
        done = subprocess.run([session.PATHLINE, "replay", *options], cwd=recorded(self.of).folder,
                              input="".join(line + "\n" for line in commands), text=True, capture_output=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()[1:]

    def told(self, *commands):
        """What is said after price was reached."""
        return [line.removeprefix("!\t") for line in self.ask("b price", "c", *commands)[2:]]


class Arguments(Values):
    def test_list(self):
        self.assertEqual(self.told("variables", "info args"), [
            "arguments as of the call; values of lines were not kept: order = <Order item='anvil' count=3>; rows = [1, 2]; *rest = (7,); "
            "**more = {'table': {'k': [1], 2: 'two'}}"] * 2)

    def test_values(self):
        self.assertEqual(
            self.told("p order", "p order.item", "print(rows)", "pp rows[-1]", "p more['table']['k'][0]", "p more['table'][2]", "p len(rows)", "p len(more['table'])",
                      "p len(order.item)"),
            ["<Order item='anvil' count=3>", "'anvil'", "[1, 2]", "2", "1", "'two'", "2", "2", "5"])

    def test_what_is_refused(self):
        for asked, why in (("p", "p needs a name"), ("p rows + rows", "the program does not run here"), ("p order.price()", "the program does not run here"),
                           ("p len(rows", "the program does not run here"), ("p order.itm", "order has no such part"), ("p rows[7]", "rows has no such part"),
                           ("p oder", "no variable oder is known here; did you mean order?"), ("p total", "total is not an argument, and values of lines were not kept"),
                           ("p len(order.count)", "that value of order has no length"), ("{", "which variable?"), ("{ rows", "values of lines were not kept"),
                           ("} rows", "values of lines were not kept"), ("watch rows", "values of lines were not kept"), ("watch rows[1]", "values of lines were not kept"), ("watch len(rows)", "takes a variable, or what is below it")):
            with self.subTest(asked):
                self.assertIn(why, self.told(asked)[0])

    def test_backslashes(self):
        """A value is shown as it is written in Python."""
        made = session.Recorded("def f(path):\n    return path\n\n\nf('a\\\\b\\n')\n", "back.py", "--values", "calls")
        done = made.pathline("replay", "--plain", "--command=b f", "--command=c", "--command=p path", "--command=variables")
        self.assertIn("!\t'a\\\\b\\n'\n", done.stdout.decode())
        self.assertIn("path = 'a\\\\b\\n'\n", done.stdout.decode())

    def test_frames(self):
        """u and d choose whose variables are meant."""
        self.assertIn("no values of main", self.told("u", "variables")[1])
        self.assertEqual(self.told("u", "d", "p len(rows)")[2], "2")
        self.assertEqual(self.ask("b __init__", "c", "p item")[2], "!\t'anvil'")

    def test_json(self):
        rows = [json.loads(line) for line in self.ask("b price", "c", "variables", "p rows", "p nothing", options=("--json",))]
        of = rows[2]["data"]
        self.assertEqual((rows[2]["type"], of["code"], of["state"]), ("done", "variables", "known"))
        self.assertEqual([(v["stars"], v["name"], v["of_call"], v["changed"], v["line"]) for v in of["variables"]],
                         [("", "order", True, False, 0), ("", "rows", True, False, 0), ("*", "rest", True, False, 0), ("**", "more", True, False, 0)])
        self.assertEqual(of["variables"][1]["value"]["kind"], "list")
        self.assertEqual(rows[3]["data"]["code"], "value")
        self.assertEqual([m["value"] for m in rows[3]["data"]["value"]["members"]], [1, 2])
        self.assertEqual((rows[4]["type"], rows[4]["data"]["code"]), ("refused", "no-such-variable"))


class Lines(Values):
    of = "lines"

    def said(self, *commands):
        """What is told and noted, without rows of positions."""
        return [row[2:] for row in self.ask("b price", "c", *commands)[2:] if row[:2] in ("!\t", "#\t")]

    def test_position(self):
        """Each variable as it is there, who wrote it, and what the last line did."""
        told = self.said("until 10", "variables", "n", "variables", "n", "variables", "p total")
        self.assertRegex(told[0], r"^order = <Order item='anvil' count=3>; rows = \[1, 2\]; \*rest = \(7,\); \*\*more = .*; total = 0 \(line 8\); \*row = 1 \(line 9\)$")
        self.assertRegex(told[1], r"; \*total = 3 \(line 10\); row = 1 \(line 9\)$")
        self.assertRegex(told[2], r"; total = 3 \(line 10\); \*row = 2 \(line 9\)$")
        self.assertEqual(told[3], "3")

    def test_frames(self):
        self.assertEqual(self.told("u", "variables")[1], "*order = <Order item='anvil' count=3> (line 15)")

    def test_writes(self):
        """{ and } go from one write of the frame to the next; at its end and begin they stay."""
        self.assertEqual(
            self.said("until 11", "{ total", "{", "{", "{", "}", "}", "}", "{ rows", "{ nothing"),
            ["total = 9, by line 10", "total = 3, by line 10", "total = 0, by line 8", "total was not written earlier in this frame", "total = 3, by line 10",
             "total = 9, by line 10", "total was not written later in this frame", "rows = [1, 2], an argument of this call",
             "no variable nothing was ever bound in price; there are: order, rows, rest, more, total, row"])

    def test_a_write_is_at_its_line(self):
        """Where it begins, so what it writes is not there yet."""
        told = self.ask("b price", "c", "until 11", "{ total", "p total", "}", "{", "{ rows")[3:]
        self.assertEqual([tuple(row.split("\t")[i] for i in (5, 7)) for row in told if row[0].isdigit()],
                         [("line", "10"), ("line", "10"), ("call", "7")])
        self.assertEqual([row for row in told if row[0] in "!#"],
                         ["#\ttotal = 9, by line 10", "!\t3", "!\ttotal was not written later in this frame",
                          "#\ttotal = 3, by line 10", "#\trows = [1, 2], an argument of this call"])

    def test_names_that_never_occur(self):
        for command, said in (("watch totl", "no variable totl was ever bound in price; did you mean total?"),
                              ("watch item", "no variable item was ever bound in price; there are: order, rows, rest, more, total, row"),
                              ("} rox", "no variable rox was ever bound in price; did you mean row?")):
            with self.subTest(command):
                self.assertEqual(self.said(command), [said])
        codes = [json.loads(line)["data"].get("code") for line in self.ask("b price", "c", "watch totl", "{ rows", "{", "until 11", "}",
                                                                          options=("--json",))]
        self.assertEqual([code for code in codes if code and "-" in code], ["stop-set", "never-bound", "no-earlier-write", "no-earlier-write", "no-later-write"])

    def test_watch(self):
        """It stops where the value is shown first, in both directions; the same again removes
        it."""
        self.assertEqual(
            self.said("watch total", "clear 1", "c", "p total", "c", "p total", "c", "p total", "C", "p total", "B", "watch", "B"),
            ["stop 2: watch total in price", "removed 1: b price; left: 2: watch total in price", "0", "3", "9", "3", "2: watch total in price",
             "removed 2: watch total in price", "there is no stop"])


PARTS = '''\
class Order:
    def __init__(self, item, total):
        self.item = item
        self.total = total


def book(order, rows):
    order.total += 1
    rows.append({"n": 1})
    order.item = "rope"
    order.total = 42
    order.total = 42
    rows[0]["n"] = 7
    order = None
    return rows


for i in range(2):
    book(Order("anvil", i), [])
'''


class Parts(unittest.TestCase):
    """{, } and watch with a part of a value: what changes it counts, and nothing else."""

    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(PARTS, "parts.py", "--only-mine", "--values", "lines")

    def said(self, *commands):
        done = self.recorded.pathline("replay", "--plain", "--command=b 8", "--command=c", *(f"--command={one}" for one in commands))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return [row.split("\t") for row in done.stdout.decode().splitlines()[3:]]

    def test_writes(self):
        told = [row[1] for row in self.said("} order.total", "}", "}", "{", "{", "{", "} order.item", "} rows[0]['n']", "}", "{ rows[0]['n']", "{", "}") if row[0] in "#!"]
        self.assertEqual(told, ["order.total = 42, by line 11", "order.total = <unset>, by line 14", "order.total was not written later in this frame",
                                "order.total = 42, by line 11", "order.total = 1, by line 8", "order.total = 0, an argument of this call",
                                "order.item = 'rope', by line 10", "rows[0]['n'] = 7, by line 13", "rows[0]['n'] was not written later in this frame",
                                "rows[0]['n'] = 1, by line 9", "rows[0]['n'] = <unset>, an argument of this call", "rows[0]['n'] = 1, by line 9"])

    def test_what_p_showed_is_meant(self):
        told = [row[1] for row in self.said("until 13", "p order.total", "{", "p len(rows)", "{") if row[0] in "#!"]
        self.assertEqual(told, ["42", "order.total = 42, by line 11", "1", "rows = [{'n': 1}], by line 9"])

    def test_watch(self):
        rows = self.said("clear 1", "watch order.total", "c", "c", "c", "c", "C", "C", "B", "watch order.total", "watch order..x")
        self.assertEqual(rows[1], ["!", "stop 2: watch order.total in book"])
        lines = [row[7] for row in rows if row[0].isdigit()]
        self.assertEqual(lines, ["9", "12", "15", "9", "15", "12"])
        self.assertEqual([row[1] for row in rows[-3:-1]], ["2: watch order.total in book", "removed 2: watch order.total in book"])
        self.assertIn("takes a variable, or what is below it", rows[-1][1])


class Without(Values):
    of = "none"

    def test_none(self):
        for command in ("variables", "p order", "{ order", "watch order"):
            with self.subTest(command):
                self.assertEqual(self.told(command), ["this recording has the path, not the values of variables"])


INNER = '''\
def outer(n):
    count = 0
    rows = []

    def inner(k):
        nonlocal count
        count += k
        rows.append(k)
        return count

    for i in range(n):
        inner(i)
    return count


outer(3)
'''


class Enclosing(Values):
    def test_what_an_inner_function_finds_is_not_written_there(self):
        made = session.Recorded(INNER, "inner.py", "--values", "lines")
        done = made.pathline("replay", "--plain", *(word for line in
                             ("w inner", "2c", "n", "variables", "watch count", "clear 1", "c", "c", "c") for word in ("-c", line)))
        rows = done.stdout.decode().splitlines()
        self.assertIn("!\tk = 1; count = 0; rows = [0]", rows)
        self.assertEqual([row.split("\t")[7] for row in rows[-3:-1] if row[0].isdigit()], ["8", "8"])
        self.assertIn("no later stop", rows[-1])


# The views of one large list do not fit into one event.
CROWDED = '''\
def fill(data):
    big = data
    rows = [big] * 2
    index = {"all": big}
    pair = (big, rows)
    holder = [pair]
    total = 0
    while total < 4:
        big[0] = total = total + 1
    return total


fill(["word %d " % i * 3 for i in range(10)])
'''
HIDDEN = "i = 5\nx = [i for i in range(2)]\nprint(i)\nclass A:\n    v = 7\n    w = [v for v in range(3)]\n    z = v\ny = 0\n"


class NoRoom(unittest.TestCase):
    def ask(self, made, *commands):
        done = made.pathline("replay", "--plain", *(word for line in commands for word in ("-c", line)))
        told = [line.removeprefix("!\t") for line in done.stdout.decode().splitlines() if line.startswith("!")]
        return [line for line in told if not line.startswith("stop ")]

    def test_small_values_are_never_late_and_others_say_so(self):
        made = session.Recorded(CROWDED, "crowded.py", "--values", "lines")
        told = self.ask(made, "b 8", "c", "c", "p total", "c", "p total", "variables")
        self.assertEqual(told[:2], ["1", "2"])
        self.assertRegex(told[2], "or newer, which had no room")
        done = made.pathline("history", "total", "--json")
        rows = [json.loads(line)["data"] for line in done.stdout.splitlines()]
        self.assertEqual([(row["text"], row["how"], row["line"]) for row in rows],
                         [("0", "wrote", 7), *((str(n), "wrote", 9) for n in range(1, 5))])

    def test_a_name_that_a_comprehension_hid(self):
        made = session.Recorded(HIDDEN, "hidden.py", "--values", "lines")
        self.assertEqual(self.ask(made, "b 3", "c", "p i", "b 7", "c", "p v"), ["5", "7"])
        for name, values in (("i", {"5", "0", "1"}), ("v", {"7", "0", "1", "2"})):
            rows = [json.loads(line)["data"] for line in made.pathline("history", name, "--json").stdout.splitlines()]
            self.assertLessEqual({row["text"] for row in rows}, values)


class Damaged(unittest.TestCase):
    def test_commands_that_look_into_it_say_so(self):
        made = session.Recorded(CROWDED, "crowded.py", "--values", "lines")
        name, = (os.path.join(made.directory, n) for n in os.listdir(made.directory) if n.startswith("events."))
        with open(name, "r+b") as f:
            f.seek(os.path.getsize(name) // 3)
            f.write(b"\xff" * 64)
        for words in (["why"], ["replay", "--plain", "-c", "j end"], ["replay", "--json", "-c", "j end"], ["reader", "--plain"]):
            done = made.pathline(*words)
            self.assertEqual(done.returncode, 3, done)
            self.assertRegex(done.stderr.decode(), f"^pathline: {words[0]}: the recording is damaged in")


if __name__ == "__main__":
    unittest.main()
