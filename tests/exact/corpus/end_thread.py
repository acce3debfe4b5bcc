# same-run
"""os._exit in a thread while others run; the main thread is asleep."""
import os
import threading
import time


def spin():
    while True:
        for i in range(5):
            if i & 1: i += 1
        time.sleep(0.0005)


def end():
    time.sleep(0.05)
    for i in range(3):
        i += 1
    os._exit(6)


for f in (spin, spin, end):
    threading.Thread(target=f).start()
time.sleep(100)
