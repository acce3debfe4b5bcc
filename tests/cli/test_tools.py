"""A program that takes all six tool ids of sys.monitoring: what is said of the part that nothing
heard of."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

QUICK = True

PROGRAM = '''\
import os, sys
m = getattr(sys, "monitoring", None)

def shown(): pass
def unheard(): pass

def take():
    for i in range(6 if m else 0):
        m.use_tool_id(i, "mine")

def free(i):
    if m:
        m.free_tool_id(i)

shown()
for turn in range(3):
    take()
    unheard()
    free(5)
    shown()
    for i in range(5):
        free(i)
pid = os.fork()
if not pid:
    take()
    unheard()
    os._exit(0)
os.waitpid(pid, 0)
take()
unheard()
'''


class Tools(unittest.TestCase):
    def test_gap(self):
        recorded = session.Recorded(PROGRAM, "takes.py")
        text = recorded.pathline("info").stdout.decode()
        calls = [(pid, name) for pid, name in recorded.rows("--events", "call", "--fields", "process,code") if name in ("shown", "unheard")]
        gaps = recorded.rows("--events", "gap", "--fields", "process,type,code,lost")
        self.assertEqual(recorded.pathline("check").returncode, 0)
        if not gaps and sum(name == "unheard" for _, name in calls) == 5:       # 3.11 has no tools
            self.assertIn("lost\n  nothing", text)
            return
        self.assertEqual(calls, [("1", "shown")] * 4)
        self.assertEqual(gaps, [["1", "tools", "take", "0"]] * 4 + [["2", "tools", "take", "0"]])
        self.assertEqual(text.count("nothing is recorded until it frees one"), 2)       # in each process once
        losses = json.loads(recorded.pathline("info", "--json").stdout)["data"]["losses"]
        self.assertEqual({(loss["reason"], loss["process"]) for loss in losses}, {("tools", 1), ("tools", 2)})
        rows = [json.loads(line)["data"] for line in recorded.pathline("dump", "--json", "--events", "gap").stdout.splitlines()]
        self.assertEqual({row["type"] for row in rows}, {"tools"})

    def test_up_to_the_gap_and_from_there_on(self):
        recorded = session.Recorded(PROGRAM, "takes.py")
        rows = recorded.rows("--events", "line,gap", "--process", "1", "--fields", "event,code,line")
        where = [int(line) for event, code, line in rows if code == "<module>" and event == "line"]
        gaps = [n for n, (event, *_) in enumerate(rows) if event == "gap"]
        if gaps:
            self.assertEqual(where[where.index(16):][:4], [16, 17, 20, 21])
            for n in gaps:
                self.assertEqual(rows[n - 1], ["line", "take", "9"])


if __name__ == "__main__":
    unittest.main()
