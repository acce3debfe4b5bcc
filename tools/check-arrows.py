#!/usr/bin/env python3
"""Check which folder of src/ includes which: `make arrows`. --self-test shows that it can fail.

A folder may include itself, the public headers, and what is in its row: folders, or single
headers of one. Pure folders (no clock, no I/O) include no header of the system that could do
either; Python.h is the recorder's alone.
"""
import pathlib
import re
import sys
import tempfile

ARROWS = {
    "base": "",
    "os": "base",
    "flow": "base",
    "filter": "base",
    "bytecode": "flow base",
    "format": "flow base",
    "ring": "format filter os base",
    "recorder": "ring format filter bytecode flow base os/archive.h os/clock.h os/file.h os/oldest.h os/readable.h",
    "preload": "ring recorder/recorder.h format/message.h os/oldest.h os/readable.h os/stat.h",
    "native": "ring/native_area.h os/clock.h os/stat.h",
    "attach": "recorder/order.h os base",
    "source": "ring/native_area.h filter/glob.h format os base",
    "collector": "source ring format filter bytecode flow base os",
    "trace": "format flow base os",
    "report": "expr/match.h base",
    "expr": "session/when.h filter/glob.h base",
    "session": "expr base",
    "query": "session/when.h session/binds.h session/frame_path.h session/value_path.h report/names.h base os/local.h",
    "export": "report query/value_json.h base",
    "tui": "session expr base os/local.h",
    "cmd": "attach recorder/order.h report export tui query session expr collector source filter base os",
}
PURE = {"base", "flow", "filter", "bytecode", "format"}
IMPURE = re.compile(r"(unistd|fcntl|dirent|signal|pthread|poll|sched|time|sys/.*|linux/.*)\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def fault(folder, kind, header, local):
    """Why this include must not be, or None."""
    top = header.split("/")[0]
    if header == "Python.h" or header.startswith(("internal/pycore", "cpython/")):
        return None if folder == "recorder" else "only recorder/ knows Python"
    if kind == "<":
        if folder in PURE and IMPURE.match(header):
            return f"{folder}/ is pure"
        return None
    if "/" not in header:
        return None if local(header) else "no such file beside it"
    if top in (folder, "pathline") or top in ARROWS[folder].split() or header in ARROWS[folder].split():
        return None
    return f"{folder}/ may include: {ARROWS[folder] or 'nothing but itself'}"


def check(root):
    """Print each fault; gives (includes seen, faults)."""
    seen = faults = 0
    for path in sorted([*root.glob("src/**/*.[ch]"), *root.glob("src/**/*.def"), *root.glob("include/**/*.h")]):
        inside = path.relative_to(root)
        folder = inside.parts[1] if inside.parts[0] == "src" else "include"
        if folder != "include" and folder not in ARROWS:
            print(f"{inside}: {folder}/ has no row in tools/check-arrows.py")
            faults += 1
            continue
        text = path.read_text(errors="replace")
        for m in INCLUDE.finditer(text):
            seen += 1
            if folder == "include":
                why = "public headers include only each other" if m[1] == '"' and not m[2].startswith("pathline/") else None
            else:
                why = fault(folder, m[1], m[2], lambda name: (path.parent / name).exists())
            if why:
                faults += 1
                print(f"{inside}:{text.count(chr(10), 0, m.start(2)) + 1}: includes {m[2]}: {why}")
    return seen, faults


def self_test():
    cases = {"flow/a.c": '#include <time.h>', "flow/b.c": '#include "os/clock.h"', "trace/c.c": '#include <Python.h>',
             "preload/d.c": '#include "recorder/root.h"', "odd/e.c": "", "base/f.h": '#include "base/view.h"'}
    with tempfile.TemporaryDirectory() as d:
        for name, text in cases.items():
            file = pathlib.Path(d, "src", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text + "\n")
        faults = check(pathlib.Path(d))[1]
    if faults != 5:
        sys.exit(f"arrows: the self-test found {faults} faults, not 5")
    print("arrows: the self-test found all 5 faults")


if __name__ == "__main__":
    if "--self-test" in sys.argv[1:]:
        self_test()
    else:
        seen, faults = check(pathlib.Path(__file__).resolve().parent.parent)
        print(f"arrows: {seen} includes, {faults} faults")
        sys.exit(1 if faults else 0)
