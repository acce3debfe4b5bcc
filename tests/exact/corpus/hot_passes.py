# two-runs
"""Loops on one line that are hot: of all kinds, with calls and yields in them, left by exceptions, while others listen and go again."""
import asyncio
import signal
import sys

ROUNDS = 400


def comprehensions(of):
    a = [x for x in of]; b = {x for x in of if x & 1}; c = {x: -x for x in of}; d = [(x, y) for x in of for y in of[:3] if x != y]
    e = [[y for y in range(x % 4)] for x in of]; f = [odd(x) for x in of]; g = [x
         for x in of]
    return a, b, c, d, e, f, g


def odd(x):
    return x & 1


def whiles(n):
    while n: n -= 1
    while True: n += 1; n = n if n < 40 else leave(n)


def leave(n):
    raise ValueError(n)


def fors(of):
    for x in of: pass
    for x in of: odd(x); odd(-x)
    for x in of: x if x & 1 else -x
    for x in of: [y for y in of[:x % 3]]
    for x in of: continue
    for x in of: odd(x) and leave(x)


def long_body(n):
    while n: n -= 1; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n; n + n * n - n
    return n


def generator(of):
    for x in of: yield x
    for x in of: yield from (y for y in range(x % 3))
    while True: x = yield; sum(y for y in range(x or 0))


def drive(of):
    g = generator(of)
    got = [next(g) for _ in of] + [next(g) for _ in of]
    for x in of[:5]: g.send(x) if x else next(g)
    try: g.throw(KeyError)
    except KeyError: pass
    return got, list(x for x in of), sum(x for x in of if x & 1), any(x > 30 for x in of)


async def soon(x):
    return x


async def counted(n):
    for x in range(n): yield x


async def awaits(of):
    a = [await soon(x) for x in of]; b = [x async for x in counted(20)]
    for x in of: await soon(x)
    for x in of[:4]: await asyncio.sleep(0)
    return a, b


def recursive(n):
    for x in (0, 1): n and recursive(n - 1)
    return [recursive(m) for m in range(n - 2)]


def raises_within(of):
    """Out of a callee, of the loop itself, of what it goes over, and a handler of a signal that runs in it."""
    for x in of: odd(x)
    for at in (3, 30):
        try:
            for x in of: x != at or leave(x)
        except ValueError: pass
        try: [1 // (at - x) for x in of]
        except ZeroDivisionError: pass
        try: sum(leave(x) if x == at else x for x in of)
        except ValueError: pass
    for x in of: x % 9 or signal.raise_signal(signal.SIGUSR1)


def heard(signum, frame):
    return [x for x in range(3)]


def listened_to(of, tool):
    """Another tool hears of jumps, or of instructions, for a while; or all is heard anew."""
    events = sys.monitoring.events
    for event in (events.JUMP, events.INSTRUCTION, events.LINE, 0):
        for x in of: odd(x)
        sys.monitoring.set_events(tool, event)
        for x in of: x if x & 1 else -x
        [odd(x) for x in of if x % 20 or sys.monitoring.restart_events() is None]
        sys.monitoring.set_events(tool, 0)
        for x in of: pass


def traced(of):
    """A trace function comes in the midst of a loop."""
    def tracer(frame, event, arg):
        return tracer
    for x in of: x == 20 and sys.settrace(tracer)
    for x in of: odd(x)
    sys.settrace(None)
    for x in of: odd(x)


def main():
    of = list(range(40))
    signal.signal(signal.SIGUSR1, heard)
    for n in range(ROUNDS):
        comprehensions(of if n % 3 else tuple(of))
        try: whiles(n % 50)
        except ValueError: pass
        try: fors(of if n % 5 else range(3, 3 + n % 40))
        except ValueError: pass
        long_body(n % 7)
        if n % 10 == 0:
            drive(of)
            raises_within(of)
        if n % 50 == 0:
            asyncio.run(awaits(of))
    recursive(6)
    if hasattr(sys, "monitoring"):
        tool = next(t for t in (1, 0, 2) if sys.monitoring.get_tool(t) is None)
        sys.monitoring.use_tool_id(tool, "another")
        for event in (sys.monitoring.events.JUMP, sys.monitoring.events.INSTRUCTION, sys.monitoring.events.LINE):
            sys.monitoring.register_callback(tool, event, lambda *args: None)
        listened_to(of, tool)
        sys.monitoring.free_tool_id(tool)
        traced(of)


main()
