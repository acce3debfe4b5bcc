"""asyncio without its C part, with a class of tasks whose own attributes must not be asked."""
import sys
sys.modules["_asyncio"] = None
import asyncio
from note import note

asked = []


class Odd(asyncio.Task):
    def __getattr__(self, name):
        asked.append(name)
        raise AttributeError(name)

    def get_name(self):
        asked.append("get_name")
        return "?"


async def work(n):
    name = ("worker", "worker", "other")[n]
    note(n, name)
    await asyncio.sleep(0)
    note(n, name)


async def main():
    note("main", "Task-1")
    asyncio.get_running_loop().set_task_factory(lambda loop, coroutine, **more: Odd(coroutine, loop=loop, **more))
    tasks = [Odd(work(n), name=("worker", "worker", "other")[n]) for n in range(3)]
    del asked[:]
    await asyncio.gather(*tasks)
    note("main", "Task-1")


asyncio.run(main())
print(asked, file=sys.stderr)
