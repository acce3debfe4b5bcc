"""uvloop: what runs a step is not Python."""
import asyncio
import uvloop
from note import note


async def work(label):
    note(label, "worker")
    await asyncio.sleep(0)
    note(label, "worker")


async def main():
    async with asyncio.TaskGroup() as group:
        for n in range(3):
            group.create_task(work(n), name="worker")


uvloop.run(main())
