# same-run
"""The recursion limit met in several ways, deep generators, and a thread that is 50,000 frames deep."""
import sys
import threading


def down(n):
    if n:
        return down(n - 1) + 1
    return 0


def chain(n):
    if n:
        yield from chain(n - 1)
    yield n


def limit(n=0):
    global deepest
    deepest = n
    limit(n + 1)


sys.setrecursionlimit(1000)
print(sum(1 for _ in chain(150)))
for _ in range(3):
    try:
        limit()
    except RecursionError as e:
        print(e, deepest > 900)


def in_thread():
    sys.setrecursionlimit(60_000)
    print(down(50_000))
    sys.setrecursionlimit(1000)


threading.stack_size(256 << 20)
t = threading.Thread(target=in_thread)
t.start()
t.join()
limit()                                 # the traceback must be the same
