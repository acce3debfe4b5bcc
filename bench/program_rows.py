"""The rows of real programs (real/): CPU time recorded and with the floor, each by unrecorded, all
three at once on one processor by turns (turns.py).

A program is run in fresh processes. The first pass imports what it needs and runs all of its code
for the first time: it is the process's CPU time from its start to the end of that pass. Further
passes warm up; those after them are the steady state. So that all three share the processor to
the end, each runs passes until the same moment, and CPU time is of one pass.
"""
import importlib
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

import turns
import workload_rows
from figures import LeftOut

HERE = pathlib.Path(__file__).resolve().parent
REAL = HERE / "real"
GROUP = "programs"              # the name of all of these rows
SECONDS, QUICK_SECONDS = 4, .1  # of a turn
TO_REACH = {"3.11": None, "3.12": 1.25, "3.13": 1.25}   # the mean of the steady state; others: TO_REACH_ELSE
TO_REACH_ELSE = 1.30
PLAIN, FLOOR, RECORDED = "unrecorded", "floor", "recorded"


def find():
    """row: (its file, the program's name in there)"""
    sys.path.insert(0, str(REAL))
    try:
        program = importlib.import_module("program")
        rows = {}
        for path in sorted(REAL.glob("*.py")):
            before = set(program.PROGRAMS)
            importlib.import_module(path.stem)
            rows |= {f"p_{name}": (path, name) for name in program.PROGRAMS if name not in before}
        return rows
    finally:
        sys.path.remove(str(REAL))


ROWS = find()


def chosen(names):
    """The rows of those programs, named with commas; of all if there are none."""
    rows = [f"p_{name}" for name in names.split(",")] if names else list(ROWS)
    for row in rows:
        if row not in ROWS:
            raise SystemExit(f"pathline: no program {row[2:]}; there are: {' '.join(name[2:] for name in ROWS)}")
    return rows


class Programs:
    def __init__(self, bench):
        self.bench = bench
        try:
            self.turns = turns.AtOnce(bench, PYTHONPATH=str(bench.build / GROUP / bench.minor), PYTHONHASHSEED="0",
                                      PYTHONPYCACHEPREFIX=str(bench.build / "bench/pycache"))
        except turns.NotHere as reason:
            raise LeftOut(reason) from reason
        # what compiles at each import would be another program
        self.turns.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.notes = bench.scratch / "program-notes"

    def try_once(self, words):
        """Does it give what it should? What it imports is compiled then, and in the page cache."""
        done = subprocess.run(self.turns.python(*words), env=self.turns.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        last = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        if last.startswith("ModuleNotFoundError: "):
            raise LeftOut(last.partition(": ")[2])
        if done.returncode:
            raise RuntimeError(last)

    def once(self, words):
        """{of whom: what it took}"""
        bench = self.bench
        words = [*words, time.monotonic() + (QUICK_SECONDS if bench.quick else SECONDS)]
        mode = "settrace:noop" if bench.minor == "3.11" else workload_rows.HEAR_ALL
        self.notes.unlink(missing_ok=True)
        said = self.turns.at_once({PLAIN: self.turns.python(*words), FLOOR: self.turns.hear(mode, words),
                                   RECORDED: self.turns.record(words, notes=self.notes)})
        return said | {"collector": self.turns.work.collector(self.notes)["collector"]}

    def measure(self, row):
        bench, (path, name) = self.bench, ROWS[row]
        words = [path, name]
        self.try_once(words)
        rounds = [self.once(words) for _ in range(1 if bench.quick else max(1, bench.runs // 2))]

        if self.bench.info(self.bench.scratch / "turns")["losses"]:
            raise RuntimeError("events were lost: what was recorded costs more")

        def ratio(who, key):
            return round(statistics.median(one[who][key] / one[PLAIN][key] for one in rounds), 4)

        shares = [one["collector"] for one in rounds if one["collector"] is not None]
        return {"kind": "program", "rounds": len(rounds), "passes": sum(one[RECORDED]["passes"] for one in rounds),
                "steady": {who: ratio(who, "cpu") for who in (RECORDED, FLOOR)},
                "first": {who: ratio(who, "first") for who in (RECORDED, FLOOR)},
                "collector": round(statistics.median(shares), 4) if shares else None}


# ---- what it comes to ----

def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def to_reach(python):
    """The mean for this version; None: none was set."""
    return TO_REACH.get(python.rpartition(".")[0], TO_REACH_ELSE)


def summary(rows):
    """Of the rows of one interpreter, or None."""
    rows = {name[2:]: row for name, row in rows.items() if row["kind"] == "program"}
    if not rows:
        return None
    shares = [row["collector"] for row in rows.values() if row["collector"] is not None]
    said = {"programs": len(rows), "collector": statistics.fmean(shares) if shares else None}
    for when in ("steady", "first"):
        worst = max(rows, key=lambda name: rows[name][when][RECORDED])
        said[when] = {"recorded": mean(row[when][RECORDED] for row in rows.values()), "floor": mean(row[when][FLOOR] for row in rows.values()),
                      "worst": (worst, rows[worst][when][RECORDED]),
                      "above": sorted(((name, row[when][RECORDED] / row[when][FLOOR]) for name, row in rows.items()
                                       if row[when][RECORDED] > row[when][FLOOR]), key=lambda one: -one[1])}
    return said
