"""asyncio on uvloop: tasks, callbacks that C calls, streams, subprocesses, signals, threads."""
import asyncio
import signal
import sys

import uvloop


async def handle(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()


class Echo(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.transport.write(data[::-1])

    def connection_lost(self, why):
        self.transport = None


class Asks(asyncio.Protocol):
    def __init__(self, done):
        self.done = done

    def connection_made(self, transport):
        self.transport = transport
        transport.write(b"abc")

    def data_received(self, data):
        self.transport.close()
        self.done.set_result(data)


async def ask(port, n):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    said = []
    for i in range(3):
        writer.write(b"client %d line %d\n" % (n, i))
        said.append(await reader.readline())
        await asyncio.sleep(0.001)
    writer.close()
    await writer.wait_closed()
    return said


async def streams():
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(port, n), name="client-%d" % n) for n in range(5)]
    server.close()
    return len([t.result() for t in tasks])


async def protocols():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Echo, "127.0.0.1", 0)
    done = loop.create_future()
    await loop.create_connection(lambda: Asks(done), "127.0.0.1", server.sockets[0].getsockname()[1])
    said = await done
    server.close()
    return said


async def callbacks():
    loop, log = asyncio.get_running_loop(), []
    ended = loop.create_future()
    loop.call_soon(log.append, "soon")
    loop.call_later(0.001, lambda: log.append("later"))
    loop.call_later(0.002, lambda: ended.set_result(None))
    loop.add_signal_handler(signal.SIGUSR1, lambda: log.append("signal"))
    signal.raise_signal(signal.SIGUSR1)
    log.append(await loop.run_in_executor(None, sum, range(100)))
    await ended
    return sorted(map(str, log))


async def cancelled():
    async def waits():
        try:
            await asyncio.sleep(100)
        finally:
            await asyncio.sleep(0)
    task = asyncio.create_task(waits(), name="waits")
    await asyncio.sleep(0)
    task.cancel()
    try:
        await asyncio.wait_for(task, 5)
    except asyncio.CancelledError:
        return "cancelled"


async def process():
    p = await asyncio.create_subprocess_exec("/bin/echo", "hello", stdout=asyncio.subprocess.PIPE)
    out, _ = await p.communicate()
    return out, p.returncode


async def main():
    for f in (streams, protocols, callbacks, cancelled, process):
        print(f.__name__, await f())


if __name__ == "__main__":
    uvloop.run(main())
    sys.stdout.flush()
