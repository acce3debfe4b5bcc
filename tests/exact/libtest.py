#!/usr/bin/env python3
"""CPython's own tests as programs: the path of each module in one run with the oracle, and its
results with and without Pathline.

Of a module are compared: the rows of both listeners in one run, and what unittest says (how many
tests ran, which failed) of a run with Pathline and one without. Where the oracle changes the
results, a run under the oracle alone must agree.
"""
import argparse
import os
import re
import subprocess
import sys

import exact
from exact import Failure

# The first ones are fast: `make test` runs those. gap=may: they set f_lineno, raise from trace
# functions, or make sub-interpreters; rows are equal all the same, but the reader shows gaps.
# tools: they fail wherever any tool of sys.monitoring is in use (specialised bytecode compared, no
# tool expected), so what fails is at most what fails under the oracle alone. limit@V: tests, by the
# names of their methods, in which the oracle itself raises RecursionError on that version
# (README.md), or misses lines (interpreters of 3.12 share the code of frozen modules, and what one
# switches off the other does not hear): they are left out where it listens, and there alone.
# settrace: they (or doctest) set a trace function, which ends the oracle's view in 3.11: there the
# results are compared, and gaps. slow: begun first, so that the others run beside it. A word for
# one version only: tools@3.11.
MODULES = """
test_generators fast settrace
test_coroutines fast
test_contextlib fast
test_with fast
test_except_star fast
test_scope fast settrace
test_patma fast settrace
test_raise fast
test_iter fast
test_exception_group fast
test_asyncio.test_queues fast
test_named_expressions fast
test_weakset fast
test_threading_local fast settrace
test_sys_setprofile fast
test_grammar
test_syntax settrace
test_exceptions settrace
test_exception_variations
test_asyncgen
test_contextlib_async
test_listcomps settrace
test_decorators
test_descr settrace
test_class
test_property settrace
test_super
test_funcattrs
test_positional_only_arg
test_fstring
test_code gap=may settrace
test_dis tools
test_peepholer gap=may
test_sys_settrace gap=may settrace
test_bdb gap=may settrace
test_pdb slow gap=may settrace
test_monitoring tools gap=may
test_thread
test_threading slow gap=may settrace limit@3.12=test_threads_join,test_threads_join_2,test_threads_join_with_no_main
test_asyncio.test_taskgroups
test_asyncio.test_locks
test_asyncio.test_timeouts
test_asyncio.test_runners
test_asyncio.test_eager_task_factory
test_asyncio.test_futures
test_fork1
test_atexit gap=may
test_gc settrace
test_copy
test_dataclasses
test_enum slow settrace
test_functools limit@3.12=test_recursive_pickle limit@3.14=test_recursive_pickle,test_lru_recursion limit@3.15=test_recursive_pickle,test_lru_recursion
test_collections settrace
test_argparse slow
test_configparser
test_pprint
test_frame gap=may settrace tools@3.11
test_opcache tools
test_call limit@3.14=test_super_deep limit@3.15=test_super_deep
test_context
test_types
"""

# --twice: what each of these does is the same in each run, by steady.py. The oracle runs alone, and
# then Pathline, where what need not be heard is switched off, as it is not beside the oracle (from
# 3.12 on; where code can be hot, also with all of it hot).
TWICE = """
test_abc test_augassign test_binop test_bisect test_bool test_code_module test_codeop test_compare test_complex test_configparser test_contextlib
test_copy test_decorators test_deque test_dictcomps test_except_star test_exception_group test_exception_variations test_extcall test_float
test_fnmatch test_fractions test_funcattrs test_genexps test_getopt test_global test_grammar test_heapq test_html test_htmlparser test_iter
test_listcomps test_metaclass test_named_expressions test_operator test_ordered_dict test_patma test_positional_only_arg test_property test_raise
test_reprlib test_richcmp test_scope test_setcomps test_slice test_subclassinit test_textwrap test_unpack_ex test_urlparse test_weakset test_with
"""
# From 3.14 on these start interpreters, and how the pipes of those are read is chance; test_types
# has come to it within 3.13.
TWICE_BEFORE_3_14 = """
test_csv test_dataclasses test_difflib test_gettext test_optparse test_string
"""
TWICE_BEFORE_3_13_1 = "test_types"


def modules(fast):
    """[(module, demands)]"""
    found = []
    for line in MODULES.split("\n"):
        words = line.split()
        if words and words[0] != "#" and (not fast or "fast" in words):
            found.append((words[0], dict((w.split("=", 1) + [""])[:2] for w in words[1:])))
    return found


def results(text):
    """What unittest said, without what differs from run to run: (how many ran, the verdict, the
    tests that failed)."""
    text = text.decode(errors="replace")
    ran, verdict = re.findall(r"^Ran (\d+) tests? in ", text, re.M), re.findall(r"^(OK|FAILED|NO TESTS RAN)( \(.*\))?$", text, re.M)
    return ran[-1:], verdict[-1:], sorted(re.findall(r"^(?:FAIL|ERROR): .*", text, re.M))


def every_module(python):
    """All of this interpreter's test modules, run by its own runner, which leaves out what needs a
    network or a screen."""
    code = ("import os, test\nhere = os.path.dirname(test.__file__)\n"
            "print(*[n.removesuffix('.py') for n in sorted(os.listdir(here)) if n.startswith('test_') and '__' not in n])")
    out = subprocess.run(python.command + ["-c", code], stdout=subprocess.PIPE, check=True, text=True).stdout
    known = dict(modules(False))
    return [(name, {"regrtest": "", "gap": "may", **known.get(name, {})}) for name in out.split()]


def heard(module, program, demands):
    """The program as it runs where the oracle listens."""
    names = demands.get("limit")
    return [os.path.join(exact.HERE, "without.py"), "test." + module, *names.split(",")] if names else program


def in_between(alone, seen, oracle):
    """As many tests ran as in both, and none failed that fails in neither."""
    (ran, _, failed), others = results(seen.err), [results(alone.err), results(oracle.err)]
    return all(ran == other[0] for other in others) and set(failed) <= {test for other in others for test in other[2]}


def ask(python, module, demands, setup, work):
    demands = exact.for_version(demands, python)
    program = ["-m", "test", "-v", module] if "regrtest" in demands else ["-m", "unittest", "test." + module]
    recorded = os.path.join(work, "recorded")
    alone = bare(python, program, setup, work, False)
    seen = exact.run(python.record(recorded, setup) + program, setup, folder(work, "seen"), name="recorded")
    if "tools" not in demands or not in_between(alone, seen, bare(python, program, setup, work, True)):
        agree("with Pathline", alone, seen)
    exact.wait_until_finished(recorded, setup, work)
    if "settrace" in demands and python.minor == (3, 11):
        exact.inspect(recorded, setup, work, demands)
        return "the results alone; " + " ".join(map(str, results(seen.err)[:2]))
    name = "both-%s-%s" % (python.version, module)      # also of the oracle's folder
    program = heard(module, program, demands)
    text, both = exact.same_run(python, program, setup, folder(work, name), demands)
    if results(both.err) != results(alone.err) and "tools" not in demands:
        agree("with both, against the oracle alone", bare(python, program, setup, folder(work, "again"), True), both)
    return "%s; %s" % (text, " ".join(map(str, results(seen.err)[:2])))


def ask_twice(python, module, setup, work):
    program = [os.path.join(exact.HERE, "steady.py"), "test." + module]
    hot = [("--hot=1",)] if python.minor in exact.HOT else []
    return "; ".join(exact.two_runs(python, program, setup, folder(work, "twice-%s-%s%s" % (python.version, module, "-hot" * bool(options))), {}, options)
                     for options in [(), *hot])


def of_two_runs(python):
    return (TWICE + TWICE_BEFORE_3_14 * (python.minor < (3, 14)) + TWICE_BEFORE_3_13_1 * (int(python.hexversion) < 0x030d0100)).split()


def bare(python, program, setup, work, oracle):
    """A run without Pathline: alone, or under the oracle."""
    place = folder(work, "oracle" if oracle else "alone")
    command = python.command + ([os.path.join(setup.oracle, "oracle.py"), "--out", os.path.join(place, "o"), "--"] if oracle else [])
    return exact.run(command + program, setup, place, name="alone")


def folder(work, name):
    path = os.path.join(work, name)
    os.makedirs(path)
    return path


def agree(what, a, b):
    if (a.code, results(a.err)) != (b.code, results(b.err)):
        raise Failure("other results %s: exit code %d, not %d\n%s" % (what, b.code, a.code, exact.difference(a.err, b.err)))


def has_tests(python):
    """Debian's pythons come without: tools/install-deps has the package for the system's own."""
    return subprocess.run(python.command + ["-c", "from importlib.util import find_spec; exit(not find_spec('test.test_generators'))"]).returncode == 0


def ask_nothing(_work):
    raise Failure("it has no tests of its own; on Debian they are in libpython3.N-testsuite")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("--fast", action="store_true", help="only the fast ones")
    parser.add_argument("--all", action="store_true", help="every module that the interpreter has: hours")
    parser.add_argument("--twice", action="store_true", help="those that do the same in each run, in two runs")
    parser.add_argument("modules", nargs="*", help="default: the list in this file")
    args = parser.parse_args()
    args.timeout = max(args.timeout, 300)
    setup, pythons = exact.begin(args)
    known, tests = dict(modules(False)), []
    for p in pythons:
        if not has_tests(p):
            tests.append(((p.version, "test"), ask_nothing))
            continue
        if args.twice:
            tests += [((p.version, m, "twice"), lambda w, p=p, m=m: ask_twice(p, m, setup, w)) for m in exact.shard(args.modules or of_two_runs(p), args.shard)]
            continue
        chosen = [(m, known.get(m, {"gap": "may"})) for m in args.modules] or every_module(p) if args.all or args.modules else modules(args.fast)
        tests += [((p.version, m), lambda w, p=p, m=m, d=d: ask(p, m, d, setup, w)) for m, d in sorted(exact.shard(chosen, args.shard), key=lambda row: "slow" not in row[1])]
    return exact.run_all(tests, setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
