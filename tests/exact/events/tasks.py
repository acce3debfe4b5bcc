"""Tasks with names: the program writes down whose turn it is at each call of note(), plain and eager, nested and renamed."""
import asyncio
import json
import sys

log = []


def note(n):
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    log.append(task.get_name() if task else None)


async def leaf(n):
    note(n)
    await asyncio.sleep(0)
    note(n)


async def numbers(n):
    for i in range(n):
        note(i)
        yield i
        await asyncio.sleep(0)


async def work(n):
    note(n)
    await leaf(n)
    async for x in numbers(2):
        note(x)
    if n % 2:
        await asyncio.gather(*(asyncio.create_task(leaf(i), name="leaf %d of %d" % (i, n)) for i in range(3)))
    note(n)


async def renamed():
    await asyncio.sleep(0)
    asyncio.current_task().set_name("another name")
    await asyncio.sleep(0)
    note(1)


async def main():
    note(0)
    async with asyncio.TaskGroup() as group:
        for i in range(5):
            group.create_task(work(i), name="worker\t%d \u00e9" % i)
        group.create_task(leaf(9))
        group.create_task(renamed(), name="old name")
    await asyncio.wait_for(leaf(3), 5)
    asyncio.get_running_loop().call_soon(note, 5)
    await asyncio.sleep(0)


async def eagerly():
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    await main()


note(0)
asyncio.run(main())
if sys.version_info >= (3, 12):
    asyncio.run(eagerly())
json.dump(log, sys.stdout)
