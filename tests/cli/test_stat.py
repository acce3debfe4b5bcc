"""record --stat: its form, and that it names the function that records most. What an event costs is
not asked: that is the machine's."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from test_info import info  # noqa: E402

INTERPRETERS = "two"

QUICK = True
ALONE = True

PROGRAM = '''\
def hot(n):
    if n & 1:
        n += 1
    else:
        n -= 1
    if n & 2:
        n += 1
    else:
        n -= 1
    if n & 4:
        n += 1
    else:
        n -= 1
    return n


def cold():
    return sum(range(10))


for i in range(30000):
    hot(i)
    if i % 1000 == 0:
        cold()
'''


ONCE = 400
PROGRAM_ONCE = f'''\
for i in range({ONCE}):
    exec(f"def once_{{i}}(n):\\n    if n:\\n        n += 1\\n    else:\\n        n -= 1\\n    return n\\nonce_{{i}}(i)")
'''


class Recorded(session.Recorded):
    def __init__(self, *options, program=PROGRAM):
        self.folder = session.scratch()
        self.script = os.path.join(self.folder, "work.py")
        with open(self.script, "w", encoding="utf-8") as f:
            f.write(program)
        self.done = session.pathline("record", *options, "-o", "here", "--python", session.PYTHON, "--", "work.py", cwd=self.folder)
        self.directory = os.path.join(self.folder, "here")

    def pathline(self, *words, **more):
        return super().pathline(*words, self.directory, **more)


class Stat(unittest.TestCase):
    def test_what_is_said(self):
        recorded = Recorded("--stat", "-q")
        self.assertEqual(recorded.done.returncode, 0)
        lines = recorded.done.stderr.decode().splitlines()
        self.assertTrue(all(line.startswith("pathline: stat: ") for line in lines), lines)
        self.assert_one_base(*lines[:2])
        first = lines[lines.index("pathline: stat: what cost most to record:") + 1]
        share, events, name = re.fullmatch(r"pathline: stat: +([\d.]+)% +([\d,]+) events  (\w+)  \S*work\.py:1", first).groups()
        self.assertEqual(name, "hot")
        self.assertGreaterEqual(int(events.replace(",", "")), 30000)     # an event a call at least
        self.assertTrue(30 < float(share) <= 100, share)
        self.assertRegex(lines[-1], r"--exclude \S*work\.py,")

    def assert_one_base(self, program, collector):
        """Both percentages are of what the program takes alone, and the line says what that is."""
        span = r"about ([\d.]+) ([mµ]?s)"
        found = re.search(rf"recording cost {span} of the program's ([\d.]+) ([mµ]?s) of CPU time, estimated; alone it takes {span}: \+(\d+)%", program)
        if not found:
            self.assertRegex(program, r"recording cost most of the program's [\d.]+ m?s of CPU time")
            self.assertRegex(collector, r"the collector took [\d.]+ [mµ]?s beside it$")
            return
        ns = {"s": 1e9, "ms": 1e6, "µs": 1e3}
        cost, whole, alone = (float(found[i]) * ns[found[i + 1]] for i in (1, 3, 5))
        self.assertAlmostEqual(whole, cost + alone, delta=whole / 50)
        self.assertAlmostEqual(int(found[7]), 100 * cost / alone, delta=1 + 2 * cost / alone)
        took = re.search(r"the collector took ([\d.]+) ([mµ]?s) beside it: \+(\d+)%$", collector)
        self.assertIsNotNone(took, collector)
        percent = 100 * float(took[1]) * ns[took[2]] / alone
        self.assertAlmostEqual(int(took[3]), percent, delta=1 + percent / 50)

    def test_first_runs_are_counted(self):
        lines = Recorded("--stat", "-q", program=PROGRAM_ONCE).done.stderr.decode()
        found = re.search(r"^pathline: stat: +([\d,]+) first run +of +([\d.]+) [nµm]?s +([\d.]+)%$", lines, re.M)
        self.assertIsNotNone(found, lines)
        codes, ns, share = found.groups()
        self.assertGreater(int(codes.replace(",", "")), ONCE)
        self.assertGreater(float(ns), 0)
        self.assertGreater(float(share), 10)            # of a program that runs nothing twice

    def test_values_are_counted(self):
        lines = Recorded("--stat", "-q").done.stderr.decode()
        found = re.search(r"^pathline: stat: +([\d,]+) values +of +[\d.]+ [nµm]?s +[\d.]+%$", lines, re.M)
        self.assertIsNotNone(found, lines)
        self.assertEqual(int(found[1].replace(",", "")), 2 * 30000 + 30)      # cold() has no arguments
        self.assertNotRegex(Recorded("--stat", "-q", "--values=none").done.stderr.decode(), r"\bvalues\b")

    def test_counts_are_those_of_what_was_recorded(self):
        data = info(Recorded("--stat", "-q"))
        self.assertGreaterEqual(data["recorded"], 60000)
        every = data["processes"][0]["interpreter"].startswith("CPython 3.11")
        # what is not recorded is known from the path
        self.assertLess(data["recorded"], data["events"] + every)

    def test_nothing_is_kept_without_it(self):
        recorded = Recorded()
        self.assertNotIn(b"stat:", recorded.done.stderr)
        self.assertNotIn("recorded", info(recorded))

    def test_nothing_was_recorded(self):
        done = session.pathline("record", "--stat", "-o", "here", "--", "true", cwd=session.scratch())
        self.assertEqual(done.returncode, 0)
        self.assertNotIn(b"stat:", done.stderr)


if __name__ == "__main__":
    unittest.main()
