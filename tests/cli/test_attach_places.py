"""`attach` by root: a program in namespaces or a root of its own, which does not see our files, and
a program of another user. Each is recorded exactly and left as it was."""
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
import test_attach  # noqa: E402

INTERPRETERS = "one"
NOBODY = 65534
# Nothing of Pathline is to be seen there, and /dev/shm is its own.
HIDE = 'mount -t tmpfs none /dev/shm; mount -t tmpfs none "$1"; shift; exec "$@"'
CHROOT = 'mount --rbind / "$2"; mount -t tmpfs none "$2/dev/shm"; mount -t tmpfs none "$2$1"; root=$2; shift 2; exec chroot "$root" "$@"'
BUILD = os.path.dirname(os.path.realpath(session.PATHLINE))
DROP = f"import os\nos.setgroups([])\nos.setgid({NOBODY})\nos.setuid({NOBODY})\n"


def can_unshare(*options):
    done = subprocess.run(["unshare", *options, "--fork", "mount", "-t", "tmpfs", "none", "/dev/shm"], capture_output=True, check=False)
    return done.returncode == 0


@unittest.skipUnless(test_attach.can_attach() and os.geteuid() == 0, "x86-64, not traced itself, as root")
class Places(test_attach.Case):
    same_path = test_attach.Attached.same_path

    def start_at(self, before, script=test_attach.PROGRAM):
        program = test_attach.Program(self.dir, "sleeps", before, script)
        self.addCleanup(program.release)
        self.addCleanup(os.kill, int(program.pid), 9)
        return program

    def end(self, program):
        self._cleanups.remove((os.kill, (int(program.pid), 9), {}))
        return program.end()

    def counts(self, program):
        with open(f"/proc/{program.pid}/maps", encoding="utf-8") as maps:
            return [len(os.listdir(f"/proc/{program.pid}/fd")), len(os.listdir(f"/proc/{program.pid}/task")),
                    len([line for line in maps if "arena" in line or "recorder" in line and "r-x" in line])]

    def exact(self, program):
        recordings = [self.record(program, 5)]
        before = self.counts(program)
        self.assertEqual(before[2], 1)
        recordings += [self.record(program, steps) for steps in (50, 5)]
        self.assertEqual(self.counts(program), before)
        rows = self.rows(recordings[1])
        said = self.end(program)
        self.same_path(rows, said)
        self.assertEqual({row["type"] for row in rows if row["event"] == "gap"}, {"attached", "detached"})
        self.assertEqual(said["tools"], test_attach.TOOLS)
        for recording in recordings:
            self.check(recording)

    @unittest.skipUnless(can_unshare("-mp"), "unshare -mp")
    def test_the_first_process_of_a_container(self):
        program = self.start_at(["unshare", "-mp", "--fork", "--mount-proc", "sh", "-c", HIDE, "sh", BUILD])
        self.exact(program)

    @unittest.skipUnless(can_unshare("-Urmp"), "unshare -Urmp")
    def test_a_user_namespace(self):
        program = self.start_at(["unshare", "-Urmp", "--fork", "--mount-proc", "sh", "-c", HIDE, "sh", BUILD])
        self.exact(program)

    @unittest.skipUnless(can_unshare("-m"), "unshare -m")
    def test_another_root(self):
        root = os.path.join(self.dir, "root")
        os.mkdir(root)
        program = self.start_at(["unshare", "-m", "sh", "-c", CHROOT, "sh", BUILD, root])
        self.exact(program)

    def test_detach(self):
        program = self.start_at([], test_attach.PROGRAM.replace('print("ready"', DROP + 'print("ready"'))
        _, attach = self.begin(program)
        done = subprocess.run([session.PATHLINE, "detach", program.pid], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(attach.wait(60), 0)
        self.assertEqual(self.end(program)["tools"], test_attach.TOOLS)

    def test_another_user(self):
        program = self.start_at([], test_attach.PROGRAM.replace('print("ready"', DROP + 'print("ready"'))
        self.exact(program)

    def test_what_another_user_may_read(self):
        program = self.start_at([], test_attach.PROGRAM.replace('print("ready"', DROP + 'print("ready"'))
        out, attach = self.begin(program)
        with open(f"/proc/{program.pid}/maps", encoding="utf-8") as maps:
            arena = next(line.split()[-1] for line in maps if line.rstrip().endswith(".arena"))
        for path, owner, mode in ((arena, NOBODY, 0o600), (out, 0, 0o700)):
            st = os.stat(path)
            self.assertEqual((st.st_uid, st.st_mode & 0o777), (owner, mode), path)
        attach.terminate()
        self.assertEqual(attach.wait(60), 0)
        deadline = time.monotonic() + 30
        while os.path.exists(arena) and time.monotonic() < deadline:  # the collector's, which may still be at work
            time.sleep(0.02)
        self.assertFalse(os.path.exists(arena))

    def test_its_memory_does_not_stay(self):
        """Command and collector are killed: the next command removes it."""
        program = self.start_at([], test_attach.PROGRAM.replace('print("ready"', DROP + 'print("ready"'))
        _, attach = self.begin(program)
        with open(f"/proc/{program.pid}/maps", encoding="utf-8") as maps:
            arena = next(line.split()[-1] for line in maps if line.rstrip().endswith(".arena"))
        with open(f"/proc/{attach.pid}/task/{attach.pid}/children", encoding="ascii") as children:
            collector = int(children.read().split()[0])
        subprocess.run([session.PATHLINE, "ls", self.dir], capture_output=True, timeout=60, check=False)
        self.assertTrue(os.path.exists(arena))  # somebody records into it
        attach.kill()
        attach.wait()
        os.kill(collector, signal.SIGKILL)
        deadline = time.monotonic() + 30
        while os.path.exists(arena) and time.monotonic() < deadline:
            subprocess.run([session.PATHLINE, "ls", self.dir], capture_output=True, timeout=60, check=False)
        self.assertFalse(os.path.exists(arena))
        self.assertEqual(self.end(program)["tools"], test_attach.TOOLS)

    def test_who_is_not_root(self):
        program = self.start_at([])
        shutil.copy(session.PATHLINE, os.path.join(self.dir, "pathline"))
        os.chmod(self.dir, 0o755)
        done = subprocess.run([os.path.join(self.dir, "pathline"), "attach", program.pid], capture_output=True, text=True,
                              user=NOBODY, timeout=60, check=False, cwd="/")
        self.assertEqual((done.returncode, "belongs to another user" in done.stderr, done.stderr.count("\n")), (125, True, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
