"""Loops in several threads, a loop run within a task of another one, and asyncio.run twice."""
import asyncio
import threading
from note import note


async def work(label):
    note(label, "worker")
    await asyncio.sleep(0.001)
    note(label, "worker")


async def group(label):
    async with asyncio.TaskGroup() as g:
        for n in range(3):
            g.create_task(work(f"{label}.{n}"), name="worker")


async def inner():
    note("inner", "inner")
    await asyncio.sleep(0)
    note("inner", "inner")


async def outer():
    note("outer", "outer")
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    asyncio.tasks._leave_task(loop, task)
    asyncio._set_running_loop(None)
    other = asyncio.new_event_loop()
    other.run_until_complete(other.create_task(inner(), name="inner"))
    other.close()
    asyncio._set_running_loop(loop)
    asyncio.tasks._enter_task(loop, task)
    note("outer", "outer")
    await asyncio.sleep(0)
    note("outer", "outer")


async def main():
    await asyncio.create_task(outer(), name="outer")


for turn in range(2):
    asyncio.run(group(f"turn {turn}"))
asyncio.run(main())
threads = [threading.Thread(target=lambda n=n: asyncio.run(group(f"thread {n}"))) for n in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
