"""Library code: tokenize, json and re over two large files of the standard library. Compare within one interpreter only."""
import io
import json
import os
import re
import tokenize

import workload

LIB = os.path.dirname(os.__file__)
FILES = ["turtle.py", "inspect.py"]
REPEAT = workload.scale(1)
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]+")


def toks(text):
    counts = {}
    names = {}
    for t in tokenize.generate_tokens(io.StringIO(text).readline):
        counts[t.type] = counts.get(t.type, 0) + 1
        if t.type == tokenize.NAME:
            names[t.string] = names.get(t.string, 0) + 1
    return counts, names


def words(text):
    d = {}
    for line in text.splitlines():
        for m in WORD.finditer(line):
            w = m.group()
            d.setdefault(w[0].lower(), []).append(w)
    return {k: sorted(set(v)) for k, v in d.items()}


def hook(pairs):
    return {k: v for k, v in pairs}


def one(text):
    c, n = toks(text)
    w = words(text)
    blob = json.dumps({"c": c, "n": n, "w": w}, indent=1, sort_keys=True)
    back = json.loads(blob, object_pairs_hook=hook)
    return len(blob), len(back["n"])


def main():
    r = []
    for _ in range(REPEAT):
        for f in FILES:
            with open(os.path.join(LIB, f), encoding="utf-8") as fh:
                r.append(one(fh.read()))
    return r


if __name__ == "__main__":
    workload.run(main)
