#!/usr/bin/env python3
"""Hold what Pathline records of a program against the oracle, and its behaviour against a run
without Pathline.

Also a library for the other tests of this folder. README.md says what is asked.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import mmap
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import leftovers  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(os.path.dirname(HERE))
ORACLE = os.path.join(CHECKOUT, "tests", "oracle")
FIELDS = "pid,tid,event,file,first,code,line"
KINDS = {"two-runs": ("same", "two", "identity"), "same-run": ("same", "identity"), "identity": ("identity",)}
# versions in which code can be hot (src/recorder/tiers/hot.c)
HOT = {(3, 12), (3, 13), (3, 14), (3, 15)}
# gaps by which a recording says that a process did not end in order
ENDS = {"killed", "signal"}


class Failure(Exception):
    """What is wrong, in words for a person; the first line is the summary."""


# ---- what is tested, with what ----

class Setup:
    """Where the things are. One for all tests of a process."""

    def __init__(self, build, timeout=120, keep=False, variables=(), pathline=None, options=()):
        self.build = os.path.abspath(build)
        self.options = list(options)                    # of record, in front of a question's own
        self.variables = dict(text.split("=", 1) for text in variables)
        self.pathline = os.path.abspath(pathline or os.path.join(self.build, "pathline"))
        self.alike = os.path.join(self.build, "tests/exact/alike")
        self.oracle = ORACLE
        self.scratch = tempfile.mkdtemp(prefix="exact-", dir=os.environ.get("TMPDIR", "/var/tmp"))
        self.timeout, self.keep = timeout, keep
        # the oracle maps a large file a thread: on a disk that is slow
        self.memory = None
        memory = leftovers.shared_memory()
        if memory and shutil.disk_usage(memory).free > 4 << 30:
            self.memory = tempfile.mkdtemp(prefix="exact-", dir=memory)
        self.listeners = os.path.join(self.build, "oracle-cache")
        os.makedirs(self.listeners, exist_ok=True)
        for path in (self.pathline, self.alike, os.path.join(self.oracle, "oracle.py")):
            if not os.path.exists(path):
                raise SystemExit("exact: there is no " + path)

    def environment(self, **more):
        """That of this process, without what would bend the program's way."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PATHLINE", "ORACLE", "LD_", "COLUMNS"))}
        env.update(PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", ORACLE_CACHE=self.listeners, PYTHON_COLORS="0")
        env.update(self.variables, **more)
        return {k: v for k, v in env.items() if v != "unset"}

    def work(self, *name):
        path = os.path.join(self.scratch, "-".join(name).replace("/", "_"))
        os.makedirs(path)
        return path

    def oracle_place(self, work):
        return os.path.join(self.memory or work, os.path.basename(work) + "-oracle")

    def done(self):
        if not self.keep:
            shutil.rmtree(self.scratch, ignore_errors=True)
        if self.memory:
            shutil.rmtree(self.memory, ignore_errors=True)


class Python:
    """An interpreter: a path, or a command that begins with `chroot DIR`."""

    def __init__(self, text, setup):
        self.command = shlex.split(os.path.expanduser(text))
        self.root = self.command[1] if os.path.basename(self.command[0]) == "chroot" else None
        if self.root:
            # what is built in there is for the libc of there
            if has_compiler(self.root):
                setup.listeners = os.path.join(setup.build, "oracle-cache-" + os.path.basename(self.root))
                os.makedirs(setup.listeners, exist_ok=True)
            make_visible(self.root, setup)
        code = "import sys, sysconfig; print(sys.version.split()[0], sys.implementation.cache_tag, sys.hexversion, sysconfig.get_path('include'))"
        words = subprocess.run(self.command + ["-I", "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
                               text=True).stdout.split()
        self.version, self.tag, self.hexversion, self.include = words[0], words[1], words[2], words[3]
        self.minor = tuple(map(int, self.version.split(".")[:2]))
        if self.root and not has_compiler(self.root):
            build_listener(self, setup)

    def record(self, directory, setup, options=()):
        """The beginning of a command that records; the arguments of Python follow."""
        head = [setup.pathline, "record", "-q", "-o", directory, *setup.options, *options]
        return head + ["--", *self.command]


def in_own_mounts():
    """Start again in a mount namespace of our own, so that what is mounted there goes away with us.
    """
    if os.environ.get("EXACT_MOUNTS") == "own":
        return
    if os.geteuid() != 0:
        raise SystemExit("exact: a Python in a chroot needs root")
    os.environ["EXACT_MOUNTS"] = "own"
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])


def make_visible(root, setup):
    for path in (CHECKOUT, setup.build, setup.scratch, "/proc", "/dev", "/dev/shm"):
        place = root + os.path.realpath(path)
        os.makedirs(place, exist_ok=True)
        if not os.path.ismount(place):
            subprocess.check_call(["mount", "--rbind" if path == "/dev" else "--bind", os.path.realpath(path), place])


def has_compiler(root):
    return os.path.exists(root + "/usr/bin/cc") or os.path.islink(root + "/usr/bin/cc")


def build_listener(python, setup):
    """What oracle.py does itself where there is a compiler; a chroot need not have one."""
    source = os.path.join(setup.oracle, "listener.c")
    name = "%s-%x-%s.so" % (python.tag, int(os.stat(source).st_mtime), python.hexversion)
    path = os.path.join(setup.listeners, name)
    if os.path.exists(path):
        return
    shim = setup.work("include", python.version)
    subprocess.check_call([os.environ.get("CC", "cc"), "-O2", "-fPIC", "-shared", *include_options(python, shim), source, "-o", path])


def include_options(python, shim):
    """How the compiler of here finds the headers of a Python that may be in a chroot. Debian splits
    pyconfig.h off; `shim` is an empty folder, for nothing else of that root may be seen."""
    if not python.root:
        return ["-isystem", python.include]
    for split in glob.glob(python.root + os.path.dirname(python.include) + "/*-linux-gnu"):
        os.symlink(split, os.path.join(shim, os.path.basename(split)))
    return ["-isystem", python.root + python.include, "-isystem", shim]


# ---- running ----

Ran = collections.namedtuple("Ran", "code out err")


def from_directory(command, cwd):
    """chroot begins at the / in there; from that it is to go on to `cwd`."""
    for i, word in enumerate(command):
        if cwd and os.path.basename(word) == "chroot":
            return [*command[:i + 2], "env", "-C", cwd, *command[i + 2:]]
    return command


def run(command, setup, work, env=None, cwd=None, name="run", ok=None):
    """Run it to its end, output into files of `work`; at the time limit its whole session is
    killed."""
    paths = [os.path.join(work, name + end) for end in (".out", ".err")]
    with open(paths[0], "wb") as out, open(paths[1], "wb") as err:
        p = subprocess.Popen(from_directory(command, cwd), stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env or setup.environment(),
                             cwd=cwd or work, start_new_session=True)
        try:
            code = p.wait(setup.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            raise Failure("%s: not at its end after %d s\n%s" % (name, setup.timeout, shlex.join(command)))
    ran = Ran(code, *(open(path, "rb").read() for path in paths))
    if ok is not None and code not in ok:
        raise Failure("%s: exit code %d\n%s\n%s" % (name, code, shlex.join(command), ran.err.decode(errors="replace")[-3000:]))
    return ran


def wait_until_finished(recording, setup, work):
    """Descendants of the program may live on for a moment; the collector closes the recording
    after the last one."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        p = subprocess.run([setup.pathline, "info", "--json", recording], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if p.returncode:
            said = "".join(open(f, errors="replace").read()[-1500:] for f in glob.glob(os.path.join(work, "*.err")))
            raise Failure("info: exit code %d: %s%s\n%s" % (p.returncode, p.stderr.decode(errors="replace"), p.stdout.decode(errors="replace")[-300:], said))
        for line in p.stdout.splitlines():
            data = json.loads(line)
            if data["type"] == "info" and data["data"].get("finished"):
                return
        time.sleep(0.05)
    raise Failure("the recording is not closed, 20 s after the program")


def dump(recording, setup, work, fields=FIELDS, options=(), name="dump.tsv"):
    """Give the path of the rows. A backslash, which dump escapes and the oracle does not, is as the
    oracle has it."""
    path = os.path.join(work, name)
    with open(path, "wb") as out:
        p = subprocess.run([setup.pathline, "dump", *options, recording, "--fields", fields], stdout=out, stderr=subprocess.PIPE)
    if p.returncode:
        raise Failure("dump: exit code %d: %s" % (p.returncode, p.stderr.decode(errors="replace")))
    return path


def like_the_oracle(path):
    """The oracle does not escape a backslash."""
    if subprocess.run(["grep", "-qF", "\\\\", path]).returncode == 0:
        subprocess.check_call(["sed", "-i", r"s/\\\\/\\/g", path])
    return path


def without_beginnings(path, oracle):
    """In a Python whose program does not compile the oracle begins with the first frame at the
    bottom, Pathline before that: leave out what Pathline has in front of it. Elsewhere compare.py
    finds the place."""
    first = {}
    with open(os.path.join(oracle, "main")) as f:
        main = f.read()
    for name in glob.glob(os.path.join(oracle, "*.tsv")):
        pid, tid = os.path.basename(name)[:-4].split(".")[0].split("-")
        with open(name, "rb") as f:
            row = f.readline(1 << 16).split(b"\t")[:4]
        if pid == tid != main and len(row) == 4 and row[0] == b"call" and row[3] not in (b"<module>", b"_run_module_as_main", b"_register_code"):
            first[pid.encode(), tid.encode()] = row
    if first:
        with open(path, "rb") as f, open(path + ".cut", "wb") as out:
            while first and (line := f.readline()):
                row = line.split(b"\t")
                if first.get(tuple(row[:2])) == row[2:6]:
                    del first[tuple(row[:2])]
                if tuple(row[:2]) not in first:
                    out.write(line)
            shutil.copyfileobj(f, out, 1 << 20)
        os.replace(path + ".cut", path)
    return path


def rows(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as f:
        for line in f:
            yield line.rstrip("\n").split("\t")


# ---- the questions ----

def inspect(recording, setup, work, demands):
    """All that the recording says about itself must be good: check, gaps, and what the program
    demands."""
    p = subprocess.run([setup.pathline, "check", recording], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if p.returncode:
        told = subprocess.run([setup.pathline, "info", recording], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        raise Failure("check: exit code %d\n%s%s" % (p.returncode, p.stdout.decode(errors="replace"), told.stdout.decode(errors="replace")))
    gaps = list(rows(dump(recording, setup, work, "type,pid,tid,seq,file,code,line", ("--events", "gap"), "gaps.tsv")))
    wanted = demands.get("gap")
    bad = [g for g in gaps if g[0] != wanted and g[0] not in ENDS and wanted != "may"]
    if bad:
        raise Failure("%d gaps: %s" % (len(bad), " ".join(bad[0])))
    if wanted and wanted != "may" and not any(g[0] == wanted for g in gaps):
        raise Failure("there is no gap of the reason " + wanted)
    if "has" in demands:
        name, count = demands["has"].split(":")
        found = sum(r[1] == name for r in rows(dump(recording, setup, work, "event,code", ("--events", "call"), "has.tsv")))
        if found != int(count):
            raise Failure("%d calls of %s in the dump, not %s" % (found, name, count))


END_ROWS, END_BYTES = 8, 4 << 20
TOLD_BY_BOTH = (b"call", b"line", b"return", b"yield", b"resume", b"throw", b"unwind")


def ends_of(path):
    """(pid, tid) -> (its last certain rows, what may still have run), of threads whose path breaks
    off."""
    certain, possible = collections.defaultdict(lambda: collections.deque(maxlen=END_ROWS)), collections.defaultdict(set)
    with open(path, "rb") as f:
        for line in f:
            pid, tid, event, *where = line.rstrip(b"\n").split(b"\t")
            if event == b"possible":
                possible[pid, tid].add(tuple(where))
            elif event in TOLD_BY_BOTH:
                certain[pid, tid].append((event, *where[:3], where[3] if event == b"line" else b"0"))
    return {key: (list(certain[key]), lines) for key, lines in possible.items()}


def after(rows, last):
    """What follows after where `last` stands for the last time, or nothing."""
    for end in range(len(rows), len(last) - 1, -1):
        if last and rows[end - len(last):end] == last:
            return rows[end:]
    return []


def end_of(path):
    """The last whole lines of a file of the oracle, in front of the room that it still had."""
    if not os.path.getsize(path):
        return b""
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as text:
        end = text.rfind(b"\n")
        return text[max(0, end - END_BYTES):max(0, end)]


def tell_ends(path, oracle, ignore=None):
    """Where a process was killed the oracle has rows after the last certain one. Add them to the
    dump's if it has all of them as possible: those are promised to be all that can have run.
    Whatever else there is, is left to compare.py."""
    left_out = re.compile(ignore) if ignore else None
    added = []
    for (pid, tid), (last, possible) in ends_of(path).items():
        for name in glob.glob(os.path.join(oracle, "%d-%d*.tsv" % (int(pid), int(tid)))):
            rows = [tuple(line.split(b"\t")) for line in end_of(name).split(b"\n")]
            rows = [row for row in rows if len(row) == 5 and not (left_out and left_out.search(row[1].decode(errors="surrogateescape")))]
            rest = after(rows, last)
            if rest and all(row[0] in (b"line", b"return") and row[1:] in possible for row in rest):
                added += [b"\t".join((pid, tid, *row)) + b"\n" for row in rest]
    with open(path, "ab") as out:
        out.writelines(added)


def compare(oracle, path, setup, work, *options):
    """By the oracle's own compare.py, but where all rows of one run are the same, which is seen
    twenty times faster."""
    if "--two-runs" not in options:
        p = subprocess.run([setup.alike, oracle, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if p.returncode == 0:
            return p.stdout.decode().strip()
        if p.returncode != 1:
            raise Failure("alike: exit code %d: %s" % (p.returncode, p.stderr.decode(errors="replace")))
    if "--tail" in options:
        tell_ends(path, oracle, options[options.index("--ignore-file") + 1] if "--ignore-file" in options else None)
    env = dict(os.environ, TMPDIR=work)
    p = subprocess.run([sys.executable, os.path.join(setup.oracle, "compare.py"), oracle, path, *options], env=env,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = p.stdout.decode(errors="replace").strip()
    if p.returncode:
        raise Failure(text.rsplit("\n", 1)[-1] + "\n" + text)
    return text.rsplit("\n", 1)[-1]


def with_oracle(question):
    """The oracle's folder is made away with, whatever the answer."""
    def ask(python, program, setup, work, *rest):
        oracle = setup.oracle_place(work)
        try:
            return question(python, program, setup, work, oracle, *rest)
        except Failure:
            if setup.keep:
                shutil.move(oracle, os.path.join(work, "oracle"))
            raise
        finally:
            shutil.rmtree(oracle, ignore_errors=True)
    return ask


@with_oracle
def same_run(python, program, setup, work, oracle, demands=None, place=None):
    """Both listen to one run, whose environment and directory are those of `place`. Gives (summary,
    what the program did)."""
    demands = demands or {}
    recording = os.path.join(work, "recording")
    order = ("--order", demands["order"]) if "order" in demands else ()
    command = python.record(recording, setup, order) + [os.path.join(setup.oracle, "oracle.py"), "--out", oracle, "--", *program]
    ran = run(command, setup, work, name="both", **(place or {}))
    wait_until_finished(recording, setup, work)
    inspect(recording, setup, work, demands)
    if "blind" in demands:
        leave_out_the_blind(oracle)
    tail = ("--tail", demands["tail"]) if "tail" in demands else ()
    path = without_beginnings(like_the_oracle(dump(recording, setup, work)), oracle)
    return compare(oracle, path, setup, work, *tail), ran


def leave_out_the_blind(oracle):
    """Threads in which the oracle could not write: it opened a file, and was not allowed to make it
    grow."""
    for path in glob.glob(os.path.join(oracle, "*.tsv")):
        if os.path.getsize(path) == 0:
            os.unlink(path)


@with_oracle
def two_runs(python, program, setup, work, oracle, demands=None, options=()):
    """The oracle alone, then Pathline alone."""
    recording = os.path.join(work, "recording")
    run(python.command + [os.path.join(setup.oracle, "oracle.py"), "--out", oracle, "--", *program], setup, work, name="oracle")
    run(python.record(recording, setup, options) + list(program), setup, work, name="recorded")
    wait_until_finished(recording, setup, work)
    inspect(recording, setup, work, demands or {})
    return compare(oracle, like_the_oracle(dump(recording, setup, work)), setup, work, "--two-runs")


def without_addresses(text):
    """Nor times, as -X importtime prints them."""
    return re.sub(rb"(?m)^(import time:)\s+\d+ \|\s+\d+ \|", rb"\1 |", re.sub(rb"0x[0-9a-f]+", b"0x", text))


def identity(python, program, setup, work, demands=None, options=(), env=None):
    """The program says and does the same with Pathline as without."""
    env = setup.environment(**(env or {}))
    bare = run(python.command + [*options, *program], setup, work, env, name="bare")
    recording = os.path.join(work, "recording")
    seen = run(python.record(recording, setup) + [*options, *program], setup, work, env, name="recorded")
    wait_until_finished(recording, setup, work)
    if bare.code != seen.code:
        raise Failure("exit code %d, without Pathline %d\n%s" % (seen.code, bare.code, seen.err.decode(errors="replace")[-2000:]))
    for what, a, b in (("output", bare.out, seen.out), ("error output", without_addresses(bare.err), without_addresses(seen.err))):
        if a != b and "vary" not in (demands or {}):
            raise Failure("another %s\n%s" % (what, difference(a, b)))
    inspect(recording, setup, work, demands or {})
    return "exit code %d, %d and %d bytes" % (seen.code, len(seen.out), len(seen.err))


def difference(a, b):
    import difflib
    a, b = (x.decode(errors="replace").splitlines() for x in (a, b))
    return "\n".join(list(difflib.unified_diff(a, b, "without", "recorded", lineterm="", n=2))[:60])


IDENTITIES = (("identity", (), {}), ("identity-dev", ("-X", "dev"), {}), ("identity-debug", (), {"PYTHONMALLOC": "debug"}))


# ---- the corpus ----

def demands_of(path, python=None):
    """The words of a program's first line: {word: value or ""}; what is for one version has its
    number: `gap@3.12=may`."""
    with open(path) as f:
        words = dict((w.split("=", 1) + [""])[:2] for w in f.readline().lstrip("# ").split())
    return for_version(words, python)


def for_version(words, python=None):
    """Without those that are for other versions."""
    own = "@%d.%d" % python.minor if python else "@"
    return {word.removesuffix(own): value for word, value in words.items() if "@" not in word or word.endswith(own)}


def questions(path, python, asked):
    """What to ask of a program: [(name, function of (python, setup, work))]"""
    demands, found = demands_of(path, python), []
    kinds = next((KINDS[word] for word in demands if word in KINDS), ())
    if "same" in kinds and "same" in asked:
        found.append(("same", lambda p, s, w: same_run(p, [path], s, w, demands)[0]))
    if "two" in kinds and "two" in asked:
        found.append(("two", lambda p, s, w: two_runs(p, [path], s, w, demands)))
        if python.minor in HOT:
            found.append(("two-hot", lambda p, s, w: two_runs(p, [path], s, w, demands, ("--hot=1",))))
        if python.minor > (3, 11):
            found.append(("two-timed", lambda p, s, w: two_runs(p, [path], s, w, demands, ("--timing=calls",))))
    for name, options, env in IDENTITIES:
        if "identity" in kinds and (name in asked or "identity" in asked or (name == "identity" and "identity-plain" in asked)):
            found.append((name, lambda p, s, w, o=options, e=env: identity(p, [path], s, w, demands, o, e)))
    return found


def skipped(path, python):
    demands = demands_of(path)
    if "root" in demands and os.geteuid() != 0:
        return "needs root"
    if "min" in demands and python.minor < tuple(map(int, demands["min"].split("."))):
        return "needs " + demands["min"]
    return None


class Report:
    """One line a test; the details of those that fail are at the end."""

    def __init__(self, setup):
        self.setup, self.failures, self.good = setup, [], 0

    def test(self, name, function):
        work = self.setup.work(*name)
        start = time.monotonic()
        try:
            text, word = function(work), "ok  "
            self.good += 1
        except Failure as e:
            text, word = str(e).split("\n")[0], "FAIL"
            self.failures.append((" ".join(name), str(e)))
        except Exception as e:                          # a fault of the harness must not end the others
            text, word = repr(e), "FAIL"
            self.failures.append((" ".join(name), repr(e)))
        print("%s %s: %s (%.1f s)" % (word, " ".join(name), text, time.monotonic() - start), flush=True)
        if not self.setup.keep:
            shutil.rmtree(work, ignore_errors=True)

    def end(self):
        for name, text in self.failures:
            print("\n==== %s\n%s" % (name, text))
        print("\n%d good, %d failed%s" % (self.good, len(self.failures), ", kept in " + self.setup.scratch if self.setup.keep else ""))
        return 1 if self.failures else 0


def arguments(parser):
    parser.add_argument("--build", required=True, metavar="DIR", help="where pathline was built")
    parser.add_argument("--python", action="append", metavar="PY", help="an interpreter, or a command such as 'chroot DIR python3.14'; may be repeated")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count())
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="only the I-th of N parts")
    parser.add_argument("--keep", action="store_true", help="keep recordings and outputs")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--pathline", metavar="EXE", help="default: pathline of the build")
    parser.add_argument("--option", action="append", default=[], metavar="WORD", help="of record, as --option=--hot=1; may be repeated")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="for the program; may be repeated; VALUE `unset` takes it away")


def begin(args):
    """Setup and Pythons of the arguments."""
    # a shell's background job ignores it, and hands that on
    signal.signal(signal.SIGINT, signal.default_int_handler)
    texts = args.python or [os.path.join(os.path.expanduser("~"), ".pyenv/versions/3.13.0/bin/python3")]
    if any("chroot" in text.split()[0] for text in texts):
        in_own_mounts()
    if not args.keep:
        leftovers.own_folders()
    setup = Setup(args.build, args.timeout, args.keep, args.env, args.pathline, args.option)
    return setup, [Python(text, setup) for text in texts]


def shard(things, text):
    i, n = map(int, text.split("/"))
    return things[i - 1::n]


def run_all(tests, setup, jobs):
    """tests: [(name, function of a work folder)]. Gives the exit code."""
    report = Report(setup)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda t: report.test(*t), tests))
    code = report.end()
    setup.done()
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments(parser)
    parser.add_argument("--ask", default="same,two,identity", help="of same, two, identity (all of the three), identity-plain, identity-dev, identity-debug")
    parser.add_argument("programs", nargs="*", help="names in corpus/, or paths; default: the corpus")
    args = parser.parse_args()
    setup, pythons = begin(args)
    names = args.programs or sorted(glob.glob(os.path.join(HERE, "corpus", "*.py")))
    paths = [n if "/" in n else os.path.join(HERE, "corpus", n.removesuffix(".py") + ".py") for n in names]
    tests = []
    for python in pythons:
        for path in shard(paths, args.shard):
            name = os.path.basename(path)[:-3]
            why = skipped(path, python)
            if why:
                print("skip %s %s: %s" % (python.version, name, why))
                continue
            for question, ask in questions(os.path.abspath(path), python, args.ask.split(",")):
                tests.append(((python.version, question, name), lambda w, p=python, a=ask: a(p, setup, w)))
    return run_all(tests, setup, args.jobs)


if __name__ == "__main__":
    sys.exit(main())
