"""Greenlets that wait when a program is attached: what they do next is recorded, and it is
unharmed, also where an exception is the first that happens in a frame."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
import test_attach  # noqa: E402

MINOR = subprocess.run([session.PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True,
                       check=True).stdout.strip()
SITE = dict(os.environ, PYTHONPATH=os.path.join(os.path.dirname(session.PATHLINE), "site", MINOR))
PROGRAM = """\
import sys, greenlet

def wait():
    return greenlet.getcurrent().parent.switch()

def goes_on():
    got = wait()
    for _ in range(2):
        got += 1
    return got

def handles():
    try:
        wait()
    except ValueError:
        pass
    return 3

def fails():
    wait()

def others(made):
    made.switch()
    greenlet.getcurrent().parent.switch()
    made.switch(20)

def ask(*what):
    print(*what, flush=True)
    sys.stdin.readline()

made = [greenlet.greenlet(function) for function in (goes_on, handles, fails)]
for each in made:
    each.switch()
outer = greenlet.greenlet(others)
outer.switch(greenlet.greenlet(goes_on, outer))
ask("waiting")
said = [made[0].switch(10), made[1].throw(ValueError)]
try:
    made[2].throw(KeyError)
except KeyError:
    said.append("key")
outer.switch()
ask(said)
print("end", flush=True)
"""
# The rest of each, from where it waits.
GOES_ON = [8, 9, 8, 9, 8, 10]
HANDLES = [15, 16, 17]


@unittest.skipIf(MINOR == "3.11", "on CPython 3.11 a program with greenlets is refused")
@unittest.skipUnless(test_attach.can_attach(), "x86-64, not traced itself")
class Waiting(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory(prefix="attach-")
        self.addCleanup(room.cleanup)
        self.folder = os.path.join(room.name, "r")
        path = os.path.join(room.name, "program.py")
        with open(path, "w", encoding="ascii") as out:
            out.write(PROGRAM)
        if subprocess.run([session.PYTHON, "-c", "import greenlet"], env=SITE, capture_output=True, check=False).returncode:
            # What tools/python-packages brings has no build of it for each release.
            self.skipTest("no greenlet for this interpreter")
        self.program = subprocess.Popen([session.PYTHON, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=SITE)
        self.addCleanup(self.program.communicate)
        self.addCleanup(self.program.kill)

    def says(self, wanted):
        self.assertEqual(self.program.stdout.readline().strip(), wanted)

    def go_on(self):
        self.program.stdin.write("\n")
        self.program.stdin.flush()

    def lines_of(self, name):
        return [int(line) for code, line in session.rows("-f", "code,line", "-e", "line", self.folder) if code == name]

    def test_what_they_do_next(self):
        self.says("waiting")
        attach = subprocess.Popen([session.PATHLINE, "attach", "--values", "none", "-o", self.folder, str(self.program.pid)],
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(attach.communicate)
        self.addCleanup(attach.kill)
        self.assertIn("attached", attach.stderr.readline())
        self.go_on()
        self.says("[12, 3, 'key']")
        session.pathline("detach", str(self.program.pid))
        attach.wait()
        self.assertEqual(self.lines_of("goes_on"), GOES_ON + GOES_ON)
        self.assertEqual(self.lines_of("handles"), HANDLES)
        self.go_on()
        self.says("end")
        self.assertEqual(self.program.wait(), 0)


if __name__ == "__main__":
    unittest.main()
