"""A little of everything that a recording can hold. What the golden recordings are of."""
import _thread
import posix


class Trouble(Exception):
    pass


def numbers(n):
    try:
        for i in range(n):
            yield i
    finally:
        n = 0


def fails(x):
    try:
        return 1 // x
    except ZeroDivisionError:
        raise Trouble(x)


def work():
    g = numbers(5)
    next(g)
    try:
        g.throw(KeyError("k"))
    except KeyError:
        pass
    for x in numbers(4):
        try:
            fails(x % 2)
        except Trouble:
            pass


async def inner():
    return 1


async def outer():
    return await inner() + 1


def deep(n):
    return n and deep(n - 1)


try:
    outer().send(None)
except StopIteration as stop:
    value = stop.value
done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(lambda: (work(), done.release()), ())
done.acquire()
child = posix.fork()
if not child:
    work()
    posix._exit(7)
posix.waitpid(child, 0)
deep(50)
exec("a = 1\nb = [i for i in range(3)]")
killed = posix.fork()
if not killed:
    posix.kill(posix.getpid(), 9)
posix.waitpid(killed, 0)
work()
