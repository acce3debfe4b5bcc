# two-runs
"""What runs at the very end: atexit in its order, module globals that die, generators left open, a __del__ that imports nothing."""
import atexit
import os
import sys
import threading


class At:
    def __init__(self, name):
        self.name = name

    def __del__(self, write=os.write):
        for i in range(2):
            write(1, b"%d %s\n" % (i, self.name.encode()))


def open_generator():
    thing = At("generator")
    try:
        yield 1
    finally:
        os.write(1, b"finally\n")


g = open_generator()
next(g)
in_global = At("global")
sys.in_sys = At("sys")
cycle = [At("cycle")]
cycle.append(cycle)
del cycle
threading._register_atexit(os.write, 1, b"threading\n")


@atexit.register
def first_in_last_out():
    os.write(1, b"atexit 1\n")
    atexit.register(os.write, 1, b"atexit late\n")


atexit.register(lambda: os.write(1, b"atexit 2\n"))
os.write(1, b"main\n")
