"""Where a path breaks off: the last certain place, and what may have followed, for one that was
killed and for one that lives."""
import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

QUICK = True
# It waits for good in line 7 of inner, which no event tells; one of the branches after it is told,
# the other not.
PROGRAM = """\
import os, sys


def inner(fifo):
    a = 1
    file = os.open(fifo, os.O_RDONLY)
    os.read(file, 1)
    if a:
        b = 2
    else:
        c = 3
    return a


def outer(fifo):
    inner(fifo)
    d = 4
    return d


outer(sys.argv[2])
"""
CERTAIN = [["line", "", "outer", "16"], ["call", "", "inner", "4"]]


class Edge(recorded.Case):
    options = ()
    # 3.11 has an event for each line
    all_told = recorded.run(recorded.PYTHON, "-c", "import sys; sys.exit(sys.version_info < (3, 12))").returncode != 0

    def setUp(self):
        super().setUp()
        fifo = os.path.join(self.top.name, "fifo")
        os.mkfifo(fifo)
        self.program = recorded.Recorded(self.top.name, "-q", *self.options, script=PROGRAM, arguments=(fifo,))
        self.addCleanup(self.program.stop)
        self.writer = open(fifo, "w")    # returns when the program has opened it too
        self.addCleanup(self.writer.close)
        recorded.wait_for(lambda: self.rows(), "the program's rows")

    def rows(self):
        """The rows of its own two functions, from the last call of inner on."""
        done = recorded.run(recorded.PATHLINE, "dump", "--fields", "event,type,code,line", self.program.dir)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        own = [row for row in rows if row[2] in ("inner", "outer")]
        return own[own.index(CERTAIN[1]):] if CERTAIN[1] in own else []

    def assert_edge(self, reason):
        rows = self.rows()
        gap = next(i for i, row in enumerate(rows) if row[0] == "gap")
        self.assertEqual(rows[gap][1:3], [reason, "inner"])
        self.assertEqual({row[0] for row in rows[gap + 1:]} - {"possible"}, set())
        told = [int(row[3]) for row in rows[:gap] if row[0] == "line"]
        possible = [(row[2], row[1], int(row[3])) for row in rows[gap + 1:]]
        if self.all_told:
            self.assertEqual((told[-1], possible), (7, []))
            return
        for line in (7, 8, 12):
            self.assertNotEqual(line in told, ("inner", "line", line) in possible, rows)
        self.assertEqual(("inner", "line", 9) in possible, ("inner", "line", 11) not in possible)
        self.assertIn(("outer", "line", 17), possible)
        self.assertLess(possible.index(("inner", "return", 0)), possible.index(("outer", "line", 17)))
        self.assertNotIn(("inner", "line", 12), possible[possible.index(("inner", "return", 0)):])

    def assert_may_be_as_late_as(self, moment):
        """The end of the path, and what may have followed: no tick says when that was."""
        done = recorded.run(recorded.PATHLINE, "dump", "--events", "gap,possible", "--fields", "time,error", self.program.dir)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        self.assertTrue(rows)
        for at, error in rows:
            self.assertGreaterEqual(int(at.replace(".", "")) + int(error), moment)

    def test_killed(self):
        pids = recorded.children(self.program.record.pid)
        (pid,) = (pid for name, pid in pids.items() if not name.startswith("pathline"))
        killed = time.time_ns()
        os.kill(pid, signal.SIGKILL)
        self.program.end()
        self.assert_edge("killed")
        self.assert_may_be_as_late_as(killed)
        self.assert_sound(self.program.dir)

    def test_live(self):
        self.assert_edge("live")
        self.assert_may_be_as_late_as(time.time_ns())


class ExactEdge(Edge):
    """With an event for each line nothing is left open but what a line does."""
    options = ("--order", "exact")
    all_told = True


if __name__ == "__main__":
    unittest.main()
