# same-run
"""Threads that outlive the main thread's code, and start others while Python waits for them."""
import threading
import time


def grand(n):
    time.sleep(0.01)
    for i in range(n):
        i += 1


def late():
    time.sleep(0.05)
    t = threading.Thread(target=grand, args=(5,))
    t.start()
    grand(2)


threading.Thread(target=late).start()
