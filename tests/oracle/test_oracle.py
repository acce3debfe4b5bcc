"""The oracle and its comparison: does the program do under the oracle what it does alone, and does
compare.py find each difference?"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

INTERPRETERS = "one"
CI_HALF = 1

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("PATHLINE_BUILD", HERE.parents[1] / "build"))
PYTHON = os.environ.get("PATHLINE_PYTHON", sys.executable)
VERSION = tuple(map(int, subprocess.check_output([PYTHON, "-S", "-c", "import sys; print(*sys.version_info[:2])"]).split()))
PROGRAM = '''
import asyncio, os, sys, threading

def numbers(n):
    try:
        for i in range(n): yield i
    finally:
        n = 0

def fails(x):
    try:
        return 1 // x
    except ZeroDivisionError:
        raise ValueError(x)
    finally:
        x = None

def work():
    g = numbers(10)
    next(g)
    try: g.throw(KeyError("k"))
    except KeyError: pass
    for x in numbers(50):
        try: fails(x % 3)
        except ValueError: pass

async def main():
    async def one(i):
        await asyncio.sleep(0)
        return i
    print(sum(await asyncio.gather(*map(one, range(20)))))

child = os.fork()
if not child:
    work()
    os._exit(7)
print(os.waitpid(child, 0)[1] >> 8, sys.argv[1:])
for _ in range(3):
    t = threading.Thread(target=work)
    t.start()
    t.join()
asyncio.run(main())
exec("def late(): return [i for i in range(3)]\\nlate()")
sys.exit(5)
'''


def read(path):
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def mutants(rows, own):
    """Each a name and a dump with one thing wrong, somewhere inside the window, not in the oracle's
    own rows."""
    split = [r.rstrip("\n").split("\t") for r in rows]
    begin = next(i for i, r in enumerate(split) if r[5] == "__oracle_begin__" and r[2] == "return")
    end = next(i for i, r in enumerate(split) if r[5] == "__oracle_end__")
    inside = [i for i in range(begin + 1, end) if not split[i][3].startswith(own) and "runpy" not in split[i][3]]
    threads = {}
    for i in inside:
        threads.setdefault((split[i][0], split[i][1]), []).append(i)
    pick = random.Random(1)
    for n in range(5):
        i = pick.choice(inside)
        yield "a dropped row (%s)" % split[i][2], rows[:i] + rows[i + 1:]
        yield "a doubled row (%s)" % split[i][2], rows[:i] + [rows[i]] + rows[i:]
    for n in range(5):
        mine = threads[pick.choice(sorted(threads))]
        k = next(k for k in iter(lambda: pick.randrange(len(mine) - 1), None) if split[mine[k]][2:] != split[mine[k + 1]][2:])
        i, j = mine[k], mine[k + 1]
        swapped = list(rows)
        swapped[i], swapped[j] = rows[j], rows[i]
        yield "two swapped rows (%s, %s)" % (split[i][2], split[j][2]), swapped
    i = pick.choice([i for i in inside if split[i][2] == "line"])
    yield "a wrong line", rows[:i] + ["\t".join(split[i][:6] + [str(int(split[i][6]) + 1)]) + "\n"] + rows[i + 1:]
    i = pick.choice([i for i in inside if split[i][2] == "call"])
    for field, name in ((3, "file"), (4, "first line"), (5, "name")):
        wrong = split[i][:field] + [split[i][field] + "1"] + split[i][field + 1:]
        yield "a wrong " + name, rows[:i] + ["\t".join(wrong) + "\n"] + rows[i + 1:]
    for (pid, tid), mine in sorted(threads.items()):
        yield "a missing thread", [r for r, s in zip(rows, split) if s[1] != tid]
        yield "the last row of a thread missing", rows[:mine[-1]] + rows[mine[-1] + 1:]
        yield "the first row of a thread missing", rows[:mine[0]] + rows[mine[0] + 1:]
    yield "an empty dump", []


@unittest.skipIf(VERSION < (3, 12), "3.11 has no sys.monitoring, which the stand-in for a recorder needs")
class Oracle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pathline-oracle-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "program.py"
        self.program.write_text(PROGRAM)

    def run_python(self, *command):
        """(exit code, standard output, standard error)"""
        environment = dict(os.environ, ORACLE_CACHE=str(BUILD / "oracle-cache"), TMPDIR=str(self.folder))
        done = subprocess.run([PYTHON, *map(str, command)], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout, done.stderr

    def under_oracle(self, name, *before):
        return self.run_python(*before, HERE / "oracle.py", "--out", self.folder / name, "--", self.program, "a", "b")

    def compare(self, name, rows, *options):
        """(exit code, what it printed)"""
        dump = self.folder / "dump.tsv"
        dump.write_text("".join(rows), encoding="utf-8", errors="surrogateescape")
        code, out, err = self.run_python(HERE / "compare.py", self.folder / name, dump, *options)
        return code, out + err

    def test_program_does_what_it_does_alone(self):
        alone = self.run_python(self.program, "a", "b")
        self.assertEqual(alone[0], 5)
        self.assertEqual(self.under_oracle("alone"), alone)
        both = self.under_oracle("same", HERE / "standin.py", self.folder / "same.tsv")
        self.assertEqual(both[:2], alone[:2])

    def test_same_run(self):
        self.under_oracle("same", HERE / "standin.py", self.folder / "same.tsv")
        rows = read(self.folder / "same.tsv").splitlines(keepends=True)
        code, out = self.compare("same", rows)
        self.assertEqual(code, 0, out)
        self.assertRegex(out.splitlines()[-1], "^5 threads, ")
        other = ["1\t1\traise\tx\t1\ty\t1\n", "1\t1\tgap\t\t0\t\t0\n"]
        self.assertEqual(self.compare("same", other + rows + other)[0], 0, "other events count")
        own = read(self.folder / "same/own").partition("\n")[0]
        for name, wrong in mutants(rows, own):
            with self.subTest(name):
                code, out = self.compare("same", wrong)
                self.assertEqual(code, 1, out)

    def test_two_runs(self):
        # Threads race; without them each run is the same.
        self.program.write_text(PROGRAM.replace("t = threading.Thread(target=work)\n    t.start()\n    t.join()", "work()"))
        self.under_oracle("alone")
        self.run_python(HERE / "standin.py", self.folder / "other.tsv", self.program, "a", "b")
        rows = read(self.folder / "other.tsv").splitlines(keepends=True)
        code, out = self.compare("alone", rows, "--two-runs")
        self.assertEqual(code, 0, out)
        half = len(rows) // 2
        self.assertEqual(self.compare("alone", rows[:half] + rows[half + 1:], "--two-runs")[0], 1)


if __name__ == "__main__":
    unittest.main()
