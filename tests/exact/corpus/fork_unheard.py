# same-run
"""Forks without a callback behind them (threading registers one): what the child runs first has no event of its own, or all of it has none."""
import os
import signal
import sys


def wait(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def called(x):
    return x + 1


def lines_first():
    x = 1
    child = os.fork()
    x = 2
    if not child:
        x = 3
        called(x)
        os._exit(x)
    return wait(child)


def only_lines(end):
    child = os.fork()
    if child:
        return wait(child)
    else:
        end(4)


def forks():
    pid = os.fork()
    return pid


def deep(n):
    if n:
        pid = deep(n - 1)
        return pid
    return forks()


def returns_first(n):
    pid = deep(n)
    if pid:
        return wait(pid)
    n = 5
    for i in range(3):
        n += i
    os._exit(n)


def numbers():
    for i in range(2):
        yield os.fork()


def in_a_generator():
    for pid in numbers():
        if pid:
            yield wait(pid)
        else:
            os._exit(6)


def of_a_fork():
    child = os.fork()
    if child:
        return wait(child)
    second = os.fork()
    if second:
        os._exit(wait(second))
    else:
        os._exit(7)


def nothing_runs():
    pid = os.posix_spawn("/bin/true", ["true"], {})
    return wait(pid)


def to_its_end():
    child = os.fork()
    if child:
        return wait(child)
    return None


print(lines_first(), only_lines(os._exit), only_lines(lambda code: os._exit(code)), only_lines(lambda code: os.kill(os.getpid(), signal.SIGKILL)))
print(returns_first(0), returns_first(3), list(in_a_generator()), of_a_fork(), nothing_runs())
sys.stdout.flush()
child = os.fork()
if child:
    print(wait(child))
else:
    os.kill(os.getpid(), signal.SIGKILL)
sys.stdout.flush()
child = os.fork()
if child:
    print(wait(child))
else:
    os.execv("/bin/sh", ["sh", "-c", "exit 8"])
sys.stdout.flush()
code = to_its_end()
if code is None:
    sys.exit(9)
print(code)
