"""What the tests of servers share: a server under `pathline record`, load upon it, and what its
recording must hold.

An application's handler notes each request that it serves, with the process that did, in a file;
the recording must have as many calls of that handler in that process. Packages are in
BUILD/servers/VERSION (tools/python-packages); a test whose package is not there is skipped and says
so. Nothing waits for time: a server tells in its log that it is ready.

What is asked of failed requests is asked twice, of the server as it is and of the recorded one
(`paired`): none under a graceful reload; and where a worker is killed, those alone that it had
accepted, which are counted while it is stopped (`kill`).

Each test that succeeds notes a row of doc/PLACES.md: tests/places/table.py.
"""
import collections
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "places"))
import table  # noqa: E402

BUILD = pathlib.Path(os.environ.get("PATHLINE_BUILD", "build")).resolve()
PYTHON = os.environ.get("PATHLINE_PYTHON", "python3")
PATHLINE = str(BUILD / "pathline")
SUITE = os.environ.get("PATHLINE_SUITE", "test")
LONG = SUITE in ("ci", "exact")
REQUESTS = 200
DEADLINE_S = 180 if LONG else 90
CLIENTS = 4
LISTENING = "0A"            # in /proc/net/tcp

# `handle` is called once a request, and each call is noted before its answer can go out. It takes a
# while, so that requests are in flight when something happens, and a server that is waited for gets
# no more of them than a recording can be read of.
APP = '''\
import os
import time

noted = os.open(os.environ["NOTED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)


def handle(path):
    os.write(noted, b"%d %s\\n" % (os.getpid(), path.encode()))
    time.sleep(0.01)
    return path.encode()


def application(environ, start_response):
    body = handle(environ["PATH_INFO"])
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


async def asgi(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    import asyncio
    await asyncio.sleep(0.02)
    body = handle(scope["path"])
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})
'''


def about():
    """The interpreter under test: "3.13.0", "shared" or "static", and its machine."""
    code = ("import platform\n"
            "print(platform.python_version(), 'shared' if '/libpython3' in open('/proc/self/maps').read() else 'static', "
            "platform.machine())")
    return subprocess.run([PYTHON, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


VERSION, LINKED, MACHINE = about()
MINOR = tuple(map(int, VERSION.split(".")[:2]))
SITE = BUILD / "servers" / ("%d.%d" % MINOR)


def needs(package):
    return unittest.skipUnless((SITE / package).is_dir(), f"{package} is not in {SITE}: tools/python-packages BUILD")


def long(test):
    """A test of the level ci; each interpreter has a third of them in turn, as the rotation of
    tests/run.py says."""
    turn = zlib.crc32(f"{test.__qualname__} {VERSION}".encode()) + int(os.environ.get("PATHLINE_ROTATION", "0"))
    return unittest.skipUnless(LONG and (SUITE == "exact" or turn % 3 == 0), f"not now, at the level {SUITE}")(test)


def wait_for(condition, what):
    """Its first true value; polls, for what cannot tell."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError(f"waited {DEADLINE_S} s for {what}")


def run(*words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=DEADLINE_S,
                          check=False, **options)


def state(pid):
    """The kernel's letter for it."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2]


def accepted(pid):
    """How many connections of TCP a process holds that have another end."""
    def rows():
        for name in ("tcp", "tcp6"):
            for line in pathlib.Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
                words = line.split()
                if words[3] != LISTENING:
                    yield f"socket:[{words[9]}]"
    links = set()
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.add(os.readlink(entry))
        except OSError:
            pass
    return len(links & set(rows()))


def kill(pid):
    """Kill a worker, and count the requests that this alone may fail: those on connections that it
    had accepted, and could accept no more of once it was stopped. What waits to be accepted goes to
    another worker."""
    os.kill(pid, signal.SIGSTOP)
    wait_for(lambda: state(pid) == "T", "the worker that is stopped")
    count = accepted(pid)
    os.kill(pid, signal.SIGKILL)
    return count


class Load:
    """Clients that ask one after the other until `requests` were answered; each failure is kept,
    and asked no more."""

    def __init__(self, port, requests=REQUESTS, clients=CLIENTS):
        self.port, self.left = port, requests
        self.answered, self.failures = 0, {}            # {path: why}
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.client) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def take(self):
        with self.lock:
            self.left -= 1
            return self.left + 1 if self.left >= 0 else 0

    def note(self, path, failure):
        with self.lock:
            if failure:
                self.failures[path] = failure
            else:
                self.answered += 1

    def ask(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        try:
            connection.request("GET", path, headers={"Connection": "close"})
            answer = connection.getresponse()
            body = answer.read()
            return None if (answer.status, body) == (200, path.encode()) else f"{answer.status} {body[:100]!r}"
        except (OSError, http.client.HTTPException) as e:
            return repr(e)
        finally:
            connection.close()

    def client(self):
        while number := self.take():
            path = f"/{id(self):x}/{number}"
            self.note(path, self.ask(path))

    def wait(self):
        """{path: why} of the requests that failed"""
        for thread in self.threads:
            thread.join(DEADLINE_S)
        return self.failures

    def end(self):
        """As Wrk's."""
        with self.lock:
            self.left = 0
        return len(self.wait()), self.answered


class Wrk:
    """wrk's requests, each on a connection of its own, until it is ended."""

    def __init__(self, server):
        words = ("wrk", "-t1", f"-c{CLIENTS}", "-d1h", "--timeout", f"{DEADLINE_S}s", "-H", "Connection: close")
        self.process = subprocess.Popen([*words, f"http://127.0.0.1:{server.port}/wrk"], stdout=subprocess.PIPE, text=True)

    def end(self):
        """(failed requests, answered ones), as it counts them; those that it breaks off at the end
        are neither."""
        self.process.send_signal(signal.SIGINT)
        out = self.process.communicate(timeout=DEADLINE_S)[0]
        failed = sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", out)))
        failed += sum(map(int, re.findall(r"Non-2xx or 3xx responses: (\d+)", out)))
        return failed, int(re.search(r"(\d+) requests in", out)[1])

    def stop(self):
        self.process.kill()
        self.process.wait()


class Server:
    """A command that serves, in a folder with served.py, with its log in a file. always: it is
    recorded as a service is, by two variables of its environment."""

    def __init__(self, top, words, record=True, environment=None, options=(), always=False, **popen):
        self.top = pathlib.Path(top)
        self.dir = str(self.top / ("always/latest" if always else "recording"))
        self.log = self.top / "log"
        self.noted = self.top / "noted"
        self.noted.touch()
        self.recorded = record
        variables = dict(os.environ, PYTHONPATH=f"{SITE}:{self.top}", NOTED=str(self.noted), HOME=str(self.top),
                         PYTHONUNBUFFERED="1") | (environment or {})
        if always:
            (self.top / "always").mkdir()
            variables |= {"LD_PRELOAD": f"{BUILD}/pathline-preload.so", "PATHLINE_DIR": str(self.top / "always")}
        before = [PATHLINE, "record", "-o", self.dir, *options, "--"] if record else []
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([*before, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=self.top, env=variables, start_new_session=True, **popen)

    def text(self):
        return self.log.read_text(errors="replace")

    def saw(self, pattern, count=1):
        """Wait until the log has so many matches, and give the last one."""
        def found():
            if len(all_found := list(re.finditer(pattern, self.text(), re.M))) >= count:
                return all_found
            if self.process.poll() is not None and self.recorded is not None:
                raise AssertionError(f"it ended before it said {pattern!r}: {self.text()[-3000:]}")
            return None
        return wait_for(found, f"{pattern!r} in the log")[count - 1]

    def end(self, code=0):
        """It has ended, with this code, and so has its recording."""
        try:
            got = self.process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end: {self.text()[-3000:]}\n{self.processes()}") from None
        if got != code:
            raise AssertionError(f"ended with {got}, not {code}: {self.text()[-3000:]}")

    def processes(self):
        """Those of its session, and what they wait for."""
        rows = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                proc = pathlib.Path("/proc") / pid
                state, parent, _, session = (proc / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(session) == self.process.pid:
                    rows.append(f"{pid} of {parent} {state} {(proc / 'wchan').read_text()} {(proc / 'cmdline').read_text()[:200]!r}")
            except OSError:
                pass
        return "\n".join(rows)

    def served(self):
        """{pid: requests}"""
        return collections.Counter(int(line.split()[0]) for line in self.noted.read_text().splitlines())

    def serves(self, requests):
        """Wait until so many more were served."""
        wanted = sum(self.served().values()) + requests
        wait_for(lambda: sum(self.served().values()) >= wanted, f"{requests} requests")

    def paths(self):
        """What was asked for in requests that a handler began."""
        return {line.partition(" ")[2] for line in self.noted.read_text().splitlines()}

    def stop(self):
        """Whatever state it is in: what is left of its session, and those that left it."""
        pids = {self.process.pid, *self.served()}
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and os.getsid(int(entry)) == self.process.pid:
                    pids.add(int(entry))
            except OSError:
                pass
        for pid in pids - {os.getpid()}:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.process.wait()


class Case(unittest.TestCase):
    longMessage = True

    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="pathline-servers-")
        self.addCleanup(shutil.rmtree, self.top, True)
        pathlib.Path(self.top, "served.py").write_text(APP)

    record = True                                       # what `start` does where it is not told

    def start(self, *words, record=None, **options):
        server = Server(self.top, words, record=self.record if record is None else record, **options)
        self.addCleanup(server.stop)
        return server

    def paired(self, run):
        """Run the same twice, as it is and recorded: what holds of the second must hold of the
        first."""
        for self.record in (False, True):
            with self.subTest(recorded=self.record):
                run()
            for name in ("log", "noted"):
                path = pathlib.Path(self.top, name)
                if not self.record:
                    path.unlink()

    def load(self, server):
        """Load without end, by wrk; in a chroot, where it is not, by clients of ours."""
        if shutil.which("wrk"):
            load = Wrk(server)
            self.addCleanup(load.stop)
        else:
            load = Load(server.port, sys.maxsize)
            self.addCleanup(load.end)
        return load

    def info(self, server):
        done = run(PATHLINE, "info", "--json", server.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["data"]

    def finished(self, server):
        """`info` of a recording whose last process has gone."""
        wait_for(lambda: self.info(server)["finished"], "the end of the recording")
        return self.info(server)

    def calls(self, server, code="handle"):
        """{pid: calls of this code}"""
        with subprocess.Popen([PATHLINE, "dump", "--fields", "pid,code", "--events", "call", server.dir],
                              stdout=subprocess.PIPE, text=True) as dump:
            counts = collections.Counter()
            for line in dump.stdout:
                pid, name = line.rstrip("\n").split("\t")
                if name == code:
                    counts[int(pid)] += 1
        self.assertEqual(dump.returncode, 0)
        return counts

    def assert_exact(self, server, killed=(), in_flight=1, code="handle"):
        """Sound, with all processes and their ends, without a gap that nobody announced, and with
        each request.

        killed: pids that were; they may have begun up to in_flight requests that they never noted.
        """
        told = self.finished(server)
        done = run(PATHLINE, "check", server.dir)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((told["losses"], told["counts"]["gap"], told["recovered"]), ([], 0, False))
        ends = {p["pid"]: p for p in told["processes"]}
        for pid, p in ends.items():
            self.assertIn(p["ended"], ("killed", "lost") if pid in killed else ("exited", "exec"), p)
            self.assertTrue(p["parent"] or p["number"] == 1, p)
        rows = run(PATHLINE, "dump", "--fields", "pid,type", "--events", "gap", server.dir).stdout.splitlines()
        for pid, reason in (row.split("\t") for row in rows):
            self.assertTrue(reason == "killed" and int(pid) in killed, f"{pid}: a gap, {reason}")
        served, calls = server.served(), self.calls(server, code)
        self.assertTrue(served)
        for pid in served.keys() | calls.keys():
            most = served[pid] + (in_flight if pid in killed else 0)
            self.assertTrue(served[pid] <= calls[pid] <= most, f"{pid}: {calls[pid]} calls, {served[pid]} served")
        return told["processes"]

    def place(self, name):
        """A row of doc/PLACES.md."""
        table.note(BUILD, {"place": name, "python": VERSION, "build": LINKED, "machine": MACHINE, "result": "whole", "how": "",
                           "test": self.id().removeprefix("tests.").partition(" ")[0]})
