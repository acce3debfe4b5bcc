# same-run
"""2,000 threads that live for a moment: one after the other, and 50 at a time."""
import _thread
import threading

count, lock = 0, threading.Lock()


def short(n):
    global count
    with lock:
        count += n % 2


for i in range(500):
    t = threading.Thread(target=short, args=(i,))
    t.start()
    t.join()
for batch in range(20):
    ts = [threading.Thread(target=short, args=(i,)) for i in range(50)]
    for t in ts: t.start()
    for t in ts: t.join()
done = _thread.allocate_lock()


def bare(n):
    short(n)
    done.release()


for i in range(500):
    done.acquire()
    _thread.start_new_thread(bare, (i,))
done.acquire()
print(count)
