# same-run
"""Forks: plain, from a thread, from a generator, in a signal handler, of a fork, that raise, that exit in every way."""
import os
import signal
import sys
import threading
import warnings

warnings.simplefilter("ignore")


def family(n):
    total = 0
    for i in range(n):
        if i % 2: total += i
        else: total -= i
    return total


def wait(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def child(body):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        body()
        os._exit(0)
    return wait(pid)


def deep(n):
    if n:
        return deep(n - 1)
    return child(lambda: os._exit(family(9) % 50))


def grandchildren():
    code = child(lambda: family(5))
    os._exit(child(lambda: os._exit(code + 3)))


def numbers():
    for i in range(3):
        yield child(lambda: family(i))


def killed():
    family(3)
    os.kill(os.getpid(), signal.SIGKILL)


def in_thread(f):
    box = []
    t = threading.Thread(target=lambda: box.append(f()))
    t.start()
    t.join()
    return box


def with_threads():
    in_thread(lambda: family(20))
    os._exit(4)


def handler(*_):
    codes.append(child(lambda: family(4)))


codes = [child(lambda: family(10)), deep(20), child(grandchildren), list(numbers()), child(killed), in_thread(lambda: child(lambda: family(6))),
         child(with_threads), in_thread(lambda: in_thread(lambda: child(with_threads)))]
signal.signal(signal.SIGUSR1, handler)
signal.raise_signal(signal.SIGUSR1)
os.register_at_fork(before=lambda: family(1), after_in_parent=lambda: family(2), after_in_child=lambda: family(3))
codes.append(child(lambda: family(2)))
print(codes)
sys.stdout.flush()
pid = os.fork()
if pid == 0:                            # this one goes through the whole end of Python
    import atexit
    atexit.register(family, 3)
    sys.exit(7)
print(wait(pid))
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    raise SystemExit("the child says so")
print(wait(pid))
stopper = threading.Event()
busy = threading.Thread(target=lambda: [family(3) for _ in iter(stopper.is_set, True)])
busy.start()
for i in range(5):                      # another thread is running Python at that moment
    codes.append(child(lambda: family(4)))
stopper.set()
busy.join()
print(codes[-5:])
