"""The preload: what it reaches, and that no program notices it.

Every case runs a command twice, without and with the preload, and compares output, messages and
status to the byte. In the recorder's place stands a small library that notes each start.
PATHLINE_BUILD names the build directory.
"""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

INTERPRETERS = "one"  # all that are here, in one run
CI_HALF = 0
BUILD = os.path.abspath(os.environ.get("PATHLINE_BUILD", "build"))
HELPERS = os.path.join(BUILD, "tests", "cli", "preload")
CALL = os.path.join(HELPERS, "preload-call")
EMBED = os.path.join(HELPERS, "preload-embed")
STATIC = os.path.join(HELPERS, "preload-static")
RECORDED = ("3.11", "3.12", "3.13", "3.14", "3.15")
UNKNOWN, EXIT, _, EXEC = range(4)  # enum slot_end
START, _, BY_EXEC = range(3)  # enum message_how
PRINT = "import os; print(dict(os.environ))"


def version_of(python):
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-I", "-S", "-c", code], capture_output=True, text=True)
    return done.stdout.strip()


def find_pythons():
    """{"3.13": path}; the first of a version wins."""
    found = {}
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    names = [os.environ.get("PATHLINE_PYTHON"), *os.environ.get("PATHLINE_TEST_PYTHONS", "").split(":")]
    names += glob.glob("/usr/bin/python3.*[0-9]") + sorted(glob.glob(root + "/versions/3.*/bin/python3"))
    for python in filter(None, names):
        found.setdefault(version_of(python), python)
    return found


PYTHONS = find_pythons()
MODERN = {version: PYTHONS[version] for version in RECORDED if version in PYTHONS}
OTHERS = {version: python for version, python in PYTHONS.items() if version not in RECORDED}
PYTHON = list(MODERN.values())[-1] if MODERN else None


class Case(unittest.TestCase):
    no_children = 0
    root = "/"

    def setUp(self):
        if not PYTHON and self.root == "/":
            self.skipTest("no interpreter that can be recorded")
        self.dir = tempfile.mkdtemp(prefix="preload-", dir=os.path.join(self.root, "tmp"))
        self.addCleanup(shutil.rmtree, self.dir)
        self.preload = os.path.join(self.dir, "pathline-preload.so")
        self.arena = os.path.join(self.dir, "arena")
        shutil.copy(os.path.join(BUILD, "pathline-preload.so"), self.preload)
        for version in RECORDED:
            shutil.copy(os.path.join(HELPERS, "preload-recorder.so"),
                        os.path.join(self.dir, f"pathline-recorder-{version}.so"))
        self.new_arena()

    def inside(self, path):
        """As a program under self.root names it."""
        return "/" + os.path.relpath(path, self.root)

    def new_arena(self):
        for name in ("arena", "starts"):
            if os.path.exists(os.path.join(self.dir, name)):
                os.unlink(os.path.join(self.dir, name))
        subprocess.run([os.path.join(HELPERS, "preload-arena"), "create", self.arena, self.inside(self.dir),
                        str(self.no_children)], check=True)

    def variables(self, env):
        user = env.get("LD_PRELOAD")
        return {"LD_PRELOAD": self.preload + (":" + user if user is not None else ""),
                "PATHLINE_ARENA": self.arena + ":0"}

    def run_one(self, command, env, preloaded, **options):
        env = dict(env)
        if preloaded:
            env.update(self.variables(env))
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, **options)
        return done.stdout, done.stderr, done.returncode

    def same(self, command, env=None, recorded=None, **options):
        """Run it without and with the preload: nothing may differ. How many interpreters were
        recorded, if given."""
        env = {"PATH": os.environ["PATH"], "HOME": "/", "Z": "last"} if env is None else env
        before = self.run_one(command, env, False, **options)
        self.new_arena()
        after = self.run_one(command, env, True, **options)
        self.assertEqual(before, after, command)
        if recorded is not None:
            self.assertEqual(len(self.starts()), recorded, (command, self.show()))
        return after

    def starts(self):
        """(number, parent, how, pid) of each start."""
        try:
            with open(os.path.join(self.dir, "starts")) as f:
                return [tuple(map(int, line.split())) for line in f]
        except FileNotFoundError:
            return []

    def show(self):
        """What the arena says."""
        text = subprocess.run([os.path.join(HELPERS, "preload-arena"), "show", self.arena],
                              stdout=subprocess.PIPE, check=True, text=True).stdout
        shown = {"slots": []}
        for line in text.splitlines():
            word, _, rest = line.partition(" ")
            if word == "slot":
                shown["slots"].append(tuple(map(int, rest.split())))
            else:
                shown[word] = int(rest) if word != "why" else rest
        return shown

    def ends(self):
        """number -> (end, end_code)"""
        return {slot[0]: slot[3:] for slot in self.show()["slots"]}

    def write(self, name, text, mode=0o755):
        path = os.path.join(self.dir, name)
        with open(path, "wb" if isinstance(text, bytes) else "w") as f:
            f.write(text)
        os.chmod(path, mode)
        return path


def user_preloads():
    """Values of LD_PRELOAD that a user may have; None: unset."""
    library = next(iter(glob.glob("/lib/*/libm.so.6")), "/lib64/libm.so.6")
    return [None, "", library, library + ":", f":{library}", f"{library} {library}", f"{library}:{library}"]


class Environment(Case):
    def environments(self):
        for user in user_preloads():
            yield {"PATH": os.environ["PATH"], "Z": "last"} | ({} if user is None else {"LD_PRELOAD": user})
            if user is not None:
                yield {"LD_PRELOAD": user, "PATH": os.environ["PATH"], "Z": "last"}

    def test_seen_by_a_program(self):
        for env in self.environments():
            self.same(["env"], env)
            self.assertEqual(self.show()["preloaded"], 1)

    def test_seen_through_the_shell(self):
        for env in self.environments():
            self.same(["sh", "-c", "env; sh -c 'exec env'; exec env"], env)
            self.assertEqual(self.show()["preloaded"], 5)
            self.same(["bash", "-c", "env; export B=1; env; sh -c 'exec env'; (exec env)"], env)
            self.assertEqual(self.show()["preloaded"], 6)

    def test_seen_by_python(self):
        for env in self.environments():
            code = PRINT + "; import subprocess, sys; sys.stdout.flush()" \
                "; subprocess.run([sys.executable, '-c', 'import os; print(dict(os.environ))'])"
            self.same([PYTHON, "-c", code], env, recorded=2)

    def test_no_trace_in_proc(self):
        out, _, _ = self.run_one(["sh", "-c", "cat /proc/self/environ"], {"A": "1", "B": "2"}, True)
        self.assertEqual([s for s in out.split(b"\0") if s], [b"A=1", b"B=2", b"PWD=" + os.getcwd().encode()])

    def test_auxiliary_values_are_still_found(self):
        code = """
import ctypes
environ = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
i = 0
while environ[i]:
    i += 1
i += 1
while environ[i] not in (None, 6):      # AT_PAGESZ
    i += 2
print(environ[i], environ[i + 1])
"""
        # LC_ALL: else the interpreter sets LC_CTYPE, and the environment has moved
        out = self.same([PYTHON, "-c", code], {"LC_ALL": "C.UTF-8"}, recorded=1)
        self.assertEqual(out[0], b"6 4096\n")

    def test_many_variables(self):
        env = {f"NAME_{i}": str(i) for i in range(3000)} | {"PATH": os.environ["PATH"]}
        self.same([PYTHON, "-c", "import subprocess; subprocess.run('env')"], env, recorded=1)
        self.assertEqual(self.show()["preloaded"], 2)

    def test_more_variables_than_are_handed_on(self):
        env = {f"NAME_{i}": str(i) for i in range(9000)} | {"PATH": os.environ["PATH"]}
        self.same([PYTHON, "-c", "import subprocess; subprocess.run('env')"], env, recorded=1)
        self.assertEqual(self.show()["preloaded"], 1)

    def test_another_recording_goes_first(self):
        code = "import os, subprocess; subprocess.run('env', env=dict(os.environ, PATHLINE_ARENA='/nowhere:3'))"
        self.same([PYTHON, "-c", code], recorded=1)
        self.assertEqual(self.show()["preloaded"], 1)


class NoArena(Case):
    def check(self, value):
        env = {"A": "1", "PATH": os.environ["PATH"], "LD_PRELOAD": self.preload}
        if value is not None:
            env["PATHLINE_ARENA"] = value
        done = subprocess.run(["sh", "-c", f"env; {PYTHON} -X dev -c '{PRINT}'"], env=env, capture_output=True, text=True)
        self.assertEqual((done.stderr, done.returncode), ("", 0), value)
        self.assertNotIn("PATHLINE", done.stdout, value)
        self.assertNotIn("LD_PRELOAD", done.stdout, value)

    def test_absent_or_bad(self):
        bad = self.write("bad", b"\0" * 1000000)
        for value in (None, "", ":", "/nowhere:0", "/nowhere", bad + ":0", self.dir + ":0", self.arena + ":x",
                      self.arena + ":", self.arena + ":99999999999", "relative:0", "/" + "x" * 5000 + ":0"):
            self.check(value)
        self.assertEqual(self.show()["preloaded"], 0)

    def test_library_out_of_reach(self):
        """As after a chroot: ld.so would complain."""
        gone = self.preload + ".gone"
        code = f"import os, subprocess; os.rename({self.preload!r}, {gone!r}); subprocess.run('env'); " \
            f"os.rename({gone!r}, {self.preload!r})"
        self.same([PYTHON, "-c", code], recorded=1)
        self.assertEqual(self.show()["preloaded"], 1)


FUNCTIONS_WITH_ENV = ["execve", "execvpe", "execle", "fexecve", "execveat", "execveat_fd", "posix_spawn",
                      "posix_spawnp", "vfork"]
FUNCTIONS = ["execv", "execvp", "execl", "execlp", "exec_again"]


class Functions(Case):
    """Each function that is interposed, with a Python at its end."""

    def programs(self):
        code = PRINT + "; import sys; print(sys.argv); sys.exit(3)"
        for function in FUNCTIONS_WITH_ENV:
            for kind in ("own", "empty", "user") + ("null",) * (function != "fexecve"):
                yield [CALL, function, kind, PYTHON, "-S", "-c", code]
        for function in FUNCTIONS:
            yield [CALL, function, "own", PYTHON, "-S", "-c", code]
        command = f"{PYTHON} -S -c 'import os, sys; print(dict(os.environ), sys.stdin.read()); sys.exit(3)'"
        for function in ("system", "popen_r", "popen_w"):
            yield [CALL, function, "own", command]

    def check(self, wrap):
        library = user_preloads()[2]
        for command in self.programs():
            for user in (None, library):
                env = {"PATH": os.environ["PATH"], "USER_PRELOAD": library} | ({"LD_PRELOAD": user} if user else {})
                out, err, code = self.same(wrap(command), env, stdin=subprocess.DEVNULL)
                self.assertEqual(code, 3, (command, err))
                self.assertEqual(self.show()["pythons"], len(self.starts()))
                yield command

    def test_directly(self):
        for command in self.check(lambda command: command):
            self.assertEqual([s[1:3] for s in self.starts()], [(0, START)], command)

    def test_through_the_shell(self):
        for command in self.check(lambda command: ["sh", "-c", '"$@"; exit $?', "sh"] + command):
            self.assertEqual([s[1:3] for s in self.starts()], [(0, START)], command)

    def test_below_a_recorded_python(self):
        code = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
        for command in self.check(lambda command: [PYTHON, "-c", code] + command):
            self.assertEqual([s[1:3] for s in self.starts()], [(0, START), (1, START)], command)

    def test_popen_closes_earlier_pipes_in_the_command(self):
        out, _, _ = self.same([CALL, "popen_two", "own", "cat; echo end"])
        self.assertEqual(out, b"one\nend\ntwo\nend\n")

    def test_fexecve_refuses_no_environment(self):
        out, err, code = self.same([CALL, "fexecve", "null", PYTHON, "-c", "pass"], recorded=0)
        self.assertEqual((err, code), (b"fexecve: Invalid argument\n", 125))

    def test_search_along_path(self):
        directories = [os.path.join(self.dir, name) for name in ("one", "two", "three")]
        for directory in directories:
            os.mkdir(directory)
        os.mkdir(os.path.join(directories[0], "program"))
        self.write("two/program", "#!/nowhere\n", 0o644)
        self.write("three/program", f"#!{PYTHON} -S\nimport os; print(dict(os.environ))\n")
        self.write("three/text", f"exec {PYTHON} -S -c '{PRINT}'\n")
        path = ":".join(directories)
        for function in ("execvp", "execvpe", "execlp", "posix_spawnp"):
            for env in ({"PATH": path}, {"PATH": "/nowhere::" + path}):
                self.same([CALL, function, "own", "program"], env, recorded=1)
            self.same([CALL, function, "own", "text"], {"PATH": path}, recorded=function != "posix_spawnp")
            self.same([CALL, function, "own", "absent"], {"PATH": path}, recorded=0)
            self.same([CALL, function, "own", "text"], {}, recorded=0)


class Shell(Case):
    COMMANDS = ["exit 3", "kill -TERM $$", "kill -INT $$", "nosuchcommand", "-x", "", "if", "kill -INT $PPID; exit 4",
                "kill -QUIT $PPID; exit 5", "trap"]

    def test_system(self):
        for command in self.COMMANDS:
            self.same([CALL, "system", "own", command], cwd=self.dir)

    def test_system_from_python(self):
        """Signals, masks and dispositions are what they were, also when SIGINT was ignored."""
        code = """
import os, signal, ctypes
for action in (signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler):
    signal.signal(signal.SIGINT, action)
    for mask in ((), (signal.SIGCHLD, signal.SIGUSR1)):
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        print(os.system("exec grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status; exit 3"), flush=True)
        print(signal.pthread_sigmask(signal.SIG_BLOCK, ()), signal.getsignal(signal.SIGINT) == action, flush=True)
print(ctypes.CDLL(None).system(None))
"""
        self.same([PYTHON, "-c", code], recorded=1)

    def test_system_in_threads(self):
        code = """
import os, signal, threading
threads = [threading.Thread(target=lambda: [os.system("exit 1") for _ in range(20)]) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(signal.getsignal(signal.SIGINT))
os.kill(os.getpid(), signal.SIGINT)
"""
        self.same([PYTHON, "-c", code], recorded=1)
        self.assertEqual(self.show()["preloaded"], 81)

    def test_popen(self):
        for command in self.COMMANDS:
            if "PPID" not in command:
                self.same([CALL, "popen_r", "own", command])
                if command != "if":  # the command is to read, or SIGPIPE comes or does not
                    self.same([CALL, "popen_w", "own", "cat; " + command])

    def test_popen_modes(self):
        code = """
import ctypes, errno, fcntl, os
c = ctypes.CDLL(None, use_errno=True)
c.popen.restype = c.fdopen.restype = ctypes.c_void_p
c.pclose.argtypes = c.fileno.argtypes = [ctypes.c_void_p]
for mode in (b"", b"r", b"w", b"e", b"re", b"er", b"we", b"rw", b"x", b"rx"):
    ctypes.set_errno(0)
    f = c.popen(b"exit 2", mode)
    print(mode, bool(f), errno.errorcode.get(ctypes.get_errno()) if not f else fcntl.fcntl(c.fileno(f), fcntl.F_GETFD))
    print(f and c.pclose(f))
for closed in (0, 1):
    os.close(closed)
    f = c.popen(b"echo out >&2; cat", b"w")
    print(c.fileno(f), c.pclose(f), file=__import__("sys").stderr)
"""
        self.same([PYTHON, "-c", code], recorded=1, stdin=subprocess.DEVNULL)


CHILDREN = {
    "subprocess": "subprocess.run(python)",
    "subprocess env={}": "subprocess.run(python, env={})",
    "subprocess env=own": "subprocess.run(python, env=dict(os.environ, A='2'))",
    "subprocess cwd": "subprocess.run(python, cwd='/')",
    "subprocess shell": "subprocess.run(' '.join(map(shlex.quote, python)), shell=True)",
    "subprocess fork": "subprocess.run(python, preexec_fn=lambda: None)",
    "subprocess fds": "subprocess.run(python, close_fds=False, start_new_session=True)",
    "os.system": "os.system(' '.join(map(shlex.quote, python)))",
    "os.popen": "print(os.popen(' '.join(map(shlex.quote, python))).read())",
    "os.posix_spawn": "os.waitpid(os.posix_spawn(python[0], python, os.environ), 0)",
    "os.posix_spawnp": "os.waitpid(os.posix_spawnp(python[0], python, {}), 0)",
    "os.spawnv": "os.spawnv(os.P_WAIT, python[0], python)",
    "os.spawnve": "os.spawnve(os.P_WAIT, python[0], python, {'A': '3'})",
    "small stack": "threading.stack_size(65536); t = threading.Thread(target=lambda: subprocess.run(python)); "
                   "t.start(); t.join()",
    "closed descriptors": "os.closerange(3, 256); subprocess.run(python)",
}


class Children(Case):
    HEAD = "import os, shlex, subprocess, sys, threading\n" \
           f"python = [sys.executable, '-c', '{PRINT}; import sys; sys.exit(4)']\nsys.stdout.flush()\n"

    def test_each_way(self):
        for name, code in CHILDREN.items():
            for options in ([], ["-I", "-S"]):
                with self.subTest(name, options=options):
                    self.same([PYTHON, *options, "-c", self.HEAD + code], recorded=2)
                    self.assertEqual([s[1:3] for s in self.starts()], [(0, START), (1, START)])

    def test_exec(self):
        for call in ("os.execv(python[0], python)", "os.execve(python[0], python, {})",
                     "os.execvp(python[0], python)", "os.execl(*python[:1], *python)",
                     "os.execv('/bin/sh', ['sh', '-c', 'exec \"$@\"', 'sh', *python])",
                     "os.execve(os.open(python[0], os.O_RDONLY), python, os.environ)"):
            self.same([PYTHON, "-c", self.HEAD + call], recorded=2)
            self.assertEqual([s[1:3] for s in self.starts()], [(0, START), (1, BY_EXEC)], call)
            self.assertEqual(self.ends(), {1: (EXEC, 0), 2: (EXIT, 4)}, call)

    def test_exec_in_a_forked_child(self):
        """It has no slot of its own here: its parent is the interpreter that forked."""
        code = "if not os.fork(): os.execv(python[0], python)\nos.wait()"
        self.same([PYTHON, "-c", self.HEAD + code], recorded=2)
        self.assertEqual([s[1:3] for s in self.starts()], [(0, START), (1, START)])
        self.assertEqual(self.ends(), {1: (EXIT, 0), 2: (EXIT, 4)})

    def test_grandchildren(self):
        inner = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'pass'])"
        code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}], env={{}})"
        self.same([PYTHON, "-c", code], recorded=3)
        self.assertEqual([s[1] for s in self.starts()], [0, 1, 2])

    def test_multiprocessing(self):
        for method, recorded in (("spawn", 3), ("forkserver", 3), ("fork", 1)):
            path = self.write("main.py", f"""
import multiprocessing, os
def work(queue): queue.put(dict(os.environ))
if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=work, args=(queue,))
    process.start()
    print(queue.get())
    process.join()
    print(process.exitcode)
""")
            self.same([PYTHON, path], recorded=recorded)  # with the resource tracker
            self.assertEqual({s[1] for s in self.starts()[1:]}, {1} if recorded > 1 else set())

    def test_child_of_another_version(self):
        some = [python for version, python in PYTHONS.items() if version in RECORDED + ("3.7", "3.11")]
        for python in some:
            for below in some:
                code = f"import subprocess; subprocess.call([{below!r}, '-c', '{PRINT}'])"
                self.same([python, "-c", code], recorded=(python in MODERN.values()) + (below in MODERN.values()))
                self.assertEqual(self.show()["preloaded"], 2)


class OnlyFirst(Case):
    no_children = 1

    def test_only_the_first_python(self):
        child = f"[sys.executable, '-c', '{PRINT}']"
        for call in (f"subprocess.run({child})", f"os.execv(sys.executable, {child})", f"subprocess.run({child}, env={{}})",
                     f"os.system(shlex.join({child}))"):
            code = "import os, shlex, subprocess, sys\n" + call
            self.same(["sh", "-c", '"$@"; exit $?', "sh", PYTHON, "-c", code], recorded=1)
            self.assertEqual(self.show()["pythons"], 1)

    def test_fork_then_exec(self):
        code = f"import os, sys\nif not os.fork(): os.execv(sys.executable, [sys.executable, '-c', '{PRINT}'])\nos.wait()"
        self.same([PYTHON, "-c", code], recorded=1)
        self.assertEqual(self.show()["pythons"], 1)


class Ends(Case):
    def end_of(self, code):
        self.same([PYTHON, "-c", code], recorded=1)
        return self.ends()[1]

    def test_exit(self):
        self.assertEqual(self.end_of("pass"), (EXIT, 0))
        self.assertEqual(self.end_of("import sys; sys.exit(3)"), (EXIT, 3))
        self.assertEqual(self.end_of("import sys; sys.exit('a word')"), (EXIT, 1))
        self.assertEqual(self.end_of("import sys; sys.exit(-1)"), (EXIT, 255))
        self.assertEqual(self.end_of("import os; os._exit(7)"), (EXIT, 7))
        self.assertEqual(self.end_of("import ctypes; ctypes.CDLL(None).quick_exit(8)"), (EXIT, 8))
        self.assertEqual(self.end_of("import ctypes; ctypes.CDLL(None)._Exit(9)"), (EXIT, 9))
        self.assertEqual(self.end_of("import ctypes; ctypes.CDLL(None).exit(10)"), (EXIT, 10))

    def test_killed(self):
        self.assertEqual(self.end_of("import os; os.kill(os.getpid(), 9)"), (UNKNOWN, 0))
        self.assertEqual(self.end_of("import os\ntry: os.execv('/nowhere', ['x'])\nexcept OSError as e: print(e)\n"
                                     "os.kill(os.getpid(), 9)"), (UNKNOWN, 0))

    def test_a_child_does_not_speak_for_its_parent(self):
        """Between vfork and exec a child has its parent's memory."""
        for code in ("subprocess.run(['/nowhere'], check=False)", "subprocess.run(['false'])", "os.system('exit 4')",
                     "os.fork() or os._exit(3)"):
            code = f"import os, subprocess\ntry: {code}\nexcept OSError as e: print(e)\nos.kill(os.getpid(), 9)"
            self.assertEqual(self.end_of(code), (UNKNOWN, 0), code)


class Forms(Case):
    """Every way to start a program, in every interpreter."""

    CODE = "import os, sys\nprint(sys.argv, sys.path, sorted(sys.modules), sys.flags, sorted(globals()), __name__)\n" \
           "import gc; print(sum(map(bool, gc.get_objects())) > 0)\nraise SystemExit(5)\n"

    def forms(self):
        os.mkdir(os.path.join(self.dir, "package"))
        script = self.write("script.py", self.CODE)
        self.write("module.py", self.CODE)
        self.write("package/__main__.py", self.CODE)
        zipped = os.path.join(self.dir, "zipped")
        shutil.make_archive(zipped, "zip", os.path.join(self.dir, "package"))
        yield [script, "a", "b"], None
        yield ["-m", "module", "a"], None
        yield ["-m", "package"], None
        yield ["-c", self.CODE, "a"], None
        yield ["-"], self.CODE
        yield [], self.CODE
        yield ["-i", "-q"], self.CODE
        yield [os.path.join(self.dir, "package")], None
        yield [zipped + ".zip"], None
        yield ["-i", script], "print(1)\n"

    OPTIONS = [[], ["-S"], ["-I"], ["-E"], ["-S", "-I", "-E"], ["-X", "dev"], ["-X", "frozen_modules=on"],
               ["-X", "frozen_modules=off"], ["-O"], ["-v"], ["-X", "importtime"]]

    def check(self, pythons, recorded, every):
        forms = list(self.forms())
        for version, python in pythons.items():
            for options in every:
                for form, text in forms if not options or options == ["-X", "dev"] else forms[:4]:
                    if options[-1:] in (["-v"], ["importtime"]):
                        self.counted(python, options + form, recorded)
                        continue
                    with self.subTest(version, options=options, form=form):
                        env = {"PYTHONPATH": self.dir, "PYTHONDONTWRITEBYTECODE": "1"}
                        self.same([python, *options, *form], env, recorded=recorded, cwd=self.dir,
                                  input=(text or "").encode())
                        self.assertEqual(self.show()["refused"], 1 - recorded)

    def counted(self, python, arguments, recorded):
        """Output with times and addresses: the status and the number of lines."""
        env = {"PYTHONPATH": self.dir, "PYTHONDONTWRITEBYTECODE": "1"}
        before = self.run_one([python, *arguments], env, False, cwd=self.dir)
        self.new_arena()
        after = self.run_one([python, *arguments], env, True, cwd=self.dir)
        self.assertEqual(before[0], after[0])
        self.assertEqual(before[1].count(b"\n"), after[1].count(b"\n"))
        self.assertEqual((before[2], len(self.starts())), (after[2], recorded))

    def test_recorded(self):
        self.assertTrue(MODERN)
        self.check(MODERN, 1, self.OPTIONS)

    def test_refused(self):
        self.check({v: p for v, p in OTHERS.items() if v == "3.11"}, 0, [[], ["-I", "-S"], ["-X", "dev"]])

    def test_the_reason_of_a_refusal(self):
        for version, python in OTHERS.items():
            self.same([python, "-c", "print(1)"], recorded=0)
            shown = self.show()
            minor = int(version.split(".")[1])
            why = f"no recorder was built for {version}" if minor >= 8 else "no recorder was built for so old a version"
            exe = re.escape(os.path.realpath(python))
            self.assertRegex(shown["why"], rf"^CPython {re.escape(version)}\.\d+\+? \({exe}\): {why}$")
            self.assertEqual((shown["pythons"], shown["refused"]), (1, 1))

    def test_a_recorder_that_cannot_be_loaded(self):
        self.write(f"pathline-recorder-{version_of(PYTHON)}.so", "no library")
        self.same([PYTHON, "-X", "dev", "-c", "print(1)"], recorded=0)
        self.assertRegex(self.show()["why"], "CPython .*: .*invalid ELF header|CPython .*: .*file too short")

    def test_debug_allocators(self):
        for version, python in PYTHONS.items():
            if version in ("3.6", "3.7"):
                continue  # without audit hooks
            for variable in ({"PYTHONMALLOC": "debug"}, {"PYTHONMALLOC": "malloc_debug"}, {"PYTHONDEVMODE": "1"}):
                for arguments in (["-c", "print(1)"], ["-m", "this"], ["-c", "import sys; sys.addaudithook(print)"]):
                    _, _, code = self.same([python, *arguments], variable)
                    self.assertEqual(code, 0)

    def test_starts_that_fail(self):
        """The runtime is finalised without a program: the entry must not be in the list it frees.
        """
        for python in PYTHONS.values():
            for arguments in (["-X", "dev", "/nowhere.py"], ["-X", "dev", "-m", "nosuchmodule"], ["-X", "dev", "-c", "("],
                              ["-X", "dev", "-"], ["-V"], ["-h"], ["--nosuchoption"], ["-X", "dev", "/"]):
                self.same([python, *arguments], stdin=subprocess.DEVNULL)

    def test_embedded_interpreter(self):
        """One that is finalised and never ran a program."""
        for python in PYTHONS.values():
            code = "import sysconfig as s; print(s.get_config_var('LIBDIR') + '/' + s.get_config_var('LDLIBRARY'))"
            library = subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()
            if library.endswith(".so") and os.path.exists(library):
                _, _, code = self.same([EMBED], {"LD_PRELOAD": library, "PYTHONDEVMODE": "1"}, recorded=0)
                self.assertEqual((code, self.show()["pythons"]), (0, 1), library)

    def test_audit_hooks_of_the_program(self):
        code = "import sys, os\nseen = []\nsys.addaudithook(lambda event, args: seen.append(event))\n" \
            "os.listdir('/'); print(seen)\n"
        for python in MODERN.values():
            self.same([python, "-X", "dev", "-c", code], recorded=1)

    def test_nothing_in_the_interpreter(self):
        code = "import gc, sys, threading; print(len(gc.get_objects()), len(sys.modules), threading.active_count(), " \
            "sys.gettrace(), sys.getprofile(), sys.getallocatedblocks() > 0)"
        for python in MODERN.values():
            self.same([python, "-c", code], recorded=1)

    def test_descriptors(self):
        self.same([PYTHON, "-c", "import os; print(os.listdir('/proc/self/fd'))"], recorded=1)


class Targets(Case):
    """Which programs get our variables: seen by a library that stands where libc would."""

    def setUp(self):
        super().setUp()
        with open(os.path.realpath("/bin/true"), "rb") as f:
            self.true = f.read()
        self.loader = re.search(rb"/lib64/ld-linux-x86-64\.so\.2\0|/lib/ld-linux-aarch64\.so\.1\0", self.true).group()

    def added(self, path, function="execve", **options):
        spy = os.path.join(HELPERS, "preload-spy.so")
        out, _, _ = self.run_one([CALL, function, "own", path], {"PATH": "/bin", "LD_PRELOAD": spy}, True, **options)
        self.assertIn(out, (b"plain\n", f"{self.preload}:{spy}\n".encode()))
        return out != b"plain\n"

    def patched(self, name, at, new, mode=0o755):
        return self.write(name, self.true[:at] + new + self.true[at + len(new):], mode)

    def test_elf(self):
        self.assertTrue(self.added(self.write("same", self.true)))
        self.assertFalse(self.added(STATIC))
        self.assertFalse(self.added(self.patched("class32", 4, b"\1")))
        self.assertFalse(self.added(self.patched("big-endian", 5, b"\2")))
        self.assertFalse(self.added(self.patched("machine", 18, b"\x28\0")))
        self.assertFalse(self.added(self.patched("segments", 56, b"\xff\xff")))
        musl = b"/lib/ld-musl-x86_64.so.1".ljust(len(self.loader), b"\0")
        self.assertFalse(self.added(self.patched("musl", self.true.index(self.loader), musl)))
        self.assertFalse(self.added(self.write("short", self.true[:40])))
        self.assertFalse(self.added(self.write("cut", self.true[:64])))

    def test_what_is_no_program(self):
        self.assertFalse(self.added("/nowhere"))
        self.assertFalse(self.added(""))
        self.assertFalse(self.added(self.dir))
        self.assertFalse(self.added("/dev/null"))
        self.assertFalse(self.added(self.write("empty", "")))
        self.assertFalse(self.added(self.write("text", "echo\n")))
        fifo = os.path.join(self.dir, "fifo")
        os.mkfifo(fifo)
        self.assertFalse(self.added(fifo))

    def test_text_is_for_the_shell(self):
        self.assertTrue(self.added(self.write("text", "echo\n"), "execvp"))
        self.assertFalse(self.added(STATIC, "execvp"))

    def test_scripts(self):
        for i, head in enumerate(("#!/bin/sh\n", "#! /bin/sh -e\n", "#!\t/bin/sh\t-e x\n", "#!/bin/sh", "#!/bin/sh\0x")):
            self.assertTrue(self.added(self.write(f"yes{i}", head)), head)
        for i, head in enumerate(("#!", "#!\n/bin/sh", "#!  \n", "#!/nowhere\n", f"#!{STATIC}\n", "#!/" + "x" * 300 + "\n",
                                  "#!bin/sh\n", "#!/bin\n")):
            self.assertFalse(self.added(self.write(f"no{i}", head)), head)

    def test_scripts_of_scripts(self):
        path = "/bin/sh"
        for level in range(8):
            path = self.write(f"level{level}", f"#!{path}\n")
            self.assertEqual(self.added(path), level < 5, level)
        loop = os.path.join(self.dir, "loop")
        self.assertFalse(self.added(self.write("loop", f"#!{loop}\n")))

    def test_relative(self):
        self.write("here", self.true)
        self.assertTrue(self.added("here", cwd=self.dir))
        self.assertTrue(self.added("./here", "execvp", cwd=self.dir))
        self.assertFalse(self.added("here", cwd="/"))

    def test_descriptor(self):
        self.assertTrue(self.added("/bin/sh", "fexecve"))
        self.assertFalse(self.added("/nowhere", "fexecve"))
        self.assertFalse(self.added(STATIC, "fexecve"))

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_programs_with_rights_of_their_own(self):
        path = self.write("setuid", self.true)
        os.chown(path, 1, 1)
        os.chmod(path, 0o4755)
        self.assertFalse(self.added(path))
        os.chmod(path, 0o2755)
        self.assertFalse(self.added(path))
        os.chmod(path, 0o2745)  # a lock, not a right
        self.assertTrue(self.added(path))
        os.chown(path, 0, 0)
        os.chmod(path, 0o6755)  # what we are already
        self.assertTrue(self.added(path))

    @unittest.skipUnless(os.path.exists(STATIC), "no static libc")
    def test_static_program_sees_nothing(self):
        code = f"import subprocess; subprocess.run([{STATIC!r}])"
        self.same([PYTHON, "-c", code], recorded=1)
        self.same(["sh", "-c", STATIC])
        out, _, _ = self.same([PYTHON, "-c", code], {"A": "1", "LC_ALL": "C"}, recorded=1)
        self.assertEqual(out, b"A=1\nLC_ALL=C\n")

    def test_a_sanitizer_comes_first(self):
        asan = os.path.join(self.dir, "libasan.so.8")
        shutil.copy(user_preloads()[2], asan)
        code = f"import subprocess; subprocess.run([{PYTHON!r}, '-c', '{PRINT}'], env={{'LD_PRELOAD': {asan!r}}})"
        self.same([PYTHON, "-c", code], recorded=2)


def chroots():
    cache = os.path.join(os.path.expanduser(os.environ.get("XDG_CACHE_HOME", "~/.cache")), "pathline-chroots")
    named = os.environ.get("PATHLINE_ROOTS", "").split(":")
    return [root for root in [*named, *sorted(glob.glob(cache + "/*"))] if root and os.path.isdir(root)]


@unittest.skipUnless(os.geteuid() == 0 and chroots(), "needs root and a root directory with a newer Python")
class NewerPython(Case):
    """CPython 3.14 lives in a root directory of its own, with its own libc."""

    root = chroots()[0] if chroots() else "/"

    def variables(self, env):
        return {"LD_PRELOAD": self.inside(self.preload), "PATHLINE_ARENA": self.inside(self.arena) + ":0"}

    def run_one(self, command, env, preloaded, **options):
        env = dict(env) | (self.variables(env) if preloaded else {})
        command = ["chroot", self.root, "/usr/bin/env", "-i", *(f"{k}={v}" for k, v in env.items()), *command]
        return super().run_one(command, {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, False, **options)

    def test_forms(self):
        script = self.inside(self.write("script.py", Forms.CODE))
        for options in Forms.OPTIONS[:-2]:
            for form, text in (([script], ""), (["-c", Forms.CODE], ""), (["-"], Forms.CODE), (["-m", "this"], "")):
                self.same(["/usr/bin/python3.14", *options, *form], {}, recorded=1, input=text.encode())

    def test_debug_allocators(self):
        for env in ({"PYTHONMALLOC": "debug"}, {"PYTHONDEVMODE": "1"}):
            for arguments in (["-c", "print(1)"], ["/nowhere.py"], ["-V"], ["-m", "nosuchmodule"]):
                self.same(["/usr/bin/python3.14", *arguments], env)

    def test_children(self):
        head = Children.HEAD
        for name, code in CHILDREN.items():
            with self.subTest(name):
                self.same(["/usr/bin/python3.14", "-c", head + code], {"PATH": "/usr/bin:/bin"}, recorded=2)
                self.assertEqual([s[1] for s in self.starts()], [0, 1])

    def test_system(self):
        for command in Shell.COMMANDS[:7]:
            self.same(["/usr/bin/python3.14", "-c", f"import os; print(os.system({command!r}))"], recorded=1)


if __name__ == "__main__":
    unittest.main()
