"""`attach` to a program that handles exceptions at that moment, begins threads afterwards, or has a
trace function of its own: the path is exact, and all of that stays the program's."""
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_attach  # noqa: E402

INTERPRETERS = "two"

# It stands in a handler, and so does its generator while that waits, until byte 32 lets it go on.
STANDS = r"""
import json, mmap, sys, threading, time

with open(sys.argv[1], "r+b") as f:
    page = mmap.mmap(f.fileno(), 4096)
count = 0

def fails():
    raise ValueError(count)

def retries():
    while True:
        try:
            try:
                fails()
            except ValueError:
                yield count
                raise
        except ValueError:
            pass

def newcomer(n):
    return n + 1

def steps(numbers):
    global count
    while not page[8] and not page[32]:
        next(numbers)
        thread = threading.Thread(target=newcomer, args=(count,))
        thread.start()
        thread.join()
        count += 1
        page[:8] = page[24:32] = count.to_bytes(8, "little")
        time.sleep(0.001)
    page[32:33] = b"\0"

def stands(numbers):
    try:
        try:
            fails()
        except ValueError:
            steps(numbers)
            raise
    except ValueError:
        return 1

numbers = retries()
print("ready", flush=True)
while not page[8]:
    stands(numbers)
frame = numbers.gi_frame
print(json.dumps({"switches": [frame.f_trace_lines, frame.f_trace_opcodes], "traced": sys.gettrace() is not None}), flush=True)
"""
# The trace function is the oracle; what it gets is compared with what it gets when nothing is
# attached.
TRACED = test_attach.PROGRAM.replace("stop = threading.Event()", r"""
own = {}

def own_trace(frame, event, _):
    own.setdefault(threading.get_ident(), []).append((frame.f_code.co_name, frame.f_lineno, event))
    return own_trace

def own_begin(frame, event, _):
    return own_trace(frame, event, None) if frame.f_code in watched else None

threading.settrace(own_begin)
stop = threading.Event()""").replace("had = tools()", r"""
kept = sys.gettrace() is own_begin
sys.settrace(None)
threading.settrace(None)
mine = list(own.values())
had = tools()
again(steps_again)
""").replace("if sys.version_info < (3, 12) and not page[16]:", "if False:").replace('print("ready"', 'sys.settrace(own_begin)\nprint("ready"').replace('"tools": had,', '"tools": had, "own": mine, "kept": kept,')

# What a round of the generator does.
ROUND = ["resume", "reraise", "handled", "reraise", "handled", "raise", "handled", "yield"]


@unittest.skipUnless(test_attach.can_attach(), "x86-64, not traced itself")
class Beside(test_attach.Case):
    same_path = test_attach.Attached.same_path

    def start_script(self, script, how):
        program = test_attach.Program(self.dir, how, (), script)
        self.addCleanup(program.release)
        return program

    def events(self, rows, code):
        return [row["event"] for row in rows if row["code"] == code]

    def test_in_a_handler(self):
        program = self.start_script(STANDS, "")
        for _ in range(2):
            out, attach = self.begin(program, "--values", "none")
            program.run_steps(5)
            program.page[32:33] = b"\1"
            program.run_steps(5)
            attach.send_signal(signal.SIGINT)
            self.assertEqual(attach.wait(60), 0)
            rows = self.rows(out)
            self.check(out)
            text = " ".join(event for event in self.events(rows, "stands") if event != "line")
            self.assertIn("reraise handled", text)
            events = [event for event in self.events(rows, "retries") if event != "line"]
            self.assertGreater(len(events), 50)
            self.assertTrue(test_attach.is_run_of(ROUND * len(events), events), events[:20])
            self.assertGreater(len({row["tid"] for row in rows if row["code"] == "newcomer"}), 5)
        self.assertEqual(program.end(), {"switches": [True, False], "traced": False})

    def test_its_own_trace_function(self):
        program = self.start_script(TRACED, "sleeps")
        recordings = [self.record(program, 20) for _ in range(2)]
        said = program.end()
        self.assertTrue(said["kept"])
        for out in recordings:
            self.check(out)
            self.same_path(self.rows(out), {"lines": [[row[:2] for row in own if row[2] == "line"] for own in said["own"]]})
        for own in said["own"]:
            lines = [row[:2] for row in own if row[2] == "line"]
            self.assertEqual(lines, said["lines"][-1][:len(lines)])
            self.assertLessEqual({row[2] for row in own}, {"call", "line", "return", "exception"})


if __name__ == "__main__":
    unittest.main()
