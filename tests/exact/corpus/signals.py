# same-run
"""Signal handlers in the middle of lines, one of which raises, and one inside another."""
import os
import signal
import time

hits = 0
inside = 0


def handler(number, frame):
    global hits
    hits += 1
    for i in range(3):
        i += frame.f_lineno
    if hits % 3 == 0:
        raise InterruptedError


def nested_handler(number, frame):
    global inside
    inside += 1
    if inside == 1:
        signal.raise_signal(signal.SIGUSR1)
        inside += 10


def helper(i):
    if i > 50:
        return 1
    x = 2
    return x


def numbers(n):
    for i in range(n):
        yield i


def busy():
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0003)
    end = time.monotonic() + 0.15
    rounds, done = 0, False
    while not done:
        try:
            while time.monotonic() < end:
                for i in range(100):
                    if i & 1: rounds += 1
                    else: rounds -= 1
                    for q in range(3): pass
                    helper(i)
                total = sum(q for q in numbers(20) if q & 1)
                try:
                    rounds += [helper(q) for q in range(9)][
                        3]
                finally:
                    total = 0
            signal.setitimer(signal.ITIMER_REAL, 0)
            done = True
        except InterruptedError:
            rounds = 0


def at_once():
    """The same place each time: raise_signal runs the handler before it returns."""
    for i in range(5):
        try:
            x = [helper(i), signal.raise_signal(signal.SIGUSR2),
                 helper(60)]
        except KeyError:
            x = None
        else:
            x = x[2]
    return x


def thrower(number, frame):
    raise KeyError(number)


while True:                             # the last tick may come when busy() has left its try
    try:
        busy()
        break
    except InterruptedError:
        pass
signal.signal(signal.SIGALRM, signal.SIG_IGN)
signal.signal(signal.SIGUSR1, nested_handler)
signal.raise_signal(signal.SIGUSR1)
signal.signal(signal.SIGUSR2, thrower)
at_once()
signal.signal(signal.SIGUSR2, lambda *a: None)
at_once()
print(hits > 10, inside)
os.kill(os.getpid(), signal.SIGUSR2)
print("done")
