"""Tasks that wait, and then block: of each, for how many ns it waited, and whether it blocks."""
import asyncio
import json
import time

measured = []


async def work(seconds, block):
    begun = time.monotonic_ns()
    await asyncio.sleep(seconds)
    resumed = time.monotonic_ns()
    measured.append([asyncio.current_task().get_name(), resumed - begun, block > 0])
    time.sleep(block)


async def main():
    times = (0.05, 0.1), (0.3, 0.1), (0.6, 0.2), (0.9, 0)
    await asyncio.gather(*[asyncio.create_task(work(*pair), name=f"sleeps {pair[0]}") for pair in times])


asyncio.run(main())
print(json.dumps(measured), end="")
