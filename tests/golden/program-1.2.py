"""What format 1.2 added: lines that witnesses tell, frames of code that is left out, idle waits, samples, what it cost.
Recorded with --exclude stdlib --stat."""
import _thread
import heapq
import posix
import select


def branches(n):
    odd = 0
    for i in range(n):
        if i % 2:
            odd += 1
        else:
            continue
        if i > 2:
            break
    else:
        return -1
    return odd


def numbers(n):
    while n:
        yield n
        n -= 1


def fails(x):
    try:
        return branches(x) and 1 // (x - 3)
    except ZeroDivisionError:
        return None
    finally:
        x = 0


def back(x):
    if x > 1:
        return -x
    return x


def busy():
    return sum(range(1000000))


def waits(lock):
    with lock:
        branches(3)


heapq.nsmallest(2, numbers(3), key=back)
for n in numbers(5):
    fails(n)
for n in range(4):
    busy()
poll = select.epoll()
poll.poll(0.03)
busy()
lock, done = _thread.allocate_lock(), _thread.allocate_lock()
done.acquire()
with lock:
    _thread.start_new_thread(lambda: (waits(lock), done.release()), ())
    branches(2)
done.acquire()
begun, never = posix.pipe(), posix.pipe()
killed = posix.fork()
if not killed:
    branches(7)
    posix.write(begun[1], b"1")
    if posix.read(never[0], 1):
        branches(8)
    posix._exit(4)
posix.read(begun[0], 1)
posix.kill(killed, 9)
posix.waitpid(killed, 0)
