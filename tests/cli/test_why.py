"""pathline why: tracebacks with what is known of each frame, and the exceptions that led to
them."""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
from session import PYTHON, pathline, scratch  # noqa: E402

INTERPRETERS = "two"

CHAIN = '''\
class SoldOut(Exception):
    pass


def price(item, count):
    for i in range(3):
        count += i
    return {"anvil": 30}[item] * count


def book(order):
    item = order["item"]
    try:
        cost = price(item, order["count"])
    except KeyError as error:
        raise SoldOut(item) from error
    return cost


def clean(order):
    left = 0
    left / 0


def main():
    orders = [{"item": "anvil", "count": 2}, {"item": "rocket", "count": 1}]
    for order in orders:
        try:
            book(order)
        except SoldOut:
            clean(order)
        finally:
            done = True


main()
'''
AGAIN = '''\
def low(n):
    return 1 / n


def middle(n):
    try:
        return low(n)
    except ZeroDivisionError as error:
        raise error


def closing(n):
    try:
        return middle(n)
    except ZeroDivisionError:
        raise
    finally:
        n += 1


def none(n):
    try:
        {}[n]
    except KeyError:
        pass
    try:
        closing(n)
    except ValueError:
        pass


none(0)
'''
HIDDEN = '''\
def hide(n):
    try:
        {}[n]
    except KeyError:
        raise ValueError("n must not be 0", n) from None


hide(0)
'''
KEPT = '''\
class Retry(Exception):
    pass


def ask(n):
    raise ConnectionError("refused", n)


def retry(times):
    last = None
    for i in range(times):
        try:
            ask(i)
        except ConnectionError as error:
            last = error
    raise Retry(times) from last


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        raise RuntimeError("exit")


def managed():
    with Manager():
        retry(3)


managed()
'''
THREAD = '''\
import threading


def work(name, n):
    return [1, 2][n]


t = threading.Thread(target=work, args=("a", 7), name="worker")
t.start()
t.join()
'''
FUTURE = '''\
from concurrent.futures import ThreadPoolExecutor


def job(n):
    return 10 / n


def main(last):
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(job, n) for n in (2, 1, last)]
        return [f.result() for f in futures]


main(0)
'''
TASK = '''\
import asyncio


async def fetch(url):
    await asyncio.sleep(0.01)
    raise OSError(5, "no such host", url)


async def main():
    t = asyncio.create_task(fetch("x.org"), name="fetcher")
    await asyncio.sleep(0)
    await t


asyncio.run(main())
'''
GROUP = '''\
import asyncio


class SoldOut(Exception):
    pass


async def take(item, count):
    await asyncio.sleep(0)
    if item == "rocket":
        raise SoldOut(item, count)
    if item == "magnet":
        return {}[item]
    await asyncio.sleep(10)


async def main():
    async with asyncio.TaskGroup() as group:
        for item in "anvil", "rocket", "magnet":
            group.create_task(take(item, 3), name=item)


asyncio.run(main())
'''
OVER = '''\
import asyncio


async def price(item):
    return {"rope": 3}[item]


async def order(item):
    return await price(item)


async def main():
    tasks = [asyncio.create_task(order(item)) for item in ("rocket", "anvil")]
    await asyncio.sleep(0)
    tasks[1].exception()
    for t in tasks:
        got = await t


asyncio.run(main())
'''
GATHER = '''\
import asyncio


async def worker(queue):
    while True:
        await queue.get()


async def price(item):
    await asyncio.sleep(0)
    return {"rope": 3}[item]


async def main():
    others = [asyncio.create_task(worker(asyncio.Queue())) for n in range(2)]
    return await asyncio.gather(price("rope"), price("rocket"), price("anvil"))


asyncio.run(main())
'''
TO_THREAD = '''\
import asyncio


def load(item):
    return {"rope": 3}[item]


async def main():
    return await asyncio.to_thread(load, "rocket")


asyncio.run(main())
'''
MANY = "def fill(last):\n" + "".join(f"    v{n} = {n}\n" for n in range(30)) + "    del v29\n    1 / last\n\n\nfill(0)\n"
PROCESS = '''\
import multiprocessing


def child(n):
    return 10 / n


if __name__ == "__main__":
    p = multiprocessing.get_context("fork").Process(target=child, args=(0,))
    p.start()
    p.join()
'''
EXIT = '''\
import sys


def leave(code):
    sys.exit(code)


leave(3)
'''
INTERRUPT = '''\
import os
import signal


def wait(n):
    os.kill(os.getpid(), signal.SIGINT)
    for i in range(10**6):
        n += i


signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background have it ignored
wait(4)
'''
KILL = '''\
import os
import signal


def stop(n):
    os.kill(os.getpid(), signal.SIGKILL)


stop(4)
'''
DEEP = '''\
def down(n):
    return down(n + 1)


down(0)
'''
FINE = '''\
def get(key):
    return {}[key]


def attempt(key):
    try:
        get(key)
    except KeyError:
        pass


attempt("x")
'''
CAUSE = "The above exception was the direct cause of the following exception:"
CONTEXT = "During handling of the above exception, another exception occurred:"

_recorded = {}


def recorded(text, values="calls", *more):
    """The folder of its recording, and what Python wrote about its end."""
    if (text, values, *more) not in _recorded:
        folder = scratch()
        with open(os.path.join(folder, "shop.py"), "w", encoding="utf-8") as f:
            f.write(text)
        done = pathline("record", "--values", values, *more, "--python", PYTHON, "--", "shop.py", cwd=folder)
        _recorded[text, values, *more] = folder, done.stderr.decode()
    return _recorded[text, values, *more]


def why(text, *words, values="calls"):
    done = pathline("why", *words, cwd=recorded(text, values)[0])
    if done.returncode or done.stderr:
        raise AssertionError(f"why {words}: {done.returncode} {done.stderr!r}")
    return done.stdout.decode()


def traceback(shown):
    """Its lines that Python's own traceback has, without positions, and without frames of the
    standard library."""
    lines = re.sub(r"(?m)^(  File .*?)   ?(thread \d+ )?#\d+$", r"\1", shown).split("\n")
    kept, skip = [], False
    for line in lines:
        skip = "/lib/python" in line if line.startswith("  File ") else skip and line.startswith("    ")
        if not skip and (line.startswith("  File ") or re.match(r"    \S|\w[\w.]*(Error|Group|Out|Retry|Exit|Interrupt)\b", line)
                         or line in (CAUSE, CONTEXT)):
            kept.append(line)
    return kept


def pythons(told, folder):
    """The same of what Python wrote."""
    told = told.replace(os.path.realpath(folder) + "/", "").replace("__main__.", "").replace("in __exit__", "in Manager.__exit__")
    lines = [line for line in told.split("\n") if not re.fullmatch(r"[ ~^]*", line) and not line.startswith("pathline: ")]
    return traceback("\n".join(lines))


class Text(unittest.TestCase):
    maxDiff = None

    def assert_as_python(self, text, *more):
        folder, told = recorded(text, "calls", *more)
        shown = pathline("why", cwd=folder).stdout.decode()
        shown = [line for line in traceback(shown) if not re.search(r" ended |, at ", line)]
        self.assertEqual(shown, pythons(told, folder))
        return shown

    def test_chain(self):
        shown = self.assert_as_python(CHAIN)
        self.assertLess(shown.index(CAUSE), shown.index(CONTEXT))

    def test_task_that_was_over_before_it_was_awaited(self):
        """Of two tasks alike it is the one that is awaited first."""
        for more in (), ("--only-mine",):
            shown = self.assert_as_python(OVER, *more)
            self.assertEqual([line.split()[-1] for line in shown if line.startswith("  File")], ["<module>", "main", "order", "price"])

    def test_gather(self):
        """What failed first, and not what ended last: tasks that asyncio.run cancelled."""
        for more in (), ("--only-mine",):
            self.assertIn("KeyError: 'rocket'", self.assert_as_python(GATHER, *more))
        self.assertIn("line 11, in price", " ".join(traceback(why(GATHER, values="none"))))
        shown = pathline("report", "--exceptions", "--json", cwd=recorded(GATHER, "calls", "--only-mine")[0]).stdout.decode()
        ends = {(row["type"].split(".")[-1], row["ended"]) for row in (json.loads(line)["data"] for line in shown.splitlines())}
        self.assertEqual({type for type, end in ends if end == "main thread"}, {"KeyError"})

    def test_thread_of_a_coroutine(self):
        for more in (), ("--only-mine",):
            self.assertIn("    return {\"rope\": 3}[item]", self.assert_as_python(TO_THREAD, *more))

    def test_newest_variables(self):
        shown = why(MANY, values="lines")
        self.assertRegex(shown, r"(?s) last = 0 .* v11 = 11 .* v29 = <unset>  \(shop\.py:32 .*… 11 more variables, written before these")
        self.assertNotIn(" v10 =", shown)

    def test_chain_without_values(self):
        with_values, without = (traceback(why(CHAIN, values=values)) for values in ("calls", "none"))
        self.assertEqual([line.split(":")[0] for line in with_values], [line.split(":")[0] for line in without])
        self.assertIn("--values lines", why(CHAIN, values="none"))

    def test_frames_have_arguments_and_lines(self):
        shown = why(CHAIN)
        self.assertRegex(shown, r'''(?x) File\ "shop.py",\ line\ 8,\ in\ price\ \ \#\d+\n
            \ {4}return\ .*\n
            \ {6}item\ =\ 'rocket'\ \ \(argument\)\n
            \ {6}count\ =\ 1\ \ \(argument\)\n
            \ {6}ran\ {5}7\ \ count\ \+=\ i\ \ ×\ 3\ \#\d+\n
            \ {14}6\ \ for\ i\ in\ range\(3\):\ \ ×\ 4\ \#\d+\n
            \ {14}8\ \ return''')
        self.assertRegex(shown, r"\Aprocess 1  pid \d+  .*shop\.py\nthread 0  MainThread\nZeroDivisionError ended the main thread, at 2")

    def test_position_leads_to_where_it_was_raised(self):
        seq = re.search(r"replay -p 1 -t 0 --at '(#\d+)'", why(CHAIN)).group(1)
        shown = pathline("replay", "--plain", "--at", seq, cwd=recorded(CHAIN)[0]).stdout.decode()
        self.assertRegex(shown, r"raise\t.*shop\.py\t22\tclean\tZeroDivisionError")

    def test_variables_of_lines(self):
        shown = why(CHAIN, values="lines")
        self.assertRegex(shown, r"""(?x) line\ 8,\ in\ price .*\n.*\n
            \ {6}item\ =\ 'rocket'\ \ \(argument\)\n
            \ {6}count\ =\ 4\ \ \(shop\.py:7\ \#\d+\)\n
            \ {6}i\ =\ 2\ \ \(shop\.py:6\ \#\d+\)\n""")
        self.assertRegex(shown, r"      left = 0  \(shop\.py:21 #\d+\)\n")
        self.assertNotIn("price = ", shown)
        self.assertNotIn("--values lines", shown)

    def test_raised_again(self):
        """One traceback with the frames of each raise, as Python has it; what was handled before
        did not lead to it."""
        for values in "calls", "none":
            shown = traceback(why(AGAIN, values=values))
            self.assertEqual([re.sub(r'.*line (\d+), in (.*)', r"\1 \2", line) for line in shown if line.startswith("  File")],
                             ["32 <module>", "27 none", "14 closing", "9 middle", "7 middle", "2 low"])

    def test_context_that_is_not_to_be_shown(self):
        for values in "calls", "none":
            self.assertEqual(why(HIDDEN, values=values).count("Traceback"), 1)
        self.assertIn("ValueError: ('n must not be 0', 0)\n", why(HIDDEN))

    def test_cause_that_was_kept(self):
        self.assert_as_python(KEPT)

    def test_deep(self):
        shown = why(DEEP)
        self.assertRegex(shown, r"\[Previous line repeated \d+ more times\]\n  File .*\n.*\n      n = 99\d  ")
        self.assertLess(shown.count("\n"), 60)

    def test_no_line_is_long_and_none_has_escapes(self):
        text = "def f(a):\n    " + "a" + " + a" * 100 + " / 0\n\nf('" + "x" * 500 + "')\n"
        shown = why(text)
        self.assertLessEqual(max(map(len, shown.split("\n"))), 200)
        self.assertIn("…", shown)
        self.assertNotIn("\x1b", shown)
        self.assertLessEqual(max(map(len, why(text, "-w", "80").split("\n"))), 80)
        self.assertIn(" + a" * 100 + " / 0\n", why(text, "--width=0"))


class Ends(unittest.TestCase):
    """What it ended."""

    def test_thread(self):
        shown = why(THREAD)
        self.assertRegex(shown, r"\nthread 1  worker\nIndexError ended thread worker, at ")
        self.assertRegex(shown, r"in work  #\d+\n.*\n      name = 'a'  \(argument\)\n      n = 7  \(argument\)\n")
        self.assertTrue("list index out of range" in shown)
        self.assertRegex(shown, r"\nOther threads then:\n  thread 0 MainThread #\d+ in <module>, shop\.py:(9  t\.start|10  t\.join)\(\)\n")

    def test_future(self):
        """What its thread raised belongs to the traceback."""
        shown = why(FUTURE)
        self.assertRegex(shown, r"ZeroDivisionError ended the main thread, at ")
        self.assertRegex(shown, r"in job  thread \d #\d+\n    return 10 / n\n      n = 0  \(argument\)\n")

    def test_task(self):
        shown = why(TASK)
        lines = traceback(shown)
        self.assertRegex(lines[-2] + lines[-4], "raise OSError.*await t|await t")
        self.assertRegex(shown, r"in fetch  #\d+\n.*\n      url = 'x.org'  \(argument\)\n")
        self.assertIn("\nOSError: [Errno 5] no such host\n", shown)
        self.assertRegex(shown, r"\nTasks that waited then:\n  task 1 Task-1 #\d+ in main, shop\.py:12  await t\n")

    def test_group(self):
        shown = why(GROUP)
        first, second = shown.split("\nException 1 of the group:\n")[1].split("\nException 2 of the group:\n")
        self.assertRegex(first, r"item = 'rocket'  \(argument\)\n      count = 3")
        self.assertIn("SoldOut: ('rocket', 3)", first)
        self.assertIn("KeyError: 'magnet'", second)
        self.assertRegex(second, r"line 13, in take")
        self.assertNotIn("Exception 1", why(GROUP, values="none"))

    def test_process(self):
        shown = why(PROCESS)
        self.assertRegex(shown, r"\Aprocess 2  pid")
        self.assertRegex(shown, r"\nZeroDivisionError ended process 2, at ")
        self.assertRegex(shown, r"in child  #\d+\n    return 10 / n\n      n = 0  \(argument\)\n")

    def test_exit(self):
        shown = why(EXIT)
        self.assertRegex(shown, r"\nSystemExit ended the main thread, at ")
        self.assertIn("\nSystemExit: 3\n", shown)
        self.assertIn("      code = 3  (argument)\n", shown)

    def test_interrupt(self):
        self.assertRegex(why(INTERRUPT), r"in wait  #\d+\n(.*\n)*      n = 4  \(argument\)\n(.*\n)*KeyboardInterrupt\n")

    def test_kill(self):
        done = pathline("why", cwd=recorded(KILL)[0])
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr.decode(), r"process 1 was killed by signal 9; `pathline replay --process 1 --end`")

    def test_a_program_that_does_not_begin(self):
        """Of a file that cannot be compiled 3.12 runs nothing at all, others what says so."""
        folder = session.scratch()
        with open(os.path.join(folder, "wrong.py"), "w", encoding="utf-8") as f:
            f.write("def f(:\n    pass\n")
        done = pathline("record", "--python", session.PYTHON, "--", "wrong.py", cwd=folder)
        told = done.stderr.decode()
        self.assertRegex(told, "SyntaxError: .*\n")
        self.assertRegex(told, r"pathline: nothing (of the program ran|was recorded): .*not .*read or compile")
        if "recorded in" in told:
            done = pathline("why", cwd=folder)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr.decode(), "why: nothing of the program ran: Python could not read or compile it")

    def test_none(self):
        done = pathline("why", cwd=recorded(FINE)[0])
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr.decode(), r"\Apathline: why: no exception ended a thread, task or process; .*--exceptions")

    def test_record_names_it(self):
        self.assertRegex(recorded(CHAIN)[1], r"\npathline: see why: +pathline why\n")
        self.assertNotIn("see why:", recorded(FINE)[1])


class At(unittest.TestCase):
    def seq(self, pattern):
        shown = pathline("calls", "--all", cwd=recorded(FINE)[0]).stdout.decode()
        return re.search(pattern + r".*(#\d+)\n", shown).group(1)

    def test_call(self):
        """One that an exception ended, as `calls` shows it."""
        shown = why(FINE, "--at", self.seq("get.* !! KeyError"))
        self.assertRegex(shown, r"\nKeyError ended get, |\nKeyError was handled in attempt, line 8")
        self.assertIn("      key = 'x'  (argument)\n", shown)
        self.assertIn("\nKeyError: 'x'\n", shown)

    def test_raise_and_after_it(self):
        dumped = pathline("dump", "-e", "raise,return", "-f", "seq,event,code", cwd=recorded(FINE)[0]).stdout.decode().splitlines()
        rows = [line.split("\t") for line in dumped]
        raised = [seq for seq, event, code in rows if event == "raise" and code in ("get", "attempt")]
        for seq in raised:
            shown = why(FINE, "--at", "#" + seq)
            self.assertRegex(shown, r"\nKeyError was handled in attempt, line 8, at ")
        self.assertRegex(shown, r"in attempt  #\d+\n(.*\n)*.*in get  #\d+\n")
        after = next(seq for seq, event, code in rows if event == "return" and code == "attempt")
        self.assertEqual(why(FINE, "--at", "#" + after), shown)

    def test_before_any(self):
        done = pathline("why", "--at", "#0", cwd=recorded(FINE)[0])
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr.decode(), r"no exception was raised in that thread up to #0")


class Number(unittest.TestCase):
    def test_rows_of_the_report(self):
        folder = recorded(CHAIN)[0]
        rows = [json.loads(line)["data"] for line in
                pathline("report", "--exceptions", "--json", cwd=folder).stdout.decode().splitlines()]
        wanted = {row["type"]: row for row in rows if row["file"].endswith("shop.py")}
        self.assertEqual([(wanted[name]["message"], wanted[name]["call"]) for name in ("ZeroDivisionError", "SoldOut", "KeyError")],
                         [("division by zero", "order={'item': 'rocket', 'count': 1}"), ("rocket", "order={'item': 'rocket', 'count': 1}"),
                          ("'rocket'", "item='rocket', count=1")])
        shown = pathline("report", "--exceptions", "-n", "0", cwd=folder).stdout.decode()
        self.assertRegex(shown, r"(?m)^ +\d+ +1  SoldOut: rocket +book\(order={'item': 'rocket', 'count': 1}\) +handled ")
        for name in wanted:
            number = str(wanted[name]["number"])
            self.assertRegex(shown, rf"(?m)^ +{number} +1  {name}: ")
            raised = json.loads(why(CHAIN, "-n", number, "--json").splitlines()[0])["data"]["raised"]
            self.assertEqual((raised["seq"], raised["line"]), (wanted[name]["last_seq"], wanted[name]["line"]))
        self.assertRegex(why(CHAIN, "-n", str(wanted["SoldOut"]["number"])), "\nSoldOut was handled in main, line 30, at ")

    def test_none(self):
        for words, code, told in ((("-n", "100000"), 1, r"has \d+ rows, and no row 100000"), (("-n", "0"), 2, "'0' is not a number from 1 on"),
                                  (("-n", "1", "--at", "#1"), 2, "--at and -n are two exceptions")):
            done = pathline("why", *words, cwd=recorded(CHAIN)[0])
            self.assertEqual((done.returncode, done.stdout), (code, b""))
            self.assertRegex(done.stderr.decode(), told)

    def test_report_without_values(self):
        row = json.loads(pathline("report", "--exceptions", "--json", cwd=recorded(CHAIN, "none")[0]).stdout.decode().splitlines()[0])["data"]
        self.assertEqual((row["number"], row["type"], row["message"], row["call"]), (1, "ZeroDivisionError", None, None))


class Json(unittest.TestCase):
    def test_chain(self):
        rows = [json.loads(line)["data"] for line in why(CHAIN, "--json").splitlines()]
        self.assertEqual([(row["is"], row["of"], row["type"], row["message"]) for row in rows],
                         [("asked", None, "ZeroDivisionError", "division by zero"), ("context", 0, "SoldOut", "rocket"),
                          ("cause", 1, "KeyError", "'rocket'")])
        self.assertEqual(rows[0]["end"], "ended the main thread")
        frame = rows[2]["frames"][-1]
        self.assertEqual((frame["code"], frame["line"], frame["source"]), ("price", 8, 'return {"anvil": 30}[item] * count'))
        self.assertEqual([(v["name"], v["value"]["value"], v["of_call"], v["line"]) for v in frame["variables"]],
                         [("item", "rocket", True, None), ("count", 1, True, None)])
        self.assertEqual([(line["line"], line["passes"]) for line in frame["ran"]], [(7, 3), (6, 4), (8, 1)])
        self.assertEqual(rows[2]["exception"]["type"], "KeyError")

    def test_without_values(self):
        rows = [json.loads(line)["data"] for line in why(CHAIN, "--json", values="none").splitlines()]
        self.assertEqual([row["type"] for row in rows], ["ZeroDivisionError", "SoldOut", "KeyError"])
        self.assertEqual({row["message"] for row in rows}, {None})
        self.assertEqual({frame["variables_are"] for row in rows for frame in row["frames"]}, {"not kept"})


if __name__ == "__main__":
    unittest.main()
