"""How late is a reader that follows? From a call in the program until its row is on the reader's
stdout.

    bench/follow.py [--build DIR] [--python PY] [--calls N] [--every MS]

The program makes few events: one call at a time, and sleeps in between. So what is measured is the
bound of the flush, the collector's tick, and the reader. The machine must be idle.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = """\
import sys, time

def tick(n):
    return n

for n in range(int(sys.argv[1])):
    time.sleep(float(sys.argv[2]) / 1000)
    print(time.monotonic_ns(), flush=True)
    tick(n)
time.sleep(2)
"""
READERS = {"dump": ["dump", "--follow", "--events", "call", "--fields", "code"], "calls": ["calls", "--follow", "--all"]}


def wait_for_recording(path):
    while not os.path.exists(os.path.join(path, "meta")):
        time.sleep(0.01)
    time.sleep(0.5)


def arrivals(reader):
    """When each row of tick came."""
    return [time.monotonic_ns() for line in reader.stdout if re.match(rb"\s*tick\b(?! ends)", line)]


def measure(arguments, words):
    pathline = os.path.join(arguments.build, "pathline")
    with tempfile.TemporaryDirectory(prefix="pathline-follow-") as room:
        script, out = os.path.join(room, "app.py"), os.path.join(room, "r")
        with open(script, "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        with subprocess.Popen([pathline, "record", "-q", "-o", out, "--", arguments.python, script, str(arguments.calls), str(arguments.every)],
                              stdout=subprocess.PIPE) as program:
            wait_for_recording(out)
            with subprocess.Popen([pathline, *words, out], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as reader:
                came = arrivals(reader)
            made = [int(line) for line in program.stdout]
    return [(b - a) / 1e6 for a, b in zip(made, came)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--every", type=float, default=150)
    arguments = parser.parse_args()
    for name, words in READERS.items():
        late = sorted(measure(arguments, words))
        if len(late) != arguments.calls:
            sys.exit(f"{name} --follow: {len(late)} of {arguments.calls} calls were shown")
        print(f"{name:6} --follow: median {statistics.median(late):.0f} ms, most {late[-1]:.0f} ms, of {len(late)} calls")


if __name__ == "__main__":
    main()
