"""pathline info and ls: what is said about a recording, in text and in JSON."""
import json
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from session import shop  # noqa: E402

INTERPRETERS = "two"

QUICK = True

CHILD = '''\
import os, subprocess, sys
pid = os.fork()
if not pid:
    os.kill(os.getpid(), 9)
os.waitpid(pid, 0)
subprocess.run([sys.executable, "-c", "import sys; sys.exit(7)"])
'''


def info(recorded):
    done = recorded.pathline("info", "--json")
    if done.returncode or done.stderr or done.stdout.count(b"\n") != 1:
        raise AssertionError(f"info: {done.returncode} {done.stderr!r}")
    whole = json.loads(done.stdout)
    assert (whole["type"], whole["version"]) == ("info", 1)
    return whole["data"]


# An opcode that no version has stands after the last return: it never runs, but what is there
# cannot be known.
UNKNOWN = '''\
import opcode
def f(n):
    if n:
        return 1
    return 2
free = next(n for n in range(232, 180, -1) if opcode.opname[n].startswith("<"))
f.__code__ = f.__code__.replace(co_code=f.__code__.co_code + bytes([free, 0]))
print(f(1), f(0))
'''


class Info(unittest.TestCase):
    def test_counts_are_those_of_dump(self):
        data = info(shop())
        counted = {}
        for event, name in shop().rows("--fields", "event,name"):
            counted[event] = counted.get(event, 0) + 1
        self.assertEqual({k: n for k, n in data["counts"].items() if n}, counted)
        self.assertEqual(data["events"], sum(counted.values()))

    def test_threads_have_names(self):
        process, = info(shop())["processes"]
        self.assertEqual([t["name"] for t in process["threads"]], ["MainThread", "worker"])
        self.assertEqual((process["ended"], process["exit"], process["parent"]), ("exited", 0, 0))
        self.assertGreaterEqual(process["switches"], 2)
        self.assertIn("CPython 3.", process["interpreter"])

    def test_recording(self):
        data = info(shop())
        self.assertTrue(data["finished"])
        self.assertFalse(data["recovered"])
        self.assertIn("shop.py", data["command"])
        self.assertIn(data["clock"], ("tsc", "monotonic"))
        self.assertEqual(data["stamps"], "tick=auto")
        self.assertGreater(data["end"], data["start"])
        self.assertEqual(data["losses"], [])
        kinds = {size["kind"]: size["bytes"] for size in data["sizes"]}
        self.assertGreater(kinds["events"], 0)
        here = sum(os.path.getsize(os.path.join(shop().directory, f)) for f in os.listdir(shop().directory))
        self.assertEqual(sum(kinds.values()), here)

    def test_process_tree(self):
        first, *children = info(session.Recorded(CHILD, "family.py"))["processes"]
        # they run side by side, and have their numbers as they come
        children.sort(key=lambda p: p["how"])
        self.assertEqual([(p["parent"], p["how"]) for p in children], [(first["number"], "fork"), (first["number"], "start")])
        # a child that is gone before the collector looked at it: how it ended is not known to
        # anybody but its parent
        self.assertIn((children[0]["ended"], children[0].get("signal"), children[0].get("silent")),
                      (("killed", 9, None), ("lost", None, True)))
        self.assertEqual((children[1]["ended"], children[1]["exit"]), ("exited", 7))

    def test_unanalysed(self):
        """A code whose flow is not known has each of its lines recorded, and is counted."""
        recorded = session.Recorded(UNKNOWN, "unknown.py")
        self.assertEqual(info(recorded)["processes"][0]["codes_unanalysed"], 1)
        self.assertEqual([int(line) for line, name in recorded.rows("--events", "line", "--fields", "line,code") if name == "f"], [3, 4, 3, 5])
        self.assertIn("1  code, of which every line was recorded", recorded.pathline("info").stdout.decode())
        self.assertEqual(info(shop())["processes"][0]["codes_unanalysed"], 0)

    def test_text(self):
        text = shop().pathline("info").stdout.decode()
        for word in ("shop.py", "MainThread", "worker", "sitecustomize ran before", "exit 0", "CPython", "nothing"):
            self.assertIn(word, text)

    def test_nothing_here(self):
        done = session.pathline("info", cwd=session.scratch())
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"pathline record", done.stderr)


class Ls(unittest.TestCase):
    def test_rows(self):
        recorded = session.Recorded("raise SystemExit(0)\n", "first.py")
        again = recorded.pathline("record", "-o", ".pathline/zz-second", "--python", session.PYTHON, "-c", "import sys; sys.exit(3)")
        self.assertEqual(again.returncode, 3)
        done = recorded.pathline("ls", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        first, second = [json.loads(line)["data"] for line in done.stdout.splitlines()]
        self.assertTrue(first["name"].endswith("-first"), first["name"])
        self.assertEqual((second["name"], second["ended"], second["processes"]), ("zz-second", "exit 3", 1))
        self.assertGreater(second["events"], 0)
        text = recorded.pathline("ls").stdout.decode().splitlines()
        self.assertEqual(len(text), 3)
        self.assertIn("exit 3", text[2])

    def test_what_is_no_recording(self):
        recorded = session.Recorded("pass\n", "only.py")
        os.mkdir(os.path.join(recorded.folder, ".pathline", "odd"))
        done = recorded.pathline("ls")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertEqual(done.stderr, b"pathline: ls: .pathline/odd is not a recording: it has no file `meta`\n")

    def test_names_do_not_steer_the_terminal(self):
        recorded = session.Recorded("pass\n", "only.py")
        os.mkdir(os.path.join(recorded.folder.encode(), b".pathline", b"\x1b]0;odd\x07\n\xc2\x9b1m"))
        done = recorded.pathline("ls")
        self.assertEqual(done.returncode, 3)
        self.assertNotRegex(done.stderr[:-1], rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]")
        self.assertIn(b"?]0;odd??", done.stderr)
        self.assertIn("é".encode(), recorded.pathline("ls", "é").stderr)

    def test_a_folder_that_is_a_recording(self):
        recorded = session.Recorded("pass\n", "only.py")
        os.rename(recorded.directory, os.path.join(recorded.folder, "out1"))
        done = recorded.pathline("ls", "out1")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(done.stderr, b"pathline: ls: out1 is itself a recording; `pathline info out1` says what is in it\n")

    def test_none(self):
        folder = session.scratch()
        done = session.pathline("ls", cwd=folder)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(session.pathline("ls", "missing", cwd=folder).returncode, 2)
        shutil.rmtree(folder)


if __name__ == "__main__":
    unittest.main()
