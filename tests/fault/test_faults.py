"""When something else fails (the disk, /dev/shm, the collector), the program does not notice, and
one line says what."""
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

INTERPRETERS = "rotating"

PASSES = """\
def g(x):
    return x * 2

def f(n):
    s = 0
    for i in range(n):
        s += g(i)
    return s

for i in range({passes}):
    f(20)
print("done", i + 1)
"""
# Which of two lines runs is random, so that it does not pack: about 4 MB on disk.
NOISE = """\
import random
chance = random.Random(1)

""" + recorded.NOISY + """\

for i in range(5000):
    f(chance.getrandbits(4000) | 1 << 4000)

def last():
    pass

last()
print("done", i + 1)
"""
# A thread fills the ring; then there are exceptions of new types, for whose names it has no room,
# where for events it still has.
NEW_TYPES = """\
import os, struct, sys, threading, time

def f():
    pass

def fill():
    for i in range(1_500_000):
        f()

def fails(kind):
    try:
        raise kind
    except Exception:
        pass

kinds = [type("New%d" % i + "x" * 400, (Exception,), {}) for i in range(200)]
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", 1))
while not os.path.exists(sys.argv[1] + ".go"):
    time.sleep(0.01)
filler = threading.Thread(target=fill)
filler.start()
filler.join()
for kind in kinds:
    fails(kind)
"""
# It says when it waits to lose events, when it has lost some, and for room; then it runs on.
LOOK_UPS = """\
import os, struct, sys

one, two, three = 1, 2, 3

def g(n):
    for i in range(n):
        if i % 3 == 0:
            y = one
        elif i % 3 == 1:
            y = two
        else:
            y = three

def f():
    pass

g(5000)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", 1))
os.close(os.open(sys.argv[1] + ".stopped", os.O_RDONLY))
for i in range(1_500_000):
    f()
os.close(os.open(sys.argv[1] + ".full", os.O_RDONLY)), os.close(os.open(sys.argv[1] + ".room", os.O_RDONLY))
g(5000)
os.close(os.open(sys.argv[1] + ".end", os.O_RDONLY))
"""
EXITS = ("""\
import os

def f():
    os._exit(0)

f()
""", """\
import threading

def wait():
    began.set()
    threading.Event().wait()

began = threading.Event()
threading.Thread(target=wait, daemon=True).start()
began.wait()
""")
ROOT = os.getuid() == 0


def script(top, passes):
    path = pathlib.Path(top) / "passes.py"
    path.write_text(PASSES.format(passes=passes))
    return str(path)


def in_mounts(commands, *words):
    """Run words in a mount namespace of their own, after shell commands that change it."""
    # in a chroot, / is no mount, and none of ours is shared
    private = "mount --make-rprivate / 2>/dev/null || :"
    return recorded.run("unshare", "--mount", "--propagation", "unchanged", "sh", "-c",
                        f'{private}\n{commands}\nexec "$@"', "sh", *words)


def ends_without_collector(program):
    """The program runs to its end while its collector is stopped, so that nobody makes room; then
    the collector goes on. NEW_TYPES waits for a file, which is made after the collector is
    stopped."""
    os.kill(program.collector, signal.SIGSTOP)
    try:
        pathlib.Path(f"{program.cell}.go").touch()
        recorded.wait_for(lambda: not recorded.is_alive(program.program), "the program's end")
    finally:
        os.kill(program.collector, signal.SIGCONT)


class Faults(recorded.Case):
    def assert_done(self, done, passes):
        self.assertEqual((done.returncode, done.stdout), (0, f"done {passes}\n"), done.stderr)

    def record(self, directory, passes, *options):
        return (recorded.PATHLINE, "record", "-o", directory, "--python", recorded.PYTHON, *options,
                script(self.top.name, passes))

    def assert_lost_end(self, directory, reason):
        """The path of the only thread ends in a gap; the time after it is of no line."""
        *_, last = recorded.rows(directory, "event,type,depth")
        self.assertEqual(last[:2], ["gap", reason])
        self.assertEqual([row[0] for row in recorded.rows(directory, "type", "--events", "gap")][-1:], [reason])
        done = recorded.run(recorded.PATHLINE, "report", "--json", directory)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        whole = next(row["data"] for row in rows if "lost_ns" in row["data"])
        self.assertGreater(whole["lost_ns"], 0)
        still = recorded.run(recorded.PATHLINE, "report", "--json", "--blocking", "100ms", directory)
        self.assertEqual([row for row in map(json.loads, still.stdout.splitlines()) if row["type"] == "block"], [])
        seen = recorded.run(recorded.PATHLINE, "replay", "--end", directory, stdin=subprocess.DEVNULL)
        self.assertNotIn("seen last", seen.stdout + seen.stderr)

    @unittest.skipUnless(ROOT, "mounting needs root")
    def test_disk_full(self):
        """The recording breaks off, says so, and what there is can be read."""
        small = os.path.join(self.top.name, "small")
        kept = os.path.join(self.top.name, "kept")
        os.mkdir(small)
        noise = pathlib.Path(self.top.name) / "noise.py"
        noise.write_text(NOISE)
        words = (*self.record(small + "/r", 0)[:-1], str(noise))
        done = in_mounts(f"mount -t tmpfs -o size=2m none {small}", "sh", "-c", f'"$@"; code=$?; cp -r {small}/r {kept}; exit $code', "sh", *words)
        self.assert_done(done, 5000)
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual(done.stderr.count("recording stopped early"), 1)
        told = recorded.info(kept)
        self.assertTrue(told["finished"])
        self.assertIn("No space left on device", " ".join(loss["text"] for loss in told["losses"]))
        self.assertEqual([p["ended"] for p in told["processes"]], ["exited"])
        self.assert_sound(kept)

    @unittest.skipUnless(ROOT, "mounting needs root")
    def test_disk_full_at_any_size(self):
        """What describes code takes no room from the last words: the end is there, whatever else is
        not."""
        small = os.path.join(self.top.name, "small")
        os.mkdir(small)
        imports = pathlib.Path(self.top.name) / "imports.py"
        imports.write_text("import argparse, asyncio, decimal, email.message, http.client, json, unittest, xml.dom.minidom\n")
        command = (*self.record(small + "/r", 0, "-q")[:-1], str(imports))
        for size in range(100, 240, 6):
            done = in_mounts(f"mount -t tmpfs -o size={size}k none {small}", "sh", "-c", '"$@"; exec "$0" check ' + small + "/r", recorded.PATHLINE, *command)
            self.assertEqual(done.returncode, 0, (size, done.stdout, done.stderr))

    @unittest.skipUnless(ROOT, "mounting needs root")
    def test_disk_full_ends_in_a_gap(self):
        small = os.path.join(self.top.name, "small")
        kept = os.path.join(self.top.name, "kept")
        os.mkdir(small)
        noise = pathlib.Path(self.top.name) / "noise.py"
        noise.write_text(NOISE.replace("5000", "200"))
        words = (*self.record(small + "/r", 0)[:-1], str(noise))
        done = in_mounts(f"mount -t tmpfs -o size=100k none {small}", "sh", "-c", f'"$@"; code=$?; cp -r {small}/r {kept}; exit $code', "sh", *words)
        self.assert_done(done, 200)
        self.assertIn("No space left on device", done.stderr)
        self.assert_sound(kept)
        self.assert_lost_end(kept, "collector-gone")

    @unittest.skipUnless(ROOT, "mounting needs root")
    def test_disk_full_before_the_process_is_described(self):
        """Its command line is longer than the disk. What was lost is not said to be there, or not
        to have run."""
        small = os.path.join(self.top.name, "small")
        kept = os.path.join(self.top.name, "kept")
        os.mkdir(small)
        long = 'exec "$0" "$1" 1 $(head -c 30000 /dev/zero | tr "\\0" x)'
        words = (recorded.PATHLINE, "record", "-o", small + "/r", "sh", "-c", long, recorded.PYTHON, script(self.top.name, 1))
        done = in_mounts(f"mount -t tmpfs -o size=20k none {small}", "sh", "-c", f'"$@"; code=$?; cp -r {small}/r {kept}; exit $code', "sh", *words)
        self.assert_done(done, 1)
        self.assertIn("No space left on device", done.stderr)
        *_, last = done.stderr.splitlines()
        self.assertEqual(last, f"pathline: see what was lost:       pathline info {small}/r")
        self.assertNotIn("replay", done.stderr)
        told = recorded.info(kept)
        self.assertEqual((told["events"], [p["command"] for p in told["processes"]]), (0, [""]))
        for options in (), ("--at-exception",):
            seen = recorded.run(recorded.PATHLINE, "replay", "--plain", *options, kept, stdin=subprocess.DEVNULL)
            self.assertEqual((seen.returncode, seen.stdout, seen.stderr),
                             (0, "", f"pathline: replay: no event of this recording was kept; `pathline info {kept}` says what was lost\n"))
        day = datetime.date.fromtimestamp(told["start"]).isoformat()
        head, *_ = recorded.run(recorded.PATHLINE, "report", kept).stdout.splitlines()
        self.assertEqual(head, f"process 1  {day}  (its command line was lost)")
        shown = recorded.run(recorded.PATHLINE, "info", kept).stdout
        self.assertNotRegex(shown, r"\d h ")
        self.assertNotIn(", , in", shown)

    def test_directory_cannot_be_made(self):
        blocked = os.path.join(self.top.name, "file")
        pathlib.Path(blocked).write_text("")
        done = recorded.run(*self.record(blocked + "/r", 1))
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stderr, f"pathline: record: the directory '{blocked}/r' cannot be made: Not a directory\n")
        self.assertEqual(done.stdout, "", "the program was run without being recorded")

    def test_no_file_may_grow(self):
        """Neither `record` nor its collector dies of the limit."""
        script(self.top.name, 1)
        done = recorded.run("sh", "-c", 'ulimit -f 0; exec "$@"', "sh", recorded.PATHLINE, "record", "--python",
                            recorded.PYTHON, "passes.py", cwd=self.top.name)
        self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
        self.assertRegex(done.stderr, r"^pathline: record: .*: File too large; raise the file-size limit \(ulimit -f\)\n$")

    def test_signal_of_the_file_size_limit(self):
        """The program has the disposition that the caller gave it."""
        path = pathlib.Path(self.top.name) / "signal.py"
        path.write_text("import _signal\nprint(open('/proc/self/status').read())\n")
        out = os.path.join(self.top.name, "r")
        words = ("grep", "SigIgn", "/proc/self/status")  # Python ignores the signal itself
        plain = recorded.run(*words)
        self.assertIn("SigIgn", plain.stdout)
        done = recorded.run(recorded.PATHLINE, "record", "-q", "-o", out, *words)
        self.assertEqual(done.stdout, plain.stdout)

    @unittest.skipUnless(ROOT, "mounting needs root")
    def test_read_only(self):
        place = os.path.join(self.top.name, "place")
        os.mkdir(place)
        done = in_mounts(f"mount -t tmpfs -o ro none {place}", *self.record(place + "/r", 1))
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stderr, f"pathline: record: the directory '{place}/r' cannot be made: Read-only file system\n")

    @unittest.skipUnless(ROOT, "mounting needs root")
    def test_no_room_in_shm(self):
        """The arena lies in the directory of the recording, and `info` says so."""
        out = os.path.join(self.top.name, "r")
        done = in_mounts("mount -t tmpfs -o size=64k none /dev/shm", *self.record(out, 1000))
        self.assert_done(done, 1000)
        told = recorded.info(out)
        self.assertTrue(told["arena"].startswith(os.path.realpath(out) + "/"), told["arena"])
        self.assertEqual(told["counts"]["gap"], 0)
        self.assertEqual([n for n in os.listdir(out) if n.endswith(".arena")], [])

    @unittest.skipUnless(ROOT, "mounting needs root")
    def test_shm_too_small_to_grow(self):
        """64 chunks are all there is: the program may wait, and nothing is lost."""
        out = os.path.join(self.top.name, "r")
        done = in_mounts("mount -t tmpfs -o size=3m none /dev/shm", *self.record(out, 200000))
        self.assert_done(done, 200000)
        told = recorded.info(out)
        self.assertEqual(told["counts"]["gap"], 0, told["losses"])
        self.assertGreaterEqual(told["counts"]["call"], 200000 * 21)
        self.assert_sound(out)

    def test_stopped_collector(self):
        """It costs one bound, 2 s; then a gap that counts, and the path goes on when it wakes."""
        program = recorded.Recorded(self.top.name, arguments=("40000",))
        self.addCleanup(program.stop)
        program.find()
        ends_without_collector(program)
        code, errors = program.end()
        self.assertEqual(code, 0)
        self.assertIn("lost: ", errors)
        self.assertEqual(program.passes(), 40000)
        told = recorded.info(program.dir)
        lost = sum(loss["lost"] for loss in told["losses"])
        self.assertGreater(lost, 0)
        self.assertLessEqual(told["processes"][0]["waits"], 2)
        self.assert_sound(program.dir)

    def test_names_without_room(self):
        """An exception whose type cannot be named is lost, and counted: the path names nothing that
        is missing."""
        program = recorded.Recorded(self.top.name, "--on-full=drop", script=NEW_TYPES)
        self.addCleanup(program.stop)
        program.find()
        ends_without_collector(program)
        code, _ = program.end()
        self.assertEqual(code, 0)
        self.assertGreater(sum(loss["lost"] for loss in recorded.info(program.dir)["losses"]), 0)
        self.assert_sound(program.dir)

    def test_collector_told_to_end(self):
        """SIGTERM, as at a shutdown: it closes the recording in order, and the program goes on."""
        program = recorded.Recorded(self.top.name, arguments=("20000",))
        self.addCleanup(program.stop)
        program.find()
        reached = program.passes()
        os.kill(program.collector, signal.SIGTERM)
        code, errors = program.end()
        self.assertEqual((code, program.passes()), (0, 20000))
        self.assertIn("the collector was told to end (SIGTERM)", errors)
        self.assertIn("recording stopped while 1 of the processes ran\n", errors)
        self.assertNotIn("goes on", errors)
        told = recorded.info(program.dir)
        self.assertEqual((told["finished"], told["recovered"]), (True, False))
        self.assertEqual([process["ended"] for process in told["processes"]], ["not known"])
        shown = recorded.run(recorded.PATHLINE, "info", program.dir).stdout
        self.assertRegex(shown, r"(?m)^state +recording stopped before the program ended$")
        self.assert_path(program.dir, reached)
        *_, last = recorded.rows(program.dir, "event,type")
        self.assertEqual(last, ["gap", "collector-gone"])

    def test_collector_killed(self):
        """The program goes on to its end, and its path ends in a gap."""
        program = recorded.Recorded(self.top.name, arguments=("40000",))
        self.addCleanup(program.stop)
        program.find()
        os.kill(program.collector, signal.SIGKILL)
        code, _ = program.end()
        self.assertEqual((code, program.passes()), (0, 40000))
        self.assertEqual([p["ended"] for p in recorded.info(program.dir)["processes"]], ["exited"])
        self.assert_sound(program.dir)
        self.assert_lost_end(program.dir, "full")

    def test_exit_in_a_frame(self):
        """Nothing is lost where a program leaves by os._exit, or while a daemon thread runs."""
        for script in EXITS:
            with self.subTest(script=script):
                out = os.path.join(self.top.name, str(len(script)))
                path = pathlib.Path(self.top.name) / "exits.py"
                path.write_text(script)
                done = recorded.run(recorded.PATHLINE, "record", "-o", out, "--python", recorded.PYTHON, str(path))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(recorded.info(out)["counts"]["gap"], 0)
                self.assertEqual(recorded.run(recorded.PATHLINE, "dump", "--fields", "type", "--events", "gap", out).stdout, "")

    def test_full_at_the_end(self):
        """There was no room again: each thread that lost events ends in a gap that counts them."""
        for option, reason in (("wait", "full"), ("drop", "dropped")):
            with self.subTest(option=option), tempfile.TemporaryDirectory(prefix="pathline-test-") as top:
                program = recorded.Recorded(top, f"--on-full={option}", arguments=("40000",))
                self.addCleanup(program.stop)
                program.find()
                ends_without_collector(program)
                code, _ = program.end()
                self.assertEqual((code, program.passes()), (0, 40000))
                self.assert_sound(program.dir)
                self.assert_lost_end(program.dir, reason)
                told = recorded.info(program.dir)
                gaps = recorded.rows(program.dir, "lost", "--events", "gap")
                self.assertEqual(sum(int(row[0]) for row in gaps), sum(loss["lost"] for loss in told["losses"]))

    def test_full_at_the_end_of_a_thread(self):
        """A thread that has ended in order, while another goes on."""
        program = recorded.Recorded(self.top.name, "--on-full=drop", script=NEW_TYPES)
        self.addCleanup(program.stop)
        program.find()
        ends_without_collector(program)
        program.end()
        gaps = recorded.rows(program.dir, "thread,type", "--events", "gap")
        self.assertEqual({thread for thread, _ in gaps}, {"0", "1"})
        self.assertEqual({reason for _, reason in gaps}, {"dropped"})

    def test_drop(self):
        """With --on-full=drop nobody waits, and the gaps count what is missing."""
        program = recorded.Recorded(self.top.name, "--on-full=drop", arguments=("40000",))
        self.addCleanup(program.stop)
        program.find()
        os.kill(program.collector, signal.SIGSTOP)
        recorded.wait_for(lambda: not recorded.is_alive(program.program), "the program's end")
        os.kill(program.collector, signal.SIGCONT)
        code, _ = program.end()
        self.assertEqual(code, 0)
        told = recorded.info(program.dir)
        self.assertEqual(told["processes"][0]["waits"], 0)
        self.assertEqual({loss["reason"] for loss in told["losses"]}, {"dropped"})

    def begin_after_a_loss(self):
        """A program that has lost events, has recorded others since, and waits for its end."""
        program = recorded.Recorded(self.top.name, "--on-full=drop", script=LOOK_UPS)
        self.addCleanup(program.stop)
        for word in "stopped", "full", "room", "end":
            os.mkfifo(f"{program.cell}.{word}")
        program.find()
        os.kill(program.collector, signal.SIGSTOP)
        for word in "stopped", "full":  # each is open once the program waits for it
            with open(f"{program.cell}.{word}", "wb"):
                pass
        os.kill(program.collector, signal.SIGCONT)
        seen = []
        recorded.wait_for(lambda: seen.append(recorded.info(program.dir)["events"]) or seen[-1] > 500_000 and seen[-2:] == seen[-1:] * 2,
                          "room in the ring")
        with open(f"{program.cell}.room", "wb"):
            pass
        return program

    def test_finished_after_a_loss(self):
        """Who finishes the recording does not count again what the dead collector told."""
        program = self.begin_after_a_loss()
        recorded.wait_for(lambda: recorded.info(program.dir)["losses"], "the loss")
        recorded.kill(program.collector, program.program)
        program.end()
        told = recorded.info(program.dir)
        self.assertTrue(told["recovered"])
        (loss,) = told["losses"]
        gaps = recorded.rows(program.dir, "type,lost", "--events", "gap")
        self.assertEqual(gaps, [["dropped", str(loss["lost"])], ["killed", "0"]])
        self.assert_sound(program.dir)

    def test_path_after_a_loss(self):
        """It goes on where the program is then: the loss is the only gap."""
        program = self.begin_after_a_loss()
        with open(f"{program.cell}.end", "wb"):
            pass
        code, errors = program.end()
        self.assertEqual(code, 0, errors)
        rows = recorded.rows(program.dir, "event,type,code")
        (gap,) = (i for i, row in enumerate(rows) if row[0] == "gap")
        self.assertEqual((rows[gap][1], rows[gap + 1][::2]), ("dropped", ["line", "g"]))
        self.assert_sound(program.dir)

    def test_limit(self):
        """The newest is kept, below the limit, and is valid."""
        out = os.path.join(self.top.name, "r")
        path = pathlib.Path(self.top.name) / "noise.py"
        path.write_text(NOISE)
        done = recorded.run(recorded.PATHLINE, "record", "--limit", "3M", "-o", out, "--python", recorded.PYTHON,
                            str(path))
        self.assertEqual(done.returncode, 0, done.stderr)
        told = recorded.info(out)
        self.assertLessEqual(sum(s["bytes"] for s in told["sizes"]), 3 << 20)
        self.assertFalse(os.path.exists(out + "/events.000001"), "nothing was dropped")
        self.assert_sound(out)
        # What an interpreter's .pth files have put into atexit may run after the program's end.
        self.assertEqual([code for file, code in recorded.rows(out, "file,code", "--events", "call") if file == str(path)][-1], "last")

    def test_killed_writer_of_meta(self):
        """A record that was cut short at the end is cut off, and what follows is readable."""
        program = recorded.Recorded(self.top.name, "-q")
        self.addCleanup(program.stop)
        program.find()
        os.kill(program.collector, signal.SIGKILL)
        recorded.wait_for(lambda: not recorded.is_alive(program.collector), "the collector's end")
        for name in os.listdir(program.dir):
            with open(os.path.join(program.dir, name), "ab") as file:
                file.write(b"PL\x1c\n\x14\x00\x00\x00")
        passes = program.passes()
        os.kill(program.program, signal.SIGKILL)
        program.end()
        self.assert_sound(program.dir)
        self.assert_path(program.dir, passes)


if __name__ == "__main__":
    unittest.main()
