"""eventlet: a patched server, pools of green threads, queues, timeouts, and its pool of threads."""
import eventlet
eventlet.monkey_patch()

import time

from eventlet import event, greenpool, queue, tpool
from eventlet.green import socket


def answer(connection):
    f = connection.makefile("rwb")
    for line in f:
        f.write(line[::-1].strip() + b"\n")
        f.flush()
    f.close()
    connection.close()


def serve(listener, pool, count):
    for _ in range(count):
        connection, _ = listener.accept()
        pool.spawn_n(answer, connection)


def ask(port, n):
    with socket.create_connection(("127.0.0.1", port)) as s:
        f = s.makefile("rwb")
        for i in range(3):
            f.write(b"%d and %d\n" % (n, i))
            f.flush()
            last = f.readline()
            time.sleep(0.001)
        f.close()
        return last


def served():
    listener = eventlet.listen(("127.0.0.1", 0))
    pool = greenpool.GreenPool(10)
    pool.spawn_n(serve, listener, pool, 6)
    clients = greenpool.GreenPool(3)
    said = sorted(clients.imap(ask, [listener.getsockname()[1]] * 6, range(6)))
    pool.waitall()
    return said


def fails():
    eventlet.sleep(0)
    raise LookupError("on purpose")


def ends():
    failing, killed = eventlet.spawn(fails), eventlet.spawn(eventlet.sleep, 100)
    eventlet.sleep(0)
    killed.kill()
    try:
        failing.wait()
    except LookupError as e:
        said = repr(e)
    with eventlet.Timeout(0.002, False):
        eventlet.sleep(50)
    return said, killed.dead


def events():
    q, box = queue.Queue(2), event.Event()

    def produce():
        for i in range(6):
            q.put(i)
        q.put(None)
        box.send("done")
    eventlet.spawn_after(0.001, produce)
    return list(iter(q.get, None)), box.wait()


def in_real_thread(x):
    return sum(range(x))


def threads():
    return [tpool.execute(in_real_thread, 100 * i) for i in range(4)]


if __name__ == "__main__":
    for f in (served, ends, events, threads):
        print(f.__name__, f())
    tpool.killall()
