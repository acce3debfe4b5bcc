"""Greenlets within a task, as database drivers have them, and by themselves."""
import asyncio
import greenlet
from note import note


def within():
    note("greenlet", "Greenlet-2")
    main.switch()
    note("greenlet", "Greenlet-2")


async def work(label):
    note(label, "worker")
    await asyncio.sleep(0)
    note(label, "worker")


async def run():
    global main
    main = greenlet.getcurrent()
    note("task", "Task-1")
    g = greenlet.greenlet(within)
    g.switch()
    note("task", "Task-1")
    await asyncio.sleep(0)
    g.switch()
    note("task", "Task-1")
    await asyncio.gather(*[asyncio.create_task(work(n), name="worker") for n in range(2)])


asyncio.run(run())
