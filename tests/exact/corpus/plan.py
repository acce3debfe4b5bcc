# two-runs
"""Hot code that is reoptimized: what ran often runs no more, while frames of it wait, raise, recur and run in other threads."""
import _queue
import _thread
import gc
import sys
import weakref


class Transport:
    """As asyncio's: most calls take the way that looks rare."""

    def __init__(self):
        self.eof = False
        self.buffer = []
        self.lost = 0

    def write(self, data):
        if not isinstance(data, (bytes, bytearray)):
            raise TypeError("bytes")
        if self.eof:
            raise RuntimeError("eof")
        if not data:
            return None
        if self.lost:
            if self.lost > 3:
                self.eof = True
            self.lost += 1
            return "lost"
        if not self.buffer:
            try:
                n = self.send(data)
            except BlockingIOError:
                n = 0
            else:
                data = data[n:]
                if not data:
                    return None
        self.buffer.append(data)
        return "kept"

    def send(self, data):
        if len(data) > 8:
            raise BlockingIOError
        return len(data) - (data[0] == 7)


def tries(transport, data):
    try:
        return transport.write(data)
    except (TypeError, RuntimeError) as e:
        return type(e).__name__


def deep(n, key):
    """Is on the stack nearly always."""
    if key < 0:
        return 0
    if key == 0:
        total = 1
    elif key == 1:
        total = 2
    else:
        total = 3
    if n:
        total += deep(n - 1, (key + 1) % 3)
    if total > 10 ** 6:
        return -1
    return total


def around(call, value):
    """Calls itself through what it is given, so a frame of it may be reoptimized above another."""
    if value is None:
        return None
    if value < 0:
        return call(-value)
    if value > 1000:
        result = call(1)
    else:
        result = value
    if result is None:
        return 0
    return result


def given(kind):
    if kind == 0:
        yield 0
        return
    for i in range(3):
        if kind == i:
            yield i
        elif kind > i:
            yield -i
        else:
            continue
    yield kind


def branches(a, b, c):
    x = 0
    if a:
        x += 1
    else:
        x += 2
    if b:
        x += 4
    else:
        x += 8
    if c:
        x += 16
    else:
        x += 32
    return x


def work(out, n, token):
    total = 0
    for i in range(n):
        total += branches(i % 2, i % 3, i % 97)
    out.append(total)


t = Transport()
print({str(tries(t, b"abc")) for i in range(3000)}, tries(t, "x"), tries(t, b""), tries(t, b"\x07bc"), tries(t, b"more"))
t.buffer.clear()
print(tries(t, b"a long one that blocks"), len(t.buffer))
t.buffer.clear()
t.lost = 1
print([tries(t, b"z") for i in range(6)])
t = Transport()
print({str(tries(t, b"abc")) for i in range(2000)}, tries(t, b"0123456789"))
sys.setrecursionlimit(3000)
print([deep(n, n % 3) for n in range(0, 300, 7)], deep(3, -1))
print(sum(around(lambda v: around(abs, v), i - 5) for i in range(2500)), around(lambda v: around(lambda w: None, 2000), 3000))
print([sum(v for k in range(400) for v in given(k % m)) for m in (1, 2, 5)])
print(sum(branches(1, 1, 1) for i in range(3000)), sum(branches(i % 2, i % 5, i % 7) for i in range(3000)))
# A thread has ended when nobody has its token any more; that work() has come to its last line is not enough.
sums, tokens, ended = [], [set() for i in range(3)], _queue.SimpleQueue()
tells = [weakref.ref(token, ended.put) for token in tokens]
sys.setswitchinterval(1e-5)
while tokens:
    _thread.start_new_thread(work, (sums, 4000, tokens.pop()))
for tell in tells:
    ended.get()
print(len(set(sums)), sums[0])


def kept(x, memo=None):
    """Called more often than its new plan is waited for, from a call that goes on: it begins with what is looked up, and at two of its lines."""
    d = id(x)
    if memo is None:
        memo = {}
    else:
        y = memo.get(d)
        if y is not None:
            return y
    if isinstance(x, list):
        y = []
        for v in x:
            y.append(kept(v, memo))
    else:
        y = (x,)
    memo[d] = y
    return y


tree = [1]
for i in range(60):
    tree = [tree, i, [str(k) for k in range(60)], tree]
print(len(kept(tree)), len(kept(tree)))


class Cycle:
    def __del__(self):
        self.gone = True


def interrupted(made, kind):
    """Garbage is collected as it begins (3.12), so it calls before its own call is told; also the time that its new plan is to begin with."""
    if made:
        x = 9
    else:
        x = 0
    if kind == 0:
        x += 1
    elif kind == 1:
        x += 2
    elif kind == 2:
        x += 3
    else:
        x += 4
    return x


gc.disable()
gc.set_threshold(1)
for often in (3, 1, 2, 0):
    total = 0
    for i in range(2500):
        cycle = Cycle()
        cycle.itself = cycle
        cycle = None
        gc.enable()
        total += interrupted({i}, i % 97 % 4 if i % 97 < 5 else often)
        gc.disable()
    print(total)
