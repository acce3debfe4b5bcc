"""uvicorn with workers, which are spawned: load, reload on SIGHUP, a worker that is killed."""
import os
import re
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving  # noqa: E402

WORKERS = 2
STARTED = r"Started server process \[(\d+)\]"
READY = r"Application startup complete"


@serving.needs("uvicorn")
class Uvicorn(serving.Case):
    def serve(self):
        server = self.start(serving.PYTHON, "-m", "uvicorn", "--workers", str(WORKERS), "--port", "0", "--no-access-log",
                            "--timeout-worker-healthcheck", "60", "--timeout-graceful-shutdown", "60", "served:asgi")
        server.port = int(server.saw(r"running on http://127\.0\.0\.1:(\d+)")[1])
        server.master = int(server.saw(r"Started parent process \[(\d+)\]")[1])
        server.saw(READY, WORKERS)
        return server

    def term(self, server):
        os.kill(server.master, signal.SIGTERM)
        self.assertIn(server.process.wait(serving.DEADLINE_S), (0, -signal.SIGTERM))

    def assert_ends(self, server, victim=()):
        """A worker that was told to end shuts down, then dies of that SIGTERM after all. Gives the processes."""
        told = [p["pid"] for p in self.finished(server)["processes"] if p.get("signal") == signal.SIGTERM]
        processes = self.assert_exact(server, killed=(*told, *victim), in_flight=serving.CLIENTS if victim else 0)
        self.assert_family(server, processes)
        return processes

    def assert_family(self, server, processes):
        workers = {int(pid) for pid in re.findall(STARTED, server.text())}
        by_pid = {p["pid"]: p for p in processes}
        self.assertEqual(processes[0]["pid"], server.master)
        self.assertEqual({by_pid[pid]["parent"] for pid in workers}, {1})
        self.assertEqual({by_pid[pid]["how"] for pid in workers}, {"start"})

    def test_reload(self):
        server = self.serve()
        load = serving.Load(server.port)
        load.halfway.wait()
        os.kill(server.master, signal.SIGHUP)
        server.saw(READY, 2 * WORKERS)
        self.assertEqual(load.wait(), [])
        self.term(server)
        self.assertEqual(sum(server.served().values()), serving.REQUESTS)
        self.assert_ends(server)
        self.place("uvicorn: workers, load, reload")

    @serving.long
    def test_kill(self):
        server = self.serve()
        load = serving.Load(server.port)
        load.halfway.wait()
        victim = server.served().most_common(1)[0][0]
        os.kill(victim, signal.SIGKILL)
        server.saw(READY, WORKERS + 1)
        self.assertLessEqual(len(load.wait()), serving.CLIENTS)
        self.assertEqual(serving.Load(server.port, 50).wait(), [])
        self.term(server)
        processes = self.assert_ends(server, (victim,))
        self.assertEqual([p["signal"] for p in processes if p["pid"] == victim], [signal.SIGKILL])
        self.place("uvicorn: a worker is killed")


if __name__ == "__main__":
    unittest.main()
