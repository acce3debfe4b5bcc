"""A code object that dies in a forked child lives on in its parent, and the recording must not
forget it."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

COUNT = 5000    # more than the collector gathers before it forgets
PROGRAM = """\
import gc, os, sys

made = []
for i in range(%d):
    space = {}
    exec(compile("def f():\\n    return 1\\n", f"<made {i}>", "exec"), space)
    made.append(space["f"])

def call_all():
    for f in made:
        f()

def child(*free):
    pid = os.fork()
    if not pid:
        made[0]()
        if free:
            made.clear()
            space.clear()
            gc.collect()
        os._exit(0)
    os.waitpid(pid, 0)

call_all()
child("all")
sys.stdin.readline()
child()
sys.stdin.readline()
call_all()
""" % COUNT


class Codes(recorded.Case):
    def wait_for_children(self, count):
        def ended():
            done = recorded.run(recorded.PATHLINE, "info", "--json", self.dir)
            told = recorded.json.loads(done.stdout)["data"]["processes"] if done.returncode == 0 else ()
            return len(told) == 1 + count and all(p["ended"] == "exited" for p in told[1:])
        recorded.wait_for(ended, f"the ends of {count} children")

    def test_freed_by_a_child(self):
        path = pathlib.Path(self.top.name) / "program.py"
        path.write_text(PROGRAM)
        self.dir = os.path.join(self.top.name, "recording")
        record = subprocess.Popen([recorded.PATHLINE, "record", "-q", "-o", self.dir, "--python", recorded.PYTHON, str(path)],
                                  stdin=subprocess.PIPE, text=True)
        self.addCleanup(record.kill)
        # the end of a second child shows that the collector has had time for what the first one
        # told
        for count in (1, 2):
            self.wait_for_children(count)
            record.stdin.write("\n")
            record.stdin.flush()
        record.communicate(timeout=recorded.DEADLINE_S)
        self.assertEqual(record.returncode, 0)
        self.assert_sound(self.dir)
        self.assertEqual(recorded.rows(self.dir, "type", "--events", "gap"), [])
        calls = recorded.rows(self.dir, "code", "--process", "1", "--events", "call")
        self.assertEqual(calls.count(["f"]), 2 * COUNT)


if __name__ == "__main__":
    unittest.main()
