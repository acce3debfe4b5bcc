#!/usr/bin/env python3
"""Random programs (generate.py, generate_recursion.py), in two runs: what nobody thought of.

A seed gives the same program each time. One that failed: --from SEED --seeds 1 --keep.
"""
import argparse
import os
import sys

import exact
import generate
import generate_recursion


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("--seeds", type=int, default=12, help="how many programs")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="SEED", help="the first one's")
    args = parser.parse_args()
    args.env.append("PYTHONWARNINGS=ignore")            # of what leaves a `finally`: to show it takes lines
    setup, pythons = exact.begin(args)
    place, tests = setup.work("programs"), []
    for seed in exact.shard(range(args.first, args.first + args.seeds), args.shard):
        for name, text in ("%d" % seed, generate.text), ("%d-recursion" % seed, generate_recursion.text):
            path = os.path.join(place, name + ".py")
            with open(path, "w") as f:
                f.write(text(seed))
            for python in pythons:
                tests += [((python.version, question, name), lambda w, p=python, a=ask: a(p, setup, w)) for question, ask in exact.questions(path, python, ["two"])]
    return exact.run_all(tests, setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
