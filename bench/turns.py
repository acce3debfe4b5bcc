"""Two runs of a workload at once on one processor, the one traced and the other not, by turns of
the scheduler; or more of them (program_rows.py).

A virtual machine can be half as fast a moment later. Of two runs one after the other that is in
the ratio, of two that take turns it is not: each has its part of every moment. So the ratios of
single runs differ by hundredths, where those of pairs differ by tenths.

	processor A     traced │ untraced │ traced │ untraced │ …          CPU of main(), for each unit of work
	processor B     the collector

The untraced one is given more to do, for both to end at about the same time: by itself each would
be quicker. They share the caches, which costs both the same. Runs are longer than those of pairs,
so that there are many turns; the cost of a code's first run is a smaller part of them. Time that
the program waits is not counted here: the pairs (workload_rows.py) measure wall time.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

import workload_rows

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = (1 + 5 ** .5) / 2
# row: the scales of the traced and the untraced run
SCALES = {"w_loops": (1200, 1400), "w_fib": (30, 31), "w_oo": (6, 8), "w_lib": (6, 7), "w_aio": (20000, 22000)}
TIMED = (30, 32)    # of w_fib, with --timing calls
ONCE = (1, 1)       # of w_oo, as its pairs have it


class NotHere(Exception):
    """Turns cannot be taken on this machine; the text says why."""


def work_of(row, scale):
    """In units that grow as the work does."""
    return GOLDEN ** scale if row == "w_fib" else scale


class AtOnce:
    """Commands that run at once on one processor, and their collectors on another. bench: as for
    workload_rows.Workloads; environment: what they get beside that of workloads"""

    directory = None    # where they are started

    def __init__(self, bench, **environment):
        self.bench, self.work = bench, workload_rows.Workloads(bench)
        self.environment = self.work.environment | environment
        processors = sorted(os.sched_getaffinity(0))
        if len(processors) < 2 or not shutil.which("taskset"):
            raise NotHere("it takes two processors, and taskset")
        self.program_on, self.collector_on = map(str, processors[:2])

    def python(self, *words):
        return ["taskset", "-c", self.program_on, self.bench.python, *map(str, words)]

    def record(self, words, *options, name="turns", notes=None):
        """name: of the recording, which lies in the scratch directory until the next one; notes:
        the file for what watch.py says of the collector"""
        watch = [sys.executable, str(HERE / "watch.py"), str(notes), "--"] if notes else []
        return ["taskset", "-c", self.collector_on, *watch, str(self.bench.pathline), "record", "-q", "--limit=0", "--values=none",
                *options, "-o", str(self.bench.scratch / name), "--", *self.python(*words)]

    def hear(self, mode, words):
        """By floor/run.py."""
        return self.python(workload_rows.FLOOR_RUN, mode, *words)

    def start(self, words, name):
        out = self.bench.scratch / f"turns-{name}.json"
        out.unlink(missing_ok=True)
        environment = dict(self.environment, BENCH_OUT=str(out))
        return out, words, subprocess.Popen(words, env=environment, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True)

    def end(self, started):
        """What the workload, or the program that runs it, says that it measured."""
        out, words, process = started
        printed, said = process.communicate()
        told = out.read_text() if out.exists() else printed
        if process.returncode or not told:
            raise RuntimeError(f"{' '.join(words[:8])} … ended with {process.returncode}: {said.strip()[-600:]}")
        return json.loads(told.splitlines()[-1])

    def at_once(self, commands):
        """name: what it said, of name: command"""
        for words in commands.values():
            if "-o" in words:
                shutil.rmtree(words[words.index("-o") + 1], ignore_errors=True)
        started = {name: self.start(words, name) for name, words in commands.items()}
        try:
            return {name: self.end(one) for name, one in started.items()}
        finally:
            for _, _, process in started.values():
                if process.poll() is None:
                    process.kill()
                    process.wait()


class Turns(AtOnce):
    """Of a workload; program: what runs it, in place of itself."""

    def __init__(self, bench, row, scales=None, program=()):
        super().__init__(bench)
        self.row, self.program = row, program
        quick = workload_rows.ROWS[row]["quick"]
        self.scales = (quick, quick) if bench.quick else scales or SCALES[row]

    def script(self, scale):
        return *self.program, workload_rows.SCRIPTS / (self.row + ".py"), scale

    def untraced(self):
        return self.python(*self.script(self.scales[1]))

    def recorded(self, *options, arguments=(), name="turns"):
        """arguments: of the program, after the scale"""
        return self.record([*self.script(self.scales[0]), *arguments], *options, name=name)

    def heard(self, mode):
        return self.hear(mode, self.script(self.scales[0]))

    def once(self, words):
        cpu = {name: said["cpu"] for name, said in self.at_once({"traced": words, "untraced": self.untraced()}).items()}
        few, many = (work_of(self.row, scale) for scale in self.scales)
        return cpu["traced"] / few / (cpu["untraced"] / many)

    def ratios(self, *commands):
        """The median of each, all interleaved."""
        rounds = [[self.once(words) for words in commands] for _ in range(self.bench.runs)]
        return [statistics.median(of_one) for of_one in zip(*rounds)]
