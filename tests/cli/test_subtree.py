"""@notrace(subtree=True): a function is left out with all that it calls, and the rest of the path is exact."""
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "all"
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")
# Without the word "out" the same functions are recorded, and those of quiet code are found by their names.
PROGRAM = '''\
import asyncio
import sys
import threading
if sys.argv[1] == "out":
    from pathline import notrace
    notrace = notrace(subtree=True)
else:
    def notrace(function):
        return function

def leaf(n):
    if n % 2:
        n += 1
    return n

def numbers(count):
    for n in range(count):
        yield leaf(n)

@notrace
def quiet_call(items, depth=3):
    leaf(depth)
    for n in range(50):
        leaf(n)
    next(items)
    if depth:
        quiet_call(items, depth - 1)
    return depth

@notrace
def quiet_fail():
    leaf(1)
    raise KeyError("x")

@notrace
def quiet_numbers(count):
    for n in range(count):
        leaf(n)
        got = yield n
        leaf(got or 0)

@notrace
async def quiet_wait(n):
    leaf(n)
    await asyncio.sleep(0)
    leaf(n)
    return n

async def beside(n):
    for i in range(n):
        leaf(i)
        await asyncio.sleep(0)

async def together():
    return await asyncio.gather(quiet_wait(1), beside(3), quiet_wait(2))

def caught():
    try:
        quiet_fail()
    except KeyError:
        return leaf(3)

def work():
    items = numbers(30)
    for turn in range(3):
        next(items)
        quiet_call(items)
        leaf(next(items))
    made = quiet_numbers(3)
    next(made)
    leaf(7)
    made.send(4)
    leaf(8)
    made.close()
    caught()
    asyncio.run(together())
    leaf(9)

work()
thread = threading.Thread(target=work)
thread.start()
thread.join()
'''


class Subtree(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="subtree-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.program = os.path.join(self.dir, "app.py")
        with open(self.program, "w", encoding="utf-8") as f:
            f.write(PROGRAM)

    def record(self, name, *options):
        path = os.path.join(self.dir, name)
        done = session.pathline("record", "-q", "-o", path, *options, "--", session.PYTHON, self.program, name.split("-")[0],
                                PYTHONPATH=PACKAGE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        done = session.pathline("check", path)
        self.assertEqual(done.returncode, 0, done.stdout)
        return path

    def path(self, recording):
        """[(depth, event, function, line, type)] of the program's own code, below its first call of work."""
        rows = session.rows("--fields", "tid,depth,event,code,line,type,file", recording)
        own = [row for row in rows if row[6].endswith("app.py") or row[2] in ("gap", "mark")]
        tids = sorted({row[0] for row in own}, key=[row[0] for row in own].index)
        return [[tuple(row[1:6]) for row in own if row[0] == tid] for tid in tids]

    def test_the_rest_is_exact(self):
        for options in (), ("--values", "none"), ("--values", "lines"):
            whole, part = self.record("whole", *options), self.record("out", *options)
            for with_all, without in zip(self.path(whole), self.path(part), strict=True):
                self.assertEqual([row[1:4] for row in outside(without)], [row[1:4] for row in outside(with_all)])
                names = {row[2] for row in without}
                self.assertFalse(names & {"quiet_call", "quiet_fail", "quiet_numbers", "quiet_wait"}, names)
                self.assertEqual({row[4] for row in without if row[1] == "mark"},
                                 {"left out: " + name for name in ("quiet_call", "quiet_fail", "quiet_numbers", "quiet_wait")})
            shutil.rmtree(whole)
            shutil.rmtree(part)

    def test_nothing_is_told_as_lost(self):
        path = os.path.join(self.dir, "out")
        done = session.pathline("record", "-o", path, "--", session.PYTHON, self.program, "out", PYTHONPATH=PACKAGE)
        self.assertNotIn(b"lost", done.stderr)
        gaps = session.rows("--events", "gap", "--fields", "type", path)
        self.assertTrue(gaps)
        self.assertTrue(all("notrace" in row[0] for row in gaps), gaps[:3])


def outside(rows):
    """Those of no quiet function, nor of what one calls; and without gaps, marks, and places where a function is called."""
    kept, within = [], None
    for row in rows:
        depth = int(row[0] or 0)
        if within is not None and depth <= within and not (depth == within and row[2].startswith("quiet_")):
            within = None
        if row[2].startswith("quiet_") and within is None:
            within = depth
        if within is None and row[1] not in ("gap", "mark", "outside") and row[2] not in ("<module>", "notrace"):
            kept.append(row)
    return kept


if __name__ == "__main__":
    unittest.main()
