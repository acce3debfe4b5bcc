# same-run has=worker:8
"""All descriptors above 2 are closed, then the program goes on, in new threads and children too."""
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


worker(3)
os.closerange(3, 65536)
worker(4)
for i in range(3):
    t = threading.Thread(target=worker, args=(i,))
    t.start()
    t.join()
print(child(), child(), worker(9), flush=True)
