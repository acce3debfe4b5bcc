# two-runs
"""The end of a process: signal.raise_signal(signal.SIGINT), deep in calls, loops and a generator."""
import ctypes
import os
import signal
import sys


def gen(n):
    for i in range(n):
        yield i


def last(n):
    for i in gen(5):
        try:
            if i == 3:
                print("now", flush=True)
                signal.raise_signal(signal.SIGINT)
        finally:
            n += 1


def deep(n):
    if n:
        deep(n - 1)
    else:
        last(n)


deep(5)
