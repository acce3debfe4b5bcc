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
from terminal import Terminal, masked, needs_screen, session  # noqa: E402

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
TASKS = '''\
import asyncio
import threading


async def job(n, there):
    there.set()
    for i in range(4):
        await asyncio.sleep(0.002 * n)
        sum(range(1000 * n))


async def main(there):
    async with asyncio.TaskGroup() as group:
        for n in range(1, 12):
            group.create_task(job(n, there), name=f"job-{n}")


def work(there):
    there.wait()
    return sum(i for i in range(1000))


there = threading.Event()
thread = threading.Thread(target=work, args=(there,), name="worker")
thread.start()
asyncio.run(main(there))
thread.join()
'''
# Two tasks of one name, and one that is renamed while it runs.
TWINS = '''\
import asyncio


async def twin():
    for i in range(3):
        await asyncio.sleep(0.001)
        sum(range(1000))


async def renamed():
    await asyncio.sleep(0.001)
    asyncio.current_task().set_name("late")
    await asyncio.sleep(0.001)


async def main():
    await asyncio.gather(asyncio.create_task(twin(), name="twin"), asyncio.create_task(twin(), name="twin"),
                         asyncio.create_task(renamed(), name="early"))


asyncio.run(main())
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
STUCK = '''\
import os
import threading


def wait(lock):
    lock.acquire()
    print("never")


lock = threading.Lock()
lock.acquire()
threading.Thread(target=wait, args=(lock,), name="other", daemon=True).start()
print(os.getpid(), flush=True)
wait(lock)
'''
_made = {}


def recorded(name="shop.py", text=PROGRAM, *options):
    """A recording of the path alone that tests only read, made once."""
    if name not in _made:
        _made[name] = session.Recorded(text, name, "--values=none", *options)
    return _made[name]


@needs_screen
class Case(unittest.TestCase):
    maxDiff = None

    def open(self, *words, of=None, **more):
        of = of or recorded()
        t = Terminal("replay", *words, cwd=of.folder, **more)
        t.folder = of.folder
        self.addCleanup(t.close)
        return t

    def quit(self, t):
        """From whatever is shown."""
        t.press("Esc", "Esc").settle().press("q")
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
            self.quit(t)

    def test_path_of_several_processes(self):
        """Its rows are events alone, one a row; the header says which process they are of."""
        of = recorded("family.py", "import subprocess, sys\nfor code in ('1', '2'):\n    subprocess.run([sys.executable, '-c', code])\n", "--only-mine")
        t = self.open(of=of).wait("START").press("F6").wait("-- path -").settle()
        for process in 1, 2:
            t.line(f"P {process}").wait(f"process {process} ").settle()
            rows = t.text().split("-- path -")[1].split("\n")[1:9]
            self.assertNotIn("^J", "".join(rows))
            self.assertTrue(all(re.match(r"\d\d:\d\d:\d\d\.\d{6} |-- | *$", row) for row in rows), rows)
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

    def test_timeline_rows(self):
        """Tasks are under the thread that ran them, in an order that stays; the row of the position is in sight."""
        of = recorded("tasks.py", TASKS, "--only-mine")
        for rows, columns in ((40, 120), (16, 60)):
            t = self.open(of=of, rows=rows, columns=columns).wait("START").line("b 9").wait("stop 1").press("F5").wait("timeline|job-2")
            orders = set()
            for _ in range(8):
                t.press("c").settle()
                names = re.findall(r"(?:^|\|)(MainThread|worker|  \d+ (?:Task|job)-\d+) ", "\n".join(row.rstrip() for row in t.screen.display), re.M)
                orders.add(tuple(names))
                self.assertRegex(t.text(), rf"(?m)(job-\d+|worker) .*O")
            if rows == 40:
                self.assertEqual(orders, {("MainThread", "  1 Task-1", *[f"  {n + 1} job-{n}" for n in range(1, 12)], "worker")})
            self.quit(t)

    def test_timeline_rows_of_tasks_of_one_name(self):
        """Each task has a row of its own, whatever its name is, and was."""
        of = recorded("twins.py", TWINS, "--only-mine")
        t = self.open(of=of, rows=24, columns=80).wait("START").line("b 7").wait("stop 1").press("F5").wait("4 late")
        for row in ("2 twin", "3 twin", "2 twin", "3 twin"):
            t.press("c").wait(f"task {row}").wait(rf"(?m)^  {row} .*O")
            self.assertEqual(re.findall(r"(?m)^(MainThread|  \d+ [-\w]+) ", t.text()), ["MainThread", "  1 Task-1", "  2 twin", "  3 twin", "  4 late"])
        t.press("G", "Enter").wait("task 4 (early|late)").wait(r"(?m)^  4 late .*O")
        self.quit(t)

    def test_timeline_has_an_axis_and_a_legend(self):
        for columns in 80, 60:
            t = self.open(of=recorded("tasks.py", TASKS, "--only-mine"), columns=columns).wait("START").press("F5")
            t.wait(r"# ran  ~ maybe ran  \. waits  O here  \| now; width [\d.]+ \w+(  Enter: go there)? *\n")
            t.wait(r"\d\d:\d\d:\d\d\.\d{6} .*'\+\d+ (ms|µs|s)\b")
            self.quit(t)

    def test_enter_and_click_in_the_timeline_go_there(self):
        of = recorded("tasks.py", TASKS, "--only-mine")
        t = self.open(of=of, rows=40, columns=120).wait("START").press("F5").wait("worker .*[#~]")
        t.press("G", "Enter").wait(r"thread 1 worker").wait("worker .*O")
        row = next(n for n, text in enumerate(t.screen.display) if " job-7 " in text)
        column = max(n for n in range(80, 120) if t.screen.display[row][n] in "~#")
        before = re.search(r"event ([\d,]+) of", t.text())[1]
        t.type(f"\x1b[<0;{column + 1};{row + 1}M").wait(r"task \d+ job-7").wait("job-7 .*O")
        t.press("Left", "Left", "Left", "Left", "Left", "Left", "Enter").settle()
        self.assertRegex(t.text(), r"task \d+ job-7")
        self.assertNotEqual(re.search(r"event ([\d,]+) of", t.text())[1], before)
        self.quit(t)

    def test_timeline_says_how_many_rows_are_out_of_sight(self):
        of = recorded("tasks.py", TASKS, "--only-mine")        # 14 rows; 7 of them fit
        t = self.open(of=of).wait("START").press("F5").wait("(?m)^7 below +\\d\\d:")
        t.press("G").wait("(?m)^7 above +\\d\\d:").press("Up", *["Up"] * 7).wait("(?m)^5 above, 2 below +\\d\\d:")
        t.resize(40, 80).wait(lambda text: "MainThread" in text and "job-11" in text and " below" not in text and " above" not in text)
        self.quit(t)

    def test_a_row_of_the_path_is_cut_and_right_shows_the_rest(self):
        text = "def long(n):\n    return [" + ", ".join(str(n) for n in range(100)) + "]\n\n\nlong(1)\n"
        t = self.open(of=recorded("rows.py", text, "--only-mine")).wait("START").press("F6").wait("path --").wait("return long").settle()
        rows = t.text().split("path --")[1].split("\n")[1:]
        cut = next(n for n, row in enumerate(rows) if "  2  return [" in row)
        self.assertRegex(rows[cut], r"^\d\d:\d\d:\d\d\.\d{6} MainThread +2  return \[0, 1, .*…$")
        self.assertRegex(rows[cut + 1], r"^\d\d:\d\d:\d\d\.\d{6} MainThread +return long")
        t.press("Right", "Right").wait(r"(?m)^<.* 2  return \[0, 1, .*…$").press("Left", "Left").wait(r"(?m)^\S+ MainThread +2  return \[0")
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
        t.wait("SO FAR: following")
        first = int(re.search(r"event ([\d,]+) of", t.text())[1].replace(",", ""))
        program.stdin.write(b"on\n")
        program.stdin.flush()
        t.wait(lambda text: (seen := re.search(r"event ([\d,]+) of", text)) and int(seen[1].replace(",", "")) > first)
        program.stdin.close()
        self.assertEqual(program.wait(60), 0)
        t.wait("END OF RECORDING --").wait("the program has ended; the recording is complete")
        t.press("S").wait(lambda text: "the program has ended" not in text)
        self.quit(t)


    def test_a_program_that_is_stuck(self):
        """Before and after it is killed, the screen shows the line in which each thread waits."""
        folder = session.scratch()
        with open(os.path.join(folder, "stuck.py"), "w", encoding="utf-8") as f:
            f.write(STUCK)
        program = subprocess.Popen([session.PATHLINE, "record", "-q", "--only-mine", "--python", session.PYTHON, "--", "stuck.py"], cwd=folder,
                                   stdout=subprocess.PIPE)
        self.addCleanup(program.stdout.close)
        pid = int(program.stdout.readline())
        self.addCleanup(lambda: program.poll() is None and os.kill(pid, signal.SIGKILL))
        t = Terminal("replay", "--follow", "--end", cwd=folder)
        t.folder = folder
        self.addCleanup(t.close)
        t.line("t MainThread").line("j end").wait("SO FAR").wait("SEEN LAST in line 6 of wait, waiting for").wait(r"^ stuck\.py:6  wait").wait("6 >")
        # On 3.11 each line is stored when it begins, so what ran is known.
        derived = subprocess.run([session.PYTHON, "-c", "import sys; sys.monitoring"], capture_output=True, check=False).returncode == 0
        here, later, hits = (r"\?", r"\?", "not known; the path breaks off before it") if derived else ("1", "never", "1 of 1 hits")
        t.wait(rf"(?m)^ +{here} +6 > ").wait(rf"(?m)^ +{later} +7 ").line("hits").wait(f"line 6: {hits}")
        # Before it the interpreter starts: of the second or so that is known, this may be a percent.
        t.line("j start").wait(r"event 1 of \d+ \(#0\) .*   [0-4]% of time")
        t.line("t other").line("j end").wait("thread 1 other").wait(r"(?s)thread 1 other.*SEEN LAST in line 6 of wait, waiting for").line("t MainThread")
        t.line("j end").wait(r"MainThread was seen last in line 6 of wait, waiting for \S+ \w+; other: line 6 of\s+wait,\s+waiting")
        os.kill(pid, signal.SIGKILL)
        self.assertEqual(program.wait(60), -signal.SIGKILL)
        t.wait("the program has ended").wait("GAP: ").wait("END OF RECORDING --").wait("SEEN LAST in line 6 of wait, waiting for").wait(rf"(?m)^ +{later} +7 ")
        t.wait(r"  after event (\d+) of \1 \(#\1\)").press("S").wait(r"[^r] +event (\d+) of \d+ \(#\d+\)").line("j end")
        self.quit(t)
        for option in "--end", "--at-exception":
            t = Terminal("replay", option, "--thread", "0", cwd=folder)
            self.addCleanup(t.close)
            t.wait("GAP: ").wait(r"^ stuck\.py:6  wait").wait("6 >").press("F3").wait(r">  0 wait  stuck\.py:6").wait(r"1 <module>  stuck\.py:14")
            t.press("F2", "S")
            if not derived:
                t.wait(r"line .* event (\d+) of \1 ").press("S")
            t.wait("14 > ").press("s").settle()
            self.quit(t)

    def test_follow_a_program_that_has_ended(self):
        t = self.open("--follow").wait("START").wait("the program has ended; the recording is complete").press("s").wait("3 > ")
        self.quit(t)

    def test_follow_does_not_leave_the_exception_of_a_program_that_has_ended(self):
        of = recorded("fails.py", "import threading\ndef work():\n    raise KeyError(1)\nt = threading.Thread(target=work)\nt.start()\nt.join()\n", "--only-mine")
        t = self.open("--follow", "--at-exception", of=of).wait("the program has ended; the recording is complete").wait(r"(?m)^ raise .* event 6 of 7 ")
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
        t.line("clear 1").wait(r"removed 1: b \S+;\s+no\s+stop\s+is\s+left")
        self.quit(t)

    def test_stops_at_functions_are_beside_their_first_lines(self):
        text = "class C:\n    @staticmethod\n    def f():\n        return 1\n\n\ndef g():\n    return C.f()\n\n\ng()\n"
        t = self.open(of=recorded("functions.py", text)).wait("START").line("b g").wait("stop 1").line("w C.f").wait("stop 2")
        t.wait(r"(?m)^ 1 +0 +7   def g").wait(r"(?m)^ 2 +\d +2 +@staticmethod").line("clear 1").wait(lambda text: not re.search(r"(?m)^ 1 ", text))
        self.assertRegex(t.text(), r"(?m)^ 2 +\d +2 +@staticmethod")
        self.quit(t)

    def test_words_of_debuggers(self):
        """Those that print something in gdb or pdb show it on the screen."""
        for word in "where", "bt", "info stack", "backtrace":
            t = self.open().wait("START").line(word).wait("stack --")
            self.quit(t)
        t = self.open(rows=12).wait("START").line("tbreak 12").wait(r"stop 1: tbreak /\S+shop\.py:12").line("continue").wait("12 > ").line("B").wait("there is no stop")
        t.line("list 34").wait(r"34   *print\(sum").line("l").wait("12 > ").line("list work").wait("not a line number: work; try list 44")
        t.line("up").wait("frame 1").line("down").wait("frame 0").line("until 999").settle().line("finish").settle()
        self.quit(t)

    def test_history_and_completion(self):
        t = self.open().wait("START")
        t.line("j end").wait("END OF").line("j start").wait("START OF")
        t.press(":", "Up", "Up").wait(":j end").press("Down").wait(":j start").press("Esc")
        t.press("b").type("squ").press("Tab").wait(":b square").press("Enter").wait("stop 1")
        t.press("o").type("threadi").press("Tab").wait("open .*threading.py").press("Enter").wait("Thread module")
        t.press(":").type("vi").press("Tab").wait(":view").type(" tree\r").wait("tree ----")
        self.quit(t)

    def test_completion_keeps_what_was_typed(self):
        """Also where it is in the middle of the names, which begin with nothing in common."""
        of = recorded("names.py", "for name in 'one_task', 'two_task':\n    exec(compile('x = 1', name, 'exec'))\n")
        t = self.open(of=of).wait("START").press("o").type("_tas").press("Tab").wait("one_task +two_task").wait("(?m)^:open _tas *$")
        t.press("Tab").wait("(?m)^:open one_task *$").press("Enter").wait("no source")
        t.press("o", "Enter").wait("open needs a part of a file's name")
        self.quit(t)

    def test_search(self):
        t = self.open().wait("START").press("/").type("def \r").press(";", ";", ",").settle()
        t.press("?").type("nothing like it\r").wait("not found")
        t.press("F6").press("/").type("^fail\r").wait(r"\bfail +thread")
        self.quit(t)

    def test_search_of_the_path_from_the_source(self):
        """By its name: / searches the text. What was searched last is repeated."""
        t = self.open().wait("START").press("/").type("^import\r").settle()
        t.line("search ^fail$").wait(r"\bfail +thread").press(",").wait("not found")
        t.line("help /").wait(r"on\s+the\s+screen\s+/\s+searches\s+the\s+text,\s+and\s+search\s+REGEX\s+the\s+path")
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


class Help(Case):
    def last(self, t):
        return t.text().splitlines()[-1]

    def test_it_pages_is_searched_and_is_left(self):
        for leave in ("q", "Esc", "h"):
            t = self.open().wait("START").press("h").wait("KEYS").wait("q close")
            t.press("Space").wait(lambda text: "KEYS" not in text).press("PgUp").wait("KEYS")
            t.press("/").type("LEAVES? a LOOP|until\r").wait("until \\[N\\]").press("/").type("clear \r").wait("remove a stop; without")
            t.press("/").type("no such word\r").wait("not found in the help")
            t.press("G").wait("quit,exit").press("g").wait("KEYS").press(leave).wait("START OF").wait("q quit")
            self.quit(t)

    def test_has_the_commands_without_a_key(self):
        t = self.open(rows=280).wait("START").press("h")
        for word in ("clear", "hits", "until", "bt", "back", "forward", "reverse-next", "info threads"):
            t.wait(rf"(?m)\b{word}\b")
        t.press("s").wait("3 > ")                   # a key of the source leaves it
        self.quit(t)

    def test_says_what_the_screen_shows(self):
        t = self.open(rows=120).wait("START").press("h").wait("WHAT THE SCREEN SHOWS").wait(r"event 5 of 90  the event of this thread, counted from 1")
        t.wait(r"12% of time    how much of this thread's time has passed: j 12% goes there").wait(r"never +the line has not run in any thread")
        self.quit(t)

    def test_of_a_command(self):
        t = self.open().wait("START").line("help next").wait("n: the next line of this frame").line("help nonsense").wait("unknown command")
        self.quit(t)

    def test_q_and_esc_leave_views_first(self):
        for key in ("F3", "F4", "F5", "F6"):
            for leave in ("q", "Esc"):
                t = self.open().wait("START").press(key).wait("q close").press(leave).wait("q quit")
                self.assertNotRegex(t.text(), "(stack|tree|timeline|path) --")
                if leave == "Esc":
                    t.press("Esc").settle()         # in the source it does not quit
                t.press("q")
                self.assertEqual(t.end(), 0)

    def test_the_last_row_has_help_and_quit(self):
        for rows, columns in ((24, 80), (40, 120), (15, 60), (8, 30), (5, 20)):
            t = self.open(rows=rows, columns=columns).wait("h help +q quit")
            self.assertRegex(self.last(t), "h help +q quit *$")
            t.press("F6").wait("h help +q close").press("q").wait("q quit")
            self.quit(t)

    def test_space_pages_everywhere(self):
        of = recorded("pages.py", "\n".join(f"x = {n}" for n in range(200)) + "\n")
        t = self.open(of=of).wait("START").press("Space", "Space").wait("x = 40").press("F6").wait("path --").press("Space", "Space").wait("x = 14")
        self.quit(t)


    def test_its_lines_wrap(self):
        for rows, columns in ((24, 80), (24, 60)):
            t = self.open(rows=rows, columns=columns).wait("START").press("h").wait("KEYS").settle()
            seen = ""
            while not seen.endswith(page := "\n".join(t.text().split("\n")[2:-1])):
                seen += page
                t.press("Space").settle()
            self.assertNotIn("…", seen)
            self.assertRegex(seen, r"path\s+view:\s+calls,\s+exceptions;\s+help:\s+the\s+help")
            t.press("PgUp", "PgUp").press("/").type("PATH VIEW: CALLS|when each thread\r").settle()
            self.assertNotIn("not found", t.text())
            self.quit(t)

    def test_left_and_right_stay_in_it(self):
        t = self.open().wait("START").press("h").wait("KEYS").press("Right", "Right", "Left").settle()
        self.assertIn("KEYS", t.text())
        t.press("h").wait('"""A text')
        self.quit(t)

    def test_a_command_opens_it(self):
        for command in "help", "h":
            t = self.open().wait("START").line(command).wait("KEYS").press("q").wait("START")
            self.quit(t)


class Told(Case):
    """What the screen says of where it is."""

    def test_the_mode_of_stops(self):
        t = self.open().wait("a:all threads").press("a").wait("a:this thread").press("a").wait("a:all threads")
        self.quit(t)

    def test_a_long_function_leaves_room_for_the_thread(self):
        text = ("import threading\n\n\nclass " + "C" * 30 + ":\n    def " + "f" * 40 + "(self):\n        return 1\n\n\n"
                "thread = threading.Thread(target=" + "C" * 30 + "()." + "f" * 40 + ", name='pricing_thread_3')\nthread.start()\nthread.join()\n")
        of = recorded("a_module_of_a_long_name.py", text)
        for columns in 80, 60:
            t = self.open(of=of, columns=columns).wait("START").line("b 6").wait("stop 1").press("c").wait("6 > ").settle()
            first = t.text().splitlines()[0]
            self.assertRegex(first, r"\.py:6  C+.*…  thread 1 pricing_thread_3 +a:all threads *$")
            self.quit(t)

    def test_a_message_is_broken_between_words(self):
        for command in "nosuchword", "b nosuchfunction", "j nosuchtime", "T", "w":
            t = self.open(columns=40).wait("START").line(command).settle()
            words = re.split(r"\s+", t.text())
            whole = recorded().pathline("replay", "--plain", "-c", command).stdout.decode().splitlines()[-1].split("\t")[1]
            for word in whole.split():
                self.assertIn(word, words)
            self.quit(t)

    def test_a_shifted_source_says_so(self):
        t = self.open(of=recorded("shift.py", "x = 'abcdefghijklmnopqrstuvwxyz'\ny = 2\nz = 3\n")).wait("START").press("Right").wait("(?m)1 > <.*jkl")
        t.press("s").wait("2 > y = 2").press("Right").wait("2 > *$|2 >").press("Left").wait("2 > y = 2")
        self.quit(t)

    def test_a_search_in_the_path_says_where_it_looked(self):
        t = self.open(of=recorded("mine.py", PROGRAM, "--only-mine")).wait("START").press("F6").wait("path --").line("j end").wait("END")
        t.press("/").type("LookupError\r").wait(r"not found after this place; \? searches backward").press("?").type("LookupError\r").wait("\\bfail +thread")
        self.quit(t)

    def test_the_percent_is_of_the_time_as_that_of_j(self):
        """Most events are in the last moment, so a percent of events would be near 0."""
        text = "import time\n\nfor i in range(40):\n    time.sleep(0.01)\nfor i in range(20000):\n    i + 1\n"
        t = self.open(of=recorded("slow.py", text, "--only-mine")).wait("START").wait(r" \d% of time")
        for percent in 30, 60:
            t.line(f"j {percent}%").wait(lambda text, p=percent: (seen := re.search(r"(\d+)% of time", text)) and abs(int(seen[1]) - p) < 10)
        t.line("j end").wait("100% of time")
        self.quit(t)

    def test_events_are_counted_from_1_and_their_seqs_from_0(self):
        of = recorded("mine.py", PROGRAM, "--only-mine")
        seqs = [row[0] for row in of.rows("--thread", "0", "-f", "seq")]
        t = self.open(of=of).wait("START").line("j start").wait(rf"event 1 of {len(seqs):,} \(#{seqs[0]}\)")
        t.line("j end").wait(rf"event {len(seqs):,} of {len(seqs):,} \(#{seqs[-1]}\)").line("j #4").wait(r"event 5 of [\d,]+ \(#4\)")
        self.quit(t)

    def test_the_type_of_an_exception(self):
        t = self.open().wait("START").line("x LookupError").wait("stop 1").press("c").wait("raise LookupError +\\d\\d:")
        self.quit(t)

    def test_a_stop_elsewhere(self):
        t = self.open(of=recorded("mine.py", PROGRAM, "--only-mine")).wait("START").press("a").line("b work").wait("stop 1").press("c")
        t.wait(r"no later stop in this thread; 1 in worker \(a: all threads\)")
        self.quit(t)

    def test_counts(self):
        t = self.open(of=recorded("mine.py", PROGRAM, "--only-mine")).wait("START").type("4").wait("4 times").type("s").wait("15 > ")
        t.type("10").wait("10 times").press("Down").wait("15 > ").type("3").press("Esc").wait(lambda text: "times" not in text)
        t.type("2").press("a").wait("a does not take a count").type("99S").wait("4 of 99 times: no earlier line")
        self.quit(t)

    def test_files_are_relative_and_cut_from_the_left(self):
        t = self.open().wait(r"^ shop\.py:1 ").line("b Thread.start").wait("stop 1").press("c").wait(r"^ …\S*/threading\.py:\d+ ")
        self.quit(t)


class Tab(Case):
    """Tab completes, and lists what is open."""

    def test_commands(self):
        t = self.open().wait("START").press(":").type("reverse-n").press("Tab").wait(":reverse-next ").press("Esc")
        t.press(":").type("rev").press("Tab").wait(":reverse-").wait("reverse-continue +reverse-next +reverse-step")
        t.press("Tab").wait(":reverse-continue").press("Tab").wait(":reverse-finish").press("Esc").wait(lambda text: "reverse-" not in text)
        t.press(":").type("vi").press("Tab").wait(":view ").type("tr").press("Tab").wait(":view tree").press("Enter").wait("tree --")
        self.quit(t)

    def test_arguments(self):
        t = self.open(of=recorded("mine.py", PROGRAM, "--only-mine")).wait("START")
        t.press("b").type("squ").press("Tab").wait(":b square").press("Esc")
        t.press("b").type("min").press("Tab").wait(":b mine.py:").type("7\r").wait("stop 1")
        t.press("x").type("Loo").press("Tab").wait(":x LookupError").press("Enter").wait("stop 2")
        t.press("w").type("f").press("Tab").wait(":w fail").press("Esc").press("t").press("Tab").wait("MainThread +worker")
        t.type("w").press("Tab").wait(":t worker").press("Enter").wait("thread 1 worker")
        t.press("o").press("Tab").wait("mine.py").press("Esc").line("clear 1").wait("2: x").press(":").type("clear ").press("Tab").wait(":clear 2").press("Esc")
        t.press("&").type("line,rai").press("Tab").wait(":filter line,raise").press("Esc")
        t.press("P").press("Tab").wait(":P 1").press("Esc").press("b").type("zzz").press("Tab").wait("nothing completes")
        t.press("Esc")
        self.quit(t)

    def test_names_are_cleaned(self):
        of = recorded("odd.py", "exec(compile('def f(): pass\\nf()', 'odd\\x1b[31mname', 'exec'))\n")
        t = self.open(of=of).wait("START").press("o").type("odd").press("Tab").wait(r"odd\^\[\[31mname")
        self.assertNotIn(b"\x1b[31mname", t.raw)
        t.press("Esc")
        self.quit(t)


class Keys(Case):
    def rows(self):
        out = recorded().pathline("replay", "--keys").stdout.decode()
        return [row.split("\t") for row in out.splitlines()]

    def test_both_forms_of_the_keys_of_the_cursor(self):
        """Terminals send ESC [ A or ESC O A for Up, and so on, as the mode of their cursor keys is;
        some ignore the mode that is asked for."""
        for mode in "[", "O":
            t = self.open().wait("START").type(f"\x1b{mode}F").wait("fail\\(\\)").type(f"\x1b{mode}H").wait("START")
            t.type(f"\x1b{mode}B").type("b\r").wait("shop.py:2 never ran")
            t.press("F6").wait("path --").type(f"\x1b{mode}B\x1b{mode}B\x1b{mode}A\r").settle()
            t.press(":").type(f"hit\x1b{mode}D\x1b{mode}D\x1b{mode}Dx\x1b{mode}Cy\x1b{mode}Fz\x1b{mode}H0").wait("(?m)^:0xhyitz *$")
            self.quit(t)
        t = self.open().wait("START")
        for home, end in (("\x1b[1~", "\x1b[4~"), ("\x1b[7~", "\x1b[8~")):
            t.press(":").type(f"a{home}b{end}c").wait("(?m)^:bac *$").press("Esc").settle()
        self.quit(t)

    def test_what_a_terminal_sends_unasked_is_no_key(self):
        """Unknown sequences, a change of the focus, answers, and pasted text."""
        unknown = ["\x1b[I", "\x1b[O", "\x1b[25~", "\x1b[1;5S", "\x1b[27;5;106~", "\x1b[[Z", "\x1bOy", "\x1b[?62;22c", "\x1b[200~ss\x1b[Acjend\r\x1b[201~", "\x1b]11;rgb:0000/s\x1b\\"]
        for sequence in unknown:
            t = self.open().wait("START").type(sequence).settle()
            self.assertNotIn("has no meaning", t.text())
            t.type("s").settle()
            self.assertIn("3 > import threading", t.text(), repr(sequence))
            self.quit(t)
        t = self.open().wait("START").press(":").type("b \x1b[200~square\x1b[201~\x1b[I\r").wait("stop 1: b square")
        self.quit(t)

    def test_the_forms_of_the_function_keys(self):
        views = {"F2": "\x1b[12~ \x1b[[B", "F3": "\x1b[13~ \x1b[[C", "F4": "\x1b[14~ \x1b[[D", "F5": "\x1b[15~ \x1b[[E"}
        for term in "xterm-256color", "linux":
            t = self.open(term=term).wait("START")
            for form in 0, 1:
                for name, title in ("F3", "stack --"), ("F4", "tree --"), ("F5", "timeline --"):
                    t.type(views[name].split()[form]).wait(title).type(views["F2"].split()[form]).wait(lambda text, title=title: title not in text)
            t.press("q")
            self.assertEqual(t.end(), 0)

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
        t.press("End").wait("fail\\(\\)").press("Home").wait("START")
        t.press("WheelDown", "WheelUp", "Click", "a").wait("this thread only").press("a").wait("all threads")
        t.press("b").type("square\r").wait("stop 1").press("x").type("LookupError\r").wait("stop 2")
        t.press("w").type("fail\r").wait("stop 3").press("B").wait("2: x LookupError; 3: w fail").press("c").wait("square +thread 0").press("1-9").wait("2 times").press("c").wait("square +thread 1").press("c").settle()
        t.press("c").wait("fail +thread").press("c").wait(r"\braise\b")
        t.press("u").wait("frame 1").press("d").wait("frame 0").press("C").settle().press("f").settle().press("F").settle()
        t.press("t").type("\r").wait("1: worker").press("T").type("\r").wait("no tasks").press("P").type("\r").wait("1: pid")
        t.press("j").type("start\r").wait("START").press("m").type("a").wait("mark a").press("]").settle().press("[").settle()
        t.press("'").type("a").wait("START").press("Ctrl-O").settle().press("Ctrl-P").wait("START")
        t.press("/").type("square\r").settle().press(";", ",").settle().press("?").type("square\r").settle()
        t.press(":").type("hits\r").wait("of 1 hits").press("o").type("threading\r").wait("threading.py").press("e").wait("that of the recording")
        t.press("F3").settle().press("Enter").settle().press("F4").wait("tree --").press("z", "z", "Space").settle()
        t.press("F5").wait("timeline --").press("F6").wait("path --").press("Tab").wait("variables --").press("F8").wait("^ reader")\
            .press("j", "k", "u").type("d").press("b", "f").type("func == 'square'\r").wait("filter: func").press("v").wait("whole row").press("v").wait("^ reader").press("Enter").wait("square")\
            .press("F7", "&", "Esc").press("F2", "Ctrl-L").settle()
        t.press("v").wait("variables --").press("i").wait("hidden").press("i").wait("shown").press("{").wait("the values of variables").press("}", "W")
        t.press("p").type("x\r").wait("the values of variables").press("F2").settle()
        t.press("h").wait("the next line of this thread").press("h")
        self.quit(t)
        self.assertEqual({row[1] for row in self.rows()} - pressed, set())


if __name__ == "__main__":
    unittest.main()
