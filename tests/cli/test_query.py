"""pathline query: SQL over a recording. Its rows are those of dump, its sums those of counts, its
bounds reach the cursor, and nothing but SELECT is allowed."""
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

QUICK = False
INTERPRETERS = "two"

CALLS = '''\
import threading


def leaf(n):
    if n % 7 == 0:
        raise ValueError(n)
    return n


def middle(n):
    try:
        return leaf(n)
    except ValueError:
        return -1


def numbers(n):
    for i in range(n):
        yield i


def work(n):
    return sum(middle(i) for i in numbers(n))


threads = [threading.Thread(target=work, args=(70,), name=f"worker{i}") for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
work(30)
'''

# A block has about 100,000 events: enough for several of them
LONG = '''\
import _thread


def work(n):
    k = 0
    for i in range(n):
        k = step(k)
    return k


def step(k):
    return k + 1 if k % 3 else k + 2


def once():
    try:
        raise KeyError("once")
    except KeyError:
        return None


def other():
    step(1)
    done.release()


work(300000)
once()
done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(other, ())
done.acquire()
work(300000)
'''


class Asked(unittest.TestCase):
    maxDiff = None

    def ask(self, sql, *options, of=None, code=0):
        """The rows as dicts; of a query that must succeed, without a message."""
        done = (of or self.recorded).pathline("query", sql, "--json", *options)
        self.assertEqual((done.returncode, done.stderr), (code, b""), sql)
        return [json.loads(line)["data"] for line in done.stdout.decode().splitlines()]

    def one(self, sql, of=None):
        """The row of a query that has one, as a list."""
        rows = self.ask(sql, of=of)
        self.assertEqual(len(rows), 1, sql)
        return list(rows[0].values())

    def refused(self, sql, *options, code=2):
        done = self.recorded.pathline("query", sql, *options)
        self.assertEqual((done.returncode, done.stdout), (code, b""), sql)
        self.assertRegex(done.stderr, rb"\Apathline: query: [^\n]*\n\Z")
        return done.stderr.decode()[len("pathline: query: "):-1]


class Rows(Asked):
    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(CALLS, "calls.py")

    def test_events_are_those_of_dump(self):
        dumped = self.recorded.rows("-f", "process,thread,seq,event,file,first,code,line,depth,type")
        asked = self.ask("SELECT process, thread, seq, kind, file, first_line, function, line, depth, type FROM event")
        asked = [["" if v is None else str(v) for v in row.values()] for row in asked]
        self.assertEqual(sorted(asked), sorted(dumped))

    def test_bounds_change_nothing(self):
        """A + keeps a comparison from the cursor."""
        middle = self.one("SELECT time_ns FROM event WHERE thread = 1 LIMIT 1 OFFSET 200")[0]
        seq = self.one("SELECT max(seq) / 2 FROM event WHERE thread = 1")[0]
        for table, column, rest in (("event", "function", "= 'leaf'"), ("event", "function", "LIKE 'LEAF'"), ("event", "function", "GLOB 'm*'"),
                                    ("event", "file", "LIKE '%calls.py'"), ("event", "kind", "= 'raise'"), ("event", "kind", "IN ('call', 'return')"),
                                    ("event", "kind", "= 'no such'"), ("event", "thread", "= 1"), ("event", "thread", "> 1"), ("event", "seq", f"< {seq}"),
                                    ("event", "seq", f">= {seq}"), ("event", "seq", f"= {seq}"), ("event", "seq", f"BETWEEN {seq} AND {seq}.5"),
                                    ("event", "time_ns", f">= {middle}"), ("event", "time_ns", f"<= {middle}"), ("event", "time_ns", f"= {middle}"),
                                    ("event", "line", "= 5"), ("event", "line", "< 9"), ("event", "process", "= 2"), ("event", "seq", "= NULL"),
                                    ("event", "seq", "< 'text'"), ("event", "code", "= (SELECT code FROM code WHERE function = 'leaf')"),
                                    ("call", "function", "= 'leaf'"), ("call", "seq", f">= {seq}"), ("call", "seq", f"< {seq}"),
                                    ("call", "time_ns", f"<= {middle}"), ("call", "time_ns", f"> {middle}"), ("exception", "seq", f">= {seq}"),
                                    ("exception", "function", "= 'middle'"), ("exception", "time_ns", f"> {middle}"), ("line", "line", "= 5"),
                                    ("line", "function", "= 'leaf'"), ("event_count", "kind", "= 'call'"), ("function", "thread", "= 2")):
            with self.subTest(table=table, column=column, rest=rest):
                bounded, whole = (sorted(map(json.dumps, self.ask(f"SELECT * FROM {table} WHERE {sign}{column} {rest}"))) for sign in ("", "+"))
                self.assertEqual(bounded, whole)

    def test_or_loses_no_row(self):
        """SQLite scans once for each part, and knows rows again by their number."""
        for table, either, other in (("event", "thread = 1", "function = 'leaf'"), ("event", "kind = 'raise'", "line = 5"), ("call", "function = 'leaf'", "thread = 1"),
                                     ("exception", "function = 'middle'", "thread = 2"), ("line", "line = 5", "function = 'middle'"),
                                     ("event_count", "kind = 'call'", "line = 5"), ("function", "thread = 2", "function = 'leaf'"), ("process", "process = 1", "process = 2"),
                                     ("thread", "thread = 1", "thread = 2"), ("code", "function = 'leaf'", "function = 'middle'")):
            with self.subTest(table):
                bounded, whole = (sorted(map(json.dumps, self.ask(f"SELECT * FROM {table} WHERE {sign}{either} OR {sign}{other}"))) for sign in ("", "+"))
                self.assertEqual(bounded, whole)
                self.assertEqual(len(set(bounded)), len(bounded))

    def test_sums_are_counts_of_events(self):
        for kind, number in [row.values() for row in self.ask("SELECT kind, count(*) FROM event GROUP BY kind")]:
            self.assertEqual(self.one(f"SELECT sum(events) FROM event_count WHERE kind = '{kind}'"), [number])
        counted = self.ask("SELECT thread, file, function, line, hits FROM line ORDER BY 1, 2, 3, 4, 5")
        visited = self.ask("SELECT thread, file, function, line, count(*) AS hits FROM event WHERE kind IN ('line', 'again') "
                           "GROUP BY thread, file, code, line ORDER BY 1, 2, 3, 4, 5")
        self.assertEqual(counted, visited)
        for thread in (1, 2):
            row = self.one(f"SELECT calls, returns, unwinds, raises FROM function WHERE function = 'leaf' AND thread = {thread}")
            self.assertEqual(row, [70, 60, 10, 10])
        self.assertEqual(self.one("SELECT sum(yields), sum(resumes) FROM function WHERE function = 'numbers'"), [170, 170])

    def test_counted_in_a_range(self):
        at = self.one("SELECT time_ns FROM event WHERE function = 'leaf' AND thread = 1 LIMIT 1 OFFSET 100")[0]
        before, after, whole = (self.one(f"SELECT sum(hits) FROM line WHERE {bound}")[0]
                                for bound in (f"to_ns = {at}", f"from_ns = {at}", "1"))
        self.assertEqual(before + after, whole)
        self.assertEqual(before, self.one(f"SELECT count(*) FROM event WHERE kind IN ('line', 'again') AND time_ns < {at}")[0])

    def test_calls(self):
        self.assertEqual(self.one("SELECT count(*), count(DISTINCT seq) FROM call WHERE function = 'leaf' AND thread = 1"), [70, 70])
        self.assertEqual([list(row.values()) for row in self.ask("SELECT ended, caller, caller_line, count(*) FROM call WHERE function = 'leaf' GROUP BY 1")],
                         [["return", "middle", 12, 145], ["unwind", "middle", 12, 25]])
        self.assertEqual([list(row.values()) for row in self.ask("SELECT begun, ended, count(*) FROM call WHERE function = 'numbers' GROUP BY 1, 2")],
                         [["call", "yield", 3], ["resume", "return", 3], ["resume", "yield", 167]])
        self.assertEqual(self.one("SELECT count(*) FROM call"), self.one("SELECT count(*) FROM event WHERE kind IN ('call', 'resume', 'throw')"))
        # a call's own events are between its begin and its end, at its depth
        self.assertEqual(self.one("SELECT sum(e.depth < c.depth), sum(e.function = c.function) > 0 FROM call c JOIN event e "
                                  "ON e.process = c.process AND e.thread = c.thread AND e.seq BETWEEN c.seq AND c.end_seq "
                                  "WHERE c.function = 'middle' AND c.thread = 2"), [0, 1])

    def test_exceptions(self):
        rows = self.ask("SELECT function, arrives, type, count(*) FROM exception WHERE file LIKE '%calls.py' GROUP BY 1, 2, 3")
        self.assertEqual([list(row.values()) for row in rows if row["type"] == "ValueError"],
                         [["leaf", 0, "ValueError", 25], ["middle", 1, "ValueError", 25]])

    def test_codes_and_threads(self):
        self.assertEqual(self.one("SELECT first_line, lines >= ran, ran FROM code WHERE function = 'leaf'"), [4, 1, 3])
        self.assertEqual([row["name"] for row in self.ask("SELECT name FROM thread ORDER BY thread")], ["MainThread", "worker0", "worker1"])
        self.assertEqual(self.one("SELECT ended, end_code, threads FROM process"), ["exited", 0, 3])
        self.assertEqual(self.ask("SELECT * FROM loss"), [])
        own = self.one("SELECT sum(own_ns) <= max(cumulated_ns) * 3, min(own_ns) >= 0 FROM function")
        self.assertEqual(own, [1, 1])
        self.ask("SELECT * FROM sample")
        self.assertEqual(self.ask("SELECT * FROM task"), [])

    def test_functions(self):
        self.assertEqual(self.one("SELECT duration(1500), duration(NULL), moment('+1') - moment('+0')"), ["1.5 µs", None, 1000000000])
        self.assertRegex(self.one("SELECT clock(moment('+0'))")[0], r"^\d\d:\d\d:\d\d\.\d{9}$")
        self.assertIn("'x' is not a time", self.refused("SELECT moment('x')"))

    def test_order_of_a_thread_needs_no_sort(self):
        plan = self.ask("EXPLAIN QUERY PLAN SELECT * FROM event WHERE process = 1 AND thread = 1 ORDER BY seq")
        self.assertEqual([row["detail"] for row in plan], ["SCAN event VIRTUAL TABLE INDEX 0:process=,thread="])
        seqs = [row["seq"] for row in self.ask("SELECT seq FROM event WHERE process = 1 AND thread = 1 ORDER BY seq")]
        self.assertEqual(seqs, sorted(seqs))
        plan = self.ask("EXPLAIN QUERY PLAN SELECT * FROM event WHERE thread = 1 ORDER BY seq")
        self.assertIn("TEMP B-TREE", plan[-1]["detail"])


class Values(Asked):
    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(CALLS, "calls.py", "--values=calls")

    def test_arguments_and_results(self):
        self.assertEqual(self.one("SELECT count(*), sum(integer), min(name), min(type) FROM value WHERE kind = 'call' AND function = 'leaf' AND thread = 1"),
                         [70, sum(range(70)), "n", "int"])
        self.assertEqual(self.one("SELECT count(*), sum(integer) FROM value WHERE kind = 'return' AND function = 'middle' AND thread = 1"),
                         [70, sum(n if n % 7 else -1 for n in range(70))])
        self.assertEqual(self.one("SELECT text FROM value WHERE kind = 'raise' AND function = 'leaf' AND thread = 1 LIMIT 1"), ["ValueError(0)"])
        self.assertEqual(self.one("SELECT r.text FROM value a JOIN value r USING (process, thread) JOIN call c USING (process, thread) WHERE a.seq = c.seq "
                                  "AND r.seq = c.end_seq AND a.text = '12' AND c.function = 'leaf' AND thread = 1 AND a.thread = 1 AND r.thread = 1"), ["12"])

    def test_bounds_change_nothing(self):
        for where in ("function = 'leaf'", "kind = 'return'", "thread = 1", "seq < 500", "line = 6", "thread = 1 OR {}function = 'leaf'"):
            with self.subTest(where):
                bounded, whole = (sorted(map(json.dumps, self.ask(f"SELECT * FROM value WHERE {sign}{where.format(sign)}"))) for sign in ("", "+"))
                self.assertTrue(bounded)
                self.assertEqual(bounded, whole)


    def test_events_of_other_codes_are_passed_over(self):
        """With values, too, a bound of a code or a kind leaves events out without a visit."""
        for where in ("function = 'leaf'", "kind = 'return' AND function = 'middle'", "name = 'n'"):
            with self.subTest(where):
                rows = self.ask(f"SELECT seq, part, text FROM value WHERE {where}")
                self.assertTrue(rows)
                self.assertEqual(rows, self.ask(f"SELECT seq, part, text FROM value WHERE {where.replace('= ', '= +')}"))

    def test_json_of_calls(self):
        leaf = "FROM call WHERE function = 'leaf' AND thread = 1"
        self.assertEqual(self.one(f"SELECT count(*), sum(args ->> 'n'), sum(result) {leaf}"),
                         [70, sum(range(70)), sum(n for n in range(70) if n % 7)])
        self.assertEqual(self.one(f"SELECT args, result, ended {leaf} AND args ->> 'n' = 12"), ['{"n":12}', "12", "return"])
        self.assertEqual(self.one(f"SELECT args, result, ended {leaf} AND args ->> 'n' = 14"), ['{"n":14}', None, "unwind"])
        self.assertEqual(self.one("SELECT sum(result), count(args), count(*) FROM call WHERE function = 'numbers' AND thread = 1 AND ended = 'yield'"),
                         [sum(range(70)), 1, 70])
        for columns in ("function, begun, ended", "seq, end_seq, depth, caller"):
            self.assertEqual(self.ask(f"SELECT {columns} FROM call"),
                             [{k: v for k, v in row.items() if k != "args"} for row in self.ask(f"SELECT {columns}, args FROM call")])

    def test_json_of_exceptions(self):
        rows = self.ask("SELECT args ->> 0 AS n FROM exception WHERE function = 'leaf' AND thread = 1")
        self.assertEqual([row["n"] for row in rows], list(range(0, 70, 7)))


LINES = '''\
def price(qty):
    total = 0
    for i in range(qty):
        total += i
    left = total
    return left


for k in range(4):
    price(k)
'''


class Variables(Asked):
    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(LINES, "lines.py", "--values=lines")

    def test_those_of_lines_have_rows(self):
        self.assertEqual([list(row.values()) for row in self.ask("SELECT text, line, part FROM value('left')")],
                         [[text, 6, "variable"] for text in ("0", "0", "1", "3")])
        self.assertEqual(self.ask("SELECT * FROM value('left')"), self.ask("SELECT * FROM value WHERE name = 'left'"))
        self.assertEqual(self.ask("SELECT * FROM value('left')"), self.ask("SELECT * FROM value WHERE +name = 'left'"))

    def test_the_line_that_wrote_is_that_of_history(self):
        """The event that shows a variable is the next one of the frame, at the line that runs next.
        """
        self.assertEqual([list(row.values()) for row in self.ask("SELECT DISTINCT line, written_line FROM value('left')")], [[6, 5]])
        text = ("def outer():\n    count = 0\n    def increment():\n        nonlocal count\n        count = count + 1\n"
                "    for k in range(3):\n        increment()\n    try:\n        print(1 // 0)\n    except ArithmeticError:\n        count = 7\n"
                "    yield count\n    count = 8\nlist(outer())\nx = 1\nfor y in outer():\n    del x\n    x = {}\n    x[1] = 2\n")
        of = session.Recorded(text, "wrote.py", "--values", "lines")
        for name in "count", "k", "x", "y":
            wrote = [json.loads(line)["data"] for line in of.pathline("history", "--json", name).stdout.splitlines()]
            wrote = [(row["seq"], row["line"], row["text"]) for row in wrote if row["how"] == "wrote"]
            self.assertTrue(wrote)
            for extra in "", " AND +seq >= 0", " AND kind NOT IN ('call')":
                rows = self.ask(f"SELECT seq, written_line, text FROM value WHERE name = '{name}' AND written_line IS NOT NULL{extra}", of=of)
                self.assertEqual([tuple(row.values()) for row in rows], wrote, extra)

    def test_arguments_are_found_by_the_same_name(self):
        self.assertEqual([list(row.values()) for row in self.ask("SELECT part, kind, group_concat(text) FROM value('qty') WHERE changed IS NOT 0 GROUP BY 1")],
                         [["argument", "call", "0,1,2,3"]])

    def test_each_is_of_one_part(self):
        self.assertEqual([list(row.values()) for row in self.ask("SELECT DISTINCT part, name IS NULL AS nameless FROM value ORDER BY 1")],
                         [["argument", 0], ["result", 1], ["variable", 0]])
        self.assertEqual(self.one("SELECT group_concat(text) FROM value WHERE part = 'result' AND function = 'price'"), ["0,0,1,3"])
        self.assertEqual(self.one("SELECT max(integer) FROM value('total') WHERE function = 'price'"), [3])

    def test_exceptions_that_go_on_are_values(self):
        text = "def f(n):\n    try:\n        return n / 0\n    finally:\n        n = 1\ntry:\n    f(1)\nexcept ArithmeticError:\n    pass\n"
        counted = "SELECT (SELECT count(*) FROM value WHERE part = 'exception'), (SELECT count(*) FROM event WHERE kind IN ('raise', 'reraise') AND file LIKE '%once.py')"
        for values in ("calls", "lines"):
            found, events = self.one(counted, of=session.Recorded(text, "once.py", "--values", values))
            self.assertEqual(found, events, values)

    def test_the_name_is_in_the_plan(self):
        plan = self.ask("EXPLAIN QUERY PLAN SELECT text FROM value('qty') WHERE function = 'price'")
        self.assertEqual(plan[0]["detail"], "SCAN value VIRTUAL TABLE INDEX 0:function=,named=")


KINDS = '''\
import collections
import dataclasses


@dataclasses.dataclass
class Order:
    item: str
    count: int


Point = collections.namedtuple("Point", "x y")


def f(value):
    return value


f(None), f(True), f(-3), f(2.5), f(float("inf")), f(10 ** 30), f("a\\n\\"\\\\\\x7f\\u20ac"), f("\\ud800"), f("x" * 500)
f([1, [2, "x"]]), f((1,)), f(range(3)), f(b"\\0a"), f({"a": 1, 2: None, (3, 4): {}}), f(list(range(15))), f({n: n for n in range(15)})
f(Order("anvil", 2)), f(Point(1, 2)), f(ValueError("no", 1)), f(len), f({5}), f(...)
'''
KINDS_JSON = [
    None, True, -3, 2.5, "inf", 10 ** 30, "a\n\"\\\x7f\u20ac", "\ud800", "x" * 200 + "…",
    [1, [2, "x"]], [1], "range(0, 3)", "b'\\x00a'", {"a": 1, "2": None, "(3, 4)": {}}, [*range(10), "…+5"],
    {**{str(n): n for n in range(10)}, "…": "+5"},
    {"__class__": "Order", "item": "anvil", "count": 2}, {"__class__": "Point", "x": 1, "y": 2}, {"__class__": "ValueError", "args": ["no", 1]},
    "<function len>", [5], {"__class__": "ellipsis"}]


class Kinds(Asked):
    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(KINDS, "kinds.py", "--values=calls")

    def test_json_of_each_kind(self):
        rows = self.ask("SELECT json, json_valid(json) AS valid FROM value WHERE function = 'f' AND kind = 'call' ORDER BY seq")
        self.assertEqual({row["valid"] for row in rows}, {1})
        self.assertEqual([json.loads(row["json"]) for row in rows], KINDS_JSON)


class Forms(Asked):
    @classmethod
    def setUpClass(cls):
        cls.recorded = session.shop()

    def test_text(self):
        done = self.recorded.pathline("query", "SELECT function, calls, NULL AS none FROM function WHERE function IN ('square', 'fail') ORDER BY 1")
        self.assertEqual(done.stdout.decode().splitlines(), ["function  calls  none", "fail          1     -", "square        2     -"])

    def test_csv(self):
        done = self.recorded.pathline("query", "--csv", "SELECT 'a,\"b' AS x, 1.5 AS y, NULL AS z")
        self.assertEqual(done.stdout, b'x,y,z\r\n"a,""b",1.5,\r\n')

    def test_json(self):
        self.assertEqual(self.one("SELECT 'é\"' AS x, 1.5 AS y, NULL AS z, 9e999 AS i"), ['é"', 1.5, None, None])

    def test_into(self):
        file = os.path.join(session.scratch(), "out.sqlite")
        done = self.recorded.pathline("query", "--into", file, "SELECT seq, kind FROM event WHERE function = 'square'")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        with sqlite3.connect(file) as db:
            rows = db.execute("SELECT seq, kind FROM result ORDER BY seq").fetchall()
        self.assertEqual(len(rows), len(self.ask("SELECT 1 FROM event WHERE function = 'square'")))
        self.assertIn("is there already", self.refused("SELECT 1", "--into", file))
        self.refused("SELECT 1", "--into", os.path.join(file, "below"), code=1)
        other = os.path.join(session.scratch(), "other.sqlite")
        self.refused("SELECT moment('x')", "--into", other)
        self.assertFalse(os.path.exists(other))

    def test_stdin(self):
        done = subprocess.run([session.PATHLINE, "query", "-", "--csv"], cwd=self.recorded.folder, input=b"SELECT 1 AS one;\n", capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, b"one\r\n1\r\n"))

    def test_schema(self):
        rows = [json.loads(line) for line in session.pathline("query", "--schema", "--json").stdout.decode().splitlines()]
        tables = [row["data"]["table"] for row in rows if row["type"] == "table"]
        self.assertLessEqual({"event", "call", "line", "exception", "task", "thread", "process", "code", "sample", "function"}, set(tables))
        for table in tables:
            columns = [row["data"]["column"] for row in rows if row["type"] == "column" and row["data"]["table"] == table]
            named = ", ".join(f'"{column}"' for column in columns)
            with self.subTest(table):
                self.ask(f"SELECT {named} FROM {table} LIMIT 2")
        self.assertTrue(all(row["data"]["meaning"] for row in rows))
        text = session.pathline("query", "--schema").stdout.decode()
        self.assertIn("\n  time_ns       INTEGER ", text)


class Refused(Asked):
    @classmethod
    def setUpClass(cls):
        cls.recorded = session.shop()

    def test_only_select(self):
        for sql in ("DROP TABLE event", "CREATE TABLE x(y)", "ATTACH 'x' AS y", "PRAGMA cache_size", "DELETE FROM event", "INSERT INTO event DEFAULT VALUES",
                    "CREATE VIRTUAL TABLE x USING event", "VACUUM", "BEGIN", "WITH a AS (SELECT 1) DELETE FROM event", "SELECT load_extension('x')",
                    "SELECT * FROM pragma_database_list", "DETACH main", "ANALYZE", "SAVEPOINT a", "UPDATE event SET seq = 1"):
            with self.subTest(sql):
                self.refused(sql)
        self.assertEqual(self.refused("REINDEX"), "a query can only select")
        self.assertEqual(self.refused("CREATE TABLE x(y)"), "a query can only select; this would do more")

    def test_what_is_wrong(self):
        self.assertEqual(self.refused("SELECT functon FROM event"), "no such column: functon; did you mean 'function'?")
        self.assertEqual(self.refused("SELECT kind FROM exception"), "no such column: kind; of that name there is a column of event, value, event_count, source_event")
        self.assertEqual(self.refused("SELECT * FROM evnt"), "no such table: evnt; did you mean 'event'?")
        self.assertIn("syntax error", self.refused("SELECT FROM"))
        self.assertIn("one statement", self.refused("SELECT 1; SELECT 2"))
        self.assertIn("no statement", self.refused(" "))
        self.assertIn("not a size", self.refused("SELECT 1", "--memory", "1K"))
        self.assertIn("three forms", self.refused("SELECT 1", "--csv", "--json"))
        self.assertEqual(self.recorded.pathline("query").returncode, 2)

    def test_memory_is_bounded(self):
        self.assertIn("more memory", self.refused("SELECT length(replace(hex(zeroblob(8000000)), '00', '12345'))", "--memory", "8M", code=3))


class Long(Asked):
    """Of several blocks."""
    @classmethod
    def setUpClass(cls):
        cls.recorded = session.Recorded(LONG, "long.py")

    def blocks(self, sql):
        done = self.recorded.pathline("query", "--stat", sql)
        self.assertEqual(done.returncode, 0, done.stderr)
        return tuple(map(int, re.search(rb"rows, (\d+) blocks read, the recording has (\d+);", done.stderr).groups()))

    def test_bounds_read_few_blocks(self):
        read, there = self.blocks("SELECT count(*) FROM event")
        self.assertGreaterEqual(read, there)
        self.assertGreater(there, 6)
        last = self.one("SELECT max(seq) FROM event")[0]
        early = self.one("SELECT time_ns FROM event WHERE process = 1 AND thread = 0 AND seq = 100")[0]
        code, line = self.one("SELECT code, line FROM event WHERE kind = 'raise' AND function = 'once' LIMIT 1")
        at = self.one(f"SELECT time_ns FROM event WHERE process = 1 AND thread = 0 AND seq = {last // 2}")[0]
        for sql in (f"SELECT count(*) FROM event WHERE seq BETWEEN {last // 2} AND {last // 2 + 10}", f"SELECT line FROM event WHERE seq = {last - 5}",
                    f"SELECT count(*) FROM event WHERE time_ns BETWEEN {at} AND {at + 1000}",
                    "SELECT seq FROM event WHERE kind = 'raise' AND function = 'once'",
                    f"SELECT count(*) FROM event WHERE kind = 'raise' AND code = '{code}'",
                    f"SELECT count(*) FROM event WHERE kind = 'raise' AND line = {line}",
                    f"SELECT count(*) FROM event WHERE file LIKE '%long.py' AND time_ns <= {early}",
                    "SELECT count(*) FROM event WHERE thread = 1", "SELECT count(*) FROM event WHERE thread = 1 AND function = 'step'",
                    f"SELECT count(*) FROM event WHERE function = 'work' AND seq > {last - 100}",
                    "SELECT * FROM event WHERE process = 1 AND thread = 0 ORDER BY seq LIMIT 5", "SELECT * FROM event WHERE thread = 7"):
            with self.subTest(sql):
                self.assertLess(self.blocks(sql)[0], there - 2)

    def test_bounds_of_other_tables_read_few_blocks(self):
        """Their plans have the same bounds."""
        there = self.blocks("SELECT 1")[1]
        last = self.one("SELECT max(seq) FROM event")[0]
        for table, where, plan in (("call", f"process = 1 AND thread = 0 AND seq > {last - 100}", "process=,thread=,seq>"),
                                   ("exception", "function = 'once'", "function="), ("value", f"seq >= {last - 100}", "seq>="),
                                   ("value", "kind = 'raise'", "kind=")):
            with self.subTest(table, where=where):
                plans = [row["detail"] for row in self.ask(f"EXPLAIN QUERY PLAN SELECT 1 FROM {table} WHERE {where}")]
                self.assertEqual(plans, [f"SCAN {table} VIRTUAL TABLE INDEX 0:{plan}"])
                self.assertLess(self.blocks(f"SELECT count(*) FROM {table} WHERE {where}")[0], there - 2)

    def test_the_plan(self):
        for where, plan in (("process = 1 AND thread = 0", "process=,thread="), ("seq > 5", "seq>"), ("seq <= 5", "seq<="), ("time_ns >= 5", "time_ns>="),
                            ("function = 'x'", "function="), ("file LIKE '%x'", "file LIKE"), ("function GLOB 'x'", "function GLOB"), ("line = 5", "line="),
                            ("code = 'x'", "code="), ("kind = 'call'", "kind="), ("depth = 5", ""), ("function = 'x' COLLATE NOCASE", "")):
            with self.subTest(where):
                rows = self.ask(f"EXPLAIN QUERY PLAN SELECT * FROM event WHERE {where}")
                self.assertEqual(rows[0]["detail"], f"SCAN event VIRTUAL TABLE INDEX 0:{plan}")

    def test_ctrl_c(self):
        for sql in ("SELECT count(*) FROM event a, event b", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
                    "SELECT count(*) FROM call a, line b"):
            with self.subTest(sql):
                child = subprocess.Popen([session.PATHLINE, "query", sql], cwd=self.recorded.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE)
                while b"SigCgt:\t0000000000000002" not in pathlib.Path(f"/proc/{child.pid}/status").read_bytes():
                    self.assertIsNone(child.poll())
                    time.sleep(0.01)
                child.send_signal(signal.SIGINT)
                out, err = child.communicate(timeout=60)
                self.assertEqual((child.returncode, out, err), (130, b"", b""))

    def test_damage(self):
        """What is damaged is a gap, and the exit code."""
        damaged = session.Recorded(LONG, "long.py")
        events = os.path.join(damaged.directory, "events.000")
        name = events if os.path.exists(events) else os.path.join(damaged.directory, sorted(n for n in os.listdir(damaged.directory) if "event" in n)[0])
        with open(name, "r+b") as f:
            whole, part = f.read(), 1
            while damaged.pathline("dump").returncode == 0:  # samples can lie there
                part += 1
                at = len(whole) * part // 10
                f.seek(0)
                f.write(whole[:at] + b"\xff" * 64 + whole[at + 64:])
                f.flush()
        done = damaged.pathline("query", "SELECT count(*) AS gaps FROM event WHERE kind = 'gap'", "--csv")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"is damaged in", done.stderr)
        self.assertGreater(int(done.stdout.split()[1]), 0)
        searched = damaged.pathline("query", "SELECT count(*) FROM event WHERE kind = 'gap' OR function = 'work'", "--csv").stdout
        visited = damaged.pathline("query", "SELECT count(*) FROM event WHERE +kind = 'gap' OR +function = 'work'", "--csv").stdout
        self.assertEqual(searched.split()[1:], visited.split()[1:])


if __name__ == "__main__":
    unittest.main()
