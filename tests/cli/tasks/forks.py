"""A process forked within a task goes on in that task."""
import asyncio
import os
import sys
from note import log, note, tell


async def deeper(label):
    pid = os.fork()
    if not pid:
        log.clear()
        note(label, "forks")
        tell()
        os._exit(0)
    os.waitpid(pid, 0)
    del log[:]
    note(label, "forks")


async def forks():
    await asyncio.sleep(0)
    await deeper("forks")


async def main():
    await asyncio.create_task(forks(), name="forks")


asyncio.run(main())
