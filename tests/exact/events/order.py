"""Many threads that write down their own order: one counter for all, which the GIL makes atomic, taken on one line."""
import _thread
import itertools
import json
import sys
import threading
import time

sys.setswitchinterval(float(sys.argv[1]))
counter, taken, lock = itertools.count(), {}, threading.Lock()


def numbers(n):
    for i in range(n):
        yield i


def late(i, mine):
    if (n := next(counter)) is None or mine.append(n) or time.sleep(0):     # ORDER
        return i
    return 1


def work(rounds, start):
    mine = taken.setdefault(_thread.get_native_id(), [])
    start.wait()
    for i in numbers(rounds):
        n = next(counter)               # ORDER
        mine.append(n)
        if i % 4 == 0:
            time.sleep(0)               # lets the GIL go, and asks for it again
        if i % 50 == 0:
            with lock:
                sum(numbers(i % 7))
        n = next(counter)               # ORDER
        mine.append(n)
        if i % 3 == 0:
            late(i, mine)


for threads, rounds in ((2, 3000), (12, 400), (40, 60), (200, 5)):
    start = threading.Barrier(threads)
    ts = [threading.Thread(target=work, args=(rounds, start)) for _ in range(threads)]
    for t in ts: t.start()
    for t in ts: t.join()
json.dump(taken, sys.stdout)
