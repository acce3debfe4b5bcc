"""usage: cthreads_user.py [COUNT]. So many threads of C that run Python for a moment, some that
keep a state over calls, some that leave one behind."""
import collections
import sys
import threading

import cthreads

counts = collections.Counter()
lock = threading.Lock()


def called(name):
    with lock:
        counts[name] += 1


def moment(i):
    called("moment")
    return sum(squares(i % 3))


def squares(n):
    called("squares")
    for i in range(n):
        yield i * i


def kept(i):
    called("kept")
    try:
        if i % 2:
            raise ValueError(i)
    except ValueError:
        return moment(i)


def left(i):
    called("left")
    return [moment(n) for n in range(2)]


def made(i):
    called("made")
    return list(squares(2))


cthreads.for_a_moment(moment, int(sys.argv[1]) if len(sys.argv) > 1 else 200)
cthreads.keeps(kept, 30)
cthreads.leaves(left, 30)
cthreads.for_a_moment(moment, 30)
cthreads.makes(made, 30)
counts["called"] = sum(counts.values())
print("called", *("%s:%d" % pair for pair in sorted(counts.items())))
