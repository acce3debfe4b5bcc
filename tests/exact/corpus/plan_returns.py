# two-runs min=3.12
"""Hot code whose seldom returns are told in place of lines that often run; coroutines and generators that are reoptimized while others of
them wait; and who begins to hear of such returns when they are told already."""
import _queue
import _thread
import sys
import types
import weakref


class Reader:
    """As asyncio's: conditions without an else."""

    def __init__(self):
        self.waiter = None
        self.transport = None
        self.paused = False
        self.buffer = []

    def wake(self):
        waiter = self.waiter
        if waiter is not None:
            self.waiter = None
            if not waiter.done:
                waiter.done = True

    def feed(self, data):
        if not data:
            return
        self.buffer.append(data)
        self.wake()
        if (self.transport is not None and
                not self.paused and
                len(self.buffer) > 4):
            try:
                self.transport.append(data)
            except AttributeError:
                self.transport = None
            else:
                self.paused = True

    def is_full(self):
        return (len(self.buffer) > 3
                and self.paused)


class Waiter:
    done = False


@types.coroutine
def pause(value):
    got = yield value
    if got:
        return got


async def helper(reader):
    if not reader.paused:
        return
    await pause(1)


async def read(reader, n):
    total = 0
    while n:
        n -= 1
        if reader.waiter:
            reader.wake()
        if reader.paused:
            total += await pause(n) or 0
        await helper(reader)
        if total > 10 ** 9:
            break
    return total


async def client(reader, n):
    try:
        got = await read(reader, n)
    except KeyError:
        return -1
    finally:
        n = 0
    if got:
        return got


def step(coroutine, value=None):
    try:
        return coroutine.send(value)
    except StopIteration as e:
        return ("over", e.value)


def run(coroutine):
    steps, value = 0, None
    while not isinstance(step(coroutine, value), tuple):
        steps += 1
        value = steps % 3
    return steps


def given(n, odd):
    for i in range(n):
        if odd and i & 1:
            yield i
        elif not odd:
            if i % 3:
                yield -i
    if n == 7:
        yield "seven"


def flat(n, key):
    """Recurs, and mostly falls off its end."""
    if n:
        flat(n - 1, key)
        if key == n:
            flat(0, key)


def bottom(count, key):
    """Of a thread it is the bottom frame, and called often elsewhere."""
    if count:
        if key:
            if count == key:
                count = 0


def work(token):
    for i in range(1500):
        bottom(i % 3, i % 2)
        flat(2, i % 4)
    bottom(1, 1)


reader = Reader()
early = [client(reader, 3) for i in range(3)], [given(9, i & 1) for i in range(3)]
reader.paused = True
print([step(c) for c in early[0]], [next(g) for g in early[1]])
reader.paused = False
for i in range(3000):
    reader.waiter = Waiter()
    reader.feed(b"abc")
    reader.buffer.clear()
    reader.is_full()
print(run(client(reader, 2000)), len([run(client(reader, 2)) for i in range(1500)]))
print([len(list(given(8, i & 1))) for i in range(600)][-2:], [list(g) for g in early[1]], list(given(7, True)))
# Seldom ones.
reader.wake()
reader.waiter = Waiter()
reader.waiter.done = True
reader.wake()
reader.feed(b"")
reader.transport, reader.buffer = [], [1] * 5
reader.feed(b"x")
print(reader.paused, reader.is_full())
reader.transport = 3
reader.paused = False
reader.feed(b"y")
reader.paused = True
print([step(c, 1) for c in early[0][:2]], early[0][2].close(), run(client(reader, 5)))
thrown = client(reader, 5)
step(thrown)
try:
    thrown.throw(KeyError("thrown"))
except StopIteration as e:
    print(e.value)
for i in range(2500):
    flat(3, i % 5)
    bottom(i % 7, i % 5)
sys.setswitchinterval(1e-5)
tokens, ended = [set() for i in range(3)], _queue.SimpleQueue()
tells = [weakref.ref(token, ended.put) for token in tokens]
while tokens:
    _thread.start_new_thread(work, (tokens.pop(),))
for tell in tells:
    ended.get()


class Count:
    """Is deleted when the thread that has it is over."""

    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return bool(self.value)

    def __eq__(self, other):
        return self.value == other


for value in (0, 1, 2):
    count = Count(value)
    tell = weakref.ref(count, ended.put)
    _thread.start_new_thread(bottom, (count, 2))
    del count
    ended.get()

# They are heard by others from now on.
heard = []


def look(code, *more):
    if code is Reader.wake.__code__ or code is bottom.__code__ or code is read.__code__:
        heard.append(code.co_name)


def seldom_again():
    reader.waiter = None
    reader.wake()
    reader.waiter = Waiter()
    reader.wake()
    for i in range(4):
        bottom(i, 2)
        flat(i, 1)
    reader.paused = False
    run(client(reader, 2))


if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id(2, "looks")
    sys.monitoring.register_callback(2, sys.monitoring.events.PY_RETURN, look)
    sys.monitoring.set_events(2, sys.monitoring.events.PY_RETURN)
    for i in range(3):
        seldom_again()
    sys.monitoring.set_events(2, 0)
    sys.monitoring.free_tool_id(2)
    print(len(heard))
seldom_again()


def profile(frame, event, arg):
    if event == "return":
        heard.append(event)


sys.setprofile(profile)
seldom_again()
sys.setprofile(None)
seldom_again()


def trace(frame, event, arg):
    return trace


sys.settrace(trace)
seldom_again()
sys.settrace(None)
seldom_again()
print(reader.waiter, len(heard) > 3)
