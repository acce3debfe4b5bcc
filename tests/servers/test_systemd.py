"""A service under systemd's own manager, with the drop-in that `pathline service` prints: systemd
runs as the first process of namespaces of its own, with cgroups below those of this machine."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving  # noqa: E402

INTERPRETERS = "rotating"
SYSTEMD = next((path for path in ("/lib/systemd/systemd", "/usr/lib/systemd/systemd") if os.path.exists(path)), None)
# Nothing of this machine may change: all that can be seen is read-only but the test's own folder,
# /dev/shm, and what is new in here. The last but one command makes sure of it.
NAMESPACE = """\
set -e
top=$1
mount --bind "$top" "$top"
mount -t tmpfs none /run
mkdir -p /run/systemd/system /run/dev/shm /run/dev/pts
for name in null zero full random urandom; do
	: >/run/dev/$name
	mount --bind /dev/$name /run/dev/$name
done
ln -s /proc/self/fd /run/dev/fd
mount --bind /dev/shm /run/dev/shm
: >"$top/console"
: >/run/dev/console
mount --bind "$top/console" /run/dev/console
mount --rbind /run/dev /dev
mount -t cgroup2 none /sys/fs/cgroup
cp -r "$top/units/." /run/systemd/system
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount -o remount,bind,ro /sys
mount -o remount,bind,ro /
for place in / /tmp /var/tmp /etc /var/log /proc/sys/fs /sys; do ! test -w $place; done
export container=test
exec "$2" --system --unit=test.service --show-status=0
"""
# Into a cgroup of its own, below which systemd has its own.
CGROUP = """\
set -e
folder=$(mktemp -d)
mount -t cgroup2 none "$folder"
mkdir "$folder/pathline-$$"
echo $$ >"$folder/pathline-$$/cgroup.procs"
code=0
unshare -pmfCu --propagation private --mount-proc sh -c "$1" sh "$2" "$3" || code=$?
echo $$ >"$folder/cgroup.procs"
find "$folder/pathline-$$" -depth -type d -exec rmdir {} ';'
umount "$folder"
rmdir "$folder"
exit $code
"""
# The service: a server that forks its workers, and starts one anew after each job.
SERVER = """\
import os, signal, time
import served

def worker(number):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    served.handle(str(number))
    os._exit(0)

def stop(*_):
    raise SystemExit(0)

signal.signal(signal.SIGTERM, stop)
for number in range(JOBS):
    pid = os.fork()
    if not pid:
        worker(number)
    os.waitpid(pid, 0)
open("ready", "w").close()
while True:
    time.sleep(0.05)
""".replace("JOBS", "8")
SERVICE = """\
[Unit]
DefaultDependencies=no

[Service]
ExecStart={python} server.py
WorkingDirectory={top}
StandardOutput=append:{top}/log
StandardError=append:{top}/log
Environment=NOTED={top}/noted
Environment=PYTHONPATH={top}
"""
# It orders as an administrator does, and ends systemd.
TEST = """\
[Unit]
SuccessAction=exit-force
FailureAction=exit-force
DefaultDependencies=no

[Service]
Type=oneshot
ExecStart=/bin/sh -ex {top}/orders
StandardOutput=append:{top}/log
StandardError=append:{top}/log
TimeoutStartSec=90
"""
ORDERS = """\
cd {top}
ready() {{ n=0; while ! test -e ready; do n=$((n + 1)); test $n -lt 1200; sleep 0.05; done; rm ready; }}
systemctl start --no-block app.service
ready
# Without the directory nothing is recorded: it comes, and the next start is.
mkdir always
systemctl restart app.service
ready
systemctl restart app.service
ready
systemctl stop app.service
systemctl show -p Result -p ExecMainStatus app.service
"""


def systemd_runs():
    """Can it be the first process of namespaces here?"""
    tried = ("unshare", "-m", "sh", "-c", CGROUP, "sh", "mount -t cgroup2 none /sys/fs/cgroup", "", "")
    return bool(SYSTEMD) and os.getuid() == 0 and shutil.which("systemctl") and serving.run(*tried).returncode == 0


class Systemd(serving.Case):
    def write(self, name, text):
        path = pathlib.Path(self.top, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def manage(self):
        """Run systemd until test.service has ended."""
        words = ("unshare", "-m", "sh", "-c", CGROUP, "sh", NAMESPACE, self.top, SYSTEMD)
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=serving.DEADLINE_S, check=False)
        said = [path.read_text()[-3000:] for path in (pathlib.Path(self.top, name) for name in ("log", "console")) if path.exists()]
        return "\n".join([done.stderr, *said])

    @unittest.skipUnless(systemd_runs(), "systemd cannot run in namespaces here")
    @serving.long
    def test_a_service(self):
        """Not recorded without the directory, then once for each start, whole also where systemd
        ends the processes that are left."""
        here = {"top": self.top, "python": serving.PYTHON}
        drop_in = serving.run(serving.PATHLINE, "service", f"{self.top}/always").stdout
        self.write("server.py", SERVER)
        self.write("units/app.service", SERVICE.format(**here))
        self.write("units/app.service.d/pathline.conf", drop_in)
        self.write("units/test.service", TEST.format(**here))
        self.write("orders", ORDERS.format(**here))
        said = self.manage()
        self.assertIn("Result=success\nExecMainStatus=0\n", said)
        names = sorted(name for name in os.listdir(f"{self.top}/always") if name not in ("latest", "pathline.log"))
        self.assertEqual(len(names), 2, said)
        self.assertEqual(len(pathlib.Path(self.top, "noted").read_text().splitlines()), 3 * 8)
        for name in names:
            self.assert_whole(f"{self.top}/always/{name}")
        self.assertEqual(pathlib.Path(self.top, "always/pathline.log").read_text(), "")
        self.place("a service under systemd, with the drop-in")

    def assert_whole(self, recording):
        done = serving.run(serving.PATHLINE, "info", "--json", recording)
        told = json.loads(done.stdout.splitlines()[0])["data"]
        self.assertEqual((told["finished"], told["recovered"], told["losses"], told["counts"]["gap"]), (True, False, [], 0))
        self.assertEqual([(p["how"], p["exit"]) for p in told["processes"][1:]], [("fork", 0)] * 8)
        calls = serving.run(serving.PATHLINE, "dump", "--fields", "code", "--events", "call", recording).stdout.split()
        self.assertEqual(calls.count("handle"), 8)
        self.assertEqual(serving.run(serving.PATHLINE, "check", recording).returncode, 0)


if __name__ == "__main__":
    unittest.main()
