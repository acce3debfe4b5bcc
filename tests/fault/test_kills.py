"""Nothing is lost by a kill: of the program, of the collector, of both at once, at random moments.

PATHLINE_KILLS says how many (200 at the levels ci and exact).
"""
import os
import random
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

LEVEL = os.environ.get("PATHLINE_SUITE", "test")
KILLS = int(os.environ.get("PATHLINE_KILLS", "200" if LEVEL in ("ci", "exact") else "30"))
SEED = int(os.environ.get("PATHLINE_SEED", random.randrange(1 << 32)))


class Kills(recorded.Case):
    def kill(self, victims, after_s):
        top = os.path.join(self.top.name, str(self.count))
        os.mkdir(top)
        program = recorded.Recorded(top, "-q")
        self.addCleanup(program.stop)
        program.find()
        time.sleep(after_s)
        passes = program.passes() if victims == "collector" else None
        if victims in ("collector", "both"):
            os.kill(program.collector, signal.SIGKILL)
        if victims in ("program", "both"):
            os.kill(program.program, signal.SIGKILL)
        if victims == "collector":
            # It goes on without us, and must: here until it has made more than all rings hold.
            reached = program.passes()
            recorded.wait_for(lambda: program.passes() > reached + 100, "the program without its collector")
            os.kill(program.program, signal.SIGKILL)
        code, _ = program.end()
        self.assertEqual(code, -signal.SIGKILL, "record dies as its program did")
        passes = program.passes() if passes is None else passes
        self.assert_sound(program.dir)
        self.assert_path(program.dir, passes)
        told = recorded.info(program.dir)
        self.assertEqual([(p["ended"], p.get("signal")) for p in told["processes"]], [("killed", 9)])

    def test_random_kills(self):
        chance = random.Random(SEED)
        for self.count in range(KILLS):
            victims = ("program", "collector", "both")[self.count % 3]
            after_s = chance.choice((0, 0.002, 0.02, 0.2, 0.4)) * chance.random()
            with self.subTest(seed=SEED, victims=victims, after_s=after_s):
                self.kill(victims, after_s)
        self.assertEqual(recorded.arenas_of(self.top.name), [], "arenas are left behind")


if __name__ == "__main__":
    unittest.main()
