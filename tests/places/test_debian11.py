"""A chroot of Debian 11: glibc 2.31, older than what Pathline was built on. tools/make-debian11
makes it.

Its python3 is 3.9, which no recorder takes: it is refused by name and not harmed. A 3.13 that was
built in there (make-debian11 --python, which takes ten minutes and is not for CI) is recorded
exactly.
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places  # noqa: E402

INTERPRETERS = "one"
CHROOT = str(places.TOP / "tools/in-chroot")
STATIC = str(places.BUILD / "pathline-static")


@places.needs_root
class Debian11(places.Case):
    @classmethod
    def setUpClass(cls):
        made = subprocess.run([str(places.TOP / "tools/make-debian11")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if made.returncode:
            raise unittest.SkipTest("no chroot of Debian 11: " + made.stderr[-300:])
        cls.root = made.stdout.strip()

    def inside(self, *words):
        return places.run(
            "unshare", "--mount", "--propagation", "private", "sh", "-c",
            'set -e; root=$1 build=$2; shift 2; mkdir -p "$root$build"; mount --bind "$build" "$root$build"\n'
            'exec "$@"', "sh", self.root, str(places.BUILD), CHROOT, self.root, *words)

    def test_its_own_python_is_refused_by_name(self):
        code = "import subprocess, sys; print(sys.version_info[:2], subprocess.run(['sh', '-c', 'echo in; exit 3']).returncode)"
        bare = self.inside("/usr/bin/python3", "-c", code)
        done = self.inside(STATIC, "record", "-o", f"/tmp/pathline-debian11-{os.getpid()}", "--", "/usr/bin/python3", "-c", code)
        subprocess.run(["rm", "-rf", f"/tmp/pathline-debian11-{os.getpid()}"], check=False)
        self.assertEqual((bare.returncode, bare.stdout), (0, "in\n(3, 9) 3\n"), bare.stderr)
        self.assertEqual((done.returncode, done.stdout), (0, bare.stdout), done.stderr)
        self.assertEqual([line for line in done.stderr.splitlines() if not line.startswith("pathline: ")], [])
        how = re.search(r"nothing was recorded: (CPython 3\.9\.\d+ \(/usr/bin/python3\.9\): no recorder was built for 3\.9)", done.stderr)
        self.assertTrue(how, done.stderr)
        self.note("chroot of Debian 11 (glibc 2.31)", "refused", how[1], python=("3.9", "static", "x86_64"))

    def test_programs_are_not_harmed(self):
        """The preload is bound at once: a symbol that is not there would end each program at its
        start."""
        for program in (["true"], ["ls", "/"], ["bash", "-c", "echo $BASH_VERSION"], ["perl", "-e", "print 1"]):
            bare, done = self.inside(*program), self.inside("env", f"LD_PRELOAD={places.BUILD}/pathline-preload.so", *program)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (bare.returncode, bare.stdout, bare.stderr))

    def test_a_python_of_there_is_recorded(self):
        python = "/usr/local/bin/python3.13"
        if not os.path.exists(self.root + python):
            self.skipTest("there is no newer Python in it; make one: tools/make-debian11 --python")
        out = f"/tmp/pathline-debian11-{os.getpid()}"
        self.addCleanup(subprocess.run, ["rm", "-rf", out], check=False)
        bare = self.inside(python, places.VISIT)
        done = self.inside(STATIC, "record", "-o", out, "--python", python, "--", places.VISIT)
        self.assertEqual((done.returncode, done.stdout), (0, bare.stdout), done.stderr)
        self.assertIn("of 4 processes", done.stderr)
        self.assertEqual(places.info(out)["losses"], [])
        self.assertEqual(places.run(places.PATHLINE, "check", out).returncode, 0)

    def test_a_python_of_there_is_exact(self):
        python = "/usr/local/bin/python3.13"
        if not os.path.exists(self.root + python):
            self.skipTest("there is no newer Python in it; make one: tools/make-debian11 --python")
        version = tuple(self.inside(python, "-I", "-c", places.ASK).stdout.split())
        self.exact("chroot of Debian 11 (glibc 2.31)", python=f"chroot {self.root} {python}", noted=version,
                   options=("--pathline", STATIC), ask="same,two,identity")


if __name__ == "__main__":
    unittest.main()
