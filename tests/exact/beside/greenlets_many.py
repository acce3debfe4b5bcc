"""usage: greenlets_many.py COUNT. So many greenlets, all alive, switched to in turns, far from one
another.

Says the bytes of its own memory with all of them alive, then the number of each greenlet in the
order in which they ran.
"""
import sys

import greenlet

COUNT, TURNS = int(sys.argv[1]), 3
STRIDE = 7919                                           # a prime: each of them has its turn
main = greenlet.getcurrent()
ran = []


def body(number):
    for turn in range(TURNS):
        ran.append(number)  # marked
        main.switch()


def anonymous_bytes():
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("RssAnon:"))


def run():
    all_of_them = [greenlet.greenlet(body) for _ in range(COUNT)]
    for number, g in enumerate(all_of_them, 1):
        g.switch(number)
    print(anonymous_bytes())
    for turn in range(TURNS):
        for i in range(COUNT):
            all_of_them[(i + turn) * STRIDE % COUNT].switch()
    assert all(g.dead for g in all_of_them)


run()
print(*ran)
