"""record --native: entries and exits of functions that were built with -finstrument-functions,
beside the path.

The functions log what they do themselves, and that is what the recording is compared with.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PATHLINE = os.path.join(os.environ["PATHLINE_BUILD"], "pathline")
PYTHON = os.environ["PATHLINE_PYTHON"]
INTERPRETERS = "one"

LOG = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/syscall.h>
#define QUIET __attribute__((no_instrument_function))
/* "E work 123": entered, in the thread 123 */
static QUIET void note(const char *what, const char *name)
{
	char line[100];
	int n = snprintf(line, sizeof line, "%s %s %ld\n", what, name, (long)syscall(SYS_gettid));
	int fd = open(getenv("NATIVE_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (write(fd, line, n) != n)
		abort();
	close(fd);
}
#define ENTERED note("E", __func__)
#define LEAVES	note("X", __func__)
"""

LIBRARY = LOG + r"""
#include <pthread.h>
#include <setjmp.h>
static jmp_buf back;
static __attribute__((noinline)) int leaf(int n) { ENTERED; n += 1; LEAVES; return n; }
int work(int n)
{
	ENTERED;
	for (int i = 0; i < 2; i++)
		n = leaf(n);
	LEAVES;
	return n;
}
int down(int n) { ENTERED; int result = n ? down(n - 1) + 1 : 0; LEAVES; return result; }
static void *other(void *n) { ENTERED; work(1); LEAVES; return n; }
void threads(void)
{
	ENTERED;
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, other, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	LEAVES;
}
static void jumps(void) { ENTERED; leaf(1); longjmp(back, 1); }
void jump(void)
{
	ENTERED;
	for (volatile int i = 0; i < 2; i++)
		if (!setjmp(back))
			jumps();
	leaf(2);
	LEAVES;
}
__attribute__((constructor)) static void at_load(void) { ENTERED; LEAVES; }
__attribute__((destructor)) static void at_unload(void) { ENTERED; LEAVES; }
"""

FAST = r"""
static int one(int n) { __asm__ volatile(""); return n + 1; }
void many(int n) { while (n--) one(n); }
"""

PLUGIN = "int plugged_%s(void) { return %s; }\n"

THROWS = r"""
#include <stdexcept>
namespace app {
	__attribute__((noinline)) void thrower(int n) { if (n) throw std::runtime_error("no"); }
	__attribute__((noinline)) void between(int n) { thrower(n); }
}
extern "C" int catches(void) { try { app::between(1); } catch (const std::exception &) { return 7; } return 0; }
"""

PROGRAM = r"""
import ctypes, os, signal, subprocess, sys
folder = sys.argv[1]
lib = ctypes.CDLL(folder + "/libwork.so")
def first():
    return lib.work(1)
assert first() == 3
assert lib.down(3) == 3
lib.threads()
lib.jump()
pid = os.fork()
if not pid:
    lib.work(5)
    os._exit(0)
os.waitpid(pid, 0)
pid = os.fork()
if not pid:
    lib.down(1)
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(pid, 0)
import _ctypes
for name in "ab":
    plugin = ctypes.CDLL(f"{folder}/plugin_{name}.so")
    getattr(plugin, "plugged_" + name)()
    _ctypes.dlclose(plugin._handle)
if os.path.exists(folder + "/throws.so"):
    assert ctypes.CDLL(folder + "/throws.so").catches() == 7
subprocess.run([folder + "/plain", "x"], check=True)
"""


def compile_c(folder, name, text, *options, cxx=False):
    source = os.path.join(folder, name + (".cpp" if cxx else ".c"))
    with open(source, "w") as file:
        file.write(text)
    compiler = "c++" if cxx else "cc"
    subprocess.check_call([compiler, "-O1", "-g", "-fPIC", "-finstrument-functions", source, "-o", os.path.join(folder, name),
                           "-pthread", *(options or ["-shared"])])


def record(folder, *words, native="--native", **more):
    out = os.path.join(folder, "recording")
    environment = dict(os.environ, NATIVE_LOG=os.path.join(folder, "log"))
    done = subprocess.run([PATHLINE, "record", "--values", "none", *([native] if native else []), "-o", out, *words],
                          capture_output=True, text=True, env=environment, **more)
    return out, done


def rows(recording):
    sql = ("SELECT process, pid, native_id, kind, text, fields, time_ns, duration_ns FROM source_event WHERE source = 'native'")
    done = subprocess.run([PATHLINE, "query", "--json", sql, recording], capture_output=True, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        row = json.loads(line)["data"]
        fields = row["fields"]
        row["fields"] = json.loads(fields) if isinstance(fields, str) else fields
        found.append(row)
    return found


def source(recording):
    done = subprocess.run([PATHLINE, "info", "--json", recording], capture_output=True, text=True, check=True)
    (found,) = json.loads(done.stdout)["data"]["event_sources"]
    return found


@unittest.skipUnless(shutil.which("cc"), "no C compiler here")
class Native(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder = tempfile.mkdtemp(prefix="pathline-native-")
        cls.addClassCleanup(shutil.rmtree, folder)
        compile_c(folder, "libwork.so", LIBRARY)
        compile_c(folder, "plugin_a.so", PLUGIN % ("a", 1))
        compile_c(folder, "plugin_b.so", PLUGIN % ("b", 2))
        compile_c(folder, "plain", LOG + "int main(void) { ENTERED; LEAVES; return 0; }", "-O0")
        if shutil.which("c++"):
            compile_c(folder, "throws.so", THROWS, cxx=True)
        with open(folder + "/program.py", "w") as file:
            file.write(PROGRAM)
        cls.recording, cls.done = record(folder, PYTHON, folder + "/program.py", folder)
        cls.rows = rows(cls.recording) if os.path.exists(cls.recording) else []

    def logged(self):
        """{thread: [("E", name)…]} by the functions themselves."""
        by_thread = {}
        with open(self.folder + "/log") as file:
            for line in file:
                what, name, thread = line.split()
                by_thread.setdefault(int(thread), []).append((what, name))
        return by_thread

    def seen(self):
        by_thread = {}
        for row in self.rows:
            if row["kind"] in ("enter", "exit"):
                by_thread.setdefault(row["native_id"], []).append(
                    ("E" if row["kind"] == "enter" else "X", row["fields"]["function"]))
        return by_thread

    def test_runs(self):
        self.assertEqual((self.done.returncode, self.done.stdout), (0, ""), self.done.stderr)
        about = source(self.recording)
        self.assertEqual((about["name"], about["state"], about["lost"], about["text"]), ("native", "ran", 0, ""))
        self.assertEqual(about["events"], len(self.rows))
        checked = subprocess.run([PATHLINE, "check", self.recording], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_sequence(self):
        """Each thread, forked child and program: what it logged, in this order; also at load, unload
        and exit."""
        seen, logged = self.seen(), self.logged()
        quiet = ("plugged_a", "plugged_b", "catches", "app::between(int)", "app::thrower(int)", "main")
        self.assertEqual(len(logged), 1 + 3 + 2 + 1)
        self.assertLessEqual(set(logged), set(seen))
        for thread, expected in logged.items():
            found = [event for event in seen[thread] if event[1] not in quiet or ("E", "main") in expected]
            self.assertEqual(found, expected, thread)

    def test_nesting(self):
        """The depth of each is what its entries and exits say. An exit lasts since its entry."""
        open_ = {}
        for row in self.rows:
            stack = open_.setdefault(row["native_id"], [])
            name, depth = row["fields"].get("function"), row["fields"]["depth"]
            if row["kind"] == "enter":
                self.assertEqual(depth, len(stack))
                stack.append((name, row["time_ns"]))
            elif row["kind"] == "exit":
                begun, since = stack.pop()
                self.assertEqual((name, depth), (begun, len(stack)))
                self.assertLess(abs(row["time_ns"] - since - row["duration_ns"]), 1000)
            else:
                self.assertEqual(row["fields"]["reason"], "left without an exit")
                del stack[depth:]

    def test_longjmp_is_a_gap(self):
        gaps = [row for row in self.rows if row["kind"] == "gap"]
        self.assertEqual([(row["fields"]["function"], row["fields"]["count"]) for row in gaps], [("jumps", 1)] * 2)
        self.assertIn("gap jumps", gaps[0]["text"])

    def test_places(self):
        (work,) = {row["fields"]["place"] for row in self.rows if row["fields"].get("function") == "leaf"}
        self.assertRegex(work, r"/libwork\.so\.c:\d+$")

    def test_unloaded(self):
        """Two libraries that were in memory one after the other, perhaps at one place."""
        names = [row["fields"]["function"] for row in self.rows if "plugged" in row["text"] and row["kind"] == "enter"]
        self.assertEqual(names, ["plugged_a", "plugged_b"])

    @unittest.skipUnless(shutil.which("c++"), "no C++ compiler here")
    def test_exceptions(self):
        found = [(row["kind"], row["fields"]["function"]) for row in self.rows if "app::" in row["text"]]
        self.assertEqual(found, [("enter", "app::between(int)"), ("enter", "app::thrower(int)"), ("exit", "app::thrower(int)"),
                                 ("exit", "app::between(int)")])

    def test_processes(self):
        """Forked Pythons have numbers; what is not Python has none."""
        by_name = {row["fields"]["function"]: row["process"] for row in self.rows if row["kind"] == "enter"}
        self.assertEqual(by_name["main"], 0)
        self.assertEqual({row["process"] for row in self.rows if row["fields"].get("function") == "work"}, {1, 2})

    def test_dump(self):
        """Under the line that called it, one level further right for each function."""
        done = subprocess.run([PATHLINE, "dump", self.recording, "--process", "1"], capture_output=True, text=True)
        found = re.findall(r"^.*native (enter|exit) (work|leaf) ", done.stdout, re.M)
        expected = [("enter", "work")] + [("enter", "leaf"), ("exit", "leaf")] * 2 + [("exit", "work")]
        self.assertEqual(found[:6], expected)
        lines = [line for line in done.stdout.splitlines() if re.search(r"native enter (work|leaf) ", line)]
        self.assertEqual(lines[1].index("native") - lines[0].index("native"), lines[2].index("native") - lines[0].index("native"))
        self.assertGreater(lines[1].index("native"), lines[0].index("native"))


@unittest.skipUnless(shutil.which("cc"), "no C compiler here")
class More(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pathline-native-")
        self.addCleanup(shutil.rmtree, self.folder)

    def test_pattern(self):
        """Only functions of that name; nesting is among them."""
        compile_c(self.folder, "libwork.so", LIBRARY)
        code = f"import ctypes; ctypes.CDLL({self.folder + '/libwork.so'!r}).work(1)"
        recording, _ = record(self.folder, PYTHON, "-c", code, native="--native=libw*:le?f")
        self.assertEqual([(row["kind"], row["fields"]["function"], row["fields"]["depth"]) for row in rows(recording)],
                         [("enter", "leaf", 0), ("exit", "leaf", 0)] * 2)

    def test_full_ring(self):
        """What finds no room is counted: nothing else is missing, and the program did not wait."""
        compile_c(self.folder, "fast.so", FAST)
        count = 1_000_000
        code = f"import ctypes; ctypes.CDLL({self.folder + '/fast.so'!r}).many({count})"
        recording, _ = record(self.folder, PYTHON, "-c", code)
        about = source(recording)
        done = subprocess.run([PATHLINE, "query", "--json", "SELECT kind, count(*) n, "
                               "sum(fields ->> '$.count') lost FROM source_event WHERE NOT (kind = 'gap' AND "
                               "fields ->> '$.reason' LIKE 'exit without%') GROUP BY kind", recording], capture_output=True, text=True)
        found = {row["kind"]: row for row in (json.loads(line)["data"] for line in done.stdout.splitlines())}
        told = found.get("gap", {"lost": 0})["lost"]
        self.assertEqual(about["lost"], told)
        unmatched = about["events"] - sum(row["n"] for row in found.values())
        self.assertEqual(found["enter"]["n"] + found["exit"]["n"] + unmatched + told, 2 * count + 2)

    def test_stripped(self):
        """A name that is nowhere is the place in the file."""
        compile_c(self.folder, "fast.so", FAST)
        subprocess.check_call(["strip", self.folder + "/fast.so"])
        code = f"import ctypes; ctypes.CDLL({self.folder + '/fast.so'!r}).many(1)"
        recording, _ = record(self.folder, PYTHON, "-c", code)
        names = [row["fields"]["function"] for row in rows(recording) if row["kind"] == "enter"]
        self.assertEqual(names[0], "many")
        self.assertRegex(names[1], r"^fast\.so\+0x[0-9a-f]+$")

    def test_beside_the_kernel(self):
        """The rows of both come in one order: a function that logs its entry and its exit has
        two calls of write between the two, and they stand further right."""
        compile_c(self.folder, "libwork.so", LIBRARY)
        code = f"import ctypes; ctypes.CDLL({self.folder + '/libwork.so'!r}).work(1)"
        recording, done = record(self.folder, "--kernel=syscall", PYTHON, "-c", code)
        if "is not recorded" in done.stderr:
            # --kernel needs root and a kernel that can, --native neither.
            self.skipTest(re.search(r"is not recorded: (.*)", done.stderr)[1])
        text = subprocess.run([PATHLINE, "dump", "--no-pager", recording], capture_output=True, text=True, check=True).stdout
        inside, writes, entries = [], {}, {}
        for line in text.splitlines():
            found = re.match(r"\S+ \S+( +)(native (enter|exit) (\w+)|kernel syscall write log )", line)
            if not found:
                continue
            if found[3] == "enter":
                inside.append((found[4], len(found[1])))
                entries[found[4]] = entries.get(found[4], 0) + 1
            elif found[3] == "exit":
                self.assertEqual(inside.pop(), (found[4], len(found[1])))
            else:
                self.assertGreater(len(found[1]), inside[-1][1])
                writes[inside[-1][0]] = writes.get(inside[-1][0], 0) + 1
        self.assertEqual(writes, {name: 2 * count for name, count in entries.items()})
        self.assertEqual((entries["work"], entries["leaf"]), (1, 2))

    def test_off(self):
        """Nothing of it is in a program without the option, and no variable with it."""
        code = "import os; print('pathline-native' in open('/proc/self/maps').read(), 'LD_PRELOAD' in os.environ)"
        for native, expected in ((None, "False False\n"), ("--native", "True False\n")):
            shutil.rmtree(self.folder + "/recording", ignore_errors=True)
            recording, done = record(self.folder, PYTHON, "-c", code, native=native)
            self.assertEqual(done.stdout, expected, done.stderr)
        self.assertIn("-finstrument-functions", source(recording)["text"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
