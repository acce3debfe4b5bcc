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
        self.assertIn("(not ended)", program.expect("serve()"))
        program.say("4")
        program.expect("step(n=4) -> 8")
        program.say("thread")
        program.expect("thread 1  other")
        program.expect("step(n=7) -> 14")
        program.say("13")
        program.expect("step(n=13) !! ValueError(13)")
        self.assertEqual(program.end(), 0)
        rows = [line.split("  #")[0].strip() for line in program.seen]
        begins = [row for row in rows if row.startswith("serve()")]
        ends = [row for row in rows if row.startswith("serve ends -> None")]
        self.assertEqual((len(begins), len(ends)), (1, 1), rows)
        waits = [row for row in rows if row.startswith("wait")]     # each is open at a pause, and ends
        self.assertEqual(len([row for row in waits if " ends -> " in row]), 4, rows)

    def test_calls_of_a_filter(self):
        program = Program(self, "calls", "--json", "--filter", "result == 12 or func == 'wait' and result == '6'")
        for word in "4", "6":
            program.say(word)
        program.expect('"code":"step"', '"value":12')
        self.assertEqual(program.end(), 0)
        found = [json.loads(line)["data"] for line in program.seen]
        self.assertEqual(sorted((row["code"], row["begin"]) for row in found), [("step", "call"), ("wait", "ends")])

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
        program.end()


if __name__ == "__main__":
    unittest.main()
