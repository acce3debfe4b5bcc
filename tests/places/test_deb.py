"""`make deb`: what is in the package, and that it runs where it is unpacked. lintian has accepted it
when make-deb prints its name, where there is one."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places  # noqa: E402

INTERPRETERS = "one"
MAINTAINER = {"DEBFULLNAME": "A Maintainer", "DEBEMAIL": "maintainer@example.org"}
# Of each kind of file one, without the folder of the machine's architecture.
FILES = (
    "./usr/bin/pathline",
    "./usr/share/man/man1/pathline-record.1.gz",
    "./usr/share/bash-completion/completions/pathline",
    "./usr/share/zsh/vendor-completions/_pathline",
    "./usr/lib/python3/dist-packages/pathline/__init__.py",
    "./usr/share/doc/pathline/copyright",
    "./usr/share/doc/pathline/changelog.gz",
)


def is_now():
    """The product is compiled again: CI does that with each sixth commit, not with those in which
    test_wheel does, and a test by hand always."""
    level, rotation = os.environ.get("PATHLINE_SUITE"), int(os.environ.get("PATHLINE_ROTATION", "0"))
    return level not in ("quick", "test") and (level != "ci" or rotation % 6 == 1)


@unittest.skipUnless(is_now(), "not now: with each sixth commit in CI")
@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"), "this machine makes no Debian packages")
class Deb(places.Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="pathline-deb-", dir="/tmp")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        build = str(places.BUILD / "build-deb")
        done = subprocess.run([str(places.TOP / "tools/make-deb"), cls.folder, build], env={**os.environ, **MAINTAINER},
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"make-deb: {done.stdout}{done.stderr}")
        cls.package = done.stdout.strip()

    def deb(self, *words):
        done = subprocess.run(["dpkg-deb", *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_what_is_in_it(self):
        rows = [line.split() for line in self.deb("--contents", self.package).splitlines()]
        names = {row[5]: row for row in rows}
        for name in FILES:
            self.assertIn(name, names)
        libraries = {os.path.basename(name): row for name, row in names.items() if name.endswith(".so")}
        self.assertIn("pathline-preload.so", libraries)
        built = {name for name in os.listdir(places.BUILD) if name.startswith("pathline-recorder-") and name.endswith(".so")}
        self.assertIn("pathline-native.so", libraries)
        self.assertEqual({name for name in libraries if "recorder" in name}, built)
        for name, row in names.items():
            self.assertEqual(row[1], "root/root", name)
            self.assertNotIn("w", row[0][4:], name)
        for row in libraries.values():
            self.assertNotIn("x", row[0])

    def test_what_it_says_of_itself(self):
        fields = dict(line.split(": ", 1) for line in self.deb("--field", self.package).splitlines() if not line.startswith(" "))
        self.assertEqual((fields["Package"], fields["Maintainer"]), ("pathline", "A Maintainer <maintainer@example.org>"))
        for library in "libc6", "libzstd1", "libsqlite3-0":
            self.assertIn(library, fields["Depends"])

    def test_it_runs_where_it_is_unpacked(self):
        root = os.path.join(self.folder, "root")
        self.deb("--extract", self.package, root)
        out = os.path.join(self.folder, "recording")
        command = os.path.join(root, "usr/bin/pathline")
        done = places.run(command, "record", "-q", "-o", out, "--python", places.PYTHON, "-c", "def f(x):\n    return x + 1\nf(41)\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = places.run(command, "calls", "--json", out)
        rows = [json.loads(line)["data"] for line in calls.stdout.splitlines()]
        self.assertIn("f", [row.get("code") for row in rows], calls.stdout)


if __name__ == "__main__":
    unittest.main()
