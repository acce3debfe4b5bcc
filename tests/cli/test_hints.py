"""A command in a message can be typed as it is: it names the recording as it was named."""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from session import PYTHON, pathline, scratch  # noqa: E402

INTERPRETERS = "one"

KILLED = '''\
import os
import time


def start_response(status, headers):
    pass


def application(environ, start_response):
    start_response("200 OK", [])
    return []


application({"REQUEST_METHOD": "GET", "PATH_INFO": "/a"}, start_response)
total = 2
time.sleep(0.2)
os.kill(os.getpid(), 9)
'''
# The words of a command, what it says before the name of the recording, and after it.
HINTS = [
    (["why"], "`pathline replay --process 1 --end", "` shows what ran last"),
    (["why", "--at", "#0"], "`pathline report --exceptions", "` lists"),
    (["why", "-n", "9"], "`pathline report --exceptions -n 0", "` has 0 rows"),
    (["report", "--requests"], "pathline replay --request N", " goes to one, "),
    (["report", "--requests"], "pathline calls --request N", " has its calls"),
    (["report", "--function", "nosuch"], "`pathline report --functions -n 0", "` lists"),
    (["report", "--file", "nosuch.py"], "`pathline report -n 0", "` lists"),
    (["dump", "--task", "nosuch"], "`pathline report --tasks", "` lists"),
    (["report", "--thread", "nosuch"], "`pathline info", "` lists"),
    (["report", "--exceptions", "--filter", "duration > 1ms"], "and ...\"", "`"),
    (["report", "--filter", "duration > 1ms"], "`pathline calls --filter EXPR", "` shows"),
    (["calls"], "pathline replay -p 1 -t 0 --at '#N'", "\n"),
    (["calls", "--function", "nosuch"], "`pathline report --functions -n 0", "` lists"),
    (["calls", "--request", "x"], "`pathline report --requests", "` lists"),
    (["calls", "--request", "9"], "`pathline report --requests", "` lists"),
    (["history", "x", "--function", "nosuch"], "`pathline report --functions", "` lists"),
    (["dump", "--filter", "total == 2"], "`pathline history total", "` has the values"),
    (["history", "x", "--at", "shop.py:99"], "`pathline report --file FILE", "` shows"),
]


class Hints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = scratch()
        with open(os.path.join(cls.folder, "shop.py"), "w", encoding="utf-8") as f:
            f.write(KILLED)
        pathline("record", "--values", "lines", "--python", PYTHON, "--", "shop.py", cwd=cls.folder)
        latest = os.path.realpath(os.path.join(cls.folder, ".pathline", "latest"))
        shutil.copytree(latest, os.path.join(cls.folder, "its copy"))

    def check(self, told, *name):
        for words, before, after in HINTS:
            with self.subTest(words=words):
                done = pathline(*words, *name, cwd=self.folder)
                self.assertIn(before + told + after, (done.stdout + done.stderr).decode())

    def test_named(self):
        self.check(" './its copy'", "./its copy")

    def test_the_latest(self):
        self.check("")


if __name__ == "__main__":
    unittest.main()
