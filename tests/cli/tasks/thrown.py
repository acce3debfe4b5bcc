"""What is thrown into a task that awaits through asynchronous generators is of that task."""
import asyncio


async def leaf(swallow):
    try:
        await asyncio.get_running_loop().create_future()
    except asyncio.CancelledError:
        await asyncio.sleep(0)
        if not swallow:
            raise


async def items(depth, swallow):
    try:
        if depth:
            async for item in items(depth - 1, swallow):
                yield item
        else:
            await leaf(swallow)
            yield depth
    finally:
        await asyncio.sleep(0)


async def outer(depth, swallow):
    return [item async for item in items(depth, swallow)]


async def main():
    tasks = [asyncio.create_task(outer(depth, swallow), name=f"outer {depth} {swallow}")
             for depth in range(3) for swallow in (False, True)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)

asyncio.run(main())
