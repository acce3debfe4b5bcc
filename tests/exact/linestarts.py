#!/usr/bin/env python3
"""Compare src/bytecode with the interpreter that runs this, over every code object of its standard
library.

    python3.13 tests/exact/linestarts.py --graphdump build/tests/unit/bytecode/graphdump [--graph] [--walks N] [--limit N] [--save FILE]

Line starts are compared with CPython's own placement of INSTRUMENTED_LINE; 3.11 has none, so there
with a second writing of the rule too. With --graph, blocks and edges are compared with a second
writing of the rule, below, which knows code only through `dis`. With --walks, each code is run N
times by chance, and its lines are told from those at its witnesses (tests/lib/walks.h). Exit code 1
when anything differs.
"""
import argparse
import dis
import inspect
import opcode
import os
import struct
import subprocess
import sys
import types
import warnings

VERSION = sys.version_info[:2]
TOOL = 3
EARLY = 4  # since 3.15 the RESUME that opens a generator expression, before there is a generator
NEVER, ALWAYS, MAYBE = range(3)
ENTRY, RESUMES, HANDLER, RETURNS, YIELDS, RAISES, BEFORE, SILENT, ITERATES, SWALLOWS = (1 << bit for bit in range(10))
ENDS = {"RETURN_VALUE": RETURNS, "RETURN_CONST": RETURNS, "YIELD_VALUE": YIELDS, "RERAISE": RAISES, "RAISE_VARARGS": RAISES}


def instrumented_line():
    if VERSION == (3, 11):
        return None
    try:
        return opcode.opmap["INSTRUMENTED_LINE"]
    except KeyError:
        import _opcode_metadata

        return _opcode_metadata.opmap["INSTRUMENTED_LINE"]


def codes_in(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_in(constant)


def stdlib_codes(part=(1, 1)):
    """Of the I-th of N parts: of every N-th file."""
    library = os.path.dirname(os.__file__)
    number = 0
    for folder, folders, files in os.walk(library):
        folders[:] = sorted(f for f in folders if f not in ("site-packages", "dist-packages", "__pycache__"))
        for name in sorted(f for f in files if f.endswith(".py")):
            path = os.path.join(folder, name)
            number += 1
            if number % part[1] != part[0] % part[1]:
                continue
            try:
                with open(path, "rb") as file:
                    yield from codes_in(compile(file.read(), path, "exec", dont_inherit=True))
            except (SyntaxError, ValueError):
                pass  # the library has files that are wrong on purpose


def made_up_codes():
    """What the library has little of: long jumps, far lines, no lines, lines that go back."""
    body = "\n".join(f"        a{i} = a{i} if x else {i}" for i in range(400))
    yield from codes_in(compile(f"def f(x):\n    while x:\n{body}\n        if a: continue\n    return x", "<long>", "exec"))
    far = compile("def f(x):\n" + "\n" * 70000 + "    for y in x:\n" + "\n" * 300 + "        g(y)\n    return x", "<far>", "exec")
    yield from codes_in(far)
    for code in codes_in(far):
        yield code.replace(co_linetable=b"")
        yield code.replace(co_firstlineno=code.co_firstlineno + 40000)
        yield code.replace(co_linetable=bytes(0xf8 | 7 for _ in code.co_code))


def frame_of(code):
    parts = code.co_code, code.co_linetable, code.co_exceptiontable
    head = struct.pack("<HiI", VERSION[0] << 8 | VERSION[1], code.co_firstlineno, code.co_flags)
    return head + b"".join(struct.pack("<I", len(part)) + part for part in parts)


class Dump:
    """What graphdump said of one code."""

    def __init__(self, words):
        self.analysed = words[1] == "1"
        self.why = " ".join(words[3:])
        self.starts, self.blocks, self.edges, self.lines = [], [], [], []

    def add(self, words):
        numbers = tuple(map(int, words[1:]))
        if words[0] == "E":
            self.edges.append((len(self.blocks) - 1, *numbers))
        else:
            {"L": self.lines, "S": self.starts, "B": self.blocks}[words[0]].append(numbers)


def dumps(graphdump, codes, *options):
    """graphdump's answers for a batch of codes."""
    sent = b"".join(map(frame_of, codes))
    text = subprocess.run([graphdump, *options], input=sent, stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in text.splitlines():
        words = line.split()
        if words[0] == "C":
            if "dump" in locals():
                yield dump
            dump = Dump(words)
        else:
            dump.add(words)
    yield dump


def instructions_of(code):
    result = []
    for i in dis.get_instructions(code):
        line = i.positions.lineno
        i = types.SimpleNamespace(
            unit=i.offset // 2,
            name=i.opname,
            arg=i.arg,
            line=-1 if line is None else line,
            jump=i.argval // 2 if i.opcode in dis.hasjrel and i.opname != "END_ASYNC_FOR" else None,
        )
        result.append(i)
    for i, following in zip(result, result[1:]):
        i.next = following.unit
    if result:
        result[-1].next = len(code.co_code) // 2
    return result


def told_in_3_11(code, instructions):
    """Where 3.11's trace function can hear of a line: it changes, or a jump or a handler leads
    there."""
    asked = {i.jump for i in instructions if i.jump is not None} | {row.target // 2 for row in dis._parse_exception_table(code)}
    sends = {i.unit for i in instructions if i.name == "SEND"}
    handlers = {row.target // 2 for row in dis._parse_exception_table(code)}
    before = None
    for i in instructions:
        if i.name == "RESUME":
            before = i.line if before is not None else -1
        elif before is not None:
            if i.line >= 0 and (i.line != before or i.unit in handlers or i.unit in asked - sends):
                yield i.unit
            before = i.line


def placed_by_cpython(code, instructions, line_opcode):
    if VERSION == (3, 11):
        return list(told_in_3_11(code, instructions))
    sys.monitoring.set_local_events(TOOL, code, sys.monitoring.events.LINE)
    adaptive = code._co_code_adaptive
    found = [i.unit for i in instructions if adaptive[2 * i.unit] == line_opcode]
    sys.monitoring.set_local_events(TOOL, code, 0)
    return found


class Rule:
    """Blocks and edges of a code whose starts are known, written for clearness."""

    def __init__(self, code, instructions, starts):
        self.at = {i.unit: i for i in instructions}
        self.code = code
        self.starts = dict(starts)
        self.entry = next(i.unit for i in instructions if i.name == "RESUME" and i.arg != EARLY)
        self.handlers = {row.target // 2 for row in dis._parse_exception_table(code)}
        self.live = [i for i in instructions if i.unit >= self.entry]
        self.suspends = any(self.is_yield(i) for i in self.live)
        self.asked = {self.asked_by(i) for i in self.live if i.jump is not None}
        leaders = self.leaders()
        self.blocks, self.last = [], []
        for i in self.live:
            if i.unit in leaders:
                self.blocks.append(i.unit)
                self.last.append(i)
            self.last[-1] = i

    @staticmethod
    def asked_by(i):
        return i.jump + (i.name in ("FOR_ITER", "SEND") and VERSION > (3, 11))

    def leaders(self):
        found = {self.entry} | set(self.starts) | self.handlers
        for i in self.live:
            if i.name == "RESUME":
                found.add(i.unit)
            if i.jump is not None or i.name in ENDS:
                found.add(i.next)
                found.update(self.ways(i))
        return found

    def ways(self, i):
        """Units to which an instruction can lead."""
        if i.name in ENDS:
            return []
        if i.name.startswith("JUMP_") and not i.name.endswith("_OR_POP"):
            return [i.jump]
        units = [i.next] + ([i.jump] if i.jump is not None else [])
        if i.name == "FOR_ITER" and VERSION > (3, 11):
            units += [i.jump + 1] + ([i.jump + 2] if VERSION == (3, 13) else [])
        return list(dict.fromkeys(unit for unit in units if unit in self.at))

    def fires(self, i, unit):
        if unit not in self.starts:
            return NEVER
        if VERSION == (3, 11):
            back = i.unit > unit and self.at[unit].name != "SEND"
            return ALWAYS if i.unit == self.entry or i.line != self.starts[unit] or back else NEVER
        if i.name == "RESUME" or i.line != self.starts[unit]:
            return ALWAYS
        if VERSION == (3, 12) and i.name in ("CALL", "LOAD_ATTR", "BINARY_SUBSCR", "FOR_ITER", "SEND"):
            return MAYBE
        if VERSION == (3, 13) and unit not in self.asked:
            delta = self.starts[unit] - self.code.co_firstlineno - unit // 16
            return NEVER if -126 < delta <= 127 else MAYBE
        return NEVER

    def is_yield(self, i):
        """Of a generator: its own, or of what it hands on."""
        return self.code.co_flags & inspect.CO_GENERATOR and i.name == "YIELD_VALUE"

    def leaves_silently(self, i):
        """Of a generator that yields, its yields need no event; else the returns."""
        leaves = self.is_yield(i) if self.suspends else ENDS.get(i.name) == RETURNS
        return leaves and i.line > 0 and VERSION > (3, 11)

    def flags(self, unit, last):
        return (
            (ENTRY if unit == self.entry else RESUMES if self.at[unit].name == "RESUME" else 0)
            | (HANDLER if unit in self.handlers else 0)
            | ENDS.get(last.name, 0)
            | (SILENT if self.leaves_silently(last) else 0)
            | (ITERATES if last.name == "FOR_ITER" and VERSION > (3, 11) else 0)
            | (SWALLOWS if last.name in ("FOR_ITER", "SEND") and VERSION > (3, 11) else 0)
        )

    def graph(self):
        before = 1 if self.entry else 0
        number = {unit: k + before for k, unit in enumerate(self.blocks)}
        order = {unit: k for k, unit in enumerate(sorted(self.starts))}
        blocks = [(0, -1, BEFORE)] * before
        edges = []
        for unit, last in zip(self.blocks, self.last):
            blocks.append((unit, order.get(unit, -1), self.flags(unit, last)))
            edges += [(number[unit], number[way], self.fires(last, way)) for way in self.ways(last)]
        return blocks, edges


def lines_of(instructions):
    rows = []
    for i in instructions:
        line = max(i.line, 0)
        if not rows or rows[-1][1] != line:
            rows.append((i.unit, line))
    return rows


def compare(code, dump, line_opcode, graph):
    """What differs, in words."""
    instructions = instructions_of(code)
    line_at = {i.unit: i.line for i in instructions}
    wanted = [(unit, line_at[unit], 0) for unit in placed_by_cpython(code, instructions, line_opcode)]
    if wanted != dump.starts:
        yield f"starts: {sorted(set(wanted) ^ set(dump.starts))[:6]}"
    if not dump.analysed:
        yield f"not analysed: {dump.why}"
    if lines_of(instructions) != merged(dump.lines):
        yield f"lines: {sorted(set(lines_of(instructions)) ^ set(dump.lines))[:6]}"
    if not graph or not dump.analysed:
        return
    blocks, edges = Rule(code, instructions, [(unit, line) for unit, line, _ in dump.starts]).graph()
    if blocks != dump.blocks:
        yield f"blocks: {sorted(set(blocks) ^ set(dump.blocks))[:6]}"
    if sorted(edges) != sorted(dump.edges):
        yield f"edges: {sorted(set(edges) ^ set(dump.edges))[:6]}"


def merged(lines):
    """Rows of which each has another line than the one before."""
    return [row for k, row in enumerate(lines) if not k or lines[k - 1][1] != row[1]]


def batches(codes, size):
    batch = []
    for code in codes:
        batch.append(code)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphdump", required=True)
    parser.add_argument("--graph", action="store_true", help="compare blocks and edges too")
    parser.add_argument("--walks", type=int, default=0, metavar="N", help="tell the lines of N made-up runs of each code")
    parser.add_argument("--limit", type=int, default=sys.maxsize, help="code objects of the library to look at")
    parser.add_argument("--save", help="write what is sent to graphdump into this file")
    return parser.parse_args()


def walked(graphdump, codes, walks):
    """Are the lines of all made-up runs told as they ran?"""
    sent = b"".join(map(frame_of, codes))
    done = subprocess.run([graphdump, "--walks", str(walks)], input=sent, stdout=subprocess.PIPE, text=False)
    if done.returncode:
        print(done.stdout.decode(), end="")
    return done.returncode == 0


def some(codes, limit):
    for _, code in zip(range(limit), codes):
        yield code


def main():
    options = arguments()
    warnings.simplefilter("ignore")
    if VERSION > (3, 11):
        sys.monitoring.use_tool_id(TOOL, "linestarts")
    line_opcode = instrumented_line()
    count = starts = edges = bad = 0
    saved = open(options.save, "wb") if options.save else None
    for source in (made_up_codes(), some(stdlib_codes(), options.limit)):
        for batch in batches(source, 2000):
            if saved:
                saved.write(b"".join(map(frame_of, batch)))
            if options.walks and not walked(options.graphdump, batch, options.walks):
                bad += 1
            for code, dump in zip(batch, dumps(options.graphdump, batch), strict=True):
                count += 1
                starts += len(dump.starts)
                edges += len(dump.edges)
                for what in compare(code, dump, line_opcode, options.graph):
                    bad += 1
                    if bad <= 10:
                        print(f"{code.co_filename}:{code.co_firstlineno} {code.co_qualname}: {what}")
    name = "%d.%d.%d" % sys.version_info[:3]
    print(f"{name}: {count} code objects, {starts} starts, {edges} edges, {bad} differences")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
