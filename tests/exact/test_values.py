#!/usr/bin/env python3
"""Are recorded values those that the program had, and is the program as it is without them?

    test_values.py --build DIR [--python PY]... [name...]

kinds.py has every kind of value and event; values/listen.py writes down in Python what they are, in
the words of `pathline dump`, and each event is compared: in one run, in two (for a listener's look
at an object can change how it lies in memory), with hot code, and with other limits. hostile.py
has objects whose code must never run, secret.py secrets in each place where one can be, and
budget.py more values than a second may have.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import subprocess
import sys

import exact
from exact import Failure
from test_events import equal, unescaped

VALUES = os.path.join(exact.HERE, "values")
KINDS = os.path.join(VALUES, "kinds.py")
LISTENED = ("call", "resume", "throw", "return", "yield", "raise")


def all_of(which):
    """No budget: the listener's own calls have values too."""
    return ("--values=" + which, "--values-of=*", "--values-limit=second=0")


ALL = all_of("calls")
LIMITS = ("depth=1", "depth=2", "depth=16,bytes=8K,event=8K", "items=0", "items=1", "items=100,bytes=4K,event=8K", "attributes=0",
          "attributes=1", "attributes=100,bytes=2K,event=4K", "chars=0", "chars=3", "chars=1000,bytes=2K,event=4K", "bytes=16", "bytes=40",
          "bytes=100", "event=64", "event=200", "bytes=16,event=64", "depth=16,items=4096,attributes=4096,chars=8K,bytes=8K,event=8K")


def record(python, arguments, setup, work, options, name="recording"):
    """(recording, what ran)"""
    recording = os.path.join(work, name)
    ran = exact.run(python.record(recording, setup, options) + ["-W", "ignore", *arguments], setup, work, name=name, ok=(0,))
    exact.wait_until_finished(recording, setup, work)
    exact.inspect(recording, setup, work, {})
    return recording, ran


def rows(recording, setup, work, file):
    """(event, code, values) of the file's events."""
    path = exact.dump(recording, setup, work, "event,file,code,values", ("--events", ",".join(LISTENED)))
    return [(event, code, unescaped(values)) for event, at, code, values in exact.rows(path) if at == file]


def listened(path):
    with open(path) as f:
        return [tuple(json.loads(line)) for line in f]


def exceptions(recording, setup, file):
    """What rows of `dump --json` say about exceptions, beside their texts."""
    command = [setup.pathline, "dump", "--json", recording, "--events", "raise,throw", "--fields", "file,exception"]
    for line in subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines():
        row = json.loads(line)["data"]
        if row["file"] == file and row["exception"]:
            yield {word: row["exception"][word] for word in ("id", "cause", "context") if word in row["exception"]}


# ---- the values ----

def same_run(python, limit, setup, work):
    out = os.path.join(work, "listened")
    options = (*ALL, "--values-limit=" + limit) if limit else ALL
    recording, _ = record(python, [os.path.join(VALUES, "listen.py"), out, KINDS, limit], setup, work, options)
    heard, got = listened(out), rows(recording, setup, work, KINDS)
    equal("values", [row[:3] for row in heard], got)
    if not limit:
        equal("exceptions", [row[3] for row in heard if row[3]], list(exceptions(recording, setup, KINDS)))
    return "%d events" % len(got)


def two_runs(python, more, setup, work):
    out = os.path.join(work, "listened")
    exact.run(python.command + ["-W", "ignore", os.path.join(VALUES, "listen.py"), out, KINDS, ""], setup, work, name="alone", ok=(0,))
    recording, _ = record(python, [KINDS], setup, work, (*ALL, *more))
    heard, got = listened(out), rows(recording, setup, work, KINDS)
    equal("values", [row[:3] for row in heard], got)
    return "%d events" % len(got)


# ---- what the program notices ----

def hostile(python, setup, work, kept=ALL):
    program = os.path.join(VALUES, "hostile.py")
    bare = exact.run(python.command + ["-W", "ignore", program], setup, work, name="bare", ok=(0,))
    for name, options in (("without", ()), ("with", kept), ("shown", (*kept, "--no-redact", "--values-limit=depth=16,bytes=8K,event=8K"))):
        _, ran = record(python, [program], setup, work, options, name)
        if ran.out != bare.out or ran.err != bare.err:
            raise Failure("another output %s values\n%s" % (name, exact.difference(bare.out + bare.err, ran.out + ran.err)))
    return "%d lines" % bare.out.count(b"\n")


# ---- secrets ----

def readers(recording, setup):
    """What each reader makes of a recording, as bytes."""
    for words in (["dump"], ["dump", "--json"], ["dump", "--fields", "values,args,result,sent,exception,changed"], ["report"], ["report", "--json"],
                  ["info"], ["info", "--json"]):
        ran = subprocess.run([setup.pathline, words[0], recording, *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        yield " ".join(words), ran.stdout
    for path in glob.glob(os.path.join(recording, "**"), recursive=True) if os.path.isdir(recording) else [recording]:
        if os.path.isfile(path):
            with open(path, "rb") as f:
                yield os.path.basename(path), f.read()


def secrets(python, setup, work):
    program, memory = os.path.join(VALUES, "secret.py"), os.path.join(work, "memory")
    recording, _ = record(python, [program, memory], setup, work, (*ALL, "--redact=*iban", "--redact=*_Pin"))
    made = [("s3" + hashlib.sha256(b"%d" % n).hexdigest()[:20]) for n in range(60)]
    with open(memory, "rb") as f:
        places = [("memory", f.read()), *readers(recording, setup)]
    if not any(b"<redacted>" in text for _, text in places):
        raise Failure("nothing is redacted")
    # a beginning of a secret is one too
    found = ["%s: %d" % (place, n) for place, text in places for n, secret in enumerate(made)
             if secret[:8].encode() in text or secret[:8].upper().encode() in text]
    if found:
        raise Failure("%d secrets are to be seen\n%s" % (len(found), "\n".join(found[:40])))
    shown, _ = record(python, [program, memory], setup, work, (*ALL, "--no-redact", "--values-limit=depth=8,bytes=1K,event=4K"), "shown")
    text = dict(readers(shown, setup))["dump --json"]
    hidden = [n for n, secret in enumerate(made[:30]) if secret.encode() not in text]
    if hidden:
        raise Failure("--no-redact: %r are not shown" % hidden)
    return "%d places, %d values are hidden" % (len(places), dict(places)["dump"].count(b"<redacted>"))


# ---- the budget ----

def budget(python, setup, work):
    program = os.path.join(VALUES, "budget.py")
    recording, ran = record(python, [program], setup, work, ("--values=calls", "--values-of=*", "--values-limit=second=64K"))
    calls, last = map(int, ran.out.split())
    got = [values for event, code, values in rows(recording, setup, work, program) if (event, code) == ("call", "take")]
    whole = ["text" in v or "xxx" in v or "last" in v for v in got]
    if len(got) != calls or not 64 * 1024 // 200 < sum(whole) < 3 * 64 * 1024 // 150 or not all(whole[:100]) or not all(whole[-last:]):
        raise Failure("%d of %d calls, %d whole, the last: %r" % (len(got), calls, sum(whole), got[-last:]))
    cut = [v for v, w in zip(got, whole) if not w]
    if set(cut) != {"value=<str …>"}:
        raise Failure("cut values: %r" % set(cut))
    info = subprocess.run([setup.pathline, "info", "--json", recording], stdout=subprocess.PIPE, check=True, text=True).stdout
    counted = sum(map(int, re.findall(r'"values_cut":(\d+)', info)))
    if counted < len(cut):
        raise Failure("info counts %d, of %d that are cut" % (counted, len(cut)))
    return "%d of %d calls are whole, %d events cut" % (sum(whole), calls, counted)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("names", nargs="*", help="only tests whose name contains one of these")
    args = parser.parse_args()
    setup, pythons = exact.begin(args)
    tests = []
    for p in pythons:
        tests += [((p.version, "same", limit or "usual"), lambda w, p=p, limit=limit: same_run(p, limit, setup, w)) for limit in ("", *LIMITS)]
        tests += [((p.version, "two"), lambda w, p=p: two_runs(p, (), setup, w))]
        if p.minor in exact.HOT:
            tests += [((p.version, "two-hot"), lambda w, p=p: two_runs(p, ("--hot=1",), setup, w))]
        tests += [((p.version, f.__name__), lambda w, p=p, f=f: f(p, setup, w)) for f in (hostile, secrets, budget)]
    tests = [t for t in tests if not args.names or any(n in " ".join(t[0]) for n in args.names)]
    return exact.run_all(exact.shard(tests, args.shard), setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
