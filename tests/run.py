#!/usr/bin/env python3
"""Run the tests: the unit tests that meson built, the harnesses of tests/exact, and every
tests/*/test_*.py.

    tests/run.py [--build DIR] [--level quick|test|ci|exact] [--only 3.12,3.13.5] [PATTERN]

One line a file and interpreter. The last line is `N passed, N failed`, and after it what could not
be tried here and why. PATTERN is a part of `cli/test_dump`, of `exact/libtest` or of a unit test's
name. What a test_*.py sees:

    PATHLINE_BUILD    the build directory, absolute
    PATHLINE_PYTHON   the interpreter that is to be recorded
    PATHLINE_SUITE    the level
    PATHLINE_ROTATION a number that grows: of what is too long for each run, which part is to be run now
    PATHLINE_TURN     1 for the one interpreter whose turn it is to do most, else 0; with each commit it is another's

A file says by a line `INTERPRETERS = "one"` that it need not run for each interpreter, by
`INTERPRETERS = "turn"` that it runs for the one whose turn it is, by `INTERPRETERS = "two"` that CI
runs it for two of the five, others with each commit, by `INTERPRETERS = "rotating"` that CI runs it
for one of the five, another with each commit, by `INTERPRETERS = "none"` that it records nothing,
by `QUICK = True` that it belongs to `make check`, and by `CI_HALF = 0` or `1` that CI runs it with
half of the commits: two of four, and those of 0 are not those of 1. For an interpreter in a chroot it is run by
that one, from in there. Two are run side by side, for most of their time they wait; but not one
that says `ALONE = True`: it measures, or no other collector may come between. The harnesses use all
processors by themselves.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

# Harnesses take --build and --python. A row: the script, its level, the interpreters (empty: all),
# more arguments. `test` takes the interpreters outside of chroots, `ci` all, and both one of each
# minor version; `exact` every one that is here. Each module of CPython's own tests takes seconds:
# `test` runs the fast ones, `ci` a sixtieth of all on each interpreter. Each has another part, and
# with each second commit they move on: the five versions see a twelfth of it now, each all of it
# within 120 commits. What takes longest is asked of one interpreter at a time, in its turn.
FIFTH = "a fifth"
EIGHTH = "an eighth"
TENTH = "a tenth"
SIXTIETH = "a sixtieth"
THIRTIETH = "a thirtieth"
PART = "a part of what is asked in turn"
SEED = "a seed that no commit before had"
# By turns: the path alone, or as `record` does by default, with the values of the program's calls.
WAY = "with values or without"
WAYS = (["--option=--values=none"], ["--option=--values-of=mine", f"--option=--values-of={pathlib.Path(__file__).resolve().parent}/exact"])
# Of all code, with all the arguments, results and exceptions that it has.
VALUES = ("--option=--values=calls", "--option=--values-of=*")
LINES = ("--option=--values=lines", "--option=--values-of=*")
HARNESSES = (
    ("exact/exact.py", "quick", "3.13", ["flow", "generators", "threads", "fork"]),
    ("exact/exact.py", "test", "", ["--ask", "same,two,identity", WAY]),
    ("exact/exact.py", "test", "in turn", ["--ask", "identity-dev,identity-debug"]),
    ("exact/test_events.py", "test", "", [WAY]),
    ("exact/test_values.py", "test", "", []),
    ("exact/test_variables.py", "test", "", []),
    ("exact/test_filters.py", "test", "3.11,3.12,3.13", ["--quick", WAY]),
    ("exact/beside.py", "test", "", [WAY]),
    ("exact/libtest.py", "test", "3.11,3.12,3.13", ["--fast"]),
    ("exact/generated.py", "test", "", ["--seeds", "2", WAY]),
    ("exact/exact.py", "ci", "", ["--ask", "same,two,identity,identity-dev,identity-debug", "--shard", EIGHTH, WAY]),
    ("exact/test_events.py", "ci", "", ["--shard", FIFTH, WAY]),
    ("exact/test_values.py", "ci", "", ["--shard", FIFTH]),
    ("exact/test_variables.py", "ci", "", ["--shard", FIFTH]),
    ("exact/test_filters.py", "ci", "", ["--shard", TENTH, WAY]),
    ("exact/beside.py", "ci", "", ["--shard", FIFTH, WAY]),
    ("exact/libtest.py", "ci", "3.11,3.12,3.13,3.14,3.15", ["--shard", SIXTIETH]),
    ("exact/libtest.py", "ci", "3.12,3.13,3.14,3.15", ["--twice", "--shard", THIRTIETH]),
    ("exact/generated.py", "ci", "", ["--seeds", "1", "--from", SEED, WAY]),
    ("exact/exact.py", "ci", "in turn", ["--ask", "same,identity-plain", "--shard", TENTH, *VALUES]),
    ("exact/exact.py", "ci", "in turn", ["--ask", "same", "--shard", TENTH, *LINES]),
    ("exact/suites.py", "ci", "in turn", ["--shard", PART]),
    ("exact/witnesses.py", "ci", "", ["--shard", EIGHTH]),
    ("exact/exact.py", "exact", "", ["--ask", "same,two,identity,identity-dev,identity-debug", *WAYS[0]]),
    ("exact/test_events.py", "exact", "", []),
    ("exact/test_values.py", "exact", "", []),
    ("exact/test_variables.py", "exact", "", []),
    ("exact/test_filters.py", "exact", "", ["--seeds", "6"]),
    ("exact/beside.py", "exact", "", []),
    ("exact/libtest.py", "exact", "", []),
    ("exact/libtest.py", "exact", "3.12,3.13,3.14,3.15", ["--twice"]),
    ("exact/generated.py", "exact", "", ["--seeds", "100"]),
    ("exact/exact.py", "exact", "", ["--ask", "same,two,identity", *VALUES]),
    ("exact/suites.py", "exact", "", []),
    ("exact/witnesses.py", "exact", "", []),
)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import leftovers  # noqa: E402

SUPPORTED = ("3.11", "3.12", "3.13", "3.14", "3.15")
# How reasons for a skip begin that are no lack of this machine: another run has it, or the version
# has no such thing
NO_LACK = ("not now", "this Python", "3.11 ")
HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
LANES = 3
TIMEOUT_S = int(os.environ.get("PATHLINE_TEST_TIMEOUT", "1200"))


class Tally:
    def __init__(self):
        self.passed = self.failed = 0
        self.skipped = collections.Counter()
        self.lock = threading.Lock()

    def row(self, name, passed, failed, seconds, output="", skipped=()):
        """A line, and what is to be read when something failed; skipped: the reason of each test
        that was. Any thread."""
        word = "FAILED" if failed else "ok"
        note = f"{len(skipped)} skipped: {', '.join(dict.fromkeys(skipped))}" if skipped else ""
        with self.lock:
            self.passed += passed
            self.failed += failed
            self.skipped.update(skipped)
            print(f"{word:6} {name:44} {passed:4} passed {failed:3} failed {seconds:7.1f} s  {note}".rstrip(), flush=True)
            if failed and output:
                print(output, flush=True)


def introspected_tests(build):
    out = subprocess.run(["meson", "introspect", "--tests", str(build)], stdout=subprocess.PIPE, check=False).stdout
    return json.loads(out or b"[]")


def run_unit(build, pattern, tally):
    """The tests of meson whose names have the pattern; its log has a JSON object for each."""
    log = build / "meson-logs/testlog.json"
    log.unlink(missing_ok=True)
    names = [test["name"] for test in introspected_tests(build) if pattern in test["name"]] if pattern else []
    if pattern and not names:
        return
    subprocess.run(["meson", "test", "-C", str(build), "--num-processes", "2", *names],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    rows = [json.loads(line) for line in log.open()] if log.exists() else []
    for row in rows:
        if pattern not in row["name"]:
            continue
        good = row["result"] in ("OK", "EXPECTEDFAIL")
        is_skipped = row["result"] == "SKIP"
        tally.row(row["name"], good, not good and not is_skipped, row["duration"],
                  (row.get("stdout") or "")[-4000:] + "\n" + (row.get("stderr") or "")[-4000:],
                  [f"{row['name']} by itself"] if is_skipped else ())
    if not rows and not pattern:
        tally.row("unit tests", 0, 1, 0, "meson ran none")


def in_meson(build):
    """The test files that meson runs by itself."""
    return {os.path.realpath(word) for test in introspected_tests(build) for word in test["cmd"] if word.endswith(".py")}


def count(output):
    """(passed, failed, the reasons of what was skipped) from what unittest says; None: it did not
    run to its end."""
    ran = re.findall(r"^Ran (\d+) tests? in", output, re.M)
    if not ran:
        return None
    numbers = {word: int(n) for word, n in re.findall(r"(failures|errors|skipped|unexpected successes)=(\d+)",
                                                      output[output.rindex("Ran "):])}
    skipped = numbers.pop("skipped", 0)
    failed = sum(numbers.values())
    reasons = [shorten(reason) for _, reason in re.findall(r"""\bskipped (['"])(.*)\1$""", output, re.M)]
    return int(ran[-1]) - failed - skipped, failed, (reasons + ["no reason"] * skipped)[:skipped]


def shorten(reason):
    reason = reason.partition(". ")[0].replace(f"{TOP}/", "")
    return reason if len(reason) <= 70 else reason[:69] + "…"


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
    passed, failed, skipped = count(output) or (0, 1, [])
    if code not in (0, 5) and not failed:
        failed, output = 1, f"{output}\nexit {code}\n"
    tally.row(f"{file.parent.name}/{file.stem} on {version}", passed, failed, time.monotonic() - start, output[-12000:], skipped)


def run_files(files, pythons, turn, some, build, tally):
    """Side by side, the longest ones first; then those that are to be alone."""
    jobs = [(file, *row, build, tally, row[0] == turn) for file in files for row in chosen(file, pythons, turn, some)]
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
    tally.row(f"{script.removesuffix('.py')} on {version}", passed, failed or code != 0, time.monotonic() - start,
              output[output.find("\n==== ") if sums else -4000:][:20000] + ("" if sums else f"\nexit {code}\n"))


def rotation():
    """(number, what it counts): $PATHLINE_ROTATION, the commits, or where they are not known the
    days."""
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
    return versions[number // 2 % len(versions)]


def interpreters(only):
    out = subprocess.run([sys.executable, str(TOP / "tools/interpreters.py")], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.split("\t") for line in out.splitlines()]
    return [row for row in rows if not only or is_among(row[0], only)]


def is_among(version, words):
    """3.13.5 is among 3.13.5 and among 3.13."""
    return any(version == word or version.startswith(word + ".") for word in words.split(","))


def is_other_half(text, number):
    """Odd commits have other micro versions than even ones: both meet both."""
    half = re.search(r"^CI_HALF = ([01])", text, re.M)
    return bool(half) and int(half[1]) != number // 2 % 2


def test_files(build, args, number):
    """The unittest files that are wanted, and that meson does not run; those of servers and faults,
    which take longest, first."""
    known = in_meson(build)
    for file in sorted(HERE.glob("*/test_*.py"), reverse=True):
        text = file.read_text()
        if "import unittest" not in text or str(file) in known or args.pattern not in f"{file.parent.name}/{file.stem}":
            continue
        if args.level == "exact" or (args.level == "quick" and not re.search(r"^QUICK = True", text, re.M)):
            continue
        if args.level == "ci" and is_other_half(text, number):
            continue
        yield file


def some_of(pythons, number):
    """{word of INTERPRETERS: those of the five for whom CI runs a file}; others with each commit."""
    return {"two": [row for k, row in enumerate(pythons) if (number + 2 * k) % 5 < 2],
            "rotating": [pythons[number % len(pythons)]]}


def chosen(file, pythons, turn, some):
    """The rows of the interpreters that the file is to be run for; turn: the version whose turn it
    is; some: those of whom CI asks what takes long."""
    word = re.search(r'^INTERPRETERS = "(\w+)"', file.read_text(), re.M)
    if not word:
        return pythons
    if word[1] in ("two", "rotating"):
        return some.get(word[1], pythons)
    if word[1] == "turn":
        return [row for row in pythons if row[0] == turn]
    if word[1] == "none":
        return [["itself", sys.executable, ""]]
    return ([row for row in pythons if not row[2]] or pythons)[-1:]


def filled_in(arguments, parts):
    """With the words for which the interpreter has others, one or more."""
    given = [parts.get(word, word) for word in arguments]
    return [word for one in given for word in (one if isinstance(one, list) else [one])]


def not_tried(pythons, found):
    """What no test asked for want of an interpreter, in words; found: the rows of all that are
    here, of which some are asked."""
    asked, here = ({row[0].rpartition(".")[0] for row in rows} for rows in (pythons, found))
    absent = [minor for minor in SUPPORTED if minor not in here]
    left_out = [minor for minor in SUPPORTED if minor in here and minor not in asked]
    words = [f"CPython {', '.join(absent)} (not here)"] if absent else []
    return words + ([f"CPython {', '.join(left_out)} (in chroots, which .ci/run asks)"] if left_out else [])


def last_line(tally, untried):
    """`N passed, N failed`, and what this machine could not try."""
    lacks = [f"{number} × {reason}" for reason, number in tally.skipped.most_common() if not reason.startswith(NO_LACK)]
    line = f"{tally.passed} passed, {tally.failed} failed"
    if untried:
        line += f"; not tried: {', '.join(untried)}"
    return line + (f"; skipped: {', '.join(lacks)}" if lacks else "")


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
    leftovers.own_folders()

    os.environ["PATHLINE_SUITE"] = args.level
    run_unit(build, args.pattern, tally)
    found = pythons = interpreters(args.only)
    if not pythons:
        tally.row("interpreters", 0, 1, 0, "no CPython that is supported")
    number, unit = rotation()
    os.environ["PATHLINE_ROTATION"] = str(number)
    if args.level == "test":
        pythons = [row for row in pythons if not row[2]] or pythons
    if args.level != "exact":
        pythons = one_of_each_minor(pythons, number)
    # Odd commits have other micro versions than even ones: an even number of parts must not move
    # with them.
    half = number // 2
    parts = {row[0]: {FIFTH: f"{(number + k) % 5 + 1}/5", EIGHTH: f"{(half + k) % 8 + 1}/8",
                      TENTH: f"{(half + 2 * k) % 10 + 1}/10",
                      SIXTIETH: f"{(half + 12 * k) % 60 + 1}/60", THIRTIETH: f"{(half + 6 * k) % 30 + 1}/30", PART: f"{number % 4 + 1}/4", SEED: str(2 * number),
                      WAY: WAYS[(half + number // 20 + k) % 2]}
             for k, row in enumerate(pythons)}
    turn = in_turn(pythons, number)
    if args.level == "ci":
        shards = ", ".join(f"{part[EIGHTH]} and {part[SIXTIETH]} on {version}" for version, part in parts.items())
        print(f"rotation {number} ({unit}): {shards}; it is the turn of {turn}", flush=True)
    for script, level, versions, arguments in HARNESSES:
        if level == args.level and args.pattern in script:
            for row in pythons:
                if not versions or is_among(row[0], turn if versions == "in turn" else versions):
                    run_harness(script, filled_in(arguments, parts[row[0]]), *row, build, tally)
    some = some_of(pythons, number) if args.level == "ci" and len(pythons) > 2 else {}
    run_files(list(test_files(build, args, number)), pythons, turn, some, build, tally)
    is_whole = not args.only and not args.pattern and args.level != "quick"
    print(last_line(tally, not_tried(pythons, found) if is_whole else []))
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
