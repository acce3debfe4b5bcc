"""gevent: a patched socket server with a pool, timeouts, events, queues, kills, and its pool of
threads."""
from gevent import monkey
monkey.patch_all()

import socket
import threading
import time

import gevent
import gevent.event
import gevent.pool
import gevent.queue
import gevent.server
import gevent.threadpool


def answer(connection, address):
    with connection.makefile("rwb") as f:
        for line in f:
            gevent.sleep(0)
            f.write(line.upper())
            f.flush()


def ask(port, n):
    with socket.create_connection(("127.0.0.1", port)) as s, s.makefile("rwb") as f:
        said = []
        for i in range(3):
            f.write(b"client %d line %d\n" % (n, i))
            f.flush()
            said.append(f.readline())
            time.sleep(0.001)
        return said


def served():
    server = gevent.server.StreamServer(("127.0.0.1", 0), answer, spawn=gevent.pool.Pool(4))
    server.start()
    clients = [gevent.spawn(ask, server.server_port, n) for n in range(8)]
    gevent.joinall(clients, raise_error=True)
    server.stop()
    return sorted(b"".join(c.value).decode() for c in clients)[0]


def fails():
    gevent.sleep(0)
    raise LookupError("on purpose")


def waits(log):
    try:
        gevent.sleep(100)
    finally:
        log.append("ended")


def ends():
    log = []
    failing, killed = gevent.spawn(fails), gevent.spawn(waits, log)
    failing.link(lambda g: log.append(repr(g.exception)))
    gevent.sleep(0.001)
    killed.kill()
    failing.join()
    gevent.sleep(0)
    with gevent.Timeout(0.002, False):
        gevent.sleep(50)
    return log, killed.value.__class__.__name__


def events():
    ready, box, queue = gevent.event.Event(), gevent.event.AsyncResult(), gevent.queue.Queue(2)

    def produce():
        ready.wait()
        for i in range(6):
            queue.put(i)
        queue.put(None)
        box.set("done")
    maker = gevent.spawn(produce)
    gevent.spawn_later(0.001, ready.set)
    return list(iter(queue.get, None)), box.get(), maker.ready()


def in_real_thread(x):
    return sum(range(x)), threading.current_thread() is not None


def pools():
    pool = gevent.threadpool.ThreadPool(2)
    values = [r.get() for r in [pool.spawn(in_real_thread, 1000 * i) for i in range(4)]]
    values += gevent.pool.Pool(3).map(lambda x: (gevent.sleep(0), x * x)[1], range(5))
    values += list(gevent.get_hub().threadpool.imap(in_real_thread, [1, 2]))
    pool.kill()
    return values


def patched():
    lock, done = threading.Lock(), []

    def work(i):
        with lock:
            time.sleep(0.001)
            done.append(i)
    ts = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    return sorted(done)


def renamed():
    g = gevent.spawn(gevent.sleep, 0)
    g.name = "my greenlet"
    h = gevent.spawn(lambda: [gevent.sleep(0) for _ in range(3)])
    h.name = "named by hand"
    gevent.joinall([g, h])


if __name__ == "__main__":
    for f in (served, ends, events, pools, patched, renamed):
        print(f.__name__, f())
