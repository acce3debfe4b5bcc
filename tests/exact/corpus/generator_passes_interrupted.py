# same-run
"""Between the passes of generators that the resume implies, other code runs: finalisers of garbage, and other threads."""
import gc
import sys
import threading


class Dies:
    def __init__(self):
        self.me = self

    def __del__(self):
        sum(x for x in range(3))


def with_garbage():
    """Finalisers run at jumps and resumes, too."""
    gc.set_threshold(3)
    try:
        for x in (Dies() for _ in range(20)): x = None
        sum(len([Dies()]) for _ in range(20))
    finally:
        gc.set_threshold(700)
    gc.collect()


def plain(of):
    for x in of: yield x


def with_threads():
    """They take the GIL from each other at jumps and resumes."""
    def work():
        for _ in range(20): sum(x for x in plain(x * x for x in range(200) if x & 1))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    sys.setswitchinterval(interval)


for _ in range(3): with_garbage()
with_threads()
