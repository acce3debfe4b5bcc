"""make bench: rows small and once, what it prints and writes. The figures themselves are no test: a
machine at work tells nothing."""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "one"
ALONE = True

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
VERSION = tuple(map(int, subprocess.check_output([session.PYTHON, "-S", "-c", "import sys; print(*sys.version_info[:2])"]).split()))


def bench(*words):
    return subprocess.run([sys.executable, os.path.join(TOP, "bench/bench.py"), "--build", session.BUILD, "--python", session.PYTHON, *words],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)


def measured(test, rows):
    """(what was printed, what was written, its path)"""
    results = session.scratch()
    done = bench("--quick", "--no-peers", "--results", results, "--row", rows)
    test.assertEqual(done.returncode, 0, done.stderr)
    name, = os.listdir(results)
    with open(os.path.join(results, name), encoding="utf-8") as file:
        return done.stdout, json.load(file), os.path.join(results, name)


class Bench(unittest.TestCase):
    def test_figures(self):
        printed, written, _ = measured(self, "hello,count,open,report,report_fib")
        self.assertEqual(list(written["rows"]), ["hello", "count", "open", "report", "report_fib"])
        for name, row in written["rows"].items():
            self.assertGreater(row["value"], 0, name)
            self.assertRegex(printed, rf"(?m)^{name} +[\d.,]+  ")
            self.assertTrue(row["measured"]["quick"])
            self.assertEqual(row["measured"]["runs"], 1)

    def test_workload(self):
        printed, written, path = measured(self, "w_fib")
        row = written["rows"]["w_fib"]
        # 3.11 has no such events
        tools = ["floor", "pathline"] + (["calls-heard"] if VERSION >= (3, 12) else [])
        self.assertEqual(list(row["cells"]), tools)
        self.assertGreater(row["lines"], 100)
        for cell in row["cells"].values():
            self.assertGreater(cell["cpu"], 0)
            self.assertGreater(cell["wall"], 0)
        self.assertGreater(row["cells"]["pathline"]["bytes_per_line"], 0)
        self.assertRegex(printed, rf"(?m)^w_fib( +[\d.]+){{{1 + len(tools)}}}$")
        self.assertRegex(printed, r"(?m)^pathline +cpu +of the floor +to reach +wall ")
        # 1.60 by 2.63
        self.assertRegex(printed, r"(?m)^w_fib( +[\d.]+){2} +%s " % ("-" if VERSION < (3, 12) else "0.61"))
        picture = path + ".svg"
        drawn = subprocess.run([sys.executable, os.path.join(TOP, "bench/draw.py"), "--svg", picture, path], capture_output=True, check=False)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, b""))
        with open(picture, encoding="utf-8") as file:
            self.assertIn(">w_fib<", file.read())

    def test_stamped_calls_beside_bare_stamps(self):
        printed, written, _ = measured(self, "timing")
        self.assertGreater(written["rows"]["timing"]["value"], 0)
        if VERSION >= (3, 12):
            self.assertRegex(printed, r"(?m)^timing .*\([\d.]+ for callbacks that write 16 bytes and the clock, and nothing else\)$")

    @unittest.skipIf(VERSION < (3, 12), "3.11 has no such callbacks")
    def test_heard_and_not_recorded(self):
        printed, written, _ = measured(self, "heard_loops")
        self.assertGreater(written["rows"]["heard_loops"]["value"], 0)
        self.assertRegex(printed, r"(?m)^heard_loops .*\(recorded [\d.]+; medians of 1\)$")

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "it takes two processors")
    def test_by_turns(self):
        printed, written, _ = measured(self, "turns_fib,turns_timing,default_orders")
        self.assertEqual(list(written["rows"]), ["turns_fib", "turns_timing", "default_orders"])
        self.assertRegex(printed, r"(?m)^default_orders .*\(\d,\d+ events with values; [\d,]+ KiB with values, [\d,]+ KiB without; medians of 1\)$")
        for row in written["rows"].values():
            self.assertGreater(row["value"], 0)
        if VERSION >= (3, 12):
            self.assertRegex(printed, r"(?m)^turns_fib +[\d.]+ +1.60 .*\(the floor [\d.]+; calls, resumes and yields heard [\d.]+; medians of 1\)$")
            self.assertRegex(printed, r"(?m)^turns_timing +[\d.]+ +2.50 .*\(callbacks that write 16 bytes and the clock [\d.]+; medians of 1\)$")

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "it takes two processors")
    def test_values(self):
        printed, written, _ = measured(self, "values_fib")
        self.assertGreater(written["rows"]["values_fib"]["value"], 0)
        self.assertRegex(printed, r"(?m)^values_fib +[\d.]+ +3.00 .*\([\d.]+ without values; [\d.]+ bytes a call; medians of 1\)$")

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "it takes two processors")
    def test_programs(self):
        printed, written, _ = measured(self, "p_maze,p_exceptions")
        self.assertEqual(list(written["rows"]), ["p_maze", "p_exceptions"])
        for name, row in written["rows"].items():
            self.assertEqual(row["kind"], "program")
            for when in ("steady", "first"):
                self.assertEqual(list(row[when]), ["recorded", "floor"])
                self.assertGreater(min(row[when].values()), 0)
            self.assertGreater(row["passes"], 0)
            self.assertRegex(printed, rf"(?m)^{name[2:]}( +[\d.]+){{6}} +([\d.]+%|-) +\d+$")
        version = written["python"]
        self.assertRegex(printed, rf"(?m)^{version} +2 +([\d.]+|-)( +[\d.]+){{3}} (maze|exceptions)( +[\d.]+){{3}} (maze|exceptions) +([\d.]+%|-)$")
        some = r"(none|\w+ [\d.]+(, \w+ [\d.]+)?)$"
        self.assertRegex(printed, rf"(?m)^  {version}: {some}")
        self.assertRegex(printed, rf"(?m)^  {version}, first pass: {some}")

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "it takes two processors")
    def test_programs_that_are_not_installed(self):
        results, build = session.scratch(), session.scratch()
        for name in ("pathline", "libpathline.so", "pathline-preload.so", *(f"pathline-recorder-3.{minor}.so" for minor in range(11, 16))):
            if os.path.exists(os.path.join(session.BUILD, name)):
                os.symlink(os.path.join(session.BUILD, name), os.path.join(build, name))
        done = bench("--quick", "--no-peers", "--results", results, "--build", build, "--programs", "lark,maze")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("p_lark is left out: No module named 'lark'", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^maze( +[\d.]+){6} ")
        self.assertRegex(done.stdout, r"(?m)^left out: lark: No module named 'lark'$")

    def test_programs_have_names(self):
        rows = bench("--row", "list").stdout.split()
        self.assertIn("programs", rows)
        self.assertGreaterEqual(sum(row.startswith("p_") for row in rows), 30)
        unknown = bench("--programs", "nothing")
        self.assertEqual((unknown.returncode, unknown.stdout), (1, ""))
        self.assertIn("no program nothing; there are: ", unknown.stderr)

    def test_rows_have_names(self):
        names = bench("--row", "list")
        self.assertIn("import_sympy", names.stdout.split())
        unknown = bench("--row", "w_nothing")
        self.assertEqual((unknown.returncode, unknown.stdout), (1, ""))
        self.assertIn("no row w_nothing", unknown.stderr)


if __name__ == "__main__":
    unittest.main()
