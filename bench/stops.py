#!/usr/bin/env python3
"""The longest stops: how many instructions single calls of the recorder take, by callgrind.

    stops.py [--build DIR] [--python EXE] [--least N] SCRIPT [ARGUMENT…]

The script runs recorded, and each call from the interpreter into the recorder that took at least
N instructions is a line, the longest first. 3,000,000 instructions count as 1 ms. What the
interpreter does on behalf of the recorder in such a call is counted too, what the kernel does is
not.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from instructions import HERE, Recording

LIMIT = 3_000_000           # 1 ms
KINDS = HERE.parent / "tests/stops/kinds.py"


def missing():
    """What is not here that this needs, or None."""
    if not shutil.which("valgrind"):
        return "valgrind"
    if not shutil.which("cc"):
        return "a C compiler"
    if not pathlib.Path("/usr/include/valgrind/callgrind.h").exists():
        return "valgrind/callgrind.h"
    return None


def build_wrapper(scratch):
    out = scratch / "stops.so"
    if not out.exists():
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(out), str(HERE / "stops.c")], check=True)
    return out


def read(log):
    """[(instructions, function)], the longest first: what stops.c has printed into valgrind's log.
    Of several threads the one that runs is meant."""
    found, name, thread = [], None, None
    for line in log.read_text(errors="replace").splitlines():
        if word := re.search(r"stop: (\w+)$", line):
            name = word[1]
        elif word := re.match(r"current-tid: (\d+)", line):
            thread = word[1]
        elif name and (word := re.match(rf"events-{thread}: (\d+)", line)):
            found.append((int(word[1]), name))
            name = None
    return sorted(found, reverse=True)


def measure(build, python, words, scratch, profile=os.devnull):
    """[(instructions, function)] of the longest calls while the program runs."""
    minor = subprocess.run([python, "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                           capture_output=True, text=True, check=True).stdout.strip()
    wrapper, log = build_wrapper(scratch), scratch / "stops.log"
    recording = Recording(build, scratch / "recording", 1000)
    try:
        done = subprocess.run(["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={profile}", f"--log-file={log}", python, "-I",
                               str(HERE / "driver.py"), str(build / f"pathline-recorder-{minor}.so"), recording.arena(), *map(str, words)],
                              env=dict(os.environ, PYTHONHASHSEED="0", PATHLINE_STOPS=str(wrapper)), capture_output=True, text=True, check=False)
    finally:
        recording.close()
        shutil.rmtree(scratch / "recording", ignore_errors=True)
    if done.returncode:
        raise RuntimeError(f"{words[0]} failed under callgrind: {done.stderr[-800:]}")
    return read(log)


def measure_kind(build, python, kind, scratch):
    """measure() of a program of tests/stops: what it runs is compiled before."""
    words, compiled = [KINDS, kind], scratch / "kind"
    compiled.unlink(missing_ok=True)
    subprocess.run([python, KINDS, "--compile", kind, compiled], check=True)
    if compiled.exists():
        words.append(compiled)
    return measure(build, python, words, scratch)


def main():
    parser = argparse.ArgumentParser(description="Count the instructions of the longest calls of the recorder.")
    parser.add_argument("--build", default=str(HERE.parent / "build"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--least", type=int, default=LIMIT // 10)
    parser.add_argument("--profile", default=os.devnull, help="callgrind's own file")
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="SCRIPT")
    args = parser.parse_args()
    if what := missing():
        raise SystemExit(f"pathline: {what} is not here")
    with tempfile.TemporaryDirectory(prefix="pathline-stops-") as scratch:
        for count, name in measure(pathlib.Path(args.build).resolve(), args.python, args.words, pathlib.Path(scratch), args.profile):
            if count >= args.least:
                print(f"{count:>12,}  {name}")


if __name__ == "__main__":
    main()
