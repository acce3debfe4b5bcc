"""dump of a recording with values: text, fields and JSON; and info, check."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

QUICK = True
SHOP = """\
class SoldOut(Exception):
    pass


class Order:
    def __init__(self, item):
        self.item = item


def book(order, *rest, price=2.5, **more):
    if order["count"] > 5:
        raise SoldOut(order["item"])
    return order["count"] * price


def ask():
    answer = yield 1
    yield answer


def keep(order):
    return order


book({"item": "anvil", "count": 2}, 1, colour="red")
try:
    book({"item": "it's\\n", "count": 9})
except SoldOut:
    pass
asked = ask()
next(asked)
asked.send("hi")
next(asked, None)
keep(Order("anvil"))
keep(list(range(1000)))
"""


def data(line):
    return json.loads(line)["data"]


def pathline(*words):
    done = session.pathline(*words)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return done.stdout.decode()


class DumpValues(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = session.scratch()
        program = os.path.join(cls.folder, "shop.py")
        with open(program, "w", encoding="utf-8") as f:
            f.write(SHOP)
        cls.directory = os.path.join(cls.folder, "r")
        pathline("record", "--python", session.PYTHON, "--values", "calls", "-o", cls.directory, program)

    def rows(self, *options):
        rows = [json.loads(line)["data"] for line in pathline("dump", self.directory, "--json", *options).splitlines()]
        self.assertTrue(rows)
        return rows

    def test_text(self):
        text = pathline("dump", self.directory)
        for line in ("call book(order={'item': 'anvil', 'count': 2}, *rest=(1,), price=2.5, **more={'colour': 'red'})  ",
                     "return 5.0  in book\n", """raise SoldOut("it's\\n") in book line 12\n""", "yield 1  in ask\n",
                     "resume ask <- 'hi'  ", "yield 'hi'  in ask\n", "call keep(order=<Order item='anvil'>)  ",
                     "return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \u2026+990 items]  in keep\n"):
            self.assertIn(line, text)
        self.assertNotIn("<- None", text)

    def test_fields(self):
        rows = [line.split("\t") for line in
                pathline("dump", self.directory, "-e", "call,return", "-f", "code,args,result,values,sent").splitlines()]
        self.assertIn(["keep", "order=<Order item='anvil'>", "", "order=<Order item='anvil'>", ""], rows)
        self.assertIn(["keep", "", "<Order item='anvil'>", "<Order item='anvil'>", ""], rows)

    def test_json(self):
        call = next(row for row in self.rows("-e", "call") if row["code"] == "book")
        order, rest, price, more = call["args"]
        self.assertEqual([a["name"] for a in call["args"]], ["order", "*rest", "price", "**more"])
        self.assertEqual([order["kind"], order["length"]], ["dict", 2])
        self.assertEqual([[k["value"], v["value"]] for k, v in order["members"]], [["item", "anvil"], ["count", 2]])
        self.assertEqual(price, {"name": "price", "kind": "float", "value": 2.5})
        self.assertEqual(call["values"], call["args"])
        self.assertIsNone(call["result"])
        raised = next(row for row in self.rows("-e", "raise") if row["code"] == "book")["exception"]
        self.assertEqual([raised["kind"], raised["type"], raised["members"][0]["members"][0]["value"]],
                         ["exception", "SoldOut", "it's\n"])
        kept = [row["result"] for row in self.rows("-e", "return") if row["code"] == "keep"]
        self.assertEqual(kept[0]["members"], [{"name": "item", "kind": "str", "value": "anvil", "length": 5}])
        self.assertEqual([kept[1]["length"], kept[1]["cut"], len(kept[1]["members"])], [1000, 990, 10])
        sent = [row["sent"] for row in self.rows("-e", "resume") if row["code"] == "ask"]
        self.assertEqual([s["kind"] for s in sent], ["str", "none"])

    def test_info_and_check(self):
        info = json.loads(pathline("info", self.directory, "--json"))["data"]
        self.assertEqual(info["values"], "calls")
        counted = sum(row["values"] is not None for row in self.rows())
        self.assertEqual(info["value_events"], counted)
        self.assertEqual(info["processes"][0]["values_cut"], 0)
        self.assertIn("events with their values", pathline("info", self.directory))
        self.assertIn("sound", pathline("check", self.directory))

    def test_raised_by_modules_and_class_bodies(self):
        """They have no arguments, and what they raise is kept all the same."""
        text = ("try:\n    class A:\n        raise KeyError('in a class')\nexcept KeyError:\n    pass\n"
                "try:\n    raise ValueError('in a module', 1)\nexcept ValueError:\n    pass\n")
        for values in ("calls", "lines"):
            recorded = session.Recorded(text, "once.py", f"--values={values}")
            rows = [(row["code"], row["exception"]["type"], row["exception"]["members"][0]["members"])
                    for row in map(data, recorded.pathline("dump", "--json", "--events", "raise", "--fields", "code,exception").stdout.splitlines())
                    if row["code"] in ("A", "<module>")]
            self.assertEqual([(code, kind, [part["value"] for part in parts]) for code, kind, parts in rows],
                             [("A", "KeyError", ["in a class"]), ("<module>", "KeyError", ["in a class"]),
                              ("<module>", "ValueError", ["in a module", 1])])

    def test_equal_code_with_other_arguments(self):
        """Named tuples and lambdas of a line have code that is equal but for the names."""
        text = ("from collections import namedtuple\nA, B = namedtuple('A', 'one two'), namedtuple('B', 'three four')\n"
                "A(1, 2), B(3, 4), A(5, 6), B(7, 8)\nf, g = lambda a: a, lambda b: b\nf(1), g(2), f(3)\n")
        recorded = session.Recorded(text, "once.py", "--values=calls", "--values-of=*")
        wanted = ["_cls one two", "_cls three four"] * 2 + ["a", "b", "a"]
        for words, of in ((["dump", "--json", "--events", "call"], "event"), (["calls", "--json", "--all"], "call")):
            rows = [json.loads(line) for line in recorded.pathline(*words).stdout.splitlines()]
            rows = [row["data"] for row in rows if row["type"] == of]
            self.assertEqual([" ".join(v["name"] for v in row["args"]) for row in rows if row["code"] == "<lambda>"][-7:], wanted)

    def test_without_values(self):
        plain = os.path.join(self.folder, "plain")
        pathline("record", "--values", "none", "--python", session.PYTHON, "-o", plain, os.path.join(self.folder, "shop.py"))
        self.assertNotIn('"args"', pathline("dump", plain, "--json"))
        self.assertIn("call book  ", pathline("dump", plain))
        self.assertEqual(set(pathline("dump", plain, "-f", "values").splitlines()), {""})
        self.assertEqual(json.loads(pathline("info", plain, "--json"))["data"]["value_events"], 0)


STOCK = """\
stock = {"anvil": 3}


def take(item, count):
    left = stock[item] - count
    stock[item] = left
    key = password = item
    del key
    return book(left, stock)


def book(left, there):
    there["booked"] = [left]
    return left


total = take("anvil", 2)
"""


class DumpLines(unittest.TestCase):
    """Of a recording with --values lines."""

    @classmethod
    def setUpClass(cls):
        cls.folder = session.scratch()
        program = os.path.join(cls.folder, "stock.py")
        with open(program, "w", encoding="utf-8") as f:
            f.write(STOCK)
        cls.directory = os.path.join(cls.folder, "r")
        pathline("record", "--python", session.PYTHON, "--values", "lines", "-o", cls.directory, program)

    def test_text(self):
        text = [line.split(maxsplit=2)[2] for line in pathline("dump", self.directory).splitlines()[1:]]
        body = text[text.index(next(line for line in text if line.startswith("call take(item='anvil', count=2)"))):text.index("return <module>") + 1]
        self.assertEqual([line for line in body if not line.startswith("call ")], [
            "5  left = stock[item] - count    left = 1",
            "6  stock[item] = left",
            "7  key = password = item    key = 'anvil', password = <redacted>",
            "8  del key    key = <unset>",
            "9  return book(left, stock)",
            "13  there[\"booked\"] = [left]    there = {'anvil': 1, 'booked': [1]}",
            "14  return left",
            "return 1  in book",
            "return 1  in take",
            "changed total = 1, stock = {'anvil': 1, 'booked': [1]}",
            "return <module>"])

    def test_fields(self):
        rows = [line.split("\t") for line in pathline("dump", self.directory, "-f", "event,code,line,changed").splitlines()]
        self.assertIn(["line", "take", "6", "left = 1"], rows)
        self.assertIn(["return", "<module>", "17", "total = 1, stock = {'anvil': 1, 'booked': [1]}"], rows)

    def test_json(self):
        rows = [json.loads(line)["data"] for line in pathline("dump", self.directory, "--json").splitlines()]
        key, password = next(row["changed"] for row in rows if (row["code"], row["line"]) == ("take", 8))
        self.assertEqual(key, {"name": "key", "kind": "str", "value": "anvil", "length": 5})
        self.assertEqual(password, {"name": "password", "kind": "redacted"})
        self.assertEqual(next(row["changed"] for row in rows if (row["code"], row["line"]) == ("take", 9)),
                         [{"name": "key", "kind": "unset"}])

    def test_info_and_check(self):
        info = json.loads(pathline("info", self.directory, "--json"))["data"]
        self.assertEqual(info["values"], "lines")
        rows = [json.loads(line)["data"] for line in pathline("dump", self.directory, "--json").splitlines()]
        self.assertEqual(info["variable_events"], sum(row["changed"] is not None for row in rows))
        self.assertIn("events with what variables became", pathline("info", self.directory))
        self.assertIn("sound", pathline("check", self.directory))


if __name__ == "__main__":
    unittest.main()
