"""pathline report --functions --by ARGUMENT: calls grouped by the value of an argument."""
import csv
import io
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

PROGRAM = '''\
import asyncio
import time


class SoldOut(Exception):
    pass


def price(item, qty, order=None):
    if item == "rocket":
        raise SoldOut(item)
    if qty > 2:
        time.sleep(0.02)
    return qty * 3


async def fetch(url, qty):
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return url


def numbers(qty):
    for i in range(qty):
        yield i


def deep(n, qty):
    return deep(n - 1, qty) if n else qty


for qty in (1, 2, 3, 3, 1, 5):
    try:
        price("anvil" if qty < 5 else "rocket", qty, {"id": qty % 2})
    except SoldOut:
        pass
    list(numbers(qty))
deep(3, "x")


async def main():
    await asyncio.gather(*(fetch(f"x{i}", i % 2) for i in range(5)))


asyncio.run(main())
'''
MANY = '''\
def f(n):
    return n


for i in range(66000):
    f(i)
'''

_recorded = {}


def recorded(text, *options):
    if (text, options) not in _recorded:
        _recorded[text, options] = session.Recorded(text, "by.py", "--only-mine", "--clock", "call", *options)
    return _recorded[text, options]


class By(unittest.TestCase):
    def groups(self, *words, text=PROGRAM):
        done = recorded(text, "--values", "calls").pathline("report", "--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return [json.loads(line)["data"] for line in done.stdout.decode().splitlines()]

    def test_calls_and_results(self):
        rows = self.groups("--functions", "--by", "qty", "--function", "price")
        self.assertEqual({row["value"]: (row["calls"], row["raised"], row["results"]) for row in rows},
                         {"3": (2, 0, "9 × 2"), "1": (2, 0, "3 × 2"), "2": (1, 0, "6"), "5": (1, 1, "!! SoldOut")})
        self.assertEqual(rows[0]["value"], "3")
        self.assertGreater(rows[0]["cumulated_ns"], 40e6)
        self.assertGreater(rows[0]["max_ns"], 20e6)
        self.assertAlmostEqual(rows[0]["avg_ns"], rows[0]["cumulated_ns"] / 2, delta=1)
        self.assertLess(max(row["cumulated_ns"] for row in rows[1:]), 20e6)

    def test_each_function_that_has_it(self):
        self.assertEqual({row["code"] for row in self.groups("--by", "qty")}, {"price", "fetch", "numbers", "deep"})
        self.assertEqual({row["value"]: row["calls"] for row in self.groups("--by", "item")}, {"'anvil'": 5, "'rocket'": 1})

    def test_a_part_of_it(self):
        self.assertEqual({row["value"]: row["calls"] for row in self.groups("--by", "order['id']")}, {"1": 5, "0": 1})
        self.assertEqual({row["value"]: row["calls"] for row in self.groups("--by", "order['no']")}, {"(no such part)": 6})

    def test_generators_and_coroutines_have_one_call(self):
        rows = {(row["code"], row["value"]): row for row in self.groups("--by", "qty")}
        self.assertEqual((rows["numbers", "3"]["calls"], rows["numbers", "3"]["results"]), (2, "None × 2"))
        self.assertEqual((rows["fetch", "0"]["calls"], rows["fetch", "0"]["results"]), (3, "'x0', 'x2', 'x4'"))

    def test_recursion(self):
        row, = self.groups("--by", "qty", "--function", "deep")
        self.assertEqual((row["value"], row["calls"], row["results"]), ("'x'", 4, "'x' × 4"))

    def test_text_and_csv(self):
        of = recorded(PROGRAM, "--values", "calls")
        shown = of.pathline("report", "--by", "qty", "-n", "2").stdout.decode()
        self.assertRegex(shown, r"\Aprocess 1 .* functions by qty ")
        self.assertRegex(shown, r"(?m)^ +\d+\.\d%  +\d+(\.\d)? ms  +±\S+ \S+  +2 .* 3 +9 × 2 +.*by\.py:9  price$")
        self.assertRegex(shown, r"\d+ more rows; -n 0 shows all")
        rows = list(csv.DictReader(io.StringIO(of.pathline("report", "--by", "qty", "--csv", "--sort", "calls").stdout.decode())))
        self.assertEqual((rows[0]["code"], rows[0]["calls"]), ("deep", "4"))

    def test_times_have_errors(self):
        """Of calls that follow each other: no more than from the first to the last, however many
        there are."""
        text = "import time\ndef small(n): return n\ndef nap(s): time.sleep(s)\nfor i in range(500): small(1)\nnap(0.02)\ntime.sleep(0.1)\n"
        of = session.Recorded(text, "errors.py", "--only-mine", "--clock", "tick=10ms", "--values", "calls")
        rows = [json.loads(line)["data"] for by in "ns" for line in of.pathline("report", "--json", "--by", by).stdout.splitlines()]
        (small,), (nap,) = ([row for row in rows if row["code"] == name] for name in ("small", "nap"))
        self.assertEqual((small["calls"], nap["calls"]), (500, 1))
        self.assertGreater(small["cumulated_ns"] + small["error_ns"], 0)
        self.assertGreaterEqual(nap["cumulated_ns"] + nap["error_ns"], 20e6)
        whole, = json.loads(of.pathline("query", "--json", "SELECT duration_ns + error_ns AS ns FROM call WHERE function = '<module>'").stdout)["data"].values()
        self.assertLessEqual(small["error_ns"], 1.05 * whole)
        self.assertIn("±", of.pathline("report", "--by", "n").stdout.decode())

    def test_range(self):
        done = recorded(PROGRAM, "--values", "calls").pathline("report", "--by", "qty", "--json", "--from", "100%")
        self.assertEqual(done.stdout, b"")

    def test_memory_is_bounded(self):
        rows = self.groups("--by", "n", text=MANY)
        self.assertEqual(len(rows), 65537)
        self.assertEqual(sum(row["calls"] for row in rows), 66000)
        self.assertEqual([(row["value"], row["calls"]) for row in rows if row["others"] == "true"], [("(other values)", 464)])

    def test_refused(self):
        of = recorded(PROGRAM, "--values", "calls")
        none = recorded("def f(n):\n    return n\n\n\nf(1)\n", "--values", "none")
        for run, words, told in ((of, ("--by", "nothing"), r"no function that ran .* argument of the name of 'nothing'\n"),
                                 (of, ("--by", "url", "--function", "price"), r"no function 'price' that ran .* of 'url'\n"),
                                 (of, ("--by", "a b"), r"--by: 'a b', column 2: "), (of, ("--by", "qty", "--tree"), "are two views"),
                                 (none, ("--by", "n"), r"--by needs values, which this recording has not; .*--values calls")):
            done = run.pathline("report", *words)
            self.assertEqual((done.returncode, done.stdout), (1 if "no function" in told else 2, b""), words)
            self.assertRegex(done.stderr.decode(), told)
            self.assertEqual(done.stderr.count(b"\n"), 1)


if __name__ == "__main__":
    unittest.main()
