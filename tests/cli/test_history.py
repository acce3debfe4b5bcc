"""pathline history: the values that a name had, when, and who passed or wrote them."""
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

PROGRAM = '''\
class Cart:
    def __init__(self, owner):
        self.owner = owner
        self.total = 0
        self.rows = []

    def add(self, price):
        self.total += price
        self.rows.append(price)

    def clear(self):
        self.total = 0
        del self.owner


def count(n):
    while n:
        got = yield n
        n -= 1


def find(order, key="item"):
    return order[key]


def main():
    carts = [Cart("ann"), Cart("bob")]
    for price in (3, 3, 5):
        for cart in carts:
            cart.add(price)
    carts[0].clear()
    carts[0].add(1)
    list(count(3))
    find({"item": "anvil", "count": 2})
    find({"item": None, "count": 2})
    try:
        find({}, key="x")
    except KeyError:
        pass


main()
'''


def table(recorded, *words):
    """The rows of the table, as lists of cells."""
    done = recorded.pathline("history", *words)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return [re.split("  +", line.strip()) for line in done.stdout.decode().splitlines()]


def rows(recorded, *words):
    done = recorded.pathline("history", "--json", *words)
    if done.returncode or done.stderr:
        raise AssertionError(done.stderr.decode())
    return [json.loads(line)["data"] for line in done.stdout.splitlines()]


def texts(recorded, *words):
    return [row["text"] for row in rows(recorded, *words)]


class History(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(PROGRAM, "cart.py", "--values", "calls")

    def test_an_argument(self):
        self.assertEqual(texts(self.recorded, "price"), ["3", "3", "3", "3", "5", "5", "1"])
        self.assertEqual(texts(self.recorded, "price", "--changes"), ["3", "5", "1"])
        first = rows(self.recorded, "price")[0]
        self.assertEqual((first["function"], first["line"], first["source"], first["how"]),
                         ("Cart.add", 30, "cart.add(price)", "argument"))

    def test_a_row_of_the_table(self):
        head, first, *_ = table(self.recorded, "price")
        self.assertEqual(head, ["at", "time", "value", "how", "function", "place", "source"])
        self.assertRegex(first[0], r"^-t 0 #\d+$")
        self.assertEqual(first[2:], ["3", "argument", "Cart.add", "cart.py:30", "cart.add(price)"])

    def test_the_place_is_what_replay_takes(self):
        _, first, *_ = table(self.recorded, "price")
        thread, seq = re.match(r"-t (\d+) (#\d+)", first[0]).groups()
        done = self.recorded.pathline("replay", "--plain", "-t", thread, "--at", seq)
        self.assertEqual(done.stdout.decode().split("\t")[5], "call")

    def test_attributes_by_object(self):
        seen = rows(self.recorded, "self.total", "--changes")
        ids = list(dict.fromkeys(row["id"] for row in seen))
        self.assertEqual(len(ids), 2)
        by_object = [[row["text"] for row in seen if row["id"] == one] for one in ids]
        self.assertEqual(by_object, [["0", "3", "6", "11", "0"], ["0", "3", "6"]])
        self.assertEqual({row["class"] for row in seen}, {"Cart"})
        self.assertEqual(texts(self.recorded, "self.total", "--id", str(ids[0])), by_object[0])

    def test_an_address_that_another_object_has(self):
        """It is another dict, and no deleted key."""
        made = session.Recorded("def f():\n    for i in range(3):\n        d = {'a': i}\n        d = None\n        e = {'c': i}\n"
                                "        e = None\n    d = {'a': 7, 'b': 8}\n    del d['a']\n    return d\n\n\nf()\n", "reused.py", "--values", "lines")
        self.assertEqual(texts(made, "d['a']", "--changes"), ["0", "1", "2", "7", "<unset>"])

    def test_many_names_of_a_module(self):
        made = session.Recorded("".join(f"n{i} = {i}\n" for i in range(1100)) + "last = 1\nprint(last)\n", "many.py", "--values", "lines")
        self.assertIn("at most 1,024 names are kept", made.pathline("history", "last").stderr.decode())
        shown = made.pathline("replay", "--plain", "-c", "b 1102", "-c", "c", "-c", "p last", "-c", "p n7", "-c", "watch last").stdout.decode()
        self.assertEqual(shown.splitlines()[-3:], [
            "!\tno variable last is known here; of a module or class body at most 1,024 names are kept", "!\t7",
            "!\tno variable last of <module> was kept; of a module or class body at most 1,024 names are kept"])

    def test_attribute_that_was_deleted(self):
        first = rows(self.recorded, "self.owner", "--changes")[0]["id"]
        self.assertEqual(texts(self.recorded, "self.owner", "--changes", "--id", str(first)), ["'ann'", "<unset>"])

    def test_items_and_keys(self):
        self.assertEqual(texts(self.recorded, "order['item']"), ["'anvil'", "None"])
        self.assertEqual(texts(self.recorded, "self.rows[-1]", "-F", "Cart.clear"), ["5"])

    def test_what_functions_returned(self):
        self.assertEqual(texts(self.recorded, "return", "-F", "find"), ["'anvil'", "None"])
        self.assertEqual(texts(self.recorded, "yield"), ["3", "2", "1"])
        self.assertEqual(texts(self.recorded, "raise", "-F", "find"), ["KeyError('x')"])

    def test_at_a_line(self):
        self.assertEqual(texts(self.recorded, "price", "--at", "cart.py:8", "--changes"), ["3", "5", "1"])
        first = rows(self.recorded, "price", "--at", "cart.py:8")[0]
        self.assertEqual((first["line"], first["how"]), (30, "argument"))
        self.assertEqual(texts(self.recorded, "order['count']", "--at", "cart.py:23"), ["2", "2", "<unset>"])

    def test_selection(self):
        seqs = [row["seq"] for row in rows(self.recorded, "price")]
        self.assertEqual(texts(self.recorded, "price", "--from", f"#{seqs[4]}"), ["5", "5", "1"])
        self.assertEqual(texts(self.recorded, "price", "--from", f"#{seqs[3]}", "--to", f"#{seqs[4]}"), ["3", "5"])
        self.assertEqual(texts(self.recorded, "price", "-t", "0", "-p", "1"), ["3", "3", "3", "3", "5", "5", "1"])

    def test_csv(self):
        done = self.recorded.pathline("history", "--csv", "price")
        seen = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        self.assertEqual([row["value"] for row in seen], ["3", "3", "3", "3", "5", "5", "1"])
        self.assertEqual(set(rows(self.recorded, "price")[0]) - {"text"}, set(seen[0]))
        self.assertEqual(done.stderr, b"")

    def test_json_has_the_value(self):
        value = rows(self.recorded, "order['item']")[0]["value"]
        self.assertEqual((value["kind"], value["value"]), ("str", "anvil"))

    def says(self, words, expected, code=1, recorded=None):
        done = (recorded or self.recorded).pathline("history", *words)
        self.assertEqual((done.returncode, done.stdout), (code, b""), words)
        self.assertRegex(done.stderr.decode(), expected)
        self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_says_that_only_calls_are_recorded(self):
        self.assertIn(b"record --values lines", self.recorded.pathline("history", "price").stderr)

    def test_says_which_names_there_are(self):
        self.says(["prise"], "'prise' was kept; names that were: price$")
        self.says(["zzz"], "names that were: .*self.*price")
        self.says(["self.totl"], r"none that is selected has '.totl'; there is: total$")
        self.says(["price.x"], "as far as they were kept")

    def test_says_what_is_not_selected(self):
        self.says(["price", "-F", "nobody"], "nothing that is selected is a function 'nobody'")
        self.says(["price", "--at", "cart.py:999"], "cart.py:999 did not run")
        self.says(["price", "--at", "cart.py:12"], "cart.py:12 ran 1 time, and no value of 'price' is known there")

    def test_refuses(self):
        self.says([], "of what", 2)
        self.says(["self."], "column 6: the name of an attribute", 2)
        self.says(["price", "--at", "cart.py"], "not FILE:LINE", 2)
        self.says(["price", "--id", "x"], "is not an id", 2)
        self.says(["price", "--json", "--csv"], "two forms", 2)
        self.says(["price", "-F", "[a"], "bracket", 2)
        self.says(["price", "-t", "9"], "no thread '9'", 2)

    def test_says_how_to_record_values(self):
        without = session.Recorded(PROGRAM, "cart.py", "--values", "none")
        self.says(["price"], "no values; record with --values", recorded=without)
        other = session.Recorded(PROGRAM, "cart.py", "--values", "calls", "--values-of", "json")
        self.says(["price", "-F", "find"], "no values", recorded=other)

    def test_ends_at_an_interrupt(self):
        recorded = session.Recorded("def f(n):\n    return n\nfor i in range(300000):\n    f(i)\n", "long.py", "--values", "calls")
        words = [session.PATHLINE, "history", "n", "--csv", recorded.directory]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
            child.stdout.read(1000)
            child.send_signal(signal.SIGINT)
            child.stdout.read()
            self.assertEqual(child.wait(), 128 + signal.SIGINT)


class Lines(unittest.TestCase):
    """With the variables after each line it is known which line wrote."""
    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(PROGRAM, "cart.py", "--values", "lines")

    def wrote(self, *words):
        return [(row["text"], row["line"]) for row in rows(self.recorded, *words) if row["how"] == "wrote"]

    def test_a_variable(self):
        self.assertEqual(self.wrote("n"), [("2", 19), ("1", 19), ("0", 19)])
        self.assertEqual([row["how"] for row in rows(self.recorded, "n")], ["argument", "wrote", "wrote", "wrote"])
        self.assertEqual(self.wrote("price", "-F", "main"), [("3", 28), ("5", 28)])

    def test_an_attribute(self):
        seen = rows(self.recorded, "self.total", "--changes")
        first = [(row["text"], row["line"], row["how"]) for row in seen if row["id"] == seen[0]["id"]]
        self.assertEqual(first, [("0", 4, "wrote"), ("3", 8, "wrote"), ("6", 8, "wrote"), ("11", 8, "wrote"), ("0", 12, "wrote"), ("1", 8, "wrote")])

    def test_an_attribute_that_was_deleted(self):
        self.assertIn(("<unset>", 13), self.wrote("self.owner", "--changes"))

    def test_at_a_line(self):
        self.assertEqual(texts(self.recorded, "self.total", "--at", "cart.py:9", "--id", str(rows(self.recorded, "self.total")[0]["id"])),
                         ["3", "6", "11", "1"])
        self.assertEqual(texts(self.recorded, "n", "--at", "cart.py:18"), ["3", "2", "1"])

    def test_an_equal_value_is_written_again(self):
        """It is another object; with --changes it is no news. An exception that goes on is not written."""
        text = "def f(n):\n    a = n / 2\n    a = n / 2\n    try:\n        return n / 0\n    finally:\n        a = n / 2\ntry:\n    f(1)\nexcept ArithmeticError:\n    pass\n"
        for values in ("calls", "lines"):
            recorded = session.Recorded(text, "once.py", "--values", values)
            self.assertEqual(recorded.pathline("history", "wrote").stdout, b"")
            self.assertEqual({row["how"] for row in rows(recorded, "raise")}, {"raise"})
        self.assertEqual([(row["text"], row["line"], row["how"]) for row in rows(recorded, "a")], [("0.5", line, "wrote") for line in (2, 3, 7)])
        self.assertEqual([row["line"] for row in rows(recorded, "a", "--changes")], [2])

    def test_what_the_line_did_not_write(self):
        """An inner function changed it while a line ran that cannot bind it."""
        text = ("def outer():\n    count = 0\n    def increment():\n        nonlocal count\n        count = count + 1\n"
                "    increment()\n    try:\n        print(1 // 0)\n    except ArithmeticError:\n        count = 7\nouter()\n")
        recorded = session.Recorded(text, "outer.py", "--values", "lines")
        self.assertEqual([(row["text"], row["how"], row["line"]) for row in rows(recorded, "count", "-F", "outer")],
                         [("0", "wrote", 2), ("1", "seen", 6), ("7", "wrote", 10)])
        seq = recorded.rows("--filter", "event == 'raise' and func == 'outer'", "-f", "seq")[0][0]
        self.assertIn("count = 1  (not by a line of it, #", recorded.pathline("why", "--at", f"#{seq}").stdout.decode())

    def test_says_what_functions_wrote_into_a_global(self):
        """It is captured with the lines of the module alone."""
        text = ("counter = 0\nother = 1\ndef bump(counters):\n    global total, counter  # of all\n    counter += 1\n    counter += 1\n"
                "bump(1)\nother = 2\n")
        recorded = session.Recorded(text, "global.py", "--values", "lines")
        done = recorded.pathline("history", "counter")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), r"\Apathline: history: a function writes the global 'counter' \(\S*global.py:4\): .* missing\n\Z")
        for words in ("other",), ("counters",), ("counter", "--json"), ("counter", "--csv"):
            self.assertEqual(recorded.pathline("history", *words).stderr, b"", words)

    def test_says_what_a_limit_left_out(self):
        text = "def f(n):\n    rows = [[n] * 8, n, str(n) * 20]\n    return rows\nfor i in range(%d):\n    f(i)\n"
        recorded = session.Recorded(text % 70000, "limit.py", "--values", "lines", "--limit", "1M")
        for words in ("n",), ("n", "--json"), ("rows[1]", "--changes", "--csv"):
            self.assertRegex(recorded.pathline("history", *words).stderr.decode(),
                             r"\Apathline: history: values before \d\d:\d\d:\d\d\.\d{6} are missing: .* larger --limit\n\Z")
        recorded = session.Recorded(text % 3000, "second.py", "--values", "lines", "--values-limit", "second=20K")
        self.assertRegex(recorded.pathline("history", "n").stderr.decode(),
                         r"\Apathline: history: of \d+ events only the types were kept, .* --values-limit allows\n\Z")

    def test_the_same_object_in_less_detail(self):
        """It is deeper in another value, or a member of it: nobody has written it there."""
        text = """\
def f():
    d = [0, {"k": {"a": [1, {"z": 2}]}}]
    for _ in range(2):
        match d:
            case [_, {"k": inner}]:
                pass
        match d:
            case [_, deep]:
                pass
        deeper = [d]
        both = inner, deeper
    inner["a"][0] = 3
    inner["a"].append(4)
f()
"""
        recorded = session.Recorded(text, "detail.py", "--values", "lines")
        for options in (), ("--changes",):
            self.assertEqual([row["line"] for row in rows(recorded, "d[1]['k']", *options)], [2, 12, 13])
            self.assertEqual([row["line"] for row in rows(recorded, "d[1]", *options)], [2, 13])

    def test_nothing_is_said_of_calls(self):
        done = self.recorded.pathline("history", "n")
        self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    unittest.main()
