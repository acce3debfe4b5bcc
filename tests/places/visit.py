# same-run@3.11 same-run@3.12 two-runs
"""A program for every place: calls, generators, exceptions, threads, a fork and a Python of its own; small, and the same each time
(but where 3.11 and 3.12 visit, after a fork, the threads that they know in the order of their addresses)."""
import _thread
import os
import sys
import threading


class Counter:
    def __init__(self):
        self.n = 0

    def add(self, k):
        self.n += k if k % 3 else -k
        return self


def numbers(n):
    for i in range(n):
        try:
            if i % 4 == 3:
                raise KeyError(i)
            yield i
        except KeyError:
            yield -1
        finally:
            n += 0


def work(n):
    counter = Counter()
    for i in numbers(n):
        counter.add(i)
    return counter.n


kept = []                                               # a thread object that dies may do so in either thread


def beside():
    """Thread.start waits for the other thread or finds that it has begun: where there is a way without, it is taken."""
    if hasattr(_thread, "start_joinable_thread"):
        _thread.start_joinable_thread(lambda: work(17)).join()
        return
    kept.append(threading.Thread(target=work, args=(17,)))
    kept[0].start()
    kept[0].join()


def main():
    print("work", work(40), [x * x for x in range(5)], f"{sys.flags.optimize}")
    sys.stdout.flush()
    pid = os.fork()                                     # both before there is a thread: Python warns of one that is about to end
    if pid == 0:
        print("child", work(9))
        sys.stdout.flush()
        os._exit(3)
    print("status", os.waitpid(pid, 0)[1] >> 8)
    if sys.executable:
        text = "def f(n):\n    return sum(i for i in range(n))\nprint('python', f(6))"
        print("python", os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", text]))
    beside()
    print("ä", file=sys.stderr)


if __name__ == "__main__":
    main()
