"""The other figures: each is a row of `make bench` that can be asked by name.

A figure is a function of a Bench in FIGURES; it gives a value, which is a ratio or a rate, never a
time alone, and a note with what else was seen. What the programs do is in programs.py, and they
tell themselves what they took.
"""
import functools
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import stops
import turns
import workload_rows

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(stops.KINDS.parent))
import kinds  # noqa: E402

PROGRAMS = str(HERE / "programs.py")
FIGURES = {}


class LeftOut(Exception):
    """The row cannot be measured here; the text says why."""


def figure(name, to_reach, what):
    def add(function):
        FIGURES[name] = (function, to_reach, what)
        return function
    return add


def measure(bench, name):
    function, to_reach, what = FIGURES[name]
    value, note = function(bench)
    return {"kind": "figure", "value": value, "to_reach": to_reach, "what": what, "note": note}


# ---- pairs ----

class Once:
    """One run of a program: what it said, the wall time of the whole, and with watch.py what the
    collector took."""

    def __init__(self, bench, words, traced, keep=None, options=()):
        out = keep or bench.scratch / "figure"
        notes = bench.scratch / "figure-notes"
        notes.unlink(missing_ok=True)
        shutil.rmtree(out, ignore_errors=True)
        program = [bench.python, PROGRAMS, *map(str, words)]
        if traced == "watched":
            record = [sys.executable, str(HERE / "watch.py"), str(notes), "--"]
        else:
            record = []
        if traced:
            program = [*record, str(bench.pathline), "record", "-q", "--limit=0", "--values=none", *options, "-o", str(out), "--python", bench.python, "--",
                       *program[1:]]
        environment = dict(os.environ, PYTHONPATH=str(bench.site), PYTHONPYCACHEPREFIX=str(bench.build / "bench/pycache"))
        # an import that compiles each time would be another figure
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        start = time.perf_counter()
        self.said = json.loads(bench.run(program, environment).splitlines()[-1])
        self.whole_s = time.perf_counter() - start
        self.notes = json.loads(notes.read_text()) if notes.exists() else None
        self.directory = out


def side_by_side(bench, *programs, traced=True, times=1, options=()):
    """Of each of the programs [(untraced, traced)], all interleaved; the first round warms up."""
    runs = bench.runs if bench.quick else bench.runs * times
    rounds = [[(Once(bench, words, None), Once(bench, words, traced, options=options)) for words in programs] for _ in range(runs + 1)]
    return [list(of_one) for of_one in zip(*rounds[1:])]


def pairs(bench, *words, times=1):
    return side_by_side(bench, words, times=times)[0]


def ratio(rounds, key):
    return statistics.median(t.said[key] / b.said[key] for b, t in rounds)


def more(rounds, key):
    return statistics.median(t.said[key] - b.said[key] for b, t in rounds)


# ---- starting ----

@figure("start", "-", "wall time of a program that does nothing, recorded / unrecorded")
def start(bench):
    rounds = pairs(bench, "hello")
    more_s = statistics.median(t.whole_s - b.whole_s for b, t in rounds)
    return statistics.median(t.whole_s / b.whole_s for b, t in rounds), f"{1000 * more_s:.0f} ms more here, to reach 50"


IMPORT_TIMES = 3    # as many pairs: medians of seven differed by a fifth


def import_of(bench, name):
    package = name.partition(".")[0]
    if not (bench.site / package).is_dir():
        raise LeftOut(f"{package} is not installed")
    rounds = pairs(bench, "imports", name, times=IMPORT_TIMES)
    return ratio(rounds, "cpu"), f"wall {ratio(rounds, 'wall'):.2f}, {len(rounds)} pairs"


@figure("import_sympy", "1.25", "CPU time of `import sympy`, recorded / unrecorded")
def import_sympy(bench):
    return import_of(bench, "sympy")


@figure("import_django", "1.25", "CPU time of `import django.forms`, recorded / unrecorded")
def import_django(bench):
    return import_of(bench, "django.forms")


@figure("hello", "200", "size in KiB of the recording of a program that does nothing, with its sources")
def hello(bench):
    once = Once(bench, ("hello",), True)
    sizes = {s["kind"]: s["bytes"] for s in bench.info(once.directory)["sizes"]}
    return bench.size(once.directory) / 1024, f"sources {sizes.get('sources', 0) / 1024:.0f} KiB"


# ---- each call and return stamped ----

@figure("timing", "2.5", "CPU time of w_fib, recorded with --timing calls / unrecorded")
def timing(bench):
    value, bare = workload_rows.Workloads(bench).timing()
    return value, "" if bare is None else f"{bare:.2f} for callbacks that write 16 bytes and the clock, and nothing else"


# ---- by turns on one processor: what the machine's speed at the moment is not in ----

def take_turns(bench, row, **what):
    try:
        return turns.Turns(bench, row, **what)
    except turns.NotHere as reason:
        raise LeftOut(reason) from reason


def by_turns(bench, row, *options, scales=None):
    both = take_turns(bench, row, scales=scales)
    both.work.build_floor()
    has_floor = bench.minor != "3.11"
    modes = [workload_rows.STAMPED_BARE] if options else [workload_rows.HEAR_ALL, workload_rows.HEAR_CALLS]
    value, *heard = both.ratios(both.recorded(*options), *(both.heard(mode) for mode in modes if has_floor))
    names = ["callbacks that write 16 bytes and the clock"] if options else ["the floor", "calls, resumes and yields heard"]
    return value, "; ".join([*(f"{name} {of_it:.2f}" for name, of_it in zip(names, heard)), f"medians of {bench.runs}"])


for workload, table in workload_rows.ROWS.items():
    figure(f"turns_{workload[2:]}", f"{table['goal']:.2f}", f"CPU time of {workload}, recorded / unrecorded, by turns on one processor")(
        functools.partial(by_turns, row=workload))


@figure("turns_oo_once", "1.40", "CPU time of one pass of w_oo, recorded / unrecorded, by turns on one processor; first runs weigh more")
def turns_oo_once(bench):
    return by_turns(bench, "w_oo", scales=turns.ONCE)


@figure("turns_timing", "2.50", "CPU time of w_fib, recorded with --timing calls / unrecorded, by turns on one processor")
def turns_timing(bench):
    return by_turns(bench, "w_fib", "--timing=calls", scales=turns.TIMED)


# ---- values ----

VALUES = ("--values=calls", "--values-of=*")
WITH_VALUES = {"w_oo": "2.00", "w_lib": "2.00", "w_fib": "3.00", "w_aio": "1.40"}   # to reach


VALUES_OF_LINES = ("--values=lines", "--values-of=*")


def with_values(bench, row, options=VALUES):
    both = take_turns(bench, row)
    value, without = both.ratios(both.recorded(*options, name="values"), both.recorded(name="plain"))
    recording = bench.scratch / "values"
    calls = bench.info(recording)["counts"]["call"]
    return value, f"{without:.2f} without values; {bench.size(recording) / calls:.1f} bytes a call; medians of {bench.runs}"


for workload, goal in WITH_VALUES.items():
    figure(f"values_{workload[2:]}", goal, f"CPU time of {workload}, recorded with the values of all calls / unrecorded, by turns on one processor")(
        functools.partial(with_values, row=workload))
    figure(f"values_lines_{workload[2:]}", "10", f"CPU time of {workload}, recorded with the variables of all lines / unrecorded, by turns on one processor")(
        functools.partial(with_values, row=workload, options=VALUES_OF_LINES))


# ---- what is heard, and what is done with it ----

def heard_again(bench, row):
    """A workload's second pass: with callbacks that do nothing in place of the recorder's own, /
    unrecorded. It is what the interpreter takes to tell a tool of what Pathline hears; no recorder
    that hears it takes less."""
    if bench.minor == "3.11":
        raise LeftOut("a trace function of 3.11 is told of every line")
    both = take_turns(bench, row, program=(PROGRAMS, "again"))
    both.work.build_floor()
    heard, recorded = both.ratios(both.recorded(arguments=[both.work.library], name="heard"), both.recorded(name="recorded"))
    few, all_of_them = (bench.info(bench.scratch / name)["counts"]["line"] for name in ("heard", "recorded"))
    if few > .7 * all_of_them:
        raise RuntimeError(f"{few:,} of {all_of_them:,} lines are recorded where half of them were only to be heard")
    return heard, f"recorded {recorded:.2f}; medians of {bench.runs}"


for workload in workload_rows.ROWS:
    figure(f"heard_{workload[2:]}", "-", f"CPU time of {workload}'s second pass, all reported to no-op callbacks / unrecorded, by turns on one processor")(
        functools.partial(heard_again, row=workload))


# ---- a loop that stays on its line ----

# so that each takes about as long
PASSES = {"while": 10_000_000, "comprehension": 5_000_000, "generator": 2_500_000}


@figure("passes", "-", "CPU time of a comprehension in a loop and nothing else, recorded / unrecorded")
def passes(bench):
    """Each pass is an event, where the floor hears of none."""
    programs = [("passes", kind, count // 100 if bench.quick else count) for kind, count in PASSES.items()]
    ratios = dict(zip(PASSES, (ratio(rounds, "cpu") for rounds in side_by_side(bench, *programs))))
    [unheard] = side_by_side(bench, ("passes", "comprehension", programs[1][2]), options=["--passes=none"])
    note = f"`while n: n -= 1` {ratios['while']:.2f}, a generator expression {ratios['generator']:.2f}; with --passes none {ratio(unheard, 'cpu'):.2f}"
    return ratios["comprehension"], note


# ---- what it takes ----

@figure("memory", "16", "additional memory in MiB of a program that has imported sympy, without rings")
def memory(bench):
    name = "sympy" if (bench.site / "sympy").is_dir() else "json"
    rounds, nothing = side_by_side(bench, ("memory", name), ("memory", "nothing"))
    more_kib = more(rounds, "RssAnon") + more(rounds, "RssFile")
    return more_kib / 1024, (f"{(more(nothing, 'RssAnon') + more(nothing, 'RssFile')) / 1024:.1f} for a program that does nothing; "
                             f"rings {more(rounds, 'RssShmem') / 1024:.1f}; imported: {name}")


@figure("idle", "1", "% of a core that the collector takes while the program sleeps")
def idle(bench):
    # Of two lengths, so that what it takes to begin and end falls out.
    short, long = (1, 2) if bench.quick else (2, 8)
    taken = [Once(bench, ("idle", seconds), "watched").notes for seconds in (short, long)]
    if None in taken:
        raise LeftOut("the collector could not be watched: ptrace is refused here")
    return 100 * (taken[1]["collector_s"] - taken[0]["collector_s"]) / (long - short), ""


# ---- does it stay flat? ----

def least(rounds):
    """(CPU unrecorded, what recording adds to it) of the least of each: what disturbs a run makes
    it longer, by as much as is asked for here."""
    plain = min(b.said["cpu"] for b, _ in rounds)
    return plain, min(t.said["cpu"] for _, t in rounds) - plain


FLAT_TIMES = 3  # as many pairs: what is held against each other is small beside how runs differ


def more_by_count(bench, name, counts, rounds):
    """What recording adds to the same work done by so many, by what it adds when one does it; each
    as a part of the unrecorded CPU."""
    by_count = side_by_side(bench, *((name, count, rounds) for count in counts), times=FLAT_TIMES)
    added = [ratio(of_one, "cpu") - 1 for of_one in by_count]
    return {count: more / added[0] for count, more in zip(counts, added)}


def flat(bench, name, counts, rounds):
    by_count = more_by_count(bench, name, counts, rounds // 100 if bench.quick else rounds)
    return max(by_count.values()), "; ".join(f"{count}: {value:.2f}" for count, value in by_count.items())


@figure("threads", "flat", "cost of an event with 2, 8 and 64 threads, divided by that with one: the worst")
def threads(bench):
    return flat(bench, "threads", (1, 2, 8, 64), 1000000)


@figure("processes", "flat", "cost of an event with 8 and 64 processes, divided by that with one: the worst")
def processes(bench):
    return flat(bench, "processes", (1, 8, 64), 1000000)


@figure("codes", "flat", "cost of an event in calls of 50,000 code objects in turn, divided by that of 500")
def codes(bench):
    counts = (50, 500) if bench.quick else (500, 50000)
    few, many = side_by_side(bench, *(("codes", count, counts[1] * 10) for count in counts), times=FLAT_TIMES)
    (plain_few, added_few), (plain_many, added_many) = least(few), least(many)
    first_us = statistics.median((t.said["first"] - b.said["first"]) / b.said["instructions"] * 1e8 for b, t in many)
    return added_many / added_few, f"unrecorded {plain_many / plain_few:.2f}; first run {first_us:.1f} µs a 100 instructions here, to reach 20"


# ---- reading ----

def big_lines(bench):
    return 100000 if bench.quick else int(os.environ.get("BENCH_LINES", "1000000000"))


def big(bench):
    """The big recording, made once."""
    if not hasattr(bench, "big"):
        bench.say(f"recording {big_lines(bench):,} lines …")
        bench.big = Once(bench, ("loops", big_lines(bench)), True, keep=bench.scratch / "big").directory
    return bench.big


def read(bench, directory, *words):
    return json.loads(bench.run([str(bench.build / "bench/bench-reader"), str(directory), *words]))


@figure("dump", "5", "millions of events per second of CPU time, `dump --fields seq,event,code,line`")
def dump(bench):
    lines = 20000 if bench.quick else 10000000
    once = Once(bench, ("loops", lines), True)
    before = os.times()
    with open(os.devnull, "wb") as nowhere:
        subprocess.run([str(bench.pathline), "dump", "--fields", "seq,event,code,line", str(once.directory)], stdout=nowhere, check=True)
    after = os.times()
    events = bench.info(once.directory)["events"]
    return events / (after.children_user + after.children_system - before.children_user - before.children_system) / 1e6, f"{events:,} events"


@figure("count", "100", "millions of lines per second of CPU time, `pl_cursor_count` on a recording of a billion lines")
def count(bench):
    said = read(bench, big(bench), "count")
    return said["lines"] / said["count_s"] / 1e6, f"{said['lines']:,} lines; memory {said['memory_kib'] / 1024:.0f} MiB, to reach 100"


@figure("visit", "-", "millions of lines per second of CPU time, `pl_cursor_next`, event by event")
def visit(bench):
    # a whole big recording would take longest of all rows
    once = Once(bench, ("loops", min(big_lines(bench), 20000000)), True)
    said = read(bench, once.directory, "visit")
    return said["lines"] / said["count_s"] / 1e6, f"{said['lines']:,} lines"


@figure("continue", "100", "millions of lines per second of CPU time, a search for a line that never ran, on a recording of a billion lines")
def continues(bench):
    said = read(bench, big(bench), "search")
    return said["lines"] / said["count_s"] / 1e6, f"{said['lines']:,} lines; memory {said['memory_kib'] / 1024:.0f} MiB, to reach 100"


@figure("back", "100", "the same, backwards")
def goes_back(bench):
    said = read(bench, big(bench), "back")
    return said["lines"] / said["count_s"] / 1e6, f"{said['lines']:,} lines; memory {said['memory_kib'] / 1024:.0f} MiB, to reach 100"


@figure("open", "50", "ms to open a recording of a billion lines")
def open_it(bench):
    said = read(bench, big(bench))
    lines = bench.info(big(bench))["counts"]["line"]
    return 1000 * said["open_s"], f"{lines:,} lines, {bench.size(big(bench)) / 2**20:.1f} MiB"


@figure("seek", "20", "ms to seek to a time in that recording and read an event: the worst of 20")
def seek(bench):
    said = read(bench, big(bench))
    return 1000 * said["seek_worst_s"], f"median {1000 * said['seek_s']:.1f}; memory {said['memory_kib'] / 1024:.0f} MiB, to reach 100"


def report_of(bench, directory):
    """Millions of lines a second of wall time, by all cores, and a note."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen([str(bench.pathline), "report", str(directory)], stdin=subprocess.DEVNULL, stdout=nowhere)
        _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"pathline report {directory} ended with {child.returncode}")
    lines = bench.info(directory)["counts"]["line"]
    return lines / wall / 1e6, f"{lines:,} lines, {os.cpu_count()} cores; memory {used.ru_maxrss / 1024:.0f} MiB, to reach 200"


@figure("report", "100", "millions of lines per second of wall time, `pathline report` on a recording of a billion lines")
def report(bench):
    return report_of(bench, big(bench))


@figure("report_fib", "100", "the same, on a recording of a recursion")
def report_fib(bench):
    bench.say(f"recording a recursion of {big_lines(bench):,} lines …")
    return report_of(bench, Once(bench, ("recursion", big_lines(bench)), True).directory)


@figure("query", "2", "seconds of `pathline query`, calls and lines by function, on a recording of a billion lines")
def query(bench):
    start = time.perf_counter()
    bench.run([str(bench.pathline), "query", "SELECT function, sum(calls), sum(hits) FROM function GROUP BY function", str(big(bench))])
    return time.perf_counter() - start, f"{bench.info(big(bench))['counts']['line']:,} lines"


# ---- stops ----

@figure("stops", "1", "ms of the longest single call of the recorder, as 3,000,000 instructions each, over the programs of tests/stops")
def longest_stops(bench):
    if what := stops.missing():
        raise LeftOut(f"{what} is not here")
    if bench.minor not in ("3.12", "3.13"):
        raise LeftOut("counted with 3.12 and 3.13")
    longest = {}
    for kind, what in kinds.WHAT.items():
        found = stops.measure_kind(bench.build, bench.python, kind, bench.scratch)
        longest[kind] = found[0] if found else (0, "no call")
        bench.say(f"| {what} | {longest[kind][0] / 1e6:.2f} million | `{longest[kind][1]}` |")
    return max(count for count, _ in longest.values()) / stops.LIMIT, "; ".join(f"{kind} {count / stops.LIMIT:.2f}" for kind, (count, _) in longest.items())
