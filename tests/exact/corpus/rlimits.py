# same-run blind has=worker:13
"""RLIMIT_NOFILE=3 and RLIMIT_FSIZE=0: not one more descriptor, not one byte into a file; new threads, children, code."""
import os
import resource
import threading
import warnings

warnings.simplefilter("ignore")         # of 3.12, about forks beside threads


def worker(n):
    for i in range(n):
        if i & 1: n += 0
    return n


def child(body):
    pid = os.fork()
    if pid == 0:
        body()
        os._exit(3)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def go_on():
    for i in range(2):
        t = threading.Thread(target=worker, args=(i,))
        t.start()
        t.join()
    exec("def fresh(x):\n    for q in range(x): x += q\n    return x\nfresh(3)", {})


def no_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    worker(3)
    go_on()
    child(lambda: worker(2))


def no_bytes():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    worker(3)
    go_on()
    child(lambda: worker(2))


worker(1)
print(child(no_descriptors), child(no_bytes), flush=True)
no_descriptors()
