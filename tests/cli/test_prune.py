"""`pathline prune` removes the oldest recordings of a folder, by age and by size, and nothing else.
"""
import os
import re
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from session import PATHLINE, PYTHON, pathline, scratch  # noqa: E402

INTERPRETERS = "one"
QUICK = True
DAY = 24 * 3600
NAMES = ["261101-101112-orders", "261102-101112-orders", "261103-101112-shop", "261104-101112-orders"]


def record(home, name):
    words = ["record", "-q", "--values", "none", "--python", PYTHON, "-o", os.path.join(home, name), "--", "-c", "pass"]
    subprocess.run([PATHLINE, *words], check=True, timeout=60)


def size(directory):
    return sum(os.stat(os.path.join(directory, name)).st_blocks * 512 for name in os.listdir(directory))


class Prune(unittest.TestCase):
    """Four recordings that were written 40, 30, 20 and 10 days ago; the last one is `latest`."""

    def setUp(self):
        self.folder = scratch()
        self.home = os.path.join(self.folder, ".pathline")
        for i, name in enumerate(NAMES):
            record(self.home, name)
            self.age(name, 40 - 10 * i)
        os.symlink(NAMES[-1], os.path.join(self.home, "latest"))

    def age(self, name, days):
        then = time.time() - days * DAY
        for file in os.listdir(os.path.join(self.home, name)):
            os.utime(os.path.join(self.home, name, file), (then, then))

    def left(self):
        return sorted(name for name in os.listdir(self.home) if name != "latest")

    def prune(self, *words, code=0, said=""):
        done = pathline("prune", *words, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr.decode(), said or r"\A\Z")
        return done.stdout.decode()

    def test_by_age(self):
        shown = self.prune("--keep", "25d")
        self.assertEqual(self.left(), NAMES[2:])
        self.assertRegex(shown, rf"\Aremoved {NAMES[0]} \([\d.]+ KiB, last written 960 h 0 min ago\)\n"
                                rf"removed {NAMES[1]} .*\n\.pathline: 2 recordings stay, [\d.]+ KiB\n\Z")

    def test_by_size(self):
        limit = sum(size(os.path.join(self.home, name)) for name in NAMES[1:])
        self.prune("--limit", str(limit))
        self.assertEqual(self.left(), NAMES[1:])
        self.prune("--limit", str(limit - 1), "-q")
        self.assertEqual(self.left(), NAMES[2:])

    def test_dry_run_of_another_folder(self):
        for word in (self.folder, self.home):
            done = pathline("prune", "--keep", "5d", "--dry-run", word, cwd="/")
            self.assertEqual(len(re.findall(r"(?m)^would remove 2611", done.stdout.decode())), 4)
        self.assertEqual(self.left(), NAMES)

    def test_latest_is_the_one_before_or_none(self):
        self.age(NAMES[2], 1)
        self.prune("--keep", "5d")
        self.assertEqual(self.left(), [NAMES[2]])
        self.assertEqual(os.readlink(os.path.join(self.home, "latest")), NAMES[2])
        self.prune("--limit", "1")
        self.assertEqual(os.listdir(self.home), [])

    def test_what_is_no_recording_stays(self):
        os.mkdir(os.path.join(self.home, "old"))
        with open(os.path.join(self.home, NAMES[0], "notes.txt"), "w", encoding="utf-8") as f:
            f.write("mine")
        self.age(NAMES[0], 40)
        self.prune("--keep", "1h", "--limit", "1")
        self.assertEqual(self.left(), [NAMES[0], "old"])

    def test_one_that_is_written_stays(self):
        words = ["record", "-q", "--python", PYTHON, "-o", os.path.join(self.home, "now"), "--", "-c", "print(1, flush=True); input()"]
        with subprocess.Popen([PATHLINE, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            running.stdout.readline()
            self.age("now", 50)
            self.prune("--keep", "1d", "--limit", "1", said="still takes .*, more than --limit: the rest is being written or cannot")
            self.assertEqual(self.left(), ["now"])
            running.communicate(b"\n", timeout=60)
        self.prune("--limit", "1")
        self.assertEqual(self.left(), [])

    def test_one_that_cannot_be_read_stays_for_a_day(self):
        for name in NAMES[:2]:
            with open(os.path.join(self.home, name, "meta"), "wb") as f:
                f.write(b"no recording")
        self.age(NAMES[0], 2)
        self.prune("--limit", "1", said="still takes")
        self.assertEqual(self.left(), [NAMES[1]])

    def test_what_is_not_understood(self):
        self.prune(code=2, said="say what may stay: --limit SIZE, --keep AGE, or both")
        self.prune("--keep", "old", code=2, said="'old' is not a time; write 12h, 30d or 8w")
        self.prune("--limit", "0", code=2, said="'0' is not a size")
        self.prune("--limit", "1", "nowhere", code=2, said="nowhere cannot be listed: No such file")
        self.prune("--limit", "1", os.path.join(self.home, NAMES[0]), code=2, said="is itself a recording; pathline rm ")
        self.assertEqual(self.left(), NAMES)


if __name__ == "__main__":
    unittest.main()
