"""A recorder of a later minor version writes events of kinds that this collector does not know:
they are stored apart from the path, counted, and passed over by each reader.

The bytes are put at the end of a ring whose collector was killed. Who finishes the recording reads
them as a collector does.
"""
import os
import pathlib
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

INTERPRETERS = "one"
ALONE = True    # any collector beside it could finish its recordings first
CHUNK, CHUNK_HEAD = 32768, 64
# struct chunk: state, process, thread, order, stream_bytes, open_ticks, used
HEAD = struct.Struct("<IIIIQQQ")
OPEN, FIRST_THREAD = 1, 0
PREFIX = 0x20
VALUES = [(40, b"x = 1"), (63, b""), (40, b"\x80" * 100), (41, bytes(range(127)))]


def written(kind, value):
    return bytes((PREFIX, kind, len(value))) + value


def put(arena, events):
    """Behind what the thread wrote last; gives whether there was room."""
    data = bytearray(arena.read_bytes())
    for at in range(len(data) % CHUNK, len(data), CHUNK):
        state, process, thread, _, _, _, used = HEAD.unpack_from(data, at)
        if (state, process, thread) == (OPEN, 1, FIRST_THREAD) and used + len(events) <= CHUNK - CHUNK_HEAD:
            start = at + CHUNK_HEAD + used
            data[start:start + len(events)] = events
            struct.pack_into("<Q", data, at + HEAD.size - 8, used + len(events))
            arena.write_bytes(data)
            return True
    return False


class Further(recorded.Case):
    def setUp(self):
        super().setUp()
        program, self.arena = self.record_and_kill()
        self.dir = program.dir

    def read(self, *words):
        done = recorded.run(recorded.PATHLINE, *words)
        self.assertNotIn("Sanitizer", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rows(self):
        return self.read("dump", self.dir, "--fields", "seq,event,code,line,depth")

    def test_it_is_stored_and_passed_over(self):
        arena, before = self.arena.read_bytes(), pathlib.Path(self.dir + ".before")
        shutil.copytree(self.dir, before)
        plain = self.rows()                     # finishes it, and removes the arena
        self.assertGreater(len(plain.splitlines()), 50)
        shutil.rmtree(self.dir)
        shutil.copytree(before, self.dir)
        self.arena.write_bytes(arena)
        os.chmod(self.arena, 0o600)
        self.assertTrue(put(self.arena, b"".join(written(*value) for value in VALUES)))
        self.assertEqual(self.rows(), plain)
        self.assertFalse(self.arena.exists(), "nobody finished it")
        self.assertIn(f"{len(VALUES)} event", self.read("check", self.dir))
        self.assertRegex(self.read("info", self.dir), f"not known +{len(VALUES)} ")
        self.read("report", self.dir)
        self.assertIn("program.py", self.read("replay", self.dir, "--plain", "--command=bt"))
        stored = b"".join(path.read_bytes() for path in pathlib.Path(self.dir).glob("events.*"))
        self.assertIn(VALUES[-1][1], stored)    # one that does not pack is there as it was written


if __name__ == "__main__":
    unittest.main()
