#!/usr/bin/env python3
"""Random programs (generate.py, generate_recursion.py, generate_tracing.py, generate_tools.py), in
two runs: what nobody thought of.

A seed gives the same program each time. One that failed: --from SEED --seeds 1 --keep.
"""
import argparse
import os
import sys

import exact
import generate
import generate_recursion
import generate_tools
import generate_tracing


# What is appended to a seed's number in a program's name: who writes it, and where tracing begins
# 3.11's oracle sees nothing.
KINDS = {"": generate.text, "-recursion": generate_recursion.text, "-tracing": generate_tracing.text, "-tools": generate_tools.text}


def texts(seed, only):
    return [("%d%s" % (seed, kind), text) for kind, text in KINDS.items() if only in (None, kind)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("--seeds", type=int, default=12, help="how many programs")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="SEED", help="the first one's")
    parser.add_argument("--only", choices=KINDS, help="one kind of program")
    args = parser.parse_args()
    # of what leaves a `finally`: to show it takes lines
    args.env.append("PYTHONWARNINGS=ignore")
    setup, pythons = exact.begin(args)
    place, tests = setup.work("programs"), []
    for seed in exact.shard(range(args.first, args.first + args.seeds), args.shard):
        for name, text in texts(seed, args.only):
            path = os.path.join(place, name + ".py")
            with open(path, "w") as f:
                f.write(text(seed))
            for python in pythons:
                if name.endswith(("-tracing", "-tools")) and python.minor == (3, 11):
                    continue                            # no tools; a trace function ends the oracle's view
                tests += [((python.version, question, name), lambda w, p=python, a=ask: a(p, setup, w)) for question, ask in exact.questions(path, python, ["same" if "same-run" in exact.demands_of(path) else "two"])]
    return exact.run_all(tests, setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
