"""Threads whose loops stay on their line, and take a number of one counter in each pass: prints the numbers of each. Where a pass can let
the GIL go is its jump alone, as it calls nothing."""
import _thread
import itertools
import json
import sys
import threading
from time import sleep

sys.setswitchinterval(1e-6)
counter, taken = itertools.count(), {}


def steps(items, mine):
    for n in items: mine += (n,)        # ORDER


def work(start):
    mine = taken.setdefault(_thread.get_native_id(), [])
    start.wait()
    for _ in range(300):
        steps(itertools.islice(counter, 100), mine)
        sleep(0)


start = threading.Barrier(4)
ts = [threading.Thread(target=work, args=(start,)) for _ in range(4)]
for t in ts: t.start()
for t in ts: t.join()
json.dump(taken, sys.stdout)
