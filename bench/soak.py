#!/usr/bin/env python3
"""Is a server that is recorded for long as it was at its beginning?

    soak.py [--build DIR] [--python EXE] [--minutes 60] [--limit 64M] [--growth 2M] [--clock tick=auto]

The echo server of w_aio runs again and again under `pathline record --limit`. Each second what the
recording takes on disk is read, and the memory of the program and of the collector. Asked is that

    the disk never holds more than the limit, and the limit is reached,
    the memory of both is flat: once the limit was reached, it grows by 2% and --growth at most, and
    there are no more descriptors than before,
    nothing is lost but the oldest, which the limit drops, and `check` finds the rest sound.

It prints a line a minute, and ends with 1 if something of that is not so.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from watch import NAME, read

HERE = pathlib.Path(__file__).resolve().parent
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# Each pass is a loop of its own, with its server, its clients and their tasks.
PROGRAM = f"""\
import os, sys
sys.argv[1:] = ["2000"]
sys.path.insert(0, {str(HERE / "workloads")!r})
import w_aio
passes = 0
while not os.path.exists(os.environ["SOAK_STOP"]):
    assert w_aio.main() > 0
    passes += 1
print(passes)
"""
PASS_REQUESTS = 2000
PASS_DESCRIPTORS = 50       # that come and go with each
GROWTH = 1.02


@dataclasses.dataclass
class Sample:
    """At one moment: bytes, and descriptors of both."""
    disk: int
    program: int
    collector: int
    descriptors: int


def bytes_of(text):
    return int(text[:-1]) * UNITS[text[-1].upper()] if text[-1].upper() in UNITS else int(text)


def resident(pid):
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    return 0


def on_disk(folder):
    """What is removed meanwhile counts no more."""
    whole = 0
    for entry in os.scandir(folder):
        try:
            whole += entry.stat().st_size
        except FileNotFoundError:
            pass
    return whole


def children_of(parent):
    """(the program's pid, the collector's), or None while one is missing."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if f"\nPPid:\t{parent}\n" in read(f"/proc/{pid}/status"):
            found[read(f"/proc/{pid}/comm").strip()] = int(pid)
    collector = found.pop(NAME, None)
    program = next((pid for name, pid in found.items() if not name.startswith("pathline")), None)
    return (program, collector) if program and collector else None


class Soak:
    def __init__(self, args, folder):
        self.pathline = str(pathlib.Path(args.build, "pathline").resolve())
        self.args, self.out = args, os.path.join(folder, "recording")
        self.stop = os.path.join(folder, "stop")
        self.script = os.path.join(folder, "server.py")
        pathlib.Path(self.script).write_text(PROGRAM, encoding="utf-8")
        self.samples, self.faults, self.dropped_from = [], [], None

    def sample(self, program, collector):
        held = sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in (program, collector))
        self.samples.append(Sample(on_disk(self.out), resident(program), resident(collector), held))
        if self.dropped_from is None and not os.path.exists(self.out + "/events.000001"):
            self.dropped_from = len(self.samples)

    def say(self, seconds):
        last = self.samples[-1]
        print(f"{seconds / 60:6.1f} min: {last.disk / 1e6:6.1f} MB on disk, program {last.program / 1e6:6.1f} MB, "
              f"collector {last.collector / 1e6:6.1f} MB, {last.descriptors} descriptors", flush=True)

    def run(self):
        """Returns what the program and record said."""
        words = [self.pathline, "record", "--limit", self.args.limit, "--clock", self.args.clock, "-o", self.out, "--python", self.args.python, self.script]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "SOAK_STOP": self.stop}) as running:
            try:
                self.watch(running)
            finally:
                pathlib.Path(self.stop).touch()
            said = running.communicate()
        if running.returncode:
            self.faults.append(f"it ended with {running.returncode}: {said[1]}")
        return said

    def watch(self, running):
        begun, said = time.monotonic(), 0
        while (pids := children_of(running.pid)) is None or not os.path.exists(self.out + "/events.000001"):
            if running.poll() is not None or time.monotonic() - begun > 60:
                self.faults.append("it did not begin")
                return
            time.sleep(0.05)
        while (passed := time.monotonic() - begun) < self.args.minutes * 60 and running.poll() is None:
            self.sample(*pids)
            if passed >= 60 * said:
                self.say(passed)
                said += 1
            time.sleep(min(1, self.args.minutes))
        self.say(passed)

    def judge(self):
        limit = bytes_of(self.args.limit)
        most = max(sample.disk for sample in self.samples)
        if most > limit:
            self.faults.append(f"{most} bytes on disk, more than {self.args.limit}")
        if self.dropped_from is None:
            self.faults.append(f"the limit was not reached: {most} bytes; run it for longer, or with less --limit")
            return
        steady = self.samples[min(2 * self.dropped_from, len(self.samples) - 2):]
        half = len(steady) // 2
        for name in ("program", "collector"):
            before, after = (statistics.median(getattr(s, name) for s in part) for part in (steady[:half] or steady, steady[half:]))
            if after > before * GROWTH + bytes_of(self.args.growth):
                self.faults.append(f"the {name} grows: {before / 1e6:.1f} MB, then {after / 1e6:.1f} MB")
        if max(s.descriptors for s in steady[half:]) > max(s.descriptors for s in steady[:half] or steady) + PASS_DESCRIPTORS:
            self.faults.append("descriptors get more")

    def judge_recording(self):
        told = json.loads(subprocess.run([self.pathline, "info", "--json", self.out], capture_output=True, text=True, check=True).stdout)["data"]
        lost = [loss for loss in told["losses"] if loss["reason"] != "evicted"]
        if lost or told["counts"]["gap"] or not told["finished"]:
            self.faults.append(f"something is lost: {lost}, {told['counts']['gap']} gaps")
        checked = subprocess.run([self.pathline, "check", self.out], capture_output=True, text=True, check=False)
        if checked.returncode:
            self.faults.append(f"check: {checked.stdout}{checked.stderr}")
        return told


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--python", default="python3")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--limit", default="64M")
    parser.add_argument("--growth", default="2M")
    parser.add_argument("--clock", default="tick=auto", help="with `line` there are more bytes")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pathline-soak-", dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
        soak = Soak(args, folder)
        passes = soak.run()[0].strip()
        if soak.samples:
            soak.judge()
            told = soak.judge_recording()
            last, most = soak.samples[-1], max(sample.disk for sample in soak.samples)
            dropped = sum(loss["lost"] for loss in told["losses"])
            print(f"{int(passes or 0) * PASS_REQUESTS:,} requests, {told['events'] + dropped:,} events, {dropped:,} of them dropped by the limit; "
                  f"at most {most / 1e6:.1f} MB on disk; at the end program {last.program / 1e6:.1f} MB, collector {last.collector / 1e6:.1f} MB")
    for fault in soak.faults:
        print(f"pathline: soak: {fault}", file=sys.stderr)
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main())
