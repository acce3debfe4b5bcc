"""The screen of pathline replay, through a terminal: keys are sent, screens compared.

A screen that is meant to be another one: PATHLINE_GOLDEN=write python3 -m unittest tests/tui/test_screen.py, and the reason in the commit.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal, masked, session  # noqa: E402

INTERPRETERS = "one"
GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
RECORDING = GOLDEN.parent.parent / "golden" / "1.3-3.13"
TERMINALS = r"""
sixteen|of 16 colours, colors#16, pairs#256,
	setab=\E[%?%p1%{8}%<%t%p1%{40}%+%e%p1%{92}%+%;%dm,
	setaf=\E[%?%p1%{8}%<%t%p1%{30}%+%e%p1%{82}%+%;%dm, use=xterm,
direct|of direct colours, RGB, colors#0x1000000, pairs#0x7FFF,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m, use=xterm,
"""
PROGRAM = '''\
"""A text
over lines."""
import threading


def square(n):
    return n * n


def numbers():
    for n in (1, 2):
        yield square(n)


def never(n):
    if n:
        return 1
    return 2


def fail():
    try:
        raise LookupError("k")
    except LookupError:
        pass


def work():
    total = sum(numbers())
    print(f"{total} is the sum")  # a comment


if __name__ == "__main__":
    print(sum(numbers()))
    thread = threading.Thread(target=work, name="worker")
    thread.start()
    thread.join()
    fail()
'''
ENDLESS = '''\
import sys
import time


def burst():
    for i in range(100000):
        i = i + 1


burst()
print("begun", flush=True)
for line in sys.stdin:
    burst()
    time.sleep(0.1)
'''
_made = {}


def recorded(name="shop.py", text=PROGRAM, *options):
    """A recording that tests only read, made once."""
    if name not in _made:
        _made[name] = session.Recorded(text, name, *options)
    return _made[name]


class Case(unittest.TestCase):
    maxDiff = None

    def open(self, *words, of=None, **more):
        of = of or recorded()
        t = Terminal("replay", *words, cwd=of.folder, **more)
        t.folder = of.folder
        self.addCleanup(t.close)
        return t

    def quit(self, t):
        t.press("q")
        self.assertEqual(t.end(), 0)
        self.assertTrue(t.restored())

    def golden(self, t, name):
        t.settle()
        text, file = masked(t.screen.display, t.folder), GOLDEN / f"{name}.txt"
        if os.environ.get("PATHLINE_GOLDEN") == "write":
            file.write_text(text)
        self.assertEqual(text, file.read_text())


class Screens(Case):
    def test_first(self):
        of = recorded("mine.py", PROGRAM, "--only-mine")
        t = self.open(of=of).wait("START OF RECORDING").wait("never +1[78]")
        self.golden(t, "first-80x24")
        self.quit(t)
        t = self.open(of=of, rows=40, columns=120).wait("START OF RECORDING")
        self.golden(t, "first-120x40")
        self.quit(t)

    def test_views(self):
        of = recorded("mine.py", PROGRAM, "--only-mine")
        for rows, columns in ((24, 80), (40, 120)):
            t = self.open(of=of, rows=rows, columns=columns).wait("START")
            t.line("b square").wait("stop 1").press("c").wait("square +thread 0")
            for key, view, sign in (("F3", "stack", "2 <module>"), ("F4", "tree", "square  #"), ("F6", "path", "call square")):
                t.press(key).wait(sign)
                self.golden(t, f"{view}-{columns}x{rows}")
            t.press("F5").wait("MainThread .*O").wait("worker .*#")
            self.quit(t)

    def test_timeline(self):
        """Of a recording of which each time is known."""
        for rows, columns in ((24, 80), (40, 120)):
            t = Terminal("replay", str(RECORDING), rows=rows, columns=columns)
            t.folder = "no folder"
            self.addCleanup(t.close)
            t.wait("START").line("j 50%").settle().press("F5").wait("MainThread .*O")
            self.golden(t, f"timeline-{columns}x{rows}")
            self.quit(t)

    def test_alone(self):
        t = Terminal(cwd=recorded().folder)
        self.addCleanup(t.close)
        t.wait("START OF RECORDING")
        self.quit(t)

    def test_end(self):
        t = self.open("--end").wait("END OF RECORDING")
        self.quit(t)

    def test_sizes(self):
        t = self.open().wait("START")
        for rows, columns in ((5, 20), (1, 1), (2, 7), (50, 200), (6, 30), (24, 80)):
            t.resize(rows, columns).press("s").settle()
            for key in ("F3", "F4", "F5", "F6", "F2", "h", "h"):
                t.press(key).settle()
        t.press("S").wait(r"\d+ > ")
        self.quit(t)

    def test_small(self):
        t = self.open(rows=5, columns=20).wait(r"shop\.py:1")
        t.press("s").wait(r"3 > ")
        self.quit(t)

    def test_resize(self):
        t = self.open().wait("START")
        t.resize(30, 100).wait(lambda text: "h help" in text.splitlines()[-1] and len(text.splitlines()) == 30)
        self.quit(t)

    def test_without_colours(self):
        for more in ({"term": "vt100"}, {"NO_COLOR": "1"}):
            t = self.open(**more).wait("never")
            self.assertNotRegex(t.raw, rb"\x1b\[[\d;]*[34][0-9][\d;]*m")
            t.press("q")
            self.assertEqual(t.end(), 0)
        for term in ("xterm", "linux", "screen-256color"):
            t = self.open(term=term).wait("never")
            self.assertRegex(t.raw, rb"\x1b\[[\d;]*3\d[\d;:]*m")
            t.press("q")
            self.assertEqual(t.end(), 0)
            self.assertTrue(t.restored(screen=False))

    def test_more_colours(self):
        """With sixteen, and with colours by their parts, the pairs stay the eight that each terminal has."""
        folder = session.scratch()
        subprocess.run(["tic", "-x", "-o", folder, "-"], input=TERMINALS.encode(), check=True)
        for term in ("sixteen", "direct"):
            t = self.open(term=term, TERMINFO=folder).wait("never +1[78]|never")
            self.assertRegex(t.raw, rb"\x1b\[[\d;]*35[\d;]*m", term)            # a keyword
            self.assertNotRegex(t.raw, rb"\x1b\[[\d;]*38[;:][\d;:]*m", term)
            self.quit(t)

    def test_no_screen(self):
        t = self.open(term="dumb")
        t.wait("line").type("q\n")
        self.assertEqual(t.end(), 0)
        self.assertNotIn(b"\x1b", t.raw)

    def test_signals(self):
        t = self.open().wait("START")
        os.kill(t.pid, signal.SIGTERM)
        self.assertEqual(t.end(), 128 + signal.SIGTERM)
        self.assertTrue(t.restored())
        t = self.open().wait("START").type("\x03").wait("q quits").type("\x03")
        self.assertEqual(t.end(), 0)
        self.assertTrue(t.restored())


class Live(Case):
    def test_follow(self):
        folder = session.scratch()
        with open(os.path.join(folder, "live.py"), "w", encoding="utf-8") as f:
            f.write(ENDLESS)
        program = subprocess.Popen([session.PATHLINE, "record", "-q", "--python", session.PYTHON, "--", "live.py"], cwd=folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(program.stdout.close)
        self.assertEqual(program.stdout.readline(), b"begun\n")
        t = Terminal("replay", "--follow", "--end", cwd=folder)
        self.addCleanup(t.close)
        t.wait("SO FAR")
        first = int(re.search(r"event (\d+) of", t.text())[1])
        program.stdin.write(b"on\n")
        program.stdin.flush()
        t.wait(lambda text: (seen := re.search(r"event (\d+) of", text)) and int(seen[1]) > first)
        program.stdin.close()
        self.assertEqual(program.wait(60), 0)
        t.wait("END OF RECORDING --")
        self.quit(t)


class Sources(Case):
    def test_long_line(self):
        of = recorded("long.py", "x = '" + "y" * 1000000 + "z'\nprint(len(x))\n")
        t = self.open(of=of).wait("y…")
        for _ in range(3):
            t.press("Right")
        t.press("s").wait("2 > ")
        self.quit(t)

    def test_characters(self):
        of = recorded("wide.py", "# \t| tab\ns = '漢字 é ñ \u202e turned \x01 \x1b[31m bytes'\nprint(s and 1)\n")
        t = self.open(of=of).wait("漢").settle()
        text = t.text()
        self.assertRegex(text, r"#       \| tab")
        self.assertIn("^A", text)
        self.assertIn("^[[31m", text)
        self.assertNotIn("\u202e", text)
        self.assertNotIn(b"\x01", t.raw)
        self.quit(t)

    def test_no_source(self):
        of = recorded("made.py", "exec(compile('def f():\\n    x = 1\\n    return x\\nf()\\n', '<made>', 'exec'))\n")
        t = self.open(of=of).wait("START").line("open <made>").wait("no source").wait(r"\d +2 ")
        self.quit(t)

    def test_damaged(self):
        of = session.Recorded("def f(n):\n    return n\n\n\nfor i in range(200000):\n    f(i * 7 % 11)\n", "many.py")
        files = sorted(pathlib.Path(of.directory).rglob("*"), key=lambda p: p.stat().st_size if p.is_file() else 0)
        data = bytearray(files[-1].read_bytes())
        middle = len(data) // 2
        data[middle:middle + 64] = bytes(b ^ 0xff for b in data[middle:middle + 64])
        files[-1].write_bytes(data)
        t = self.open(of=of).wait("many.py")
        for key in ("F6", "F4", "F5", "F3", "F2", "s", "n"):
            t.press(key).settle()
        t.line("j 50%").settle().line("j end").settle().press("C").settle()
        self.quit(t)

    def test_editor(self):
        of = recorded()
        editor = os.path.join(of.folder, "editor")
        with open(editor, "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\necho "$@" >arguments\n')
        os.chmod(editor, 0o755)
        t = self.open(of=of, VISUAL=f"{editor} -x").wait("START").press("s", "e").wait("that of the recording")
        with open(os.path.join(of.folder, "arguments"), encoding="utf-8") as f:
            self.assertRegex(f.read(), r"^-x \+3 .*shop\.py\n$")
        self.quit(t)


class Commands(Case):
    def test_stop(self):
        t = self.open().wait("START").press("/").type("return n").press("Enter").settle()
        t.press("b", "Enter").wait("stop 1").wait(r" 1 +\S+ +7 ")
        t.press("c").wait("7 > ")
        for _ in range(3):
            t.press("c").settle()
        t.press("c").wait("no later stop in this process; 3 earlier")
        t.line("clear 1").wait("there is no stop")
        self.quit(t)

    def test_history_and_completion(self):
        t = self.open().wait("START")
        t.line("j end").wait("END OF").line("j start").wait("START OF")
        t.press(":", "Up", "Up").wait(":j end").press("Down").wait(":j start").press("Esc")
        t.press("b").type("squ").press("Tab").wait(":b square").press("Enter").wait("stop 1")
        t.press("o").type("threadi").press("Tab").wait("open .*threading.py").press("Enter").wait("Thread module")
        t.press(":").type("vi").press("Tab").wait(":view").type(" tree\r").wait("tree ----")
        self.quit(t)

    def test_search(self):
        t = self.open().wait("START").press("/").type("def \r").press(";", ";", ",").settle()
        t.press("?").type("nothing like it\r").wait("not found")
        t.press("F6").press("/").type("^fail\r").wait(r"\bfail +thread")
        self.quit(t)

    def test_filter(self):
        t = self.open(of=recorded("mine.py", PROGRAM, "--only-mine")).wait("START").press("F6").wait("path --").wait("line|import threading")
        t.press("&").type("raise,handled\r").wait("raise LookupError").wait("handled LookupError")
        t.wait(lambda text: not re.search(r"^\S+ MainThread +(call|return|\d+ )", text, re.M))
        t.press("g", "Down", "Enter").wait("24 > ")
        t.press("&").type("raise,lines\r").wait("no event is called lines").press("&").type("\r").wait("MainThread +return fail")
        self.quit(t)

    def test_rebinding(self):
        of = recorded()
        config = os.path.join(of.folder, "config", "pathline")
        os.makedirs(config, exist_ok=True)
        with open(os.path.join(config, "replay"), "w", encoding="utf-8") as f:
            f.write("key Z j end\n")
        t = self.open(of=of, XDG_CONFIG_HOME=os.path.join(of.folder, "config")).wait("START").type("Z").wait("END OF")
        self.quit(t)

    def test_interrupt(self):
        of = recorded("busy.py", "n = 0\nfor i in range(3000000):\n    n += i % 3\n    n ^= 1\nprint(n)\n")
        t = self.open(of=of).wait("START").line("b busy.py:3 if hits == 2900000").wait("stop 1")
        t.press("c").wait("it runs|3 > ").type("\x03").wait("stopped|3 > |q quits")
        t.press("s").wait(r"\d > ")
        self.quit(t)


class Keys(Case):
    def rows(self):
        out = recorded().pathline("replay", "--keys").stdout.decode()
        return [row.split("\t") for row in out.splitlines()]

    def test_one_meaning(self):
        seen = set()
        for views, key, command, meaning in self.rows():
            self.assertTrue(command or key == ":")
            self.assertTrue(meaning)
            for view in ("source,stack,tree,timeline,path" if views == "all" else views).split(","):
                self.assertNotIn((view, key), seen)
                seen.add((view, key))

    def test_all(self):
        """Each key of the table does something, and the screen lives on; what it does is asked by the tests above and of the engine."""
        pressed = Terminal.pressed = set()
        t = self.open(VISUAL="true").wait("START")
        t.press("s").wait("3 > ").press("S").wait("1 > ").press("n").wait("3 > ").press("N").wait("1 > ")
        t.press("Down").press("Up", "PgDn", "PgUp", "G").wait("fail\\(\\)").press("g").wait("START").press("Right", "Left")
        t.press("WheelDown", "WheelUp", "Click", "a").wait("this thread only").press("a").wait("all threads")
        t.press("b").type("square\r").wait("stop 1").press("x").type("LookupError\r").wait("stop 2")
        t.press("w").type("fail\r").wait("stop 3").press("c").wait("square +thread 0").press("c").settle().press("c").wait("square +thread 1").press("c").settle()
        t.press("c").wait("fail +thread").press("c").wait(r"\braise\b")
        t.press("u").wait("frame 1").press("d").wait("frame 0").press("C").settle().press("f").settle().press("F").settle()
        t.press("t").type("\r").wait("1: worker").press("T").type("\r").wait("no tasks").press("P").type("\r").wait("1: pid")
        t.press("j").type("start\r").wait("START").press("m").type("a").wait("mark a").press("]").settle().press("[").settle()
        t.press("'").type("a").wait("START").press("Ctrl-O").settle().press("Ctrl-P").wait("START")
        t.press("/").type("square\r").settle().press(";", ",").settle().press("?").type("square\r").settle()
        t.press(":").type("hits\r").wait("of 1 hits").press("o").type("threading\r").wait("threading.py").press("e").wait("that of the recording")
        t.press("F3").settle().press("Enter").settle().press("F4").wait("tree --").press("Space", "Space").settle()
        t.press("F5").wait("timeline --").press("F6").wait("path --").press("Tab").settle().press("&", "Esc").press("F2", "Ctrl-L").settle()
        t.press("h").wait("the next line of this thread").press("h")
        self.quit(t)
        self.assertEqual({row[1] for row in self.rows()} - pressed, set())


if __name__ == "__main__":
    unittest.main()
