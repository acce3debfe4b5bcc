# two-runs order=exact
"""Threads in loops that stay on one line, of each form: where the GIL is let go at the jump."""
import _queue
import _thread
import functools
import itertools
import sys
import weakref

sys.setswitchinterval(1e-6)


def numbers(n):
    for i in range(n): yield i


def same(x): return x


def counts(n):
    while n: n -= 1


def generates(n):
    for x in numbers(n): pass


def comprehends(n):
    return [x * x for x in range(n)], {y for y in numbers(n)}


def iterates(n):
    for x in map(same, range(n)): x += 1


def nests(n):
    for x in range(n):
        for y in range(3): x += y


def ends_by_an_exception(n):
    try:
        while True: n -= 1; 1 // n
    except ZeroDivisionError: pass


def branches(n):
    for x in itertools.repeat(1, n): x if x else 2


def work():
    for i in range(20):
        for fn in (counts, generates, comprehends, iterates, nests, ends_by_an_exception, branches): fn(200 + i)


ended, references = _queue.SimpleQueue(), []            # told of a thread that has left work, not only come to its last line
for _ in range(4):
    task = functools.partial(work)
    references.append(weakref.ref(task, ended.put))
    _thread.start_new_thread(task, ())
del task
for _ in range(4): ended.get()
