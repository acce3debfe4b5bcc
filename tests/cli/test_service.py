"""Always on: with LD_PRELOAD and PATHLINE_DIR in the environment each Python is recorded, if that
directory exists."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from session import BUILD, PYTHON, pathline, scratch  # noqa: E402

INTERPRETERS = "two"
PRELOAD = os.path.join(BUILD, "pathline-preload.so")
SEEN = """\
import os, sys
print(sorted(name for name in os.environ if name.startswith(("LD_", "PATHLINE_"))))
print(sorted(os.listdir("/proc/self/fd"))[:-1])
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("no child")
"""
# Workers that are forked before, do something, and are replaced when they have ended; then another
# Python.
WORKERS = """\
import os, subprocess, sys
def work(number):
    return number * 2
for number in range(6):
    pid = os.fork()
    if not pid:
        work(number)
        os._exit(0)
    os.waitpid(pid, 0)
subprocess.run(["/bin/sh", "-c", 'exec "$0" -c "import json"', sys.executable], check=True)
"""
STOPPED = """\
import signal, sys, time
def stop(*_):
    raise SystemExit(3)
signal.signal(signal.SIGTERM, stop)
print("ready", flush=True)
while True:
    time.sleep(0.01)
"""


def wait_for(what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise AssertionError("it did not come to that in time")
        time.sleep(0.02)


class Service(unittest.TestCase):
    def setUp(self):
        self.folder = scratch()
        self.dir = os.path.join(self.folder, "pathline")
        os.mkdir(self.dir)

    def environment(self, **settings):
        base = {name: value for name, value in os.environ.items() if not name.startswith("PATHLINE_")}
        settings.setdefault("PATHLINE_VALUES", "none")
        return dict(base, LD_PRELOAD=PRELOAD, PATHLINE_DIR=self.dir, **settings)

    def run_it(self, text, name="app", **settings):
        script = os.path.join(self.folder, name + ".py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(text)
        done = subprocess.run([PYTHON, script], env=self.environment(**settings), capture_output=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def names(self):
        return sorted(name for name in os.listdir(self.dir) if name not in ("latest", "pathline.log"))

    def log(self):
        with open(os.path.join(self.dir, "pathline.log"), encoding="utf-8") as f:
            return f.read()

    def info(self, name="latest"):
        """Of a recording that has ended."""
        path = os.path.join(self.dir, name)
        found = []

        def ended():
            done = pathline("info", "--json", path)
            if done.returncode == 0:
                found[:] = [json.loads(line) for line in done.stdout.splitlines()]
            return found and found[0]["data"]["finished"]
        wait_for(ended)
        return found

    def processes(self, name="latest"):
        return self.info(name)[0]["data"]["processes"]

    def test_nothing_without_the_directory(self):
        os.rmdir(self.dir)
        seen = self.run_it(SEEN)
        self.assertIn("LD_PRELOAD", seen)
        self.assertEqual(os.listdir(self.folder), ["app.py"])

    def test_names_are_known_in_the_directory(self):
        self.run_it("print(1)\n")
        self.info()
        name, = self.names()
        self.assertIn(name.encode(), pathline("ls", cwd=self.dir).stdout)
        self.assertEqual(pathline("check", cwd=self.dir).returncode, 0)
        done = pathline("rm", "latest", cwd=self.dir)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.names(), [])

    def test_the_program_sees_nothing_of_it(self):
        seen = self.run_it(SEEN).splitlines()
        self.assertEqual(seen, ["['PATHLINE_DIR', 'PATHLINE_VALUES']", "['0', '1', '2']", "no child"])
        self.assertEqual(len(self.processes()), 1)
        self.assertRegex(self.names()[0], r"\A\d{6}-\d{6}-app\Z")
        self.assertEqual(os.readlink(os.path.join(self.dir, "latest")), self.names()[0])
        self.assertEqual(self.log(), "")
        self.assertEqual(pathline("check", os.path.join(self.dir, "latest")).returncode, 0)

    def test_workers_and_what_a_shell_starts_are_in_it(self):
        self.run_it(WORKERS, name="workers")
        how = [row["how"] for row in self.processes()]
        self.assertEqual(sorted(how[1:]), ["fork"] * 6 + ["start"])
        self.assertEqual(len(self.names()), 1)

    def test_each_start_is_a_recording(self):
        for _ in range(3):
            self.run_it("pass\n")
        wait_for(lambda: len(self.names()) == 3)
        self.info()

    def test_settings(self):
        self.run_it("def f(n): return n\nf(7)\n", PATHLINE_VALUES="calls", PATHLINE_LIMIT="64M", PATHLINE_EXCLUDE="json, re", PATHLINE_KEEP="30d",
                    PATHLINE_ONLY_MINE="1")
        data = self.info()[0]["data"]
        self.assertEqual((data["limit_bytes"], data["values"]), (32 << 20, "calls"))
        self.assertIn(b"f(n=7)", pathline("calls", os.path.join(self.dir, "latest")).stdout)

    def test_a_wrong_setting_is_in_the_log(self):
        self.assertEqual(self.run_it("print(1)\n", PATHLINE_LIMIT="much"), "1\n")
        self.assertEqual(self.names(), [])
        self.assertRegex(self.log(), r"service: 'much' is not a size;.*\n.*, process \d+:\n.*the process runs, and is not recorded")
        self.run_it("pass\n", PATHLINE_LIMTI="1G")
        self.info()
        self.assertIn("PATHLINE_LIMTI is not a setting", self.log())

    def test_a_python_without_a_program_leaves_nothing(self):
        subprocess.run([PYTHON, "--version"], env=self.environment(), stdout=subprocess.DEVNULL, check=True, timeout=60)
        wait_for(lambda: self.names() == [] and not os.path.lexists(os.path.join(self.dir, "latest")))

    def test_another_program_is_left_alone(self):
        subprocess.run(["/bin/true"], env=self.environment(), check=True, timeout=60)
        self.assertEqual(os.listdir(self.dir), [])

    def test_the_directory_keeps_to_its_limit(self):
        for _ in range(3):
            self.run_it("pass\n")
            self.info()
        for name in self.names():
            with open(os.path.join(self.dir, name, "events.000009"), "wb") as f:
                f.write(bytes(1 << 20))
        newest = self.names()[-1]
        self.run_it("pass\n", PATHLINE_LIMIT="4M")
        self.info()
        self.assertEqual(len(self.names()), 2)
        self.assertIn(newest, self.names())

    def test_stopped_as_systemd_stops(self):
        """SIGTERM for each process that belongs to the service, also for those of Pathline."""
        words = [PYTHON, "-c", STOPPED]
        with subprocess.Popen(words, env=self.environment(), stdout=subprocess.PIPE, start_new_session=True) as running:
            self.assertEqual(running.stdout.readline(), b"ready\n")
            for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
                try:
                    with open(f"/proc/{pid}/environ", "rb") as f:
                        if b"PATHLINE_DIR=" + self.dir.encode() + b"\0" in f.read():
                            os.kill(pid, signal.SIGTERM)
                except (OSError, ValueError):
                    continue
            self.assertEqual(running.wait(timeout=60), 3)
        [process] = self.processes()
        self.assertEqual(process["exit"], 3)

    def test_a_renamed_and_a_removed_directory(self):
        """The recording goes on at its new name; and where there is none any more, the program goes
        on."""
        text = "import sys\nprint(1, flush=True)\nsys.stdin.readline()\ndef last(): print(2, flush=True)\nlast()\n"
        with subprocess.Popen([PYTHON, "-c", text], env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            running.stdout.readline()
            wait_for(lambda: os.path.lexists(os.path.join(self.dir, "latest")))
            os.rename(self.dir, self.dir + ".1")
            self.assertEqual(running.communicate(b"\n", timeout=60)[0], b"2\n")
        self.dir += ".1"
        self.assertEqual(len(self.processes()), 1)
        self.assertIn(b"last", pathline("dump", os.path.join(self.dir, "latest")).stdout)
        with subprocess.Popen([PYTHON, "-c", text], env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            running.stdout.readline()
            subprocess.run(["rm", "-r", self.dir], check=True)
            self.assertEqual(running.communicate(b"\n", timeout=60)[0], b"2\n")


class Print(unittest.TestCase):
    def test_drop_in_and_plain(self):
        self.assertEqual(pathline("service", "/var/log/app").stdout.decode(),
                         f"[Service]\nEnvironment=LD_PRELOAD={PRELOAD}\nEnvironment=\"PATHLINE_DIR=/var/log/app\"\n")
        self.assertEqual(pathline("service", "--plain", "/var/log/app").stdout.decode(), f"LD_PRELOAD={PRELOAD}\nPATHLINE_DIR=/var/log/app\n")

    def test_refused(self):
        for words, why in (((), "name one directory"), (("logs",), "does not begin with /"), (('/a"b',), "has a quote")):
            done = pathline("service", *words)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(re.search(why, done.stderr.decode()), done.stderr)


if __name__ == "__main__":
    unittest.main()
