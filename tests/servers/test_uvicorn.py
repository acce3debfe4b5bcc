"""uvicorn with workers, which are spawned: load, reload on SIGHUP, a worker that is killed."""
import os
import re
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving  # noqa: E402

INTERPRETERS = "rotating"

WORKERS = 2
REQUESTS = 100
STARTED = r"Started server process \[(\d+)\]"
READY = r"Application startup complete"
FINISHED = r"Finished server process \[(\d+)\]"


@serving.needs("uvicorn")
class Uvicorn(serving.Case):
    def serve(self):
        server = self.start(serving.PYTHON, "-m", "uvicorn", "--workers", str(WORKERS), "--port", "0", "--no-access-log",
                            "--timeout-worker-healthcheck", "30", "--timeout-graceful-shutdown", "60", "served:asgi")
        server.port = int(server.saw(r"running on http://127\.0\.0\.1:(\d+)")[1])
        server.master = int(server.saw(r"Started parent process \[(\d+)\]")[1])
        server.saw(READY, WORKERS)
        return server

    def term(self, server):
        os.kill(server.master, signal.SIGTERM)
        self.assertIn(server.process.wait(serving.DEADLINE_S), (0, -signal.SIGTERM))

    def assert_ends(self, server, victim=(), lost=0):
        """A worker that was told to end shuts down, then dies of that SIGTERM after all. Gives the
        processes."""
        told = [p["pid"] for p in self.finished(server)["processes"] if p.get("signal") == signal.SIGTERM]
        processes = self.assert_exact(server, killed=(*told, *victim), in_flight=lost)
        self.assert_family(server, processes)
        return processes

    def assert_family(self, server, processes):
        workers = {int(pid) for pid in re.findall(STARTED, server.text())}
        by_pid = {p["pid"]: p for p in processes}
        self.assertEqual(processes[0]["pid"], server.master)
        self.assertEqual({by_pid[pid]["parent"] for pid in workers}, {1})
        self.assertEqual({by_pid[pid]["how"] for pid in workers}, {"start"})

    def test_reload(self):
        """uvicorn closes what it has accepted and not begun to read when a worker is retired: such
        requests fail, unserved."""
        def run():
            server = self.serve()
            load = serving.Load(server.port, sys.maxsize)
            self.addCleanup(load.end)
            server.serves(REQUESTS)
            os.kill(server.master, signal.SIGHUP)
            server.saw(READY, 2 * WORKERS)
            server.saw(FINISHED, WORKERS)
            server.serves(REQUESTS)
            failed, answered = load.end()
            self.term(server)
            self.assertLessEqual(failed, WORKERS * serving.CLIENTS, load.failures)
            self.assertFalse(load.failures.keys() & server.paths())
            self.assertEqual(sum(server.served().values()), answered)
            if self.record:
                self.assert_ends(server)
                self.place("uvicorn: workers, load, reload")
        self.paired(run)

    @serving.long
    def test_kill(self):
        def run():
            server = self.serve()
            load = self.load(server)
            server.serves(REQUESTS)
            victim = server.served().most_common(1)[0][0]
            lost = serving.kill(victim)
            server.serves(REQUESTS)
            failed, _ = load.end()
            self.assertLessEqual(failed, lost)
            # at once, or after the health check that the victim left open
            server.saw(READY, WORKERS + 1)
            self.assertEqual(serving.Load(server.port, 50).wait(), {})
            self.term(server)
            if self.record:
                processes = self.assert_ends(server, (victim,), lost)
                self.assertEqual([p["signal"] for p in processes if p["pid"] == victim], [signal.SIGKILL])
                self.place("uvicorn: a worker is killed")
        self.paired(run)


if __name__ == "__main__":
    unittest.main()
