"""The rows of the default: what values of one's own code's calls cost, beside --values none.

A program is recorded both ways at once on one processor. What counts is the CPU time of a child of
child_cpu.py, so the start of `record` is not in it.
"""
import glob
import os
import pathlib
import statistics
import sys

import turns
from figures import LeftOut, figure

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
sys.path.insert(0, str(TOP / "tests/exact"))
import suites  # noqa: E402

WAYS = {"default": "--values=calls", "none": "--values=none"}


class Program(turns.AtOnce):
    """directory: where it is started, so that what is below is the user's own code"""

    def __init__(self, bench, directory, words, **environment):
        try:
            super().__init__(bench, **environment)
        except turns.NotHere as reason:
            raise LeftOut(reason) from reason
        self.directory, self.words = directory, words

    def once(self, way):
        return self.record((str(HERE / "child_cpu.py"), *self.words), WAYS[way], name=way)

    def bytes_of(self, way):
        return self.bench.size(self.bench.scratch / way)

    def default_by_none(self):
        ratios = []
        for _ in range(self.bench.runs):
            said = self.at_once({way: self.once(way) for way in WAYS})
            ratios.append(said["default"]["cpu"] / said["none"]["cpu"])
        sizes = ", ".join(f"{self.bytes_of(way) / 1024:,.0f} KiB {name}" for way, name in (("default", "with values"), ("none", "without")))
        kept = self.bench.info(self.bench.scratch / "default")["value_events"]
        return statistics.median(ratios), f"{kept:,} events with values; {sizes}; medians of {self.bench.runs}"


@figure("default_orders", "1.25", "CPU time of examples/orders.py, recorded as `record` does by default / with --values none")
def default_orders(bench):
    return Program(bench, str(TOP), [bench.python, "examples/orders.py"]).default_by_none()


def of_suite(bench, name):
    site = bench.build / "suites" / bench.minor
    found = glob.glob(str(bench.build / "suites/source" / f"{name}-*"))
    if not found or not site.is_dir():
        raise LeftOut("tools/python-suites has not put its tests there")
    where, _ = suites.SUITES[name]
    program = Program(bench, os.path.join(found[0], where), [bench.python, *suites.PYTEST, "tests"],
                      PYTHONPATH=f"{found[0]}/src:{site}", PYTHONDONTWRITEBYTECODE="1")
    return program.default_by_none()


@figure("default_click", "1.25", "CPU time of click's own tests, recorded as `record` does by default / with --values none")
def default_click(bench):
    return of_suite(bench, "click")
