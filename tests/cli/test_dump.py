"""pathline dump: fields, selections, forms, and a reader that goes away."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from session import PATHLINE, shop  # noqa: E402

INTERPRETERS = "two"

QUICK = True


def own(rows, at=0):
    """Rows of the recorded script, by the column of their file."""
    return [row for row in rows if row[at] == "shop.py" or row[at].endswith("/shop.py")]


TASKS = '''\
import asyncio


async def work(n):
    for i in range(n):
        await asyncio.sleep(0)


async def main():
    await asyncio.gather(asyncio.create_task(work(2), name="one"), asyncio.create_task(work(3), name="two"))


asyncio.run(main())
'''


class Fields(unittest.TestCase):
    def test_path_of_the_program(self):
        path = [row[1:] for row in own(shop().rows("--thread", "worker", "--fields", "file,event,code,line"))]
        inside = [[event, code, line] for event, code, line in path if code != "<module>"]
        self.assertEqual(inside, [
            ["call", "work", "20"], ["line", "work", "21"],
            ["call", "numbers", "8"], ["line", "numbers", "9"], ["line", "numbers", "10"],
            ["call", "square", "4"], ["line", "square", "5"], ["return", "square", "5"],
            ["yield", "numbers", "10"], ["resume", "numbers", "10"], ["line", "numbers", "9"], ["line", "numbers", "10"],
            ["call", "square", "4"], ["line", "square", "5"], ["return", "square", "5"],
            ["yield", "numbers", "10"], ["resume", "numbers", "10"], ["line", "numbers", "9"], ["return", "numbers", "9"],
            ["return", "work", "21"]])

    def test_all_fields_in_any_order(self):
        one = shop().rows("--fields", "pid,tid,seq,event,file,first,code,line,depth,time,task,type")
        other = shop().rows("--fields", "type,task,time,depth,line,code,first,file,event,seq,tid,pid")
        self.assertEqual([row[::-1] for row in other], one)
        self.assertTrue(all(len(row) == 12 for row in one))
        for row in one:
            self.assertRegex(row[9], r"^[0-9]+\.[0-9]{9}$")
            self.assertLess(abs(float(row[9]) - time.time()), 3600)

    def test_seq_counts_from_0_by_one(self):
        threads = {}
        for tid, seq, event in shop().rows("--fields", "tid,seq,event"):
            threads.setdefault(tid, []).append(int(seq))
        self.assertEqual(len(threads), 2)
        for numbers in threads.values():
            self.assertEqual(numbers, list(range(len(numbers))))

    def test_exceptions_have_types(self):
        rows = own(shop().rows("--events", "raise,handled", "--fields", "file,event,code,line,type"))
        mine = [(event, type_) for _, event, code, _, type_ in rows if code == "fail"]
        self.assertEqual(mine, [("raise", "KeyError"), ("handled", "KeyError")])
        self.assertEqual([row[3] for row in rows if row[1:3] == ["raise", "fail"]], ["15"])

    def test_source_is_what_ran(self):
        rows = own(shop().rows("--events", "line", "--fields", "file,line,source"))
        with open(shop().script) as f:
            text = f.read().splitlines()
        self.assertTrue(rows)
        for _, line, source in rows:
            self.assertEqual(source, text[int(line) - 1])

    def test_names_are_escaped(self):
        odd = session.Recorded("def f(): pass\n"
                               "f.__code__ = f.__code__.replace(co_qualname='a\\tb\\nc\\rd\\\\e\\0f', co_filename='<x\\ty>')\n"
                               "f()\n", "odd.py")
        rows = odd.rows("--events", "call", "--fields", "file,code")
        self.assertIn(["<x\\ty>", "a\\tb\\nc\\rd\\\\e\\0f"], rows)
        lines = odd.pathline("dump", "--json", "--events", "call").stdout.splitlines()
        names = [json.loads(line)["data"]["code"] for line in lines]
        self.assertIn("a\tb\nc\rd\\e\0f", names)


class Selections(unittest.TestCase):
    def all(self):
        return shop().rows("--fields", "tid,seq,event,time,name")

    def test_threads_by_number_tid_and_name(self):
        worker = [row for row in self.all() if row[4] == "worker"]
        self.assertTrue(worker)
        for word in ("1", worker[0][0], "worker"):
            self.assertEqual(shop().rows("-t", word, "--fields", "tid,seq,event,time,name"), worker)

    def test_processes(self):
        pid = shop().rows("--fields", "pid")[0][0]
        everything = self.all()
        for word in ("1", pid, "shop.py"):
            self.assertEqual(shop().rows("-p", word, "--fields", "tid,seq,event,time,name"), everything)

    def test_events(self):
        self.assertEqual(shop().rows("-e", "call,return", "-f", "tid,seq,event,time,name"),
                         [row for row in self.all() if row[2] in ("call", "return")])

    def test_seq_from_and_to(self):
        main = [row for row in self.all() if row[4] == "MainThread"]
        self.assertEqual(shop().rows("-t", "0", "--from", "#100", "--to", "#120", "-f", "tid,seq,event,time,name"), main[100:121])
        everything = [row for row in self.all() if 5 <= int(row[1]) <= 9]
        self.assertEqual(shop().rows("--from", "#5", "--to", "#9", "-f", "tid,seq,event,time,name"), everything)

    def test_times(self):
        everything = self.all()
        middle = everything[len(everything) // 2][3]
        self.assertEqual(shop().rows("--from", middle, "-f", "tid,seq,event,time,name"), [r for r in everything if r[3] >= middle])
        self.assertEqual(shop().rows("--to", middle, "-f", "tid,seq,event,time,name"), [r for r in everything if r[3] <= middle])
        clock = time.strftime("%H:%M:%S", time.gmtime(int(middle.split(".")[0]))) + "." + middle.split(".")[1]
        self.assertEqual(shop().rows("--from", clock, "-f", "seq,time"), shop().rows("--from", middle, "-f", "seq,time"))
        self.assertEqual(self.none("--from", "+3600", "-f", "seq"), "from +3600 on")
        self.assertEqual(shop().rows("--from", "+0", "-f", "tid,seq,event,time,name"), everything)
        for whole in "+3600s", "+1h", "+3600000ms", "100%":
            self.assertEqual(shop().rows("--to", whole, "-f", "tid,seq,event,time,name"), everything)
        self.assertEqual(self.none("--to", "0%"), "up to 0%")
        counts = [len(shop().pathline("dump", "--to", f"{percent}%").stdout.splitlines()) for percent in (0, 50, 90, 100)]
        self.assertEqual([counts[0], *sorted(counts)], [0, *counts])
        for word in "1.5", "-1h", "101%", "5ms":
            self.assertIn(f"pathline: dump: '{word}' is not a time; say", shop().pathline("dump", f"--to={word}").stderr.decode())
        for words in (["--from", "+0.2", "--to", "+0.1"], ["--from", "#7", "--to", "#6"]):
            done = shop().pathline("dump", *words)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn("is later than --to", done.stderr.decode())

    def none(self, *words):
        """What was asked for, according to the message that there is no such event."""
        done = shop().pathline("dump", *words)
        self.assertEqual((done.returncode, done.stdout), (1, b""), words)
        timed = "--from" in words or "--to" in words
        when = r"; the recording is from (\S+ \S+) to (\S+)" if timed else ""
        said = re.fullmatch(r"pathline: dump: there is no event ([^;]*)" + when + r"\n", done.stderr.decode())
        self.assertIsNotNone(said, done.stderr)
        if not timed:
            return said[1]
        first, last = (float(shop().rows("-f", "time")[i][0]) for i in (0, -1))
        self.assertLessEqual(said[2][:-4], time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(first)))
        self.assertGreaterEqual(said[3], time.strftime("%H:%M:%S", time.gmtime(last)))
        return said[1]

    def test_what_selects_nothing_says_so(self):
        self.assertEqual(self.none("--from", "+1000", "--to", "+1001"), "from +1000 to +1001")
        self.assertEqual(self.none("--from", "#7000000", "--to", "#8000000", "--json"), "from #7000000 to #8000000")
        self.assertEqual(self.none("-e", "mark"), "that --events mark selects")
        self.assertEqual(self.none("-e", "mark", "-t", "0", "--from", "+0"), "that --events mark selects, in a thread '0', from +0 on")
        run = session.Recorded(TASKS, "tasks.py")
        done = run.pathline("dump", "-e", "mark", "--task", "one")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no event that --events mark selects, in a task 'one'\n", done.stderr)

    def test_a_time_between_two_stamps(self):
        """Lines may have run then, with an earlier time: it says how far apart stamps are."""
        run = session.Recorded("for i in range(400000):\n    i += 1\n", "busy.py")
        row = next(row for row in run.rows("-f", "time,error,line") if row[2] == "2" and int(row[1]) > 1000)
        seconds, ns = map(int, row[0].split("."))
        ns += seconds * 10**9 + int(row[1]) // 2
        time = f"{ns // 10**9}.{ns % 10**9:09d}"
        done = run.pathline("dump", "--from", time, "--to", time)
        self.assertRegex(done.stderr.decode(), rf"no event from {time} to {time} \(stamps are [0-9.]+ [mµn]?s apart there; begin so much earlier\); the")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        run = session.Recorded("import time\ntime.sleep(0.5)\nx = 1\n", "sleeps.py", "--only-mine", "--clock", "line")
        seconds, ns = map(int, next(row[0] for row in run.rows("-f", "time,line") if row[1] == "2").split("."))
        ns += seconds * 10**9 + 2 * 10**8
        time = f"{ns // 10**9}.{ns % 10**9:09d}"
        done = run.pathline("dump", "--from", time, "--to", time)
        self.assertIn(f"to {time} (what ran then began earlier); the recording", done.stderr.decode())
        done = run.pathline("dump", "--from", "+3600")
        self.assertRegex(done.stderr.decode(), r"from \+3600 on; the recording")

    def test_a_name_that_is_not_there(self):
        """Of a process, thread or task: also beside one that is, and in each form."""
        run = session.Recorded(TASKS, "tasks.py")
        for words, what in ((["-p", "nosuch"], "process"), (["-t", "nosuch"], "thread"), (["-t", "0,nosuch"], "thread"),
                            (["--task", "nosuch"], "task"), (["--task", "one,nosuch"], "task"), (["--task", "nosuch", "--json"], "task")):
            done = run.pathline("dump", *words)
            self.assertEqual((done.returncode, done.stdout), (2, b""), words)
            self.assertIn(f"pathline: dump: no {what} 'nosuch' in this recording; ", done.stderr.decode())
        for option in "-p", "-t", "--task":
            done = run.pathline("dump", option, "1-2")
            self.assertEqual(done.returncode, 2)
            self.assertIn("there are no ranges; separate numbers by commas", done.stderr.decode())
        for words, nearest in (["-p", "taks.py"], "tasks.py"), (["-t", "MainThred"], "MainThread"), (["--task", "onee"], "one"):
            done = run.pathline("dump", *words)
            self.assertIn(f" '{words[1]}' in this recording; nearest: {nearest}; ", done.stderr.decode())

    def test_tasks_by_number_and_name(self):
        run = session.Recorded(TASKS, "tasks.py")
        fields = ("--fields", "tid,seq,event,task_id,task")
        everything = run.rows(*fields)
        one = [row for row in everything if row[4] == "one"]
        self.assertTrue(one)
        for word in "one", one[0][3]:
            self.assertEqual(run.rows("--task", word, *fields), one)
        both = [row for row in everything if row[4] in ("one", "two")]
        self.assertEqual(run.rows("--task", "two,one", *fields), both)
        self.assertEqual(run.rows("--task", "one", "-e", "call", *fields), [row for row in one if row[2] == "call"])
        self.assertIn(b"in task", run.pathline("dump", "--task", "two").stdout)

    def test_mistakes_are_usage(self):
        for words, answer in ((["--fields", "evnt"], "event"), (["--events", "cal"], "call"), (["--jsn"], "--json"),
                              (["--thread", "nobody"], "nobody"), (["--process", "99"], "99"), (["--from", "noon"], "noon"),
                              (["--fields", ""], "field"), (["--thread"], "LIST"), (["no-such-dir"], "no-such-dir"),
                              ([".pathline/latest", "too much"], "too much")):
            done = shop().pathline("dump", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(done.stdout, b"", words)
            self.assertRegex(done.stderr.decode(), r"\Apathline: .*" + re.escape(answer), words)

    def test_help_names_every_event(self):
        text = session.pathline("dump", "--help").stdout.decode()
        words = re.search(r"--events=LIST (.*?)--from", text, re.S)[1].replace(",", " ").split()
        info = json.loads(session.pathline("info", "--json", shop().directory).stdout)
        self.assertEqual(words, list(info["data"]["counts"]))


class Forms(unittest.TestCase):
    def test_json_says_the_same_as_rows(self):
        rows = shop().rows("--fields", "pid,tid,seq,event,file,first,code,line,depth,time,task,type")
        lines = shop().pathline("dump", "--json").stdout.splitlines()
        self.assertEqual(len(lines), len(rows))
        for line, row in zip(lines, rows):
            whole = json.loads(line, parse_float=str)
            self.assertEqual((whole["type"], whole["version"]), ("event", 1))
            data = whole["data"]
            names = "pid tid seq event file first code line depth time task type".split()
            self.assertEqual(["" if data[n] is None else str(data[n]) for n in names], row)

    def test_json_of_chosen_fields(self):
        line = shop().pathline("dump", "--json", "--fields", "event,seq").stdout.splitlines()[0]
        self.assertEqual(json.loads(line), {"type": "event", "version": 1, "data": {"event": "call", "seq": 0}})

    def test_text(self):
        text = shop().pathline("dump").stdout.decode()
        self.assertRegex(text, r"(?m)^\d\d:\d\d:\d\d\.\d{6} worker +5  return n \* n$")
        self.assertRegex(text, r"(?m)^\S+ MainThread +raise KeyError\('k'\) in fail line 15$")
        self.assertNotIn("\033", text)
        work = re.search(r"(?m)^\S+ worker( +)call numbers ", text)[1]
        deeper = re.search(r"(?m)^\S+ worker( +)call square\(n=1\) ", text)[1]
        self.assertEqual(len(deeper) - len(work), 2)
        first, *lines = text.splitlines()
        self.assertRegex(first, r"^\d{4}-\d\d-\d\d$")         # the date, once
        self.assertEqual(len(lines), len(shop().rows("--fields", "seq")))

    def test_what_is_not_the_source_is_explained(self):
        run = session.Recorded("def deep(n):\n    return deep(n - 1) if n else 0\n\n\ndeep(60)\n"
                               "try:\n    with open('/dev/null'):\n        1 / 0\nexcept ZeroDivisionError:\n    pass\n", "deep.py")
        text = run.pathline("dump").stdout.decode()
        self.assertRegex(text, r" \[60\] ")
        handled = re.findall(r"(?m) handled ZeroDivisionError in <module>(.*)$", text)
        self.assertIn("  by a clean-up that the compiler added", handled)
        self.assertEqual([h for h in handled if h != "  by a clean-up that the compiler added"], [" line 7", " line 9"])
        said = session.pathline("dump", "--help").stdout.decode()
        for word in "in brackets: [25]", "A ~ after a row", "handled: an exception arrives", "that the compiler added":
            self.assertIn(word, re.sub(r"\s+", " ", said))

    def test_colours(self):
        self.assertIn(b"\033[", shop().pathline("dump", "--color=always").stdout)
        self.assertNotIn(b"\033[", shop().pathline("dump", "--color=never").stdout)

    def test_no_control_byte_reaches_a_terminal(self):
        odd = session.Recorded("x = '\033[2J\x9b1m'\n", "odd.py")
        text = odd.pathline("dump").stdout
        self.assertIn(b"x = '^[[2J\\xc2\\x9b1m'", text)
        self.assertNotIn(b"\033", text)


class Output(unittest.TestCase):
    def start(self, ignore):
        # the child's own disposition: Python ignores SIGPIPE, and Popen gives it back unless it is
        # told not to
        return subprocess.Popen([PATHLINE, "dump", "--json"], cwd=shop().folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                restore_signals=not ignore)

    def test_closed_pipe(self):
        for ignore, code in ((False, -signal.SIGPIPE), (True, 128 + signal.SIGPIPE)):
            p = self.start(ignore)
            p.stdout.read(1)
            p.stdout.close()
            self.assertEqual(p.stderr.read(), b"")
            p.stderr.close()
            self.assertEqual(p.wait(), code)

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PATHLINE, "dump"], cwd=shop().folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rb"^pathline: .*No space left")
        for file, why in (("/dev/full", b"No space left on device"), ("/nowhere/x.svg", b"No such file or directory")):
            done = session.pathline("report", "--flame", file, cwd=shop().folder)
            self.assertEqual((done.returncode, done.stderr), (1, b"pathline: report: %s cannot be written: %s\n" % (file.encode(), why)))

    def test_empty_arguments(self):
        for code, message, words in ((2, b"dump: --fields needs at least one field", ("dump", "--fields", "")),
                                     (2, b"dump: --events needs at least one event", ("dump", "--events", "")),
                                     (0, b"!\ta command is missing; h lists them", ("replay", "--plain", "-c", "")),
                                     (125, b"record: the directory '' cannot be made: ", ("record", "-o", "", "true"))):
            done = session.pathline(*words, cwd=shop().folder)
            self.assertEqual(done.returncode, code, words)
            self.assertIn(message, done.stderr + done.stdout)

    def test_help_and_version(self):
        for command in ("record", "dump", "calls", "report", "info", "ls", "check"):
            done = session.pathline(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertTrue(done.stdout.startswith(b"usage: pathline %s " % command.encode()))
            self.assertRegex(session.pathline(command, "--version").stdout, rb"^pathline \d+\.\d+\.\d+\n$")


class Memory(unittest.TestCase):
    LOOP = "for i in range({}):\n    pass\n"

    def peak_kib(self, count):
        recorded = session.Recorded(self.LOOP.format(count), "loop.py")
        code = ("import resource, subprocess, sys\n"
                "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        words = [sys.executable, "-c", code, PATHLINE, "dump", "--fields", "seq,event,file,line,time", recorded.directory]
        return int(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)

    def test_does_not_grow_with_the_recording(self):
        small, large = self.peak_kib(20_000), self.peak_kib(2_000_000)
        self.assertLess(large, small + 16 * 1024)


if __name__ == "__main__":
    unittest.main()
