"""Bytes in a ring that are no events: the path has a gap there, with its reason, and the recording
is a bad one."""
import os
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

INTERPRETERS = "one"
ALONE = True    # any collector beside it could finish its recordings first
CHUNK, HEAD, USED, MESSAGES = 32768, 64, 32, 0xffffffff
AHEAD_SHIFT = 32  # of `used`: bytes that may be taken back
NONSENSE = (
    ("an unwritten byte", b"\0" * 12),
    ("a line below 0", b"\x0c\x05" + b"\xff" * 9 + b"\x01"),
    ("a place that is none", b"\x24\xff" * 6),
    ("a varint without an end", b"\x02" + b"\xff" * 11),
    ("a text that is too long", b"\x11\xff\x01" + b"x" * 9),
)


def chunks(data, head):
    """(offset of the bytes, how many) of each chunk with events that is being written."""
    for at in range(head, len(data) - CHUNK + 1, CHUNK):
        state, process, thread, order, stream, ticks, used = struct.unpack_from("<IIIIQQQ", data, at)
        used &= (1 << AHEAD_SHIFT) - 1
        if state == 1 and process and thread != MESSAGES and 64 < used < CHUNK - HEAD - 100:
            yield at + HEAD, used


class Undecoded(recorded.Case):
    def setUp(self):
        super().setUp()
        program = recorded.Recorded(self.top.name, "-q")
        self.addCleanup(program.stop)
        program.find()
        recorded.wait_for(lambda: os.path.exists(program.dir + "/events.000001"), "the first block")
        # record first, or it would finish the recording itself; then some passes that nobody has
        # seen
        recorded.kill(program.record.pid, program.collector)
        seen = program.passes()
        recorded.wait_for(lambda: program.passes() > seen + 100, "more passes")
        recorded.kill(program.program)
        program.end()
        recorded.wait_for(lambda: not recorded.is_alive(program.program), "the program's end")
        (self.arena,) = recorded.arenas_of(self.top.name)
        self.addCleanup(lambda: self.arena.unlink(missing_ok=True))
        self.dir = program.dir
        shutil.copytree(self.dir, self.dir + ".saved")

    def test_in_the_ring(self):
        whole = self.arena.read_bytes()
        head = recorded_head(whole)
        for name, nonsense in NONSENSE:
            for place in "end", "middle":
                with self.subTest(name, place=place):
                    data = bytearray(whole)
                    (at, used), *_ = chunks(data, head)
                    if place == "end":
                        data[at + used:at + used + len(nonsense)] = nonsense
                        struct.pack_into("<Q", data, at - HEAD + USED, used + len(nonsense))
                    else:  # whatever event is there, one of these is a first byte
                        middle = at + max(used - 400, used // 2)
                        data[middle:middle + 24] = b"\0" * 24
                    shutil.rmtree(self.dir)
                    shutil.copytree(self.dir + ".saved", self.dir)
                    self.arena.write_bytes(data)
                    os.chmod(self.arena, 0o600)
                    done = recorded.run(recorded.PATHLINE, "check", self.dir)
                    self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                    self.assertIn("no events", done.stdout + done.stderr)
                    done = recorded.run(recorded.PATHLINE, "dump", "--fields", "event,type", "--events", "gap", self.dir)
                    self.assertIn("gap\tdamaged", done.stdout.splitlines(), done.stderr)


def recorded_head(data):
    """The bytes in front of the first chunk."""
    import test_hostile_arena
    head = len(data) % CHUNK
    while head < test_hostile_arena.SLOTS:
        head += CHUNK
    return head


if __name__ == "__main__":
    unittest.main()
