"""Nothing is lost by a kill: of the program, of the collector, of both at once, at random moments.

PATHLINE_KILLS says how many: at the level ci 200 for the interpreter whose turn it is.
"""
import os
import random
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

INTERPRETERS = "rotating"

MANY = os.environ.get("PATHLINE_SUITE") == "ci" and os.environ.get("PATHLINE_TURN") == "1"
KILLS = int(os.environ.get("PATHLINE_KILLS", "100" if MANY else "30"))
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


# Two children that are gone, and reaped, before the collector can see them.
CHILDREN = """\
import os, signal, struct, sys

def note(n):
    with open(sys.argv[1], "wb") as file:
        file.write(struct.pack("<Q", n))

def f():
    return 1

note(1)
open(sys.argv[2]).read()
for end in (lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: os._exit(3)):
    child = os.fork()
    if not child:
        f()
        end()
    os.waitpid(child, 0)
note(2)
"""


class Children(recorded.Case):
    def test_gone_before_they_were_seen(self):
        """What a process said of its end is known; of one that said nothing it is said that it said
        nothing."""
        fifo = os.path.join(self.top.name, "go")
        os.mkfifo(fifo)
        program = recorded.Recorded(self.top.name, "-q", script=CHILDREN, arguments=(fifo,))
        self.addCleanup(program.stop)
        program.find()
        os.kill(program.collector, signal.SIGSTOP)
        try:
            with open(fifo, "w"):
                pass
            recorded.wait_for(lambda: program.passes() == 2, "the children's ends")
        finally:
            os.kill(program.collector, signal.SIGCONT)
        self.assertEqual(program.end()[0], 0)
        self.assert_sound(program.dir)
        parent, killed, left = recorded.info(program.dir)["processes"]
        self.assertEqual((parent["ended"], parent["exit"]), ("exited", 0))
        self.assertEqual((killed["ended"], killed["silent"], killed["parent"]), ("lost", True, 1))
        self.assertEqual((left["ended"], left["exit"], left["parent"]), ("exited", 3, 1))
        calls = recorded.rows(program.dir, "file,code", "--process", "2", "--events", "call")
        # modules of .pth files act after a fork
        own = [code for file, code in calls if file == str(program.top / "program.py")]
        self.assertEqual(own[:1], ["f"])
        self.assertIn("killed, it seems", recorded.run(recorded.PATHLINE, "info", program.dir).stdout)


class DeadArenas(recorded.Case):
    """What nobody is left to finish is finished by a collector that runs for another recording."""

    def start(self, name):
        top = os.path.join(self.top.name, name)
        os.mkdir(top)
        program = recorded.Recorded(top, "-q")
        self.addCleanup(program.stop)
        program.find()
        return program

    def leave_dead(self):
        """Kill all of a recording; gives its directory."""
        dead = self.start("dead")
        passes = dead.passes()
        # record first, as it would finish the arena, and is the parent of the others
        recorded.kill(dead.record.pid, dead.collector, dead.program)
        dead.record.communicate()
        return dead, passes

    def assert_finished(self, dead, passes):
        recorded.wait_for(lambda: not recorded.arenas_of(str(dead.top)), "somebody to finish the dead arena")
        told = recorded.info(dead.dir)
        self.assertEqual((told["finished"], told["recovered"]), (True, True))
        self.assert_sound(dead.dir)
        self.assert_path(dead.dir, passes)

    def test_by_one_that_ends(self):
        living = self.start("living")
        dead, passes = self.leave_dead()
        os.kill(living.program, signal.SIGKILL)
        living.end()
        self.assert_finished(dead, passes)

    def test_by_one_that_goes_on(self):
        living = self.start("living")
        dead, passes = self.leave_dead()
        self.assert_finished(dead, passes)
        self.assertTrue(recorded.is_alive(living.collector))
        self.assertEqual(len(recorded.arenas_of(str(living.top))), 1)
        os.kill(living.program, signal.SIGKILL)
        living.end()
        self.assert_sound(living.dir)


if __name__ == "__main__":
    unittest.main()
