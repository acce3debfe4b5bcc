"""What the programs mp_*.py run, each by its own method of starting a process."""
import multiprocessing
import os
import sys
import time
import warnings


def square(n):
    total = 0
    for i in range(n):
        if i & 1: total += n
        else: total += 0
    return total


def feed(queue, n):
    for i in range(n):
        queue.put(i)
    queue.put(None)


def fails():
    sys.exit(9)


def sleeps(event):
    event.set()
    while True:
        time.sleep(100)


def locked(lock, value):
    for i in range(10):
        with lock:
            value.value += 1


def run(method):
    warnings.simplefilter("ignore")
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    p = context.Process(target=feed, args=(queue, 5))
    p.start()
    print(list(iter(queue.get, None)))
    p.join()
    with context.Pool(2) as pool:
        print(pool.map(square, range(10)))
        pool.close()
        pool.join()
    p = context.Process(target=fails)
    p.start()
    p.join()
    print(p.exitcode)
    lock, value = context.Lock(), context.Value("i", 0)
    ps = [context.Process(target=locked, args=(lock, value)) for _ in range(3)]
    for p in ps: p.start()
    for p in ps: p.join()
    print(value.value)
    if method == "fork":
        event = context.Event()
        p = context.Process(target=sleeps, args=(event,))
        p.start()
        event.wait()
        time.sleep(0.2)                 # let it go to sleep: nothing may be half written when it is killed
        p.terminate()
        p.join()
        print(p.exitcode)
