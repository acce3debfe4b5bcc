"""What format 1.9 added: numbers of tasks, texts as Python decoded them, and the gap `tools`."""
import asyncio
import sys

with open("latin.py", "wb") as f:
    f.write("# coding: latin-1\nWORD = 'äöü'\n".encode("latin-1"))
sys.path.insert(0, ".")
import latin  # noqa: E402


async def inner():
    await asyncio.sleep(0)
    return latin.WORD


async def work(n):
    for _ in range(n):
        await inner()


async def main():
    await asyncio.gather(*[asyncio.create_task(work(n), name="same") for n in (1, 2)])


def unheard():
    return 1


def heard():
    return 2


asyncio.run(main())
m = sys.monitoring
for i in range(6):
    try:
        m.use_tool_id(i, "mine")
    except ValueError:
        pass
unheard()
for i in range(6):
    if m.get_tool(i) == "mine":
        m.free_tool_id(i)
heard()
