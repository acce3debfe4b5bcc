# same-run
"""Signals that come in the midst of hot loops on one line, and raise there or not, while other threads run such loops too."""
import signal
import sys
import threading

ROUNDS = 40
signals = 0
armed = False                                           # raise at the next one but one


class Stop(Exception):
    pass


def handler(number, frame):
    global signals, armed
    signals += 1
    for _ in range(3): pass
    if armed and signals % 2:
        armed = False
        raise Stop


def count(n):
    while True: n += 1


def numbers():
    n = 0
    while True: n += 1; yield n


def consume():
    for _ in numbers(): pass


def comprehend():
    while True: [x for x in range(100)]


def add(stop):
    n = 0
    while not stop.is_set(): n += sum(x for x in range(10))


def until_stopped(function, *args):
    global armed
    try:
        armed = True
        function(*args)
    except Stop:
        pass


def main():
    stop = threading.Event()
    threads = [threading.Thread(target=add, args=(stop,)) for _ in range(2)]
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    for _ in range(ROUNDS):
        until_stopped(count, 0)
        until_stopped(consume)
        until_stopped(comprehend)
    signal.setitimer(signal.ITIMER_REAL, 0)
    stop.set()
    for thread in threads:
        thread.join()


main()
