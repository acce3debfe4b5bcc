"""What format 1.4 added: resumes that are known, times and switches apart from the other events, blocks in chains. The waits are longer
than the age at which a block is cut."""
import _thread
import time


def numbers(n):
    while n:
        yield n
        n -= 1


def pairs(n):
    for first in numbers(n):
        yield first
        yield -first


async def inner(n):
    return n


async def outer(n):
    total = 0
    for i in range(n):
        total += await inner(i)
    return total


def run(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value


def work(n):
    total = 0
    for i in pairs(n):
        total += i
    return total + run(outer(n))


def other(lock):
    for _ in range(3):
        time.sleep(0.01)
        work(3)
    lock.release()


done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(other, (done,))
for _ in range(4):
    work(20)
    time.sleep(0.4)
done.acquire()
