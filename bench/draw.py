#!/usr/bin/env python3
"""Draw the workloads of a result as bars, and write the README's table of them.

    draw.py [--svg FILE] [--readme FILE] RESULT.json…

With several results (one a Python) the table has a row for each; the picture is of the last one that has peers, if one has. In the
README the table stands between `<!-- bench/draw.py -->` and `<!-- end of it -->`.
"""
import argparse
import json
import pathlib
import re
import sys
from html import escape

COLORS = {"floor": "#9aa5b1", "pathline": "#d9480f", "calls-heard": "#ced4da", "viztracer": "#1c7ed6", "coverage-ctrace": "#2f9e44",
          "coverage-sysmon": "#82c91e", "cProfile": "#7048e8"}
LABELS = {"floor": "a tracer that records nothing", "pathline": "Pathline", "calls-heard": "only hearing of calls"}
BAR, GAP, GROUP = 13, 2, 16      # heights
LEFT, WIDTH, RIGHT = 80, 520, 60
MOST = 4.0                       # a longer bar is cut, and its number tells


def workloads(result):
    return {name: row for name, row in result["rows"].items() if row["kind"] == "workload"}


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


def tools_of(result):
    return list(dict.fromkeys(name for row in workloads(result).values() for name in row["cells"]))


def draw(results):
    result = max(reversed(results), key=lambda r: len(tools_of(r)))
    rows = workloads(result)
    names = tools_of(result)
    group = len(names) * (BAR + GAP) + GROUP
    height = 66 + group * len(rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" font-family="sans-serif" font-size="11">',
             f'<rect width="{LEFT + WIDTH + RIGHT}" height="{height}" fill="#ffffff"/>',
             text(LEFT, 18, f"CPU time more than unrecorded, CPython {result['python']} (1.00: nothing more; shorter is better)", weight="bold"),
             *legend(names, 38)]
    y = 54
    for name, row in rows.items():
        parts.append(text(LEFT - 8, y + BAR, name, "end", "bold"))
        parts += bars(row, names, y)
        y += group
    parts.append(f'<line x1="{LEFT}" y1="48" x2="{LEFT}" y2="{y - GROUP + 4}" stroke="#343a40"/>')
    return "\n".join([*parts, "</svg>", ""])


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}" if digits else f"{value:.3g}"


def table(results):
    """Markdown."""
    names = list(dict.fromkeys(name for result in results for name in tools_of(result)))
    lines = ["| workload | Python | " + " | ".join(LABELS.get(n, n) for n in names) + " | wall | bytes a line more | collector |",
             "|---" * (len(names) + 5) + "|"]
    for workload in dict.fromkeys(name for result in results for name in workloads(result)):
        for result in results:
            row = workloads(result).get(workload)
            if not row:
                continue
            ours = row["cells"]["pathline"]
            share = ours.get("collector")
            cells = [number(row["cells"][n]["cpu"]) if n in row["cells"] else "" for n in names]
            lines.append(f"| {workload} | {result['python']} | " + " | ".join(
                [*cells, number(ours["wall"]), number(ours.get("marginal_bytes_per_line"), 0), "" if share is None else f"{share:.0%}"]) + " |")
    busy = [f"{r['python']} {r['load']}" for r in results if r.get("load", 0) > 1]
    if busy:
        lines += ["", f"Measured while other work went on (load: {', '.join(busy)}): wall times are too high."]
    return "\n".join(lines)


def put_table(path, words):
    old = path.read_text(encoding="utf-8")
    new, count = re.subn(r"(<!-- bench/draw.py -->\n).*?(<!-- end of it -->)", lambda m: m[1] + words + "\n" + m[2], old, count=1, flags=re.S)
    if not count:
        sys.exit(f"pathline: {path} has no place for the table: <!-- bench/draw.py --> … <!-- end of it -->")
    path.write_text(new, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Draw the results of the benchmark.")
    parser.add_argument("--svg")
    parser.add_argument("--readme")
    parser.add_argument("results", nargs="+")
    args = parser.parse_args()
    results = [json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for path in args.results]
    if args.svg:
        pathlib.Path(args.svg).write_text(draw(results), encoding="utf-8")
    if args.readme:
        put_table(pathlib.Path(args.readme), table(results))
    if not args.svg and not args.readme:
        print(table(results))


if __name__ == "__main__":
    main()
