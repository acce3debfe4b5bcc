# same-run root has=worker:6
"""From root to nobody by setgid and setuid. New threads and children there too."""
import os
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


worker(1)
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
worker(2)
for i in range(2):
    t = threading.Thread(target=worker, args=(i,))
    t.start()
    t.join()
print(child(), worker(4), os.getuid(), flush=True)
