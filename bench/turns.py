"""Two runs of a workload at once on one processor, the one traced and the other not, by turns of the scheduler.

A virtual machine can be half as fast a moment later. Of two runs one behind the other that is in the ratio, of two that take turns it is not:
each has its part of every moment. So the ratios of single runs differ by hundredths, where those of pairs differ by tenths.

	processor A     traced │ untraced │ traced │ untraced │ …          CPU of main(), for each unit of work
	processor B     the collector

The untraced one is given more to do, for both to end at about the same time: by itself each would be quicker. They share the caches, which costs
both alike. What the program waits for is not seen so: for wall time there are the pairs (workloads.py).
"""
import json
import os
import statistics
import subprocess

import workloads

GOLDEN = (1 + 5 ** .5) / 2
# row: the scales of the traced and the untraced run
SCALES = {"w_loops": (1200, 1400), "w_fib": (30, 31), "w_oo": (6, 8), "w_lib": (6, 7), "w_aio": (20000, 22000)}
TIMED = (30, 32)    # of w_fib, with --timing calls


class NotHere(Exception):
    """It takes two processors, and taskset."""


def work_of(row, scale):
    """In units that grow as the work does."""
    return GOLDEN ** scale if row == "w_fib" else scale


class Turns:
    """bench: as for workloads.Workloads"""

    def __init__(self, bench, row, scales=None):
        self.bench, self.row, self.work = bench, row, workloads.Workloads(bench)
        quick = workloads.ROWS[row]["quick"]
        self.scales = (quick, quick) if bench.quick else scales or SCALES[row]
        processors = sorted(os.sched_getaffinity(0))
        if len(processors) < 2:
            raise NotHere("it takes two processors")
        self.program_on, self.collector_on = map(str, processors[:2])

    def script(self, scale):
        return [str(workloads.SHARED / (self.row + ".py")), str(scale)]

    def untraced(self):
        return ["taskset", "-c", self.program_on, self.bench.python, *self.script(self.scales[1])]

    def recorded(self, *options):
        return ["taskset", "-c", self.collector_on, str(self.bench.pathline), "record", "-q", "--limit=0", *options,
                "-o", str(self.bench.scratch / "turns"), "--", "taskset", "-c", self.program_on, self.bench.python, *self.script(self.scales[0])]

    def heard(self, mode):
        """By a tool of ../shared/bench/null."""
        return ["taskset", "-c", self.program_on, self.bench.python, str(workloads.SHARED / "null/null_run.py"), mode, *self.script(self.scales[0])]

    def start(self, words, name):
        out = self.bench.scratch / f"turns-{name}.json"
        out.unlink(missing_ok=True)
        environment = dict(self.work.environment, BENCH_OUT=str(out))
        return out, words, subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, text=True)

    def end(self, started):
        out, words, process = started
        said = process.communicate()[1]
        if process.returncode or not out.exists():
            raise RuntimeError(f"{' '.join(words[:8])} … ended with {process.returncode}: {said.strip()[-600:]}")
        return json.loads(out.read_text())["cpu"]

    def once(self, words):
        self.bench.forget("turns")
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

    def ratios(self, commands):
        """The median of each, all interleaved."""
        rounds = [[self.once(words) for words in commands] for _ in range(self.bench.runs)]
        return [statistics.median(of_one) for of_one in zip(*rounds)]
