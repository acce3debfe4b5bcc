"""What format 1.1 added: passes of loops on one line, and greenlets. /srv/packages has the greenlet module."""
import _imp
import _thread
import posix
import sys


class Spec:
    """The C module alone: the import machinery is ten times the rest."""
    name = "greenlet._greenlet"
    origin, = ["/srv/packages/greenlet/" + file for file in posix.listdir("/srv/packages/greenlet")
               if file.startswith("_greenlet.c") and file.endswith(".so")]


sys.modules["greenlet"] = greenlet = _imp.create_dynamic(Spec)
_imp.exec_dynamic(greenlet)


class Trouble(Exception):
    pass


def passes(x):
    while x: x -= 1
    squares = [i * i for i in range(4)]
    total = sum(i for i in range(3))
    for i in range(3): total += i
    while True:
        try: x += 1; x < 3 or squares[x * 9]
        except IndexError: break
    return total + len(squares)


def deeper(n, leave):
    if n:
        return deeper(n - 1, leave) + 1
    return leave("from below")


def numbers(leave):
    for i in range(2):
        leave(i)
        yield i


def body(leave):
    got = deeper(3, lambda value: leave(value) or 0)
    for i in numbers(leave):
        got += passes(i)
    try:
        leave("last")
    except Trouble:
        leave("caught")
    return got


def greenlets():
    leave = greenlet.getcurrent().switch
    some = [greenlet.greenlet(body) for _ in range(3)]
    for g in some:
        g.switch(leave)
    for _ in range(3):
        for g in reversed(some):
            g.switch(0)
    some[0].throw(Trouble)
    some[1].throw(greenlet.GreenletExit)
    nested = greenlet.greenlet(lambda: greenlet.greenlet(lambda: passes(2)).switch())
    nested.switch()
    passes(1)


passes(5)
greenlets()
done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(lambda: (greenlets(), done.release()), ())
done.acquire()
