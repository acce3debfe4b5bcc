#!/usr/bin/env python3
"""Do the witnesses of every code object of the standard library tell its path?

    witnesses.py --build DIR [--python PY]... [--shard I/N]

From each place where something is recorded there must be at most one sequence of unrecorded LINEs
to every place where the next record, a call, a raise or an exit can be. The witnesses are those
that src/flow chooses (graphdump --witnesses); all else is written anew here: blocks and edges come
from linestarts.Rule, which knows code through `dis`, line starts from the interpreter's own
INSTRUMENTED_LINE, and the answer from walking all ways and keeping the lines with which each place
was met. (It begins at the entry, resumes, handlers and witnesses. A call on the way from there is
recorded too: the rest of a sequence that is the only one is the only one.)

That the answer can be no is seen at the same codes: each that has witnesses, but for those at
handlers, must be found without them. 3.11 is left out: there every line is heard
(src/recorder/tracing.c), so its path has no need of witnesses.
"""
import argparse
import collections
import os
import sys
import warnings

import exact
import linestarts
from linestarts import ALWAYS, ENTRY, HANDLER, NEVER, RESUMES, SILENT

PIECES = 4              # of each interpreter's part: they can run at once
SHOWN = 5


class Paths:
    """The ways through a code on which nothing is recorded."""

    def __init__(self, code, instructions, starts):
        self.line_at = {i.unit: i.line for i in instructions}
        self.blocks, edges = linestarts.Rule(code, instructions, [(unit, self.line_at[unit]) for unit in starts]).graph()
        self.edges = collections.defaultdict(list)
        for block, to, fires in edges:
            self.edges[block].append((to, fires))

    def unit(self, block):
        return self.blocks[block][0]

    def line(self, block):
        return self.line_at[self.unit(block)]

    def is_handler(self, block):
        return self.blocks[block][2] & HANDLER

    def handlers(self):
        """The units of line starts at handlers."""
        return {unit for unit, start, flags in self.blocks if flags & HANDLER and start >= 0}

    def violation(self, witnesses):
        """In words, or None; witnesses: their units."""
        for block, (unit, start, flags) in enumerate(self.blocks):
            begins = [(("to", block), ())] if flags & (ENTRY | RESUMES | HANDLER) or unit in witnesses else []
            if flags & HANDLER and start >= 0 and unit not in witnesses:
                # whether LINE fires there depends on where the exception came from
                begins.append((("to", block), (self.line(block),)))
            if found := self.walk(begins, witnesses):
                (how, where), one, other = found
                to = f"{how} unit {self.unit(where)}" if where is not None else how
                return f"from unit {unit} {to} by lines {shown(one, other)} and by {shown(other, one)}"
        return None

    def walk(self, waiting, witnesses):
        """(place, lines, other lines): the first place that is reached with two sequences of lines;
        None: there is none."""
        met = {}
        while waiting:
            place, lines = waiting.pop()
            if place in met:
                if met[place] != lines:
                    return place, met[place], lines
                continue
            met[place] = lines
            if place[0] == "to":
                waiting += self.ways(place[1], lines, witnesses)
        return None

    def ways(self, block, lines, witnesses):
        """Where a frame that is in a block can be next. Any block is a place to ask about:
        something can be called or raised in each. So is a witness as it fires, and the exit of
        which no event tells, wherever it is."""
        if self.blocks[block][2] & SILENT:
            yield ("to its silent exit", None), lines
        for to, fires in self.edges[block]:
            if fires != ALWAYS:
                yield ("to", to), lines
            if fires != NEVER and self.unit(to) in witnesses:
                yield ("to the witness at", to), lines
            elif fires != NEVER:
                yield ("to", to), (*lines, self.line(to))


def shown(lines, other):
    """From where they part."""
    at = len(os.path.commonprefix([lines, other]))
    return f"({'… ' if at else ''}{' '.join(map(str, lines[at:at + 8]))}{' …' if len(lines) > at + 8 else ''})"


class Sums:
    codes = starts = witnesses = needing = bad = 0

    def add(self, code, dump, line_opcode):
        self.codes += 1
        for what in self.wrong(code, dump, line_opcode):
            self.bad += 1
            if self.bad <= SHOWN:
                print(f"{code.co_filename}:{code.co_firstlineno} {code.co_qualname}: {what}")

    def wrong(self, code, dump, line_opcode):
        if not dump.analysed:
            yield f"not analysed: {dump.why}"
            return
        instructions = linestarts.instructions_of(code)
        starts = linestarts.placed_by_cpython(code, instructions, line_opcode)
        witnesses = {unit for unit, _, witness in dump.starts if witness}
        paths = Paths(code, instructions, starts)
        self.starts += len(starts)
        self.witnesses += len(witnesses)
        if strange := witnesses - set(starts):
            yield f"witnesses at units {sorted(strange)}, where no LINE can fire"
        if what := paths.violation(witnesses):
            yield what
        if witnesses - paths.handlers():
            self.needing += 1
            if not paths.violation(witnesses & paths.handlers()):
                yield "it has witnesses, and is told without them"


def look_at(graphdump, part):
    """By the interpreter itself. Gives the exit code."""
    warnings.simplefilter("ignore")
    sys.monitoring.use_tool_id(linestarts.TOOL, "witnesses")
    line_opcode, sums = linestarts.instrumented_line(), Sums()
    for source in (linestarts.made_up_codes(), linestarts.stdlib_codes(part)):
        for batch in linestarts.batches(source, 2000):
            for code, dump in zip(batch, linestarts.dumps(graphdump, batch, "--witnesses"), strict=True):
                sums.add(code, dump, line_opcode)
    print(f"{sums.codes} codes, {sums.starts} starts, {sums.witnesses} witnesses, {sums.needing} codes need them, {sums.bad} wrong")
    return 1 if sums.bad or not sums.needing else 0


def ask(python, piece, setup, work):
    graphdump = os.path.join(setup.build, "tests/unit/bytecode/graphdump")
    command = [*python.command, os.path.abspath(__file__), "--look", graphdump, "--shard", piece]
    ran = exact.run(command, setup, work)
    text = ran.out.decode(errors="replace").strip()
    if ran.code or not text:
        raise exact.Failure(f"{text[text.rfind(chr(10)) + 1:]}\n{text}\n{ran.err.decode(errors='replace')[-3000:]}")
    return text


def tests_of(python, setup, shard):
    if python.minor == (3, 11):
        print("skip %s: every line is heard there" % python.version)
        return
    i, n = map(int, shard.split("/"))
    for k in range(PIECES):
        piece = f"{i + k * n}/{n * PIECES}"
        yield (python.version, "witnesses", piece), lambda work, piece=piece: ask(python, piece, setup, work)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("--look", metavar="GRAPHDUMP", help="look at the library of the interpreter that runs this, and say what was found")
    if "--look" in sys.argv:
        args = parser.parse_args([*sys.argv[1:], "--build", ""])
        return look_at(args.look, tuple(map(int, args.shard.split("/"))))
    args = parser.parse_args()
    setup, pythons = exact.begin(args)
    setup.timeout = max(setup.timeout, 1800)
    return exact.run_all([test for python in pythons for test in tests_of(python, setup, args.shard)], setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
