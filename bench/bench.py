#!/usr/bin/env python3
"""Measure what recording costs, and print one table: `make bench`.

    bench.py [--build DIR] [--python EXE|VERSION|all] [--runs 7] [--row NAME,NAME]
             [--programs NAME,NAME] [--quick] [--no-peers] [--results DIR]

A version names an interpreter that lies in a chroot (tools/make-chroot): it is measured in there,
without peers. `all` measures each interpreter that is here. Rows are workloads (workload_rows.py),
figures (figures.py) and programs (program_rows.py); `--row list` names them. All of the programs,
or those that --programs names, are the row `programs`; without --row they are left out. What was
measured is added to RESULTS/<python>.json, one file for each version: each row says when, where and
in how many runs it was measured, and replaces the older row of its name. --quick runs each once and
small: a test of the benchmark, not of Pathline.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import default_rows  # noqa: F401  (its rows are among the figures)
import service_rows  # noqa: F401  (so are these)
import figures
import program_rows
import workload_rows

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent


def interpreters():
    """[version, path, root]; root: of the chroot in which it lies, or empty"""
    out = subprocess.run([sys.executable, str(TOP / "tools/interpreters.py")], capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def say(text):
    print(f"pathline: bench: {text}", file=sys.stderr, flush=True)


def install(build, packages, minor):
    if subprocess.run([str(TOP / "tools/python-packages"), str(build), packages, minor], check=False).returncode:
        say("not all packages could be installed; what needs them is left out")


class Bench:
    """What all rows share."""

    def __init__(self, args):
        self.build = pathlib.Path(args.build).resolve()
        self.pathline = self.build / "pathline"
        self.python = args.python or self.newest()
        self.version = self.ask("'%d.%d.%d' % __import__('sys').version_info[:3]")
        self.minor = self.version.rpartition(".")[0]
        self.site = self.build / "bench" / self.minor
        self.quick, self.no_peers = args.quick, args.no_peers
        self.runs = 1 if args.quick else args.runs
        self.left_out = {}  # row: why
        self.load = round(os.getloadavg()[0], 1)    # before we add to it
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="pathline-bench-"))

    def newest(self):
        plain = [path for _, path, root in interpreters() if not root]
        if not plain:
            raise SystemExit("pathline: no Python here to record; name one by PYTHON=")
        return plain[-1]

    def install(self, names):
        """What pip installs: the peers, and what the figures import; what programs are made of."""
        if any(name not in program_rows.ROWS for name in names):
            install(self.build, "bench", self.minor)
        if any(name in program_rows.ROWS for name in names):
            install(self.build, program_rows.GROUP, self.minor)

    def ask(self, expression):
        return subprocess.run([self.python, "-S", "-c", f"print({expression})"], capture_output=True, text=True, check=True).stdout.strip()

    def say(self, text):
        say(text)

    def run(self, words, environment=None):
        """Its output; what fails ends the row."""
        done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, words[:8]))} … ended with {done.returncode}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def info(self, recording):
        return json.loads(self.run([str(self.pathline), "info", "--json", str(recording)]))["data"]

    def size(self, recording):
        return sum(p.stat().st_size for p in pathlib.Path(recording).iterdir())

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)


# ---- the table ----

def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def rounded(value):
    """Three digits that count: 0.00312, 1.52, 126."""
    return "-" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def print_columns(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(word.ljust(width) if not i else word.rjust(width) for i, (word, width) in enumerate(zip(row, widths))).rstrip())


def print_workloads(rows):
    names = list(dict.fromkeys(name for row in rows.values() for name in row["cells"]))
    table = [["workload", "to reach", *names]]
    for row_name, row in rows.items():
        cells = [row["cells"].get(name) for name in names]
        table.append([row_name, number(row["goal"]), *(number(c["cpu"]) if c else "-" for c in cells)])
        sizes = [rounded(c.get("bytes_per_line")) + " B" if c and c.get("bytes_per_line") is not None else "" for c in cells]
        table.append(["  bytes a line", "", *sizes])
    print("\nCPU inside main(), traced / untraced; below it what is kept on disk for each executed line")
    print_columns(table)
    print("\nwhat each keeps")
    for name in names:
        words = next(row["keeps"][name] for row in rows.values() if name in row["keeps"])
        print(f"  {name:<16}{words}")
    table = [["pathline", "cpu", "of the floor", "to reach", "wall", "collector", "bytes/line more", "to reach", "events/line", "lines"]]
    for row_name, row in rows.items():
        cell = row["cells"]["pathline"]
        share = cell.get("collector")
        of_floor = cell["cpu"] / row["cells"]["floor"]["cpu"]
        table.append([row_name, number(cell["cpu"]), number(of_floor), number(row["goal_of_floor"]), number(cell["wall"]),
                      "-" if share is None else f"{share:.1%}", rounded(cell.get("marginal_bytes_per_line")), rounded(row["bytes_goal"]),
                      number(cell.get("events_per_line")), f"{row['lines']:,}"])
    print("\nPathline; of the floor: its CPU by the floor's, to reach: by the floor of the machine for which that was set; collector: its CPU by the\n"
          "program's; bytes/line more: between two scales")
    print_columns(table)


def print_figures(rows):
    table = [["figure", "measured", "to reach", "what it is"]]
    for name, row in rows.items():
        table.append([name, rounded(row["value"]), row["to_reach"], ""])
    print("\nother figures")
    widths = [max(len(row[i]) for row in table) for i in range(3)]
    for row, words in zip(table, ["what it is", *(r["what"] + (f" ({r['note']})" if r.get("note") else "") for r in rows.values())]):
        print(f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {words}")


def percent(share):
    return "-" if share is None else f"{share:.1%}"


def print_programs(rows):
    table = [["program", "recorded", "floor", "of the floor", "first pass", "floor", "of the floor", "collector", "passes"]]
    for name, row in rows.items():
        cells = [(row[when]["recorded"], row[when]["floor"], row[when]["recorded"] / row[when]["floor"]) for when in ("steady", "first")]
        table.append([name[2:], *(number(value) for of_one in cells for value in of_one), percent(row["collector"]), str(row["passes"])])
    turns = sorted({row["rounds"] for row in rows.values()})
    print(f"\nprograms: CPU time by unrecorded, all at once on one processor, median of turns ({' or '.join(map(str, turns))}): of a pass in the steady\n"
          "state, then of the process to the end of its first pass; collector: its CPU by the program's")
    print_columns(table)


def print_summary(results, left_out):
    """What the programs come to, on each interpreter for which there are results."""
    said = {version: program_rows.summary(rows) for version, rows in results.items()}
    said = {version: summary for version, summary in said.items() if summary}
    table = [["python", "programs", "to reach", "recorded", "floor", "worst", "first pass", "floor", "worst", "collector"]]
    for version, summary in said.items():
        cells = [word for when in ("steady", "first") for word in (number(summary[when]["recorded"]), number(summary[when]["floor"]),
                                                                   f"{number(summary[when]['worst'][1])} {summary[when]['worst'][0]}")]
        table.append([version, str(summary["programs"]), number(program_rows.to_reach(version)), *cells, percent(summary["collector"])])
    print("\nby interpreter: geometric means; collector: the mean")
    print_columns(table)
    print("\nabove the floor, by how much")
    for version, summary in said.items():
        for when, words in (("steady", ""), ("first", ", first pass")):
            above = ", ".join(f"{name} {times:.2f}" for name, times in summary[when]["above"])
            print(f"  {version}{words}: {above or 'none'}")
    if left_out:
        print("\nleft out: " + "; ".join(f"{name.removeprefix('p_')}: {why}" for name, why in left_out.items()))


def print_table(whole):
    pairs = "" if all(row["kind"] == "program" for row in whole["rows"].values()) else f", median of {whole['runs']} interleaved pairs"
    print(f"CPython {whole['python']}, {whole['machine']}{pairs}")
    if whole["load"] > os.cpu_count() / 2:
        print(f"other work went on (load {whole['load']} at the start): CPU ratios are of pairs, and hold roughly; wall and rates do not")
    for kind, show in (("workload", print_workloads), ("figure", print_figures), ("program", print_programs)):
        rows = {name: row for name, row in whole["rows"].items() if row["kind"] == kind}
        if rows:
            show(rows)


# ---- results ----

def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")),
                 platform.machine())
    return f"{model}, {os.cpu_count()} cores"


def write_results(directory, whole):
    """Rows that were not measured now stay. A row says by itself how it was measured."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{whole['python']}.json"
    how = {"date": datetime.date.today().isoformat(), **{word: whole[word] for word in ("machine", "runs", "load")}}
    if whole["quick"]:
        how["quick"] = True
    rows = json.loads(path.read_text())["rows"] if path.exists() else {}
    rows |= {name: row | {"measured": how} for name, row in whole["rows"].items()}
    path.write_text(json.dumps({"python": whole["python"], "rows": rows}, indent=1) + "\n")
    return path


def all_rows():
    return [*workload_rows.ROWS, *figures.FIGURES, program_rows.GROUP, *program_rows.ROWS]


def choose(word, programs):
    """The rows of that name, or those names with commas."""
    if not word and not programs:
        return [*workload_rows.ROWS, *figures.FIGURES]
    chosen = []
    for name in (word or program_rows.GROUP).split(","):
        if name not in all_rows():
            raise SystemExit(f"pathline: no row {name}; there are: {' '.join(all_rows())}")
        chosen += program_rows.chosen(programs) if name == program_rows.GROUP else [name]
    return chosen


def measure_row(bench, work, name):
    if name in workload_rows.ROWS:
        return work.measure(name)
    if name in figures.FIGURES:
        return figures.measure(bench, name)
    return program_rows.Programs(bench).measure(name)


def measure(bench, names, results):
    """Each row is written when it is there: who breaks off keeps what was measured."""
    rows = {}
    work = workload_rows.Workloads(bench)
    if any(name not in figures.FIGURES for name in names):
        work.build_floor()
    for name in names:
        bench.say(f"{name} …")
        try:
            rows[name] = measure_row(bench, work, name)
        except figures.LeftOut as reason:
            bench.left_out[name] = str(reason)
            bench.say(f"{name} is left out: {reason}")
        except RuntimeError as error:
            bench.say(f"{name} FAILED: {error}")
            rows[name] = None
        path = write_results(results, whole_of(bench, rows))
    bench.say(f"written to {path}")
    return rows


def read_results(directory):
    """{version: its rows}, in order"""
    paths = sorted(directory.glob("*.json"), key=lambda path: [int(number) for number in path.stem.split(".")])
    return {path.stem: json.loads(path.read_text())["rows"] for path in paths}


# ---- in a chroot ----

def in_chroot(word):
    """(version, path, root) of the interpreter of that version; None: there is none, or it is not
    in a chroot."""
    return next(((version, path, root) for version, path, root in interpreters() if root and word and f"{version}.".startswith(f"{word}.")), None)


def run_in_chroot(args, names, version, path, root):
    """The floor is built from out here: in there is no compiler, and no pip. Does not come back."""
    if not args.no_peers and any(name in program_rows.ROWS for name in names):
        install(pathlib.Path(args.build).resolve(), program_rows.GROUP, version.rpartition(".")[0])
    floor = pathlib.Path(args.build).resolve() / "floor"
    floor.mkdir(exist_ok=True)
    outside = floor / "python"
    outside.write_text(f"#!/bin/sh\n'{TOP}/tools/in-chroot' '{root}' '{path}' \"$@\" | sed 's|^/|{root}/|'\n")
    outside.chmod(0o755)
    workload_rows.build_floor(outside, floor, f"{os.environ.get('CC', 'gcc')} -idirafter {root}/usr/include")
    words = ["--build", args.build, "--python", path, "--runs", str(args.runs), "--row", ",".join(names), "--results", args.results,
             "--no-peers", *(["--quick"] if args.quick else [])]
    os.chdir(TOP)
    os.execv(TOP / "tools/in-chroot", ["in-chroot", root, path, "bench/bench.py", *words])


def run_on_all(args, names):
    """One after the other."""
    words = ["--build", args.build, "--runs", str(args.runs), "--row", ",".join(names), "--results", args.results,
             *(["--quick"] if args.quick else []), *(["--no-peers"] if args.no_peers else [])]
    failed = 0
    for version, path, root in interpreters():
        say(f"Python {version} …")
        failed |= subprocess.run([sys.executable, __file__, *words, "--python", version if root else path], check=False).returncode
    return failed


def whole_of(bench, rows):
    good = {name: row for name, row in rows.items() if row}
    return {"python": bench.version, "machine": machine(), "runs": bench.runs, "quick": bench.quick, "load": bench.load, "rows": good}


def main():
    parser = argparse.ArgumentParser(description="Measure what recording costs.")
    parser.add_argument("--build", default=str(TOP / "build"))
    parser.add_argument("--python", default="")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--row", default="")
    parser.add_argument("--programs", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-peers", action="store_true", help="install nothing; the rows that need packages are left out or without peers")
    parser.add_argument("--results", default=str(HERE / "results"))
    args = parser.parse_args()
    if args.row == "list":
        print("\n".join(all_rows()))
        return 0
    names = choose(args.row, args.programs)
    if args.python == "all":
        return run_on_all(args, names)
    found = in_chroot(args.python)
    if found:
        run_in_chroot(args, names, *found)
    bench = Bench(args)
    if not args.no_peers:
        bench.install(names)
    try:
        rows = measure(bench, names, pathlib.Path(args.results))
    finally:
        bench.close()
    print_table(whole_of(bench, rows))
    if any(name in program_rows.ROWS for name in names):
        print_summary(read_results(pathlib.Path(args.results)), bench.left_out)
    return 0 if all(rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
