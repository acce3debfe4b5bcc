"""The rows of the workloads: CPU inside each one's main(), traced / untraced.

pairs.py runs the pairs; here is what it is asked, and what else each row has: marginal bytes by two scales, events by
`record --stat`, the collector's CPU by watch.py.
"""
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = HERE / "workloads"
FLOOR_RUN = HERE / "floor/run.py"

# name: the figure to reach, the floor on the machine for which that was set (3.12), bytes a line to reach, the two scales between which
# those are told, a scale for a smoke run. On a machine that tells of events more dearly the floor is higher, and so is what can be reached.
ROWS = {
    "w_loops": {"goal": 1.20, "goal_floor": 1.53, "bytes_goal": 0.004, "scales": (100, 400), "quick": 2},
    "w_fib": {"goal": 1.60, "goal_floor": 2.63, "bytes_goal": 0.03, "scales": (25, 29), "quick": 12},
    "w_oo": {"goal": 1.40, "goal_floor": 1.84, "bytes_goal": 0.02, "scales": (1, 4), "quick": 0},
    "w_lib": {"goal": 1.18, "goal_floor": 1.28, "bytes_goal": 0.02, "scales": (1, 4), "quick": 1},
    "w_aio": {"goal": 1.05, "goal_floor": 1.17, "bytes_goal": None, "scales": (5000, 20000), "quick": 40},
}

FLOOR = "nothing: no-op C callbacks for each line and call"
PATHLINE = "each line, call, return, yield and exception of all threads and processes, in order, with times, sources, the library's too"
# A call can be of other code than the one before, so each needs an event: what it takes to hear of them is in what any exact recorder takes.
CALLS_HEARD = "nothing: no-op C callbacks for calls, resumes and yields alone, and no line"
# Modes of floor/run.py: what callbacks that do nothing are told of
HEAR_CALLS = "mon:noop:PY_START,PY_RESUME,PY_YIELD"
HEAR_ALL = "mon:noop:LINE,CALLS"
# The same for --timing calls, each call and return with its time
STAMPED_BARE = "mon:ring16:PY_START,PY_RETURN"
# What pip installs. name: the command in front of the script, what it keeps
PEERS = {
    "viztracer": ("env PYTHONPATH={site} {python} -m viztracer --quiet --output_dir {out} --",
                  "calls with times, the newest 1,000,000 entries; no lines"),
    "coverage-ctrace": ("env PYTHONPATH={site} COVERAGE_CORE=ctrace {python} -m coverage run --pylib --data-file={out}",
                        "the set of lines that ran; no order, counts or times"),
    "coverage-sysmon": ("env PYTHONPATH={site} COVERAGE_CORE=sysmon {python} -m coverage run --pylib --data-file={out}",
                        "the set of lines that ran; each place is heard of once"),
    "cProfile": ("{python} -m cProfile -o {out}", "a sum of calls and times a function"),
}


def build_floor(python, directory, compiler=None):
    environment = dict(os.environ, FLOOR_OUT=str(directory), **({"CC": compiler} if compiler else {}))
    subprocess.run(["sh", str(HERE / "floor/build.sh"), str(python)], env=environment, check=True)


class Workloads:
    """bench: struct of bench.py: build, python, minor, site, runs, quick, scratch"""

    def __init__(self, bench):
        self.bench, self.floor = bench, bench.build / "floor"
        self.library = self.floor / f"lib{bench.minor.replace('.', '')}"
        self.environment = dict(os.environ, FLOOR_OUT=str(self.floor), FLOOR_RING=str(bench.scratch / "ring"), FLOOR_RING_MB="1")

    def build_floor(self):
        # in a chroot: built before we went into it
        if shutil.which(os.environ.get("CC", "gcc")) or not (self.library / "instead.so").exists():
            build_floor(self.bench.python, self.floor)

    # ---- one recording ----

    def record(self, row, scale, *options):
        """(the workload's directory of a recording, what `info` says of it)"""
        out = self.bench.scratch / f"{row}-{scale}"
        shutil.rmtree(out, ignore_errors=True)
        words = [str(self.bench.pathline), "record", "-o", str(out), "--limit=0", "--values=none", *options, "--python", self.bench.python,
                 "--", str(SCRIPTS / (row + ".py")), *([] if scale is None else [str(scale)])]
        self.bench.run(words)
        return out, self.bench.info(out)

    def marginal(self, row):
        """Bytes a line more between two scales; with one scale only (a smoke run): None."""
        if self.bench.quick:
            return None
        ends = []
        for scale in ROWS[row]["scales"]:
            out, info = self.record(row, scale, "-q")
            ends.append((self.bench.size(out), info["counts"]["line"]))
            shutil.rmtree(out)
        (small, few), (large, many) = ends
        return (large - small) / (many - few)

    # ---- peers ----

    def commands(self, row):
        """name -> (command, what it keeps), for the peers that are there and work on this Python."""
        script = str(SCRIPTS / "w_fib.py")
        chosen = {}
        for name, (command, keeps) in ({} if self.bench.no_peers else PEERS).items():
            command = command.replace("{site}", str(self.bench.site))
            out = self.bench.scratch / f"peer-{name}"
            words = [w.replace("{python}", self.bench.python).replace("{out}", str(out)) for w in shlex.split(command)]
            done = subprocess.run([*words, script, "5"], env=dict(os.environ, BENCH_OUT=os.devnull),
                                  capture_output=True, text=True, check=False)
            if done.returncode or "Can't use" in done.stderr or "couldn't be" in done.stderr:
                self.bench.say(f"{name} is left out: {(done.stderr.strip() or 'it failed').splitlines()[-1]}")
            else:
                chosen[name] = (command, keeps)
        return chosen

    def bare(self, mode):
        """name=COMMAND's command of floor/run.py; none on 3.11, which has no such events"""
        return None if self.bench.minor == "3.11" else f"{{python}} {FLOOR_RUN} {mode}"

    # ---- a row ----

    def ratios(self, row, tools, *options, times=1):
        """The cells of the row: tools is name -> command."""
        bench, results = self.bench, self.bench.scratch / "ratio.json"
        scale = ROWS[row]["quick"] if bench.quick else None
        runs = bench.runs if bench.quick else bench.runs * times
        bench.run([sys.executable, str(HERE / "pairs.py"), "--python", bench.python, "--runs", str(runs), "--rows", row, *options,
                   *([] if scale is None else ["--scale", f"{row}={scale}"]), "--json", str(results),
                   *(f"{name}={command}" for name, command in tools.items())], environment=self.environment)
        return json.loads(results.read_text())["rows"][row]

    def timing(self):
        """CPU of w_fib, traced / untraced: with --timing calls, and with callbacks that write 16 bytes and the clock for each call and
        return (None: there are none)."""
        tools = {"timing": f"{self.bench.pathline} record -q --limit=0 --values=none --timing calls --python {{python}} -o {{out}} --"}
        bare = self.bare(STAMPED_BARE)
        if bare:
            self.build_floor()
            tools["bare"] = bare
        # A run is short, so there are more of them: medians of seven differed by a quarter.
        cells = self.ratios("w_fib", tools, "--no-floor", times=3)
        return cells["timing"]["cpu"], cells["bare"]["cpu"] if bare else None

    def measure(self, row):
        bench, table = self.bench, ROWS[row]
        scale = table["quick"] if bench.quick else None
        out, info = self.record(row, scale, "-q", "--stat")
        lines = info["counts"]["line"]
        events = info.get("recorded")
        shutil.rmtree(out)
        notes = bench.scratch / "notes"
        notes.unlink(missing_ok=True)
        peers = self.commands(row)
        tools = {"pathline": f"{sys.executable} {HERE / 'watch.py'} {notes} -- {bench.pathline} record -q --limit=0 --values=none "
                             "--python {python} -o {out} --"}
        bare = self.bare(HEAR_CALLS)
        tools.update({"calls-heard": bare} if bare else {})
        tools.update((name, command) for name, (command, _) in peers.items())
        cells = self.ratios(row, tools, "--lines", f"{row}={lines}")
        cells["pathline"].update(self.collector(notes), marginal_bytes_per_line=self.marginal(row),
                                 events_per_line=events / lines if events is not None else None)
        goal = round(1.2 * cells["floor"]["cpu"], 2) if bench.minor == "3.11" else table["goal"]   # there the floor is a trace function
        keeps = {"floor": FLOOR, "pathline": PATHLINE, "calls-heard": CALLS_HEARD} | {name: words for name, (_, words) in peers.items()}
        goal_of_floor = None if bench.minor == "3.11" else round(goal / table["goal_floor"], 2)
        return {"kind": "workload", "goal": goal, "goal_of_floor": goal_of_floor, "bytes_goal": table["bytes_goal"], "lines": lines,
                "cells": cells, "keeps": keeps}

    def collector(self, notes):
        """Its CPU as a share of the program's."""
        rows = [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []
        if not rows:
            self.bench.say("the collector could not be watched (ptrace is refused here): its share is missing")
            return {"collector": None}
        shares = [r["collector_s"] / r["program_s"] for r in rows[1:] or rows]  # the first round warms up
        return {"collector": round(statistics.median(shares), 4)}
