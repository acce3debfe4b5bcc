"""Tasks of one name, one after the other: the next one lies where the last one lay. And many at once."""
import asyncio
from note import note


async def work(n):
    note(n, "same")
    await asyncio.sleep(0)
    note(n, "same")


async def at_once(n):
    note(n, "many")
    await asyncio.sleep(0)
    note(n, "many")


async def main():
    for n in range(300):
        await asyncio.create_task(work(n), name="same")
    async with asyncio.TaskGroup() as group:
        for n in range(1000, 1300):
            group.create_task(at_once(n), name="many")


asyncio.run(main())

