"""A small order service, with a bug that only the order of lines shows.

Clients send orders over loopback. A pool of worker threads prices and books each order against the stock, an audit
thread writes down what was sold. At the end the books are compared with the audit, and they do not add up:

    python examples/orders.py            # the symptom
    make try                             # the cause
"""
import asyncio
import concurrent.futures
import json
import queue
import random
import threading
import time

CLIENTS, ORDERS, WORKERS = 6, 30, 4
PRICES = {"anvil": 30, "rocket": 250, "magnet": 12}

stock = {"anvil": 60, "rocket": 60, "magnet": 60}
at_start = dict(stock)
audit_queue = queue.Queue()
sold = []


class SoldOut(Exception):
    pass


def ask_price(item, count):
    """The price list is somewhere else; asking takes a moment."""
    time.sleep(0.01)
    discount = 0.9 if count > 1 else 1.0
    return PRICES[item] * count * discount


def book(order):
    """In a worker thread: price the order and take it out of the stock."""
    item, count = order["item"], order["count"]
    left = stock[item]
    if left < count:
        raise SoldOut(item)
    cost = ask_price(item, count)
    stock[item] = left - count
    audit_queue.put((item, count, cost))
    return cost


def audit():
    """In its own thread: write down every sale, until None comes."""
    while (sale := audit_queue.get()) is not None:
        sold.append(sale)


def answer(future, order):
    try:
        return {"id": order["id"], "cost": future.result()}
    except SoldOut as e:
        return {"id": order["id"], "sold_out": e.args[0]}


async def serve(pool, reader, writer):
    """One client: every line is an order, every order gets a line back."""
    loop = asyncio.get_running_loop()
    async for line in requests(reader):
        order = json.loads(line)
        future = loop.run_in_executor(pool, book, order)
        await asyncio.wait([future])
        writer.write(json.dumps(answer(future, order)).encode() + b"\n")
        await writer.drain()
    writer.close()


async def requests(reader):
    while line := await reader.readline():
        yield line


async def client(number, port, all_connected):
    """Orders at random, one after the other; gives how many were accepted."""
    chance = random.Random(number)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await all_connected.wait()
    accepted = 0
    for i in range(ORDERS):
        order = {"id": f"{number}.{i}", "item": chance.choice(sorted(PRICES)), "count": chance.randint(1, 3)}
        writer.write(json.dumps(order).encode() + b"\n")
        reply = json.loads(await reader.readline())
        accepted += "cost" in reply
    writer.close()
    await writer.wait_closed()
    return accepted


async def main():
    with concurrent.futures.ThreadPoolExecutor(WORKERS, "pricing") as pool:
        server = await asyncio.start_server(lambda r, w: serve(pool, r, w), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        all_connected = asyncio.Barrier(CLIENTS)
        clients = [asyncio.create_task(client(n, port, all_connected), name=f"client-{n}") for n in range(CLIENTS)]
        accepted = sum(await asyncio.gather(*clients))
        server.close()
        await server.wait_closed()
    return accepted


def report(accepted):
    print(f"{accepted} orders accepted, {len(sold)} sales written down")
    for item in sorted(stock):
        out = sum(count for name, count, _ in sold if name == item)
        gone = at_start[item] - stock[item]
        print(f"  {item:7} {gone:3} gone from the stock, {out:3} sold", "" if gone == out else "  <-- does not add up")


if __name__ == "__main__":
    auditor = threading.Thread(target=audit, name="audit")
    auditor.start()
    accepted = asyncio.run(main())
    audit_queue.put(None)
    auditor.join()
    report(accepted)
