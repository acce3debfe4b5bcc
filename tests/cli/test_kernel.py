"""record --kernel: what the kernel did for a program, beside its path."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PATHLINE = os.path.join(os.environ["PATHLINE_BUILD"], "pathline")
PYTHON = os.environ["PATHLINE_PYTHON"]
INTERPRETERS = "one"

PROGRAM = """
import os, threading, time

def work(name):
    time.sleep(0.02)
    descriptor = os.open(name, os.O_RDONLY)
    os.read(descriptor, 11)
    os.lseek(descriptor, 1234, os.SEEK_SET)
    os.close(descriptor)
    try:
        os.stat("/no/such/file")
    except OSError:
        pass

lock = threading.Lock()
lock.acquire()
thread = threading.Thread(target=lambda: lock.acquire())
thread.start()
time.sleep(0.05)
lock.release()
thread.join()
work(__file__)
os.spawnlp(os.P_WAIT, "sh", "sh", "-c", "cat /dev/null")
"""


WITH_DEVICES = """
import mmap, os, signal, socket, sys, threading

signal.signal(signal.SIGUSR1, lambda *_: None)
os.kill(os.getpid(), signal.SIGUSR1)
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
thread = threading.Thread(target=lambda: server.accept()[0].close())
thread.start()
socket.create_connection(("127.0.0.1", port)).recv(1)
thread.join()
server.close()
try:
    socket.create_connection(("127.0.0.1", port))
except ConnectionRefusedError:
    pass
with open(sys.argv[1], "wb") as file:
    file.write(b"x" * 100000)
    os.fsync(file.fileno())
memory = mmap.mmap(-1, 1 << 20)
memory[8192] = 1
print(port)
"""


def why_not():
    """Why this machine cannot do it, as record says it; None: it can."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PATHLINE, "record", "-q", "--values", "none", "--kernel", "-o", folder + "/r", PYTHON, "-c", ""],
                              capture_output=True, text=True)
    found = re.search(r"is not recorded: (.*)", done.stderr)
    return found and found[1]


WHY_NOT = why_not()


class Refused(unittest.TestCase):
    def test_unknown_group(self):
        done = subprocess.run([PATHLINE, "record", "--kernel=syscalls", PYTHON, "-c", ""], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown group of --kernel: 'syscalls'; did you mean 'syscall'?", done.stderr)

    @unittest.skipUnless(os.getuid() == 0 and not WHY_NOT, "needs root and a kernel that can")
    def test_without_rights(self):
        """One line says what is missing, and the recording goes on without it."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            words = ["setpriv", "--bounding-set=-bpf,-sys_admin,-perfmon", "--inh-caps=-bpf,-sys_admin,-perfmon", PATHLINE,
                     "record", "--values", "none", "--kernel", "-o", folder + "/r", PYTHON, "-c", "print(1)"]
            done = subprocess.run(words, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
            self.assertIn("CAP_BPF", done.stderr)
            (source,) = info(folder + "/r")["event_sources"]
            self.assertEqual((source["name"], source["state"], source["events"]), ("kernel", "refused", 0))
            self.assertIn("sudo", source["text"])


BPFTOOL = "/usr/sbin/bpftool"


def programs():
    """The numbers of the programs in the kernel that have names of ours."""
    found = json.loads(subprocess.run([BPFTOOL, "-j", "prog", "list"], capture_output=True, text=True, check=True).stdout)
    return {program["id"] for program in found if program.get("name") in ("on_waking", "on_enter", "on_switch")}


def collector_of(record):
    """The pid of its collector, or None."""
    for name in os.listdir("/proc"):
        try:
            with open("/proc/" + name + "/stat") as file:
                pid, name, _, parent = re.match(r"(\d+) \((.*)\) (\S) (\d+)", file.read()).groups()
        except OSError:
            continue
        if int(parent) == record and name == "pathline-drain":
            return int(pid)
    return None


def wait_for(ask):
    for _ in range(600):
        found = ask()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it never happened")


def info(directory):
    done = subprocess.run([PATHLINE, "info", "--json", directory], capture_output=True, check=True)
    return json.loads(done.stdout)["data"]


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = cls.folder.name + "/program.py"
        cls.directory = cls.folder.name + "/r"
        with open(cls.program, "w") as file:
            file.write(PROGRAM)
        cls.done = subprocess.run([PATHLINE, "record", "--values", "none", "--kernel", "-o", cls.directory, PYTHON, cls.program],
                                  capture_output=True, text=True)
        text = subprocess.run([PATHLINE, "dump", "--json", cls.directory], capture_output=True, text=True, check=True).stdout
        rows = [json.loads(line) for line in text.splitlines()]
        cls.all = [(row["type"], row["data"]) for row in rows]
        cls.rows = [row["data"] for row in rows if row["type"] == "source event"]
        cls.events = [row["data"] for row in rows if row["type"] == "event"]

    def ask(self, sql):
        done = subprocess.run([PATHLINE, "query", "--json", sql, self.directory], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line)["data"] for line in done.stdout.splitlines()]

    def calls(self, name):
        return [row["fields"] for row in self.rows if row["kind"] == "syscall" and row["fields"]["name"] == name]

    def test_it_ran(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        (source,) = info(self.directory)["event_sources"]
        self.assertEqual((source["state"], source["lost"], source["text"]), ("ran", 0, ""))
        self.assertGreaterEqual(source["events"], len(self.rows))
        done = subprocess.run([PATHLINE, "check", self.directory], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_system_calls(self):
        opened = [call for call in self.calls("openat") if call["file"] == self.program]
        self.assertTrue(opened)
        read = [call for call in self.calls("read") if "bytes 11" in call["arguments"] and call["file"] == "program.py"]
        self.assertEqual([call["result"] for call in read], [11])
        sought = [call for call in self.calls("lseek") if "offset 1234 whence 0" in call["arguments"]]
        self.assertEqual([call["result"] for call in sought], [1234])
        missing = [call for name in ("newfstatat", "stat", "statx") for call in self.calls(name) if call["file"] == "/no/such/file"]
        self.assertEqual([call["result"] for call in missing], ["ENOENT"])
        (left,) = self.calls("exit_group")
        self.assertEqual(left["end"], "unfinished")

    def test_each_is_below_the_line_that_asked_for_it(self):
        """By default lines have times of their own."""
        lines = PROGRAM.splitlines()
        wanted = {"clock_nanosleep": "time.sleep(0.02)", "openat": "descriptor = ", "read": "os.read(", "lseek": "os.lseek(", "close": "os.close("}
        below, line = {}, ""
        for kind, row in self.all:
            if kind == "event" and row.get("code") == "work" and row["event"] == "line":
                line = lines[row["line"] - 1]
            elif kind == "source event" and row["kind"] == "syscall":
                below.setdefault(row["fields"]["name"], []).append(line.strip())
        for name, text in wanted.items():
            self.assertTrue(any(said.startswith(text) for said in below[name]), (name, below[name]))

    def test_sleep_and_its_timer(self):
        off = [row["fields"] for row in self.rows if row["kind"] == "off" and row["fields"]["call"] in ("clock_nanosleep", "select", "pselect6")]
        longest = max(off, key=lambda fields: fields["duration"])
        self.assertGreater(longest["duration"], 40_000_000)
        self.assertEqual((longest["reason"], longest["waker"]), ("sleep", "timer"))

    def test_who_wakes_a_lock(self):
        """It waits in a futex for the main thread, and the main thread wakes it: on both."""
        main = next(row["native_id"] for row in self.rows if row["thread"] == 0)
        other = next(row["native_id"] for row in self.rows if row["thread"] == 1)
        waits = [row["fields"] for row in self.rows if row["native_id"] == other and row["kind"] == "off" and row["fields"]["call"] == "futex"]
        self.assertIn(main, [fields["waker_id"] for fields in waits])
        wakes = [row["fields"]["woken_id"] for row in self.rows if row["native_id"] == main and row["kind"] == "wake"]
        self.assertIn(other, wakes)

    def test_order(self):
        """A row is at its end, and those of a thread are in the order of their times."""
        last = {}
        for row in self.rows:
            self.assertGreaterEqual(row["time"], last.get(row["native_id"], 0))
            last[row["native_id"]] = row["time"]

    def test_below_the_line(self):
        """The seek is after the call of work, and before the stat that follows it."""
        text = subprocess.run([PATHLINE, "dump", self.directory], capture_output=True, text=True, check=True).stdout
        lines = text.splitlines()
        (sought,) = [i for i, line in enumerate(lines) if "kernel syscall lseek" in line and "offset 1234" in line]
        called = next(i for i, line in enumerate(lines) if "call work" in line)
        self.assertLess(called, sought)
        self.assertTrue(all("kernel" not in line for line in subprocess.run(
            [PATHLINE, "dump", "-f", "kind", self.directory], capture_output=True, text=True).stdout.splitlines()))

    def test_query(self):
        (row,) = self.ask("SELECT count(*) AS n, min(process) AS p FROM source_event WHERE process = 1")
        self.assertEqual(row, {"n": sum(row["process"] == 1 for row in self.rows), "p": 1})
        (row,) = self.ask("SELECT text, duration_ns > 0 AS d FROM source_event WHERE fields ->> '$.arguments' LIKE '%offset 1234%'")
        self.assertEqual(row["d"], 1)
        self.assertIn("syscall lseek program.py fd", row["text"])

    def test_other_programs(self):
        """The shell and what it starts are looked at as well. They are not processes of the
        recording."""
        rows = self.ask("SELECT fields ->> '$.file' AS file FROM source_event WHERE process = 0")
        self.assertTrue(any(row["file"] and row["file"].endswith("/cat") for row in rows), rows[:9])

    def test_nothing_is_left_by_a_kill(self):
        """Its programs are gone with the collector, also if that is killed."""
        if not os.path.exists(BPFTOOL):
            # A Pathline can be built elsewhere, and bpftool is needed for building alone.
            self.skipTest("bpftool is not here")
        before = programs()
        words = [PATHLINE, "record", "-q", "--values", "none", "--kernel", "-o", self.folder.name + "/killed", PYTHON, "-c", "input()"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as record:
            collector = wait_for(lambda: collector_of(record.pid))
            ours = wait_for(lambda: programs() - before)
            os.kill(collector, signal.SIGKILL)
            wait_for(lambda: not ours & programs())
            record.communicate(b"\n")

    def test_only_one_group(self):
        directory = self.folder.name + "/sched"
        subprocess.run([PATHLINE, "record", "-q", "--values", "none", "--kernel=sched", "-o", directory, PYTHON, "-c",
                        "import time; time.sleep(0.01)"], check=True)
        done = subprocess.run([PATHLINE, "query", "--json", "SELECT DISTINCT kind FROM source_event", directory], capture_output=True, text=True)
        kinds = {json.loads(line)["data"]["kind"] for line in done.stdout.splitlines()}
        self.assertIn("off", kinds)
        self.assertNotIn("syscall", kinds)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Devices(unittest.TestCase):
    """Disks, page faults, signals and connections."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        directory = cls.folder.name + "/r"
        done = subprocess.run([PATHLINE, "record", "-q", "--values", "none", "--kernel=block,fault,signal,net", "-o", directory,
                               PYTHON, "-c", WITH_DEVICES, cls.folder.name + "/file"], capture_output=True, text=True, check=True)
        cls.port = done.stdout.strip()
        text = subprocess.run([PATHLINE, "dump", "--json", directory], capture_output=True, text=True, check=True).stdout
        cls.rows = [row["data"] for row in map(json.loads, text.splitlines()) if row["type"] == "source event"]

    def kind(self, name):
        return [dict(row["fields"], thread=row["thread"]) for row in self.rows if row["kind"] == name]

    def test_only_these(self):
        self.assertLessEqual({row["kind"] for row in self.rows}, {"block", "fault", "signal", "net"})

    def test_signals(self):
        found = [(row["number"], row["what"]) for row in self.kind("signal") if row["number"] == "SIGUSR1"]
        self.assertEqual(found, [("SIGUSR1", "sent to"), ("SIGUSR1", "received from"), ("SIGUSR1", "calls its handler")])

    def test_connections(self):
        end = "127.0.0.1:" + self.port
        found = [(row["what"], row["thread"], row["far"] == end, row["near"] == end) for row in self.kind("net")]
        self.assertEqual(sorted(found), [("accepted", 1, False, True), ("connected", 0, True, False), ("not connected", 0, True, False)])
        self.assertTrue(all(row["duration"] > 0 for row in self.kind("net")))

    def test_page_faults(self):
        self.assertIn(("write", "no page"), {(row["access"], row["why"]) for row in self.kind("fault")})

    def test_disk(self):
        if not os.major(os.stat(self.folder.name).st_dev):
            # What is kept in memory (tmpfs) is never written to a disk.
            self.skipTest("the folder is on no disk")
        written = [row for row in self.kind("block") if row["operation"] == "write"]
        self.assertGreaterEqual(sum(row["bytes"] for row in written), 100000)
        self.assertTrue(all(row["duration"] > row["queued"] for row in written))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
