# same-run
"""Daemon threads that still run when the program ends, one in the middle of Python, one asleep, one in a generator."""
import threading
import time

ready = threading.Semaphore(0)


def forever(n):
    ready.release()
    while True:
        for i in range(n):
            if i & 1: n += 0
            else:
                n -= 0


def sleeper():
    ready.release()
    while True:
        time.sleep(100)


def gen():
    while True:
        yield 1


def steps():
    ready.release()
    for x in gen():
        time.sleep(0.0001)


for f, a in ((forever, (9,)), (sleeper, ()), (steps, ())):
    threading.Thread(target=f, args=a, daemon=True).start()
for i in range(3):
    ready.acquire()
time.sleep(0.02)
print("end")
