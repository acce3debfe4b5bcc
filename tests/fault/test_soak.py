"""`make soak`, shortened: a server under a small limit for some seconds."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

INTERPRETERS = "rotating"
SOAK = pathlib.Path(__file__).resolve().parent.parent.parent / "bench" / "soak.py"
MINUTES, LIMIT, GROWTH = "0.25", "1M", "16M"    # rings still grow at the beginning


class Soak(unittest.TestCase):
    def test_short(self):
        done = recorded.run(sys.executable, str(SOAK), "--build", str(recorded.BUILD), "--python", recorded.PYTHON,
                            "--minutes", MINUTES, "--limit", LIMIT, "--growth", GROWTH, "--clock", "line")
        # too slow a machine writes less than the limit meanwhile
        if "the limit was not reached" in done.stderr and len(done.stderr.splitlines()) == 1:
            self.skipTest(done.stderr.strip())
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)


if __name__ == "__main__":
    unittest.main()
