"""Interpreters that cannot be recorded are named, with the reason, by `record` and `info`, and
their programs are unharmed."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

HELPERS = os.path.join(session.BUILD, "tests", "cli", "preload")
FAKE = os.path.join(HELPERS, "preload-fake")
PROGRAM = "import sys; print('ran'); sys.exit(3)"


class Case(unittest.TestCase):
    pathline = session.PATHLINE

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="refused-")
        self.addCleanup(shutil.rmtree, self.dir)

    def record(self, *words, **environment):
        """What the program and Pathline say, and the recording's losses as info has them."""
        recording = os.path.join(self.dir, f"r{len(os.listdir(self.dir))}")
        done = subprocess.run([self.pathline, "record", "-o", recording, "--", *words], capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=60)
        info = subprocess.run([session.PATHLINE, "info", "--json", recording], capture_output=True, text=True, timeout=60)
        self.assertEqual(info.returncode, 0, info.stderr)
        return done, json.loads(info.stdout)["data"]["losses"]

    def refused(self, *words, **environment):
        """The reason that is told, the same in both places; the program is as always."""
        done, losses = self.record(*words, **environment)
        self.assertEqual((done.returncode, done.stdout), (3, "ran\n"))
        told = re.findall(r"^pathline: nothing was recorded: (.*)$", done.stderr, re.M)
        self.assertEqual([told], [[loss["text"] for loss in losses]], done.stderr)
        self.assertEqual([loss["reason"] for loss in losses], ["refused"])
        return told[0]


class Builds(Case):
    def test_each_is_named(self):
        for end, version, why in (
            ("", "3.13.0 experimental free-threading build (main, Oct  7 2024)", "free-threaded builds are not recorded"),
            ("", "3.14.0 free-threading build (main, Oct  7 2025)", "free-threaded builds are not recorded"),
            ("-debug", "3.13.5 (main, Oct  7 2025)", "debug builds are not recorded"),
            ("", "3.15.0rc2 (main, Sep  1 2026)", "pre-releases are not recorded"),
            ("", "3.16.0a1+ (heads/main:0123456, Nov  1 2026)", "pre-releases are not recorded"),
            ("", "3.16.0 (main, Oct  4 2027)", "no recorder was built for 3.16"),
            ("", "3.9.2 (default, Feb 28 2021)", "no recorder was built for 3.9"),
            ("", "4.0.0 (main, Jan  1 2030)", "no recorder was built for 4.0"),
        ):
            with self.subTest(version):
                said = self.refused(FAKE + end, version)
                self.assertEqual(said, f"CPython {version.split()[0]} ({FAKE + end}): {why}")

    def test_pypy(self):
        self.assertEqual(self.refused(FAKE + "-pypy"), f"PyPy ({FAKE}-pypy): only CPython is recorded")

    def test_several_and_nothing_else(self):
        said = self.refused("sh", "-c", f"'{FAKE}' '3.16.0 (main)' >&2; '{FAKE}' '3.9.2 (main)'")
        self.assertEqual(said, f"CPython 3.16.0 ({FAKE}): no recorder was built for 3.16; and 1 more")

    def test_one_beside_those_that_are_recorded(self):
        code = f"import subprocess\nfor n in (1, 2, 3): subprocess.run([{FAKE!r}, '3.16.0 (main)'])"
        done, losses = self.record(session.PYTHON, "-c", code)
        why = f"CPython 3.16.0 ({FAKE}): no recorder was built for 3.16; and 2 more"
        self.assertEqual(done.stdout, "ran\n" * 3)
        self.assertIn(f"pathline: not recorded: {why}\n", done.stderr)
        self.assertEqual([(loss["reason"], loss["text"]) for loss in losses], [("refused", why)])
        self.assertNotIn("lost:", done.stderr)


class Layout(Case):
    """A recorder that takes one field to lie elsewhere than it does, each in its turn."""

    def setUp(self):
        super().setUp()
        self.pathline = os.path.join(self.dir, "bin", "pathline")
        os.mkdir(os.path.dirname(self.pathline))
        for file in (session.PATHLINE, os.path.join(session.BUILD, "pathline-preload.so"),
                     *glob.glob(os.path.join(HELPERS, "pathline-recorder-*.so"))):
            shutil.copy(file, os.path.dirname(self.pathline))

    def test_each_field(self):
        reasons, row = [], 0
        while True:
            done, losses = self.record(session.PYTHON, "-c", PROGRAM, LAYOUT_FORGED=str(row))
            self.assertEqual((done.returncode, done.stdout), (3, "ran\n"))
            if not losses:
                break
            reasons.append(losses[0]["text"])
            self.assertIn(f"pathline: nothing was recorded: {reasons[-1]}\n", done.stderr)
            row += 1
        self.assertIn(" 1 process", done.stderr)
        fields = [re.search(r"\): its (.*) is (\d+), but (\d+) in the headers of 3\.\d+\.\d+, for which", text) for text in reasons]
        self.assertTrue(all(fields), reasons)
        self.assertEqual(len({field[1] for field in fields}), row)
        asks_itself = subprocess.run([session.PYTHON, "-c", "import sys; sys.exit(sys.version_info >= (3, 13))"]).returncode
        self.assertGreater(row, 24 if asks_itself else 4)


if __name__ == "__main__":
    unittest.main()
