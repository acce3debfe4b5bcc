"""`ps` lists the Python processes, with what `attach` makes of each."""
import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
import test_attach  # noqa: E402

INTERPRETERS = "one"


def rows():
    done = subprocess.run([session.PATHLINE, "ps", "--json"], capture_output=True, text=True, timeout=60, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["data"]["pid"]: line["data"] for line in lines if line["type"] == "process"}


class Ps(test_attach.Case):
    def run_python(self, *before):
        words = [session.PYTHON, "-c", "import sys; print(flush=True); sys.stdin.read()", "one word", "another"]
        process = subprocess.Popen([*before, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.communicate)
        process.stdout.readline()
        return process

    def test_a_row(self):
        process = self.run_python()
        row = rows()[process.pid]
        release = subprocess.run([session.PYTHON, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"],
                                 capture_output=True, text=True, check=True).stdout.strip()
        self.assertEqual((row["uid"], row["python"], row["recorded"], row["directory"]), (os.getuid(), release, False, None))
        self.assertTrue(row["command"].endswith(" one word another"), row)
        self.assertLess(row["runs_ns"], 60e9)
        self.assertGreaterEqual(row["runs_ns"], 0)
        self.assertEqual(row["attachable"], test_attach.can_attach(), row)
        self.assertEqual(row["why_not"] is None, row["attachable"])

    def test_why_not(self):
        process = self.run_python()
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        row = rows()[process.pid]
        process.send_signal(signal.SIGCONT)
        self.assertFalse(row["attachable"])
        self.assertIn("is stopped" if os.uname().machine == "x86_64" else "x86-64 only", row["why_not"])

    def test_recorded(self):
        out = os.path.join(self.dir, "out")
        code = "import sys; print(flush=True); sys.stdin.read()"
        process = subprocess.Popen([session.PATHLINE, "record", "-q", "--values", "none", "-o", out, "--python", session.PYTHON,
                                    "--", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.communicate)
        process.stdout.readline()
        row, = (row for row in rows().values() if row["directory"] == os.path.realpath(out))
        self.assertEqual((row["recorded"], row["attachable"]), (True, False))

    @unittest.skipUnless(test_attach.can_attach(), "x86-64, and CPython 3.12 or later, not traced itself")
    def test_attached(self):
        program = self.start("sleeps")
        out, attach = self.begin(program)
        row = rows()[int(program.pid)]
        self.assertEqual((row["recorded"], row["directory"], row["attachable"]), (True, os.path.realpath(out), False))
        attach.send_signal(signal.SIGINT)
        self.assertEqual(attach.wait(60), 0)
        row = rows()[int(program.pid)]
        self.assertEqual((row["recorded"], row["directory"], row["attachable"]), (False, None, True))

    def test_text(self):
        process = self.run_python()
        done = subprocess.run([session.PATHLINE, "ps"], capture_output=True, text=True, timeout=60, check=True)
        head, *lines = done.stdout.splitlines()
        self.assertEqual(head.split(), ["PID", "USER", "PYTHON", "RUNS", "PATHLINE", "COMMAND"])
        line = next(line for line in lines if line.split()[0] == str(process.pid))
        self.assertIn("one word another", line)
        self.assertEqual(" attachable " in line, test_attach.can_attach())

    def test_it_takes_no_operand(self):
        done = subprocess.run([session.PATHLINE, "ps", "1"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_what_is_not_a_python(self):
        other = subprocess.Popen(["sleep", "60"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.assertNotIn(other.pid, rows())


if __name__ == "__main__":
    unittest.main()
