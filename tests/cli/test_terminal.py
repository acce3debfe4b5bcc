"""Output on a terminal: tables fit it, paths are short, a pager starts. Elsewhere nothing is shortened."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "turn"
DEEP = "a_package_with_a_long_name/another_one_inside_of_it"
# A wide text (East Asian, two columns a character), deep calls, a long name, a task, an exception.
MODULE = '''\
import json

WIDE = "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語"


def a_function_whose_name_is_so_long_that_no_table_has_room_for_all_of_it(n):
    if n:
        return a_function_whose_name_is_so_long_that_no_table_has_room_for_all_of_it(n - 1)
    return json.loads('{"a": [1, 2]}')
'''
PROGRAM = f'''\
import asyncio, sys
sys.path.insert(0, "{DEEP}")
import far_away_module


async def main():
    await asyncio.sleep(0)
    try:
        raise KeyError("k")
    except KeyError:
        far_away_module.a_function_whose_name_is_so_long_that_no_table_has_room_for_all_of_it(40)


asyncio.run(main())
'''
VIEWS = ((), ("--functions",), ("--callers", "loads"), ("--callees", "main"), ("--tree",), ("--tasks",), ("--blocking", "1us"),
         ("--exceptions",), ("--file", "far_away_module.py"))
COMMANDS = ("record", "dump", "calls", "why", "replay", "report", "history", "query", "info", "pack", "ls", "rm", "prune", "check")
LONG_NAME = "a_function_whose_name_is_so_long_that_no_table_has_room_for_all_of_it"

_folder = None


def folder():
    global _folder
    if not _folder:
        _folder = session.scratch()
        os.makedirs(os.path.join(_folder, DEEP))
        for name, text in ((DEEP + "/far_away_module.py", MODULE), ("program.py", PROGRAM)):
            with open(os.path.join(_folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        done = session.pathline("record", "-q", "--python", session.PYTHON, "--", "program.py", cwd=_folder)
        assert done.returncode == 0, done.stderr
    return _folder


def written(*words, columns=80, **environment):
    """The bytes that the command writes to a terminal of so many columns, and its exit code."""
    base = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PAGER", "PATHLINE_PAGER", "LESS")}
    base.update(TERM="xterm-256color", TZ="UTC", LC_ALL="C.UTF-8", **environment)
    here = folder()
    size = struct.pack("HHHH", 50, columns, 0, 0)
    pid, fd = pty.fork()
    if not pid:
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        os.chdir(here)
        os.execve(session.PATHLINE, ["pathline", *words], base)
    data = bytearray()
    while True:
        if not select.select([fd], [], [], 60)[0]:
            os.kill(pid, signal.SIGKILL)
        try:
            piece = os.read(fd, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        data += piece
    os.close(fd)
    return bytes(data), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def shown(*words, **more):
    """As text, without colours."""
    data, code = written(*words, **more)
    return re.sub("\x1b\\[[0-9;]*m", "", data.decode().replace("\r\n", "\n")), code


def width(line):
    return len(line) if line.isascii() else sum(2 if "\u2e80" <= c <= "\uffff" else 1 for c in line)


class Fits(unittest.TestCase):
    def test_no_row_is_wider_than_the_terminal(self):
        commands = [("report", *view) for view in VIEWS] + [("dump", "--to", "#3000"), ("dump", "-e", "raise,handled"), ("calls",), ("calls", "--all"), ("ls",), ("info",), ("check",)]
        for words in commands:
            for columns in (60, 80, 100, 200):
                with self.subTest(words, columns=columns):
                    text, code = shown(*words, "--no-pager", columns=columns)
                    self.assertEqual(code, 0)
                    self.assertTrue(text)
                    wide = [line for line in text.split("\n") if width(line) > columns]
                    self.assertEqual(wide[:3], [])

    def test_help_is_as_wide_as_the_terminal(self):
        """Elsewhere 100 columns; rows of lists stay rows, and no word is lost."""
        for command in COMMANDS:
            whole = session.pathline(command, "--help").stdout.decode()
            for columns in (60, 80, 100, 200):
                with self.subTest(command, columns=columns):
                    text = shown(command, "--help", columns=columns)[0] if columns < 200 else whole
                    self.assertEqual([line for line in text.split("\n") if width(line) > min(columns, 100)], [])
                    self.assertEqual(text.split(), whole.split())
        self.assertRegex(shown("dump", "--help", columns=60)[0], r"(?m)^ {29}tid {10}thread id, as\n {42}gettid\(2\)")
        self.assertRegex(whole, r"\n\n[^\n]+\n")

    def test_ls_has_what_matters_on_any_terminal(self):
        for columns in (60, 80):
            head, *rows = shown("ls", "--no-pager", columns=columns)[0].splitlines()
            with self.subTest(columns=columns):
                self.assertEqual([word for word in ("NAME", "LENGTH", "ENDED", "SIZE", "EXCEPTIONS") if word not in head.split()], [])
                self.assertRegex(rows[-1], r"^\d{6}-\d{6}-program .* exit 0 .* 0  \(latest\)$")

    def test_info_goes_on_in_the_next_line(self):
        """Nothing is cut but columns of tables."""
        for columns in (60, 80):
            text = shown("info", "--no-pager", columns=columns)[0]
            with self.subTest(columns=columns):
                self.assertNotIn("…", text[:text.index("\nprocesses\n")])
                self.assertIn(" ".join("from the first line of __main__ to the end of finalisation; site, .pth files and sitecustomize ran before "
                                       "recording started".split()), " ".join(text.split()))
                self.assertRegex(text, r"(?m)^  process  .* command$")
                self.assertRegex(text, r"(?m)^  process  thread .* name$")

    def test_columns_are_left_out_before_places(self):
        narrow, wide = (shown("report", "--no-pager", columns=n)[0].split("\n")[1].split() for n in (80, 200))
        self.assertLess(len(narrow), len(wide))
        self.assertEqual([narrow[0], narrow[1], narrow[-1]], ["share", "own", "line"])
        self.assertIn("error", wide)

    def test_paths_are_relative_and_shortened_from_the_left(self):
        text, _ = shown("dump", "-e", "call", "--no-pager", columns=200)
        self.assertRegex(text, rf"call <module>  {DEEP}/far_away_module.py:1")
        text, _ = shown("dump", "-e", "call", "--no-pager", columns=80)
        self.assertRegex(text, r"call <module>  …/far_away_module.py:1|call <module>  …\S+_module.py:1")
        self.assertNotIn(folder(), text)

    def test_elsewhere_nothing_is_shortened(self):
        for words in (("report", "--exceptions", "-n0"), ("report", "--tree", "--threshold=0"), ("report", "--callers=loads")):
            text = session.pathline(*words, cwd=folder()).stdout.decode()
            self.assertNotIn("…", text.replace("… ", ""), words)
        self.assertIn(f"call {LONG_NAME}(n=40)  {DEEP}/far_away_module.py:6", session.pathline("dump", cwd=folder()).stdout.decode()
                      .replace(folder() + "/", ""))

    def test_machine_forms_are_exact_on_a_terminal(self):
        for words in (("dump", "--to=#2000", "--fields=file,code,source"), ("dump", "--to=#2000", "--json"), ("report", "--csv", "-n0"), ("report", "--json")):
            text, _ = shown(*words, PATHLINE_PAGER="false")
            self.assertEqual(text.replace("\r", ""), session.pathline(*words, cwd=folder()).stdout.decode().replace("\r", ""), words)


class Pager(unittest.TestCase):
    def test_the_pager_gets_the_text_without_a_shell(self):
        text, code = shown("check", PATHLINE_PAGER="sed s/sound/$HOME;paged/")
        self.assertEqual((text[:13], code), ("$HOME;paged: ", 0))

    def test_which_one(self):
        self.assertIn("paged", shown("check", PAGER="sed s/sound/paged/")[0])
        self.assertNotIn("paged", shown("check", "--no-pager", PAGER="sed s/sound/paged/")[0])
        self.assertIn("own", shown("check", PAGER="sed s/sound/paged/", PATHLINE_PAGER="sed s/sound/own/")[0])
        for none in ("", "cat", " "):
            self.assertRegex(shown("check", PATHLINE_PAGER=none)[0], r"\Asound: ")

    def test_one_that_is_not_there(self):
        text, code = shown("check", PATHLINE_PAGER="no-such-pager -x")
        self.assertRegex(text, r"\Apathline: check: the pager 'no-such-pager' cannot be started: No such file or directory; "
                               r"--no-pager needs none\nsound: ")
        self.assertEqual(code, 0)

    def test_a_system_without_less(self):
        """Nobody asked for less, so nobody is told that it is missing."""
        text, code = shown("check", PATH="/nonexistent")
        self.assertRegex(text, r"\Asound: ")
        self.assertEqual(code, 0)

    def test_one_that_is_left_early(self):
        text, code = shown("dump", PATHLINE_PAGER="head -n 2")
        self.assertEqual((text.count("\n"), code), (2, 0))

    def test_no_colour(self):
        self.assertIn(b"\x1b[", written("dump", "--to=#50", "--no-pager")[0])
        self.assertNotIn(b"\x1b[", written("dump", "--to=#50", "--no-pager", NO_COLOR="1")[0])


class Views(unittest.TestCase):
    def report(self, *words):
        return session.pathline("report", *words, cwd=folder())

    def test_a_wrong_order_is_one_line(self):
        for view in VIEWS:
            done = self.report("--sort", "nosuch", *view)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1), view)

    def test_two_views_are_refused(self):
        for words in (("--tree", "--tasks"), ("--functions", "--exceptions"), ("--collapsed", "--tree"), ("--callers=f", "--callees=f")):
            done = self.report(*words)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words)
            self.assertRegex(done.stderr, rb"^pathline: report: --\w+ and --\w+ are two views; give one of them\n$")

    def test_what_a_view_does_not_have_is_refused(self):
        for words in (("--tree", "--file", "program.py"), ("--tasks", "--function", "main"), ("--tree", "--sort", "own")):
            done = self.report(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1), words)

    def test_time_without_python_is_explained(self):
        text = self.report("-n0").stdout.decode()
        self.assertNotIn("nothing of Python ran", text)
        self.assertRegex(text, r"(?m)^ +[\d.]+%.* [mµn]?s  no Python code on the stack: start of a thread, its end, C code$")
        of = session.Recorded(session.PROGRAM, "shop.py", "--only-mine")
        text = of.pathline("report", "-n0").stdout.decode()
        self.assertRegex(text, r"(?m)^ +[\d.]+%.* [mµn]?s  no recorded code on the stack: code that is left out, C code, start and end of a thread$")

    def test_units(self):
        for view in VIEWS[:6]:
            text = self.report(*view).stdout.decode()
            self.assertRegex(text, r"\d (µs|ms)\b", view)
            self.assertNotRegex(text, r"\d us\b", view)
        self.assertRegex(self.report().stdout.decode(), r" ±\d[\d.]* (ns|µs|ms|s) ")

    def test_tasks_say_why_a_cell_is_empty(self):
        text = self.report("--tasks").stdout.decode()
        self.assertRegex(text, r"(?m)^ *1  Task-1 ")
        if re.search(r"(?m)^ *\d+  Task-\d.* - ", text):
            self.assertIn("\n-: not known, as no time stamp lies in a stretch of the task", text)


if __name__ == "__main__":
    unittest.main()
