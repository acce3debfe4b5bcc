#!/usr/bin/env python3
"""Count the instructions that the hot path takes for an event, by callgrind, and compare with
bench/instructions.json.

    instructions.py [--build DIR] [--python EXE] [--accept]

Counts, not seconds: they are the same on a machine at work. For each callback of the recorder: what
it took with all that it called, by how often it was called, in steady state: of two runs of the
driver the longer less the shorter, so that what happens once (a code that is described, places that
are disabled) falls out. More than 3% worse than the file says is a failure, and exit 1; --accept
writes the numbers that are now into the file, for the commit that says why. Numbers are of one
compiler; with another nothing is compared.
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

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE / "instructions.json"
TOLERANCE = 0.03
ROUNDS = (3000, 9000)
# what is counted by which runs of the driver: --hot, its sections, and what a callback is called
# there if not as below
RUNS = ((0, "lines,calls,yields,raises,passes", {}), (1, "lines,calls,yields,raises", {"on_instruction": "hot line"}),
        (1, "passes", {"on_instruction": "hot again"}))
# callback -> what it is for
CALLBACKS = {"on_line": "line", "on_instruction": None, "on_start": "call", "on_return": "return", "on_resume": "resume", "on_yield": "yield",
             "on_raise": "raise", "on_handled": "handled", "on_unwind": "unwind", "on_jump": "again"}


def compiler(library):
    """As it says in the library itself."""
    found = re.search(rb"(GCC): \([^)]*\) ([\d.]+)|(clang) version ([\d.]+)", library.read_bytes())
    return " ".join(word.decode() for word in found.groups() if word).lower() if found else "unknown compiler"


def optimised(build):
    out = subprocess.run(["meson", "introspect", "--buildoptions", str(build)], capture_output=True, text=True, check=True).stdout
    return {o["name"]: o["value"] for o in json.loads(out)}["buildtype"]


def read_text(path):
    """Of a process that may be gone."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


class Recording:
    """A `pathline record` whose command waits, and whose arena others can take.

    Its collector is stopped while they do: its clock would tick fifty times as often an event as it
    does outside of valgrind. The arena has room for all that the driver writes.
    """

    def __init__(self, build, directory, hot, values=("--values=none",)):
        self.process = subprocess.Popen([str(build / "pathline"), "record", "-q", *values, "--hot", str(hot), "-o", str(directory), "--", "cat"],
                                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def children(self):
        """name -> pid"""
        found = {}
        for pid in read_text(f"/proc/{self.process.pid}/task/{self.process.pid}/children").split():
            found[read_text(f"/proc/{pid}/comm").strip()] = int(pid)
        return found

    def arena(self):
        """It is mapped before the command begins; until then that of a dead recording may be, which
        record finishes first."""
        while self.process.poll() is None:
            if "cat" in self.children():
                return re.search(r"/\S*\.arena$", read_text(f"/proc/{self.process.pid}/maps"), re.M)[0]
        raise SystemExit("pathline: record did not start")

    def signal_collector(self, number):
        os.kill(self.children()["pathline-drain"], number)

    def close(self):
        self.signal_collector(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()


def run(build, python, minor, rounds, scratch, hot, sections):
    """callback -> (instructions, calls)"""
    out = scratch / f"callgrind.{rounds}"
    recording = Recording(build, scratch / f"recording-{rounds}-{hot}", hot)
    try:
        arena = recording.arena()
        recording.signal_collector(signal.SIGSTOP)
        done = subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", python, "-S", "-I", str(HERE / "driver.py"),
                               str(build / f"pathline-recorder-{minor}.so"), arena, f"{sections}:{rounds}"],
                              env=dict(os.environ, PYTHONHASHSEED="0"), capture_output=True, text=True, check=False)
    finally:
        recording.close()
    if done.returncode:
        raise SystemExit(f"pathline: the driver failed under callgrind: {done.stderr[-800:]}")
    return read(out)


def read(path):
    """Inclusive: each call of a callback has a line with what it took with all below it."""
    names, sums, callee, take = {}, {}, None, 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if take:
                name = callee.partition(".")[0]
                if name in CALLBACKS:
                    instructions, calls = sums.get(name, (0, 0))
                    sums[name] = (instructions + int(line.split()[1]), calls + take)
                take = 0
            elif found := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
                if found[2]:
                    names[found[1]] = found[2].strip().split("'")[0]
                if line.startswith("cfn="):
                    callee = names[found[1]]
            elif line.startswith("calls="):
                take = int(line[6:].split()[0])
    return sums


def count(build, python, minor):
    """kind -> instructions an event"""
    counts = {}
    for hot, sections, kinds in RUNS:
        if not hot or minor in ("3.12", "3.13"):
            counts |= count_with(build, python, minor, hot, sections, kinds or CALLBACKS)
    return counts


def count_with(build, python, minor, hot, sections, kinds):
    with tempfile.TemporaryDirectory(prefix="pathline-instructions-") as scratch:
        few, many = (run(build, python, minor, rounds, pathlib.Path(scratch), hot, sections) for rounds in ROUNDS)
    counts = {}
    for callback, kind in kinds.items():
        less, more = few.get(callback, (0, 0)), many.get(callback, (0, 0))
        # else it is switched off here, and costs nothing
        if more[1] - less[1] >= (ROUNDS[1] - ROUNDS[0]) // 4:
            counts[kind] = round((more[0] - less[0]) / (more[1] - less[1]), 1)
    return counts


def worse(known, counts):
    """Lines about what is worse than the file says, or is new there."""
    for kind, now in counts.items():
        before = known.get(kind)
        if before is None:
            yield f"{kind}: {now:.0f} instructions, where no event of this kind was before"
        elif now > before * (1 + TOLERANCE):
            yield f"{kind}: {now:.1f} instructions an event, {before:.1f} before"


def accept(whole, key, counts):
    whole[key] = counts
    FILE.write_text(json.dumps(dict(sorted(whole.items())), indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description="Count the instructions of the hot path.")
    parser.add_argument("--build", default=str(HERE.parent / "build"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--accept", action="store_true", help="write what is counted into instructions.json")
    args = parser.parse_args()
    build = pathlib.Path(args.build).resolve()
    if not shutil.which("valgrind"):
        raise SystemExit("pathline: valgrind is not here; tools/install-deps ci installs it")
    minor = subprocess.run([args.python, "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                           capture_output=True, text=True, check=True).stdout.strip()
    key = f"{minor}, {compiler(build / f'pathline-recorder-{minor}.so')}, {optimised(build)}"
    counts = count(build, args.python, minor)
    whole = json.loads(FILE.read_text()) if FILE.exists() else {}
    known = whole.get(key)
    print(f"instructions an event on {key}")
    for kind, now in counts.items():
        print(f"  {kind:<8} {now:7.1f}" + (f"  {now / known[kind] - 1:+.1%}" if known and kind in known else ""))
    if args.accept:
        accept(whole, key, counts)
        return 0
    if known is None:
        print("nothing to compare with: these are not in bench/instructions.json")
        return 0
    faults = list(worse(known, counts))
    for fault in faults:
        print(f"pathline: the hot path is worse: {fault}", file=sys.stderr)
    if faults:
        print("pathline: if that has its reason, say it in the commit and run: bench/instructions.py --accept", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
