# same-run
"""Coroutines, async generators, tasks, cancellation, groups, timeouts, queues, an executor."""
import asyncio

def drive2():
    return [i for i in range(3)]
class AI:
    def __init__(self, n): self.n = n
    def __aiter__(self): return self
    async def __anext__(self):
        self.n -= 1
        if self.n < 0: raise StopAsyncIteration
        if self.n & 1: await asyncio.sleep(0)
        return self.n
class AC:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return self
    async def __aexit__(self, *a):
        await asyncio.sleep(0)
        return a[0] is KeyError
async def ag(n):
    for i in range(n):
        try:
            yield i
            await asyncio.sleep(0)
        except ValueError:
            yield 'v'
        finally:
            await asyncio.sleep(0)
async def co(n):
    t = 0
    async for i in AI(n):
        if i == 1: continue
        t += i
    else:
        t += 1
    async with AC() as a, AC():
        if n == 2: raise KeyError
        t += 1
    async for x in ag(n):
        if x == 2: break
        t += x
    r = [x async for x in ag(3)]
    r2 = {x: [y async for y in ag(2)] async for x in AI(3) if x}
    r3 = [await aw(x)
          for x in range(3)]
    r4 = [x async for x in (y async for y in ag(2))]
    g = ag(4)
    await g.__anext__()
    try: await g.athrow(ValueError)
    except ValueError: pass
    await g.aclose()
    try:
        async with AC():
            raise ValueError
    except ValueError:
        t += 1
    finally:
        await aw(1)
    return t
async def aw(x):
    if x & 1: await asyncio.sleep(0)
    return x
async def canc():
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        await aw(1)
        raise
    finally:
        await aw(2)
async def main():
    asyncio.get_running_loop().slow_callback_duration = 3600   # -X dev would tell what took long on this machine
    await asyncio.gather(*(co(i) for i in range(5)))
    t = asyncio.create_task(canc())
    await asyncio.sleep(0)
    t.cancel()
    try: await t
    except asyncio.CancelledError: pass
    async with asyncio.TaskGroup() as tg:
        tg.create_task(aw(1)); tg.create_task(co(3))
    try:
        async with asyncio.timeout(0.001):
            await asyncio.sleep(1)
    except TimeoutError: pass
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(canc())
            await asyncio.sleep(0)
            raise OSError
    except* OSError: pass
    q = asyncio.Queue(1)
    async def prod():
        for i in range(5): await q.put(i)
        await q.put(None)
    async def cons():
        while (x := await q.get()) is not None: pass
    await asyncio.gather(prod(), cons())
    await asyncio.get_running_loop().run_in_executor(None, drive2)
for _ in range(3):
    asyncio.run(main())
