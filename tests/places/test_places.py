"""Where the program runs: namespaces, file systems, locales, virtual environments. Each place is a
test by name."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

INTERPRETERS = "turn"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places  # noqa: E402

MOUNTS = ("unshare", "--mount", "--propagation", "unchanged", "sh", "-c")
PRIVATE = "mount --make-rprivate / 2>/dev/null || :\n"
# A /dev with nothing in it but what every program may count on.
BARE_DEV = """
mkdir -p $T/dev && mount --rbind /dev $T/dev && mount -t tmpfs none /dev
for n in null zero full random urandom tty; do : >/dev/$n; mount --bind $T/dev/$n /dev/$n; done
ln -s /proc/self/fd /dev/fd
"""
# The comparison, not Pathline, asks for the one file in it.
NO_PROC = "mount -t tmpfs none /proc; mkdir -p /proc/sys/kernel; echo 4194304 >/proc/sys/kernel/pid_max; mount -o remount,ro /proc"


class Place(places.Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="places-", dir=os.environ.get("TMPDIR", "/var/tmp"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def in_mounts(self, script):
        """A wrapper that changes the mounts first, in a namespace of its own; $T is a folder to
        use."""
        return (*MOUNTS, f'set -e; T={self.folder}\n{PRIVATE}{script}\nexec "$@"', "sh")


@places.needs_root
class FileSystems(Place):
    def test_no_dev_shm(self):
        self.exact("no /dev/shm", self.in_mounts(BARE_DEV))

    def test_arena_beside_the_recording(self):
        out = os.path.join(self.folder, "r")
        done = places.run(*self.in_mounts(BARE_DEV), places.PATHLINE, "record", "-o", out, "--python", places.PYTHON, "--", "-c", "print(1)")
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
        told = places.run(places.PATHLINE, "info", out).stdout
        self.assertIn(f"{out}/", told)

    def test_no_proc(self):
        self.exact("no /proc", self.in_mounts(NO_PROC))

    def test_no_proc_and_no_dev_shm(self):
        self.exact("no /proc, no /dev/shm", self.in_mounts(BARE_DEV + NO_PROC))

    def test_no_sys(self):
        self.exact("no /sys", self.in_mounts("mount -t tmpfs -o ro none /sys"))

    def test_read_only_root(self):
        if not os.path.ismount("/"):
            self.skipTest("/ is no mount here")
        self.exact("read-only root", self.in_mounts(f"""
            mkdir $T/w && mount -t tmpfs none $T/w && mkdir -p {places.BUILD}/oracle-cache
            mount --bind {places.BUILD}/oracle-cache {places.BUILD}/oracle-cache
            mount -o remount,bind,ro /
            ! touch /var/tmp/places-$$ 2>/dev/null
            export TMPDIR=$T/w; cd $T/w"""))


class Namespaces(Place):
    def can(self, *words):
        if not places.can(*words, "true"):
            self.skipTest("may not: " + " ".join(words))
        return words

    def test_user_namespace(self):
        self.exact("user namespace", self.can("unshare", "--user", "--map-root-user"))

    def test_user_namespace_without_a_mapping(self):
        self.exact("user namespace, nobody mapped", self.can("unshare", "--user"))

    def test_program_in_a_user_namespace_of_its_own(self):
        words = self.can("unshare", "--user", "--map-root-user")
        self.exact("program in a user namespace of its own", python=" ".join((*words, places.PYTHON)))

    def test_pid_namespace(self):
        self.exact("PID namespace", self.can("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"))

    @places.needs_root
    def test_program_in_a_pid_namespace_of_its_own(self):
        """The recorder knows pids of in there, the collector those of out here."""
        self.exact("program in a PID namespace of its own", python=f"unshare --pid --fork --mount-proc {places.PYTHON}", ask="same,identity")

    @places.needs_root
    def test_program_in_a_pid_namespace_that_is_killed(self):
        """Its end is told by the kernel, once the collector knows which process it is."""
        out = os.path.join(self.folder, "r")
        code = ("import os, signal, sys\npid = os.fork()\nif pid == 0:\n    signal.pause()\n"
                "sys.stdin.readline(); os.kill(pid, 9); print(os.getpid(), os.waitpid(pid, 0)[1])")
        program = subprocess.Popen([places.PATHLINE, "record", "-o", out, "--", "unshare", "--pid", "--fork", "--kill-child", places.PYTHON,
                                    "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.kill)
        places.wait_for(lambda: os.path.exists(out) and len(places.info(out, none={"processes": ()})["processes"]) == 2, "two processes")
        said, told = program.communicate("go\n", timeout=60)
        self.assertEqual((program.returncode, said), (0, "1 9\n"), told)
        told = places.info(out)
        self.assertTrue(told["finished"])
        self.assertEqual([p["ended"] for p in told["processes"]], ["exited", "killed"])

    def test_network_and_ipc_namespaces(self):
        self.exact("network, IPC and UTS namespaces", self.can("unshare", "--user", "--map-root-user", "--net", "--ipc", "--uts"))


class Environment(Place):
    def locale(self, name, charmap):
        """A locale that need not be installed."""
        place = os.path.join(self.folder, "locales")
        os.makedirs(place, exist_ok=True)
        try:
            done = places.run("localedef", "-i", name.split(".")[0], "-f", charmap, os.path.join(place, name))
        except FileNotFoundError:
            self.skipTest("no localedef")
        if not os.path.isdir(os.path.join(place, name)):
            self.skipTest(f"localedef cannot make it: {done.stderr[-200:]}")
        return [f"LOCPATH={place}", f"LC_ALL={name}", "PYTHONUTF8=0"]

    def test_home_unset(self):
        self.exact("HOME unset", variables=["HOME=unset"])

    def test_home_that_is_not_there(self):
        self.exact("HOME that is not there", variables=["HOME=/nowhere"])

    def test_locale_c(self):
        self.exact("LC_ALL=C", variables=["LC_ALL=C"])

    def test_locale_c_not_coerced(self):
        self.exact("LC_ALL=C, ASCII", variables=["LC_ALL=C", "PYTHONCOERCECLOCALE=0", "PYTHONUTF8=0"])

    def test_locale_posix(self):
        self.exact("LC_ALL=POSIX", variables=["LC_ALL=POSIX"])

    def test_locale_that_is_not_there(self):
        self.exact("a locale that is not there", variables=["LC_ALL=xx_YY.UTF-8"])

    def test_locale_turkish(self):
        self.exact("LC_ALL=tr_TR.UTF-8", variables=self.locale("tr_TR.UTF-8", "UTF-8"))

    def test_locale_latin1(self):
        self.exact("LC_ALL=de_DE.ISO-8859-1", variables=self.locale("de_DE.ISO-8859-1", "ISO-8859-1"))

    def test_locale_japanese(self):
        self.exact("LC_ALL=ja_JP.EUC-JP", variables=self.locale("ja_JP.EUC-JP", "EUC-JP"))

    def test_recording_with_a_name_in_another_encoding(self):
        name = os.path.join(self.folder, "n\udcff\xe4 \t").encode("utf-8", "surrogateescape")
        done = subprocess.run([places.PATHLINE, "record", "-o", name, "--python", places.PYTHON, "--", "-c", "print(1)"], capture_output=True,
                              check=False, env=dict(os.environ, LC_ALL="C"))
        self.assertEqual((done.returncode, done.stdout), (0, b"1\n"), done.stderr)
        self.assertEqual(subprocess.run([places.PATHLINE, "check", name], capture_output=True, check=False).returncode, 0)


class Virtual(Place):
    def venv(self, *options):
        place = os.path.join(self.folder, "venv")
        done = places.run(places.PYTHON, "-m", "venv", "--without-pip", *options, place)
        if done.returncode:
            self.skipTest(f"no venv: {done.stderr[-300:]}")
        return os.path.join(place, "bin", "python")

    def test_venv(self):
        self.exact("venv", python=self.venv())

    def test_venv_copies(self):
        self.exact("venv --copies", python=self.venv("--copies"))

    def test_venv_symlinks(self):
        self.exact("venv --symlinks", python=self.venv("--symlinks"))

    def test_venv_with_site_packages(self):
        self.exact("venv --system-site-packages", python=self.venv("--system-site-packages"))

    def test_symlink_to_a_venv(self):
        python = self.venv()
        os.symlink(os.path.dirname(os.path.dirname(python)), os.path.join(self.folder, "link"))
        self.exact("symlink to a venv", python=os.path.join(self.folder, "link", "bin", "python"))

    def test_symlink_to_the_interpreter(self):
        link = os.path.join(self.folder, "py")
        os.symlink(os.path.realpath(places.PYTHON), link)
        self.exact("symlink to the interpreter", python=link)


class LeftOut(Place):
    """What cannot be followed does not notice, and the recording names it."""

    def left(self, *command, stdout, python=places.PYTHON):
        out = os.path.join(self.folder, "r")
        done = places.run(places.PATHLINE, "record", "-o", out, "--", *command)
        self.assertEqual((done.returncode, done.stdout, [line for line in done.stderr.splitlines() if not line.startswith("pathline: ")]),
                         (0, stdout, []))
        texts = [loss["text"] for loss in places.info(out)["losses"] if loss["reason"] == "left-out"]
        self.assertTrue(texts, done.stderr)
        self.assertIn(texts[0], done.stderr)
        self.assertEqual(places.run(places.PATHLINE, "check", out).returncode, 0)
        return " / ".join(texts)

    def helper(self, name, compiler, *options):
        """A small program; where there is no compiler (in a chroot), the one that was made for
        another interpreter. musl's needs the loader that comes with its compiler."""
        made = places.BUILD / "places" / f"{compiler}-{'-'.join(options)}"
        if shutil.which(compiler):
            made.parent.mkdir(exist_ok=True)
            source = os.path.join(self.folder, name + ".c")
            with open(source, "w") as f:
                f.write('#include <unistd.h>\n#include <sys/wait.h>\nint main(int n, char **words)\n{\n\tif (n > 1)\n\t\texecv(words[1], words + 1);\n'
                        '\treturn write(1, "here\\n", 5) != 5;\n}\n')
            subprocess.run([compiler, *options, "-o", made, source], check=True)
        elif compiler != "cc" or not made.exists():
            self.skipTest(f"no {compiler}")
        return shutil.copy(made, os.path.join(self.folder, name))

    @places.needs_root
    def test_set_user_id(self):
        program = self.helper("rights", "cc")
        os.chmod(self.folder, 0o755)
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        self.assertRegex(self.left(places.PYTHON, "-c", f"import subprocess; subprocess.run(['{program}'])", stdout="here\n"),
                         f"^1 started and not recorded, the first {program}: it gets rights of its own")
        self.note("a set-user-ID program started by one that is recorded", "refused", "named by record and info")

    def test_static(self):
        program = self.helper("static", "cc", "-static")
        for command in ((places.PYTHON, "-c", f"import os; os.execv('{program}', ['x'])"), ("sh", "-c", program)):
            shutil.rmtree(os.path.join(self.folder, "r"), ignore_errors=True)
            self.assertRegex(self.left(*command, stdout="here\n"), f"^1 started and not recorded, the first {program}: it is static")
        self.note("a static program started by one that is recorded", "refused", "named by record and info")

    def test_musl(self):
        program = self.helper("musl", "musl-gcc")
        self.assertRegex(self.left(places.PYTHON, "-c", f"import os; os.execv('{program}', ['x'])", stdout="here\n"),
                         f"^1 started and not recorded, the first {program}: its loader is another one than ours: musl")
        self.note("musl", "refused", "named by record and info")

    def test_musl_from_the_beginning(self):
        program = self.helper("musl", "musl-gcc")
        out = os.path.join(self.folder, "r")
        done = places.run(places.PATHLINE, "record", "-o", out, "--", program)
        self.assertEqual((done.returncode, done.stdout), (0, "here\n"), done.stderr)
        self.assertIn(f"nothing was recorded: '{program}' is of another libc than Pathline, musl (/lib/ld-musl-", done.stderr)
        self.assertNotIn("rror", done.stderr)

    @places.needs_root
    def test_after_chroot(self):
        code = "import os; os.chroot('/proc/self/cwd/root'); os.execv('/bin/here', ['x'])"
        program = self.helper("here", "cc", "-static")
        place = os.path.join(self.folder, "root", "bin")
        os.makedirs(place)
        shutil.copy(program, place)
        out = os.path.join(self.folder, "r")
        done = places.run(places.PATHLINE, "record", "-o", out, "--python", places.PYTHON, "--", "-c", code, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "here\n"), done.stderr)
        self.assertIn("/bin/here: it cannot reach the recording", done.stderr)
        self.note("exec after chroot", "refused", "named by record and info; the program up to there is exact")

    @places.needs_root
    def test_after_setuid(self):
        code = "import os, sys; os.setuid(65534); os.execv('/bin/echo', ['echo', 'here'])"
        self.assertRegex(self.left(places.PYTHON, "-c", code, stdout="here\n"), "^1 started and not recorded, the first /bin/echo: it cannot reach")
        self.note("exec after setuid", "refused", "named by record and info; the program up to there is exact")

    def test_nothing_is_left_out(self):
        out = os.path.join(self.folder, "r")
        done = places.run(places.PATHLINE, "record", "-o", out, "--", places.PYTHON, "-c", "import os; os.system('echo here')")
        self.assertEqual((done.returncode, done.stdout), (0, "here\n"), done.stderr)
        self.assertEqual(places.info(out)["losses"], [])


class PathOfTheLibrary(Place):
    """LD_PRELOAD is split at spaces and colons."""

    def moved(self, name):
        place = os.path.join(self.folder, name)
        os.mkdir(place)
        for path in (places.PATHLINE, *glob.glob(str(places.BUILD / "pathline-*.so"))):
            shutil.copy(path, place)
        return os.path.join(place, "pathline")

    def assert_recorded(self, pathline):
        out = os.path.join(self.folder, "r")
        code = "import os, subprocess, sys\nprint(os.environ.get('LD_PRELOAD'), subprocess.run([sys.executable, '-c', 'pass']).returncode)"
        done = places.run(pathline, "record", "-o", out, "--python", places.PYTHON, "--", "-c", code)
        self.assertEqual((done.returncode, done.stdout), (0, "None 0\n"), done.stderr)
        self.assertIn("of 2 processes", done.stderr)
        self.assertEqual(places.run(pathline, "check", out).returncode, 0)

    def test_space(self):
        self.assert_recorded(self.moved("a b"))
        self.note("a path with a space", "same")

    def test_colon(self):
        self.assert_recorded(self.moved("a:b"))
        self.note("a path with a colon", "same")

    def test_dollar(self):
        self.assert_recorded(self.moved("a$ORIGIN"))

    def test_plain(self):
        self.assert_recorded(self.moved("plain"))


if __name__ == "__main__":
    unittest.main()
