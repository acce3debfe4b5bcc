# same-run blind has=worker:5
"""RLIMIT_FSIZE=0 in the main process itself, to its end."""
import os
import resource
import threading
import warnings

warnings.simplefilter("ignore")         # of 3.12, about forks beside threads


def worker(n):
    for i in range(n):
        if i & 1: n += 0
    return n


os.write(1, b"begin\n")
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
worker(3)
for i in range(3):
    t = threading.Thread(target=worker, args=(i,))
    t.start()
    t.join()
for i in range(20000):
    i += 1
worker(4)
