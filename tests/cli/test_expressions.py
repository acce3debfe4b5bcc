"""--filter EXPR of calls and dump: what is selected, what is not, and what is refused where."""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

PROGRAM = '''\
import asyncio
import threading


class SoldOut(Exception):
    pass


class Order:
    def __init__(self, item, count):
        self.item = item
        self.count = count


def book(order, *rest, note=None):
    left = check(order)
    return left * 2.5


def check(order):
    if order.item == "anvil" and order.count > 2:
        raise SoldOut(order.item)
    return order.count


def numbers(n):
    for i in range(n):
        yield i


async def serve(name):
    await asyncio.sleep(0)
    return name.upper()


async def go():
    return await asyncio.gather(serve("a"), serve("b"))


def work(n):
    return work(n - 1) if n else {"done": True}


for i in range(5):
    try:
        book(Order("anvil" if i % 2 else "rope", i), {"item": i}, note="n%d" % i)
    except SoldOut:
        pass
list(numbers(3))
asyncio.run(go())
thread = threading.Thread(target=work, args=(3,), name="worker")
thread.start()
thread.join()
'''

_recorded = None


def recorded():
    global _recorded
    _recorded = _recorded or session.Recorded(PROGRAM, "shop.py", "--only-mine", "--values", "calls")
    return _recorded


def run(*words):
    done = recorded().pathline(*words)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def names(text, *words):
    """The calls that are selected, by name and what begins and ends them, without values."""
    code, out, err = run("calls", "--filter", text, *words)
    if code or err:
        raise AssertionError(f"{text}: {code} {err}")
    rows = [line for line in out.split("\n") if line and not re.match("process |thread ", line)]
    return [re.sub(r"  .*", "", re.sub(r"\(.*?\)(?= |$)", "", row.lstrip())) for row in rows]


def events(text, *words):
    code, out, err = run("dump", "--filter", text, "-f", "event,code", *words)
    if code or err:
        raise AssertionError(f"{text}: {code} {err}")
    return [tuple(row.split("\t")) for row in out.splitlines()]


def calls_by_place(text):
    calls = [json.loads(line)["data"] for line in run("calls", "--all", "--json", "--filter", text)[1].splitlines()]
    return {(call["process"], call["thread"], call["seq"]): {**call, "level": None} for call in calls}


class Calls(unittest.TestCase):
    maxDiff = None

    def expect(self, text, *expected, words=("--all",)):
        with self.subTest(text):
            self.assertEqual([re.match(r"[\w<>.]+", row)[0] for row in names(text, *words)], list(expected))

    def test_arguments(self):
        self.expect("args.order.item == 'anvil' and func == 'book'", "book", "book")
        self.expect("args.order.count > 2", "book", "check", "book", "check")
        self.expect("args.note == 'n3'", "book")
        self.expect("args.note in ('n1', 'n3', 'n9')", "book", "book")
        self.expect("args.rest[0]['item'] == 4", "book")
        self.expect("args.rest[0].item == 4", "book")
        self.expect("len(args.rest) == 1 and args.note like 'N2'", "book")
        self.expect("type(args.order) == 'Order' and args.order.count == 0", "book", "check")
        self.expect("args.note == 'n%' and not args.order.item ~ '^an'", "book", "book", "book")

    def test_results_and_exceptions(self):
        self.expect("result == 2.5", "book")
        self.expect("result > 4", "book", "book")
        self.expect("result['done']", "work", "work", "work", "work")
        self.expect("exception == 'SoldOut' and exception.args[0] == 'anvil'", "book", "check")
        self.expect("exception and func == 'check'", "check")

    def test_arguments_as_pytrace_names_them(self):
        self.expect("arg == 'note' and value == 'n3'", "book")
        self.expect("arg == 'return value' and value == 5.0", "book")
        self.expect("arg == 'exception' and type == 'SoldOut' and func == 'book'", "book")
        self.expect("arg == 'n' and value == 2", "work")

    def test_places(self):
        self.expect("module == 'shop' and func == 'chec%' and depth == 2", *["check"] * 5)
        self.expect("file == 'shop.py' and thread == 'worker'", *["work"] * 4)
        self.expect("thread == 1 and args.n == 0", "work")
        self.expect("event == 'yield' and func == 'numbers'", "numbers", "numbers", "numbers")

    def test_a_call_that_goes_on_has_its_arguments(self):
        self.assertEqual(names("args.name == 'b' and event == 'return'"), ["serve resumed -> 'B'"])
        self.expect("args.name == 'b'", "serve", "serve")

    def test_children_of_what_is_left_out(self):
        """They are indented by what is shown above them."""
        code, out, _ = run("calls", "--filter", "func == '<module>' or func == 'check'", "--all")
        self.assertEqual(code, 0)
        rows = [row for row in out.splitlines() if "check(" in row]
        self.assertEqual(len(rows), 5)
        self.assertTrue(all(row.startswith("  check(") for row in rows), rows)

    def test_levels_of_what_is_shown(self):
        self.assertEqual(len(names("func == 'work'", "--depth", "2", "--all")), 2)

    def test_nothing(self):
        code, out, err = run("calls", "--filter", "args.note == 'n7'")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("no call is selected", err)

    def test_names_of_other_readers(self):
        """dump and query call func code, report function."""
        for name in ("code", "function"):
            self.expect(f"{name} == 'book' and args.note == 'n3'", "book")


class Nothing(unittest.TestCase):
    """Where nothing is selected, it says which part is the reason, and what there is instead."""

    def test_the_part_and_the_nearest(self):
        for text, why in (
                ("module == 'shp%'", "module == 'shp%' matches nothing; nearest: shop, "),
                ("line > 1 and func == 'chekc'", "func == 'chekc' matches nothing; nearest: check, 5 calls"),
                ("thread == 'workr'", "thread == 'workr' matches nothing; nearest: worker"),
                ("func == 'zzzzzzz'", "func == 'zzzzzzz' matches nothing; there is: "),
                ("args.nte == 'n3'", "no function has an argument nte; nearest: note, 5 calls"),
                ("func == 'check' and args.note == 'n1'", "no function that the rest selects has an argument note"),
                ("args.note == 'm3'", "args.note == 'm3' is never true; it is 'n0', 'n1', 'n2', …"),
                ("args.order.item == 'anvl'", "args.order.item == 'anvl' is never true; nearest: 'anvil'"),
                ("args.order.count > 10", "args.order.count > 10 is never true; it is 0 to 4"),
                ("result == 4711", "result == 4711 is never true; it is 0 to "),
                ("exception == 'SoldOt'", "exception == 'SoldOt' is never true; nearest: 'SoldOut'"),
                ("args.order.cuont > 1", "nothing has a part args.order.cuont; nearest: count"),
                ("args.rest[0].itm == 1", "nothing has a part args.rest[0].itm; nearest: item"),
                ("result.total > 1", "nothing has a part result.total"),
                ("duration > 5h", "duration > 5h is never true; it is 0 s to ")):
            for command in ("calls", "dump"):
                with self.subTest(text, command=command):
                    code, out, err = run(command, "--filter", text)
                    self.assertEqual((code, out, err.count("\n")), (1, "", 1))
                    self.assertIn(f": {why}", err)

    def test_the_nearest_of_many(self):
        """It is none of the first texts that there were."""
        many = session.Recorded("def f(word):\n    return word\n\n\nfor i in range(300):\n"
                                "    f('anvil' if i == 200 else chr(97 + i % 26) * 5 + str(i))\n", "many.py", "--values", "calls")
        for text in ("args.word == 'anvli'", "result in ('anvl', 'x')", "value == 'anvli%'", "args.word like 'anvli'"):
            with self.subTest(text):
                done = many.pathline("calls", "--filter", text)
                self.assertEqual(done.returncode, 1)
                self.assertIn("is never true; nearest: 'anvil'", done.stderr.decode())

    def test_a_recording_without_values(self):
        plain = session.Recorded("def f(n):\n    return n\nf(1)\n", "plain.py", "--only-mine", "--values", "none")
        done = plain.pathline("calls", "--filter", "args.n == 1")
        self.assertIn("the recording has no arguments; record --values calls keeps them", done.stderr.decode())


class Stops(unittest.TestCase):
    """b, w and x of a replay with a condition."""

    def replay(self, *commands):
        done = subprocess.run([session.PATHLINE, "replay", "--plain"], cwd=recorded().folder, capture_output=True,
                              input="\n".join(commands).encode(), env=dict(os.environ, TZ="UTC"), timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [row.split("\t") for row in done.stdout.decode().splitlines()][1:]

    def test_a_call(self):
        rows = self.replay("b book if order.item == 'anvil' and note != 'n1'", "c", "c")
        self.assertEqual(rows[0], ["!", "stop 1: b book if order.item == 'anvil' and note != 'n1'"])
        seq = recorded().rows("--filter", "args.note == 'n3' and event == 'call'", "-f", "seq")[0][0]
        self.assertEqual(rows[1][2], seq)
        self.assertTrue(rows[2][1].startswith("no later stop"))

    def test_a_line_has_the_arguments_of_its_call(self):
        line = PROGRAM.splitlines().index("    return order.count") + 1
        rows = self.replay(f"b shop.py:{line} if order.count > 1", "c", "c", "c", "C", "C")
        self.assertEqual([row[2] if len(row) > 2 else row[0] for row in rows[1:]],
                         [rows[1][2], rows[2][2], "!", rows[1][2], "!"])
        self.assertLess(int(rows[1][2]), int(rows[2][2]))

    def test_an_exception(self):
        rows = self.replay("x SoldOut if order.count == 3", "c", "c")
        self.assertEqual(rows[1][5], "raise")
        self.assertEqual(rows[2][0], "!")
        self.assertEqual(self.replay("x if order.count == 4", "c")[1][0], "!")

    def test_why_there_is_none(self):
        for stop, why in (("b book if note == 'n7'", "note == 'n7' is never true; it is 'n0', 'n1', 'n2', …"),
                          ("b book if order.count > 7", "order.count > 7 is never true; it is 0 to 4"),
                          ("b book if ordr.count > 7", "where it was asked for, nothing was bound to ordr; nearest: order, 10 calls"),
                          ("b book if module == 'shp'", "module == 'shp' matches nothing; nearest: shop")):
            with self.subTest(stop):
                self.assertIn(f"; stop 1: {why}", self.replay(stop, "c")[1][1])
        self.assertNotIn("stop 1", self.replay("b book if note == 'n3'", "c", "c")[2][1])

    def test_a_generator_keeps_its_arguments(self):
        self.assertEqual([row[5] for row in self.replay("w serve if name == 'b'", "c", "c")[1:]], ["call", "resume"])

    def test_it_is_set_removed_and_listed(self):
        rows = self.replay("b book if note == 'n1'", "b book", "B", "b book if note == 'n1'", "B")
        self.assertEqual(rows[2][1], "1: b book if note == 'n1'; 2: b book")
        self.assertEqual(rows[3][1], "removed 1: b book if note == 'n1'")
        self.assertEqual(rows[4][1], "2: b book")

    def test_once(self):
        rows = self.replay("tbreak book if note == 'n1'", "c", "B")
        self.assertEqual(rows[1][5], "call")
        self.assertEqual(rows[2][1], "there is no stop")

    def test_faults(self):
        rows = self.replay("b book if note ==", "b book, note", "B")
        self.assertEqual(rows[0], ["!", "if: at column 8: it ends where a field, a number or a text is missing"])
        self.assertEqual(rows[2], ["!", "there is no stop"])

    def test_nothing_follows_if(self):
        for command, shown in (("b 30 if", "b 30"), ("tbreak book if", "tbreak book"), ("b shop.py:17 if", "b shop.py:17"), ("b if", "b"),
                               ("x SoldOut if", "x SoldOut"), ("x if", "x"), ("w book if", "w book")):
            with self.subTest(command):
                self.assertEqual(self.replay(command)[0],
                                 ["!", f"{command}: nothing follows if; say when to stop there, as in: {shown} if qty > 10"])

    def test_commands_alone(self):
        """/ and ? repeat the search, as in less; lines begin with 1."""
        rows = self.replay("/", "?", "/ book", "/", "?", "list 0", "hits 0", "until 0")
        for row, letter in zip(rows, "/?"):
            self.assertEqual(row, ["!", f"{letter} needs a regular expression, such as {letter} book; alone it repeats the last search, and there was none"])
        self.assertEqual([row[8] for row in rows[2:5]], ["book"] * 3)
        self.assertLess(int(rows[2][2]), int(rows[3][2]))
        self.assertEqual(rows[4], rows[2])
        self.assertEqual(rows[5:], [["!", "there is no line 0: the first line of a file is 1"]] * 3)

    def test_if_at_this_line(self):
        """b without a place is this line, also with a condition."""
        line = PROGRAM.splitlines().index("    left = check(order)") + 1
        self.assertEqual(self.replay("b book", "c", "s", "b if note == 'n1'")[3],
                         ["!", f"stop 2: b {recorded().folder}/shop.py:{line} if note == 'n1'"])


LINES = '''\
def numbers(n):
    for i in range(n):
        left = n - i
        yield left


def deep(n):
    part = n * 2
    if n:
        deep(n - 1)
    del n
    part += 1
    return part


def work(n):
    total = 0
    for i in range(n):
        part = i % 1000
        total += part
    squares = [i * i for i in range(3)]
    return total, squares


both = zip(numbers(4), numbers(6))
list(both)
deep(4)
work(HITS)
'''
HITS = 60000


class StopsOfLines(unittest.TestCase):
    """Conditions over variables, which lines change."""

    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(LINES.replace("HITS", str(HITS)), "lines.py", "--only-mine", "--values", "lines",
                                        "--values-limit", "second=1G")

    def places(self, *commands):
        """(seq, line) of where each command leads; None where it leads nowhere."""
        done = self.recorded.pathline("replay", "--plain", *(f"--command={command}" for command in commands))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row.split("\t") for row in done.stdout.decode().splitlines()[2:]]
        return [(int(row[2]), int(row[7])) if len(row) > 2 else None for row in rows]

    def test_forward_backward_and_from_the_middle_are_the_same(self):
        for stop, count in (("b lines.py:4 if left == 3", 2), ("b lines.py:4 if left == 3 and n == 6", 1), ("b lines.py:4 if args.n == 4", 4),
                            ("b lines.py:12 if part == 6", 1), ("b lines.py:12 if n == 3", 0), ("b lines.py:12 if args.n == 3", 1),
                            ("b lines.py:9 if part > 4 and n == part / 2", 0), ("b lines.py:9 if n > 2 and part == 8", 1),
                            ("b lines.py:20 if i == 7 or part == 999 and total > 1500000", 1 + (HITS // 1000 - 3)),
                            ("b lines.py:21 if i == 59999", 1), ("w numbers if left == 4", 2), ("b deep if n < 2", 2)):
            with self.subTest(stop):
                forward = self.places(stop, *["c"] * (count + 1))
                self.assertEqual([place is not None for place in forward], [True] * count + [False])
                self.assertEqual(self.places(stop, "j end", *["C"] * (count + 1))[1:], [*forward[:count][::-1], None])
                if count > 1:
                    seq = forward[count - 2][0] + 1
                    self.assertEqual(self.places(stop, f"j #{seq}", "c")[1:], [forward[count - 1]])

    def test_a_line_that_runs_often(self):
        begin = os.times().children_user
        self.assertEqual([place[1] for place in self.places(f"b lines.py:20 if i == {HITS - 1} and part == {(HITS - 1) % 1000}", "c")], [20])
        self.assertLess(os.times().children_user - begin, 8)


class Dump(unittest.TestCase):
    def test_call_and_end_have_the_arguments(self):
        self.assertEqual(events("args.note == 'n1'"), [("call", "book"), ("return", "book")])
        self.assertEqual(events("args.note == 'n3'"), [("call", "book"), ("unwind", "book")])
        self.assertEqual(events("args.note == 'n1' and event == 'call'"), [("call", "book")])
        self.assertEqual(events("args.name == 'a'"), [(kind, "serve") for kind in ("call", "yield", "resume", "return")])

    def test_an_end_has_the_duration(self):
        self.assertEqual({kind for kind, _ in events("duration >= 0ms")}, {"return", "yield", "unwind"})
        self.assertEqual(events("duration > 1h or args.note == 'n1' and duration < 1h"), [("return", "book")])

    def test_results_and_exceptions(self):
        self.assertEqual(events("result == 2.5"), [("return", "book")])
        self.assertEqual(events("exception.args[0] == 'anvil' and func == 'check'"),
                         [("raise", "check"), ("unwind", "check")])

    def test_the_same_with_all_threads_and_with_one(self):
        for text in ("args.n == 2", "line == 41", "event == 'call' and func == 'work'", "not event == 'line'"):
            with self.subTest(text):
                self.assertEqual(events(text, "-t", "1"), events(f"({text}) and thread == 1"))
                self.assertEqual(events(text, "-t", "0,1"), events(text))

    def test_what_is_passed_over_has_no_match(self):
        """Ends are visited only while a call is open that may match. --follow visits each event."""
        for text in ("args.n == 2", "args.n > 0 and duration < 1h", "args.n == 2 and event == 'return'", "args.name == 'a'",
                     "args.order.count > 2 and event == 'unwind'", "arg == 'n' and value == 3", "result == 2 or args.n == 1",
                     "exception == 'SoldOut' and args.order.count == 3", "not args.n == 2", "args.n == 3 or event == 'raise'",
                     "arg == 'return value' and value == 2.5", "args.item", "type == 'Order'"):
            with self.subTest(text):
                found = recorded().rows("--filter", text, "-f", "thread,seq,event,code")
                self.assertTrue(found)
                self.assertEqual(sorted(found), sorted(recorded().rows("--follow", "--filter", text, "-f", "thread,seq,event,code")))

    def test_from_a_time_on(self):
        """The search begins there."""
        times = recorded().rows("--filter", "event == 'call' and thread == 0", "-f", "time")
        middle = float(times[len(times) // 2][0][:-5])
        for text in ("event == 'call'", "args.n == 3", "args.name == 'a'"):
            with self.subTest(text):
                rows = recorded().rows("--filter", text, "-f", "time,thread,seq")
                self.assertEqual(recorded().rows("--filter", f"time >= {middle} and ({text})", "-f", "time,thread,seq"),
                                 [row for row in rows if float(row[0]) >= middle])
                after = {place: call for place, call in calls_by_place(text).items() if float(call["time"]) >= middle}
                self.assertEqual(calls_by_place(f"time >= {middle} and ({text})"), after)

    def test_several_threads_are_in_their_order(self):
        """Each thread is searched by itself; all rows are those that a program would choose."""
        fields = "thread,seq,order,event,code"
        rows = recorded().rows("-f", fields)
        for text, chosen in (("event == 'call'", lambda row: row[3] == "call"), ("not event == 'line'", lambda row: row[3] != "line"),
                             ("func == 'work' or func == 'serve'", lambda row: row[4] in ("work", "serve")),
                             ("thread == 1 or event == 'raise'", lambda row: row[0] == "1" or row[3] == "raise")):
            with self.subTest(text):
                self.assertEqual(recorded().rows("--filter", text, "-f", fields), [row for row in rows if chosen(row)])
        seq = [row[1] for row in rows if row[0] == "1"][-3]
        self.assertEqual(recorded().rows("--filter", "event != 'line'", "-f", fields, "--to", f"#{seq}"),
                         [row for row in rows if row[3] != "line" and int(row[1]) <= int(seq)])

    def test_with_other_selections(self):
        self.assertEqual(events("args.note == 'n1'", "-e", "return"), [("return", "book")])
        seq = recorded().rows("--filter", "args.note == 'n3' and event == 'call'", "-f", "seq")[0][0]
        self.assertEqual(events("args.note", "-t", "0", "--from", f"#{seq}"),
                         [("call", "book"), ("unwind", "book"), ("call", "book"), ("return", "book")])

    def test_lines_have_no_arguments(self):
        self.assertIn("of the events that the rest selects none has arguments; calls and their ends have",
                      run("dump", "--filter", "event == 'line' and args.order.count > 2")[2])

    def test_faults(self):
        for text, expected in (("modul == 'x'", "at column 1: modul is not a field; did you mean module?"),
                               ("func == 'f' and qty > 3", "at column 17: qty is not a field, and no argument or variable has this name; "
                                "there are: args.self, args.item, args.count, "),
                               ("note == 'n3'", "at column 1: note is not a field; the argument is args.note"),
                               ("not oder.count > 3", "at column 5: oder is not a field; did you mean args.order?"),
                               ("event == 'cal'", "at column 10: no event is 'cal'; did you mean 'call'?"),
                               ("duration > 5", "at column 12: 5: it is not a duration; say 5ms")):
            code, out, err = run("dump", "--filter", text)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1))
            self.assertIn(f"pathline: dump: --filter: {expected}", err)

    def test_variables(self):
        lines = session.Recorded("def f(amount):\n    total = amount * 2\n    return total\n\n\nf(1)\n", "vars.py", "--values", "lines")
        for text, expected in (("total == 2", "total is a variable; an expression has fields and arguments alone; `pathline history total` has "),
                               ("totl == 2", "totl is not a field; did you mean the variable total; an expression has "),
                               ("amont == 2", "amont is not a field; did you mean args.amount?"),
                               ("modul == 'x'", "modul is not a field; did you mean module?"),
                               ("bogus == 2", "bogus is not a field, and no argument or variable has this name; there are: args.amount; "
                                "variables, for `pathline history`: f, total\n")):
            with self.subTest(text):
                done = lines.pathline("calls", "--filter", text)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"--filter: at column 1: {expected}", done.stderr.decode())
        done = lines.pathline("replay", "--plain", "--command=b f if totla == 2", "--command=c")
        self.assertIn("nothing was bound to totla; nearest: total", done.stdout.decode())

    def test_a_person_sees_the_place(self):
        leader, follower = os.openpty()
        subprocess.run([session.PATHLINE, "dump", "--filter", "func == 'f' and qty > 3"], cwd=recorded().folder, stderr=follower, stdout=subprocess.DEVNULL)
        os.close(follower)
        shown = os.read(leader, 4096).decode().splitlines()
        os.close(leader)
        self.assertEqual(shown[1:], ["  func == 'f' and qty > 3", " " * 18 + "^"])


if __name__ == "__main__":
    unittest.main()
