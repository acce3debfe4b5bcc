# same-run root has=worker:6
"""Into an empty directory by chroot: no path leads to anything any more. New threads and children there too."""
import os
import tempfile
import threading
import warnings

warnings.simplefilter("ignore")         # of 3.12, about forks beside threads


def worker(n):
    for i in range(n):
        if i & 1: n += 0
    return n


def child():
    pid = os.fork()
    if pid == 0:
        worker(5)
        os._exit(3)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


empty = tempfile.mkdtemp()
old = os.open("/", os.O_RDONLY)
worker(1)
os.chroot(empty)
os.chdir("/")
worker(2)
for i in range(2):
    t = threading.Thread(target=worker, args=(i,))
    t.start()
    t.join()
print(child(), worker(4), flush=True)
os.fchdir(old)
os.chroot(".")
os.rmdir(empty)
