"""Values of the standard library's types: what is recorded of them is what their repr says, also of
those that are only half made."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from test_events import unescaped  # noqa: E402 pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ.get("PATHLINE_BUILD", HERE.parents[1] / "build"))
PYTHON = os.environ.get("PATHLINE_PYTHON", "python3")
LIMITS = "depth=3,items=10,attributes=20,chars=500,bytes=2000,event=4K"


class Library(unittest.TestCase):
    def recorded(self, work):
        """(what was expected, what the recording has), in order."""
        recording, told, program = work + "/recording", work + "/told", str(HERE / "values/library.py")
        subprocess.run([BUILD / "pathline", "record", "-q", "-o", recording, "--values=calls", "--values-of=" + program, "--values-limit=" + LIMITS, "--no-redact",
                        "--", PYTHON, program, told], check=True)
        rows = subprocess.run([BUILD / "pathline", "dump", "--fields=code,args", "--events=call", recording], check=True, stdout=subprocess.PIPE).stdout
        calls = [unescaped(row[len("shown\t"):]) for row in rows.decode().split("\n") if row.startswith("shown\t")]
        with open(told, encoding="utf-8") as f:
            return json.load(f), calls

    def test_texts_are_those_of_repr(self):
        with tempfile.TemporaryDirectory() as work:
            expected, calls = self.recorded(work)
        self.assertEqual(len(expected), len(calls))
        wrong = [(a, b) for a, b in zip(expected, calls) if a is not None and "value=" + a != b]
        self.assertEqual([], wrong)


if __name__ == "__main__":
    unittest.main()
