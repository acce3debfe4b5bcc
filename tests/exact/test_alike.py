"""alike says yes only where the oracle's compare.py does, in its words; and it does where all rows
are the same."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import unittest

INTERPRETERS = "none"
QUICK = True

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import exact  # pylint: disable=wrong-import-position

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PATHLINE_BUILD", TOP / "build"))
ORACLE = TOP / "tests/oracle"
MAIN, OTHERS = (100, 100), ((100, 101), (100, 102), (205, 205))
MUTANTS = 60


def row(event, file, first, name, line):
    return "\t".join([event, file, str(first), name, str(line if event == "line" else 0)])


def made_up(chance, count):
    """Rows of some functions, calls and returns in pairs."""
    rows, stack = [], []
    for _ in range(count):
        kind = chance.choice(("call", "line", "line", "line", "leave"))
        if kind == "call" or not stack:
            n = chance.randrange(5)
            stack.append((f"/program/part{n % 2}.py" if n else "/usr/lib/runpy.py", n * 10 + 1, f"f{n}"))
            rows.append(row(chance.choice(("call", "resume", "throw")), *stack[-1], 0))
        elif kind == "line":
            rows.append(row("line", *stack[-1], stack[-1][1] + chance.randrange(4)))
        else:
            rows.append(row(chance.choice(("return", "yield", "unwind")), *stack.pop(), 0))
    return rows + [row("return", *frame, 0) for frame in reversed(stack)]


def window(rows):
    """(what the oracle has of it, what a recorder has)"""
    call, back = (row(event, "/oracle/oracle.py", 5, "__oracle_begin__", 0) for event in ("call", "return"))
    inside = [row("line", "/oracle/oracle.py", 1, "main", 9), *rows]
    end = [row("call", "/oracle/oracle.py", 8, "__oracle_end__", 0), row("line", "/oracle/oracle.py", 8, "__oracle_end__", 9)]
    early = [row("call", "/program/early.py", 1, "early", 0), call, back]
    return [*inside, *end[:1], "end\t-\t0\t-\t0"], [*early, *inside, *end, *rows[:7]]


class Alike(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.TemporaryDirectory(prefix="pathline-alike-")
        self.addCleanup(self.top.cleanup)
        self.folder, self.dump = os.path.join(self.top.name, "oracle"), os.path.join(self.top.name, "dump.tsv")
        os.mkdir(self.folder)
        self.write("own", "/oracle/\n")
        self.write("main", str(MAIN[0]))
        self.chance = random.Random(3)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def write_dump(self, rows):
        with open(self.dump, "w") as file:
            file.writelines(line + "\n" for line in rows)

    def make(self):
        """Files of the oracle; gives the rows of the dump, threads mixed."""
        dumped = {}
        for key in (MAIN, *OTHERS):
            rows = made_up(self.chance, 120)
            told, dumped[key] = window(rows) if key == MAIN else (rows, rows)
            self.write("%d-%d.tsv" % key, "".join(line + "\n" for line in told) + "\0\0\0")
        mixed = []
        while any(dumped.values()):
            key = self.chance.choice([key for key, rows in dumped.items() if rows])
            event, *rest = dumped[key].pop(0).split("\t")
            rest[-1] = rest[-1] if event == "line" else "77"
            mixed.append("\t".join([*map(str, key), event, *rest]))
            if self.chance.random() < 0.1:
                mixed.append("%d\t%d\traise\t/program/part1.py\t1\tf\t3" % key)
        return mixed

    def ask(self, command):
        done = subprocess.run([*map(str, command), self.folder, self.dump], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout.strip().rpartition("\n")[2], done.stderr

    def both(self):
        """(what alike says: its code and words, what compare.py says)"""
        return self.ask([BUILD / "tests/exact/alike"]), self.ask([sys.executable, ORACLE / "compare.py"])

    def test_the_same_rows_are_alike(self):
        self.write_dump(self.make())
        alike, compared = self.both()
        self.assertEqual(alike[:2], compared[:2])
        self.assertEqual(alike[0], 0, compared)

    def mutate(self, rows):
        i, j = sorted(self.chance.sample(range(len(rows)), 2))
        fields = rows[i].split("\t")
        fields[self.chance.randrange(7)] += "1"
        return self.chance.choice((
            rows[:i] + rows[i + 1:],
            rows[:i] + [rows[i]] + rows[i:],
            rows[:i] + [rows[j]] + rows[i + 1:j] + [rows[i]] + rows[j + 1:],
            rows[:i] + ["\t".join(fields)] + rows[i + 1:],
            [r for r in rows if r.split("\t")[1] != fields[1]],
            rows[:i],
            rows[i:],
        ))

    def test_whatever_is_wrong_is_not_alike(self):
        differed = 0
        for _ in range(MUTANTS):
            self.write_dump(self.mutate(self.make()))
            alike, compared = self.both()
            differed += compared[0] != 0
            if alike[0] == 0:
                self.assertEqual(alike[:2], compared[:2])
        self.assertGreater(differed, MUTANTS // 2)

    def test_a_row_cut_off_is_no_row(self):
        rows = self.make()
        path = os.path.join(self.folder, "205-205.tsv")
        with open(path) as file:
            text = file.read().rstrip("\0")
        self.write("205-205.tsv", text[:text.rindex("\t")] + "\0")
        self.write_dump(rows)
        alike, _ = self.both()
        self.assertEqual(alike[0], 1, "the dump has a row more: compare.py decides")

    def end(self, told, promised, *options):
        """A process is killed: the oracle has `told` lines after the last certain row, of which
        the dump says that `promised` may be; 0: a return."""
        rows = self.make()
        frame = ("/program/part1.py", 1, "f1")
        with open(os.path.join(self.folder, "205-205.tsv"), "rb+") as file:
            text = file.read().rstrip(b"\0").decode()
            text += "".join(row("line" if n else "return", *frame, n) + "\n" for n in told)
            file.seek(0)
            file.write(text.encode())
            # a killed process had no time to cut off the room that it had for more
            file.truncate(exact.END_BYTES * 2)
        self.write_dump(rows + ["205\t205\tgap\t/program/part1.py\t1\tf1\t3"]
                        + ["205\t205\tpossible\t/program/part1.py\t1\tf1\t%d" % n for n in promised])
        setup = types.SimpleNamespace(alike=BUILD / "tests/exact/alike", oracle=ORACLE)
        return exact.compare(self.folder, self.dump, setup, self.top.name, "--tail", "20", *options)

    def test_an_end_that_was_promised_is_no_difference(self):
        self.assertIn("0 differ", self.end(range(100, 140), range(90, 150)))

    def test_an_end_that_returns_is_promised_too(self):
        self.assertIn("0 differ", self.end([*range(100, 140), 0], [*range(90, 150), 0]))
        with self.assertRaises(exact.Failure):
            self.end([*range(100, 140), 0], range(90, 150))

    def test_names_that_are_left_out_are_no_difference(self):
        self.assertIn("0 differ", self.end(range(100, 140), range(90, 150), "--ignore-file", "^/elsewhere/"))

    def test_an_end_that_was_not_promised_is_one(self):
        with self.assertRaises(exact.Failure):
            self.end(range(100, 140), range(100, 139))

    def test_a_second_image_is_left_to_compare(self):
        rows = self.make()
        self.write("205-205.1.tsv", "")
        self.write_dump(rows)
        self.assertEqual(self.both()[0][0], 1)

    def test_nothing_is_not_alike(self):
        self.make()
        self.write_dump([])
        alike, compared = self.both()
        self.assertEqual((alike[0], compared[0]), (1, 1))

    def test_what_cannot_be_read_is_said(self):
        code, _, said = self.ask([BUILD / "tests/exact/alike"])
        self.assertEqual(code, 2)
        self.assertIn("cannot read", said)


if __name__ == "__main__":
    unittest.main()
