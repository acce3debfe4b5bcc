# same-run
"""sys.exit, an exception, KeyboardInterrupt in threads; threads that outlive the main one; exit code of the main thread."""
import sys
import threading
import time

go = threading.Event()


def leaves(how):
    try:
        raise how
    finally:
        x = 1


def late():
    go.wait()
    for i in range(5):
        i += 1


for how in (SystemExit, SystemExit(3), ValueError("v"), KeyboardInterrupt):
    t = threading.Thread(target=leaves, args=(how,), name="leaver")
    t.start()
    t.join()
t = threading.Thread(target=late)
t.start()
go.set()
t.join()
sys.exit(4)
