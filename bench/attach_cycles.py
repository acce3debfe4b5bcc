#!/usr/bin/env python3
"""Attach to each program of bench/attach_programs.py and leave it, a thousand times; and to
programs that end, exec, stop and are debugged meanwhile. None may be harmed, each cycle is recorded
or refused with one line.

	bench/attach_cycles.py --build build --python /usr/bin/python3.13 [--cycles 1000] [NAME...]

PYTHONPATH may name a directory in which the greenlets program finds greenlet.
"""
import collections
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import attach
import attach_programs

# It ends by itself, or becomes itself again, after that many milliseconds.
ENDS = """
import os, sys, threading, time
def beat(n):
    return n + 1
def beats(until):
    n = 0
    while time.monotonic() < until:
        n = beat(n)
    return n
how, span, left = sys.argv[1], float(sys.argv[2]) / 1000, int(sys.argv[3])
print("ready", flush=True)
other = threading.Thread(target=beats, args=(time.monotonic() + span / 2,))
other.start()
beats(time.monotonic() + span)
other.join()
if how == "exec" and left:
    os.execv(sys.executable, [sys.executable, sys.argv[0], how, sys.argv[2], str(left - 1)])
sys.exit(3)
"""


class Cases:
    """Of programs that do not stay. Each method is one cycle: what became of it, in a word or a
    line; it raises if the program was harmed."""

    def __init__(self, build, python, folder):
        self.pathline, self.python, self.folder = os.path.join(build, "pathline"), python, folder
        self.script = os.path.join(folder, "ends.py")
        with open(self.script, "w", encoding="ascii") as f:
            f.write(ENDS)

    def attach(self, pid):
        with tempfile.TemporaryDirectory(prefix="attach-", dir=self.folder) as room:
            done = subprocess.run([self.pathline, "attach", "--for", "20ms", "--values", "none", "-o", os.path.join(room, "r"), str(pid)],
                                  capture_output=True, text=True, timeout=60, check=False)
        if done.returncode not in (0, 125) or (done.returncode and len(done.stderr.splitlines()) != 1):
            raise AssertionError(f"attach: exit {done.returncode}: {done.stderr}")
        return "recorded" if done.returncode == 0 else re.sub(r"\d+", "N", done.stderr.strip())

    def ends(self, number, how="end", left=0):
        """Attached at another of its moments each time."""
        words = [self.python, self.script, how, str(30 + 7 * (number % 13)), str(left)]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as program:
            program.stdout.readline()
            time.sleep(0.005 * (number % 17))
            became = self.attach(program.pid)
            program.stdout.read()
            if program.wait(60) != 3:
                raise AssertionError(f"it ended with {program.returncode}")
        return became

    def execs(self, number):
        return self.ends(number, "exec", 3)

    def is_stopped(self, _number):
        with self.idle() as program:
            os.kill(program.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WNOWAIT)
            became = self.attach(program.pid)
            os.kill(program.pid, signal.SIGCONT)
            self.is_well(program)
        return became

    def is_debugged(self, _number):
        with self.idle() as program:
            trace = subprocess.Popen(["strace", "-qq", "-o", os.path.join(self.folder, "strace"), "-p", str(program.pid)])
            try:
                self.wait_for_tracer(program.pid)
                became = self.attach(program.pid)
            finally:
                trace.terminate()
                trace.wait()
            self.is_well(program)
        return became

    def is_a_child_by_vfork(self, _number):
        program = attach_programs.start(self.python, "vfork", self.folder)
        if program is None:
            return "cannot run here"
        with program:
            child = None
            while not child:
                child = self.child_in_its_memory(program.pid)
            became = self.attach(child)
            self.is_well(program)
        return became

    def child_in_its_memory(self, pid):
        """It lives for a fifth of a second."""
        for task in os.listdir(f"/proc/{pid}/task"):
            try:
                with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
                    found = children.read().split()
            except FileNotFoundError:
                found = []
            if found:
                return found[0]
        return None

    def wait_for_tracer(self, pid):
        traced = "0"
        while traced == "0":
            with open(f"/proc/{pid}/status", encoding="ascii") as status:
                traced = re.search(r"^TracerPid:\s*(\d+)", status.read(), re.M)[1]

    def idle(self):
        return attach_programs.start(self.python, "idle", self.folder)

    def is_well(self, program):
        said, well = attach.end(program)
        if not well:
            raise AssertionError(f"the program: exit {program.returncode}, {said}")

    def table(self):
        """Their names, and how often each is tried of a thousand times."""
        cases = {"ends": (self.ends, 1), "execs": (self.execs, 5), "stopped": (self.is_stopped, 50), "child by vfork": (self.is_a_child_by_vfork, 50)}
        strace = subprocess.run(["sh", "-c", "command -v strace"], capture_output=True, check=False)
        if strace.returncode == 0:
            cases["debugged"] = (self.is_debugged, 50)
        return cases


def main():
    parser = attach.options_of(__doc__)
    parser.set_defaults(cycles=1000, span="10ms")
    parser.add_argument("names", nargs="*", help="of programs and cases; none: all")
    options = parser.parse_args()
    well = True
    for name in attach_programs.PROGRAMS:
        if not options.names or name in options.names:
            well = attach.cycle(options, name) and well
    with tempfile.TemporaryDirectory(prefix="attach-") as folder:
        for name, (case, share) in Cases(options.build, options.python, folder).table().items():
            if not options.names or name in options.names:
                became = collections.Counter(case(number) for number in range(max(1, options.cycles // share)))
                print(name, *(f"\n    {count} times: {text}" for text, count in became.items()), flush=True)
    sys.exit(not well)


if __name__ == "__main__":
    main()
