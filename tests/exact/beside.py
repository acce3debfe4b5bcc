#!/usr/bin/env python3
"""Programs under other tools, all listening at once: coverage, profilers, debuggers, pytest,
Cython; and programs that do with the interpreter what it does not know of: greenlets, event loops
in C, C++ that calls Python. Their paths are exact, and the tools see what they see without
Pathline.

Packages are taken from BUILD/site/VERSION (tools/python-packages); what is not there is said, and
not asked about.
"""
import argparse
import collections
import ctypes
import json
import os
import shutil
import subprocess
import sys

import exact

HERE = os.path.dirname(os.path.abspath(__file__))
BESIDE = os.path.join(HERE, "beside")


def corpus(name):
    return os.path.join(HERE, "corpus", name + ".py")


# How fast.pyx is built: directives, definitions. Without any it reports nothing.
CYTHON = {
    "cython": ([], []),
    "cython-profile": (["profile=True", "binding=True"], []),
    "cython-profile-unbound": (["profile=True", "binding=False"], []),
    "cython-linetrace": (["profile=True", "linetrace=True", "binding=True"], ["-DCYTHON_TRACE=1"]),
    "cython-linetrace-unbound": (["profile=True", "linetrace=True", "binding=False"], ["-DCYTHON_TRACE_NOGIL=1"]),
}
# name: (package that it needs or "", words after the interpreter, environment)
CASES = {
    "coverage-ctrace": ("coverage", ["-m", "coverage", "run", "--rcfile=/dev/null", corpus("flow")], {"COVERAGE_CORE": "ctrace"}),
    "coverage-sysmon": ("coverage", ["-m", "coverage", "run", "--rcfile=/dev/null", corpus("flow")], {"COVERAGE_CORE": "sysmon"}),
    "coverage-branch": ("coverage", ["-m", "coverage", "run", "--rcfile=/dev/null", "--branch", corpus("generators")], {}),
    "cProfile": ("", ["-m", "cProfile", "-o", "profile.out", corpus("flow")], {}),
    "profile": ("", ["-m", "profile", "-o", "profile.out", corpus("generators")], {}),
    "pdb": ("", ["-m", "pdb", "-c", "continue", corpus("objects")], {}),
    "trace": ("", ["-m", "trace", "--count", "--no-report", "--file", "counts", corpus("flow")], {}),
    "pytest": ("pytest", ["-m", "pytest", "-q", "-p", "no:cacheprovider", os.path.join(BESIDE, "test_small.py")], {}),
    **{name: ("Cython", [os.path.join(BESIDE, "cython_user.py")], {}) for name in CYTHON},
    "pybind11": ("pybind11", [os.path.join(BESIDE, "pybind11_user.py")], {}),
    "threads of C": ("", [os.path.join(BESIDE, "cthreads_user.py")], {}),
    "greenlet": ("greenlet", [os.path.join(BESIDE, "greenlets.py")], {}),
    "gevent": ("gevent", [os.path.join(BESIDE, "gevent_server.py")], {}),
    # half of its events
    "eventlet": ("eventlet", [os.path.join(BESIDE, "eventlet_pool.py")], {"EVENTLET_NO_GREENDNS": "yes"}),
    "uvloop": ("uvloop", [os.path.join(BESIDE, "uvloop_tasks.py")], {}),
}
# They set a trace function, which in 3.11 ends the oracle's view; there the program's rows must be
# those of a run without the tool.
TRACERS = ("coverage-ctrace", "coverage-sysmon", "coverage-branch", "pdb", "trace")
# Greenlets alive at once, and how many bytes more the program may have for each: a map's slot is
# 24, and the map is doubled when it is three quarters full. On 3.11 any trace function makes a
# frame object of each frame.
MANY, BYTES_EACH, BYTES_EACH_3_11 = 100_000, 80, 200
# Nothing bends the path of these.
NO_GAPS = [words[-1] for name, (_, words, _) in CASES.items() if name in ("greenlet", "gevent", "eventlet", "uvloop", "pybind11", "threads of C")]


class Packages:
    """The packages of one interpreter."""

    def __init__(self, python, setup):
        self.path = os.path.join(setup.build, "site", "%d.%d" % python.minor)

    def have(self, name):
        return not name or os.path.isdir(os.path.join(self.path, name))


def environment(setup, packages, work, more):
    return setup.environment(PYTHONPATH=os.pathsep.join([work, packages.path]), COVERAGE_FILE=os.path.join(work, "coverage.db"), **more)


def compile_module(compiler, source, module, options, python, setup, work):
    """A module of C or C++, for a Python that may be in a chroot."""
    shim = os.path.join(work, "include")
    os.mkdir(shim)
    exact.run([compiler, "-shared", "-fPIC", "-w", *options, *exact.include_options(python, shim), source, "-o", os.path.join(work, module + ".so")],
              setup, work, name=compiler, ok=(0,))


def build_cython(name, python, packages, setup, work):
    directives, definitions = CYTHON[name]
    c = os.path.join(work, "fast.c")
    words = [word for directive in directives for word in ("-X", directive)]
    exact.run([*python.command, "-m", "cython", "-3", *words, os.path.join(BESIDE, "fast.pyx"), "-o", c], setup, work,
              env=environment(setup, packages, work, {}), name="cython", ok=(0,))
    compile_module("cc", c, "fast", definitions, python, setup, work)


def build_pybind11(name, python, packages, setup, work):
    headers = ["-std=c++17", "-isystem", os.path.join(packages.path, "pybind11", "include")]
    compile_module("c++", os.path.join(BESIDE, "callbacks.cpp"), "callbacks", headers, python, setup, work)


def build_threads(name, python, packages, setup, work):
    compile_module("cc", os.path.join(BESIDE, "cthreads.c"), "cthreads", [], python, setup, work)


BUILDS = {"threads of C": build_threads, **dict.fromkeys(CYTHON, build_cython), "pybind11": build_pybind11}


def calls_are_as_counted(out, path, program):
    """A program that counts its own calls says so in its last line, `called NAME:COUNT…`."""
    last = out.decode().splitlines()[-1:]
    if not last or not last[0].startswith("called "):
        return
    said = {name: int(count) for name, count in (word.split(":") for word in last[0].split()[1:])}
    calls = collections.Counter(row[5].rpartition(".")[2] for row in exact.rows(path) if row[2:4] == ["call", program])
    found = {name: calls[name] for name in said}
    if found != said:
        raise exact.Failure("calls in the recording: %r, by the program's own count: %r" % (found, said))


def is_exact(name, python, packages, setup, work):
    _, words, more = CASES[name]
    if name in BUILDS:
        BUILDS[name](name, python, packages, setup, work)
    env = environment(setup, packages, work, more)
    recording, oracle = os.path.join(work, "recording"), os.path.join(work, "oracle")
    listen = [os.path.join(setup.oracle, "oracle.py"), "--out", oracle, "--", *words]
    bent = words[-1] not in NO_GAPS
    ran = exact.run([*python.record(recording, setup), *listen], setup, work, env=env, name="both", ok=None if bent else (0,))
    exact.wait_until_finished(recording, setup, work)
    if not bent:
        exact.inspect(recording, setup, work, {})
    path = exact.like_the_oracle(exact.dump(recording, setup, work))
    calls_are_as_counted(ran.out, path, words[-1])
    plain = exact.run([*python.command, *words], setup, work, env=env, name="plain")
    if plain.code != ran.code:
        raise exact.Failure("exit code %d, without Pathline %d" % (ran.code, plain.code))
    if name in BUILDS and plain.out != ran.out:
        raise exact.Failure("another output\n" + exact.difference(plain.out, ran.out))
    if name in CYTHON:
        alone(python, [os.path.join(BESIDE, "cython_throws.py")], env, setup, work)
    if name == "threads of C":                          # the oracle has a file for each
        alone(python, [*words, "5000"], env, setup, work)
    return exact.compare(oracle, path, setup, work)


def alone(python, words, env, setup, work):
    """Where the oracle itself would be in the way: what the program says, and its own count of its
    calls."""
    recording = os.path.join(work, "alone")
    plain = exact.run([*python.command, *words], setup, work, env=env, name="alone-plain", ok=(0,))
    ran = exact.run([*python.record(recording, setup), *words], setup, work, env=env, name="alone-recorded", ok=(0,))
    if (plain.out, plain.err) != (ran.out, ran.err):
        raise exact.Failure("another output\n" + exact.difference(plain.out + plain.err, ran.out + ran.err))
    exact.wait_until_finished(recording, setup, work)
    exact.inspect(recording, setup, work, {})
    calls_are_as_counted(ran.out, exact.dump(recording, setup, work, name="alone.tsv"), words[0])


def rows_of(head, program, setup, work, env, name):
    """What a recording has of one file, as far as two runs have it alike."""
    recording = os.path.join(work, name)
    exact.run([*head(recording), *program], setup, work, env=env, name=name + "-run")
    exact.wait_until_finished(recording, setup, work)
    path = exact.dump(recording, setup, work, "event,file,first,code,line,type", name=name + ".tsv")
    return [row for row in exact.rows(path) if row[1] == program[-1] and row[0] != "gap"]


def is_as_without(name, python, packages, setup, work):
    _, words, more = CASES[name]
    env = environment(setup, packages, work, more)
    head = lambda recording: python.record(recording, setup)
    under, alone = (rows_of(head, program, setup, work, env, name) for program, name in ((words, "under"), (words[-1:], "alone")))
    # at its end it begins the program anew, and finds no more commands
    if words[1] == "pdb":
        del under[len(alone):]
    if under != alone or not alone:
        at = next((i for i, (a, b) in enumerate(zip(under, alone)) if a != b), min(len(under), len(alone)))
        raise exact.Failure("%d rows under the tool, %d without it; number %d is %r, not %r" %
                            (len(under), len(alone), at, under[at:at + 2], alone[at:at + 2]))
    return "%d rows of the program, with the tool and without" % len(alone)


def executed(python, packages, setup, work, name, head):
    """The lines that coverage found executed, by file."""
    env = environment(setup, packages, work, {"COVERAGE_CORE": "sysmon" if python.minor > (3, 11) else "ctrace"})
    exact.run([*head, "-m", "coverage", "run", "--rcfile=/dev/null", corpus("flow")], setup, work, env=env, name=name, ok=(0,))
    text = subprocess.run([*python.command, "-m", "coverage", "json", "--rcfile=/dev/null", "-q", "-o", "/dev/stdout"],
                          env=env, stdout=subprocess.PIPE, check=True).stdout
    return {file: data["executed_lines"] for file, data in json.loads(text)["files"].items()}


def sees_the_same(python, packages, setup, work):
    plain = executed(python, packages, setup, work, "plain", python.command)
    traced = executed(python, packages, setup, work, "traced", python.record(os.path.join(work, "recording"), setup))
    if plain != traced or not plain:
        raise exact.Failure("coverage saw other lines: %r, without Pathline %r" % (traced, plain))
    return "coverage sees %d lines in both" % sum(map(len, plain.values()))


def counts_the_same(python, setup, work):
    words = [*python.command, os.path.join(BESIDE, "objects_seen.py")]
    plain = exact.run(words, setup, work, name="plain", ok=(0,))
    traced = exact.run([*python.record(os.path.join(work, "recording"), setup), words[-1]], setup, work, name="traced", ok=(0,))
    if plain.out != traced.out or plain.err != traced.err:
        raise exact.Failure("%s\nwithout Pathline:\n%s" % (traced.out.decode(), plain.out.decode()))
    return plain.out.decode().split("\n")[0]


def asks_for_nothing(python, packages, setup, work):
    """Frameworks' objects that compute what they are asked for are passed, yielded and raised, and
    their values are kept: the program counts what they were asked."""
    program = os.path.join(BESIDE, "lazy_values.py")
    env = environment(setup, packages, work, {})
    plain = exact.run([*python.command, program], setup, work, env=env, name="plain", ok=(0,))
    for name, options in (("without", ()), ("with", ("--values=calls", "--values-of=*"))):
        recording = os.path.join(work, name)
        ran = exact.run([*python.record(recording, setup, options), program], setup, work, env=env, name=name, ok=(0,))
        if (plain.out, plain.err) != (ran.out, ran.err):
            raise exact.Failure("another output %s values\n%s" % (name, exact.difference(plain.out + plain.err, ran.out + ran.err)))
        exact.wait_until_finished(recording, setup, work)
        exact.inspect(recording, setup, work, {})
    rows = exact.rows(exact.dump(recording, setup, work, "file,code,values", ("--events", "call"), name="values.tsv"))
    shown = [values for file, code, values in rows if file == program and code == "take"]
    passed = sum(int(line.split()[1]) for line in plain.out.decode().splitlines())
    if len(shown) != 2 * passed or not all(shown):
        raise exact.Failure("%d calls have values, of %d: %r" % (sum(map(bool, shown)), 2 * passed, shown))
    return plain.out.decode().replace("\n", "; ")


def names_greenlets(python, packages, setup, work):
    """Task and frame of each line are what the program says: names, and an activation for each
    greenlet and depth."""
    program, recording = os.path.join(BESIDE, "greenlet_tasks.py"), os.path.join(work, "recording")
    with open(program) as f:
        marked = {str(n) for n, line in enumerate(f, 1) if line.rstrip().endswith("# marked")}
    env = environment(setup, packages, work, {})
    ran = exact.run([*python.record(recording, setup), program], setup, work, env=env, name="tasks", ok=(0,))
    exact.wait_until_finished(recording, setup, work)
    exact.inspect(recording, setup, work, {})
    rows = [r for r in exact.rows(exact.dump(recording, setup, work, "code,line,task,greenlet,depth", ("--events", "line")))
            if r[0] == "body" and r[1] in marked]
    said = [line.split(" ", 1) for line in ran.out.decode().splitlines()]
    got, activations = {}, {}
    for (tag, name), (_, _, task, greenlet, depth) in zip(said, rows, strict=True):
        if not name.startswith("Greenlet-") and task != name.replace("-", "")[:120]:
            raise exact.Failure("the task is %r, the program says %r" % (task, name))
        if name.startswith("Greenlet-") and (got.setdefault(name, task) != task or not task.startswith("Greenlet-")):
            raise exact.Failure("the task of %r is %r, and was %r" % (name, task, got[name]))
        if activations.setdefault(tag, (greenlet, depth)) != (greenlet, depth):
            raise exact.Failure("%s is frame %s, and was %s" % (tag, (greenlet, depth), activations[tag]))
    if len(set(got.values())) != len(got) or len(set(activations.values())) != len(activations):
        raise exact.Failure("two are told as one: %r %r" % (got, activations))
    return "%d lines, %d names, %d frames" % (len(rows), len({name for _, name in said}), len(activations))


def memory_and_order(ran):
    memory, order = ran.out.decode().splitlines()
    return int(memory), order.split()


def without_huge_pages():
    """The kernel puts pages of 2 MiB together when it finds the time, and then an unrecorded
    program has 6 or 12 MB more at one run than at another. Children inherit this."""
    PR_SET_THP_DISABLE = 41
    if ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0):
        raise exact.Failure("prctl(PR_SET_THP_DISABLE) is refused")


def holds_many(python, packages, setup, work):
    """Very many greenlets that wait: the recorder keeps some bytes of each, and the path is the
    program's own log."""
    without_huge_pages()
    program, recording = os.path.join(BESIDE, "greenlets_many.py"), os.path.join(work, "recording")
    env = environment(setup, packages, work, {})
    plain, _ = memory_and_order(exact.run([*python.command, program, str(MANY)], setup, work, env=env, name="plain", ok=(0,)))
    ran = exact.run([*python.record(recording, setup), program, str(MANY)], setup, work, env=env, name="many", ok=(0,))
    memory, order = memory_and_order(ran)
    exact.wait_until_finished(recording, setup, work)
    exact.inspect(recording, setup, work, {})
    with open(program) as f:
        line = next(str(n) for n, text in enumerate(f, 1) if text.rstrip().endswith("# marked"))
    path = exact.dump(recording, setup, work, "code,line,greenlet,task,depth", ("--events", "line"))
    got = [row[2:] for row in exact.rows(path) if row[:2] == ["body", line]]
    expected = [[number, "Greenlet-" + number, "0"] for number in order]
    if got != expected or len(got) != 3 * MANY:
        at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), min(len(got), len(expected)))
        raise exact.Failure("%d rows, the program says %d; number %d is %r, not %r" % (len(got), len(expected), at, got[at:at + 2], expected[at:at + 2]))
    if memory - plain > MANY * (BYTES_EACH_3_11 if python.minor == (3, 11) else BYTES_EACH):
        raise exact.Failure("%d bytes more than without, with %d greenlets" % (memory - plain, MANY))
    return "%d turns of %d, %.1f bytes each" % (len(got), MANY, (memory - plain) / MANY)


def tests_of(python, setup):
    packages = Packages(python, setup)
    for name, (needs, _, _) in CASES.items():
        if name == "pybind11" and not shutil.which("c++"):
            print("skip %s %s: no C++ compiler" % (python.version, name))
        elif packages.have(needs):
            ask = is_as_without if python.minor == (3, 11) and name in TRACERS else is_exact
            yield ((python.version, "beside", name),
                   lambda w, ask=ask, name=name: ask(name, python, packages, setup, w))
        else:
            print("skip %s %s: no %s in %s" % (python.version, name, needs, packages.path))
    if packages.have("coverage"):
        yield (python.version, "the same to", "coverage"), lambda w: sees_the_same(python, packages, setup, w)
    if packages.have("gevent"):
        yield (python.version, "names", "greenlets"), lambda w: names_greenlets(python, packages, setup, w)
    if packages.have("greenlet"):
        yield (python.version, "many", "greenlets"), lambda w: holds_many(python, packages, setup, w)
    if packages.have("django"):
        yield (python.version, "asked", "lazy"), lambda w: asks_for_nothing(python, packages, setup, w)
    yield (python.version, "the same to", "gc"), lambda w: counts_the_same(python, setup, w)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("names", nargs="*", help="only these, such as gevent; default: all")
    args = parser.parse_args()
    setup, pythons = exact.begin(args)
    tests = [test for python in pythons for test in tests_of(python, setup) if not args.names or test[0][-1] in args.names]
    return exact.run_all(exact.shard(tests, args.shard), setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
