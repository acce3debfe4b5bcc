"""Trio's tasks."""
import trio
from note import note


async def child(label, name):
    note(label, name)
    await trio.sleep(0)
    note(label, name)


async def main():
    note("main", "__main__.main")
    async with trio.open_nursery() as nursery:
        for n in range(3):
            nursery.start_soon(child, n, "child", name="child")
        nursery.start_soon(child, "plain", "__main__.child")
    note("main", "__main__.main")


trio.run(main)
