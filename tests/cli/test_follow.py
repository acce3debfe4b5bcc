"""--follow: what a command prints while the program runs, before it goes on."""
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"
DEADLINE_S = 60

# It does a step when it is told to: a number for a call, "thread" for one in a thread, "child" for
# one in a child process.
PROGRAM = """\
import os
import sys
import threading


def step(n):
    if n == 13:
        raise ValueError(n)
    return n * 2


def wait():
    return sys.stdin.readline().strip()


def serve():
    while word := wait():
        if word == "thread":
            thread = threading.Thread(target=step, args=(7,), name="other")
            thread.start()
            thread.join()
        elif word == "child":
            pid = os.fork()
            if not pid:
                step(8)
                os._exit(0)
            os.waitpid(pid, 0)
        else:
            try:
                step(int(word))
            except ValueError:
                pass


serve()
"""


class Program:
    """A recorded program, and a command that follows it."""

    def __init__(self, test, *command):
        self.folder = session.scratch()
        with open(os.path.join(self.folder, "serve.py"), "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        self.record = subprocess.Popen([session.PATHLINE, "record", "-q", "-o", "R", "--values", "calls", "--only-mine",
                                        "--python", session.PYTHON, "--", "serve.py"], cwd=self.folder, stdin=subprocess.PIPE, text=True)
        test.addCleanup(self.record.wait)
        test.addCleanup(self.record.stdin.close)
        self.until(lambda: session.pathline("dump", "-e", "call", "R", cwd=self.folder).stdout.count(b"call wait") == 1)
        self.follower = subprocess.Popen([session.PATHLINE, *command, "--follow", "R"], cwd=self.folder, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        self.seen = []
        threading.Thread(target=self.read, daemon=True).start()

    @staticmethod
    def until(is_so):
        for _ in range(600):
            if is_so():
                return
            threading.Event().wait(0.1)
        raise AssertionError("it did not come")

    def read(self):
        for line in self.follower.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def say(self, word):
        self.record.stdin.write(f"{word}\n")
        self.record.stdin.flush()

    def expect(self, *parts):
        """Read up to a line that has all these parts, and return it. The program waits meanwhile."""
        while True:
            line = self.lines.get(timeout=DEADLINE_S)
            if line is None:
                raise AssertionError(f"no line with {parts} among {self.seen}")
            self.seen.append(line)
            if all(part in line for part in parts):
                return line

    def end(self):
        """The rest of the lines, and the follower's exit code."""
        self.record.stdin.close()
        self.record.wait()
        while (line := self.lines.get(timeout=DEADLINE_S)) is not None:
            self.seen.append(line)
        return self.follower.wait()


def without_time(lines):
    return [line.partition(" ")[2] for line in lines if not line.startswith("process ")]


class Follow(unittest.TestCase):
    def test_dump(self):
        program = Program(self, "dump")
        program.say("4")
        program.expect("call step(n=4)")
        program.say("thread")
        program.expect("other", "call step(n=7)")
        program.say("child")
        program.expect("call step(n=8)")
        program.say("13")
        program.expect("raise ValueError(13)")
        self.assertEqual(program.end(), 0)
        later = session.pathline("dump", "R", cwd=program.folder).stdout.decode().splitlines()
        # times are known better at the end, and threads take turns
        self.assertEqual(sorted(without_time(program.seen)), sorted(without_time(later)))

    def test_two_at_once(self):
        """Each has all of it while the program waits, also of a thread with few events."""
        words = "dump", "-e", "call", "--fields", "code"
        program = Program(self, *words)
        other = subprocess.Popen([session.PATHLINE, *words, "--follow", "R"], cwd=program.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(other.stdout.close)
        for n in range(5):
            program.say(n)
            program.expect("step")
            for line in other.stdout:
                if line == "step\n":
                    break
        self.assertEqual(program.end(), 0)
        self.assertNotIn("step\n", other.stdout.readlines())
        self.assertEqual(other.wait(DEADLINE_S), 0)

    def test_times_are_soon_those_of_the_end(self):
        """How fast the clock of the processor is must be known for that."""
        program = Program(self, "dump", "-f", "event,line,seq,time", "-e", "call")
        program.expect("call\t12\t")      # wait() at first
        for n in range(3):
            program.say(n)
            program.expect("call\t6\t")
        self.assertEqual(program.end(), 0)
        later = session.rows("-f", "event,line,seq,time", "-e", "call", "R", cwd=program.folder)
        self.assertEqual(len(later), len(program.seen))
        for soon, last in zip(program.seen[-5:], later[-5:]):
            soon = soon.split("\t")
            self.assertEqual(soon[:3], last[:3])
            self.assertLess(abs(int(soon[3].replace(".", "")) - int(last[3].replace(".", ""))), 1_000_000)

    def test_dump_of_a_filter(self):
        program = Program(self, "dump", "--json", "--fields", "event,code,args", "--filter", "func == 'step' and args.n > 5 and event == 'call'")
        for word, number in ("4", None), ("6", 6), ("thread", 7), ("5", None), ("child", 8):
            program.say(word)
            if number:
                self.assertIn(f'"value":{number}', program.expect('"step"'))
        self.assertEqual(program.end(), 0)
        self.assertEqual(len(program.seen), 3)

    def test_calls(self):
        program = Program(self, "calls")
        program.expect("serve (not ended)")
        program.say("4")
        program.expect("step(n=4) -> 8")
        program.say("thread")
        program.expect("thread 1  other")
        program.expect("step(n=7) -> 14")
        program.say("13")
        program.expect("step(n=13) !! ValueError(13)")
        self.assertEqual(program.end(), 0)
        rows = [line.split("  #")[0].strip() for line in program.seen]
        begins = [row for row in rows if row.startswith("serve (not ended)")]
        ends = [row for row in rows if row.startswith("serve ends -> None")]
        self.assertEqual((len(begins), len(ends)), (1, 1), rows)
        waits = [row for row in rows if row.startswith("wait")]     # an open one has two rows
        self.assertEqual(len([row for row in waits if " -> " in row]), 4, rows)

    def test_calls_of_a_filter(self):
        program = Program(self, "calls", "--json", "--filter", "result == 12 or func == 'wait' and result == '6'")
        for word in "4", "6":
            program.say(word)
        program.expect('"code":"step"', '"value":12')
        self.assertEqual(program.end(), 0)
        found = [json.loads(line)["data"] for line in program.seen]
        self.assertEqual(sorted(row["code"] for row in found), ["step", "wait"])

    def test_query_prints_rows_that_are_new(self):
        sql = "SELECT seq, function FROM event WHERE kind = 'call' AND function IN ('step', 'wait') ORDER BY seq"
        program = Program(self, "query", sql)
        program.expect("seq", "function")
        for word in "4", "5":
            program.say(word)
            program.expect("step")
            program.expect("wait")
        self.assertEqual(program.end(), 0)
        later = session.pathline("query", sql, "R", cwd=program.folder).stdout.decode().splitlines()
        self.assertEqual([row.split() for row in program.seen], [row.split() for row in later])

    def test_query_prints_all_rows_if_one_is_another(self):
        program = Program(self, "query", "--csv", "SELECT count(*) AS n FROM event WHERE kind = 'call' AND function = 'step'")
        program.expect("0")
        program.say("4")
        program.expect("1")
        self.assertEqual(program.seen, ["n", "0", "", "n", "1"])
        self.assertEqual(program.end(), 0)
        self.assertEqual(program.seen, ["n", "0", "", "n", "1"])    # the end changed nothing

    def test_query_of_no_rows_has_its_head_at_the_end(self):
        program = Program(self, "query", "SELECT seq FROM event WHERE function = 'nothing'")
        self.assertEqual(program.end(), 0)
        self.assertEqual(program.seen, ["seq"])

    def test_report_is_printed_again(self):
        program = Program(self, "report", "--functions", "--csv", "--sort", "calls")
        program.say("4")
        program.expect(",step,")
        program.say("5")
        self.assertEqual(program.end(), 0)
        tables = "\n".join(program.seen).split("\n\n")
        self.assertGreater(len(tables), 2)
        later = session.pathline("report", "--functions", "--csv", "--sort", "calls", "R", cwd=program.folder).stdout.decode().splitlines()
        places = [sorted(row.split(",")[:6] for row in rows) for rows in (tables[-1].splitlines(), later)]
        self.assertEqual(*places)

    def test_report_on_a_terminal_has_the_screen(self):
        program = Program(self, "dump")
        leader, follower = os.openpty()
        report = subprocess.Popen([session.PATHLINE, "report", "--functions", "--follow", "R"], cwd=program.folder, stdout=follower,
                                  env={**os.environ, "TERM": "xterm"})
        os.close(follower)
        shown = b""
        while shown.count(b"\x1b[H\x1b[J") < 2 or b"step" not in shown:
            program.say("4")
            shown += os.read(leader, 65536)
        report.send_signal(signal.SIGINT)
        self.assertEqual(report.wait(), 128 + signal.SIGINT)
        os.close(leader)
        program.end()

    def test_ctrl_c_ends_it(self):
        program = Program(self, "dump")
        program.say("4")
        program.expect("call step(n=4)")
        program.follower.send_signal(signal.SIGINT)
        self.assertEqual(program.follower.wait(), 128 + signal.SIGINT)
        program.say("5")        # and not the program
        program.record.stdin.close()
        self.assertEqual(program.record.wait(), 0)

    def test_it_ends_when_nobody_reads(self):
        program = Program(self, "dump")
        done = subprocess.run(f"'{session.PATHLINE}' dump --follow R | head -n 1", shell=True, cwd=program.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=DEADLINE_S, check=True)
        self.assertEqual((done.stdout.count(b"\n"), done.stderr), (1, b""))
        program.end()

    def test_what_cannot_be_followed_is_refused(self):
        program = Program(self, "dump")
        for words, why in ((("--to", "+1s"), "leave out --to"), (("--task", "x"), "--filter \"task == 'x'\"")):
            done = session.pathline("dump", "--follow", *words, "R", cwd=program.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr.decode())
        for words, why in ((("report", "--flame", "x.svg"), "leave out --follow"), (("query", "--into", "x.db", "SELECT 1"), "leave out --follow"),
                           (("report", "--to", "+1s"), "leave out --to")):
            done = session.pathline(*words, "--follow", "R", cwd=program.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr.decode())
        program.end()


if __name__ == "__main__":
    unittest.main()
