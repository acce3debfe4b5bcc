"""Two runs of a workload at once on one processor, the one traced and the other not, by turns of
the scheduler.

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
import shutil
import statistics
import subprocess

import workload_rows

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


class Turns:
    """bench: as for workload_rows.Workloads; program: what runs the workload, in place of itself"""

    def __init__(self, bench, row, scales=None, program=()):
        self.bench, self.row, self.program, self.work = bench, row, program, workload_rows.Workloads(bench)
        quick = workload_rows.ROWS[row]["quick"]
        self.scales = (quick, quick) if bench.quick else scales or SCALES[row]
        processors = sorted(os.sched_getaffinity(0))
        if len(processors) < 2 or not shutil.which("taskset"):
            raise NotHere("it takes two processors, and taskset")
        self.program_on, self.collector_on = map(str, processors[:2])

    def python(self, *words):
        return ["taskset", "-c", self.program_on, self.bench.python, *map(str, words)]

    def script(self, scale):
        return *self.program, workload_rows.SCRIPTS / (self.row + ".py"), scale

    def untraced(self):
        return self.python(*self.script(self.scales[1]))

    def recorded(self, *options, arguments=(), name="turns"):
        """arguments: of the program, after the scale; name: of the recording, which lies in the
        scratch directory until the next one"""
        return ["taskset", "-c", self.collector_on, str(self.bench.pathline), "record", "-q", "--limit=0", *options,
                "-o", str(self.bench.scratch / name), "--", *self.python(*self.script(self.scales[0]), *arguments)]

    def heard(self, mode):
        """By floor/run.py."""
        return self.python(workload_rows.FLOOR_RUN, mode, *self.script(self.scales[0]))

    def start(self, words, name):
        out = self.bench.scratch / f"turns-{name}.json"
        out.unlink(missing_ok=True)
        environment = dict(self.work.environment, BENCH_OUT=str(out))
        return out, words, subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True)

    def end(self, started):
        """CPU of what the workload, or the program that runs it, says that it measured."""
        out, words, process = started
        printed, said = process.communicate()
        told = out.read_text() if out.exists() else printed
        if process.returncode or not told:
            raise RuntimeError(f"{' '.join(words[:8])} … ended with {process.returncode}: {said.strip()[-600:]}")
        return json.loads(told.splitlines()[-1])["cpu"]

    def once(self, words):
        if "-o" in words:
            shutil.rmtree(words[words.index("-o") + 1], ignore_errors=True)
        both = self.start(words, "traced"), self.start(self.untraced(), "untraced")
        try:
            traced, untraced = map(self.end, both)
        finally:
            for _, _, process in both:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        few, many = (work_of(self.row, scale) for scale in self.scales)
        return traced / few / (untraced / many)

    def ratios(self, *commands):
        """The median of each, all interleaved."""
        rounds = [[self.once(words) for words in commands] for _ in range(self.bench.runs)]
        return [statistics.median(of_one) for of_one in zip(*rounds)]
