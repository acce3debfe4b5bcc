"""What the tests of places share: the exact harness run in a place, and what came of it, for
doc/PLACES.md.

What each question found is noted: tests/places/table.py says what comes of it.
"""
import functools
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import time
import unittest

import table

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("PATHLINE_BUILD", TOP / "build")).resolve()
PATHLINE = str(BUILD / "pathline")
PYTHON = os.environ.get("PATHLINE_PYTHON", sys.executable)
VISIT = str(HERE / "visit.py")
ROOT = os.geteuid() == 0
TIMEOUT_S = 300

ASK = """
import platform
print(platform.python_version(), 'shared' if '/libpython3' in open('/proc/self/maps').read() else 'static', platform.machine(), sep='\\n')
"""

needs_root = unittest.skipUnless(ROOT, "needs root")


@functools.cache
def about(python):
    """(version, build, machine)"""
    out = subprocess.run([*shlex.split(python), "-I", "-c", ASK], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=True).stdout
    return out.split()


def run(*words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          timeout=TIMEOUT_S, check=False, **options)


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited 60 s for " + what)
        time.sleep(0.01)


def info(recording, none=None):
    """What `info --json` says; `none`: what to give where there is no recording yet."""
    for line in run(PATHLINE, "info", "--json", recording).stdout.splitlines():
        row = json.loads(line)
        if row["type"] == "info":
            return row["data"]
    if none is None:
        raise AssertionError("no info of " + recording)
    return none


def can(*words):
    """May such a command be used here?"""
    try:
        return run(*words).returncode == 0
    except OSError:
        return False


class Case(unittest.TestCase):
    """A test file names its table's rows by `places.note`."""
    maxDiff = None

    def note(self, place, result, how="", python=None):
        """`python`: (version, build, machine) where it is not PYTHON."""
        version, build, machine = python or about(PYTHON)
        test = self.id().removeprefix("tests.")
        table.note(BUILD, {"place": place, "python": version, "build": build, "machine": machine, "result": result, "how": how, "test": test})

    def exact(self, place, wrap=(), python=PYTHON, ask="same,two,identity", variables=(), programs=(VISIT,), options=(), noted=None):
        """The exact harness in that place: all must be good."""
        command = [*wrap, sys.executable, str(TOP / "tests/exact/exact.py"), "--build", str(BUILD),
                   "--python", python, "--ask", ask, *[w for text in variables for w in ("--env", text)], *options, *programs]
        done = run(*command)
        good = re.findall(r"^(\d+) good, (\d+) failed", done.stdout, re.M)
        if not good or int(good[-1][0]) == 0 or int(good[-1][1]) or done.returncode:
            self.fail(f"{shlex.join(command)}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}")
        self.note(place, "exact" if "same" in ask or "two" in ask else "same", python=noted)
        return done
