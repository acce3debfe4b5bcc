#!/usr/bin/env python3
"""Packages' own test suites as programs: each passes under Pathline as it does without, and its
path is exact. Some pass with values, too: in one turn those of the calls of all code, in the next
those of the lines of the package.

The packages, what their tests need, and their sources (with the tests) are put into BUILD/suites by
tools/python-suites; what is not there is said, and not asked about. A suite's results are its last
lines without the times, and the names of the tests that failed. Where the oracle itself changes
them, they are held against a run under the oracle alone.
"""
import argparse
import collections
import glob
import os
import re
import sys

import exact

# name -> where its tests are started, and the words after the interpreter. Some tests of a suite
# serve: those that take seconds, and say the same in each run (no random examples, no waiting for a
# network).
PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "-o", "filterwarnings=", "--tb=line"]
SUITES = {
    "attrs": ("", [*PYTEST, "tests/test_slots.py", "tests/test_annotations.py", "tests/test_next_gen.py", "tests/test_validators.py"]),
    "click": ("", [*PYTEST, "tests/test_arguments.py", "tests/test_commands.py", "tests/test_context.py", "tests/test_formatting.py"]),
    "jinja2": ("", [*PYTEST, "tests"]),
    "pluggy": ("", [*PYTEST, "testing", "--ignore=testing/benchmark.py"]),
    "toolz": ("", [*PYTEST, "--pyargs", "toolz"]),
    "werkzeug": ("", [*PYTEST, "tests/test_datastructures.py", "tests/test_formparser.py", "tests/test_wrappers.py"]),
    "pytest": ("", [*PYTEST, "-p", "pytester", "testing/test_mark.py"]),
    "trio": ("", [*PYTEST, "--noconftest", "-p", "trio._tests.pytest_plugin", "--pyargs", "trio._core._tests.test_run"]),
    "aiohttp": ("", [*PYTEST, "tests/test_multipart_helpers.py", "tests/test_web_middleware.py"]),
    "twisted": ("", ["-m", "twisted.trial", "--temp-directory={work}/trial", "twisted.test.test_defer", "twisted.internet.test.test_tcp"]),
    "django": ("tests", ["runtests.py", "--parallel=1", "dispatch", "signals", "model_fields"]),
}

# Whose pools end their workers by SIGTERM: what a process runs between its last event and that is
# `possible` only. The oracle allows for so many rows.
TAILS = {"toolz": "20"}

# Those that are asked with values.
VALUED = ("attrs", "click", "django", "pytest")

Suite = collections.namedtuple("Suite", "name directory words")


def suites(python, setup, names):
    """([Suite] of what is installed for this interpreter, where)"""
    sources = os.path.join(setup.build, "suites", "source")
    site = os.path.join(setup.build, "suites", "%d.%d" % python.minor)
    found = []
    for name in names or SUITES:
        where, words = SUITES[name]
        directory = glob.glob(os.path.join(sources, name + "-*"))
        if not directory or not glob.glob(os.path.join(site, name + "-*.dist-info")):
            print("skip %s suite %s: tools/python-suites has not put it there" % (python.version, name))
            continue
        found.append(Suite(name, os.path.join(directory[0], where), words))
    return found, site


def results(ran):
    """What the suite said, without what differs from run to run."""
    text = (ran.out + ran.err).decode(errors="replace")
    ends = re.findall(r"^=* ?((?:\d+ \w+(?:, )?)+) in [\d.]+s.*$|^(Ran \d+ tests?) in|^((?:OK|FAILED|PASSED)(?: \(.*\))?)$", text, re.M)
    return ran.code, ["".join(e) for e in ends[-2:]], sorted(re.findall(r"^(?:FAILED|ERROR|FAIL:|ERROR:|\[FAIL\]|\[ERROR\]) .*", text, re.M))


def agree(what, a, b):
    if results(a) != results(b):
        raise exact.Failure("other results %s: %s, not %s\n%s" % (what, results(b), results(a), exact.difference(a.out + a.err, b.out + b.err)))


def run(suite, site, head, setup, work, name):
    """(what the suite did, started by `head`)"""
    return exact.run([*head, *words_of(suite, work)], setup, work, name=name, **place_of(suite, site, setup, work))


def words_of(suite, work):
    return [word.format(work=work) for word in suite.words]


def place_of(suite, site, setup, work):
    return {"env": setup.environment(PYTHONPATH=site, TMPDIR=work, HOME=work), "cwd": suite.directory}


def values_of(suite):
    """What is kept beside the path. CI asks a quarter of the suites with each commit."""
    if suite.name not in VALUED:
        return ()
    if int(os.environ.get("PATHLINE_ROTATION", "0")) // 4 % 2:
        return "--values=lines", "--values-of=" + suite.name
    return "--values=calls", "--values-of=*"


def ask(python, suite, site, setup, work):
    def folder(name):
        path = os.path.join(work, name)
        os.makedirs(path)
        return path

    alone = run(suite, site, python.command, setup, folder("alone"), "alone")
    if not results(alone)[1]:
        raise exact.Failure("the suite did not run\n" + (alone.out + alone.err).decode(errors="replace")[-2000:])
    recorded = folder("seen")
    options = values_of(suite)
    command = python.record(os.path.join(recorded, "r"), setup, options)
    agree(" ".join(["with Pathline", *options]), alone, run(suite, site, command, setup, recorded, "seen"))
    exact.wait_until_finished(os.path.join(recorded, "r"), setup, recorded)
    text = "results agree"
    if python.minor >= (3, 12):
        # also the name of the oracle's folder
        both = folder("both-%s-%s" % (python.version, suite.name))
        text, ran = exact.same_run(python, words_of(suite, both), setup, both,
                                   {"gap": "may", **({"tail": TAILS[suite.name]} if suite.name in TAILS else {})}, place_of(suite, site, setup, both))
        if results(ran) != results(alone):
            listener = [*python.command, os.path.join(setup.oracle, "oracle.py"), "--out", os.path.join(work, "o"), "--"]
            agree("with both, against the oracle alone", run(suite, site, listener, setup, folder("heard"), "heard"), ran)
    return "%s; %s" % (text, ", ".join(results(alone)[1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("names", nargs="*", help="default: " + " ".join(SUITES))
    args = parser.parse_args()
    args.timeout = max(args.timeout, 600)
    setup, pythons = exact.begin(args)
    tests = []
    for p in pythons:
        found, site = suites(p, setup, args.names)
        tests += [((p.version, "suite", s.name), lambda w, p=p, s=s, site=site: ask(p, s, site, setup, w)) for s in exact.shard(found, args.shard)]
    return exact.run_all(tests, setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
