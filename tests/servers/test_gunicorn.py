"""gunicorn: each kind of worker under load, reloaded, killed, recycled, re-executed, as a daemon,
as another user."""
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving  # noqa: E402

INTERPRETERS = "rotating"

WORKERS = 3
BOOTED = r"Booting worker with pid: (\d+)"
READY = r"Ready: (\d+)"     # of a worker that hears signals; before, they are lost or kill it
GONE = r"Worker exiting \(pid: (\d+)\)"


class Gunicorn(serving.Case):
    def setUp(self):
        super().setUp()
        pathlib.Path(self.top, "gunicorn.conf.py").write_text(
            "def post_worker_init(worker):\n    worker.log.info('Ready: %d', worker.pid)\n")

    def serve(self, *words, kind="sync", workers=WORKERS, app="served:application", **options):
        server = self.start(serving.PYTHON, "-m", "gunicorn", "-k", kind, "-w", str(workers), "--bind", "127.0.0.1:0",
                            "--no-control-socket", *words, app, **options)
        listening = server.saw(r"Listening at: http://127\.0\.0\.1:(\d+) \((\d+)\)")
        server.port, server.master = map(int, listening.groups())
        server.saw(READY, workers)
        return server

    def workers(self, server):
        """Pids in the order in which they were started."""
        return self.seen(server, BOOTED)

    def seen(self, server, pattern):
        return [int(pid) for pid in re.findall(pattern, server.text())]

    def term(self, server):
        serving.wait_for(lambda: set(self.workers(server)) <= set(self.seen(server, READY)) | set(self.seen(server, GONE)),
                         "workers that are ready")
        os.kill(server.master, signal.SIGTERM)
        server.end()

    def assert_family(self, server, processes, killed=()):
        """All workers are children of the master, and each has its end."""
        pids = [p["pid"] for p in processes]
        self.assertEqual(pids[0], server.master)
        self.assertEqual(sorted(pids[1:]), sorted(self.workers(server)))
        self.assertEqual({p["parent"] for p in processes[1:]}, {1})
        self.assertEqual({p["how"] for p in processes[1:]}, {"fork"})
        self.assertEqual([p.get("exit") for p in processes if p["pid"] not in killed],
                         [0] * (len(processes) - len(killed)))

    def reload(self, kind, *words):
        """No request fails, and each is served."""
        def run():
            server = self.serve(*words, kind=kind)
            load = self.load(server)
            server.serves(serving.REQUESTS // 2)
            os.kill(server.master, signal.SIGHUP)
            server.saw(READY, 2 * WORKERS)
            server.saw(GONE, WORKERS)
            server.serves(serving.REQUESTS // 2)
            failed, answered = load.end()
            self.term(server)
            self.assertEqual(failed, 0)
            served = sum(server.served().values())
            self.assertTrue(answered <= served <= answered + serving.CLIENTS, (answered, served))
            if self.record:
                self.assert_family(server, self.assert_exact(server))
                self.place(f"gunicorn, {kind} workers: load, reload")
        self.paired(run)

    def kill(self, kind, *words):
        """A worker is killed in the middle: only what it was about fails, and another takes its
        place."""
        def run():
            server = self.serve(*words, kind=kind)
            load = self.load(server)
            server.serves(serving.REQUESTS // 2)
            victim = server.served().most_common(1)[0][0]
            lost = serving.kill(victim)
            server.saw(READY, WORKERS + 1)
            server.serves(serving.REQUESTS // 2)
            failed, _ = load.end()
            self.term(server)
            self.assertLessEqual(failed, lost)
            if self.record:
                processes = self.assert_exact(server, killed=(victim,), in_flight=lost)
                self.assert_family(server, processes, killed=(victim,))
                self.assertEqual([p.get("signal") for p in processes if p["pid"] == victim], [signal.SIGKILL])
                self.place(f"gunicorn, {kind} workers: a worker is killed")
        self.paired(run)


@serving.needs("gunicorn")
class Sync(Gunicorn):
    def test_reload(self):
        self.reload("sync")

    @serving.long
    def test_preload(self):
        """The application is loaded by the master, and its codes are known before the workers are.
        """
        # such a master reloads by itself alone: its workers have the application that it had
        self.reload("sync", "--preload")

    def test_kill(self):
        self.kill("sync")

    @serving.long
    def test_recycled(self):
        """Workers that end after some requests; the master starts others, again and again."""
        server = self.serve("--max-requests", "20", "--max-requests-jitter", "5")
        self.assertEqual(serving.Load(server.port).wait(), {})
        self.term(server)
        # one may be too young, or already too far in its end, to hear SIGTERM: it dies of it, or
        # the master kills it in the end
        killed = [p["pid"] for p in self.finished(server)["processes"] if p.get("signal") in (signal.SIGTERM, signal.SIGKILL)]
        processes = self.assert_exact(server, killed=killed, in_flight=0)
        self.assert_family(server, processes, killed)
        self.assertGreaterEqual(len(processes) - 1, serving.REQUESTS // 25)
        self.place("gunicorn, sync workers: recycled")

    @serving.long
    def test_timeout(self):
        """One that hangs and blocks SIGABRT is killed by the master; one that only hangs ends
        itself."""
        (pathlib.Path(self.top) / "hangs.py").write_text(
            "import signal, time\n"
            "import served\n\n\n"
            "def application(environ, start_response):\n"
            "    if environ['PATH_INFO'] == '/deaf':\n"
            "        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGABRT])\n"
            "    if environ['PATH_INFO'] in ('/deaf', '/slow'):\n"
            "        served.handle('')\n"
            "        time.sleep(1000)\n"
            "    return served.application(environ, start_response)\n")
        server = self.serve("--timeout", "1", app="hangs:application")
        hung = {}
        for path in "/slow", "/deaf":
            connection = socket.create_connection(("127.0.0.1", server.port))
            before = sum(server.served().values())
            connection.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
            serving.wait_for(lambda: sum(server.served().values()) > before, "the request that hangs")
            hung[path] = int(server.noted.read_text().splitlines()[-1].split()[0])
            server.saw(READY, WORKERS + len(hung))
            connection.close()
            self.assertEqual(serving.Load(server.port, 20).wait(), {})
        self.term(server)
        processes = {p["pid"]: p for p in self.info(server)["processes"]}
        # it gets a second to end itself, which on a busy machine is not enough
        self.assertIn((processes[hung["/slow"]].get("signal"), processes[hung["/slow"]].get("exit")),
                      ((None, 1), (signal.SIGKILL, None)))
        self.assertEqual(processes[hung["/deaf"]].get("signal"), signal.SIGKILL)
        self.assert_exact(server, killed=[p for p in hung.values() if "signal" in processes[p]])
        self.place("gunicorn, sync workers: killed by its timeout")

    def test_upgrade(self):
        """USR2: the master forks, and the child becomes another gunicorn by exec, which lives on
        when the old one ends."""
        def run():
            server = self.serve("--pid", os.path.join(self.top, "pid"))
            load = self.load(server)
            server.serves(serving.REQUESTS // 2)
            os.kill(server.master, signal.SIGUSR2)
            server.saw(READY, 2 * WORKERS)
            new = int(server.saw(r"Listening at: http://\S+ \((\d+)\)", 2)[1])
            os.kill(server.master, signal.SIGTERM)
            server.end()
            server.serves(serving.REQUESTS // 2)
            failed, _ = load.end()
            if self.record:
                self.assertRegex(server.text(), "[0-9] of the processes still run; recording goes on until they end")
                self.assertEqual(self.info(server)["finished"], False)
            os.kill(new, signal.SIGTERM)
            self.assertEqual(failed, 0)
            if self.record:
                self.assert_upgraded(self.assert_exact(server), new)
            else:
                serving.wait_for(lambda: not os.path.exists(f"/proc/{new}"), "the end of the new master")
        self.paired(run)

    def assert_upgraded(self, processes, new):
        by_pid = [p for p in processes if p["pid"] == new]
        self.assertEqual([(p["how"], p["ended"]) for p in by_pid], [("fork", "exec"), ("exec", "exited")])
        self.assertEqual(by_pid[0]["parent"], 1)
        self.assertEqual(by_pid[1]["parent"], by_pid[0]["number"])
        self.assertEqual(len(processes), 3 + 2 * WORKERS)
        self.assertEqual(sum(p["parent"] == by_pid[1]["number"] for p in processes), WORKERS)
        self.place("gunicorn: re-executed on USR2")

    def test_daemon(self):
        """`record` ends with the command; the daemon is recorded until it ends."""
        pidfile, log = os.path.join(self.top, "pid"), os.path.join(self.top, "gunicorn.log")
        server = self.start(serving.PYTHON, "-m", "gunicorn", "-w", str(WORKERS), "--bind", "127.0.0.1:0",
                            "--no-control-socket", "--daemon", "--pid", pidfile, "--log-file", log, "served:application")
        server.end()
        self.assertRegex(server.text(), r"pathline: \d+ of the processes still runs?; recording goes on until (it ends|they end)|"
                                        r"programs that '.*' started still run; recording goes on until they end")
        server.recorded, server.log = None, pathlib.Path(log)
        server.log.touch()
        server.port = int(server.saw(r"Listening at: http://127\.0\.0\.1:(\d+)")[1])
        server.saw(READY, WORKERS)
        self.assertEqual(serving.Load(server.port).wait(), {})
        os.kill(int(pathlib.Path(pidfile).read_text()), signal.SIGTERM)
        processes = self.assert_exact(server)
        self.assertEqual([p["parent"] for p in processes], [0, 1, 2] + [3] * WORKERS)
        self.assertEqual({p["exit"] for p in processes}, {0})
        self.place("gunicorn: as a daemon")

    @unittest.skipUnless(os.getuid() == 0, "needs root")
    @serving.long
    def test_other_user(self):
        """Workers that have given up root go on recording, in another directory."""
        # nobody may not be let in where the interpreter and the packages are: show them elsewhere
        os.chmod(self.top, 0o777)
        home = os.path.dirname(os.path.dirname(os.path.realpath(serving.PYTHON)))
        here = {home: os.path.join(self.top, "python"), str(serving.SITE): os.path.join(self.top, "site")}
        if not os.path.isdir(os.path.join(home, "lib", "python%d.%d" % serving.MINOR)) or home == "/usr":
            here.pop(home)
        for to in here.values():
            os.mkdir(to)
        mounts = "\n".join(f"mount --bind {of} {to}" for of, to in here.items())
        python = os.path.join(here[home], "bin/python3") if home in here else serving.PYTHON
        place = os.path.join(self.top, "place")
        os.mkdir(place)
        os.chmod(place, 0o777)
        (pathlib.Path(self.top) / "who.py").write_text(
            "import os\nimport served\n\nopen(f'made-{os.getpid()}', 'w').close()\n"
            "print('who', os.getuid(), os.getgid(), os.getcwd(), flush=True)\napplication = served.application\n")
        words = (python, "-m", "gunicorn", "-w", str(WORKERS), "--bind", "127.0.0.1:0", "--no-control-socket", "--user",
                 "nobody", "--group", "nogroup", "--umask", "027", "--chdir", place, "--pythonpath",
                 f"{self.top}/site,{self.top}", "who:application")
        server = self.start("unshare", "--mount", "--propagation", "unchanged", "sh", "-c", f"""{mounts}
            exec {serving.PATHLINE} record -o {self.top}/recording -- "$@" """, "sh", *words, record=False,
                            environment={"PYTHONPATH": f"{self.top}/site:{self.top}"})
        pathlib.Path(server.noted).chmod(0o666)
        server.port, server.master = map(
            int, server.saw(r"Listening at: http://127\.0\.0\.1:(\d+) \((\d+)\)").groups())
        user = pwd.getpwnam("nobody")
        server.saw(f"who {user.pw_uid} {user.pw_gid} {re.escape(place)}", WORKERS)
        self.assertEqual({os.stat(os.path.join(place, name)).st_uid for name in os.listdir(place)}, {user.pw_uid})
        self.assertEqual(serving.Load(server.port).wait(), {})
        self.term(server)
        self.assert_family(server, self.assert_exact(server))
        self.place("gunicorn: as another user")

    @serving.long
    def test_socket_activation(self):
        """The descriptors that systemd hands to `record` are the server's, and so is the pid that
        it names."""
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)
        held = os.dup(listening.fileno())
        self.addCleanup(os.close, held)
        words = (serving.PYTHON, "-m", "gunicorn", "-w", "2", "--no-control-socket", "served:application")
        quoted = "exec 3<&%d; LISTEN_PID=$$ LISTEN_FDS=1 exec %s record -o %s -- %s" % (
            held, serving.PATHLINE, os.path.join(self.top, "recording"), " ".join(words))
        server = self.start("bash", "-c", quoted, record=False, pass_fds=(held,))
        server.saw(READY, 2)
        self.assertEqual(serving.Load(listening.getsockname()[1]).wait(), {})
        server.master = int(server.saw(r"Listening at: \S+ \((\d+)\)")[1])
        os.kill(server.process.pid, signal.SIGTERM)     # as systemd does: record passes it on
        server.end()
        self.assert_family(server, self.assert_exact(server))
        self.place("gunicorn: activated by systemd's socket")


@serving.needs("gunicorn")
class Gthread(Gunicorn):
    def test_reload(self):
        self.reload("gthread", "--threads", "4")

    @serving.long
    def test_kill(self):
        self.kill("gthread", "--threads", "4")


@serving.needs("gevent")
class Gevent(Gunicorn):
    @serving.long
    def test_reload(self):
        self.reload("gevent")

    @serving.long
    def test_kill(self):
        self.kill("gevent")


if __name__ == "__main__":
    unittest.main()
