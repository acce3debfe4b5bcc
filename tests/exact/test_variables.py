#!/usr/bin/env python3
"""Are recorded variables those that the program had (record --values lines)?

    test_variables.py --build DIR [--python PY]... [name...]

frames.py does to variables all that a line can do; values/listen_lines.py notes in Python, in the
same run, what they are at each event, and what has changed between two events of a frame must be
what `dump` has in `changed`. The objects of test_values.py whose code must never run, and its
secrets, are variables here.
"""
import argparse
import hashlib
import json
import os
import re
import sys

import exact
from exact import Failure
from test_events import unescaped
from test_values import VALUES, all_of, hostile, listened, readers, record

PROGRAM = os.path.join(VALUES, "frames.py")
FIELDS = "event,file,code,offset,changed"
EVENTS = "call,line,again,return,yield,resume,throw,raise,reraise,handled,unwind"
WIDE = ("--values=lines", "--values-of=" + PROGRAM, "--values-limit=second=0,event=8K")
LIMITS = ("depth=1", "depth=16,bytes=4K", "items=0", "attributes=1", "chars=3", "bytes=16", "bytes=40")


def rows(recording, setup, work, file):
    """(event, code, offset, names, text) of the file's events."""
    texts = exact.rows(exact.dump(recording, setup, work, FIELDS, ("--events", EVENTS)))
    named = exact.rows(exact.dump(recording, setup, work, "changed", ("--json", "--events", EVENTS), "named.json"))
    for (event, at, code, offset, text), (line,) in zip(texts, named):
        changed = json.loads(line)["data"]["changed"]
        if at == file:
            yield event, code, offset, [v["name"] for v in changed or ()], unescaped(text)


class Frames:
    """What the listener has noted, and what that says of each event."""

    def __init__(self, heard, exact_events):
        self.heard, self.at, self.known, self.exact = heard, 0, {}, exact_events

    def next_of(self, event, code, offset):
        """The entry of the event. A jump is one if it is another pass of a loop."""
        while self.at < len(self.heard):
            entry = self.heard[self.at]
            self.at += 1
            if event == "again" and entry[0] == "jump" and entry[1] == code and str(entry[2]) == offset or \
                    entry[1] == code and self.is_of(event, entry[0]):
                return entry
            if entry[0] != "jump" and (self.exact or entry[0] != "raise"):
                raise Failure("%s in %s, but the program had %r" % (event, code, entry[:4]))
        raise Failure("%s in %s, and nothing more in the program" % (event, code))

    def is_of(self, event, heard):
        """On 3.11 a handler without a line is not seen, so a frame seems to end with the
        exception."""
        return event == heard or not self.exact and heard == "unwind" and event in ("return", "yield")

    def changed(self, entry):
        """{name: text} of what the frame has changed since its event before."""
        event, _, _, frame, variables, _ = entry
        if variables is None:                           # not known
            return None
        now = {name: (identity, text) for name, identity, text in variables}
        if event == "call":
            self.known[frame] = now
        if event in ("call", "resume", "throw"):
            return {}
        before = self.known.setdefault(frame, {})
        self.known[frame] = now
        texts = {name: text for name, (identity, text) in now.items() if before.get(name) != (identity, text)}
        return {**texts, **{name: "<unset>" for name in before if name not in now}}


def compare(heard, got, exact_events):
    frames, counted, told = Frames(heard, exact_events), 0, {}
    for n, (event, code, offset, names, text) in enumerate(got):
        if not exact_events and event in ("reraise", "handled"):
            told.setdefault(code, set()).update(names)  # the listener sees it at the frame's next event
            continue
        entry = frames.next_of(event, code, offset)
        wanted, hidden = frames.changed(entry), entry[5]
        if wanted is None:
            continue
        early = told.pop(code, ())
        wanted = {name: value for name, value in wanted.items() if name not in early or name in names}
        shown = [name for name in names if name not in hidden or name in wanted]
        said = ", ".join(name + " = " + wanted.get(name, "?") for name in shown)
        if sorted(shown) != sorted(wanted) or shown == names and said != text:
            raise Failure("row %d, %s in %s: %r, not %r (%r)" % (n, event, code, text, wanted, entry[:4]))
        counted += len(shown)
    if not counted:
        raise Failure("no variable has changed")
    return "%d events, %d changes" % (len(got), counted)


def same_run(python, limit, setup, work):
    out = os.path.join(work, "listened")
    options = (*WIDE, "--values-limit=" + limit) if limit else WIDE
    arguments = [os.path.join(VALUES, "listen_lines.py"), out, PROGRAM, "event=8K" + (limit and "," + limit)]
    recording, _ = record(python, arguments, setup, work, options)
    return compare(listened(out), list(rows(recording, setup, work, PROGRAM)), python.minor > (3, 11))


# ---- secrets and bounds ----

def secrets(python, setup, work):
    program = os.path.join(VALUES, "secret_lines.py")
    made = [b"s3" + hashlib.sha256(b"%d" % n).hexdigest()[:20].encode() for n in range(12)]
    recording, _ = record(python, [program], setup, work, WIDE[:1] + ("--values-of=" + program,))
    places = list(readers(recording, setup))
    found = ["%s: %d" % (place, n) for place, text in places for n, secret in enumerate(made) if secret[:8] in text]
    if found:
        raise Failure("%d secrets are to be seen\n%s" % (len(found), "\n".join(found)))
    shown, _ = record(python, [program], setup, work, WIDE[:1] + ("--values-of=" + program, "--no-redact"), "shown")
    text = dict(readers(shown, setup))["dump --json"]
    hidden = [n for n, secret in enumerate(made) if secret not in text]
    if hidden:
        raise Failure("--no-redact: %r are not shown" % hidden)
    return "%d places, %d are hidden" % (len(places), dict(places)["dump"].count(b"<redacted>"))


def changes(recording, setup, work, code):
    """What the code has changed, as texts."""
    got = exact.rows(exact.dump(recording, setup, work, "code,changed"))
    return [changed for at, changed in got if at == code and changed]


def written(work, text):
    path = os.path.join(work, "program.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def budget(python, setup, work):
    """Over the budget of a second there are types alone."""
    program = written(work, "def fill():\n    for i in range(20000):\n        text = 'x' * 100 + str(i)\nfill()\n")
    recording, _ = record(python, [program], setup, work, ("--values=lines", "--values-limit=second=64K"))
    got = [text for text in changes(recording, setup, work, "fill") if text.startswith("text = ")]
    whole = sum("xxx" in text for text in got)
    if len(got) != 20000 or not 100 < whole < 10000 or not any(text == "text = <str \u2026>" for text in got):
        raise Failure("%d of %d are whole" % (whole, len(got)))
    return "%d of %d changes are whole" % (whole, len(got))


def bounded(python, setup, work):
    """What has no room in an event comes with the next one; a module has many names."""
    names = "".join("name_%d = 'x' * 150 + '%d'\n" % (n, n) for n in range(400))
    one_line = "; ".join("v%d = 'y' * 150 + '%d'" % (n, n) for n in range(30))
    program = written(work, names + "def fill():\n    %s\n%s    done = 1\nfill()\n" % (one_line, "    pass\n" * 12))
    recording, _ = record(python, [program], setup, work, ("--values=lines",))
    text = "\n".join(changes(recording, setup, work, "<module>"))
    missing = [n for n in range(400) if text.count("name_%d = 'xxx" % n) != 1]
    inside = changes(recording, setup, work, "fill")
    lost = [n for n in range(30) if sum(text.count("v%d = 'yyy" % n) for text in inside) != 1]
    if missing or lost or max(map(len, inside)) > 2048:
        raise Failure("not once: names %r, variables %r" % (missing, lost))
    return "%d events for 30 variables of a line" % len(inside)


# ---- threads, processes ----

LOOPS = """\
import os, sys, threading

def loop(name, given):
    for i in range(60):
        row = [name, i]
        lock.acquire()
        lock.release()
    if given is not None:
        got = next(given)
    done = name


def shared():
    for step in range(9):
        yield step


lock = threading.Lock()
steps = shared()
threads = [threading.Thread(target=loop, args=(n, steps)) for n in range(4)]
for t in threads:
    t.start()
    t.join() if sys.argv[1] == "joined" else None
for t in threads:
    t.join()
if sys.argv[1] == "forked":
    child = os.fork()
    loop(10, None)
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
if sys.argv[1] == "killed":
    last = 77
    os.kill(os.getpid(), 9)
"""


def by_loop(recording, setup, work):
    """What each run of `loop` has changed, by process and thread."""
    found = {}
    for process, thread, code, changed in exact.rows(exact.dump(recording, setup, work, "process,thread,code,changed")):
        if code in ("loop", "shared") and changed:
            found.setdefault((code, process, thread), []).append(changed)
    return found


def together(python, way, setup, work):
    program = written(work, LOOPS)
    recording = os.path.join(work, "recording")
    exact.run(python.record(recording, setup, ("--values=lines", "--values-limit=second=0")) + [program, way], setup, work, ok=(0, -9, 137))
    exact.wait_until_finished(recording, setup, work)
    exact.inspect(recording, setup, work, {"gap": "may"} if way == "killed" else {})
    found = by_loop(recording, setup, work)
    runs = {key: " ".join(texts) for key, texts in found.items() if key[0] == "loop"}
    for key, text in runs.items():
        missing = [i for i in range(60) if "i = %d " % i not in text + " " or text.count(", %d]" % i) < 1]
        if missing or "done = " not in text:
            raise Failure("%r: %r are missing in %s" % (key, missing, text))
    steps = [text for key, texts in found.items() if key[0] == "shared" for text in texts]
    if sorted(re.findall(r"step = (\d+)", " ".join(steps))) != ["0", "1", "2", "3"]:
        raise Failure("a generator of several threads: %r" % steps)
    if way == "killed" and "last = 77" not in changes(recording, setup, work, "<module>")[-1]:
        raise Failure("killed: the last change is missing")
    return "%d runs" % len(runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    exact.arguments(parser)
    parser.add_argument("names", nargs="*", help="only tests whose name contains one of these")
    args = parser.parse_args()
    setup, pythons = exact.begin(args)
    tests = []
    for p in pythons:
        tests += [((p.version, "same", limit or "usual"), lambda w, p=p, limit=limit: same_run(p, limit, setup, w)) for limit in ("", *LIMITS)]
        tests += [((p.version, "hostile"), lambda w, p=p: hostile(p, setup, w, all_of("lines")))]
        tests += [((p.version, "together", way), lambda w, p=p, way=way: together(p, way, setup, w))
                  for way in ("joined", "at-once", "forked", "killed")]
        tests += [((p.version, f.__name__), lambda w, p=p, f=f: f(p, setup, w)) for f in (secrets, budget, bounded)]
    tests = [t for t in tests if not args.names or any(n in " ".join(t[0]) for n in args.names)]
    return exact.run_all(exact.shard(tests, args.shard), setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
