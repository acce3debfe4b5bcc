"""Programs that are attached and left again and again, and programs that end, exec, stop or are
debugged meanwhile, are unharmed. bench/attach_cycles.py does so a thousand times."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cli"), os.path.join(HERE, "..", "..", "bench")]
import attach  # noqa: E402
import attach_cycles  # noqa: E402
import attach_programs  # noqa: E402
import session  # noqa: E402
import test_attach  # noqa: E402

INTERPRETERS = "two"
CYCLES = 4
BUILD = os.path.dirname(session.PATHLINE)
MINOR = subprocess.run([session.PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True,
                       check=True).stdout.strip()
SITE = dict(os.environ, PYTHONPATH=os.path.join(BUILD, "site", MINOR))


@unittest.skipUnless(test_attach.can_attach(), "x86-64, not traced itself")
class Cycles(unittest.TestCase):
    def cycle(self, name):
        with tempfile.TemporaryDirectory(prefix="attach-") as folder:
            program = attach_programs.start(session.PYTHON, name, folder, SITE)
            if program is None:
                # A chroot has no compiler for its library, or the interpreter has no greenlet.
                self.skipTest(f"the program {name}")
            self.addCleanup(program.wait)
            self.addCleanup(program.kill)
            cycles = attach.Cycles(BUILD, program, "10ms")
            cycles.run(1)
            first, last = cycles.run(CYCLES)
            said, well = attach.end(program)
        self.assertTrue(well, said)
        self.assertEqual((len(cycles.held_ms), cycles.refused), (CYCLES + 1, {}))
        first, last = [[was[key] for key in ("descriptors", "threads", "pages")] for was in (first, last)]
        self.assertEqual(first, last)

    def test_a_server(self):
        self.cycle("server")

    @unittest.skipIf(MINOR == "3.11", "on CPython 3.11 a program with greenlets is refused")
    def test_greenlets(self):
        self.cycle("greenlets")

    def test_an_extension_with_address_sanitizer(self):
        self.cycle("asan")

    def test_a_parent_of_children_by_vfork(self):
        self.cycle("vfork")


@unittest.skipUnless(test_attach.can_attach(), "x86-64, not traced itself")
class Cases(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory(prefix="attach-")
        self.addCleanup(room.cleanup)
        self.cases = attach_cycles.Cases(BUILD, session.PYTHON, room.name)

    def test_a_program_that_ends(self):
        for number in range(4):
            self.cases.ends(number)

    def test_a_program_that_execs(self):
        self.cases.execs(0)

    def test_what_is_refused(self):
        wanted = {"stopped": "is stopped", "debugged": "is traced by", "child by vfork": "in its parent's memory"}
        for name, (case, _) in self.cases.table().items():
            if name in wanted:
                with self.subTest(name):
                    if name == "child by vfork" and not shutil.which("cc"):
                        # vfork is called by a library that is built here; a chroot has no compiler.
                        self.skipTest("needs a C compiler")
                    self.assertIn(wanted[name], case(0))


if __name__ == "__main__":
    unittest.main()
