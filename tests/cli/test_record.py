"""`pathline record`: the command does not notice, and its caller sees what it would see without us.
"""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fault"))
import recorded  # noqa: E402

INTERPRETERS = "two"

QUICK = True
PATHLINE, PYTHON = recorded.PATHLINE, recorded.PYTHON

# What a program can see of where it was put.
PLACE = """\
import json, os, resource, signal, sys
print(json.dumps({
    "group": os.getpgrp() == os.getpgid(int(sys.argv[1])), "session": os.getsid(0), "cwd": os.getcwd(), "umask": os.umask(0),
    "limits": [resource.getrlimit(n) for n in range(resource.RLIMIT_NOFILE, resource.RLIMIT_NOFILE + 1)],
    "core": resource.getrlimit(resource.RLIMIT_CORE),
    "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "ignored": [n for n in range(1, 32) if n not in (9, 19) and signal.getsignal(n) == signal.SIG_IGN],
    "fds": sorted(os.listdir("/proc/self/fd")),
    "environ": dict(os.environ), "path": sys.path, "flags": list(sys.flags),
    "stdin": sys.stdin.read() if sys.stdin else None,
}, sort_keys=True))
"""

# Says which signals come, up to SIGUSR2. The pipe keeps those that come while it is not waiting.
LISTENER = """\
import os, signal
heard, told = os.pipe()
os.set_blocking(told, False)
signal.set_wakeup_fd(told)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGINT, signal.SIGQUIT, signal.SIGCONT, signal.SIGUSR2):
    signal.signal(number, lambda number, frame: None)
print("ready", flush=True)
name = ""
while name != "SIGUSR2":
    name = signal.Signals(os.read(heard, 1)[0]).name
    print(name, flush=True)
"""


class Terminal:
    """What is typed into a terminal, and what comes out."""

    def __init__(self, fd):
        self.fd, self.text, self.seen = fd, "", 0

    def type(self, text):
        os.write(self.fd, text.encode())

    def until(self, *texts):
        """Read until these have come, one after the other, since the last time."""
        for text in texts:
            while text not in self.text[self.seen:]:
                if not select.select([self.fd], [], [], recorded.DEADLINE_S)[0]:
                    raise AssertionError(f"{text!r} did not come: {self.text!r}")
                self.text += os.read(self.fd, 4096).decode(errors="replace")
            self.seen = self.text.index(text, self.seen) + len(text)

    def close(self, pid):
        try:
            while os.read(self.fd, 4096):
                pass
        except OSError:
            pass
        os.close(self.fd)
        os.waitpid(pid, 0)


class Record(recorded.Case):
    def setUp(self):
        super().setUp()
        self.dir = self.top.name

    def record(self, *words, **options):
        return recorded.run(PATHLINE, "record", *words, cwd=self.dir, **options)

    def write(self, name, text):
        path = pathlib.Path(self.dir) / name
        path.write_text(text)
        return str(path)

    # ---- what is run ----

    def test_script(self):
        self.write("hello.py", "import sys\nprint('hello', sys.argv)\nsys.exit(3)\n")
        done = self.record("--python", PYTHON, "hello.py", "-q", "--limit", "x")
        self.assertEqual((done.returncode, done.stdout), (3, "hello ['hello.py', '-q', '--limit', 'x']\n"))
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], r"^pathline: recorded in \.pathline/\d{6}-\d{6}-hello, ")
        self.assertRegex(lines[1], r"^pathline: [\d,]+ events of 1 process, 1 thread$")
        self.assertEqual(lines[2:], ["pathline: go through it:           pathline replay", "pathline: see where time went:     pathline report"])
        latest = os.path.join(self.dir, ".pathline/latest")
        self.assertEqual(os.path.join(".pathline", os.readlink(latest)), lines[0].split()[3].rstrip(","))
        self.assertEqual(recorded.info(latest)["processes"][0]["exit"], 3)

    def test_trace_function_before_main(self):
        """One that site has set, and frames before a __main__ that never begins: they come, and the
        program ends as without us."""
        self.write("sitecustomize.py", "import sys\nsys.settrace(lambda frame, event, arg: None)\n")
        self.write("wrong.py", 'f"{a b}"')
        environment = dict(os.environ, PYTHONPATH=self.dir)
        plain = recorded.run(PYTHON, "wrong.py", cwd=self.dir, env=environment)
        ours = self.record("-q", "--", PYTHON, "wrong.py", env=environment)
        self.assertEqual((ours.returncode, ours.stderr), (plain.returncode, plain.stderr))
        self.assertEqual(plain.returncode, 1)

    def test_module_code_stdin(self):
        self.write("mod.py", "print('mod', __name__)\n")
        for words, given, printed in ((("-m", "mod"), "", "mod __main__\n"), (("-c", "print(1+1)"), "", "2\n"),
                                      (("-",), "print('piped')", "piped\n"), (("-cprint(5)",), "", "5\n")):
            with self.subTest(words=words):
                done = self.record("-q", "--python", PYTHON, *words, input=given)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, printed, ""))
                self.assertEqual(len(recorded.info(os.path.join(self.dir, ".pathline/latest"))["processes"]), 1)

    def test_command(self):
        path = self.write("manage.py", f"#!{PYTHON}\nimport sys\nprint('managed', sys.argv[0])\n")
        os.chmod(path, 0o755)
        done = self.record("-q", "./manage.py")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "managed ./manage.py\n", ""))
        done = self.record("-q", "--", "sh", "-c", f"'{PYTHON}' -c 'print(1)'; '{PYTHON}' -c 'print(2)'; exit 5")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (5, "1\n2\n", ""))
        self.assertEqual(len(recorded.info(os.path.join(self.dir, ".pathline/latest"))["processes"]), 2)

    def test_text_without_interpreter(self):
        """As execvp has it, the shell runs it."""
        path = self.write("plain", f"'{PYTHON}' -c 'print(\"from plain\", 1)' \"$1\"\n")
        os.chmod(path, 0o755)
        done = self.record("-q", "./plain", "x")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "from plain 1\n", ""))

    def test_failures(self):
        self.write("not-executable", "")
        self.write("some.py", "")
        for words, code, text in (
                (("no-such-command",), 127, "'no-such-command': no such command"),
                (("./not-executable",), 126, "'./not-executable' cannot be executed: Permission denied"),
                (("--python", "./nothing", "x.py"), 127, "'./nothing': no such command"),
                ((), 2, "nothing to run"), (("-z",), 2, "unknown option '-z'"), (("-m",), 2, "-m needs an argument"),
                (("--limit", "3Q", "x.py"), 2, "'3Q' is not a size"), (("--limt=3", "x.py"), 2, "did you mean '--limit'"),
                (("--on-full=dorp", "x.py"), 2, "record: unknown choice for --on-full: 'dorp'; did you mean 'drop'"), (("-o",), 2, "--output needs an argument, DIR"),
                (("-o", ".", "--python", PYTHON, "some.py"), 125, ". is not an empty directory")):
            with self.subTest(words=words):
                done = self.record(*words)
                self.assertEqual((done.returncode, done.stdout), (code, ""))
                self.assertIn(text, done.stderr)
                for line in done.stderr.splitlines():
                    self.assertTrue(line.startswith("pathline: "), line)
        self.assertEqual(sorted(os.listdir(self.dir)), ["not-executable", "some.py"], "something was left behind")

    def test_own_words(self):
        for words, start in ((("--help",), "usage: pathline record"), (("--version",), "pathline ")):
            done = self.record(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith(start), done.stdout)
        self.assertIn("8GiB", self.record("--help").stdout)
        done = recorded.run(PATHLINE, "recrod")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "pathline: unknown command 'recrod'; did you mean 'record'?\n"))
        self.assertEqual(recorded.run(PATHLINE).returncode, 2)

    def test_unknown_options_get_the_same_answer(self):
        for command in "calls", "check", "dump", "info", "ls", "record", "replay", "report", "rm":
            with self.subTest(command=command):
                done = recorded.run(PATHLINE, command, "--zzzzzzzzzz")
                self.assertEqual((done.returncode, done.stderr),
                                 (2, f"pathline: {command}: unknown option '--zzzzzzzzzz'; see pathline {command} --help\n"))
                done = recorded.run(PATHLINE, command, "--hlp")
                self.assertEqual((done.returncode, done.stderr),
                                 (2, f"pathline: {command}: unknown option '--hlp'; did you mean '--help'?\n"))
        done = recorded.run(PATHLINE, "--zzzzzzzzzz")
        self.assertEqual((done.returncode, done.stderr), (2, "pathline: unknown option '--zzzzzzzzzz'; see pathline --help\n"))

    def test_nothing_recorded(self):
        done = self.record("true")
        self.assertEqual(done.returncode, 0)
        self.assertIn("nothing was recorded: 'true' started no Python", done.stderr)

    def test_color(self):
        done = self.record("--color=always", "true")
        self.assertIn("\033[1mpathline: nothing was recorded", done.stderr)
        self.assertNotIn("\033", self.record("true").stderr)

    # ---- where it goes ----

    def test_place(self):
        out = os.path.join(self.dir, "out")
        os.mkdir(out, 0o700)
        done = self.record("-o", out, "--python", PYTHON, "-c", "")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f" pathline replay {out}\n", done.stderr)
        self.assertEqual(self.record("-o", out, "--python", PYTHON, "-c", "").returncode, 125)
        self.assertFalse(os.path.exists(os.path.join(self.dir, ".pathline")))
        self.assertEqual({os.stat(os.path.join(out, n)).st_mode & 0o777 for n in os.listdir(out)}, {0o600})

    def test_two_in_one_second(self):
        for _ in range(3):
            self.record("-q", "--python", PYTHON, "-c", "")
        made = [n for n in os.listdir(os.path.join(self.dir, ".pathline")) if n not in ("latest", ".gitignore")]
        self.assertEqual(len(made), 3)
        self.assertEqual(os.stat(os.path.join(self.dir, ".pathline", made[0])).st_mode & 0o777, 0o700)

    # ---- what the program sees ----

    def seen(self, command, environment=(), **options):
        """What PLACE prints; a shell stands before, so that both ways have the same caller."""
        script = self.write("place.py", PLACE)
        done = recorded.run("sh", "-c", '"$@" $$; exit $?', "sh", *command, PYTHON, script, cwd=self.dir,
                            env=dict(os.environ, A="1", **dict(environment)), **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_same_place(self):
        cases = {"plain": {}, "pipe": {"input": "text"}, "preloaded": {"environment": {"LD_PRELOAD": ""}},
                 "umask": {"umask": 0o137}, "session": {"start_new_session": True},
                 "ignored": {"restore_signals": False,
                             "preexec_fn": lambda: (signal.signal(signal.SIGHUP, signal.SIG_IGN),
                                                    signal.signal(signal.SIGCHLD, signal.SIG_IGN),
                                                    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1]))},
                 "closed": {"preexec_fn": lambda: os.close(0)}}
        for name, options in cases.items():
            with self.subTest(name):
                plain = self.seen((), **options)
                ours = self.seen((PATHLINE, "record", "-q"), **options)
                if name == "session":
                    self.assertTrue(plain.pop("session") and ours.pop("session"))
                self.assertEqual(plain, ours)

    # ---- how it ends ----

    def test_signals_end_it(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGPIPE):
            with self.subTest(number):
                done = self.record("-q", "--python", PYTHON, "-c",
                                   f"import os, signal; signal.signal({number}, 0) if {number} != 9 else 0; "
                                   f"os.kill(os.getpid(), {number})")
                self.assertEqual((done.returncode, done.stderr), (-number, ""))
                told = recorded.info(os.path.join(self.dir, ".pathline/latest"))
                self.assertEqual(told["processes"][0]["signal"], number)
        self.assertEqual([n for n in os.listdir(self.dir) if n.startswith("core")], [])

    def listener(self, **options):
        script = self.write("listener.py", LISTENER)
        process = subprocess.Popen([PATHLINE, "record", "-q", "--python", PYTHON, script], cwd=self.dir, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        # the process that tells signals of the group from ours alone is started after the program
        recorded.wait_for(lambda: "pathline-group" in recorded.children(process.pid), "the sentinel")
        return process

    def heard(self, process):
        out, errors = process.communicate(timeout=recorded.DEADLINE_S)
        self.assertEqual((process.returncode, errors), (0, ""))
        return out.split()

    def test_signals_to_record_are_passed_on(self):
        process = self.listener()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR2):
            process.send_signal(number)
            if number != signal.SIGUSR2:
                self.assertEqual(process.stdout.readline(), number.name + "\n")
        self.assertEqual(self.heard(process), ["SIGUSR2"])

    def test_signals_to_the_group_come_once(self):
        process = self.listener(process_group=0) if sys.version_info >= (3, 11) else self.listener(preexec_fn=os.setpgrp)
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
            before = recorded.children(process.pid)["pathline-group"]
            os.killpg(process.pid, number)
            # it is replaced by another one when it has served
            recorded.wait_for(lambda: recorded.children(process.pid).get("pathline-group") not in (before, None),
                              "the next sentinel")
            self.assertEqual(process.stdout.readline(), number.name + "\n")
        os.killpg(process.pid, signal.SIGUSR2)
        self.assertEqual(self.heard(process), ["SIGUSR2"])

    # ---- in a terminal ----

    def sleeps(self, pid):
        """Does the program that is this process, or that this `record` has started, sleep?"""
        programs = [child for name, child in recorded.children(pid).items() if not name.startswith("pathline")]
        stat = recorded.stat_of(programs[0] if programs else pid)
        return stat and stat[0].startswith("python") and stat[1] == "S"

    def test_control_c(self):
        """The traceback, and the death by SIGINT, as without us."""
        script = self.write("sleeper.py", "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
        ends = {}
        for name, command in (("plain", []), ("ours", [PATHLINE, "record", "-q"])):
            pid, terminal = pty.fork()
            if pid == 0:
                # a shell's background job ignores it, and hands that on
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.chdir(self.dir)
                quiet = termios.tcgetattr(0)
                # "^C" comes before or after the traceback, as the kernel has it
                quiet[3] &= ~termios.ECHO
                termios.tcsetattr(0, termios.TCSANOW, quiet)
                os.execvp((command + [PYTHON])[0], [*command, PYTHON, script])
            text = b""
            sent = False
            while True:
                try:
                    part = os.read(terminal, 4096)
                except OSError:
                    break
                if not part:
                    break
                text += part
                if b"ready\r\n" in text and not sent:
                    recorded.wait_for(lambda: self.sleeps(pid), "the program's sleep")
                    os.write(terminal, b"\x03")
                    sent = True
            os.close(terminal)
            ends[name] = (os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text)
        self.assertEqual(ends["ours"], ends["plain"])
        self.assertEqual(ends["ours"][0], -signal.SIGINT)

    def test_stop_and_continue(self):
        """A shell sees the job stop when the program stops, and the program goes on with the job.
        """
        process = self.listener(preexec_fn=os.setpgrp)
        by_name = recorded.children(process.pid)
        (program,) = (p for n, p in by_name.items() if n not in ("pathline-drain", "pathline-group"))
        for target, number in ((program, signal.SIGSTOP), (process.pid, signal.SIGTSTP)):
            with self.subTest(number):
                os.kill(target, number)
                for pid in (program, process.pid):
                    recorded.wait_for(lambda: recorded.stat_of(pid)[1] == "T", f"{pid} to stop")
                os.kill(process.pid, signal.SIGCONT)
                for pid in (program, process.pid):
                    recorded.wait_for(lambda: recorded.stat_of(pid)[1] != "T", f"{pid} to go on")
                self.assertEqual(process.stdout.readline(), "SIGCONT\n")
        os.kill(program, signal.SIGUSR2)
        self.assertEqual(self.heard(process), ["SIGUSR2"])

    def test_stop_and_continue_reach_the_program(self):
        """As if they were sent to it: also SIGSTOP, which record cannot catch, and SIGCONT once,
        also while it runs."""
        for name, send in (("record", os.kill), ("group", os.killpg)):
            process = self.listener(preexec_fn=os.setpgrp)
            (program,) = (p for n, p in recorded.children(process.pid).items() if n not in ("pathline-drain", "pathline-group"))
            for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGSTOP):
                with self.subTest(to=name, number=number):
                    send(process.pid, number)
                    for pid in (program, process.pid):
                        recorded.wait_for(lambda: recorded.stat_of(pid)[1] == "T", f"{pid} to stop")
                    send(process.pid, signal.SIGCONT)
                    for pid in (program, process.pid):
                        recorded.wait_for(lambda: recorded.stat_of(pid)[1] != "T", f"{pid} to go on")
                    self.assertEqual(process.stdout.readline(), "SIGCONT\n")
            with self.subTest(to=name, number="SIGCONT while it runs"):
                send(process.pid, signal.SIGCONT)
                self.assertEqual(process.stdout.readline(), "SIGCONT\n")
            os.kill(program, signal.SIGUSR2)
            self.assertEqual(self.heard(process), ["SIGUSR2"])

    def test_job_control(self):
        """Ctrl-Z, fg and bg of a shell in a terminal, as without us, also where Ctrl-Z comes as
        soon as the program goes on."""
        script = self.write("listener.py", LISTENER.replace("signal.SIGINT, ", ""))
        seen = {}
        for name, command in (("plain", [PYTHON]), ("ours", [PATHLINE, "record", "-q", "--python", PYTHON])):
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(self.dir)
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.execvpe("bash", ["bash", "--norc", "--noediting", "-i"], dict(os.environ, PS1="$ ", TERM="dumb"))
            shell = Terminal(terminal)
            shell.until("$ ")
            shell.type(" ".join([*command, script]) + "\n")
            shell.until("ready\r\n")
            for again in (*("fg",) * 9, "bg"):
                shell.type("\x1a")
                shell.until("Stopped", "$ ")
                shell.type(again + "\n")
                shell.until("SIGCONT" if again == "bg" else "SIGCONT\r\n")
            # In the background, the prompt, or what is typed, can come before the end of a line.
            shell.type("kill -USR2 %1\n")
            shell.until("SIGUSR2")
            seen[name] = re.findall(r"SIG[A-Z]+\d?|ready", shell.text)
            shell.type("exit\n")
            shell.close(pid)
        self.assertEqual(seen["ours"], seen["plain"])
        self.assertEqual(seen["ours"], ["ready", *["SIGCONT"] * 10, "SIGUSR2"])

    # ---- who stays ----

    def test_descendants_stay_recorded(self):
        """record returns with its program; what it left behind is recorded to its end."""
        self.leave_behind("")

    def test_descendants_of_many_stay_recorded(self):
        """Of so many processes the collector looks through all there are, not at each that began
        since."""
        self.leave_behind("i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i + 1)); done; ")

    def leave_behind(self, commands):
        gate = os.path.join(self.dir, "gate")
        os.mkfifo(gate)
        out = os.path.join(self.dir, "out")
        done = self.record("-o", out, "sh", "-c", f"(read x < gate; exec '{PYTHON}' -c 'print(3)') >/dev/null 2>&1 & {commands}exit 4")
        self.assertEqual(done.returncode, 4)
        self.assertFalse(recorded.info(out)["finished"])
        with open(gate, "w") as file:
            file.write("go\n")
        recorded.wait_for(lambda: recorded.info(out)["finished"], "the end of the recording")
        told = recorded.info(out)
        self.assertEqual([(p["ended"], p["exit"]) for p in told["processes"]], [("exited", 0)])
        self.assertFalse(told["recovered"])
        self.assertEqual(recorded.arenas_of(self.dir), [])

    def test_descendants_that_run_exec(self):
        """While a process becomes another program it has no environment that could be seen; it is
        one of ours all the same."""
        again, out = os.path.join(self.dir, "again.sh"), os.path.join(self.dir, "out")
        with open(again, "w") as file:
            file.write(f"[ $1 -gt 0 ] && exec sh {again} $(($1 - 1)); exec '{PYTHON}' -c 'print(3)'\n")
        done = self.record("-o", out, "sh", "-c", f"sh {again} 800 >/dev/null 2>&1 & exit 4")
        self.assertEqual(done.returncode, 4)
        recorded.wait_for(lambda: recorded.info(out)["finished"], "the end of the recording")
        self.assertEqual([(p["ended"], p["exit"]) for p in recorded.info(out)["processes"]], [("exited", 0)])

    def test_others_that_run_exec(self):
        """Somebody else's process that becomes another program, again and again, is none of ours.
        """
        again = self.write("again.sh", "exec sh \"$0\"\n")
        with subprocess.Popen(["sh", again]) as other:
            self.addCleanup(other.kill)
            said = {self.record("true").stderr for _ in range(60)}
            other.kill()
        self.assertEqual([text for text in said if "started no Python" not in text], [])

    def test_no_children(self):
        code = f"import subprocess; subprocess.run(['{PYTHON}', '-c', ''])"
        for options, count in (((), 2), (("--no-children",), 1)):
            done = self.record("-q", *options, "--python", PYTHON, "-c", code)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            told = recorded.info(os.path.join(self.dir, ".pathline/latest"))
            self.assertEqual(len(told["processes"]), count)

    def test_passes(self):
        """A loop of n passes on one line has n + 1 rows (for), or n (while), in all versions; or
        one, if they are not wanted."""
        old = recorded.run(PYTHON, "-c", "import sys; print(sys.version_info < (3, 12))").stdout == "True\n"
        program = self.write("loops.py", "n = 70\nfor x in range(50): pass\nwhile n: n -= 1\n")
        for choice, rows in ((), {"2": 51, "3": 70}), (("--passes", "all"), {"2": 51, "3": 70}), (("--passes", "none"), {"2": 1, "3": 1}):
            with self.subTest(choice=choice):
                done = self.record("-q", *choice, "--python", PYTHON, program)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                latest = os.path.join(self.dir, ".pathline/latest")
                told = subprocess.run([PATHLINE, "dump", latest, "-f", "file,line,event,source", "-e", "line,again"], stdout=subprocess.PIPE, text=True)
                lines = [row.split("\t") for row in told.stdout.splitlines()]
                got = {n: [row[2:] for row in lines if row[0] == program and row[1] == n] for n in rows}
                self.assertEqual(recorded.info(latest)["passes"], choice[-1] if choice else "all")
                if old:
                    rows = {"2": 51, "3": 70}
                self.assertEqual({n: len(r) for n, r in got.items()}, rows)
                self.assertEqual(got["3"][0], ["line", "while n: n -= 1"])
                later = "line" if old else "again"
                self.assertTrue(all(row == [later, "while n: n -= 1"] for row in got["3"][1:]), got["3"])

    def test_passes_is_a_choice(self):
        done = self.record("--passes", "some", "--python", PYTHON, "-c", "")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--passes", done.stderr)

    def test_hot_is_a_number(self):
        for word in ("", "many", "-1", "1e3", "99999999999999999999"):
            with self.subTest(word=word):
                done = self.record("--hot=" + word, "--python", PYTHON, "-c", "")
                self.assertEqual(done.returncode, 2)
                self.assertIn("--hot: '%s' is not a number of lines" % word, done.stderr)

    def test_a_yield_is_one_after_a_line_of_its_own(self):
        # More frames return without an event before that line than the short way looks at.
        program = self.write("yields.py", "def deep(n):\n    if n & 64:\n        return n\n    return deep(n - 1) if n else n\n"
                             "def g(n):\n    while n:\n        n -= 1\n        if n % 3:\n            yield (\n                deep(14)\n            )\n"
                             "        else:\n            yield (\n                deep(12)\n            )\nlist(g(300))\n")
        for lines in "0", "1", "1000":
            with self.subTest(hot=lines):
                self.record("-q", "--hot", lines, "--python", PYTHON, program)
                rows = subprocess.run([PATHLINE, "dump", os.path.join(self.dir, ".pathline/latest"), "-e", "yield", "-f", "line"],
                                      stdout=subprocess.PIPE, text=True).stdout
                self.assertEqual(rows.count("\n"), 300)

    def test_hot_code_has_the_same_path(self):
        program = self.write("hot.py", "def f(n):\n    if n % 3:\n        return abs(n)\n    return n\nfor i in range(50):\n    f(i)\n")
        told = []
        for lines in "0", "1", "20":
            done = self.record("-q", "--hot", lines, "--python", PYTHON, program)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            latest = os.path.join(self.dir, ".pathline/latest")
            told.append(subprocess.run([PATHLINE, "dump", latest, "-f", "event,code,line"], stdout=subprocess.PIPE, text=True).stdout)
        self.assertEqual(told[0].count("call\tf\t"), 50)
        self.assertEqual(told, told[:1] * 3)

    # A call of it has five witnesses before it is hot.
    MIXED = """
def mixed(a, b, c):
    x = abs(a)
    if a:
        x += 2
    else:
        x += 1
    if b:
        x += 8
    else:
        x += 4
    if c:
        x += 32
    else:
        x += 16
    return x
"""

    def stat_events(self, hot, program):
        """Of mixed."""
        done = self.record("--stat", "--hot", hot, "--python", PYTHON, program)
        self.assertEqual(done.returncode, 0)
        (line,) = (line for line in done.stderr.splitlines() if " mixed " in line)
        return int(re.search(r"([\d,]+) events", line)[1].replace(",", ""))

    def becomes_hot(self):
        version = recorded.run(PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").stdout.strip()
        return version in ("3.12", "3.13")

    def test_hot_code_is_planned_anew(self):
        """What comes always needs no witness, and a function that had two plans is one to whoever
        reads."""
        program = self.write("plan.py", self.MIXED + """
for i in range(4000):
    mixed(1, 1, 1)
for i in range(12):
    mixed(i & 1, i & 2, i & 4)
""")
        events, paths, rows = {}, {}, {}
        for hot in "0", "100":
            events[hot] = self.stat_events(hot, program)
            latest = os.path.join(self.dir, ".pathline/latest")
            paths[hot] = subprocess.run([PATHLINE, "dump", latest, "-f", "event,code,line"], stdout=subprocess.PIPE, text=True).stdout
            report = subprocess.run([PATHLINE, "report", "--json", latest], stdout=subprocess.PIPE, text=True).stdout
            rows[hot] = sorted((row["data"]["line"], row["data"]["hits"]) for row in map(json.loads, report.splitlines())
                               if row["data"].get("code") == "mixed")
        self.assertEqual(paths["0"], paths["100"])
        self.assertEqual(rows["0"], rows["100"])
        self.assertIn((3, 4012), rows["0"])
        if self.becomes_hot():
            self.assertLess(events["100"], 0.7 * events["0"])

    def test_hot_code_is_found_wherever_the_count_ends(self):
        """A hundred is a multiple of a call's witnesses, so each count ends at the same one, and
        not each of them can be the first that moves."""
        for before in range(5):
            program = self.write("phase.py", self.MIXED + f"""
for i in range({before}):
    mixed(0, 0, 0)
for i in range(4000):
    mixed(1, 1, 1)
""")
            events = self.stat_events("100", program)
            if self.becomes_hot():
                self.assertLess(events, 8500, before)

    def test_caller_gone(self):
        """record itself is killed: the program goes on, and its recording with it."""
        process = self.listener()
        by_name = recorded.children(process.pid)
        (program,) = (p for n, p in by_name.items() if n not in ("pathline-drain", "pathline-group"))
        process.kill()
        process.wait()
        os.kill(program, signal.SIGUSR2)
        self.assertEqual(process.stdout.read(), "SIGUSR2\n")
        latest = os.path.join(self.dir, ".pathline/latest")
        recorded.wait_for(lambda: recorded.info(latest)["finished"], "the end of the recording")
        self.assertFalse(recorded.info(latest)["recovered"])


if __name__ == "__main__":
    unittest.main()
