"""The package pathline: a program that begins and ends its recording itself."""
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest
from importlib import util

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"
TOP = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = str(TOP / "python")
VERSION = tuple(json.loads(subprocess.run([session.PYTHON, "-c", "import sys; print(list(sys.version_info[:2]))"],
                                          capture_output=True, check=True).stdout))

FRONT = """\
import os, sys, threading
import pathline

def double(n):
    return n * 2

"""


def run(folder, text, *words, **variables):
    path = os.path.join(folder, "app.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(FRONT + text)
    environment = {**os.environ, "PYTHONPATH": PACKAGE, "PATH": f"{os.path.dirname(session.PATHLINE)}:{os.environ['PATH']}", **variables}
    return subprocess.run([*words, session.PYTHON, path], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = session.scratch()

    def good(self, text, *words, **variables):
        done = run(self.folder, text, *words, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout.split()

    def calls(self, name, wanted="double"):
        """Those of a function, with arguments and results."""
        done = session.pathline("check", name, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        text = session.pathline("calls", "--all", name, cwd=self.folder).stdout.decode()
        return [re.split("  +", line.strip())[0] for line in text.splitlines() if line.strip().startswith(wanted)]


@unittest.skipUnless(os.uname().machine == "x86_64", "x86-64")
class Recorded(Package):
    def test_from_start_to_stop(self):
        said = self.good("""\
double(1)
print(pathline.is_recording(), pathline.start("R"), pathline.is_recording(), pathline.start("other"))
double(2)
print(pathline.stop(), pathline.is_recording(), pathline.stop())
double(3)
""")
        self.assertEqual(said, ["False", "True", "True", "False", os.path.join(self.folder, "R"), "False", "None"])
        self.assertEqual(self.calls("R"), ["double(n=2) -> 4"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "other")))

    def test_again_and_again_leaves_nothing(self):
        said = self.good("""\
def there():
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
before = there()
for i in range(4):
    with pathline.record(f"R{i}"):
        double(i)
print(there() == before)
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print("childless")
""")
        self.assertEqual(said, ["True", "childless"])
        for i in range(4):
            self.assertEqual(self.calls(f"R{i}"), [f"double(n={i}) -> {2 * i}"])

    def test_record_decorates_functions_of_all_kinds(self):
        self.good("""\
import asyncio

@pathline.record("function")
def function():
    with pathline.record("inner"):
        double(1)
    double(2)

@pathline.record("generator")
def generator():
    double(3)
    yield

@pathline.record("coroutine", values="none")
async def coroutine():
    double(4)

function()
list(generator())
asyncio.run(coroutine())
""")
        self.assertEqual(self.calls("function"), ["double(n=1) -> 2", "double(n=2) -> 4"])
        self.assertEqual(self.calls("generator"), ["double(n=3) -> 6"])
        self.assertEqual(self.calls("coroutine"), ["double"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "inner")))

    def test_each_call_of_a_decorated_function_has_its_own(self):
        said = self.good("""\
@pathline.record("R")
def work(n):
    if n < 3:
        work(n + 2)    # within the first one
    double(n)

for i in range(1, 4):
    work(i)
print(*sorted(os.listdir()))
""")
        self.assertEqual(said, ["R", "R.2", "R.3", "app.py"])
        self.assertEqual([self.calls(name) for name in ("R", "R.2", "R.3")],
                         [["double(n=3) -> 6", "double(n=1) -> 2"], ["double(n=4) -> 8", "double(n=2) -> 4"], ["double(n=3) -> 6"]])

    def test_nothing_of_the_package_is_in_the_path(self):
        """Nor of the import system, when it is met the first time and later."""
        self.good("""\
def work():
    for i in range(2):
        pathline.start(f"S{i}")
        double(i)
        pathline.stop()
        with pathline.record(f"C{i}"):
            double(i)
work()
""")
        for name in "S0", "S1", "C0", "C1":
            done = session.pathline("dump", "--fields", "event,code", name, cwd=self.folder)
            self.assertEqual(set(done.stdout.decode().splitlines()) - {"gap\t", "gap\twork"},
                             {"line\twork", "call\tdouble", "line\tdouble", "return\tdouble"}, name)

    def test_all_threads_and_marks(self):
        self.good("""\
from pathline import mark
go, there = threading.Event(), threading.Event()

def work():
    there.set()
    go.wait()
    double(5)

worker = threading.Thread(target=work)
worker.start()
there.wait()
pathline.start("R")
mark("early")
pathline.mark("late", n=1)
go.set()
worker.join()
pathline.stop()
pathline.mark("never")
""")
        self.assertEqual(self.calls("R"), ["double(n=5) -> 10"])
        self.assertEqual(self.calls("R", "mark "), ["mark (not recorded)", "mark early", "mark late n=1"])    # the first is a function

    def test_the_end_of_the_program_ends_it(self):
        self.good("pathline.start('R')\ndouble(6)\n")
        name = os.path.join(self.folder, "R")
        for _ in range(600):
            if json.loads(session.pathline("info", "--json", name).stdout.splitlines()[0])["data"]["finished"]:
                break
            time.sleep(0.1)
        self.assertEqual(self.calls("R"), ["double(n=6) -> 12"])

    def test_a_fork_is_not_recorded_and_can_record_itself(self):
        said = self.good("""\
pathline.start("R")
double(1)
pid = os.fork()
if not pid:
    double(2)
    print(pathline.is_recording(), pathline.stop(), flush=True)
    os._exit(0)
os.waitpid(pid, 0)
double(3)
pathline.stop()
""")
        self.assertEqual(said[-1:], ["None"])
        self.assertEqual(self.calls("R"), ["double(n=1) -> 2", "double(n=3) -> 6"])

    def test_a_fork_begins_where_it_stands(self):
        """Its stack has nothing of the recording that its parent had begun."""
        self.good("""\
def go():
    if os.fork():
        os.wait()
        return
    pathline.start("C")
    double(2)
    pathline.stop()
    os._exit(0)

pathline.start("R")
go()
pathline.stop()
""")
        text = session.pathline("calls", "C", cwd=self.folder).stdout.decode()
        self.assertRegex(text, r"\n<module> continues .*\n  go continues .*\n    double\(n=2\) -> 4 ")
        self.assertEqual(text.count("go "), 1, text)

    def test_each_recording_names_its_threads(self):
        self.good("for i in range(2):\n    with pathline.record(f'R{i}'):\n        double(i)\n")
        for name in "R0", "R1":
            threads = json.loads(session.pathline("info", "--json", name, cwd=self.folder).stdout.splitlines()[0])["data"]["processes"][0]["threads"]
            self.assertEqual([thread["name"] for thread in threads], ["MainThread"])

    def test_what_it_takes(self):
        self.good("""\
@pathline.notrace
def secret(n):
    def inner():
        return n
    return double(inner())

@pathline.record("R", include=["app", "*app.py"], exclude="nothing", values="calls", limit="64M", keep="1h", values_of="*", redact=["token_*"])
def main():
    return secret(7)

main()
main2 = pathline.record("R2")(lambda: secret(8))
main2()
""")
        for name, n in ("R", 7), ("R2", 8):
            self.assertEqual(self.calls(name), [f"double(n={n}) -> {2 * n}"])
            self.assertEqual(self.calls(name, "secret"), ["secret (not recorded)"])
            self.assertEqual(self.calls(name, "secret.<locals>"), [])

    def test_a_reason_is_a_warning(self):
        done = run(self.folder, "print(pathline.start('/proc/nothing'), pathline.stop(), double(4))\n")
        self.assertEqual((done.returncode, done.stdout.split()), (0, ["False", "None", "8"]))
        self.assertRegex(done.stderr, "app.py:7: RuntimeWarning: pathline: nothing is recorded: .*/proc/nothing")

    def test_a_warning_is_at_the_line_of_the_program(self):
        done = run(self.folder, """\
with pathline.record("/proc/nothing"):
    pass
@pathline.record("/proc/nothing")
def work():
    pass
work()
""")
        self.assertEqual(re.findall(r"app.py:(\d+): RuntimeWarning", done.stderr), ["7", "12"], done.stderr)

    def test_the_names_of_other_tools(self):
        """doc/MIGRATION.md: each line of code in its right column runs."""
        text = (TOP / "doc/MIGRATION.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertGreaterEqual(len(blocks), 2)
        for i, block in enumerate(blocks):
            folder = session.scratch()
            done = run(folder, "def work():\n    return double(3)\n\n" + block)
            self.assertEqual((done.returncode, done.stderr), (0, ""), block)
            found = [name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "meta"))]
            self.assertTrue(found, f"block {i} records nothing: {block}")
            for name in found:
                self.folder = folder
                self.assertEqual(set(self.calls(name)), {"double(n=3) -> 6"}, block)


class Harmless(Package):
    def test_where_the_program_is_recorded_already(self):
        said = self.good("""\
with pathline.record("other"):
    double(1)
print(pathline.start("other"), pathline.stop(), pathline.is_recording())
""", session.PATHLINE, "record", "-q", "-o", "R", "--")
        self.assertEqual(said, ["False", "None", "True"])
        self.assertEqual(self.calls("R"), ["double(n=1) -> 2"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "other")))

    def test_notrace_of_a_program_that_is_recorded(self):
        self.good("""\
@pathline.notrace
def secret(n):
    return double(n)

secret(9)
""", session.PATHLINE, "record", "-q", "-o", "R", "--")
        self.assertEqual(self.calls("R"), ["double(n=9) -> 18"])
        self.assertEqual(self.calls("R", "secret"), ["secret (not recorded)"])


TYPED = """\
import pathlib

import pathline


@pathline.record("R", include=["a", "b"], values_of="*", redact="iban", keep="1h", limit=1 << 20, flight=None)
def work(n: int) -> int:
    with pathline.record(pathlib.Path("R")) as begun:
        reveal_type(begun)
        return n


@pathline.notrace
def first(n: int) -> str:
    return str(n)


@pathline.notrace(subtree=True)
def second(n: int) -> str:
    return first(n)


reveal_type(work)
reveal_type(first)
reveal_type(second)
reveal_type(pathline.stop())
pathline.start(pathlib.Path("R"), keep="1h", values_of=("a", "b"))
pathline.record("R", keeps="1h")
pathline.start("R", include=1)
"""


@unittest.skipUnless(util.find_spec("mypy"), "mypy")
class Typed(unittest.TestCase):
    def test_what_a_checker_says_of_a_program(self):
        folder = session.scratch()
        with open(os.path.join(folder, "app.py"), "w", encoding="utf-8") as f:
            f.write(TYPED)
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "app.py"], cwd=folder, env={**os.environ, "MYPYPATH": PACKAGE},
                              capture_output=True, text=True, timeout=300, check=False)
        said = [re.sub(r"^app.py:", "", line) for line in done.stdout.splitlines() if line.startswith("app.py:")]
        function = "def (n: int) -> str"
        self.assertEqual([line for line in said if "note: Revealed" in line], [
            '9: note: Revealed type is "pathline.record"',
            '23: note: Revealed type is "def (n: int) -> int"', f'24: note: Revealed type is "{function}"',
            f'25: note: Revealed type is "{function}"', '26: note: Revealed type is "str | None"'])
        self.assertEqual([line.split(":")[0] for line in said if ": error:" in line], ["28", "29"], done.stdout)

    def test_the_package_itself(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.devnull, PACKAGE + "/pathline"], capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
