# same-run
"""Eager tasks, named tasks, tasks within tasks, context variables, async generators that the loop must close."""
import asyncio
import contextvars
import sys

var = contextvars.ContextVar("var", default=0)
said = []


async def leaf(n):
    var.set(n)
    if n % 2:
        await asyncio.sleep(0)
    said.append((asyncio.current_task().get_name(), n, var.get()))
    return n


async def numbers(n):
    try:
        for i in range(n):
            yield i
            await asyncio.sleep(0)
    finally:
        said.append("closed")


async def left_open():
    async for x in numbers(5):
        if x == 2:
            break
    return [y async for y in numbers(3)]


async def cancelled():
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        said.append("cancelled")
        await leaf(1)
        raise


async def failing(n):
    await asyncio.sleep(0)
    raise [KeyError, ValueError, OSError][n](n)


async def main():
    asyncio.get_running_loop().slow_callback_duration = 3600   # -X dev would tell what took long on this machine
    tasks = [asyncio.create_task(leaf(i), name="leaf %d" % i) for i in range(6)]
    said.append(await asyncio.gather(*tasks))
    said.append(await left_open())
    victim = asyncio.create_task(cancelled(), name="victim")
    await asyncio.sleep(0)
    victim.cancel("why")
    said.append([type(x).__name__ for x in await asyncio.gather(victim, leaf(8), return_exceptions=True)])
    try:
        async with asyncio.TaskGroup() as group:
            for i in range(3):
                group.create_task(failing(i), name="failing %d" % i)
            group.create_task(cancelled())
    except* KeyError as e:
        said.append(len(e.exceptions))
    except* (ValueError, OSError) as e:
        said.append(len(e.exceptions))
    try:
        await asyncio.wait_for(asyncio.Event().wait(), 0.001)
    except TimeoutError:
        said.append("timeout")
    done, pending = await asyncio.wait([asyncio.ensure_future(leaf(i)) for i in range(4)])
    said.append((len(done), len(pending)))
    lock, condition = asyncio.Lock(), asyncio.Condition()
    async with lock, condition:
        condition.notify_all()
    asyncio.create_task(cancelled(), name="left behind")
    keep.append(numbers(3))
    await anext(keep[-1])


keep = []


async def eagerly():
    asyncio.get_running_loop().slow_callback_duration = 3600   # -X dev would tell what took long on this machine
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    await main()


asyncio.run(main())
if sys.version_info >= (3, 12):
    asyncio.run(eagerly())
print([x for x in said if not isinstance(x, tuple)])
print(sorted(repr(x) for x in said if isinstance(x, tuple) and not str(x[0]).startswith("Task-")))
