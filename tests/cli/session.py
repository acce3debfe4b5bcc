"""What the tests of commands share: pathline, the interpreter, a recording of a small program made
once."""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("PATHLINE_BUILD", "build"))
PATHLINE = os.path.join(BUILD, "pathline")


def _newest():
    """When run by hand."""
    tool = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "interpreters.py")
    row = subprocess.run([sys.executable, tool, "--first"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return row.split("\t")[1]


PYTHON = os.environ.get("PATHLINE_PYTHON") or _newest()

PROGRAM = '''\
import threading


def square(n):
    return n * n


def numbers():
    for n in (1, 2):
        yield square(n)


def fail():
    try:
        raise KeyError("k")
    except KeyError:
        pass


def work():
    sum(numbers())


thread = threading.Thread(target=work, name="worker")
thread.start()
thread.join()
fail()
print("done")
'''


def scratch():
    path = tempfile.mkdtemp(prefix="pathline-cli-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def pathline(*words, cwd=None, **more):
    """A finished `pathline words…`: .returncode, .stdout and .stderr as bytes."""
    environment = dict(os.environ, TZ="UTC", **more)
    return subprocess.run([PATHLINE, *words], cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)


def rows(*words, cwd=None):
    """The rows of a dump that must succeed, each a list of texts."""
    done = pathline("dump", *words, cwd=cwd)
    if done.returncode or done.stderr:
        raise AssertionError(f"dump {words}: {done.returncode} {done.stderr!r}")
    return [line.split("\t") for line in done.stdout.decode(errors="surrogateescape").splitlines()]


class Recorded:
    """A folder with PROGRAM as shop.py and its recording in .pathline."""

    def __init__(self, text=PROGRAM, name="shop.py", *options, arguments=()):
        self.folder = scratch()
        self.script = os.path.join(self.folder, name)
        with open(self.script, "w", encoding="utf-8") as f:
            f.write(text)
        self.done = pathline("record", *options, "--python", PYTHON, "--", name, *arguments, cwd=self.folder)
        if self.done.returncode:
            raise AssertionError(f"record: {self.done.returncode} {self.done.stderr!r}")
        self.directory = os.path.realpath(os.path.join(self.folder, ".pathline", "latest"))

    def rows(self, *words):
        return rows(*words, cwd=self.folder)

    def pathline(self, *words, **more):
        return pathline(*words, cwd=self.folder, **more)


_shop = None


def shop():
    """The recording that tests only read."""
    global _shop
    _shop = _shop or Recorded()
    return _shop
