"""Tasks that get their names while they run; nothing that they await suspends them later."""
import asyncio
import time


async def leaf():
    return 1


async def inner():
    for _ in range(3):
        await leaf()


async def handler(n):
    await asyncio.sleep(0.01)
    asyncio.current_task().set_name(f"request-{n}")
    if n == 1:
        time.sleep(0.3)
    if n == 2:
        return 2
    await inner()
    if n == 3:
        raise LookupError


async def waits():
    asyncio.current_task().set_name("waits")
    await asyncio.sleep(3600)


async def main():
    waiting = asyncio.create_task(waits())
    await asyncio.gather(*(asyncio.create_task(handler(n)) for n in range(4)), return_exceptions=True)
    waiting._log_destroy_pending = False
    asyncio.get_running_loop().stop()
    await asyncio.sleep(3600)


loop = asyncio.new_event_loop()
first = loop.create_task(main())
first._log_destroy_pending = False
loop.run_forever()
