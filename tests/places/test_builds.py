"""Builds that are refused, the real ones: a debug build, PyPy, a free-threaded build.
tests/cli/test_refused has them all by fakes.

The first two are Debian's, unpacked by tools/unpack-builds (in CI this does it, 66 MB); the last is
in no package, and there once tools/make-free-threaded has built it, which takes minutes and is not
for CI.
"""
import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places  # noqa: E402

INTERPRETERS = "one"
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "pathline-places")
CODE = ("import subprocess, sys, threading\nthread = threading.Thread(target=print, args=('thread',))\nthread.start()\nthread.join()\n"
        "print(subprocess.run([sys.executable, '-c', 'print(1); raise SystemExit(4)']).returncode, flush=True)\nsys.exit(3)")


class Builds(places.Case):
    @classmethod
    def setUpClass(cls):
        cls.unpacked = os.path.join(CACHE, "builds")
        if not os.path.isdir(cls.unpacked) and os.environ.get("PATHLINE_SUITE") in ("ci", "exact"):
            subprocess.run([str(places.TOP / "tools/unpack-builds")], stdout=subprocess.DEVNULL, check=False)

    def find(self, pattern, tool):
        found = glob.glob(os.path.join(CACHE, pattern))
        if not found:
            self.skipTest(f"there is none; tools/{tool}")
        return found[0]

    def refused(self, python, build, why, **environment):
        """The program and the interpreter that it starts do as always, and both are named: the
        first, and how many more."""
        folder = tempfile.mkdtemp(prefix="places-", dir=os.environ.get("TMPDIR", "/var/tmp"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        out, env = os.path.join(folder, "r"), {**os.environ, **environment}
        bare = places.run(python, "-u", "-c", CODE, env=env)
        done = places.run(places.PATHLINE, "record", "-o", out, "--", python, "-u", "-c", CODE, env=env)
        self.assertEqual((bare.returncode, bare.stdout, bare.stderr), (3, "thread\n1\n4\n", ""))
        self.assertEqual((done.returncode, done.stdout), (bare.returncode, bare.stdout), done.stderr)
        self.assertEqual([line for line in done.stderr.splitlines() if not line.startswith("pathline: ")], [])
        told = re.search(r"^pathline: nothing was recorded: (.*)$", done.stderr, re.M)
        self.assertTrue(told, done.stderr)
        self.assertRegex(told[1], rf" \({re.escape(os.path.realpath(python))}\): {why}; and 1 more$")
        self.assertEqual([(loss["reason"], loss["text"]) for loss in places.info(out)["losses"]], [("refused", told[1])])
        self.assertEqual(places.run(places.PATHLINE, "check", out).returncode, 0)
        version = places.run(python, "-c", "import platform; print(platform.python_version())", env=env).stdout.strip()
        self.note("anywhere", "refused", why, python=(version, build, platform.machine()))
        return told[1]

    def test_debug_build(self):
        said = self.refused(self.find("builds/usr/bin/python3.*-dbg", "unpack-builds"), "debug build", "debug builds are not recorded")
        self.assertRegex(said, r"^CPython 3\.\d+\.\d+ ")

    def test_pypy(self):
        library = os.path.dirname(self.find("builds/usr/lib/*/libpypy3*.so", "unpack-builds"))
        said = self.refused(self.find("builds/usr/bin/pypy3", "unpack-builds"), "PyPy", "only CPython is recorded", LD_LIBRARY_PATH=library)
        self.assertRegex(said, r"^PyPy \(")

    def test_free_threaded_build(self):
        python = self.find("free-threaded/bin/python3.*t", "make-free-threaded")
        said = self.refused(python, "free-threaded build", "free-threaded builds are not recorded")
        self.assertRegex(said, r"^CPython 3\.\d+\.\d+ ")


if __name__ == "__main__":
    unittest.main()
