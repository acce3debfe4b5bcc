#!/usr/bin/env python3
"""Write the results of the benchmark where readers see them.

    draw.py [--check]              bench/results/*.json -> results/overhead.svg, README.md, doc/PERFORMANCE.md
    draw.py --svg FILE RESULT.json the picture of one result

The README gets the table of programs between `<!-- bench/draw.py -->` and `<!-- end of it -->`;
doc/PERFORMANCE.md gets all of them, each between `<!-- bench/draw.py: NAME -->` and `<!-- end of it
-->`. --check writes nothing, and ends with 1 where a file is not what would be written.
"""
import argparse
import json
import pathlib
import re
import sys
from html import escape

import program_rows

HERE = pathlib.Path(__file__).resolve().parent
RESULTS, PICTURE = HERE / "results", HERE / "results" / "overhead.svg"
README, PAGE = HERE.parent / "README.md", HERE.parent / "doc" / "PERFORMANCE.md"
COLORS = {"floor": "#9aa5b1", "pathline": "#d9480f", "calls-heard": "#ced4da", "viztracer": "#1c7ed6", "coverage-ctrace": "#2f9e44",
          "coverage-sysmon": "#82c91e", "cProfile": "#7048e8"}
LABELS = {"floor": "no-op tracer", "pathline": "Pathline", "calls-heard": "no-op callbacks for calls"}
WORKLOADS = {"w_loops": "a loop with branches", "w_fib": "recursive calls", "w_oo": "objects and generators",
             "w_lib": "tokenize, json, re", "w_aio": "an asyncio echo server and its clients"}
TURNS = re.compile(r"the floor ([\d.]+); calls, resumes and yields heard ([\d.]+)")
BAR, GAP, GROUP = 13, 2, 16      # heights
LEFT, WIDTH, RIGHT = 80, 520, 60
MOST = 4.0                       # a longer bar is cut, and its number tells


def workloads(result):
    return {name: row for name, row in result["rows"].items() if row["kind"] == "workload"}


def figures(result):
    return {name: row for name, row in result["rows"].items() if row["kind"] == "figure"}


def tools_of(result):
    return list(dict.fromkeys(name for row in workloads(result).values() for name in row["cells"]))


def with_peers(results):
    """The last result with the most tools."""
    return max(reversed(results), key=lambda r: len(tools_of(r)))


# ---- the picture ----

def text(x, y, words, anchor="start", weight="normal", color="#343a40"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" fill="{color}">{escape(words)}</text>')


def legend(names, y):
    parts, x = [], LEFT
    for name in names:
        label = LABELS.get(name, name)
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLORS.get(name, "#868e96")}"/>')
        parts.append(text(x + 14, y, label))
        x += 26 + 6.2 * len(label)
    return parts


def bars(row, names, y):
    parts = []
    for name in names:
        cell = row["cells"].get(name)
        if cell:
            more = max(cell["cpu"] - 1, 0)
            width = min(more, MOST - 1) / (MOST - 1) * WIDTH
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{max(width, 1):.1f}" height="{BAR}" fill="{COLORS.get(name, "#868e96")}"/>')
            parts.append(text(LEFT + width + 5, y + BAR - 3, f'{cell["cpu"]:.2f}{" …" if cell["cpu"] > MOST else ""}',
                              weight="bold" if name == "pathline" else "normal"))
        y += BAR + GAP
    return parts


def draw(result):
    rows = workloads(result)
    names = tools_of(result)
    group = len(names) * (BAR + GAP) + GROUP
    height = 66 + group * len(rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" font-family="sans-serif" font-size="11">',
             f'<rect width="{LEFT + WIDTH + RIGHT}" height="{height}" fill="#ffffff"/>',
             text(LEFT, 18, f"CPU time, recorded / unrecorded, CPython {result['python']} (1.00: no cost; shorter is better)", weight="bold"),
             *legend(names, 38)]
    y = 54
    for name, row in rows.items():
        parts.append(text(LEFT - 8, y + BAR, name, "end", "bold"))
        parts += bars(row, names, y)
        y += group
    parts.append(f'<line x1="{LEFT}" y1="48" x2="{LEFT}" y2="{y - GROUP + 4}" stroke="#343a40"/>')
    return "\n".join([*parts, "</svg>", ""])


# ---- the tables, in Markdown ----

def in_markdown(head, rows):
    return "\n".join(["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)])


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def short(value):
    """Three digits that count."""
    return "" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def program_summaries(results):
    return {r["python"]: s for r in results if (s := program_rows.summary(r["rows"]))}


def small_table(results):
    """Of the README: what the programs come to, a row for each interpreter."""
    head = ["Python", "programs", "Pathline", "no-op tracer", "first pass, Pathline", "first pass, no-op tracer", "most expensive"]
    rows = []
    for python, summary in program_summaries(results).items():
        cells = [number(summary[when][who]) for when in ("steady", "first") for who in ("recorded", "floor")]
        name, cost = summary["steady"]["worst"]
        rows.append([python, str(summary["programs"]), *cells, f"{name} {number(cost)}"])
    return in_markdown(head, rows)


def program_table(results):
    """Each program: recorded and with the no-op tracer, in the steady state and in the first pass."""
    summaries = program_summaries(results)
    head = ["program", *(f"{python}{words}" for python in summaries for words in ("", ", first pass"))]
    rows = {}
    for r in results:
        for name, row in r["rows"].items():
            if row["kind"] == "program":
                rows.setdefault(name[2:], {})[r["python"]] = [f"{number(row[when]['recorded'])} / {number(row[when]['floor'])}"
                                                              for when in ("steady", "first")]
    return in_markdown(head, [[name, *(cell for python in summaries for cell in cells.get(python, ["", ""]))]
                              for name, cells in sorted(rows.items())])


def workload_table(results):
    names = list(dict.fromkeys(name for result in results for name in tools_of(result)))
    head = ["workload", "Python", *(LABELS.get(n, n) for n in names), "wall time", "bytes per further line", "collector", "pairs"]
    rows = []
    for workload in WORKLOADS:
        for result in results:
            row = workloads(result).get(workload)
            if not row:
                continue
            ours = row["cells"]["pathline"]
            share = ours.get("collector")
            cells = [number(row["cells"][n]["cpu"]) if n in row["cells"] else "" for n in names]
            rows.append([workload, result["python"], *cells, number(ours["wall"]), short(ours.get("marginal_bytes_per_line")),
                         "" if share is None else f"{share:.0%}", str(row["measured"]["runs"])])
    return in_markdown(head, rows)


def turns_table(results):
    """What is measured by turns on one processor."""
    head, rows = ["workload", "Python", "Pathline", "no-op tracer", "no-op callbacks for calls", "turns"], []
    names = dict.fromkeys(name for result in results for name in figures(result) if name.startswith("turns_"))
    for name in names:
        for result in results:
            row = figures(result).get(name)
            found = TURNS.search(row.get("note", "")) if row else None
            if row:
                rows.append([f"`{name}`", result["python"], number(row["value"]), *(found.groups() if found else ("", "")),
                             str(row["measured"]["runs"])])
    return in_markdown(head, rows)


def figure_table(results):
    results = [r for r in results if figures(r)]
    rows = []
    for name, row in {name: row for result in results for name, row in figures(result).items()}.items():
        if not name.startswith("turns_"):
            rows.append([f"`{name}`", *(short(figures(r).get(name, {}).get("value")) for r in results), row["what"].replace("|", "\\|")])
    return in_markdown(["row", *(r["python"] for r in results), "what it is"], rows)


def put(page, name, words):
    """`page` with `words` at the place of that name."""
    begin = f"<!-- bench/draw.py{name and ': ' + name} -->"
    new, count = re.subn(rf"({re.escape(begin)}\n).*?(<!-- end of it -->)", lambda m: m[1] + words + "\n" + m[2], page, count=1, flags=re.S)
    if not count:
        sys.exit(f"draw.py: the page has no place for the table: {begin} … <!-- end of it -->")
    return new


def written(results):
    """{path: what belongs there}"""
    page = PAGE.read_text(encoding="utf-8")
    for name, table in (("programs", program_table), ("workloads", workload_table), ("turns", turns_table), ("figures", figure_table)):
        page = put(page, name, table(results))
    return {PICTURE: draw(with_peers(results)), README: put(README.read_text(encoding="utf-8"), "", small_table(results)), PAGE: page}


def main():
    parser = argparse.ArgumentParser(description="Write the results of the benchmark where readers see them.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--svg")
    parser.add_argument("results", nargs="*")
    args = parser.parse_args()
    paths = args.results or sorted(RESULTS.glob("*.json"), key=lambda p: [int(n) for n in p.stem.split(".")])
    results = [json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for path in paths]
    if args.svg:
        pathlib.Path(args.svg).write_text(draw(with_peers(results)), encoding="utf-8")
        return 0
    stale = 0
    for path, words in written(results).items():
        if path.read_text(encoding="utf-8") != words:
            stale += 1
            if args.check:
                print(f"{path.relative_to(HERE.parent)} is not what bench/draw.py writes from bench/results")
            else:
                path.write_text(words, encoding="utf-8")
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
