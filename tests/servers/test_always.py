"""Servers that are always recorded: nothing but LD_PRELOAD and PATHLINE_DIR in their environment,
and workers that are forked and recycled. Each request that was served is in `report --requests`."""
import json
import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving  # noqa: E402
import test_gunicorn  # noqa: E402
import test_prefork  # noqa: E402
import test_uvicorn  # noqa: E402

INTERPRETERS = "rotating"
REQUESTS = 40
TASKS = 20


class Always(serving.Case):
    def begin(self, *words, environment=None):
        """With packages where those are that are installed: their code is not the user's own."""
        installed = os.path.join(self.top, "site-packages")
        os.symlink(serving.SITE, installed)
        variables = {"PYTHONPATH": f"{installed}:{self.top}"} | (environment or {})
        return self.start(serving.PYTHON, *words, record=False, always=True, environment=variables)

    def requests(self, server):
        """{route: row} of its recording."""
        done = serving.run(serving.PATHLINE, "report", "--requests", "--json", server.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return {row["data"]["route"]: row["data"] for row in rows if row["type"] == "route"}

    def assert_whole(self, server, kind, killed=()):
        """One recording, with all processes and all that they served. Gives the processes."""
        served = sum(server.served().values())
        processes = self.assert_exact(server, killed=killed, in_flight=0)
        routes = self.requests(server)
        self.assertEqual(sum(row["count"] for row in routes.values()), served, routes)
        self.assertEqual({row["kind"] for row in routes.values()}, {kind})
        self.assertEqual({row["errors"] for row in routes.values()}, {0})
        below = os.listdir(pathlib.Path(server.dir).parent)
        self.assertEqual(len([name for name in below if name not in ("latest", "pathline.log")]), 1, below)
        return processes

    def ended_by(self, server, *signals):
        """Pids of those that died of one: before they had their handlers, or in the end."""
        return [row["pid"] for row in self.finished(server)["processes"] if row.get("signal") in signals]

    @serving.needs("gunicorn")
    @serving.long
    def test_gunicorn(self):
        (pathlib.Path(self.top) / "gunicorn.conf.py").write_text("def post_worker_init(w):\n    w.log.info('Ready: %d', w.pid)\n")
        server = self.begin("-m", "gunicorn", "-w", "2", "--bind", "127.0.0.1:0", "--no-control-socket", "--max-requests", "10",
                            "served:application")
        server.port, master = map(int, server.saw(r"Listening at: http://127\.0\.0\.1:(\d+) \((\d+)\)").groups())
        server.saw(test_gunicorn.READY, 2)
        self.assertEqual(serving.Load(server.port, REQUESTS).wait(), {})
        os.kill(master, signal.SIGTERM)
        server.end()
        killed = self.ended_by(server, signal.SIGTERM, signal.SIGKILL)
        processes = self.assert_whole(server, "wsgi", killed)
        self.assertGreaterEqual(len(processes), 1 + REQUESTS // 10)
        self.assertEqual({row["target"] for row in self.targets(server)}, server.paths())
        self.place("gunicorn, always recorded: recycled")

    @serving.needs("uvicorn")
    @serving.long
    def test_uvicorn(self):
        server = self.begin("-m", "uvicorn", "--workers", "2", "--port", "0", "--no-access-log", "--timeout-worker-healthcheck", "30",
                            "--limit-max-requests", "10", "served:asgi")
        server.port = int(server.saw(r"running on http://127\.0\.0\.1:(\d+)")[1])
        master = int(server.saw(r"Started parent process \[(\d+)\]")[1])
        server.saw(test_uvicorn.READY, 2)
        # a worker that retires closes what it has accepted and not begun to read
        load = serving.Load(server.port, REQUESTS)
        self.assertFalse(load.wait().keys() & server.paths())
        server.saw(test_uvicorn.READY, 3)
        os.kill(master, signal.SIGTERM)
        self.assertIn(server.process.wait(serving.DEADLINE_S), (0, -signal.SIGTERM))
        processes = self.assert_whole(server, "asgi", self.ended_by(server, signal.SIGTERM))
        self.assertGreaterEqual(len({row["pid"] for row in processes}), 4)
        self.assertEqual({row["target"] for row in self.targets(server)}, server.paths())
        self.place("uvicorn, always recorded: recycled")

    def targets(self, server):
        rows = serving.run(serving.PATHLINE, "report", "--requests", "--json", "-n", "1000", server.dir).stdout.splitlines()
        return [row["data"] for row in map(json.loads, rows) if row["type"] == "request"]

    @serving.needs("celery")
    @serving.long
    def test_celery(self):
        (pathlib.Path(self.top) / "tasks.py").write_text(test_prefork.CELERY)
        for name in ("queue", "control"):
            os.mkdir(os.path.join(self.top, name))
        server = self.begin("-m", "celery", "-A", "tasks", "worker", "-P", "prefork", "-c", "2", "--max-tasks-per-child", "5",
                            "--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "INFO", environment={"C_FORCE_ROOT": "1"})
        server.saw(r"celery@\S+ ready")
        sent = serving.run(serving.PYTHON, "-c", f"import tasks\nfor n in range({TASKS}): tasks.work.delay(n)", cwd=self.top,
                           env=dict(os.environ, PYTHONPATH=f"{serving.SITE}:{self.top}", NOTED=str(server.noted)))
        self.assertEqual(sent.returncode, 0, sent.stderr)
        server.saw(r"Task tasks\.work\[\S+\] succeeded", TASKS)
        os.kill(server.process.pid, signal.SIGTERM)
        server.end()
        processes = self.assert_whole(server, "celery", self.ended_by(server, signal.SIGKILL))
        self.assertGreaterEqual(len(processes), 1 + TASKS // 5)
        self.assertEqual(list(self.requests(server)), ["work"])
        self.place("celery, always recorded: recycled")


if __name__ == "__main__":
    unittest.main()
