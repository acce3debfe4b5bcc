"""pathline export: what each format has is what dump, report and query say."""
import collections
import json
import os
import stat
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from session import pathline  # noqa: E402

INTERPRETERS = "two"
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
PROGRAM = '''\
import asyncio
import threading


def numbers(n):
    for i in range(n):
        yield i


def fail(text):
    raise ValueError(text)


def book(order, count=2):
    total = sum(numbers(count))
    try:
        fail("no \\"anvil\\"")
    except ValueError:
        pass
    return {"total": total, "of": order}


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


async def job(n):
    for _ in range(n):
        await asyncio.sleep(0)
        book(n)
    return n


async def main():
    await asyncio.gather(*(job(i) for i in range(1, 4)))


thread = threading.Thread(target=book, args=("t",), name="w\\u00f6rker \\"1\\"")
thread.start()
thread.join()
asyncio.run(main())
book([1, 2.5, None])
fib(6)
fail("at the end")
'''
BEGINS = ("call", "resume", "throw")
ENDS = ("return", "yield", "unwind")


def fields(data):
    """The fields of a protocol buffer: number -> its values, in order."""
    found, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        elif tag & 7 == 1:
            value = struct.unpack_from("<Q", data, at)[0]
            at += 8
        else:
            length = varint()
            value = data[at:at + length]
            at += length
        found[tag >> 3].append(value)
    return found


def packed(data):
    """The varints of a packed field."""
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = session.scratch()
        with open(os.path.join(cls.folder, "shop.py"), "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        done = pathline("record", "-q", "-o", "recording", "--only-mine", session.PYTHON, "shop.py", cwd=cls.folder)
        assert done.returncode == 1, done.stderr
        cls.events = [json.loads(line)["data"] for line in pathline("dump", "--json", "recording", cwd=cls.folder).stdout.splitlines()]

    def export(self, name, *words, code=0, recording="recording"):
        done = pathline("export", "--format", name, *words, recording, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout if code == 0 else done.stderr.decode()

    def path(self):
        """What dump has of begins and ends: thread -> [(kind, name)]."""
        path = collections.defaultdict(list)
        for event in self.events:
            if event["event"] in BEGINS + ENDS:
                path[event["tid"]].append((event["event"] in BEGINS, event["code"]))
        return path

    def test_chrome_has_the_path_of_each_thread(self):
        trace = json.loads(self.export("chrome"))
        path, open_names = collections.defaultdict(list), collections.defaultdict(list)
        for event in trace["traceEvents"]:
            if event["ph"] == "B":
                open_names[event["tid"]].append(event["name"])
                path[event["tid"]].append((True, event["name"]))
            elif event["ph"] == "E":
                path[event["tid"]].append((False, open_names[event["tid"]].pop()))
        self.assertEqual(path, self.path())
        self.assertFalse(any(open_names.values()))
        names = [e["args"]["name"] for e in trace["traceEvents"] if e.get("name") == "thread_name"]
        self.assertIn('w\u00f6rker "1"', names)

    def test_chrome_has_values_exceptions_and_tasks(self):
        events = json.loads(self.export("chrome"))["traceEvents"]
        calls = [e for e in events if e["ph"] == "B" and e["name"] == "book"]
        self.assertIn({"order": [1, 2.5, None], "count": 2}, [e["args"]["args"] for e in calls])
        self.assertIn("Task-2", {e["args"].get("task") for e in calls})
        results = [e["args"]["result"] for e in events if e["ph"] == "E" and "result" in e["args"]]
        self.assertIn({"total": 1, "of": "t"}, results)
        raised = [e for e in events if e["ph"] == "i" and e["cat"] == "raise" and e["args"]["line"] == 11]
        self.assertEqual({e["name"] for e in raised}, {"ValueError"})
        unwound = [e["args"]["exception"] for e in events if e["ph"] == "E" and e["args"].get("end") == "unwind"]
        self.assertIn("ValueError", unwound)

    def test_a_task_that_yields_is_joined_with_where_it_goes_on(self):
        events = json.loads(self.export("chrome"))["traceEvents"]
        begun = collections.Counter(e["id"] for e in events if e["ph"] == "s")
        ended = collections.Counter(e["id"] for e in events if e["ph"] == "f")
        self.assertTrue(begun)
        self.assertEqual(begun, ended)

    def test_lines_are_slices_within_those_of_their_frames(self):
        events = json.loads(self.export("chrome", "--lines"))["traceEvents"]
        lines, stacks = [], collections.defaultdict(list)
        for event in events:
            stack = stacks[event["tid"]]
            if event["ph"] == "B":
                if event["cat"] == "line":
                    lines.append((event["tid"], event["args"]["line"]))
                    self.assertEqual(stack[-1], "function")
                stack.append(event["cat"])
            elif event["ph"] == "E":
                stack.pop()
        ran = [(e["tid"], e["line"]) for e in self.events if e["event"] in ("line", "again")]
        self.assertEqual(sorted(lines), sorted(ran))
        self.assertIn("24: return n if n < 2 else fib(n - 1) + fib(n - 2)", [e["name"] for e in events if e["ph"] == "B"])

    def test_speedscope_opens_and_closes_the_same(self):
        file = json.loads(self.export("speedscope"))
        names = [f["name"] for f in file["shared"]["frames"]]
        paths = []
        for profile in file["profiles"]:
            last, stack = profile["startValue"], []
            for event in profile["events"]:
                self.assertGreaterEqual(event["at"], last)
                last = event["at"]
                if event["type"] == "O":
                    stack.append(event["frame"])
                else:
                    self.assertEqual(stack.pop(), event["frame"])
            self.assertGreaterEqual(profile["endValue"], last)
            self.assertFalse(stack)
            paths.append([(e["type"] == "O", names[e["frame"]]) for e in profile["events"]])
        self.assertEqual(sorted(paths), sorted(self.path().values()))

    def test_greenlets_of_a_thread_take_turns_in_its_profile(self):
        for folder in ("1.1-3.11-greenlets", "1.1-3.13-greenlets"):
            recording = os.path.join(GOLDEN, folder)
            for profile in json.loads(self.export("speedscope", recording=recording))["profiles"]:
                stack = []
                for event in profile["events"]:
                    if event["type"] == "O":
                        stack.append(event["frame"])
                    else:
                        self.assertEqual(stack.pop(), event["frame"])
            trace = json.loads(self.export("chrome", recording=recording))["traceEvents"]
            names = [e["args"]["name"] for e in trace if e.get("name") == "thread_name"]
            self.assertTrue(any("greenlet" in name for name in names), names)
            begins = sum(e["ph"] == "B" for e in trace)
            dumped = pathline("dump", "-e", "call,resume,throw", "-f", "seq", recording).stdout
            self.assertEqual(begins, len(dumped.splitlines()))

    def spans(self, *words):
        lines = self.export("otlp", *words).splitlines()
        return [span for line in lines for resource in json.loads(line)["resourceSpans"]
                for scope in resource["scopeSpans"] for span in scope["spans"]]

    def test_otlp_has_a_span_for_each_stretch(self):
        spans = self.spans()
        self.assertEqual(len(spans), sum(e["event"] in BEGINS for e in self.events))
        by_id = {span["spanId"]: span for span in spans}
        self.assertEqual(len(by_id), len(spans))
        for span in spans:
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
            if "parentSpanId" in span:
                parent = by_id[span["parentSpanId"]]
                self.assertEqual(parent["traceId"], span["traceId"])
                self.assertLessEqual(int(parent["startTimeUnixNano"]), int(span["startTimeUnixNano"]))
        failed = {span["name"] for span in spans if span.get("status") == {"code": 2}}
        self.assertEqual(failed, {"fail", "<module>"})
        book = next(span for span in spans if span["name"] == "book")
        attributes = {a["key"]: a["value"] for a in book["attributes"]}
        self.assertEqual(attributes["args.count"], {"stringValue": "2"})
        self.assertEqual(attributes["code.file.path"], {"stringValue": os.path.join(os.path.realpath(self.folder), "shop.py")})

    def test_a_filter_leaves_the_nearest_selected_caller_as_parent(self):
        spans = self.spans("--filter", "func in ('book', 'fail')")
        self.assertEqual({span["name"] for span in spans}, {"book", "fail"})
        by_id = {span["spanId"]: span for span in spans}
        inner = [span for span in spans if span["name"] == "fail" and "parentSpanId" in span]
        self.assertEqual(len(inner), len(spans) // 2)
        self.assertEqual({by_id[span["parentSpanId"]]["name"] for span in inner}, {"book"})

    def test_perfetto_has_the_path_of_each_track(self):
        names, tracks = {}, {}
        path, stacks = collections.defaultdict(list), collections.defaultdict(list)
        for packet in map(fields, fields(self.export("perfetto"))[1]):
            for interned in map(fields, packet.get(12, [])):
                for name in map(fields, interned.get(2, [])):
                    names[name[1][0]] = name[2][0].decode()
            for track in map(fields, packet.get(60, [])):
                for thread in map(fields, track.get(4, [])):
                    tracks[track[1][0]] = thread[2][0]
            for event in map(fields, packet.get(11, [])):
                tid = tracks[event[11][0]]
                if event[9] == [1]:
                    stacks[tid].append(names[event[10][0]])
                    path[tid].append((True, stacks[tid][-1]))
                elif event[9] == [2]:
                    path[tid].append((False, stacks[tid].pop()))
        self.assertEqual(path, self.path())

    def packets(self, data):
        """The events of a stream: (number, time, thread, fields)."""
        kinds = ("TTITT", "TT", "TIT", "TT", "TT", "TT")
        at, last = 0, 0
        while at < len(data):
            magic, stream, first, end, used, size = struct.unpack_from("<IIQQQQ", data, at)
            self.assertEqual((magic, stream, used), (0xC1FC1FC1, 0, size))
            stop, at = at + used // 8, at + 40
            while at < stop:
                number, time, _pid, tid = struct.unpack_from("<HQII", data, at)
                at += 18
                self.assertTrue(max(first, last) <= time <= end)
                last, values = time, []
                for kind in kinds[number]:
                    if kind == "I":
                        values.append(struct.unpack_from("<I", data, at)[0])
                        at += 4
                    else:
                        nul = data.index(0, at)
                        values.append(data[at:nul].decode())
                        at = nul + 1
                yield number, time, tid, values
            self.assertEqual(at, stop)

    def test_ctf_has_the_path_in_a_stream_a_thread(self):
        folder = os.path.join(self.folder, "trace")
        self.export("ctf", "--lines", "-o", folder)
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
        with open(os.path.join(folder, "metadata"), encoding="utf-8") as f:
            metadata = f.read()
        self.assertTrue(metadata.startswith("/* CTF 1.8 */\n"))
        path, lines = collections.defaultdict(list), []
        for name in set(os.listdir(folder)) - {"metadata"}:
            with open(os.path.join(folder, name), "rb") as f:
                for number, _time, tid, values in self.packets(f.read()):
                    if number in (0, 1):
                        path[tid].append((number == 0, values[0]))
                    elif number == 2:
                        lines.append((tid, values[1]))
        self.assertEqual(path, self.path())
        self.assertEqual(sorted(lines), sorted((e["tid"], e["line"]) for e in self.events if e["event"] in ("line", "again")))
        self.assertIn("it exists", self.export("ctf", "-o", folder, code=2))
        self.assertIn("--output names it", self.export("ctf", code=2))

    def test_pprof_has_the_calls_of_each_function(self):
        profile = fields(self.export("pprof"))
        strings = [text.decode() for text in profile[6]]
        self.assertEqual(strings[0], "")
        functions = {f[1][0]: strings[f[2][0]] for f in map(fields, profile[5])}
        locations = {}
        for location in map(fields, profile[4]):
            line = fields(location[4][0])
            locations[location[1][0]] = functions[line[1][0]]
        calls, time = collections.Counter(), 0
        for sample in map(fields, profile[2]):
            values = packed(sample[2][0])
            calls[locations[packed(sample[1][0])[0]]] += values[0]
            time += values[1]
        dumped = collections.Counter(e["code"] for e in self.events if e["event"] in BEGINS)
        self.assertEqual(calls, dumped)
        self.assertGreater(time, 0)

    def test_callgrind_adds_up(self):
        total, own, called, expects_call = 0, 0, 0, False
        names = {}
        for line in self.export("callgrind").decode().splitlines():
            if line.startswith("totals:"):
                total = int(line.split()[1])
            elif line.startswith(("fl=", "cfi=", "fn=", "cfn=")):
                number, _, name = line.split("=", 1)[1].partition(" ")
                self.assertEqual(number in names, not name)
                names.setdefault(number, name)
            elif line.startswith("calls="):
                called += int(line.split("=")[1].split()[0])
                expects_call = True
            elif line[:1].isdigit():
                own += 0 if expects_call else int(line.split()[1])
                expects_call = False
        self.assertEqual(own, total)
        bottoms = pathline("query", "--csv", "select count(*) from call where depth = 0", "recording", cwd=self.folder).stdout
        begins = sum(e["event"] in BEGINS for e in self.events)
        self.assertEqual(called, begins - int(bottoms.split()[-1]))

    def test_collapsed_is_what_report_writes(self):
        lines = self.export("collapsed").decode().splitlines()
        reported = pathline("report", "--collapsed", "recording", cwd=self.folder).stdout.decode().splitlines()
        self.assertEqual(lines, reported)

    def test_from_begins_with_what_is_on_the_stack(self):
        fib = next(e for e in self.events if e["event"] == "call" and e["code"] == "fib")
        trace = json.loads(self.export("chrome", "--thread", "0", "--from", f"#{fib['seq'] + 3}"))["traceEvents"]
        begins = [e for e in trace if e["ph"] == "B"]
        self.assertEqual([e["name"] for e in begins[:2]], ["<module>", "fib"])
        self.assertEqual([e["args"]["began"] for e in begins[:2]], ["earlier"] * 2)
        self.assertEqual(len(begins), sum(e["ph"] == "E" for e in trace))

    def test_to_ends_what_is_open(self):
        trace = json.loads(self.export("chrome", "--thread", "0", "--to", "50%"))["traceEvents"]
        self.assertEqual(sum(e["ph"] == "B" for e in trace), sum(e["ph"] == "E" for e in trace))
        self.assertIn({"end": "not recorded"}, [e.get("args") for e in trace])

    def test_the_file_is_there_when_it_is_whole(self):
        path = os.path.join(self.folder, "out.json")
        self.export("chrome", "-o", path)
        with open(path, "rb") as f:
            self.assertEqual(f.read(), self.export("chrome"))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertIn("--force replaces it", self.export("chrome", "-o", path, code=2))
        self.export("otlp", "--force", "-o", path)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".part")], [])

    def test_output_that_cannot_be_written(self):
        for path, why in (("/dev/full", b"not a regular file"), ("no/such/out", b"No such file")):
            done = pathline("export", "--format", "chrome", "-o", path, "recording", cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([session.PATHLINE, "export", "--format", "otlp", "recording"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)

    def test_what_cannot_be_is_refused(self):
        self.assertIn("did you mean 'chrome'", self.export("chrom", code=2))
        self.assertIn("--filter cannot be used with it", self.export("pprof", "--filter", "func == 'book'", code=2))
        self.assertIn("known at the end of a call", self.export("otlp", "--filter", "duration > 1ms", code=2))
        done = pathline("export", "recording", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--format is missing", done.stderr)

    def test_names_that_are_not_text(self):
        recording = session.scratch() + "/odd"
        code = "exec(compile('def f\\u00e9(): pass\\nf\\u00e9()', b'odd\\xff\"\\n.py'.decode(errors='surrogateescape'), 'exec'))"
        done = pathline("record", "-q", "-o", recording, session.PYTHON, "-c", code)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("chrome", "speedscope", "otlp"):
            text = self.export(name, recording=recording).decode()
            self.assertIn('odd\\udcff\\"\\u000a.py', text)
            for line in text.splitlines() if name == "otlp" else [text]:
                json.loads(line)
        self.assertIn("odd\ufffd\"\n.py", self.export("perfetto", recording=recording).decode(errors="ignore"))
        self.assertNotIn(b"odd\xff\"\n", self.export("callgrind", recording=recording))


if __name__ == "__main__":
    unittest.main()
