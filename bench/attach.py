#!/usr/bin/env python3
"""Attach to a program and leave it, again and again: is it unharmed, and for how long was it held?

	bench/attach.py --build build --python /usr/bin/python3.13 [--program hostile] [--cycles 200]

The programs are those of bench/attach_programs.py. Each cycle is recorded, or refused with one line. At the end the program's memory, descriptors,
threads and mappings are compared with those after the first ten cycles, and it must end by itself.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

import attach_programs

WARM = 10


def state(pid):
    """What it has: resident kB, descriptors, threads, mappings, and of these the ones that can be
    run but are of no file, as our pages."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        resident = int(re.search(r"VmRSS:\s*(\d+)", status.read())[1])
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        mappings = maps.read().splitlines()
    return {"resident_kB": resident, "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
            "threads": len(os.listdir(f"/proc/{pid}/task")), "mappings": len(mappings),
            "pages": sum(" r-xp 00000000 00:00 0" in line and len(line.split()) == 5 for line in mappings)}


class Cycles:
    """Of one program."""

    def __init__(self, build, program, span):
        self.words = [os.path.join(build, "pathline"), "attach", "--for", span, "--values", "none"]
        self.program = program
        self.held_ms, self.refused, self.late, self.events = [], collections.Counter(), collections.Counter(), 0

    def one(self):
        pid = str(self.program.pid)
        with tempfile.TemporaryDirectory(prefix="attach-") as folder:
            done = subprocess.run([*self.words, "-o", os.path.join(folder, "r"), pid], capture_output=True, text=True, timeout=120,
                                  check=False)
        held = re.search(r"held for ([\d.]+) ms", done.stderr)
        events = re.search(r"([\d,]+) events", done.stderr)
        if done.returncode or not held:
            self.refused[re.sub(r"\d+", "N", done.stderr.strip())] += 1
        else:
            self.held_ms.append(float(held[1]))
            self.late.update(re.sub(r"\d+", "N", line) for line in done.stderr.splitlines() if "was not left yet" in line)
            self.events += int(events[1].replace(",", "")) if events else 0

    def run(self, count):
        """The state after some of them, and after all."""
        first = None
        for number in range(count):
            self.one()
            if self.program.poll() is not None:
                raise AssertionError(f"the program has ended in cycle {number}: {self.program.returncode}")
            if number == min(WARM, count) - 1:
                first = state(self.program.pid)
        time.sleep(0.1)
        return first, state(self.program.pid)

    def report(self):
        held = sorted(self.held_ms)
        if held:
            at = {name: held[min(len(held) - 1, int(len(held) * share))] for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))}
            print(f"recorded {len(held)}, held ms:", *(f"{name} {ms:.2f}" for name, ms in at.items()), f"max {held[-1]:.2f}")
        print(f"{self.events} events")
        for text, count in self.refused.items():
            print(f"not recorded, {count} times: {text}")
        for text, count in self.late.items():
            print(f"left by itself, later, {count} times: {text}")


def end(program):
    """What it says of itself, and whether that is all well."""
    said, _ = program.communicate("end\n", timeout=120)
    return said.strip(), program.returncode == 0 and said == "unharmed\n"


def cycle(options, name, environment=None):
    """All of one program. true: it is unharmed, or cannot run here."""
    with tempfile.TemporaryDirectory(prefix="attach-") as folder:
        program = attach_programs.start(options.python, name, folder, environment)
        if program is None:
            print(f"{name}: cannot run here")
            return True
        try:
            cycles = Cycles(options.build, program, options.span)
            first, last = cycles.run(options.cycles)
            said, well = end(program)
        finally:
            program.kill()
            program.wait()
    print(f"{name}: {said}, exit {program.returncode}")
    cycles.report()
    print("after the first cycles", first)
    print("after all             ", last, flush=True)
    return well


def options_of(description):
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--for", dest="span", default="50ms")
    return parser


def main():
    parser = options_of(__doc__)
    parser.add_argument("--program", choices=attach_programs.PROGRAMS, default="hostile")
    options = parser.parse_args()
    sys.exit(not cycle(options, options.program))


if __name__ == "__main__":
    main()
