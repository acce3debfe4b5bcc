"""pathline report: where the time went; and the samples that say so."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

# Three lines of C code whose costs are as 1 : 10 : 100, by construction: sums over lists of one number.
SHARES = '''\
def work(passes, one, ten, hundred):
    for _ in range(passes):
        sum(one)  # 1
        sum(ten)  # 10
        sum(hundred)  # 100


work(40000, [1] * 200, [1] * 2000, [1] * 20000)
'''

# One line blocks, in the middle of lines that are told by no event of their own.
BLOCK = '''\
import time

ALONE = True


def pause():
    x = 1
    y = x + 1
    before = time.perf_counter()
    time.sleep(0.03)  # blocks
    after = time.perf_counter()
    z = y + 1
    return after - before


def busy():
    for i in range(20000):
        pass


busy()
print(sum(pause() for _ in range(5)))
busy()
'''


def report(recorded, *words):
    """(rows of lines, what stands at the end)"""
    done = recorded.pathline("report", "--json", *words)
    if done.returncode or done.stderr:
        raise AssertionError(f"report: {done.returncode} {done.stderr!r}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [row["data"] for row in rows if row["type"] == "line"], [row["data"] for row in rows if row["type"] == "time"]


def line_of(text, word):
    return next(i for i, line in enumerate(text.split("\n"), 1) if line.endswith("# " + word))


class Report(unittest.TestCase):
    def test_shares_of_lines(self):
        recorded = session.Recorded(SHARES, "shares.py")
        lines, (whole,) = report(recorded)
        work = {row["line"]: row for row in lines if row["code"] == "work"}
        sum_ns = sum(row["own_ns"] for row in work.values())
        for word, share in (("1", 1 / 111), ("10", 10 / 111), ("100", 100 / 111)):
            row = work[line_of(SHARES, word)]
            self.assertEqual(row["hits"], 40000)
            self.assertAlmostEqual(row["own_ns"] / sum_ns, share, delta=0.05, msg=str(work))
        self.assertGreater(sum_ns, 0.9 * whole["sum_ns"])

    def test_own_times_add_up_to_the_recorded_time(self):
        recorded = session.shop()
        lines, (whole,) = report(recorded)
        self.assertAlmostEqual(sum(row["own_ns"] for row in lines) + whole["idle_ns"] + whole["lost_ns"], whole["sum_ns"], delta=1000)
        each = [report(recorded, "--thread", str(n))[1][0]["sum_ns"] for n in (0, 1)]
        self.assertAlmostEqual(sum(each), whole["sum_ns"], delta=1000)
        info = json.loads(recorded.pathline("info", "--json").stdout)["data"]["processes"][0]
        for thread, sum_ns in zip(info["threads"], each):
            self.assertLessEqual(sum_ns, (thread["end"] - thread["start"]) * 1e9 + 1e6)

    def test_hits_are_those_of_dump(self):
        counted = {}
        for file, line in session.shop().rows("--events", "line", "--fields", "file,line"):
            counted[file, int(line)] = counted.get((file, int(line)), 0) + 1
        told = {}
        for row in report(session.shop())[0]:
            if row["hits"]:
                told[row["file"], row["line"]] = told.get((row["file"], row["line"]), 0) + row["hits"]
        self.assertEqual(told, counted)

    def test_a_line_that_blocks(self):
        recorded = session.Recorded(BLOCK, "block.py")
        lines, _ = report(recorded)
        row, = [row for row in lines if row["code"] == "pause" and row["line"] == line_of(BLOCK, "blocks")]
        # How long a tick was at most is in the recording: it is the error of each time between two stamps.
        tick_ns = max(int(error) for error, in recorded.rows("--fields", "error"))
        self.assertAlmostEqual(row["own_ns"], float(recorded.done.stdout) * 1e9, delta=5 * tick_ns + 1e6)
        self.assertGreater(row["waiting_ns"], row["computing_ns"])

    def test_text(self):
        done = session.shop().pathline("report", "-n", "3")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertRegex(done.stdout, rb"^process 1 .*shop.py\n +share +own s +waiting s")
        self.assertEqual(done.stdout.count(b"% "), 3)
        self.assertEqual(session.shop().pathline("report", "-n", "x").returncode, 2)
        self.assertEqual(session.shop().pathline("report", "--from", "#3").returncode, 2)


if __name__ == "__main__":
    unittest.main()
