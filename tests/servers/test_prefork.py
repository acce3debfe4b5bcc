"""Processes that come and go: pools whose workers live for one task, a job queue that forks for
each job, celery, werkzeug's reloader, a server that changes root and user after the fork."""
import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving  # noqa: E402

INTERPRETERS = "two"

TASKS = 100 if serving.LONG else 30
POOL = """\
import multiprocessing, os, sys

def handle(n):
    fd = os.open(os.environ["NOTED"], os.O_WRONLY | os.O_APPEND)
    os.write(fd, b"%d\\n" % os.getpid())
    os.close(fd)
    return n * n

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(3, maxtasksperchild=1) as pool:
        assert pool.map(handle, range(int(sys.argv[2])), chunksize=1) == [n * n for n in range(int(sys.argv[2]))]
        pool.close()
        pool.join()
"""
# As rq's worker: a child in a session of its own for each job, which the parent waits for, and
# kills when it takes too long.
QUEUE = """\
import os, signal, sys
import served

def job(n):
    served.handle(str(n))
    if n % 10 == 9:
        os.write(ready, b"x")
        while True:
            signal.pause()

ready_read, ready = os.pipe()
signal.signal(signal.SIGCHLD, lambda *_: None)
for n in range(int(sys.argv[1])):
    child = os.fork()
    if not child:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        job(n)
        os._exit(n % 3)
    if n % 10 == 9:
        os.read(ready_read, 1)
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    print(child, status, flush=True)
"""
CELERY = """\
import celery
import served

app = celery.Celery("tasks", broker="filesystem://")
app.conf.broker_transport_options = {"data_folder_in": "queue", "data_folder_out": "queue", "control_folder": "control"}

@app.task
def work(n):
    served.handle(str(n))
"""
# A socket that is bound by root, then workers in another root and as another user, in whose root
# there is nothing at all.
JAIL = """\
import os, signal, socket, sys
import served
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = served.handle(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

def worker():
    os.chroot("jail")
    os.chdir("/")
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    os.umask(0o77)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server.serve_forever()

server = HTTPServer(("127.0.0.1", 0), Handler)
workers = []
signal.signal(signal.SIGTERM, lambda *_: [os.kill(pid, signal.SIGTERM) for pid in workers])
for _ in range(3):
    pid = os.fork()
    if not pid:
        worker()
    workers.append(pid)
print("port", server.server_port, flush=True)
for pid in workers:
    assert os.waitpid(pid, 0)[1] == 0
"""
RELOADED = """\
import sys
import served
from werkzeug.serving import run_simple

run_simple("127.0.0.1", int(sys.argv[1]), served.application, use_reloader=True, reloader_type="stat",
           reloader_interval=0.05, threaded=True)
"""


class Prefork(serving.Case):
    def program(self, name, text):
        path = pathlib.Path(self.top) / name
        path.write_text(text)
        return str(path)

    def pool(self, method):
        server = self.start(serving.PYTHON, self.program("pool.py", POOL), method, str(TASKS))
        server.end()
        processes = self.assert_exact(server)
        self.assertEqual(sorted(server.served().values()), [1] * TASKS)
        self.assertGreaterEqual(len(processes), 1 + TASKS)
        self.assertEqual({p["exit"] for p in processes}, {0})
        self.place(f"multiprocessing.Pool(maxtasksperchild=1), {method}")

    def test_pool_fork(self):
        self.pool("fork")

    @serving.long
    def test_pool_spawn(self):
        self.pool("spawn")

    @serving.long
    def test_pool_forkserver(self):
        self.pool("forkserver")

    def test_job_queue(self):
        server = self.start(serving.PYTHON, self.program("queue_of_jobs.py", QUEUE), str(TASKS))
        server.end()
        ends = dict(map(int, line.split()) for line in server.text().splitlines() if line[0].isdigit())
        killed = [pid for pid, status in ends.items() if os.WIFSIGNALED(status)]
        self.assertEqual(len(killed), TASKS // 10)
        processes = self.assert_exact(server, killed=killed, in_flight=0)
        self.assertEqual({p["pid"]: p["exit"] for p in processes[1:] if p["pid"] not in killed},
                         {pid: os.WEXITSTATUS(status) for pid, status in ends.items() if os.WIFEXITED(status)})
        self.assertEqual({p["pid"] for p in processes[1:]}, set(ends))
        self.place("a job queue that forks for each job")

    @serving.needs("celery")
    @serving.long
    def test_celery(self):
        """Workers that end after five tasks; a warm shutdown."""
        self.program("tasks.py", CELERY)
        for name in ("queue", "control"):
            os.mkdir(os.path.join(self.top, name))
        server = self.start(serving.PYTHON, "-m", "celery", "-A", "tasks", "worker", "-P", "prefork", "-c", "2",
                            "--max-tasks-per-child", "5", "--without-gossip", "--without-mingle", "--without-heartbeat",
                            "-l", "INFO", environment={"C_FORCE_ROOT": "1"})
        server.saw(r"celery@\S+ ready")
        sent = serving.run(serving.PYTHON, "-c", f"import tasks\nfor n in range({TASKS}): tasks.work.delay(n)", cwd=self.top,
                           env=dict(os.environ, PYTHONPATH=f"{serving.SITE}:{self.top}", NOTED=str(server.noted)))
        self.assertEqual(sent.returncode, 0, sent.stderr)
        server.saw(r"Task tasks\.work\[\S+\] succeeded", TASKS)
        (main,) = (p["pid"] for p in self.info(server)["processes"] if p["number"] == 1)
        os.kill(main, signal.SIGTERM)
        server.end()
        # at its end billiard kills a worker that has not heard of it, also without Pathline
        killed = [p["pid"] for p in self.finished(server)["processes"] if p.get("signal") == signal.SIGKILL]
        processes = self.assert_exact(server, killed=killed, in_flight=0)
        self.assertEqual(sum(server.served().values()), TASKS)
        self.assertLessEqual(max(server.served().values()), 5)
        self.assertGreaterEqual(len(processes), 1 + TASKS // 5)
        self.place("celery: prefork, recycled workers")

    @unittest.skipUnless(os.getuid() == 0, "needs root")
    def test_other_root_and_user(self):
        jail = os.path.join(self.top, "jail")
        os.mkdir(jail)
        os.chmod(self.top, 0o755)
        server = self.start(serving.PYTHON, self.program("jail.py", JAIL))
        port = int(server.saw(r"port (\d+)")[1])
        self.assertEqual(serving.Load(port).wait(), {})
        (main,) = (p["pid"] for p in self.info(server)["processes"] if p["number"] == 1)
        os.kill(main, signal.SIGTERM)
        server.end()
        processes = self.assert_exact(server)
        self.assertEqual([(p["parent"], p["exit"]) for p in processes], [(0, 0)] + [(1, 0)] * 3)
        self.assertEqual(os.listdir(jail), [])
        self.place("workers by chroot and setuid")

    @serving.needs("werkzeug")
    @serving.long
    def test_reloader(self):
        """The reloader's child ends with 3 when a file has changed, and is started anew; the
        listening socket stays."""
        import socket
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        server = self.start(serving.PYTHON, self.program("reloaded.py", RELOADED), str(port))
        for generation in (1, 2, 3):
            # the child says that its debugger, or its reloader, has started, when it watches
            server.saw(r"Restarting with stat", generation)
            self.assertEqual(serving.Load(port, serving.REQUESTS // 3).wait(), {})
            with open(os.path.join(self.top, "served.py"), "a", encoding="utf-8") as file:
                file.write(f"# {generation}\n")
            server.saw(r"Detected change in .*served\.py", generation)
        server.saw(r"Restarting with stat", 4)
        (main,) = (p["pid"] for p in self.info(server)["processes"] if p["number"] == 1)
        self.assertEqual(serving.Load(port, 20).wait(), {})
        os.killpg(server.process.pid, signal.SIGTERM)
        self.assertIn(server.process.wait(serving.DEADLINE_S), (0, -signal.SIGTERM, 3))
        told = self.finished(server)
        last = [p["pid"] for p in told["processes"] if p["ended"] in ("killed", "lost")]
        processes = self.assert_exact(server, killed=last, in_flight=0)
        self.assertEqual(processes[0]["pid"], main)
        self.assertEqual([p["exit"] for p in processes[1:-1]], [3, 3, 3])
        self.assertEqual({p["parent"] for p in processes[1:]}, {1})
        self.place("werkzeug: reloader")


if __name__ == "__main__":
    unittest.main()
