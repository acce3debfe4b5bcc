#!/usr/bin/env python3
"""What is recorded of a program of which a part is left out (--exclude): exactly the rows of that
part are missing.

Programs of the corpus run with some of their functions moved into another file, which is left out
(filters/mixed.py), and with the standard library left out. Asked of each:

    same     the oracle listens to the same run: its rows without those of what is left out are what was recorded
    two      the same in two runs, the oracle alone and Pathline alone: nothing but the filter switches code off then
    whole    against a recording of another run without a filter: with depth, caller, task and exceptions too
"""
import argparse
import collections
import os
import re
import subprocess
import sys

import exact
from exact import Failure

CORPUS = os.path.join(exact.HERE, "corpus")
MIXED = os.path.join(exact.HERE, "filters", "mixed.py")
MOVED = "/left/out/"
PROGRAMS = ("flow", "generators", "coroutines", "eager", "dels", "objects", "far", "threads", "gen_threads", "exec", "passes",
            "recursion", "signals", "codes", "futures", "genexprs", "branches", "finalisation", "threads_many", "extras", "faces")
WITH_STDLIB = ("coroutines", "futures", "threads", "objects", "generators", "eager")
QUICK = ("flow", "generators", "coroutines", "threads")
LEAVES = {"return", "yield", "unwind"}
FIELDS = "thread,event,file,first,code,line,depth,caller,type,task"


def stdlib_of(python):
    code = "import sys, os; print(sys._stdlib_dir)"
    return subprocess.run(python.command + ["-I", "-c", code], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


class Case:
    """One way of leaving out: the arguments that Python gets, the options, and which files are left
    out."""

    def __init__(self, python, program, seed, share, stdlib):
        self.python, self.arguments = python, [MIXED, str(seed), str(share), os.path.join(CORPUS, program + ".py")]
        self.demands = exact.demands_of(self.arguments[-1], python)
        self.options = ["--exclude", MOVED]
        # Text without a file goes with its module, or with who runs it first, which a row does not
        # name: cli/test_filter.py asks about it.
        self.left_out = "^%s|^<" % MOVED
        if stdlib:
            self.options += ["--exclude", "stdlib"]
            self.left_out += "|^%s/(?!.*site-packages)" % re.escape(stdlib_of(python))

    def record(self, setup, work, name="recording", options=None, before=()):
        recording = os.path.join(work, name)
        command = self.python.record(recording, setup, self.options if options is None else options)
        ran = exact.run(command + [*before, *self.arguments], setup, work, name=name)
        if b", in begin" in ran.err:
            raise Failure("the program did not run: " + ran.err.decode(errors="replace")[-2000:])
        exact.wait_until_finished(recording, setup, work)
        exact.inspect(recording, setup, work, self.demands)
        return recording

    def compare(self, oracle, recording, setup, work, *options):
        path = exact.like_the_oracle(exact.dump(recording, setup, work))
        for row in exact.rows(path):
            if row[2] != "outside" and row[3].startswith(MOVED):
                raise Failure("a row of code that is left out: %s" % " ".join(row))
        tail = ("--tail", self.demands["tail"]) if "tail" in self.demands else ()
        return exact.compare(oracle, path, setup, work, "--ignore-file", self.left_out, *tail, *options)


@exact.with_oracle
def same(python, case, setup, work, oracle):
    recording = case.record(setup, work, before=[os.path.join(setup.oracle, "oracle.py"), "--out", oracle, "--"])
    return case.compare(oracle, recording, setup, work)


@exact.with_oracle
def two(python, case, setup, work, oracle):
    exact.run(python.command + [os.path.join(setup.oracle, "oracle.py"), "--out", oracle, "--", *case.arguments], setup, work, name="oracle")
    return case.compare(oracle, case.record(setup, work), setup, work, "--two-runs")


def threads_of(recording, case, setup, work, name):
    """The rows of recorded code, a list for each thread that has some; of where a frame stands when
    it leaves nothing is said."""
    threads, left_out = collections.defaultdict(list), re.compile(case.left_out)
    for thread, event, file, first, code, line, *rest in exact.rows(exact.dump(recording, setup, work, FIELDS, (), name)):
        if event == "outside" or left_out.search(file):
            continue
        threads[thread].append((event, file, first, code, "" if event in LEAVES else line, *rest))
    return sorted(threads.values())


def whole(python, case, setup, work):
    recording = case.record(setup, work)
    expected = threads_of(case.record(setup, work, "unfiltered", ()), case, setup, work, "unfiltered.tsv")
    got = threads_of(recording, case, setup, work, "filtered.tsv")
    if len(expected) != len(got):
        raise Failure("%d threads, not %d" % (len(got), len(expected)))
    for a, b in zip(expected, got):
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        if a != b:
            raise Failure("row %d of %d is %r, not %r\nbefore: %r" % (at, len(b), b[at:at + 2], a[at:at + 2], a[max(0, at - 6):at]))
    return "%d rows, %d threads" % (sum(map(len, got)), len(got))


ASKED = {"same": same, "two": two, "whole": whole}


def cases(python, programs, seeds):
    for program in programs:
        if exact.skipped(os.path.join(CORPUS, program + ".py"), python):
            continue
        for seed in range(seeds):
            yield "%s-%d" % (program, seed), (program, seed, 2 + seed % 3, False)
        if program in WITH_STDLIB:
            yield program + "-stdlib", (program, 0, 3, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("--seeds", type=int, default=2, help="in how many ways each program is divided")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ask", default=",".join(ASKED))
    parser.add_argument("programs", nargs="*", help="of the corpus")
    args = parser.parse_args()
    setup, pythons = exact.begin(args)
    tests = []
    for python in pythons:
        for name, case in cases(python, args.programs or (QUICK if args.quick else PROGRAMS), 1 if args.quick else args.seeds):
            for question in args.ask.split(","):
                demands = exact.demands_of(os.path.join(CORPUS, case[0] + ".py"), python)
                if question != "same" and "two-runs" not in demands:
                    continue
                tests.append(((python.version, question, name),
                              lambda w, p=python, c=case, q=question: ASKED[q](p, Case(p, *c), setup, w)))
    return exact.run_all(exact.shard(tests, args.shard), setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
