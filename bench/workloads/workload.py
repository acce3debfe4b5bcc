"""What every workload ends with: run main(), and append its CPU and wall time in seconds to $BENCH_OUT as a JSON line."""
import os
import sys
import time


def scale(default):
    """The number on the command line."""
    return int(sys.argv[1]) if len(sys.argv) > 1 else default


def run(main, expected=None):
    wall, cpu = time.perf_counter(), time.process_time()
    result = main()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    if expected is not None and result != expected:
        raise SystemExit(f"bad result: {result!r}, and {expected!r} was expected")
    if path := os.environ.get("BENCH_OUT"):
        with open(path, "a", encoding="utf-8") as file:
            file.write('{"cpu": %.6f, "wall": %.6f}\n' % (cpu, wall))
