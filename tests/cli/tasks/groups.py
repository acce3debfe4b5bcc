"""anyio's groups, on asyncio and on trio."""
import sys
import anyio
from note import note


async def child(label, name):
    note(label, name)
    await anyio.sleep(0)
    note(label, name)


async def main(backend):
    async with anyio.create_task_group() as group:
        for n in range(3):
            group.start_soon(child, f"{backend} {n}", "child", name="child")


for backend in sys.argv[1:]:
    anyio.run(main, backend, backend=backend)
