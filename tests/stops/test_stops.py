"""How long single calls of the recorder stop a program, in instructions (bench/stops.py)."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BENCH = HERE / "../../bench"
sys.path.insert(0, str(BENCH))
sys.path.insert(0, str(HERE))
import kinds  # noqa: E402
import stops  # noqa: E402

INTERPRETERS = "turn"
CI_HALF = 0
BUILD = pathlib.Path(os.environ["PATHLINE_BUILD"]).resolve()
PYTHON = os.environ["PATHLINE_PYTHON"]


def version():
    return int(subprocess.check_output([PYTHON, "-S", "-c", "import sys; print(sys.version_info[1])"], text=True))


@unittest.skipIf(stops.missing(), f"{stops.missing()} is not here")
@unittest.skipIf(version() not in (12, 13), "counted with 3.12 and 3.13")
class Stops(unittest.TestCase):
    def longest(self, kind):
        """function -> instructions of its longest call"""
        with tempfile.TemporaryDirectory(prefix="pathline-stops-") as scratch:
            found = stops.measure_kind(BUILD, PYTHON, kind, pathlib.Path(scratch))
        self.assertTrue(found, "no call was counted")
        most = {}
        for count, name in found:
            most[name] = max(count, most.get(name, 0))
        return most

    def test_debugger_on_a_deep_stack(self):
        most = self.longest("tracer")
        self.assertIn("hooks_are_traced", most)
        for name, count in most.items():
            self.assertLess(count, stops.LIMIT, name)

    def test_module_of_many_lines(self):
        """Describing it takes longer than 1 ms, in proportion to the code, as doc/PERFORMANCE.md
        says. It must not become worse."""
        most = self.longest("module")
        self.assertLess(most.pop("on_start"), 200 * kinds.MODULE_LINES)
        for name, count in most.items():
            self.assertLess(count, stops.LIMIT, name)

    def test_function_of_many_lines(self):
        """Likewise, without branches; it was 1,300 a line while its graph was made."""
        most = self.longest("function")
        self.assertLess(most.pop("on_start"), 390 * kinds.FUNCTION_LINES)
        for name, count in most.items():
            self.assertLess(count, stops.LIMIT, name)

    def test_function_of_many_branches(self):
        """Its graph is made at the first call, and only then: a LINE at which it becomes hot makes
        the interpreter enable an event in all of it, and nothing more."""
        most = self.longest("branches")
        self.assertLess(most.pop("on_start"), 2700 * kinds.FUNCTION_LINES)
        self.assertLess(most.pop("on_line"), 2 * stops.LIMIT)
        for name, count in most.items():
            self.assertLess(count, stops.LIMIT, name)

    def test_row_of_branches(self):
        """The search for its witnesses would grow with its square."""
        for name, count in self.longest("row").items():
            self.assertLess(count, 1.1 * stops.LIMIT, name)


if __name__ == "__main__":
    unittest.main()
