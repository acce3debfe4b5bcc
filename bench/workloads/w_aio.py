"""Input and output: an asyncio echo server and 20 clients, 20,000 requests on loopback."""
import asyncio

import workload

N = workload.scale(20000)
CLIENTS = 20


async def handle(r, w):
    while True:
        line = await r.readline()
        if not line:
            break
        w.write(line)
        await w.drain()
    w.close()


async def client(port, n, i):
    r, w = await asyncio.open_connection("127.0.0.1", port)
    got = 0
    for k in range(n):
        w.write(b"req %d %d\n" % (i, k))
        await w.drain()
        back = await r.readline()
        got += len(back)
    w.close()
    return got


async def amain():
    srv = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = srv.sockets[0].getsockname()[1]
    res = await asyncio.gather(*(client(port, N // CLIENTS, i) for i in range(CLIENTS)))
    srv.close()
    return sum(res)


def main():
    return asyncio.run(amain())


if __name__ == "__main__":
    workload.run(main)
