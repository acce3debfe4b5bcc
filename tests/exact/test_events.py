#!/usr/bin/env python3
"""What the oracle does not see: raise, reraise and handled with types and lines, tasks, generators'
identity, callers' lines, depth, the limit of recursion, the order of threads, sequence numbers and
times. Each is held against a program that writes it down itself (events/).
"""
import argparse
import bisect
import collections
import json
import os
import sys

import exact
from exact import Failure

EVENTS = os.path.join(exact.HERE, "events")
CORPUS = os.path.join(exact.HERE, "corpus")
ENTER, LEAVE = {"call", "resume", "throw"}, {"return", "yield", "unwind"}
PASSES = ("passes", "flow", "generators", "gen_threads", "coroutines", "eager", "dels", "far", "threads", "codes", "genexprs", "comprehensions", "generator_passes", "generator_passes_interrupted", "recursion", "tools")
# of one thread, each time the same
PASSES_APART = ("hot_passes", "passes", "flow", "generators", "codes", "genexprs", "comprehensions", "generator_passes", "hot_loops")
ALL_CALLS, ALL_LINES = (("--values=" + which, "--values-of=*") for which in ("calls", "lines"))
RECORDED = ("PY_START", "PY_RESUME", "PY_THROW", "LINE", "PY_RETURN", "PY_YIELD", "PY_UNWIND", "RAISE", "RERAISE", "EXCEPTION_HANDLED", "JUMP")
COUNTED = ("", "--hot=1", "--order=exact", " ".join(ALL_LINES))
PASSES_LIBRARY = ("test_listcomps", "test_genexps", "test_generators", "test_coroutines", "test_textwrap", "test_difflib")
LISTENED = ("flow", "generators", "gen_threads", "coroutines", "eager", "dels", "objects", "far", "threads", "settrace", "codes", "finalisation")
# the listener's trace function is replaced, and not in threads of _thread
UNHEARD_3_11 = ("settrace", "threads")
WALKED = ("flow", "generators", "gen_threads", "coroutines", "eager", "dels", "objects", "recursion", "threads", "fork", "signals", "settrace",
          "codes")
MAY_LINK = ("generators", "gen_threads", "coroutines", "eager", "fork", "signals")


def unescaped(text):
    plain = {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "\\": "\\"}
    parts, at = [], 0
    while (next_at := text.find("\\", at)) >= 0:
        parts += [text[at:next_at], plain[text[next_at + 1]]]
        at = next_at + 2
    return "".join(parts) + text[at:]


def record(python, arguments, setup, work, ok=(0,), options=(), env=None):
    recording = os.path.join(work, "recording")
    ran = exact.run(python.record(recording, setup, options) + arguments, setup, work, ok=ok, env=env)
    exact.wait_until_finished(recording, setup, work)
    return recording, ran


def marked(path, word):
    """Lines of a program that end in the comment `# WORD`."""
    with open(path) as f:
        return {n for n, line in enumerate(f, 1) if line.rstrip().endswith("# " + word)}


def equal(what, expected, got):
    if len(expected) != len(got):
        at = next((i for i, (a, b) in enumerate(zip(expected, got)) if a != b), min(len(expected), len(got)))
        raise Failure("%s: %d, not %d; the first difference at %d: %r, not %r" %
                      (what, len(got), len(expected), at, got[at:at + 3], expected[at:at + 3]))
    for i, (a, b) in enumerate(zip(expected, got)):
        if a != b:
            raise Failure("%s: number %d of %d is %r, not %r\nbefore: %r" % (what, i, len(got), b, a, expected[max(0, i - 4):i]))
    if not got:
        raise Failure(what + ": there is none")


# ---- what a listener of ours finds in the same run ----

def within(path, listener):
    """The rows between the listener's begin and end, but for its own: (event, tid, the rest)."""
    open_ = False
    for event, tid, file, first, code, *rest in exact.rows(path):
        own = file.endswith(("/" + listener, "/listening.py"))
        if own and code == "listener_begin" and event == "return":
            open_ = True
        elif own and code == "listener_end" and event == "call":
            open_ = False
        elif open_ and not own and event not in ("call", "return"):
            yield event, tid, (file, first, code, *rest)


def equal_by_thread(what, out, got):
    """got: (tid, row)…, out: the listener's file. Gives counts in words."""
    expected, threads = collections.defaultdict(list), collections.defaultdict(list)
    for tid, row in got:
        threads[tid].append(row)
    for tid, *row in exact.rows(out):
        expected[tid].append(tuple(row))
    for tid in set(expected) | set(threads):
        equal("%s of thread %s" % (what, tid), expected[tid], threads[tid])
    return "%d events, %d threads" % (sum(map(len, expected.values())), len(expected))


# ---- raise, reraise, handled ----

def exceptions(python, program, setup, work):
    out = os.path.join(work, "listened.tsv")
    listener = "listener.py" if python.minor > (3, 11) else "listener_3_11.py"
    recording, _ = record(python, [os.path.join(EVENTS, listener), out, os.path.join(CORPUS, program + ".py")], setup, work)
    fields = "event,tid,file,first,code,line,type"
    path = exact.like_the_oracle(exact.dump(recording, setup, work, fields, ("--events", "call,return,raise,reraise,handled")))
    return equal_by_thread("exceptions", out, ((tid, (event, *row)) for event, tid, row in within(path, listener)))


# ---- again ----

def passes(python, what, setup, work):
    """what: words for passes_listener.py, a program or -m and modules."""
    out = os.path.join(work, "listened.tsv")
    recording, ran = record(python, [os.path.join(EVENTS, "passes_listener.py"), out, *what], setup, work)
    path = exact.like_the_oracle(exact.dump(recording, setup, work, "event,tid,file,first,code,offset", ("--events", "call,return,again,gap")))
    rows = list(within(path, "passes_listener.py"))
    if any(event == "gap" for event, _, _ in rows):
        raise Failure("a gap")
    return "%s of %s jumps back" % (equal_by_thread("passes", out, ((tid, row) for _, tid, row in rows)), ran.err.split()[-1].decode())


def passes_apart(python, what, setup, work):
    """As above in two runs, with all code hot as soon as it can be: JUMP is switched off then,
    which it is not while another tool hears of it."""
    out = os.path.join(work, "listened.tsv")
    listener = os.path.join(EVENTS, "passes_listener.py")
    exact.run(python.command + [listener, out, *what], setup, work, name="listened")
    recording, _ = record(python, [listener, "-", *what], setup, work, options=("--hot=1",))
    path = exact.like_the_oracle(exact.dump(recording, setup, work, "event,tid,file,first,code,offset", ("--events", "call,return,again,gap")))
    expected, got = [row for _, *row in exact.rows(out)], [list(row) for _, _, row in within(path, "passes_listener.py")]
    equal("passes", expected, got)
    return "%d events" % len(got)


def passes_counted(python, options, setup, work):
    """Of loops whose passes are known, as many rows as that."""
    program = os.path.join(EVENTS, "passes_counted.py")
    recording, ran = record(python, [program], setup, work, options=options.split())
    got = collections.Counter()
    for file, first, code, line in exact.rows(exact.dump(recording, setup, work, "file,first,code,line", ("--events", "line,again"))):
        got[code, int(line or 0) - int(first)] += file == program
    expected = json.loads(ran.out)
    equal("rows of a loop", expected, [[code, at, got[code, at]] for code, at, _ in expected])
    return "%d lines" % len(expected)


def unheard(python, setup, work):
    """What had moved to INSTRUCTION comes back when that can be heard no more, with a gap for what
    may be lost until then. The function is replaced before recording begins, for the recorder calls
    the interpreter's own wherever it finds it. From 3.14 on no code is hot where the recorder
    cannot see that a tool asks for branches, so nothing moves, and nothing is lost."""
    with open(os.path.join(work, "sitecustomize.py"), "w") as f:
        f.write("import sys\nown = sys.monitoring.set_local_events\nsys.monitoring.set_local_events = lambda *words: own(*words)\n")
    recording, ran = record(python, [os.path.join(EVENTS, "unheard.py")], setup, work, options=("--hot=300",),
                            env=setup.environment(PYTHONPATH=work))
    path = exact.dump(recording, setup, work, "event,code", ("--events", "again,gap"))
    got, made = collections.Counter(tuple(row) for row in exact.rows(path)), int(ran.out)
    gaps = sum(count for (event, _), count in got.items() if event == "gap")
    moves = tuple(map(int, python.version.split(".")[:2])) < (3, 14)
    if gaps != moves or not made - 40 * moves <= got["again", "f"] <= made:         # of one call at most
        raise Failure("%d passes of %d, %d gaps" % (got["again", "f"], made, gaps))
    return "%d passes of %d, a gap" % (got["again", "f"], made)


def passes_meet(python, setup, work):
    """Between what told of a pass and its jump threads switch, in another tool's callback."""
    recording, ran = record(python, [os.path.join(EVENTS, "passes_meet.py")], setup, work, options=("--hot=300",))
    path = exact.dump(recording, setup, work, "tid,code", ("--events", "again"))
    order = ran.out.decode().split()
    got = [tid for tid, code in exact.rows(path) if tid in order and code in ("first", "second")]
    equal("pass", order, got)
    return "%d passes" % len(got)


def passes_killed(python, setup, work):
    """What is told ahead is there where nothing comes after it."""
    program = "import os\ndef f(n):\n    for signal in [0] * n + [9, 0]: os.kill(os.getpid(), signal)\nf(700)\n"
    recording, _ = record(python, ["-c", program], setup, work, ok=(137, -9), options=("--hot=300",))
    path = exact.dump(recording, setup, work, "event,line", ("--events", "again"))
    got = sum(line == "3" for _, line in exact.rows(path))
    if got != 700:
        raise Failure("%d passes, not 700" % got)
    return "%d passes" % got


# ---- what the program's own tools are told ----

def heard(python, setup, work):
    """A tool of the program is told what it is told beside another tool that hears of what the
    recorder hears of, whatever is kept. Alone it is told the same, but for lines from 3.13 on: LINE
    where a function begins is reported there only if some tool has PY_START enabled."""
    program = os.path.join(EVENTS, "heard.py")

    def told(name, command):
        return dict(json.loads(exact.run(command, setup, work, name=name, ok=(0,)).out))

    alone = told("alone", [*python.command, program])
    beside = told("beside", [*python.command, program, *RECORDED])
    start = told("start", [*python.command, program, "PY_START"])
    differ = {key for key in beside if beside[key] != alone.get(key)}
    if differ and (python.minor < (3, 13) or start != beside or not all(key.startswith("LINE") for key in differ)):
        raise Failure("beside a tool of the program it is told otherwise of %s" % ", ".join(sorted(differ)))
    for options in ("--values=none",), ALL_CALLS, ALL_LINES, ("--hot=1",), (*ALL_CALLS, "--hot=1"):
        recording = os.path.join(work, "recording%d" % len(os.listdir(work)))
        got = told("recorded", [*python.record(recording, setup, options), program])
        equal("calls of the tool's callbacks, recorded with %s" % " ".join(options), sorted(beside.items()), sorted(got.items()))
    return "%d calls of callbacks" % sum(beside.values())


# ---- tasks, generators, callers ----

def tasks(python, setup, work):
    recording, ran = record(python, [os.path.join(EVENTS, "tasks.py")], setup, work)
    path = exact.dump(recording, setup, work, "event,code,task", ("--events", "call"))
    got = [unescaped(task) for event, code, task in exact.rows(path) if code == "note"]
    equal("task of note()", [name or "-" for name in json.loads(ran.out)], [name or "-" for name in got])
    return "%d calls, %d tasks" % (len(got), len(set(got)))


def identities(python, setup, work):
    program = os.path.join(EVENTS, "identities.py")
    recording, ran = record(python, [program], setup, work)
    lines, log = marked(program, "GEN"), json.loads(ran.out)
    path = exact.dump(recording, setup, work, "file,line,generator", ("--events", "line"))
    got = [generator for file, line, generator in exact.rows(path) if file == program and line.isdigit() and int(line) in lines]
    if len(got) != len(log):
        raise Failure("%d lines of generators, not %d" % (len(got), len(log)))
    number, own = {}, {}
    for i, (mine, its) in enumerate(zip(log, got)):
        if number.setdefault(mine, its) != its or own.setdefault(its, mine) != mine:
            raise Failure("line %d: generator %s is %s, and was %s" % (i, mine, its, number[mine]))
    if "0" in own or "" in own or "-" in own:
        raise Failure("a generator without a number")
    return "%d generators, %d lines" % (len(own), len(log))


def callers(python, setup, work):
    recording, ran = record(python, [os.path.join(EVENTS, "callers.py")], setup, work)
    path = exact.dump(recording, setup, work, "event,code,caller,depth")
    called, resumed = [], []
    for event, code, caller, depth in exact.rows(path):
        if event == "call" and code == "who":
            called.append([int(caller), int(depth)])
        elif event == "resume" and code == "gen":
            resumed.append([int(caller), int(depth)])
    expected = json.loads(ran.out)
    equal("caller's line and depth of who()", expected[0], called)
    equal("caller's line and depth of a resume", expected[1], resumed)
    return "%d calls, %d resumes" % (len(called), len(resumed))


# ---- recursion through C ----

def limits(python, setup, work, *options):
    """At the interpreter's limit every frame that ran was told, once, and none that did not; and
    the limit is where it is without us."""
    program = os.path.join(EVENTS, "limits.py")
    recording, ran = record(python, [program], setup, work, options=options)
    path = exact.dump(recording, setup, work, "event,file,code", ("--events", "call,return,unwind"))
    told = collections.Counter((code.rpartition(".")[2], event == "call") for event, file, code in exact.rows(path) if file == program)
    met = json.loads(ran.out)
    expected = {name: [count, count] for name, count, *_ in met}
    equal("frames entered and left", sorted(expected.items()), sorted((n, [told[n, True], told[n, False]]) for n in expected))
    # in hot code some attributes take a level more, once (ARCHITECTURE); CPython's own tracing
    # moves it in 3.11 (README.md); from 3.14 on it is an address of the stack, which differs from
    # run to run
    if (3, 11) < python.minor < (3, 14) and not options:
        alone = exact.run(python.command + [program], setup, work, name="alone", ok=(0,))
        equal("limits", json.loads(alone.out), met)
    return "%d frames" % sum(count for count, _ in expected.values())


# ---- order ----

def ordered(program, arguments, options, without_step, python, setup, work):
    """Rows of the program's lines that end in # ORDER, of which each took a number of one counter,
    as their threads say: [(number, first run, last run)…] and the number of switches. By witnesses,
    a line's place may be open between two switches; it must lie there. without_step: each so
    manieth row of a thread took none; 0: each did."""
    recording, ran = record(python, [program, *arguments], setup, work, options=options)
    lines = marked(program, "ORDER")
    path = exact.dump(recording, setup, work, "tid,file,line,order_from,order", ("--events", "line,again"))
    rows, seen = [], collections.Counter()
    for tid, file, line, first, last in exact.rows(path):
        if file == program and line.isdigit() and int(line) in lines:
            seen[tid] += 1
            if not without_step or seen[tid] % without_step:
                rows.append((tid, int(first), int(last)))
    taken = {tid: iter(numbers) for tid, numbers in json.loads(ran.out).items()}
    # a thread's numbers grow
    steps = [(next(taken[tid], None), first, last) for tid, first, last in rows]
    if sorted(n for n, *_ in steps if n is not None) != list(range(sum(map(len, json.loads(ran.out).values())))):
        raise Failure("%d steps are not those that the threads took" % len(steps))
    certain = [(n, last) for n, first, last in steps if first == last]
    if certain != sorted(certain):
        raise Failure("steps whose place is certain are out of order")
    for n, first, last in steps:
        # certain ones of runs before `first`
        before = bisect.bisect_left(certain, first, key=lambda c: c[1])
        after = bisect.bisect_right(certain, last, key=lambda c: c[1])
        if before and certain[before - 1][0] > n or after < len(certain) and certain[after][0] < n:
            raise Failure("step %d is not between switch %d and the end of run %d" % (n, first, last))
    return steps, sum(a[0] != b[0] for a, b in zip(rows, rows[1:]))


def told(steps, switches):
    return "%d steps, %d of them open, %d switches" % (len(steps), sum(first != last for _, first, last in steps), switches)


def order(python, interval, kept, setup, work):
    """kept: what --order keeps."""
    steps, switches = ordered(os.path.join(EVENTS, "order.py"), [interval], ("--order", kept), 0, python, setup, work)
    if kept == "exact":
        equal("step", [n for n, *_ in steps], list(range(len(steps))))
    if switches < 1000:
        raise Failure("only %d switches: this run proves little" % switches)
    return told(steps, switches)


def passes_order(python, kept, setup, work):
    steps, switches = ordered(os.path.join(EVENTS, "passes_order.py"), [], ("--order", kept, "--hot=300"), 101, python, setup, work)
    if kept == "exact":
        equal("step", [n for n, *_ in steps], list(range(len(steps))))
    if switches < 100:
        raise Failure("only %d switches: this run proves little" % switches)
    return told(steps, switches)


def recursion_order(python, interval, setup, work):
    """Pending calls of hot functions that call themselves are told before another thread runs."""
    steps, switches = ordered(os.path.join(EVENTS, "recursion_order.py"), [interval], (), 0, python, setup, work)
    if switches < 100:
        raise Failure("only %d switches: this run proves little" % switches)
    return told(steps, switches)


# ---- a walk over all rows: depth, sequence, time ----

class Walk:
    """What must hold from row to row of one thread. A frame that no event announced (a generator
    through which another is thrown into, the stack on which a process was forked, a frame in whose
    RESUME a signal came) is None until an event tells of it."""

    def __init__(self):
        self.stack, self.seq, self.time, self.unannounced = [], -1, 0, 0

    def step(self, row):
        event, seq, depth, time, frame = row
        if event == "possible":         # after the end: they did not happen one after the other
            return None
        if seq != self.seq + 1:
            return "seq %d after %d" % (seq, self.seq)
        if time < self.time:
            return "time goes back"
        self.seq, self.time = seq, time
        return None if event == "gap" else self.step_frame(event, depth, frame)

    def step_frame(self, event, depth, frame):
        height = depth + (event not in ENTER)
        # it goes without an event, as it came
        while len(self.stack) > height and self.stack[-1] is None:
            self.stack.pop()
        unannounced = height - len(self.stack)
        if unannounced > 0:
            self.unannounced += unannounced
            self.stack += [None] * unannounced
        if event in ENTER:
            if depth != len(self.stack):
                return "%s at depth %d above %d" % (event, depth, len(self.stack))
            self.stack.append(frame)
        elif depth != len(self.stack) - 1 or self.stack[-1] not in (frame, None):
            return "%s of %r at depth %d, under %d: %r" % (event, frame, depth, len(self.stack), self.stack[-1:])
        self.stack[-1] = frame
        if event in LEAVE:
            self.stack.pop()
        return None


def walk(python, program, setup, work):
    recording, _ = record(python, [os.path.join(CORPUS, program + ".py")], setup, work, ok=range(-64, 256))
    path = exact.dump(recording, setup, work, "process,thread,event,seq,depth,time,file,first,code")
    threads, count = collections.defaultdict(Walk), 0
    for process, thread, event, seq, depth, time, *frame in exact.rows(path):
        wrong = threads[process, thread].step((event, int(seq), int(depth or 0), nanoseconds(time), frame))
        count += 1
        if wrong:
            raise Failure("process %s thread %s event %s: %s" % (process, thread, seq, wrong))
    unannounced = sum(w.unannounced for w in threads.values())
    if unannounced and program not in MAY_LINK:
        raise Failure("%d frames that no event announced" % unannounced)
    return "%d events, %d threads, %d frames unannounced" % (count, len(threads), unannounced)


def nanoseconds(text):
    whole, _, part = text.partition(".")
    return int(whole) * 10 ** 9 + int((part + "0" * 9)[:9])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("names", nargs="*", help="only tests whose name contains one of these")
    args = parser.parse_args()
    setup, pythons = exact.begin(args)
    tests = []
    for p in pythons:
        tests += [((p.version, "exceptions", n), lambda w, p=p, n=n: exceptions(p, n, setup, w)) for n in LISTENED
                  if p.minor > (3, 11) or n not in UNHEARD_3_11]
        if p.minor >= (3, 12):
            tests += [((p.version, "passes", n), lambda w, p=p, n=n: passes(p, [os.path.join(CORPUS, n + ".py")], setup, w)) for n in PASSES]
            tests += [((p.version, "passes", n), lambda w, p=p, n=n: passes(p, ["-m", "test." + n], setup, w)) for n in PASSES_LIBRARY]
            tests += [((p.version, "own-tool"), lambda w, p=p: heard(p, setup, w))]
        tests += [((p.version, "passes-counted", options or "-"), lambda w, p=p, o=options: passes_counted(p, o, setup, w))
                  for options in COUNTED]
        if p.minor in exact.HOT:
            tests += [((p.version, "unheard"), lambda w, p=p: unheard(p, setup, w))]
            tests += [((p.version, "limits", "hot"), lambda w, p=p: limits(p, setup, w, "--hot=1"))]
            tests += [((p.version, "recursion-order", i), lambda w, p=p, i=i: recursion_order(p, i, setup, w)) for i in ("1e-6", "1e-4")]
            tests += [((p.version, "passes-" + f.__name__[7:]), lambda w, p=p, f=f: f(p, setup, w)) for f in (passes_meet, passes_killed)]
            tests += [((p.version, "passes-apart", n), lambda w, p=p, n=n: passes_apart(p, [os.path.join(CORPUS, n + ".py")], setup, w)) for n in PASSES_APART]
            tests += [((p.version, "passes-apart", n), lambda w, p=p, n=n: passes_apart(p, ["-m", "test." + n], setup, w))
                      # it does not run the same code twice
                      for n in PASSES_LIBRARY if n != "test_generators"]
        tests += [((p.version, f.__name__), lambda w, p=p, f=f: f(p, setup, w)) for f in (tasks, identities, callers, limits)]
        tests += [((p.version, "order", k + " " + i), lambda w, p=p, i=i, k=k: order(p, i, k, setup, w))
                  for i in ("1e-6", "1e-4", "0.005") for k in ("witness", "exact")]
        tests += [((p.version, "passes-order", k), lambda w, p=p, k=k: passes_order(p, k, setup, w)) for k in ("witness", "exact")]
        tests += [((p.version, "walk", n), lambda w, p=p, n=n: walk(p, n, setup, w)) for n in WALKED]
    tests = [t for t in tests if not args.names or any(n in " ".join(t[0]) for n in args.names)]
    return exact.run_all(exact.shard(tests, args.shard), setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
