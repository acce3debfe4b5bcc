"""What else a task can run: an object that is a coroutine, an asynchronous generator's end; what it runs by hand; a name that changes;
timeouts."""
import asyncio
import collections.abc
import sys
from note import note


class Wrapped(collections.abc.Coroutine):
    def __init__(self, coroutine):
        self.coroutine = coroutine

    def send(self, value):
        return self.coroutine.send(value)

    def throw(self, *what):
        return self.coroutine.throw(*what)

    def close(self):
        return self.coroutine.close()

    def __await__(self):
        return self.coroutine.__await__()


async def wrapped(label):
    note(label, "wrapped")
    await asyncio.sleep(0)
    note(label, "wrapped")


async def by_hand(label, name):
    note(label, name)


async def numbers(label, name):
    try:
        note(label, name)
        yield 1
    finally:
        note("closes", "closes")
        await asyncio.sleep(0)
        note("closes", "closes")


async def runs():
    note("runs", "before")
    try:
        by_hand("runs", "before").send(None)
    except StopIteration:
        note("runs", "before")
    asyncio.current_task().set_name("after")
    await asyncio.sleep(0)
    note("runs", "after")
    ends = numbers("runs", "after")
    await anext(ends)
    await asyncio.create_task(ends.aclose(), name="closes")
    note("runs", "after")


async def late():
    try:
        async with asyncio.timeout(0.001):
            await asyncio.sleep(10)
    except TimeoutError:
        note("late", "late")
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.001)
    except TimeoutError:
        note("late", "late")


async def main():
    await asyncio.create_task(runs(), name="before")
    await asyncio.gather(*[asyncio.create_task(Wrapped(wrapped(n)), name="wrapped") for n in range(2)])
    await asyncio.create_task(late(), name="late")


asyncio.run(main())
sys.stdout.flush()
