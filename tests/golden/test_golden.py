"""Recordings of earlier versions stay readable: each gives, for ever, the rows that it gave when it was made."""
import os
import pathlib
import subprocess
import unittest

INTERPRETERS = "none"
QUICK = True
HERE = pathlib.Path(__file__).resolve().parent
PATHLINE = pathlib.Path(os.environ.get("PATHLINE_BUILD", "build")).resolve() / "pathline"
# In the order in which they came to be; a golden has those of its time.
FIELDS = "pid,tid,seq,event,file,first,code,line,depth,time,task,type,generator,caller,greenlet".split(",")


class Golden(unittest.TestCase):
    def test_rows_are_what_they_were(self):
        found = sorted(HERE.glob("*/rows.tsv"))
        self.assertTrue(found)
        for rows in found:
            with self.subTest(recording=rows.parent.name):
                expected = rows.read_bytes().splitlines()
                fields = FIELDS[:expected[0].count(b"\t") + 1]
                done = subprocess.run([PATHLINE, "dump", rows.parent, "--fields", ",".join(fields)], capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertEqual(done.stdout.splitlines(), expected)

    def test_they_are_sound(self):
        for rows in sorted(HERE.glob("*/rows.tsv")):
            done = subprocess.run([PATHLINE, "check", rows.parent], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
