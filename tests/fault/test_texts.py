"""What only the program could tell (a text of `-c`, of linecache, where its library lies) outlives
the collector.

Each program describes so much that the collector gives the first messages' memory back, then the
collector is killed, and only then does code run whose text was told before: whoever finishes the
recording has it from the recording alone.
"""
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

# Room for messages comes in pieces of 32 KiB; each of these codes takes hundreds of bytes.
TELL = """\
import linecache, os, sys

TOLD = "def early():\\n    return 'early'\\n\\ndef late():\\n    return 'late'\\n"
linecache.cache["<told>"] = (len(TOLD), None, TOLD.splitlines(True), "<told>")
space = {}
exec(compile(TOLD, "<told>", "exec"), space)
space["early"]()
for i in range(400):
    exec(compile(f"def bulk_{i}(x):\\n    y = x\\n    return y\\nbulk_{i}({i})\\n", f"<bulk {i}>", "exec"), {})

def described():
    pass

described()
"""
LATE = """\
sys.stdin.readline()
space["late"]()
os.get_exec_path({"PATH": "/"})
open(sys.argv[1], "w").close()
sys.stdin.readline()
"""
FORKED = """\
first = os.fork()
if first:
    os.waitpid(first, 0)
    sys.exit()
second = os.fork()
if second:
    os.waitpid(second, 0)
    sys.exit()
"""


class Texts(recorded.Case):
    def start(self, *what):
        """A recorded program that waits on its stdin; its collector has brought all that came
        before to disk."""
        self.dir = os.path.join(self.top.name, "recording")
        self.flag = pathlib.Path(self.top.name) / "flag"
        self.record = subprocess.Popen(
            [recorded.PATHLINE, "record", "-q", "-o", self.dir, "--python", recorded.PYTHON, *what, str(self.flag)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.top.name)
        self.addCleanup(self.stop)
        recorded.wait_for(lambda: os.path.exists(self.dir + "/events.000001") and
                          "described" in recorded.run(recorded.PATHLINE, "dump", "--fields", "code", self.dir).stdout,
                          "the events before")
        self.collector = recorded.children(self.record.pid)["pathline-drain"]

    def stop(self):
        recorded.kill(*recorded.children(self.record.pid).values(), self.record.pid)
        if self.record.returncode is None:
            self.record.communicate()

    def kill_collector(self):
        os.kill(self.collector, signal.SIGKILL)
        recorded.wait_for(lambda: not recorded.is_alive(self.collector), "the collector's end")

    def go_on(self):
        self.record.stdin.write("\n")
        self.record.stdin.flush()
        recorded.wait_for(self.flag.exists, "the program's last word")

    def kill_program(self):
        for name, pid in recorded.children(self.record.pid).items():
            if not name.startswith("pathline"):
                os.kill(pid, signal.SIGKILL)
        self.record.communicate(timeout=recorded.DEADLINE_S)
        self.assertEqual(self.record.returncode, -signal.SIGKILL)

    def texts(self, code):
        """What `dump` shows of the lines of a code."""
        done = recorded.run(recorded.PATHLINE, "dump", "--json", "--events", "line", self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [recorded.json.loads(line)["data"] for line in done.stdout.splitlines()]
        return [row.get("source") for row in rows if row.get("code") == code]

    def assert_told(self):
        self.assert_sound(self.dir)
        self.assertEqual(self.texts("early"), ["    return 'early'"])
        self.assertEqual(self.texts("late"), ["    return 'late'"])
        library = self.texts("get_exec_path")
        self.assertTrue(library)
        self.assertTrue(all(library), library)

    def test_command(self):
        self.start("-c", TELL + LATE)
        self.kill_collector()
        self.go_on()
        self.kill_program()
        self.assert_told()
        module = self.texts("<module>")
        self.assertIn("def described():", module)
        self.assertIn('os.get_exec_path({"PATH": "/"})', module)

    def test_script_by_relative_name(self):
        pathlib.Path(self.top.name, "told.py").write_text(TELL + LATE)
        self.start("told.py")
        self.kill_collector()
        self.go_on()
        self.kill_program()
        self.assert_told()
        self.assertIn("described()", self.texts("<module>"))

    def test_both_at_once(self):
        self.start("-c", TELL + LATE)
        recorded.kill(*recorded.children(self.record.pid).values())
        self.record.communicate()
        self.assert_sound(self.dir)
        self.assertEqual(self.texts("early"), ["    return 'early'"])
        self.assertIn("described()", self.texts("<module>"))

    def test_grandchild(self):
        """A process has the texts of all that it was forked from, also with a collector."""
        path = pathlib.Path(self.top.name) / "grandchild.py"
        path.write_text(TELL + FORKED + "space['late']()\n")
        self.dir = os.path.join(self.top.name, "recording")
        done = recorded.run(recorded.PATHLINE, "record", "-q", "-o", self.dir, "--python", recorded.PYTHON, str(path))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.texts("late"), ["    return 'late'"])

    def test_grandchild_without_collector(self):
        self.start("-c", TELL + "sys.stdin.readline()\n" + FORKED +
                   "space['late']()\nos.get_exec_path({'PATH': '/'})\nopen(sys.argv[1], 'w').close()\n")
        self.kill_collector()
        self.go_on()
        self.record.communicate(timeout=recorded.DEADLINE_S)
        self.assertEqual(self.record.returncode, 0)
        self.assert_told()


if __name__ == "__main__":
    unittest.main()
