"""Threads in functions that call themselves, which write down their own order: one counter for all, which the GIL makes atomic."""
import _thread
import itertools
import json
import sys
import threading
import time

sys.setswitchinterval(float(sys.argv[1]))
counter, taken = itertools.count(), {}


def walk(n, mine):
    if n < 2:
        return mine.append(next(counter))               # ORDER
    return mine.append(next(counter)), walk(n - 1, mine), walk(n - 2, mine)          # ORDER


def down(n, mine):
    if not n:
        return mine.append(next(counter))               # ORDER
    return time.sleep(0), down(n - 1, mine)


def work(rounds, started=None):
    mine = taken.setdefault(_thread.get_native_id(), [])
    if started:
        started.wait()
    for i in range(rounds):
        walk(i % 9, mine)
        down(i % 40, mine)


def later(lock):
    with lock:
        pass
    work(200)


for i in range(5):
    work(40)
lock = _thread.allocate_lock()                          # they begin while this thread is deep in calls
lock.acquire()
ts = [threading.Thread(target=later, args=(lock,)) for _ in range(3)]
threading.Timer(0.002, lock.release).start()
for t in ts: t.start()
work(400)
for t in ts: t.join()
for threads, rounds in ((2, 400), (12, 60), (40, 10)):
    started = threading.Barrier(threads)
    ts = [threading.Thread(target=work, args=(rounds, started)) for _ in range(threads)]
    for t in ts: t.start()
    for t in ts: t.join()
json.dump(taken, sys.stdout)
