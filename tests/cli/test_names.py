"""Recordings have names: what `ls` prints is what every command takes, from this directory or one
below; `rm` removes recordings alone."""
import datetime
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from session import PATHLINE, PYTHON, pathline, scratch  # noqa: E402

INTERPRETERS = "turn"
QUICK = True
COMMANDS = ("dump", "calls", "replay", "report", "info", "check")


MANY = """\
import asyncio, threading
def fails():
    raise KeyError(1)
for i in range(3):
    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()
thread = threading.Thread(target=exit)
thread.start()
thread.join()
async def job(i):
    await asyncio.sleep(0)
    if i % 2:
        fails()
    await asyncio.sleep(60)
async def main():
    tasks = [asyncio.create_task(job(i)) for i in range(10)]
    for i in range(3):
        await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
asyncio.run(main())
raise RuntimeError
"""
# Behind the task that fails there are more events than are searched.
LONG = """\
import asyncio
async def fails():
    raise KeyError(1)
async def main():
    await asyncio.wait([asyncio.create_task(fails())])
asyncio.run(main())
for i in range(600000):
    i += 1
"""
# Very many coroutines end by an exception; another coroutine awaits each, so that no task ends.
AWAITED = """\
import asyncio
async def fails(i):
    if i % 5 == 0:
        raise KeyError(i)
async def main():
    for i in range(20000):
        try:
            await fails(i)
        except KeyError:
            pass
asyncio.run(main())
"""


def record(folder, name, text="pass\n", *options):
    """A recording of that name in the folder's .pathline."""
    script = os.path.join(folder, f"{name}.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(text)
    pathline("record", "-q", *options, "--python", PYTHON, script, cwd=folder)
    made = [n for n in os.listdir(os.path.join(folder, ".pathline")) if n.endswith("-" + name)]
    return made[0]


class Folder:
    """Three recordings, and one in which no Python ran; the names differ in the second, or in what
    follows it."""

    def __init__(self):
        self.folder = scratch()
        self.names = [record(self.folder, name) for name in ("alpha", "beta", "gamma")]
        self.talk = pathline("record", "true", cwd=self.folder).stderr.decode()
        self.below = os.path.join(self.folder, "one", "two")
        os.makedirs(self.below)

    def __call__(self, *words, cwd=None):
        done = pathline(*words, cwd=cwd or self.folder)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def found(self, *words, **options):
        """Which recording is it?"""
        code, out, errors = self("info", "--json", *words, **options)
        return os.path.basename(json.loads(out)["data"]["directory"]) if code == 0 else (code, errors)


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()

    def test_what_ls_prints_is_taken_by_every_command(self):
        code, out, errors = self.folder("ls")
        self.assertEqual((code, errors), (0, ""))
        names = [line.split()[0] for line in out.splitlines()]
        self.assertEqual(names[0], "NAME")
        self.assertEqual(names[1:4], self.folder.names)
        for name in self.folder.names:
            for command in COMMANDS:
                code, _, errors = self.folder(command, name)
                self.assertEqual((code, errors), (0, ""), command)
            self.assertEqual(self.folder.found(name), name)

    def test_latest_and_those_before(self):
        alpha, beta, gamma = self.folder.names
        for words, name in (((), gamma), (("latest",), gamma), (("latest~0",), gamma), (("latest~1",), beta), (("latest~",), beta),
                            (("latest~2",), alpha)):
            self.assertEqual(self.folder.found(*words), name)
        code, errors = self.folder.found("latest~3")
        self.assertEqual((code, errors), (2, "pathline: info: there are only 2 recordings before the latest one in .pathline; "
                                             "`pathline ls` lists them\n"))

    def test_beginnings(self):
        for name in self.folder.names:
            for end in range(len(name), 0, -1):
                others = [n for n in os.listdir(os.path.join(self.folder.folder, ".pathline")) if n.startswith(name[:end])]
                found = self.folder.found(name[:end])
                if len(others) == 1:
                    self.assertEqual(found, name)
                else:
                    self.assertEqual(found[0], 2)
                    self.assertRegex(found[1], rf"^pathline: info: '{name[:end]}' is the beginning of {len(others)} recordings: "
                                               rf".*; type more of the name\n$")

    def test_from_a_directory_below(self):
        alpha, _, gamma = self.folder.names
        for words, name in (((), gamma), ((alpha,), alpha), (("latest~2",), alpha)):
            self.assertEqual(self.folder.found(*words, cwd=self.folder.below), name)
        self.assertEqual(self.folder("ls", cwd=self.folder.below)[1], self.folder("ls")[1])

    def test_the_nearest_folder_counts(self):
        folder = Folder()
        self.assertEqual(folder.found(folder.names[0], cwd=folder.below), folder.names[0])
        name = record(folder.below, "delta")
        self.assertEqual(folder.found(cwd=folder.below), name)
        self.assertEqual(folder.found(folder.names[0], cwd=folder.below)[0], 2)

    def test_paths(self):
        path = os.path.join(".pathline", self.folder.names[0])
        self.assertEqual(self.folder.found(path), self.folder.names[0])
        self.assertEqual(self.folder.found(path + "/"), self.folder.names[0])
        self.assertEqual(self.folder.found(".pathline/latest"), self.folder.names[2])
        self.assertEqual(self.folder.found(self.folder.names[0], cwd=os.path.join(self.folder.folder, ".pathline")), self.folder.names[0])

    def test_what_is_none(self):
        nothing = scratch()
        for words, text, cwd in (
                (("nosuch",), "there is no recording 'nosuch' in .pathline; `pathline ls` lists them", None),
                (("./nosuch",), "there is no recording './nosuch': No such file or directory", None),
                (("",), "there is no recording '' in .pathline; `pathline ls` lists them", None),
                (("one",), "one is not a recording: it has no file `meta`", None),
                (("latest", "latest"), "one recording at a time; 'latest' is too much", None),
                ((), "there is no recording in this directory or above it; make one with: pathline record script.py", nothing),
                (("latest",), "there is no recording in this directory or above it; make one with: pathline record script.py", nothing),
                (("x",), "there is no recording 'x': No such file or directory", nothing)):
            with self.subTest(words):
                self.assertEqual(self.folder("info", *words, cwd=cwd), (2, "", f"pathline: info: {text}\n"))

    def test_no_path_at_all(self):
        folder = scratch()
        pathline("record", "true", cwd=folder)
        done = pathline("replay", cwd=folder)
        self.assertEqual((done.returncode, done.stderr),
                         (2, b"pathline: replay: no recording in .pathline has a path: no Python ran; `pathline ls` lists them\n"))

    def test_file_missing(self):
        """A recording without its `meta` is a bad one."""
        folder = Folder()
        os.unlink(os.path.join(folder.folder, ".pathline", folder.names[0], "meta"))
        for command in COMMANDS:
            code, out, errors = folder(command, folder.names[0])
            self.assertEqual((code, out, errors), (3, "", f"pathline: {command}: .pathline/{folder.names[0]} cannot be read: its file "
                                                          "`meta`, which describes the rest, is missing\n"))

    def test_what_files_say_of_a_directory(self):
        """Without `meta`, one with other files of a recording is a bad recording; one without any
        is none."""
        folder = scratch()
        for name, bad in (("events.000001", True), ("pathline-0-8a85c07dabd31564.arena", True), ("events.log", False), ("notes.arena", False), (None, False)):
            directory = os.path.join(folder, f"of {name}")
            os.mkdir(directory)
            if name:
                open(os.path.join(directory, name), "w", encoding="utf-8").close()
            why = "cannot be read: its file `meta`, which describes the rest, is missing" if bad else "is not a recording: it has no file `meta`"
            for command in COMMANDS:
                done = pathline(command, f"of {name}", cwd=folder)
                self.assertEqual((done.returncode, done.stdout, done.stderr.decode()), (3 if bad else 2, b"", f"pathline: {command}: of {name} {why}\n"))

    def test_hostile_names(self):
        folder = scratch()
        os.makedirs(os.path.join(folder.encode(), b".pathline", b"\x1b]0;odd\x07\n"))
        for words in (("dump", "\x1b]0;x"), ("rm", "\x1b]0;odd"), ("ls",), ("ls", "\x1b]0;x"), ("info", "x" * 5000), ("rm", "x/" * 3000)):
            done = pathline(*words, cwd=folder)
            self.assertIn(done.returncode, (2, 3))
            self.assertNotRegex(done.stderr[:-1], rb"[\x00-\x1f\x7f]")


class Ls(unittest.TestCase):
    def test_columns(self):
        folder = scratch()
        record(folder, "fails", "def f():\n    raise KeyError(1)\nf()\n")
        record(folder, "exits", "raise SystemExit(3)\n")
        lines = pathline("ls", cwd=folder).stdout.decode().splitlines()
        self.assertEqual(lines[0].split(), ["NAME", "STARTED", "LENGTH", "ENDED", "SIZE", "EVENTS", "EXCEPTIONS"])
        self.assertRegex(lines[1], r"^\d{6}-\d{6}-fails +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +[\d.]+ \w+ +exit 1 +[\d.]+ \w+ +[\d,]+ +1 KeyError$")
        self.assertRegex(lines[2], r"^\d{6}-\d{6}-exits .* exit 3 .* 0  \(latest\)$")
        fails, exits = (json.loads(line)["data"] for line in pathline("ls", "--json", cwd=folder).stdout.splitlines())
        self.assertEqual((fails["exception"], fails["exception_ended"], fails["latest"]), ("KeyError", "the main thread", False))
        self.assertEqual((exits["exception"], exits["exception_ended"], exits["latest"]), (None, None, True))
        self.assertEqual([(row["exceptions"], row["exceptions_all"]) for row in (fails, exits)], [(1, True), (0, True)])

    def test_a_name_of_the_second_before(self):
        """The directory is made after its name was, which can be in the next second."""
        folder = scratch()
        first, second = record(folder, "first"), record(folder, "second")
        home = os.path.join(folder, ".pathline")
        before = datetime.datetime.strptime(second[:13], "%y%m%d-%H%M%S") - datetime.timedelta(seconds=1)
        os.rename(os.path.join(home, second), os.path.join(home, f"{before:%y%m%d-%H%M%S}-second"))
        names = [line.split()[0] for line in pathline("ls", cwd=folder).stdout.decode().splitlines()]
        self.assertEqual([name[14:] for name in names[1:]], ["first", "second"])

    def test_directories_that_are_no_recordings(self):
        folder = scratch()
        os.makedirs(os.path.join(folder, "other", "deep"))
        done = pathline("ls", folder)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(done.stderr.decode(), f"pathline: ls: there is no recording in {folder}; make one with: pathline record script.py\n")
        pathline("record", "-q", "-o", os.path.join(folder, "one"), "--python", PYTHON, "-c", "pass")
        done = pathline("ls", folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual([line.split()[0] for line in done.stdout.decode().splitlines()], ["NAME", "one"])
        done = pathline("ls", "one", cwd=os.path.join(folder, "other"))
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertEqual(done.stderr.decode(), "pathline: ls: there is no folder 'one'; ls takes a folder with recordings, "
                                               "and `pathline info one` says what is in a recording\n")
        os.remove(os.path.join(folder, "one", "meta"))
        self.assertEqual(pathline("ls", folder).returncode, 3)

    def test_what_exceptions_ended_is_counted(self):
        """Threads, tasks and processes, each once; a task that was cancelled and an exit are none.
        """
        folder = scratch()
        record(folder, "many", MANY)
        row = json.loads(pathline("ls", "--json", cwd=folder).stdout)["data"]
        self.assertEqual((row["exceptions"], row["exceptions_all"], row["exception"]), (3 + 5 + 1, True, "RuntimeError"))
        self.assertRegex(pathline("ls", cwd=folder).stdout.decode(), r" 9, last RuntimeError  \(latest\)\n$")

    def test_what_is_left_out_does_not_change_the_count(self):
        for options in ((), ("--exclude", "re"), ("--exclude", "json"), ("--only-mine",), ("--exclude", "stdlib"),
                        ("--exclude", "threading")):
            with self.subTest(options):
                folder = scratch()
                record(folder, "thread", MANY.partition("async def")[0], *options)
                row = json.loads(pathline("ls", "--json", cwd=folder).stdout)["data"]
                self.assertEqual((row["exceptions"], row["exception"]), (3, "KeyError"))

    def cpu(self, *words, cwd):
        """Seconds of a processor that it takes."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.assertEqual(pathline(*words, cwd=cwd).returncode, 0)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def test_each_event_is_read_a_few_times_at_most(self):
        """However many of them may have ended something: `ls` takes about as long as a dump, not a
        hundred times as long."""
        folder = scratch()
        record(folder, "awaited", AWAITED)
        self.assertRegex(pathline("ls", cwd=folder).stdout.decode(), r" 0  \(latest\)\n$")
        self.assertLess(self.cpu("ls", cwd=folder), 0.1 + 10 * self.cpu("dump", "-e", "unwind", "-f", "seq", cwd=folder))

    def test_what_is_not_searched_is_told(self):
        """By `ls` with a +, and by `record`; `--at-exception` searches all."""
        folder = scratch()
        lines = Ends.record(self, LONG + "raise SystemExit(1)\n", folder=folder)
        self.assertEqual(lines[2:4], ["pathline: no exception ended a thread, task or process in the last 1,048,576 events of each thread",
                                      "pathline: search the rest as well: pathline replay --at-exception"])
        row = json.loads(pathline("ls", "--json", cwd=folder).stdout)["data"]
        self.assertEqual((row["exceptions"], row["exceptions_all"], row["exception"]), (0, False, None))
        self.assertRegex(pathline("ls", cwd=folder).stdout.decode(), r" 0\+  \(latest\)\n$")
        shown = pathline("replay", "--at-exception", "--plain", cwd=folder).stdout.decode()
        self.assertRegex(shown, r"\traise\t.*program\.py\t3\tfails\tKeyError\t\d+\tTask-\d+\n")

    def test_what_is_not_searched_is_not_told_of_a_program_that_ended_well(self):
        self.assertEqual(Ends.record(self, LONG)[2:], Ends.NEXT)

    def test_ends_in_plain_words(self):
        folder = scratch()
        record(folder, "becomes", "import os\nos.execv('/bin/true', ['true'])\n")
        self.assertIn(" became another program ", pathline("ls", cwd=folder).stdout.decode())
        self.assertIn(" became another program ", pathline("info", cwd=folder).stdout.decode())

    def test_folder(self):
        """A folder with a .pathline, or one that has recordings itself."""
        folder = Folder()
        for words in ((folder.folder,), (os.path.join(folder.folder, ".pathline"),)):
            self.assertEqual(folder("ls", *words, cwd="/"), folder("ls"))


class Rm(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.home = os.path.join(self.folder.folder, ".pathline")

    def left(self):
        return sorted(n for n in os.listdir(self.home) if n not in (".gitignore", "latest") and not n.endswith("-true"))

    def refused(self, *words, why, code=2):
        before = self.left()
        self.assertEqual(self.folder("rm", *words)[0], code)
        self.assertRegex(self.folder("rm", *words)[2], why)
        self.assertEqual(self.left(), before)

    def test_names(self):
        alpha, beta, gamma = self.folder.names
        self.assertEqual(self.folder("rm", alpha, "latest~1"), (0, "", ""))
        self.assertEqual(self.left(), [gamma])

    def test_all_are_looked_up_first(self):
        self.assertEqual(self.folder("rm", "latest", "latest~1", self.folder.names[2]), (0, "", ""))
        self.assertEqual(self.left(), self.folder.names[:1])

    def test_latest_is_the_one_that_is_left(self):
        alpha, beta, _ = self.folder.names
        self.folder("rm", "latest")
        self.assertEqual(self.folder.found(), beta)
        self.folder("rm", beta)
        self.assertEqual(self.folder.found(), alpha)
        self.folder("rm", alpha, cwd=self.folder.below)
        self.assertFalse(os.path.lexists(os.path.join(self.home, "latest")))

    def test_one_that_is_wrong_keeps_all(self):
        self.refused(self.folder.names[0], "nosuch", why="^pathline: rm: there is no recording 'nosuch' in .pathline;")
        self.refused(why="^pathline: rm: no recording is named; `pathline ls` lists them\n$")

    def test_what_is_not_a_recording(self):
        os.mkdir(os.path.join(self.home, "empty"))
        self.refused("empty", why="is not removed: it is not a recording: it has no file `meta`")
        self.refused(self.home, "-f", why="is not removed: it is not a recording")
        self.refused("alpha.py", "-f", why="is not removed: it is not a directory; a link is not followed")
        with open(os.path.join(self.home, self.folder.names[0], "notes.txt"), "w", encoding="utf-8"):
            pass
        self.refused(self.folder.names[0], "--force", why="is not removed: notes.txt in it is not part of a recording")

    def test_links_are_not_followed(self):
        """Neither to a recording nor out of one."""
        folder, name = self.folder.folder, self.folder.names[0]
        os.symlink(os.path.join(self.home, name), os.path.join(folder, "link"))
        self.refused("link", why="is not removed: it is not a directory; a link is not followed")
        self.refused(os.path.join(".pathline", "latest"), why="a link is not followed")
        outside = os.path.join(folder, "outside")
        with open(outside, "w", encoding="utf-8") as f:
            f.write("text")
        os.symlink(outside, os.path.join(self.home, name, "events.000999"))
        self.assertEqual(self.folder("rm", name), (0, "", ""))
        self.assertTrue(os.path.exists(outside))
        # A link out of the folder that is called latest is nobody's recording here.
        elsewhere = Folder()
        os.unlink(os.path.join(self.home, "latest"))
        os.symlink(os.path.join(elsewhere.folder, ".pathline", elsewhere.names[0]), os.path.join(self.home, "latest"))
        self.assertEqual(self.folder("rm", "latest"), (0, "", ""))
        self.assertEqual(len(os.listdir(os.path.join(elsewhere.folder, ".pathline"))), 6)

    def test_still_being_written(self):
        process = subprocess.Popen([PATHLINE, "record", "-q", "--python", PYTHON, "-c", "print('ready', flush=True); input()"],
                                   cwd=self.folder.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(process.stdout.readline(), "ready\n")
            self.refused("latest", why="is not removed: it is still being written; --force removes it all the same")
            name = os.readlink(os.path.join(self.home, "latest"))
            self.assertEqual(self.folder("rm", "--force", "latest"), (0, "", ""))
            self.assertNotIn(name, self.left())
        finally:
            process.communicate("\n")
        self.assertEqual(process.returncode, 0)

    def test_damaged(self):
        name = self.folder.names[0]
        with open(os.path.join(self.home, name, "meta"), "wb") as f:
            f.write(b"x" * 16)
        self.refused(name, why="it cannot be read, so perhaps it is still being written; --force removes it all the same")
        self.assertEqual(self.folder("rm", "-f", name), (0, "", ""))
        self.assertNotIn(name, self.left())


class Ends(unittest.TestCase):
    """What `record` says last."""

    def record(self, text, *options, folder=None):
        folder = folder or scratch()
        with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as f:
            f.write(text)
        done = pathline("record", *options, "--python", PYTHON, "program.py", cwd=folder)
        return [line for line in done.stderr.decode().splitlines() if line.startswith("pathline: ")]

    NEXT = ["pathline: go through it:           pathline replay", "pathline: see where time went:     pathline report"]

    def test_next(self):
        self.assertEqual(self.record("pass\n")[2:], self.NEXT)
        self.assertEqual(self.record("raise SystemExit(3)\n")[2:], self.NEXT)
        self.assertEqual(self.record("pass\n", "-o", "new/sub dir")[2:], [line + " 'new/sub dir'" for line in self.NEXT])

    def test_crash(self):
        text = "import threading\ndef f():\n    raise KeyError(1)\n"
        see = ["pathline: see why:                 pathline why", "pathline: see where it was raised: pathline replay --at-exception"]
        for more, ended in (("f()\n", "the main thread"), ("threading.Thread(target=f, name='pump').start()\n", "thread pump")):
            lines = self.record(text + more)
            self.assertEqual(lines[2:], [f"pathline: KeyError ended {ended}; it was raised in f, program.py:3", *see, *self.NEXT])

    def test_crash_and_more(self):
        """The way that is told leads to where the other was raised."""
        folder = scratch()
        lines = self.record("import threading\ndef f():\n    raise KeyError(1)\nt = threading.Thread(target=f)\nt.start()\nt.join()\n"
                            "raise RuntimeError\n", folder=folder)
        self.assertEqual(lines[2:7], ["pathline: RuntimeError ended the main thread; it was raised in <module>, program.py:7",
                                      "pathline: see why:                 pathline why",
                                      "pathline: see where it was raised: pathline replay --at-exception",
                                      "pathline: 1 more thread, task or process ended by an exception",
                                      "pathline: see all of them:         pathline report --exceptions"])
        shown = pathline("report", "--exceptions", cwd=folder).stdout.decode().splitlines()
        self.assertEqual({" ".join(row.split()[2:4]) for row in shown[2:4]}, {"KeyError: 1", "RuntimeError <module>"})
        self.assertEqual({"ended thread" in row or "ended main thread" in row for row in shown[2:4]}, {True})
        self.assertNotIn("ended", "".join(shown[4:]))
        self.assertTrue([row for row in shown[2:4] if "program.py:3" in row], shown)

    def test_kill(self):
        folder = scratch()
        text = "import os, threading\ndef f():\n    os.kill(os.getpid(), %d)\n%s\n"
        here, there = "f()", "t = threading.Thread(target=f); t.start(); t.join()"
        for number, name, how in ((9, "Killed", here), (11, "Segmentation fault", here), (9, "Killed", there)):
            lines = self.record(text % (number, how), folder=folder)
            self.assertEqual(lines[2:], [f"pathline: the program was killed by signal {number} ({name})",
                                         "pathline: see what ran last:       pathline replay --end", *self.NEXT])
            shown = pathline("replay", "--end", "--plain", cwd=folder).stdout.decode()
            self.assertRegex(shown, r"program\.py\t3\tf\t(killed|signal)\t\t$")
            done = pathline("replay", "--at-exception", "--plain", cwd=folder)
            self.assertEqual((done.returncode, done.stdout.decode()), (0, shown))
            self.assertIn("no exception ended anything; the program was killed, and this is its last event\n", done.stderr.decode())

    def test_kill_of_a_child(self):
        """Processes that a signal ended are told, but not those that SIGTERM or SIGINT ended."""
        text = "import os, signal, sys\ndef f(n):\n    os.kill(os.getpid(), n)\n" \
               "for name in NAMES:\n    if not os.fork():\n        signal.signal(signal.SIGINT, signal.SIG_DFL)\n" \
               "        f(getattr(signal, name))\n    os.wait()\nsys.exit(1)\n"
        last = "pathline: see what ran last in it: pathline replay --process %d --end"
        for names, numbers, more in ((["SIGTERM", "SIGSEGV", "SIGINT"], [3], ""), (["SIGABRT"] * 4, [2, 3, 4], "1 more process was"),
                                     (["SIGABRT"] * 5, [2, 3, 4], "2 more processes were"), (["SIGTERM", "SIGINT"], [], "")):
            with self.subTest(names):
                folder = scratch()
                lines = self.record(text.replace("NAMES", repr(names)), folder=folder)
                told = [f"pathline: process {n} was killed by {names[n - 2]}" for n in numbers] + [last % n for n in numbers[:1]]
                if more:
                    told += [f"pathline: {more} killed by signals", "pathline: see all of them:         pathline info"]
                self.assertEqual(lines[2:], [*told, *self.NEXT])
                done = pathline("replay", "--at-exception", "--plain", cwd=folder)
                if not numbers:
                    self.assertRegex(done.stdout.decode(), r"\traise\t.*program\.py\t9\t<module>\tSystemExit\t\t$")
                    continue
                shown = pathline("replay", "--plain", "-p", str(numbers[0]), "--end", cwd=folder).stdout.decode()
                self.assertRegex(shown, r"program\.py\t3\tf\tsignal\t\t$")
                self.assertEqual((done.returncode, done.stdout.decode()), (0, shown))
                self.assertEqual(done.stderr.decode(), f"pathline: replay: no exception ended anything; process {numbers[0]} was killed by "
                                                       f"{names[numbers[0] - 2]}, and this is its last event\n")

    def test_crash_of_a_task_and_a_process(self):
        task = "import asyncio\nasync def f():\n    raise KeyError(1)\nasync def main():\n" \
               "    await asyncio.wait([asyncio.create_task(f(), name='bomb')])\nasyncio.run(main())\n"
        self.assertIn("pathline: KeyError ended task bomb; it was raised in f, program.py:3", self.record(task))
        fork = "import os\npid = os.fork()\nif not pid:\n    raise KeyError(1)\nos.waitpid(pid, 0)\n"
        self.assertIn("pathline: KeyError ended process 2; it was raised in <module>, program.py:4", self.record(fork))

    def test_crash_where_there_are_several_processes(self):
        """The process is named: each has a main thread, and can have a thread of that name."""
        text = "import asyncio, os, sys, threading\ndef f():\n    raise KeyError(1)\nasync def a():\n    raise KeyError(1)\n" \
               "async def main():\n    await asyncio.wait([asyncio.create_task(a(), name='bomb')])\n" \
               "if os.fork() %s 0:\n    %s\n    os._exit(0)\nos.wait()\n"
        thread = "t = threading.Thread(target=f, name='pump'); t.start(); t.join()"
        for test, how, ended in (("==", thread, "thread pump of process 2"), ("==", "asyncio.run(main())", "task bomb of process 2"),
                                 (">", "os.wait(); f()", "the main thread of process 1"), ("==", "f()", "process 2")):
            with self.subTest(ended):
                folder = scratch()
                lines = self.record(text.replace("os.wait()\n", "" if test == ">" else "os.wait()\n") % (test, how), folder=folder)
                self.assertRegex("\n".join(lines), rf"(?m)^pathline: KeyError ended {ended}; it was raised in [af], program\.py:[35]$")
                row = json.loads(pathline("ls", "--json", cwd=folder).stdout)["data"]
                self.assertEqual((row["exceptions"], row["exception_ended"]), (1, ended))

    def test_crash_while_a_process_still_runs(self):
        """Of those that have ended it is known: the recording goes on meanwhile."""
        folder = scratch()
        gate = os.path.join(folder, "gate")
        os.mkfifo(gate)
        child = "import sys; print(flush=True); open(sys.argv[1]).read()"
        lines = self.record(f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {child!r}, {gate!r}], "
                            "stdin=-3, stdout=-1, stderr=-3).stdout.readline()\nraise LookupError\n", folder=folder)
        with open(gate, "w", encoding="utf-8"):
            pass
        self.assertIn("still runs; recording goes on until it ends", lines[2])
        self.assertIn("pathline: LookupError ended the main thread of process 1; it was raised in <module>, program.py:3", lines)

    def test_the_command_that_is_told_works(self):
        folder = scratch()
        lines = self.record("def f():\n    raise KeyError(1)\nf()\n", "-o", "it's", folder=folder)
        command = next(line for line in lines if "--at-exception" in line).split(": ", 2)[2].strip()
        done = subprocess.run(command + " --plain", shell=True, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                              env=dict(os.environ, PATH=os.path.dirname(PATHLINE) + os.pathsep + os.environ["PATH"]))
        self.assertRegex(done.stdout.decode(), r"^[^!].*\traise\t.*program\.py\t2\tf\tKeyError\t\t\n$")

    def test_no_python(self):
        folder = Folder()
        self.assertEqual(folder.talk, "pathline: nothing was recorded: 'true' started no Python that can be recorded\n"
                                      "pathline: try the command that starts Python itself, such as: pathline record script.py\n"
                                      f"pathline: the latest recording is still {folder.names[2]}\n")
        self.assertEqual(folder.found(), folder.names[2])
        self.assertEqual(pathline("record", "-q", "true", cwd=folder.folder).stderr.decode().count("\n"), 1)

    def test_no_line_of_python(self):
        """A mistyped name: Python runs, and nothing in it."""
        folder = Folder()
        done = pathline("record", "--python", PYTHON, "shop/order.py", cwd=folder.folder)
        self.assertEqual(done.returncode, 2)
        lines = [line for line in done.stderr.decode().splitlines() if line.startswith("pathline: ")]
        self.assertEqual(lines, ["pathline: nothing was recorded: there is no file 'shop/order.py'",
                                 "pathline: try the path of a script, as it is from this directory: pathline record script.py"])
        done = pathline("record", "--python", PYTHON, "sh", "-c", "true", cwd=folder.folder)
        self.assertEqual([line for line in done.stderr.decode().splitlines() if line.startswith("pathline: ")], [
            "pathline: nothing was recorded: there is no file 'sh'",
            "pathline: with --python, WHAT is a script, -m or -c; to run the command sh, leave --python out"])
        self.assertEqual(folder.found(), folder.names[2])
        home = os.path.join(folder.folder, ".pathline")
        before = set(os.listdir(home))
        self.assertEqual([n for n in before if n.endswith("-order")], [], "it is no recording")
        # The words of a command are not looked up before it runs.
        pathline("record", "--", PYTHON, "shop/order.py", cwd=folder.folder)
        name, = set(os.listdir(home)) - before
        some = json.loads(folder("info", "--json", name)[1])["data"]["events"]   # 3.11 imports something
        for words in () if some else ((), ("--at-exception",), ("--end",)):
            done = pathline("replay", "--plain", *words, name, cwd=folder.folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr.decode()),
                             (0, b"", f"pathline: replay: nothing of Python ran in this recording; `pathline info {name}` says what did\n"))

    def test_nothing_of_what_is_chosen_ran(self):
        folder = Folder()
        done = pathline("record", "--python", PYTHON, "--include", "nothing", "alpha.py", cwd=folder.folder)
        self.assertIn("pathline: nothing was recorded: no code that --include, --exclude and --only-mine choose has run\n", done.stderr.decode())
        self.assertIn("pathline: --include 'nothing' matched no code that ran\n", done.stderr.decode())
        self.assertEqual(folder.found(), folder.names[2])
        self.assertIn(f"pathline: the latest recording is still {folder.names[2]}\n", done.stderr.decode())
        done = pathline("record", "--python", PYTHON, "--include", "nothing", "-c", "raise SystemExit(7)", cwd=folder.folder)
        self.assertIn("pathline: nothing was recorded: the program ended with exit code 7, and no code that --include, ", done.stderr.decode())
        done = pathline("record", "--python", PYTHON, "--include", "nothing", "-o", "own", "alpha.py", cwd=folder.folder)
        self.assertNotIn("latest", done.stderr.decode())
        done = pathline("record", "-q", "--python", PYTHON, "--include", "nothing", "alpha.py", cwd=folder.folder)
        self.assertEqual(done.stderr.decode().splitlines()[1:], ["pathline: --include 'nothing' matched no code that ran"])

    def test_git_ignores_it(self):
        folder = scratch()
        git = shutil.which("git")
        self.record("pass\n", folder=folder)
        ignore = os.path.join(folder, ".pathline", ".gitignore")
        with open(ignore, encoding="utf-8") as f:
            self.assertEqual(f.read(), "*\n")
        if git:
            subprocess.run([git, "init", "-q"], cwd=folder, check=True)
            status = subprocess.run([git, "status", "--porcelain"], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
            self.assertEqual(status.stdout, "?? program.py\n")
        with open(ignore, "w", encoding="utf-8"):
            pass
        self.record("pass\n", folder=folder)
        self.assertEqual(os.path.getsize(ignore), 0, "who wants the recordings in the repository is overruled")

    def test_folders_are_made(self):
        folder = scratch()
        self.assertIn("pathline: recorded in new/sub/dir, ", self.record("pass\n", "-o", "new/sub/dir", folder=folder)[0])
        done = pathline("record", "-o", "other/sub/dir", "no-such-command", cwd=folder)
        self.assertEqual(done.returncode, 127)
        self.assertEqual(sorted(os.listdir(folder)), ["new", "program.py"], "something was left behind")
        done = pathline("record", "-o", "program.py/sub", "true", cwd=folder)
        self.assertEqual((done.returncode, done.stderr),
                         (125, b"pathline: record: the directory 'program.py/sub' cannot be made: Not a directory\n"))

    def test_nothing_is_left_of_what_was_not_run(self):
        folder = scratch()
        self.assertEqual(pathline("record", "no-such-command", cwd=folder).returncode, 127)
        self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
