"""Hits count passes: how often a line began, and each further pass of a loop that stays on it.
Everywhere the same number."""
import csv
import io
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

QUICK = True
N = 100000
PROGRAM = f'''\
squares = [i * i for i in range({N})]
total = sum(i for i in range(3000))
names = {{str(i): i for i in range(2000)}}
n = 1000
while n: n -= 1
for i in range(500): n += i
pairs = [(i, j) for i in range(40) for j in range(30)]
print(len(squares), total, len(names), n, len(pairs))
'''
LEAST = {1: N, 2: 3000, 3: 2000, 5: 1000, 6: 500, 7: 40 * 30}


class Hits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = session.Recorded(PROGRAM, "loops.py")
        cls.none = session.Recorded(PROGRAM, "loops.py", "--passes", "none")

    def dumped(self, recorded):
        hits = {}
        for file, line in recorded.rows("--events", "line,again", "--fields", "file,line"):
            if file.endswith("loops.py"):
                hits[int(line)] = hits.get(int(line), 0) + 1
        return hits

    def reported(self, recorded, *words):
        """Hits by line, and what the line of type time says of them."""
        hits, said = {}, None
        for row in map(json.loads, recorded.pathline("report", "--json", *words).stdout.splitlines()):
            if row["type"] == "line" and (row["data"]["file"] or "").endswith("loops.py"):
                hits[row["data"]["line"]] = hits.get(row["data"]["line"], 0) + row["data"]["hits"]
            said = row["data"]["hits_are"] if row["type"] == "time" else said
        return {line: n for line, n in hits.items() if n}, said

    def test_are_passes(self):
        hits = self.dumped(self.all)
        for line, least in LEAST.items():
            self.assertGreaterEqual(hits[line], least, line)
            self.assertLessEqual(hits[line], least + 100, line)
        self.assertEqual(hits[4], 1)

    def test_everywhere(self):
        hits = self.dumped(self.all)
        self.assertEqual(self.reported(self.all), (hits, "passes"))
        self.assertEqual(self.reported(self.all, "--file", "loops.py"), (hits, "passes"))
        rows = csv.DictReader(io.StringIO(self.all.pathline("report", "--csv", "-n", "0").stdout.decode()))
        told = {}
        for row in rows:
            if row["file"].endswith("loops.py") and int(row["hits"]):
                told[int(row["line"])] = told.get(int(row["line"]), 0) + int(row["hits"])
        self.assertEqual(told, hits)

    def test_in_the_source(self):
        hits = self.dumped(self.all)
        text = self.all.pathline("report", "--file", "loops.py").stdout.decode().splitlines()
        for number, line in enumerate(PROGRAM.splitlines(), 1):
            row = next(r for r in text if r.endswith(line))
            self.assertEqual(row.split()[0], f"{hits[number]:,}", row)

    def test_in_a_replay(self):
        hits = self.dumped(self.all)
        # Back from the end to the last line of the program: what site registered with atexit can
        # run later, in another file.
        done = self.all.pathline("replay", "--plain", "--command=j end", "--command=b loops.py:8", "--command=C",
                                 *(f"--command=hits {n}" for n in LEAST))
        for line in LEAST:
            self.assertIn(f"line {line}: {hits[line]:,} of {hits[line]:,} hits", done.stdout.decode())

    def test_a_stop_at_a_pass(self):
        done = self.all.pathline("replay", "--plain", "--command=b loops.py:1 if hits == 777", "--command=c", "--command=hits 1")
        self.assertIn(f"line 1: 777 of {self.dumped(self.all)[1]:,} hits", done.stdout.decode())

    def test_without_passes_it_is_said(self):
        self.assertEqual(self.reported(self.none), (self.dumped(self.none), "lines"))
        for words in ((), ("--file", "loops.py")):
            self.assertIn(b"(no passes)", self.none.pathline("report", *words).stdout)
            self.assertNotIn(b"(no passes)", self.all.pathline("report", *words).stdout)
        done = self.none.pathline("replay", "--plain", "--command=hits 4")
        self.assertIn(b"hits, without passes of one-line loops", done.stdout)


if __name__ == "__main__":
    unittest.main()
