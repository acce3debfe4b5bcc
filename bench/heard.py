#!/usr/bin/env python3
"""Count the instructions of a workload by what is heard of it, by callgrind.

    heard.py [--build DIR] [--python EXE] [--row w_aio] [--scales 400,1000] [--values]

A tool costs a program what the interpreter takes to call it, and what it does then. Counted in user
space, of two runs the longer less the shorter, a unit of the workload's scale (of w_aio a request):
unheard; with callbacks that do nothing for calls, for calls, resumes and yields, and for each line
and call (the floor); and recorded. What is the kernel's no tool changes, so it is not counted.
With --values in place of the callbacks: recorded also with the values of all calls.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from instructions import HERE, Recording
from workload_rows import FLOOR_RUN, SCRIPTS, build_floor

HEARD = {
    "nothing": None,
    "calls": "mon:noop:PY_START",
    "calls, resumes, yields": "mon:noop:PY_START,PY_RESUME,PY_YIELD",
    "each line and call: the floor": "mon:noop:LINE,CALLS",
}


RECORDED = {"what Pathline hears, recorded": ("--values=none",)}
WITH_VALUES = {"recorded": ("--values=none",), "recorded with the values of all calls": ("--values=calls", "--values-of=*")}


class Counter:
    def __init__(self, build, python, scratch):
        self.build, self.python, self.scratch = build, python, scratch
        self.minor = subprocess.run([python, "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                                    capture_output=True, text=True, check=True).stdout.strip()

    def run(self, words):
        """Instructions of the whole process."""
        out = self.scratch / "callgrind.out"
        done = subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", self.python, *map(str, words)],
                              env=dict(os.environ, PYTHONHASHSEED="0", BENCH_OUT=os.devnull, FLOOR_OUT=str(self.build / "floor")),
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"pathline: {words[0]} failed under callgrind: {done.stderr[-800:]}")
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(errors="replace"), re.M)[1])

    def recorded(self, values, script, scale):
        directory = self.scratch / f"recording-{scale}-{len(values)}"
        recording = Recording(self.build, directory, 1000, values)
        try:
            arena = recording.arena()
            recording.signal_collector(signal.SIGSTOP)
            count = self.run([HERE / "driver.py", self.build / f"pathline-recorder-{self.minor}.so", arena, script, scale])
        finally:
            recording.close()
        info = subprocess.run([self.build / "pathline", "info", "--json", directory], capture_output=True, check=True).stdout
        if json.loads(info)["data"]["losses"]:
            raise SystemExit(f"pathline: the arena has no room for what {scale} of them write; give a smaller scale")
        return count

    def heard(self, mode, script, scale):
        tool = [FLOOR_RUN, mode] if mode else []
        return self.run([*tool, script, scale])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(HERE.parent / "build"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--row", default="w_aio")
    parser.add_argument("--scales", default="400,1000", help="the second no larger than the arena has room for: the collector is stopped")
    parser.add_argument("--values", action="store_true", help="what values cost, in place of what callbacks do")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        raise SystemExit("pathline: valgrind is not here; tools/install-deps ci installs it")
    build, script = pathlib.Path(args.build).resolve(), SCRIPTS / (args.row + ".py")
    scales = [int(scale) for scale in args.scales.split(",")]
    build_floor(args.python, build / "floor")
    with tempfile.TemporaryDirectory(prefix="pathline-heard-") as scratch:
        counter = Counter(build, args.python, pathlib.Path(scratch))
        before = None
        print(f"{args.row} on {counter.minor}: instructions in user space, a unit of its scale")
        heard = dict(list(HEARD.items())[:1]) if args.values else HEARD
        for name, mode in [*heard.items(), *(WITH_VALUES if args.values else RECORDED).items()]:
            count = counter.heard if name in heard else counter.recorded
            few, many = (count(mode, script, scale) for scale in scales)
            each = (many - few) / (scales[1] - scales[0])
            before = before or each
            print(f"  {name:<38}{each:14,.0f}" + (f"  {each / before:6.2f}" if name != "nothing" else ""), flush=True)


if __name__ == "__main__":
    main()
