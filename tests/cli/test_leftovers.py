"""A test run leaves nothing, however it ends: no folder, no file in /dev/shm, also not of a
collector that was killed."""
import glob
import os
import signal
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "fault"))
import recorded  # noqa: E402

INTERPRETERS = "one"

# A run of tests that leaves a folder of each kind and the arena of a collector that was killed,
# says where, and ends as it is told.
RUN = f"""\
import os, signal, subprocess, sys, tempfile
sys.path[:0] = [{os.path.join(HERE, "..", "lib")!r}, {os.path.join(HERE, "..", "fault")!r}]
import leftovers
leftovers.own_folders()
import recorded
folder = os.environ["TMPDIR"]
tempfile.mkdtemp(dir=leftovers.shared_memory())
program = recorded.Recorded(tempfile.mkdtemp())
program.find()
recorded.kill(program.record.pid, program.collector, program.program)
program.record.communicate()
print(folder, *recorded.arenas_of(folder), flush=True)
end = sys.argv[1]
if end == "pkill":
    for child in open(f"/proc/self/task/{{os.getpid()}}/children").read().split():
        os.kill(int(child), signal.SIGTERM)
if end == "raise":
    raise ValueError("a test that fails")
if end.isdigit():
    os.kill(os.getpid(), int(end))
"""


class Leftovers(unittest.TestCase):
    def test_nothing_is_left(self):
        for end in ("exit", "raise", str(int(signal.SIGTERM)), str(int(signal.SIGKILL)), "pkill"):
            with self.subTest(end):
                environment = {k: v for k, v in os.environ.items() if k != "TMPDIR"}
                done = subprocess.run([sys.executable, "-c", RUN, end], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      env=environment, timeout=120, check=False)
                paths = done.stdout.split()
                self.assertEqual(len(paths), 2, done.stderr)
                folder, arena = paths
                recorded.wait_for(lambda: not os.path.exists(folder), "the janitor")
                self.assertFalse(os.path.exists(arena))
                self.assertEqual(glob.glob(f"/dev/shm/*{os.path.basename(folder)}*"), [])


if __name__ == "__main__":
    unittest.main()
