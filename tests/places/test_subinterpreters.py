"""Sub-interpreters, with a GIL of their own and without: the program does as without Pathline, and
the recording names what it lacks. That the main one's path beside them is exact, asks the corpus of
tests/exact."""
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places  # noqa: E402

PROGRAM = str(places.HERE / "sub.py")
MINOR = tuple(map(int, places.about(places.PYTHON)[0].split(".")[:2]))
NOTE = "sub-interpreters were begun: what ran in them is not recorded"


class Subinterpreters(places.Case):
    def record(self, program):
        folder = tempfile.mkdtemp(prefix="places-", dir=os.environ.get("TMPDIR", "/var/tmp"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        recording = os.path.join(folder, "recording")
        plain = places.run(places.PYTHON, *program)
        done = places.run(places.PATHLINE, "record", "-o", recording, "--", places.PYTHON, *program)
        self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout), done.stderr)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        check = places.run(places.PATHLINE, "check", recording)
        self.assertEqual(check.returncode, 0, check.stdout)
        return recording, done.stderr

    def test_named_as_not_recorded(self):
        recording, said = self.record([PROGRAM])
        self.assertIn(NOTE, said)
        self.assertEqual(places.run(places.PATHLINE, "info", recording).stdout.count(NOTE), 1)
        rows = places.run(places.PATHLINE, "dump", recording, "--fields", "event,code").stdout.splitlines()
        self.assertNotIn("call\tinside", rows)
        self.assertIn("call\trun", rows)
        # there they share instrumented code with the main one
        if MINOR != (3, 12):
            self.assertFalse([r for r in rows if r.startswith("gap")])
        self.note("sub-interpreters", "refused", NOTE)

    def test_none(self):
        _, said = self.record(["-c", "import os, sys\nsys.stdout.flush()\nif not os.fork(): print('child')\nelse: os.wait()"])
        self.assertNotIn(NOTE, said)


if __name__ == "__main__":
    unittest.main()
