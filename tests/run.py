#!/usr/bin/env python3
"""Run the tests: the unit tests that meson built, the harnesses of tests/exact, and every tests/*/test_*.py.

    tests/run.py [--build DIR] [--level quick|test|ci|exact] [--only 3.12,3.13.5] [PATTERN]

One line a file and interpreter, then `N passed, N failed` alone on the last. PATTERN is a part of `cli/test_dump`, of
`exact/libtest` or of a unit test's name. What a test_*.py sees:

    PATHLINE_BUILD    the build directory, absolute
    PATHLINE_PYTHON   the interpreter that is to be recorded
    PATHLINE_SUITE    the level
    PATHLINE_ROTATION a number that grows: of what is too long for each run, which part is to be run now
    PATHLINE_TURN     1 for the one interpreter whose turn it is to do most, else 0; with each commit it is another's

A file says by a line `INTERPRETERS = "one"` that it need not run for each interpreter, by `INTERPRETERS = "turn"` that it runs
for the one whose turn it is, by `INTERPRETERS = "none"` that it records nothing, and by `QUICK = True` that it belongs to `make check`. For an interpreter in a chroot it is run by
that one, from in there. Two are run side by side, for most of their time they wait; but not one that says `ALONE = True`, since it
measures. The harnesses use all processors by themselves.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

# Harnesses take --build and --python. A row: the script, its level, the interpreters (empty: all), more arguments.
# `test` takes the interpreters outside of chroots, `ci` all, and both one of each minor version; `exact` every one that is here.
# Each module of CPython's own tests takes seconds: `test` runs the fast ones, `ci` a third of all on each interpreter. Each
# has another third, and with each commit they move on: three interpreters see all of it now, each of them within a few commits.
# What takes longest is asked of one interpreter at a time, in its turn.
THIRD = "a third"
EIGHTH = "an eighth"
PART = "a part of what is asked in turn"
SEED = "a seed that no commit before had"
HARNESSES = (
    ("exact/exact.py", "quick", "3.13", ["flow", "generators", "threads", "fork"]),
    ("exact/exact.py", "test", "", ["--ask", "same,two,identity"]),
    ("exact/exact.py", "test", "in turn", ["--ask", "identity-dev,identity-debug"]),
    ("exact/test_events.py", "test", "", []),
    ("exact/test_filters.py", "test", "3.11,3.12,3.13", ["--quick"]),
    ("exact/beside.py", "test", "", []),
    ("exact/libtest.py", "test", "3.11,3.12,3.13", ["--fast"]),
    ("exact/generated.py", "test", "", ["--seeds", "2"]),
    ("exact/exact.py", "ci", "", ["--ask", "same,two,identity,identity-dev,identity-debug", "--shard", THIRD]),
    ("exact/test_events.py", "ci", "", []),
    ("exact/test_filters.py", "ci", "", ["--shard", THIRD]),
    ("exact/beside.py", "ci", "", []),
    ("exact/libtest.py", "ci", "3.11,3.12,3.13,3.14,3.15", ["--shard", THIRD]),
    ("exact/libtest.py", "ci", "3.12,3.13,3.14,3.15", ["--twice", "--shard", THIRD]),
    ("exact/generated.py", "ci", "", ["--seeds", "8", "--from", SEED]),
    ("exact/suites.py", "ci", "in turn", ["--shard", PART]),
    ("exact/witnesses.py", "ci", "", ["--shard", EIGHTH]),
    ("exact/exact.py", "exact", "", ["--ask", "same,two,identity,identity-dev,identity-debug"]),
    ("exact/test_events.py", "exact", "", []),
    ("exact/test_filters.py", "exact", "", ["--seeds", "6"]),
    ("exact/beside.py", "exact", "", []),
    ("exact/libtest.py", "exact", "", []),
    ("exact/libtest.py", "exact", "3.12,3.13,3.14,3.15", ["--twice"]),
    ("exact/generated.py", "exact", "", ["--seeds", "100"]),
    ("exact/suites.py", "exact", "", []),
    ("exact/witnesses.py", "exact", "", []),
)

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
LANES = 2
TIMEOUT_S = int(os.environ.get("PATHLINE_TEST_TIMEOUT", "1200"))


class Tally:
    def __init__(self):
        self.passed = self.failed = 0
        self.lock = threading.Lock()

    def row(self, name, passed, failed, seconds, note="", output=""):
        """A line, and what is to be read when something failed. Any thread."""
        word = "FAILED" if failed else "ok"
        with self.lock:
            self.passed += passed
            self.failed += failed
            print(f"{word:6} {name:44} {passed:4} passed {failed:3} failed {seconds:7.1f} s  {note}".rstrip(), flush=True)
            if failed and output:
                print(output, flush=True)


def run_unit(build, pattern, tally):
    """The tests of meson; its log has a JSON object for each."""
    log = build / "meson-logs/testlog.json"
    log.unlink(missing_ok=True)
    subprocess.run(["meson", "test", "-C", str(build), "--num-processes", "2"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    rows = [json.loads(line) for line in log.open()] if log.exists() else []
    for row in rows:
        if pattern not in row["name"]:
            continue
        good = row["result"] in ("OK", "EXPECTEDFAIL")
        tally.row(row["name"], good, not good and row["result"] != "SKIP", row["duration"],
                  "skipped" if row["result"] == "SKIP" else "",
                  (row.get("stdout") or "")[-4000:] + "\n" + (row.get("stderr") or "")[-4000:])
    if not rows and not pattern:
        tally.row("unit tests", 0, 1, 0, "meson ran none")


def in_meson(build):
    """The test files that meson runs by itself."""
    out = subprocess.run(["meson", "introspect", "--tests", str(build)], stdout=subprocess.PIPE, check=False).stdout
    return {os.path.realpath(word) for test in json.loads(out or b"[]") for word in test["cmd"] if word.endswith(".py")}


def count(output):
    """(passed, failed, note) from what unittest says in its last lines."""
    ran = re.findall(r"^Ran (\d+) tests? in", output, re.M)
    if not ran:
        return 0, 1, "it did not run to its end"
    numbers = {word: int(n) for word, n in re.findall(r"(failures|errors|skipped|unexpected successes)=(\d+)",
                                                      output[output.rindex("Ran "):])}
    skipped = numbers.pop("skipped", 0)
    failed = sum(numbers.values())
    return int(ran[-1]) - failed - skipped, failed, f"{skipped} skipped" if skipped else ""


def run_command(command, environment):
    """(its output, exit code)"""
    try:
        done = subprocess.run(command, cwd=TOP, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False)
        return done.stdout.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b"").decode(errors="replace") + f"\nno end within {TIMEOUT_S} s\n", 1


def run_file(file, version, executable, root, build, tally, is_turn):
    environment = dict(os.environ, PATHLINE_BUILD=str(build), PATHLINE_PYTHON=executable, PATHLINE_TURN=str(int(is_turn)),
                       PYTHONDONTWRITEBYTECODE="1")
    command = [executable if root else sys.executable, "-m", "unittest", "-v", str(file.relative_to(TOP))]
    if root:
        command = [str(TOP / "tools/in-chroot"), root, *command]
    start = time.monotonic()
    output, code = run_command(command, environment)
    passed, failed, note = count(output)
    if code not in (0, 5) and not failed:
        failed, note = 1, f"exit {code}"
    tally.row(f"{file.parent.name}/{file.stem} on {version}", passed, failed, time.monotonic() - start, note, output[-12000:])


def run_files(files, pythons, turn, build, tally):
    """Side by side, the longest ones first; then those that are to be alone."""
    jobs = [(file, *row, build, tally, row[0] == turn) for file in files for row in chosen(file, pythons, turn)]
    alone = [job for job in jobs if re.search(r"^ALONE = True", job[0].read_text(), re.M)]
    with concurrent.futures.ThreadPoolExecutor(LANES) as lanes:
        list(lanes.map(lambda job: run_file(*job), [job for job in jobs if job not in alone]))
    for job in alone:
        run_file(*job)


def run_harness(script, arguments, version, executable, root, build, tally):
    python = f"chroot {root} {executable}" if root else executable
    start = time.monotonic()
    output, code = run_command([sys.executable, str(HERE / script), "--build", str(build), "--python", python, *arguments],
                               os.environ)
    sums = re.findall(r"^(\d+) good, (\d+) failed", output, re.M)
    passed, failed = map(int, sums[-1]) if sums else (0, 1)
    tally.row(f"{script.removesuffix('.py')} on {version}", passed, failed or code != 0, time.monotonic() - start, "" if sums else f"exit {code}",
              output[output.find("\n==== ") if sums else -4000:][:20000])


def rotation():
    """(number, what it counts): $PATHLINE_ROTATION, the commits, or where they are not known the days."""
    if number := os.environ.get("PATHLINE_ROTATION"):
        return int(number), "PATHLINE_ROTATION"
    git = ["git", "-C", str(TOP), "rev-list", "--count", "HEAD"]
    try:
        shallow = (TOP / ".git/shallow").exists()
        count = subprocess.run(git, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.strip()
    except OSError:
        count = ""
    return (int(count), "commits") if count and not shallow else (int(time.time() // 86400), "days")


def one_of_each_minor(pythons, number):
    """Of 3.13.0 and 3.13.5 the one now, the other with the next commit."""
    groups = {}
    for row in pythons:
        groups.setdefault(row[0].rpartition(".")[0], []).append(row)
    return [group[number % len(group)] for group in groups.values()]


def in_turn(pythons, number):
    """The version whose turn it is, of those outside chroots."""
    versions = [row[0] for row in pythons if not row[2]] or [row[0] for row in pythons] or [""]
    return versions[number // 2 % len(versions)]        # odd commits have other micro versions than even ones


def interpreters(only):
    out = subprocess.run([sys.executable, str(TOP / "tools/interpreters.py")], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.split("\t") for line in out.splitlines()]
    return [row for row in rows if not only or is_among(row[0], only)]


def is_among(version, words):
    """3.13.5 is among 3.13.5 and among 3.13."""
    return any(version == word or version.startswith(word + ".") for word in words.split(","))


def test_files(build, args):
    """The unittest files that are wanted, and that meson does not run; those of servers and faults, which take longest, first."""
    known = in_meson(build)
    for file in sorted(HERE.glob("*/test_*.py"), reverse=True):
        text = file.read_text()
        if "import unittest" not in text or str(file) in known or args.pattern not in f"{file.parent.name}/{file.stem}":
            continue
        if args.level == "exact" or (args.level == "quick" and not re.search(r"^QUICK = True", text, re.M)):
            continue
        yield file


def chosen(file, pythons, turn):
    """The rows of the interpreters that the file is to be run for; turn: the version whose turn it is."""
    word = re.search(r'^INTERPRETERS = "(\w+)"', file.read_text(), re.M)
    if not word:
        return pythons
    if word[1] == "turn":
        return [row for row in pythons if row[0] == turn]
    if word[1] == "none":
        return [["itself", sys.executable, ""]]
    return ([row for row in pythons if not row[2]] or pythons)[-1:]


def main():
    parser = argparse.ArgumentParser(description="Run the tests.")
    parser.add_argument("--build", default=str(TOP / "build"))
    parser.add_argument("--level", default="test", choices=("quick", "test", "ci", "exact"))
    parser.add_argument("--only", default="", metavar="VERSIONS", help="interpreters, e.g. 3.12,3.13.5")
    parser.add_argument("--print-turn", action="store_true", help="print the version whose turn it is, and end")
    parser.add_argument("pattern", nargs="?", default="")
    args = parser.parse_args()
    if args.print_turn:
        number, _ = rotation()
        print(in_turn(one_of_each_minor(interpreters(args.only), number), number))
        return 0
    build, tally = pathlib.Path(args.build).resolve(), Tally()

    os.environ["PATHLINE_SUITE"] = args.level
    run_unit(build, args.pattern, tally)
    pythons = interpreters(args.only)
    if not pythons:
        tally.row("interpreters", 0, 1, 0, "no CPython that is supported")
    number, unit = rotation()
    os.environ["PATHLINE_ROTATION"] = str(number)
    if args.level == "test":
        pythons = [row for row in pythons if not row[2]] or pythons
    if args.level != "exact":
        pythons = one_of_each_minor(pythons, number)
    parts = {row[0]: {THIRD: f"{(number + k) % 3 + 1}/3", EIGHTH: f"{(number + k) % 8 + 1}/8", PART: f"{number % 4 + 1}/4", SEED: str(8 * number)}
             for k, row in enumerate(pythons)}
    turn = in_turn(pythons, number)
    if args.level == "ci":
        thirds = ", ".join(f"{part[THIRD]} on {version}" for version, part in parts.items())
        print(f"rotation {number} ({unit}): {thirds}; it is the turn of {turn}", flush=True)
    for script, level, versions, arguments in HARNESSES:
        if level == args.level and args.pattern in script:
            for row in pythons:
                if not versions or is_among(row[0], turn if versions == "in turn" else versions):
                    run_harness(script, [parts[row[0]].get(word, word) for word in arguments], *row, build, tally)
    run_files(list(test_files(build, args)), pythons, turn, build, tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
