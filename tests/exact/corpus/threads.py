# same-run
"""Threads from threading and _thread: switching fast, raising, exiting, with locals, queues, timers and pools."""
import _thread
import concurrent.futures
import queue
import sys
import threading
import time

sys.setswitchinterval(1e-5)
lock, results = threading.Lock(), []


def numbers(n):
    for i in range(n):
        if i & 1:
            yield i


def helper(i):
    try:
        return 1 / (i % 3)
    except ZeroDivisionError:
        return 0


def work(n):
    for i in numbers(n):
        with lock:
            results.append(i)
        helper(i)


ts = [threading.Thread(target=work, args=(300 + i,), name="worker %d" % i) for i in range(6)]
for t in ts: t.start()
for t in ts: t.join()

q, back = queue.Queue(3), queue.Queue()


def consumer():
    while (x := q.get()) is not None:
        back.put(x * 2)


ts = [threading.Thread(target=consumer) for _ in range(3)]
for t in ts: t.start()
for i in range(200): q.put(i)
for t in ts: q.put(None)
for t in ts: t.join()

done = threading.Semaphore(0)


def bare(n):
    try:
        helper(n)
        if n == 2:
            _thread.exit()
        if n == 3:
            sys.exit(5)
    finally:
        done.release()


for i in range(5):
    _thread.start_new_thread(bare, (i,))
for i in range(5):
    done.acquire()


def fails():
    raise LookupError("in a thread")


threading.excepthook = lambda a: results.append(a.exc_type.__name__)
t = threading.Thread(target=fails)
t.start()
t.join()
timer = threading.Timer(0.001, helper, (1,))
timer.start()
timer.join()
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    total = sum(pool.map(helper, range(100)))
    late = pool.submit(fails)
barrier = threading.Barrier(3)
ts = [threading.Thread(target=barrier.wait) for _ in range(3)]
for t in ts: t.start()
for t in ts: t.join()
while threading.active_count() > 1:
    time.sleep(0.001)
print(len(results), round(total), type(late.exception()).__name__, back.qsize())
