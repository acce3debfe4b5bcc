"""CPU inside each workload's main(), traced / untraced, in interleaved pairs; the floor is measured
in the same run.

pairs.py --python EXE [--runs 7] [--rows w_fib,w_loops] [--scale w_fib=24,...] [--no-floor] [--json
FILE] [NAME=COMMAND ...]

COMMAND stands before the script and its arguments; {python} is EXE and {out} a fresh path, whose
size is reported per executed line when the row's line count is known (--lines w_fib=1664078,...).
Example: pairs.py --python python3.12 'pathline=pathline record -q --python {python} -o {out} --'
The floor (a tracer that listens to every line and call and records nothing) needs floor/build.sh
run for EXE first; $FLOOR_OUT says where its library is, when it is not beside the script. On 3.11
the floor is a C trace function that does nothing.
"""
import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = ["w_fib", "w_loops", "w_oo", "w_lib", "w_aio"]


def run(command, row, scale, scratch):
    out = os.path.join(scratch, "out")
    bench = os.path.join(scratch, "bench")
    for path in (out, bench):
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path):
            os.unlink(path)
    args = [a.replace("{out}", out) for a in command] + [os.path.join(HERE, "workloads", row + ".py")] + scale
    done = subprocess.run(args, env=dict(os.environ, BENCH_OUT=bench), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode or not os.path.exists(bench):
        raise SystemExit(f"{shlex.join(args)} ended with {done.returncode}: {done.stderr[-800:]}")
    figures = json.loads(open(bench).readline())
    figures["bytes"] = size(out)
    return figures


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(path) for f in files
               if not os.path.islink(os.path.join(d, f)))


def pairs(text):
    return dict(p.split("=", 1) for p in text.split(",")) if text else {}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--runs", type=int, default=7)
    p.add_argument("--rows", default=",".join(ROWS))
    p.add_argument("--scale", default="")
    p.add_argument("--lines", default="")
    p.add_argument("--no-floor", action="store_true")
    p.add_argument("--json")
    p.add_argument("tools", nargs="*")
    a = p.parse_args()
    version = subprocess.check_output([a.python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], text=True)
    mode = "settrace:noop" if version.strip() == "3.11" else "mon:noop:LINE,CALLS"
    tools = {"base": [a.python]}
    if not a.no_floor:
        tools["floor"] = [a.python, os.path.join(HERE, "floor", "run.py"), mode]
    for t in a.tools:
        name, command = t.split("=", 1)
        tools[name] = [c.replace("{python}", a.python) for c in shlex.split(command)]
    scales, lines = pairs(a.scale), pairs(a.lines)
    table = {}
    with tempfile.TemporaryDirectory(prefix="pathline-pairs-") as scratch:
        for row in a.rows.split(","):
            runs = {name: [] for name in tools}
            for i in range(a.runs + 1):
                for name, command in tools.items():
                    figures = run(command, row, [scales[row]] if row in scales else [], scratch)
                    if i:                                   # the first round warms up
                        runs[name].append(figures)
            table[row] = cells = {}
            for name in tools:
                if name != "base":
                    cells[name] = {k: round(statistics.median(t[k] / b[k] for t, b in zip(runs[name], runs["base"])), 3)
                                   for k in ("cpu", "wall")}
                    if row in lines and runs[name][0]["bytes"]:
                        cells[name]["bytes_per_line"] = round(runs[name][-1]["bytes"] / int(lines[row]), 5)
            print(row, "  ".join(f"{n} cpu {c['cpu']} wall {c['wall']}" +
                                 (f" B/line {c['bytes_per_line']}" if "bytes_per_line" in c else "")
                                 for n, c in cells.items()), flush=True)
    if a.json:
        json.dump({"python": version.strip(), "runs": a.runs, "rows": table}, open(a.json, "w"), indent=1)


if __name__ == "__main__":
    main()
