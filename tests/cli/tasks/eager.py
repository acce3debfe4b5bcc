"""Eager tasks run within their parent's stack: nested, named, with a wait or not."""
import asyncio
from note import note


async def leaf(label, name):
    note(label, name)
    return label


async def waits(label, name):
    note(label, name)
    await asyncio.sleep(0)
    note(label, name)


async def parent(label, name):
    note(label, name)
    task = asyncio.Task(leaf(label + ".1", name + "-1"), name=name + "-1", eager_start=True, loop=asyncio.get_running_loop())
    note(label, name)
    other = asyncio.Task(waits(label + ".2", name + "-2"), name=name + "-2", eager_start=True, loop=asyncio.get_running_loop())
    note(label, name)
    await other
    note(label, name)
    await task


async def main():
    asyncio.current_task().set_name("main")
    await asyncio.sleep(0)
    note("main", "main")
    tasks = [asyncio.Task(parent(f"p{n}", f"parent {n}"), name=f"parent {n}", eager_start=True, loop=asyncio.get_running_loop())
             for n in range(3)]
    note("main", "main")
    await asyncio.gather(*tasks)
    note("main", "main")
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    await asyncio.create_task(waits("factory", None))
    note("main", "main")


asyncio.run(main())
