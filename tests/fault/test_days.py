"""Bad days of a recording that runs for long, by the rules of doc/GUIDE.md (Always on): its
directory is removed or renamed, its disk is full for a while, the clock is set, the machine
sleeps. The program is as without Pathline each time."""
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

INTERPRETERS = "rotating"
DAY_S = 86400
ENOUGH, FEW = 1000, 20      # passes: each has half a KiB at least
PRELOAD = str(recorded.BUILD / "pathline-preload.so")
# What is recorded of it does not pack. It goes on until the file is there, beside which another one
# gets a byte for each pass.
LONG = """\
import os, random, sys
chance = random.Random(1)

""" + recorded.NOISY + """\

def work():
    f(chance.getrandbits(4000) | 1 << 4000)

passes = os.open(sys.argv[1] + ".passes", os.O_WRONLY | os.O_CREAT)
print("begun", flush=True)
while not os.path.exists(sys.argv[1]):
    work()
    os.write(passes, b".")
print("done")
"""
# CLOCK_REALTIME as it is, and so many seconds more as a file has.
CLOCK = """\
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long *seconds;

__attribute__((constructor)) static void map_seconds(void)
{
	int fd = open(getenv("CLOCK_SECONDS"), O_RDONLY | O_CLOEXEC);

	seconds = mmap(NULL, 8, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int err = (int)syscall(SYS_clock_gettime, id, t);

	if (!err && seconds && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		t->tv_sec += *seconds;
	return err;
}
"""


class Days(recorded.Case):
    def begin(self, *options, environment=None):
        self.out, self.stop = os.path.join(self.top.name, "r"), os.path.join(self.top.name, "stop")
        script = pathlib.Path(self.top.name, "long.py")
        script.write_text(LONG)
        words = [recorded.PATHLINE, "record", "--values", "none", *options, "-o", self.out, "--python", recorded.PYTHON, str(script), self.stop]
        running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        self.assertEqual(running.stdout.readline(), "begun\n")
        return running

    def end(self, running):
        """What record said. The program has done all."""
        pathlib.Path(self.stop).touch()
        out, errors = running.communicate(timeout=recorded.DEADLINE_S)
        self.assertEqual((running.returncode, out), (0, "done\n"), errors)
        return errors

    def written(self, name):
        recorded.wait_for(lambda: os.path.exists(os.path.join(self.out, name)), f"{name} of the recording")

    def assert_whole(self, recording):
        told = recorded.info(recording)
        self.assertEqual((told["finished"], told["losses"], told["counts"]["gap"]), (True, [], 0))
        self.assert_sound(recording)
        return told

    def test_removed(self):
        running = self.begin("--limit", "1M")
        self.written("events.000001")
        shutil.rmtree(self.out)
        begun = self.passes()
        recorded.wait_for(lambda: self.passes() > begun + ENOUGH, "more than a file of blocks")
        errors = self.end(running)
        self.assertEqual(errors.count("recording stopped early"), 1, errors)
        self.assertFalse(os.path.exists(self.out))

    def passes(self):
        return os.path.getsize(self.stop + ".passes")

    def test_renamed(self):
        running = self.begin()
        self.written("events.000001")
        os.rename(self.out, self.out + ".1")
        self.end(running)
        told = self.assert_whole(self.out + ".1")
        self.assertGreater(told["counts"]["call"], 0)

    def test_the_machine_sleeps(self):
        """Program and collector stand still for longer than either waits for the other."""
        running = self.begin()
        self.written("events.000001")
        pids = running.pid, *recorded.children(running.pid).values()
        for number in signal.SIGSTOP, signal.SIGCONT:
            for pid in pids:
                os.kill(pid, number)
            time.sleep(2.5)     # no event ends it
        self.end(running)
        self.assert_whole(self.out)

    def run_while_it_is_set(self, by):
        """Set the clock while it runs: the dates of its calls, and ns that the whole took."""
        seconds, library = os.path.join(self.top.name, "seconds"), os.path.join(self.top.name, "clock.so")
        pathlib.Path(seconds).write_bytes(bytes(8))
        done = recorded.run("cc", "-shared", "-fPIC", "-o", library, "-x", "c", "-", input=CLOCK)
        self.assertEqual(done.returncode, 0, done.stderr)
        begun = time.monotonic()
        running = self.begin(environment={"LD_PRELOAD": library, "CLOCK_SECONDS": seconds})
        self.written("events.000001")
        works = time.monotonic()
        for more in by, 0:
            if more:
                with open(seconds, "r+b") as file:
                    file.write(struct.pack("<q", more))
            passes = self.passes()
            recorded.wait_for(lambda before=passes: self.passes() > before + FEW, "passes since then")
        worked = time.monotonic() - works
        self.end(running)
        took = time.monotonic() - begun
        self.assert_whole(self.out)
        done = recorded.run(recorded.PATHLINE, "report", "--json", self.out)
        whole = next(row["data"] for row in map(json.loads, done.stdout.splitlines()) if row["type"] == "time")
        self.assertTrue(worked * 1e9 <= whole["sum_ns"] <= took * 1e9, (worked, whole, took))
        return self.calls(), took

    @unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
    def test_the_clock_is_set(self):
        """On: dates are the new ones. Back: they stand still. Order and durations are as before."""
        dates, took = self.run_while_it_is_set(DAY_S)
        self.assertEqual(dates, sorted(dates))
        self.assertTrue(DAY_S <= dates[-1] - dates[0] <= DAY_S + took)
        shutil.rmtree(self.out)
        os.unlink(self.stop)
        dates, took = self.run_while_it_is_set(-DAY_S)
        self.assertEqual(dates, sorted(dates))
        self.assertLessEqual(dates[-1] - dates[0], took)

    def calls(self):
        rows = recorded.rows(self.out, "time,code", "--events", "call")
        return [float(date) for date, code in rows if code == "work"]

    @unittest.skipUnless(os.getuid() == 0, "mounting needs root")
    def test_room_comes_back(self):
        """A service whose disk is full runs unrecorded, and is recorded from its next start on."""
        place, kept = os.path.join(self.top.name, "place"), os.path.join(self.top.name, "kept")
        os.mkdir(place)
        program = f"PATHLINE_DIR={place} PATHLINE_VALUES=none LD_PRELOAD={PRELOAD} {recorded.PYTHON} -c 'def f(): print(1)\nf()'"
        orders = f"""mount -t tmpfs -o size=3m none {place}
            dd if=/dev/zero of={place}/other bs=1k 2>/dev/null || :
            {program}
            rm {place}/other
            {program}
            until {recorded.PATHLINE} info --json {place}/latest | grep -q '"finished":true'; do sleep 0.1; done
            cp -r {place}/latest/. {kept}"""
        done = recorded.run("unshare", "--mount", "--propagation", "private", "sh", "-ec", orders)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1\n1\n", ""))
        told = self.assert_whole(kept)
        self.assertEqual(len(told["processes"]), 1)


if __name__ == "__main__":
    unittest.main()
