"""An arena is hostile input: whatever is in it, who finishes it neither crashes nor hangs, and
what was on disk stays."""
import os
import random
import shutil
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

INTERPRETERS = "one"
ALONE = True    # any collector beside it could finish its recordings first
ROUNDS = int(os.environ.get("PATHLINE_ROUNDS", "60"))
SEED = int(os.environ.get("PATHLINE_SEED", random.randrange(1 << 32)))
CHUNK = 32768
# the head is larger than its process slots and its directory by less than a chunk
SLOTS = 1024 * 128 + 4096


def damage(data, chance, head):
    """Change a few bytes: in the head, in the heads of chunks, in what they hold."""
    for _ in range(chance.randrange(1, 40)):
        kind = chance.random()
        if kind < 0.2:
            # the magic, sizes and the directory stay, or nothing would be looked at
            at = chance.randrange(4700, head)
        elif kind < 0.7:
            at = head + CHUNK * chance.randrange((len(data) - head) // CHUNK) + chance.randrange(64)
        else:
            at = chance.randrange(head, len(data))
        data[at] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))


class HostileArena(recorded.Case):
    def test_damaged(self):
        chance = random.Random(SEED)
        program, arena = self.record_and_kill()
        whole = arena.read_bytes()
        head = len(whole) % CHUNK
        while head < SLOTS:
            head += CHUNK
        saved = program.dir + ".saved"
        shutil.copytree(program.dir, saved)
        for number in range(ROUNDS):
            data = bytearray(whole)
            damage(data, chance, head)
            shutil.rmtree(program.dir)
            shutil.copytree(saved, program.dir)
            arena.write_bytes(data)
            os.chmod(arena, 0o600)
            with self.subTest(seed=SEED, number=number):
                done = recorded.run(recorded.PATHLINE, "check", program.dir)
                self.assertIn(done.returncode, (0, 3), done.stderr)
                self.assertNotIn("Sanitizer", done.stderr)


if __name__ == "__main__":
    unittest.main()
