"""Damage to real recordings: never a crash, never a changed path that looks sound, and exit code 3.

Ten thousand damages by the API in one process under ASan and UBSan (damage.c), some by the commands
themselves.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recorded import BUILD, PATHLINE, PYTHON  # noqa: E402

INTERPRETERS = "one"
PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "golden" / "program.py"
ENDS = {"finished": "", "killed": "\nposix.kill(posix.getpid(), 9)\n"}
ROUNDS, BY_COMMAND = 5000, 60
FIELDS = "pid,tid,seq,event,file,first,code,line,depth,time"


def outcome(command, directory, *options):
    done = subprocess.run([PATHLINE, command, *options, directory], capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def damage(path, chance):
    """Change something of a file's bytes, at random."""
    data = bytearray(path.read_bytes())
    at, n = chance.randrange(len(data)), chance.randint(1, 40)
    kind = chance.randrange(4)
    if kind == 0:
        data[at] ^= 1 << chance.randrange(8)
    elif kind == 1:
        data[at:at + n] = bytes(b ^ 0xff for b in data[at:at + n])
    elif kind == 2:
        del data[at:]
    else:
        del data[at:at + n]
    path.write_bytes(data)


class Damage(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="damage-"))
        self.addCleanup(shutil.rmtree, self.top)
        self.recordings = [self.record(name, end) for name, end in ENDS.items()]

    def record(self, name, end):
        script, directory = self.top / f"{name}.py", self.top / name
        script.write_text(PROGRAM.read_text() + end)
        subprocess.run([PATHLINE, "record", "-q", "-o", directory, "--", PYTHON, "-W", "ignore", "-I", "-S", script],
                       check=False, timeout=60)
        self.assertEqual(outcome("check", directory)[0], 0)
        return directory

    def test_by_the_api(self):
        for seed, directory in enumerate(self.recordings):
            done = subprocess.run([BUILD / "tests/fault/test-damage", directory, str(ROUNDS), str(seed)],
                                  capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_by_the_commands(self):
        chance = random.Random(4)
        for directory in self.recordings:
            whole = outcome("dump", directory, "--fields", FIELDS)
            self.assertEqual(whole[0], 0)
            for _ in range(BY_COMMAND):
                copy = self.top / "copy"
                shutil.copytree(directory, copy)
                damage(copy / chance.choice(["meta", "events.000001"]), chance)
                code, _, errors = outcome("check", copy)
                self.assertEqual(code, 3, errors)
                code, rows, errors = outcome("dump", copy, "--fields", FIELDS)
                self.assertIn(code, (0, 3), errors)
                if code == 0:
                    self.assertEqual(rows, whole[1])
                else:
                    self.assertTrue(errors.startswith(b"pathline: "), errors)
                shutil.rmtree(copy)


if __name__ == "__main__":
    unittest.main()
