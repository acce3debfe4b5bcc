"""Tasks: each has a number of its own and the name that it had then, in every row of its frames."""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "rotating"

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tasks")


def minor():
    return int(subprocess.check_output([session.PYTHON, "-c", "import sys; print(sys.version_info[1])"], text=True))


# What tools/python-packages installed for the interpreter
SITE = os.path.join(session.BUILD, "site", f"3.{minor()}")


def has(*modules):
    done = subprocess.run([session.PYTHON, "-c", "import " + ", ".join(modules)], env=dict(os.environ, PYTHONPATH=SITE), capture_output=True,
                          check=False)
    return done.returncode == 0


class Run:
    """A program of tasks/, recorded: .noted is what it says of each call of note(), .rows are the
    path's rows."""

    FIELDS = "process,event,code,generator,task_id,task,depth,thread,greenlet,file"

    def __init__(self, program, *words, options=()):
        self.folder = session.scratch()
        self.recording = os.path.join(self.folder, "r")
        self.done = session.pathline("record", "-q", "-o", self.recording, *options, "--", session.PYTHON, os.path.join(HERE, program), *words,
                                     PYTHONPATH=SITE, PYTHONDONTWRITEBYTECODE="1")
        if self.done.returncode:
            raise AssertionError(f"{program}: {self.done.returncode} {self.done.stderr.decode()}")
        self.said = self.done.stdout.decode()
        checked = session.pathline("check", self.recording)
        if checked.returncode:
            raise AssertionError(f"{program}: {checked.stdout.decode()} {checked.stderr.decode()}")
        self.rows = session.rows(self.recording, "--fields", self.FIELDS)

    def noted(self):
        """(process, label, name) for each call, by process."""
        texts, at = [], 0
        while at < len(self.said):
            value, length = json.JSONDecoder().raw_decode(self.said[at:])
            texts.append(value)
            at += length
        return texts

    def calls(self):
        """(task_id, task) of each call of note(), a list for each process"""
        found = {}
        for process, event, code, _, task_id, task, *_ in self.rows:
            if event == "call" and code == "note":
                found.setdefault(process, []).append((task_id, task))
        return list(found.values())


class Tasks(unittest.TestCase):
    def agree(self, run, whole=True):
        noted, calls = run.noted()[0], run.calls()[0]
        self.assertEqual(len(noted), len(calls))
        self.assertEqual([name for _, name in noted], [name if said is not None else None for (_, said), (_, name) in zip(noted, calls)])
        numbers = {}
        for (label, _), (number, _) in zip(noted, calls):
            self.assertTrue(number, (label, number))
            numbers.setdefault(label, set()).add(number)
        self.assertEqual([], [label for label, own in numbers.items() if len(own) != 1], "one task, several numbers")
        given = [min(own) for own in numbers.values()]
        self.assertEqual(len(given), len(set(given)), "several tasks, one number")
        if whole:
            self.every_row_has_it(run)

    def every_row_has_it(self, run):
        """All rows of a coroutine of the program are of one task."""
        tasks = {}
        for process, event, code, generator, task_id, _, _, _, _, file in run.rows:
            if os.path.dirname(file) == HERE and generator != "0" and event != "possible":
                tasks.setdefault((process, code, generator), set()).add(task_id)
        self.assertTrue(tasks)
        self.assertEqual({}, {frame: own for frame, own in tasks.items() if "" in own or (len(own) > 1 and frame[1] != "numbers")})

    def test_three_of_one_name_and_a_renamed_one(self):
        run = Run("one_name.py")
        self.every_row_has_it(run)
        names = {}
        for _, _, code, generator, task_id, task, *_ in run.rows:
            if code == "work":
                names.setdefault((generator, task_id), []).append(task)
        self.assertEqual(len(names), 4)
        self.assertEqual(len({task_id for _, task_id in names}), 4)
        self.assertEqual(sorted(set(map(tuple, map(dict.fromkeys, names.values())))), [("before", "after"), ("worker",)])
        done = session.pathline("report", "--tasks", "--json", run.recording)
        rows = [json.loads(line)["data"] for line in done.stdout.splitlines()]
        rows = [row for row in rows if row.get("task") in ("worker", "before", "after")]
        self.assertEqual(sorted(row["task"] for row in rows), ["after", "worker", "worker", "worker"])
        self.assertEqual(len({row["task_id"] for row in rows}), 4)
        for row in rows:
            self.assertGreaterEqual(row["wait_ns"], 90_000_000)
            self.assertEqual(row["stretches"], 3)

    def test_an_exception_that_is_thrown_through_asynchronous_generators(self):
        """The coroutines that await them have no frame meanwhile."""
        for options in (), ("--only-mine",):
            run = Run("thrown.py", options=options)
            self.every_row_has_it(run)
            thrown = {row[5] for row in run.rows if row[1:3] == ["throw", "leaf"]}
            self.assertEqual(thrown, {f"outer {depth} {swallow}" for depth in range(3) for swallow in (False, True)})

    def test_a_task_that_is_renamed_while_it_runs(self):
        """Its last name is known from the end of each of its stretches; by any of its names it is
        found whole."""
        for options in (), ("--only-mine",):
            run = Run("renamed.py", options=options)
            done = session.pathline("report", "--tasks", "--json", run.recording)
            rows = [json.loads(line)["data"] for line in done.stdout.splitlines()]
            numbers = {row["task"]: row["task_id"] for row in rows if row.get("task_id")}
            names = {f"request-{n}" for n in range(4)} | {"waits"}
            self.assertEqual({name for name in numbers if name != "Task-1"}, names)
            for name in names:
                def dump(word):
                    return session.rows(run.recording, "--task", word, "--fields", "tid,seq,event,task_id")
                whole = dump(str(numbers[name]))
                self.assertGreaterEqual(len(whole), 3, name)
                self.assertEqual(dump(name), whole, name)
                self.assertEqual(dump(f"Task-{numbers[name]}"), whole, name)
            done = session.pathline("report", "--blocking", "250ms", "--json", run.recording)
            blocks = [json.loads(line)["data"] for line in done.stdout.splitlines()]
            self.assertEqual({row["task"] for row in blocks if row.get("kind") == "loop"}, {"request-1"}, blocks)
            done = session.pathline("replay", "--plain", run.recording, "--command=T")
            for name in names:
                self.assertIn(name, done.stdout.decode())

    def test_replay_finds_it_by_any_of_its_names(self):
        for options in (), ("--clock", "line"):
            run = Run("renamed.py", options=options)
            done = session.pathline("report", "--tasks", "--json", run.recording)
            rows = [json.loads(line)["data"] for line in done.stdout.splitlines()]
            numbers = {row["task"]: row["task_id"] for row in rows if row.get("task_id")}
            for name in "request-1", "request-2", "request-3", "waits":
                def parts(word):
                    go = ["--command=T " + word] * 4
                    return session.pathline("replay", "--plain", run.recording, *go).stdout.decode()
                whole = parts(str(numbers[name]))
                self.assertIn("renamed.py", whole.splitlines()[1])
                self.assertNotIn("there is no task", whole)
                self.assertEqual(parts(name), whole)
                self.assertEqual(parts(f"Task-{numbers[name]}"), whole)

    def waits(self, *options):
        run = Run("waits.py", options=options)
        done = session.pathline("report", "--tasks", "--json", run.recording)
        rows = {row.get("task"): row for row in (json.loads(line)["data"] for line in done.stdout.splitlines())}
        for name, waited, blocks in run.noted()[0]:
            with self.subTest(name):
                self.assertAlmostEqual(rows[name]["wait_ns"], waited, delta=rows[name]["wait_error_ns"])
                if blocks:
                    self.assertEqual(rows[name]["code"], "work")

    def test_waiting_is_true_within_its_error(self):
        """Also of a task that blocks when it has waited, and returns without an event of its
        own."""
        self.waits()

    def test_waiting_with_a_time_for_each_call(self):
        self.waits("--clock", "call")

    def test_memory_that_serves_again(self):
        run = Run("reused.py")
        self.agree(run)
        self.assertEqual(len({number for number, _ in run.calls()[0]}), 600)
        first = list(dict.fromkeys(int(number) for number, _ in run.calls()[0]))
        self.assertEqual(first, sorted(first), "numbered as first seen")

    @unittest.skipIf(minor() < 12, "3.11 has no eager tasks")
    def test_eager_tasks(self):
        self.agree(Run("eager.py"))

    def test_asyncio_in_python(self):
        run = Run("pure.py")
        self.agree(run)
        self.assertIn("[]", run.done.stderr.decode())

    def test_loops_in_threads_and_within_each_other(self):
        self.agree(Run("threads.py"))

    def test_what_else_a_task_runs(self):
        self.agree(Run("faces.py"))

    def test_callers_that_are_left_out(self):
        run = Run("faces.py", options=("--include", "note.py"))
        self.assertEqual({row[2] for row in run.rows if row[1] == "call"} & {"main", "runs"}, set())
        self.agree(run, whole=False)

    def test_a_fork_within_a_task(self):
        run = Run("forks.py")
        parent, child = run.calls()
        self.assertEqual(set(parent[-1:]), set(child))
        self.assertEqual(child[0][1], "forks")
        self.every_row_has_it(run)

    @unittest.skipUnless(has("greenlet"), f"no greenlet in {SITE}")
    def test_greenlets_within_a_task(self):
        self.agree(Run("greenlets.py"))

    @unittest.skipUnless(has("trio"), f"no trio in {SITE}")
    def test_trio(self):
        self.agree(Run("nursery.py"))

    def ends(self, kind):
        """The rows of --exceptions for the exception that fails() of ends.py raises in a task of
        this kind: trio's or greenlet's."""
        run = Run("ends.py", kind)
        text = session.pathline("report", "--exceptions", "-n", "0", run.recording).stdout.decode()
        rows = text.splitlines()
        self.assertEqual([row for row in rows if " ended " in row], rows[2:3], text)
        self.assertRegex(rows[2], r"^ +\d+ +1 +LookupError: .* ended task ")
        data = [json.loads(row)["data"] for row in session.pathline("report", "--exceptions", "--json", run.recording).stdout.splitlines()]
        return [row for row in data if row["type"] == "LookupError" and row["code"].endswith("fails")]

    @unittest.skipUnless(has("greenlet"), f"no greenlet in {SITE}")
    def test_what_ended_a_greenlet(self):
        row, = self.ends("greenlets")
        self.assertEqual((row["end"], row["handled_line"]), ("unhandled", None))

    @unittest.skipUnless(has("trio"), f"no trio in {SITE}")
    def test_what_ended_a_task_of_trio(self):
        row, = self.ends("nurseries")
        self.assertEqual((row["end"], row["handled_code"]), ("handled", "unrolled_run"))

    @unittest.skipUnless(has("anyio"), f"no anyio in {SITE}")
    def test_anyio(self):
        self.agree(Run("groups.py", "asyncio", *(["trio"] if has("trio") else [])))

    @unittest.skipUnless(has("uvloop"), f"no uvloop in {SITE}")
    def test_uvloop(self):
        self.agree(Run("uv.py"))


if __name__ == "__main__":
    unittest.main()
