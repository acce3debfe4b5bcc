"""What the programs of this folder share: `python FILE.py PROGRAM [UNTIL]`.

A program is a function that does a whole piece of work, its imports too, and gives a result that
is the same on each Python. UNTIL is a time of time.monotonic(): the first pass is followed by more
of them until then. What they took is appended to $BENCH_OUT as a JSON line:

    first    CPU time of the process from its start to the end of the first pass, in seconds
    cpu      CPU time of one pass, after those that warm up
    passes   the passes of which that is the mean
"""
import functools
import hashlib
import json
import os
import random
import sys
import time

PROGRAMS = {}               # name: (function, what it gives)
WARM_PASSES = 2             # at least so many,
WARM_PART = .3              # and for this part of the time
PASSES = 3                  # at least so many are measured
SYLLABLES = "ba con de fi gor hu il ja ko lem mi nu os pra qui ro sta tur ul ver wo xi yl zen".split()


def gives(result):
    """A decorator: the function is a program, which gives this."""
    def add(function):
        PROGRAMS[function.__name__] = (function, result)
        return function
    return add


def digest(value):
    return hashlib.sha256(str(value).encode()).hexdigest()[:12]


def numbers(seed):
    """A function for the next of them, from 0 to below its argument: the same on each Python."""
    draw = random.Random(seed).random
    return lambda below: int(draw() * below)


@functools.cache
def words(count, seed=1):
    draw = numbers(seed)
    return ["".join(SYLLABLES[draw(len(SYLLABLES))] for _ in range(1 + draw(4))) for _ in range(count)]


def run(function, expected, until):
    begun = time.monotonic()
    result = function()
    first = time.process_time()
    if result != expected:
        raise SystemExit(f"{function.__name__} gave {result!r}, and {expected!r} was expected")
    warm_until = begun + WARM_PART * (until - begun)
    warmed = 0
    while until and (warmed < WARM_PASSES or time.monotonic() < warm_until):
        function()
        warmed += 1
    passes, start = 0, time.process_time()
    while time.monotonic() < until or until and passes < PASSES:
        function()
        passes += 1
    return {"first": first, "cpu": (time.process_time() - start) / passes if passes else None, "passes": passes}


def main():
    if sys.argv[1] not in PROGRAMS:
        raise SystemExit(f"no program {sys.argv[1]} in {sys.argv[0]}; there are: {' '.join(PROGRAMS)}")
    function, expected = PROGRAMS[sys.argv[1]]
    said = json.dumps(run(function, expected, float(sys.argv[2]) if len(sys.argv) > 2 else 0))
    if path := os.environ.get("BENCH_OUT"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(said + "\n")
    else:
        print(said)
