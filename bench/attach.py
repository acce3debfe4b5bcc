#!/usr/bin/env python3
"""Attach to a hostile program and leave it, again and again: is it unharmed, and for how long was a
thread held?

	bench/attach.py --build build --python /usr/bin/python3.13 [--cycles 200] [--for 50ms]

Its threads allocate, compress, fork, hold the GIL for a second, and wait in read, futex, epoll and
sleep. Each cycle is recorded, or refused with one line. At the end its memory, descriptors, threads
and mappings are compared with those after the first ten cycles, and it must end by itself. The
held times depend on what else the machine does: they are the time from the stop to the last order
to go on, with the time in which the kernel ran other processes.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

WARM = 10
PROGRAM = r"""
import os, select, sys, threading, time, zlib

ended = False
beats = 0

def allocates():
    while not ended:
        [bytes(n % 3000) for n in range(300)]

def compresses():
    while not ended:
        zlib.compress(bytes(300000))

def forks():
    while not ended:
        pid = os.fork()
        if not pid:
            os._exit(3)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 3:
            print("a child was harmed", flush=True)
        time.sleep(0.01)

def holds():
    while not ended:
        sum(range(30_000_000))
        time.sleep(1.5)

def reads(end):
    os.read(end, 1)

def polls(end):
    poll = select.epoll()
    poll.register(end, select.EPOLLIN)
    poll.poll()

def waits(event):
    event.wait()

def sleeps():
    while not ended:
        time.sleep(0.05)

def beat(n):
    return n + 1

out, into = os.pipe()
event = threading.Event()
threads = [threading.Thread(target=f, args=a) for f, a in (
    (allocates, ()), (compresses, ()), (forks, ()), (holds, ()), (reads, (out,)), (polls, (out,)), (waits, (event,)), (sleeps, ()))]
for thread in threads:
    thread.start()
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0.002)[0]:
    beats = beat(beats)
ended = True
event.set()
os.write(into, b"12")
for thread in threads:
    thread.join()
print("beats", beats, flush=True)
"""


def state(pid):
    """Without the stacks of its memory that come and go: resident kB, descriptors, threads,
    mappings."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        resident = int(re.search(r"VmRSS:\s*(\d+)", status.read())[1])
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        mappings = sum(1 for _ in maps)
    return {"resident_kB": resident, "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
            "threads": len(os.listdir(f"/proc/{pid}/task")), "mappings": mappings}


class Cycles:
    def __init__(self, words, pid):
        self.words, self.pid = words, pid
        self.held_ms, self.refused, self.events = [], collections.Counter(), 0

    def one(self):
        with tempfile.TemporaryDirectory(prefix="attach-") as folder:
            done = subprocess.run([*self.words, "-o", os.path.join(folder, "r"), str(self.pid)], capture_output=True, text=True,
                                  timeout=120, check=False)
        held = re.search(r"held for ([\d.]+) ms", done.stderr)
        events = re.search(r"([\d,]+) events", done.stderr)
        if done.returncode:
            self.refused[done.stderr.replace(str(self.pid), "PID").strip()] += 1
        elif held and events:
            self.held_ms.append(float(held[1]))
            self.events += int(events[1].replace(",", ""))

    def report(self):
        held = sorted(self.held_ms)
        if held:
            at = {name: held[min(len(held) - 1, int(len(held) * share))] for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))}
            print(f"recorded {len(held)}, held ms:", *(f"{name} {ms:.2f}" for name, ms in at.items()), f"max {held[-1]:.2f}")
        print(f"{self.events} events")
        for text, count in self.refused.items():
            print(f"not recorded, {count} times: {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--for", dest="span", default="50ms")
    options = parser.parse_args()
    program = subprocess.Popen([options.python, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(program.stdout.readline().strip(), flush=True)
    cycles = Cycles([os.path.join(options.build, "pathline"), "attach", "--for", options.span, "--values", "none"], program.pid)
    first = None
    for number in range(options.cycles):
        cycles.one()
        if program.poll() is not None:
            sys.exit(f"the program has ended in cycle {number}: {program.returncode}")
        if number == min(WARM, options.cycles) - 1:
            first = state(program.pid)
    time.sleep(0.1)
    last = state(program.pid)
    said, _ = program.communicate("end\n", timeout=120)
    cycles.report()
    print("after the first cycles", first)
    print("after all            ", last)
    print(f"the program: exit {program.returncode}, {said.strip()}")
    sys.exit(program.returncode != 0 or "harmed" in said)


if __name__ == "__main__":
    main()
