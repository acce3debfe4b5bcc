"""Recordings of earlier versions stay readable: each gives, for ever, the rows that it gave when it was made, and `info` says of it
what it said then."""
import json
import os
import pathlib
import subprocess
import unittest

INTERPRETERS = "none"
QUICK = True
HERE = pathlib.Path(__file__).resolve().parent
PATHLINE = pathlib.Path(os.environ.get("PATHLINE_BUILD", "build")).resolve() / "pathline"
# In the order in which they came to be; a golden has those of its time.
FIELDS = ("pid,tid,seq,event,file,first,code,line,depth,time,task,type,generator,caller,greenlet,idle,order,order_from,task_id,"
          "args,result,sent,exception,changed").split(",")
COSTS, SAMPLES, UNITS = 18, 21, 15     # kinds of records (doc/FORMAT.md)
CALL, LINE, RETURN, YIELD = range(4)   # rows
FILTERED = sorted(path.parent for path in HERE.glob("1.2-*-filtered/meta"))      # of program-1.2.py
CHAINED = sorted(path.parent for path in HERE.glob("1.4-*/meta"))                # of program-1.4.py
FAR = sorted(path.parent for path in HERE.glob("1.5-*/meta"))                    # of program-1.5.py
HIDDEN = sorted(path.parent for path in HERE.glob("1.6-*/meta"))                 # of program-1.6.py
SILENT = sorted(path.parent for path in HERE.glob("1.7-*/meta"))                 # of program-1.7.py
OPEN = sorted(path.parent for path in HERE.glob("1.8-*/meta"))                   # of program-1.8.py
NUMBERED = sorted(path.parent for path in HERE.glob("1.9-*/meta"))               # of program-1.9.py
IMPLIED = sorted(path.parent for path in HERE.glob("1.11-*/meta"))               # of program-1.11.py
VALUED = sorted(path.parent for path in HERE.glob("1.12-*/meta"))                # of program-1.12.py
CHANGED = sorted(path.parent for path in HERE.glob("1.13-*/meta"))               # of program-1.13.py
KERNEL = sorted(path.parent for path in HERE.glob("1.15-*/meta"))                # of program-1.15.py
SOURCE_ROWS = "SELECT process, thread, time_ns, source, kind, duration_ns, text FROM source_event"
BLOCK, RESUMES, APART, IN_CHAIN, FAR_CALLS, TASK_NUMBERS, IN_SECTIONS = 20, 16, 32, 64, 128, 256, 512


def what_differs(now, then, at=""):
    """Of what was said then: what is said otherwise, or no more. Later versions may say more."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            yield from what_differs(now.get(key), value, f"{at}.{key}")
    elif isinstance(then, list) and isinstance(now, list) and len(now) >= len(then):
        for k, value in enumerate(then):
            yield from what_differs(now[k], value, f"{at}[{k}]")
    elif now != then:
        yield f"{at}: {now!r}, and was {then!r}"


def info(directory):
    done = subprocess.run([PATHLINE, "info", "--json", directory], capture_output=True, check=True)
    return json.loads(done.stdout)["data"]


def table(directory):
    """The rows, each as {field: text}."""
    return [dict(zip(FIELDS, line.split("\t"))) for line in (directory / "rows.tsv").read_text().splitlines()]


def records(path):
    """(kind, payload) of a file's records."""
    data = path.read_bytes()
    while data:
        stored = int.from_bytes(data[8:12], "little")
        yield int.from_bytes(data[4:6], "little"), data[32:32 + stored]
        data = data[32 + stored:]


def kinds(path):
    return [kind for kind, _ in records(path)]


def varints(payload):
    number = shift = 0
    for byte in payload:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0


def recorded(directory, row):
    """How many events of a row (by its number) were recorded, by COSTS."""
    payload = next(payload for kind, payload in records(directory / "meta") if kind == COSTS)
    _, each, *counts = varints(payload)
    return sum(counts[row + 1::each + 1])


class Golden(unittest.TestCase):
    def test_rows_are_what_they_were(self):
        found = sorted(HERE.glob("*/rows.tsv"))
        self.assertTrue(found)
        for rows in found:
            with self.subTest(recording=rows.parent.name):
                expected = rows.read_bytes().splitlines()
                fields = FIELDS[:expected[0].count(b"\t") + 1]
                done = subprocess.run([PATHLINE, "dump", rows.parent, "--fields", ",".join(fields)], capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertEqual(done.stdout.splitlines(), expected)

    def test_they_are_sound(self):
        for rows in sorted(HERE.glob("*/rows.tsv")):
            done = subprocess.run([PATHLINE, "check", rows.parent], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_info_is_what_it_was(self):
        found = sorted(HERE.glob("*/info.json"))
        self.assertTrue(found)
        for then in found:
            with self.subTest(recording=then.parent.name):
                self.assertEqual(list(what_differs(info(then.parent), json.loads(then.read_text())["data"])), [])


class Filtered(unittest.TestCase):
    """That they hold what format 1.2 added: else the tests above would ask for nothing."""

    def test_lines_without_an_event(self):
        for directory in FILTERED:
            said = info(directory)
            self.assertEqual(said["format_minor"], 2)
            self.assertEqual(recorded(directory, CALL), said["counts"]["call"])
            if "3.11" in directory.name:                # there each line is told
                self.assertEqual(recorded(directory, LINE), said["counts"]["line"])
            else:
                self.assertLess(recorded(directory, LINE), said["counts"]["line"] / 2)
                self.assertLess(recorded(directory, RETURN), said["counts"]["return"] / 2)

    def test_a_path_that_breaks_off(self):
        for directory in FILTERED:
            rows = table(directory)
            self.assertEqual([row["type"] for row in rows if row["event"] == "gap"], ["killed"])
            if "3.11" not in directory.name:
                self.assertIn("line", [row["type"] for row in rows if row["event"] == "possible"])

    def test_outside(self):
        for directory in FILTERED:
            outside = [row["code"] for row in table(directory) if row["event"] == "outside"]
            self.assertEqual(outside[0], "nsmallest")
            self.assertEqual(info(directory)["counts"]["outside"], len(outside))
            self.assertEqual(info(directory)["filter"], "--exclude stdlib")
            self.assertGreater(info(directory)["processes"][0]["codes_left_out"], 0)

    def test_idle(self):
        for directory in FILTERED:
            idle = [row for row in table(directory) if row["idle"]]
            self.assertEqual(len(idle), 1)
            self.assertGreater(int(idle[0]["idle"]), 20_000_000)

    def test_samples(self):
        for directory in FILTERED:
            self.assertIn(SAMPLES, kinds(directory / "events.000001"))
            process = info(directory)["processes"][0]
            self.assertGreater(process["samples"], 5)
            self.assertIsNone(process["samples_refused"])

    def test_costs(self):
        for directory in FILTERED:
            self.assertIn(COSTS, kinds(directory / "meta"))
            (size,) = (size for size in info(directory)["sizes"] if size["kind"] == "end")
            self.assertEqual(size["records"], 2)

    def test_there_are_some(self):
        self.assertEqual(len(FILTERED), 3)


class Chained(unittest.TestCase):
    """That they hold what format 1.4 added."""

    def test_blocks(self):
        for directory in CHAINED:
            self.assertEqual(info(directory)["format_minor"], 4)
            heads = [payload for kind, payload in records(directory / "events.000001") if kind == BLOCK]
            flags = [int.from_bytes(payload[12:16], "little") for payload in heads]
            self.assertTrue(all(flag & APART for flag in flags))
            self.assertTrue(any(flag & RESUMES for flag in flags))
            self.assertEqual([flag >> 16 for flag in flags if flag & IN_CHAIN], [0, 1, 2, 3])
            self.assertEqual({int.from_bytes(payload[76:80], "little") for payload in heads}, {4})

    def test_there_are_some(self):
        self.assertEqual(len(CHAINED), 2)


class FarCalls(unittest.TestCase):
    """That they hold what format 1.5 added: more calls known at the opening of a block than there are near places."""

    def test_blocks(self):
        for directory in FAR:
            self.assertEqual(info(directory)["format_minor"], 5)
            heads = [payload for kind, payload in records(directory / "events.000001") if kind == BLOCK]
            self.assertTrue(any(int.from_bytes(payload[12:16], "little") & FAR_CALLS for payload in heads))
            self.assertEqual({int.from_bytes(payload[76:80], "little") for payload in heads}, {5})

    def test_there_are_some(self):
        self.assertEqual(len(FAR), 2)


class OpenPasses(unittest.TestCase):
    """That they hold what format 1.8 added."""

    def test_rows(self):
        for directory in OPEN:
            self.assertEqual(info(directory)["format_minor"], 8)
            heads = [payload for kind, payload in records(directory / "events.000001") if kind == BLOCK]
            self.assertIn(8, {int.from_bytes(payload[76:80], "little") for payload in heads})
            passes = [row for row in table(directory) if row["event"] == "again" and row["code"] == "steps"]
            self.assertEqual(len(passes), 5 * 60 + 3 * (40 + 100))
            self.assertTrue(any(row["order_from"] != row["order"] for row in passes))

    def test_there_are_some(self):
        self.assertEqual(len(OPEN), 2)


class Numbered(unittest.TestCase):
    """That they hold what format 1.9 added."""

    def test_tasks(self):
        for directory in NUMBERED:
            self.assertEqual(info(directory)["format_minor"], 9)
            same = {row["task_id"] for row in table(directory) if row["task"] == "same" and row["code"] == "work"}
            self.assertEqual(len(same), 2)
            self.assertNotIn("", same)

    def test_texts(self):
        for directory in NUMBERED:
            self.assertIn(UNITS, kinds(directory / "meta"))
            done = subprocess.run([PATHLINE, "dump", directory, "--json"], capture_output=True, check=True)
            rows = [json.loads(line)["data"] for line in done.stdout.splitlines()]
            self.assertIn("WORD = 'äöü'", [row.get("source") for row in rows if (row.get("file") or "").endswith("/latin.py")])

    def test_tools(self):
        for directory in NUMBERED:
            rows = table(directory)
            self.assertEqual([row["type"] for row in rows if row["event"] == "gap"], ["tools"])
            self.assertIn("heard", [row["code"] for row in rows])
            self.assertNotIn("unheard", [row["code"] for row in rows])

    def test_there_are_some(self):
        self.assertEqual(len(NUMBERED), 2)


class Hidden(unittest.TestCase):
    """That they hold what format 1.6 added, also at the opening of a block."""

    def test_blocks(self):
        for directory in HIDDEN:
            self.assertEqual(info(directory)["format_minor"], 6)
            heads = [payload for kind, payload in records(directory / "events.000001") if kind == BLOCK]
            self.assertGreater(len(heads), 3)
            self.assertIn(6, {int.from_bytes(payload[76:80], "little") for payload in heads})

    def test_rows(self):
        for directory in HIDDEN:
            rows = table(directory)
            self.assertEqual([row["depth"] for row in rows if row["code"] == "heard" and row["event"] == "call"], ["4", "4", "2", "4", "4", "2"])
            self.assertNotIn("ask", {row["code"] for row in rows})
            self.assertEqual([row["type"] for row in rows if row["event"] == "gap"], ["jumped", "jumped"])

    def test_there_are_some(self):
        self.assertEqual(len(HIDDEN), 2)


class Silent(unittest.TestCase):
    """That they hold what format 1.7 added."""

    def test_blocks(self):
        for directory in SILENT:
            self.assertEqual(info(directory)["format_minor"], 7)
            heads = [payload for kind, payload in records(directory / "events.000001") if kind == BLOCK]
            self.assertEqual({int.from_bytes(payload[76:80], "little") for payload in heads}, {7})

    def test_yields_have_no_event(self):
        for directory in SILENT:
            yields = [(row["code"], row["line"]) for row in table(directory) if row["event"] == "yield"]
            self.assertGreater(len(yields), 15)
            self.assertEqual(recorded(directory, YIELD), yields.count(("handed_on", "13")))     # the yield from

    def test_their_returns_have(self):
        generators = "numbers", "handed_on", "guarded", "work.<locals>.<genexpr>"
        for directory in SILENT:
            returns = [row["code"] for row in table(directory) if row["event"] == "return" and row["code"] in generators]
            self.assertGreaterEqual(recorded(directory, RETURN), len(returns))
            self.assertGreater(len(returns), 2)

    def test_there_are_some(self):
        self.assertEqual(len(SILENT), 2)


class Implied(unittest.TestCase):
    """That they hold what format 1.11 added."""

    def test_blocks(self):
        for directory in IMPLIED:
            self.assertEqual(info(directory)["format_minor"], 11)
            heads = [payload for kind, payload in records(directory / "events.000001") if kind == BLOCK]
            self.assertEqual({int.from_bytes(payload[76:80], "little") for payload in heads}, {11})

    def test_passes(self):
        for directory in IMPLIED:
            passes = [row["code"] for row in table(directory) if row["event"] == "again"]
            self.assertEqual((passes.count("plain"), passes.count("work.<locals>.<genexpr>")), (5 + 1, 17))

    def test_there_are_some(self):
        self.assertEqual(len(IMPLIED), 2)


class Valued(unittest.TestCase):
    """That they hold what format 1.12 added."""

    def test_blocks(self):
        for directory in VALUED:
            self.assertEqual(info(directory)["format_minor"], 12)
            heads = [payload for kind, payload in records(directory / "events.000001") if kind == BLOCK]
            self.assertTrue(any(int.from_bytes(payload[12:16], "little") & IN_SECTIONS for payload in heads))

    def test_values(self):
        for directory in VALUED:
            rows = table(directory)
            of = {key: [row[key] for row in rows if row[key]] for key in ("args", "result", "sent", "exception")}
            self.assertIn("a=1, b=-2, exact=True, *more=(3.5, 1180591620717411303424), **named={'other': None}", of["args"])
            self.assertIn("values=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …+40 items], table={'k': (1, 2), 'token': <redacted>}, cycle=[1, [...]]",
                          of["args"])
            self.assertEqual([row["result"] for row in rows if row["code"] == "talk" and row["event"] == "yield"], ["'hello'", "8", "'abab'", "0"])
            self.assertEqual(of["sent"], ["4", "'ab'", "None"])
            self.assertEqual(set(of["exception"]), {"SoldOut('anvil', 2)", "StopIteration('done')", "SoldOut('thrown')"})

    def test_there_are_some(self):
        self.assertEqual(len(VALUED), 2)


class Changed(unittest.TestCase):
    """That they hold what format 1.13 added: variables."""

    def test_variables(self):
        for directory in CHANGED:
            self.assertEqual(info(directory)["format_minor"], 13)
            of = {}
            for row in table(directory):
                if row["changed"]:
                    of.setdefault(row["code"], []).append((row["line"], row["changed"]))
            self.assertEqual(of["count"], [("6", "total = 0"), ("7", "n = 0"), ("7", "n = 1"), ("6", "total = 1"), ("7", "n = 2"),
                                           ("6", "total = 3"), ("9", "n = <unset>")])
            self.assertIn(("17", "rows = [{'k': 2}], table = {'k': 2}"), of["grow"])
            self.assertIn(("18", "first = 1, others = [2, 3], password = <redacted>"), of["grow"])
            self.assertIn(("29", "seen = 5"), of["closure.<locals>.step"])
            self.assertIn(("48", "self = <Shop left=3>"), of["Shop.sell"])
            self.assertIn(("52", "left = ('nail',), error = <unset>"), of["Shop.sell"])

    def test_there_are_some(self):
        self.assertEqual(len(CHANGED), 2)


class BesideThePath(unittest.TestCase):
    """What format 1.15 added: events of sources beside the recorder; here of the kernel."""

    def test_rows_are_what_they_were(self):
        for directory in KERNEL:
            self.assertEqual(info(directory)["format_minor"], 15)
            done = subprocess.run([PATHLINE, "query", "--json", SOURCE_ROWS, directory], capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(done.stdout.splitlines(), (directory / "sources.json").read_bytes().splitlines())

    def test_kinds(self):
        for directory in KERNEL:
            texts = [json.loads(line)["data"]["text"] for line in (directory / "sources.json").read_bytes().splitlines()]
            self.assertTrue(any("lseek program.py fd 3 offset 1234 whence 0 result 1234" in text for text in texts))
            self.assertTrue(any("/no/such/file ENOENT" in text for text in texts))
            self.assertTrue(any(text.startswith("off ") and " sleep " in text for text in texts))
            self.assertTrue(any(text.startswith("wake ") for text in texts))

    def test_there_are_some(self):
        self.assertEqual(len(KERNEL), 1)


class Packed(unittest.TestCase):
    """Packs (1.14), of the recording 1.13-3.13: all of it, and without values and texts."""

    def test_rows(self):
        rows = table(HERE / "1.13-3.13")
        bare = [dict(row, **dict.fromkeys(FIELDS[FIELDS.index("args"):], "")) for row in rows]
        for name, expected in (("1.14-3.13", rows), ("1.14-3.13-stripped", bare)):
            path = HERE / (name + ".pathline")
            done = subprocess.run([PATHLINE, "dump", path, "--fields", ",".join(FIELDS)], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual([dict(zip(FIELDS, line.split("\t"))) for line in done.stdout.splitlines()], expected)
            self.assertEqual(subprocess.run([PATHLINE, "check", path], capture_output=True).returncode, 0)
        self.assertEqual(info(HERE / "1.14-3.13-stripped.pathline")["stripped"], "values sources")


if __name__ == "__main__":
    unittest.main()
