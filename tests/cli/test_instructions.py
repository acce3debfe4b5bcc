"""The hot path takes no more instructions an event than bench/instructions.json says. Counted by
callgrind, so that a machine at work counts the same."""
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench")
sys.path.insert(0, BENCH)
import instructions  # noqa: E402

INTERPRETERS = "turn"


def version():
    out = subprocess.check_output([session.PYTHON, "-S", "-c", "import sys; print(sys.version_info[1])"], text=True)
    return int(out)


class Instructions(unittest.TestCase):
    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not here")
    @unittest.skipIf(version() < 12, "3.11 has a trace function in place of these callbacks")
    def test_no_more_than_before(self):
        done = subprocess.run([sys.executable, os.path.join(BENCH, "instructions.py"), "--build", session.BUILD, "--python", session.PYTHON],
                              capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for kind in ("line", "call", "resume", "yield", "raise", "handled", "unwind", "again"):
            self.assertRegex(done.stdout, rf"(?m)^  {kind} +[\d.]+")
        line = float(re.search(r"(?m)^  line +([\d.]+)", done.stdout)[1])
        self.assertTrue(20 < line < 1000, line)

    def test_what_is_worse(self):
        known = {"line": 100.0, "call": 200.0, "yield": 50.0}
        self.assertEqual(list(instructions.worse(known, {"line": 102.9, "call": 180.0})), [])
        told = list(instructions.worse(known, {"line": 103.1, "call": 200.0, "raise": 90.0}))
        self.assertEqual([text.partition(":")[0] for text in told], ["line", "raise"])


if __name__ == "__main__":
    unittest.main()
