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
CI_HALF = 0
PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "golden" / "program.py"
VALUES = PROGRAM.with_name("program-1.12.py")
KERNEL = PROGRAM.with_name("1.15-3.13")     # it takes root to make one
KILL = "\n__import__('os').kill(__import__('os').getpid(), 9)\n"
# name: (program, what it ends with, options)
RECORDINGS = {"finished": (PROGRAM, "", ("--values", "none")), "killed": (PROGRAM, KILL, ("--values", "none")),
              "values": (VALUES, "", ("--only-mine", "--values", "calls")),
              "values-killed": (VALUES, KILL, ("--only-mine", "--values", "calls"))}
# Each run has other bytes damaged; CI runs with each commit.
ROTATION = int(os.environ.get("PATHLINE_ROTATION", "0"))
SHARE = 3 if os.environ.get("PATHLINE_SUITE") == "ci" else 1
ROUNDS, ROUNDS_OF_VALUES, BY_COMMAND = 5000 // SHARE, 500 // SHARE, 30
BLOCK, RECORD_HEAD, BLOCK_HEAD, IN_SECTIONS, TABLE_CHECK = 20, 32, 160, 512, 8      # doc/FORMAT.md
SOURCE_EVENTS, SOURCE_HEAD = 23, 60
FIELDS = "pid,tid,seq,event,file,first,code,line,depth,time,values"


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


def sections(data):
    """The (first, end) bytes of the sections of each block."""
    at = 0
    while at < len(data):
        kind, stored = int.from_bytes(data[at + 4:at + 6], "little"), int.from_bytes(data[at + 8:at + 12], "little")
        head = at + RECORD_HEAD
        if kind == BLOCK and int.from_bytes(data[head + 12:head + 16], "little") & IN_SECTIONS:
            table = head + BLOCK_HEAD
            rows = table + 4
            end = rows + int.from_bytes(data[table:rows], "little")
            row_bytes = list(varints(data[rows:end]))[4::5]
            yield end + TABLE_CHECK, end + TABLE_CHECK + sum(row_bytes)
        at = head + stored


def varints(data):
    number = shift = 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0


class Damage(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="damage-"))
        self.addCleanup(shutil.rmtree, self.top)
        self.recordings = [self.record(name, *how) for name, how in RECORDINGS.items()]

    def record(self, name, program, end, options):
        script, directory = self.top / f"{name}.py", self.top / name
        script.write_text(program.read_text() + end)
        subprocess.run([PATHLINE, "record", "-q", *options, "-o", directory, "--", PYTHON, "-W", "ignore", "-I", "-S", script],
                       check=False, timeout=60, cwd=self.top)
        self.assertEqual(outcome("check", directory)[0], 0)
        return directory

    def test_by_the_api(self):
        for seed, directory in enumerate(self.recordings):
            rounds = ROUNDS_OF_VALUES if "values" in directory.name else ROUNDS
            done = subprocess.run([BUILD / "tests/fault/test-damage", directory, str(rounds), str(10 * ROTATION + seed)],
                                  capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual("blocks with sections" in done.stdout, "values" in directory.name)

    def test_events_of_sources(self):
        """Of the kernel: each is there as it was, or the recording says that some are damaged."""
        directory = self.top / "kernel"
        shutil.copytree(KERNEL, directory)
        done = subprocess.run([BUILD / "tests/fault/test-damage", directory, str(ROUNDS // 10), str(10 * ROTATION + 9)],
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        whole = outcome("dump", directory, "--json")
        self.assertIn(b'"source event"', whole[1])
        path = directory / "events.000001"
        data = bytearray(path.read_bytes())
        at, kind = 0, None
        while kind != SOURCE_EVENTS:
            at += RECORD_HEAD + int.from_bytes(data[at + 8:at + 12], "little") if kind is not None else 0
            kind = int.from_bytes(data[at + 4:at + 6], "little")
        data[at + RECORD_HEAD + SOURCE_HEAD] ^= 1
        path.write_bytes(data)
        self.assertEqual(outcome("check", directory)[0], 3)
        code, rows, errors = outcome("dump", directory, "--json")
        self.assertEqual(code, 3, errors)
        self.assertLess(rows.count(b'"source event"'), whole[1].count(b'"source event"'))
        self.assertEqual(rows.count(b'"type":"event"'), whole[1].count(b'"type":"event"'))

    def test_bytes_of_values(self):
        """Any of them: the block is lost, and it is said so."""
        for directory in self.recordings[2:]:
            data = (directory / "events.000001").read_bytes()
            found = list(sections(data))
            self.assertTrue(found)
            for first, end in found:
                self.assertGreater(end, first)
                for at in {first, (first + end) // 2, end - 1}:
                    self.assert_lost(directory, data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])

    def assert_lost(self, directory, data):
        copy = self.top / "copy"
        shutil.copytree(directory, copy)
        (copy / "events.000001").write_bytes(data)
        code, said, errors = outcome("check", copy)
        self.assertEqual(code, 3, errors)
        self.assertIn(b"events.000001", said + errors)
        code, rows, errors = outcome("dump", copy, "--fields", "event,type")
        self.assertEqual((code, b"gap\tdamaged" in rows), (3, True), errors)
        shutil.rmtree(copy)

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
