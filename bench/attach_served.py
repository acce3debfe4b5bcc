#!/usr/bin/env python3
"""What do the clients of a server notice when it is attached and left each second?

	bench/attach_served.py --build build --python /usr/bin/python3.13 [--minutes 10]

The server of w_aio runs in a process of its own; its 20 clients, in another, ask each 50 ms and
look at each answer. Ten seconds in which it is attached for half of each second, and ten in which
it is left alone, follow each other, so that what else the machine does falls into both. Printed are
requests, failures, and the latency of both kinds of seconds. It ends with 1 if a request has failed.
"""
import array
import asyncio
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import attach

WINDOW_S = 10
ATTACHED = "500ms"
EACH_S = 0.05
CLIENTS = 20
WORKLOADS = str(pathlib.Path(__file__).resolve().parent / "workloads")

SERVER = f"""\
import asyncio, sys
sys.path.insert(0, {WORKLOADS!r})
sys.argv[1:] = ["20"]
import w_aio

async def serve():
    server = await asyncio.start_server(w_aio.handle, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    server.close()
    return "well"

print(asyncio.run(serve()))
"""


class Clients:
    """In a process of their own: when each request was sent, and the seconds that it took."""

    def __init__(self, port, stop):
        self.port, self.stop = port, stop
        self.sent, self.took, self.failed = array.array("d"), array.array("d"), 0

    async def ask(self, number):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        await asyncio.sleep(EACH_S * number / CLIENTS)
        for count in itertools.count():
            if os.path.exists(self.stop):
                break
            line = b"req %d %d\n" % (number, count)
            begun = time.monotonic()
            writer.write(line)
            self.failed += await reader.readline() != line
            self.sent.append(begun)
            self.took.append(time.monotonic() - begun)
            await asyncio.sleep(max(0, EACH_S - self.took[-1]))
        writer.close()

    async def all(self):
        done = await asyncio.gather(*map(self.ask, range(CLIENTS)), return_exceptions=True)
        self.failed += sum(result is not None for result in done)


def be_clients(port, stop, out):
    clients = Clients(int(port), stop)
    asyncio.run(clients.all())
    with open(out, "wb") as f:
        f.write(array.array("d", [clients.failed, len(clients.sent)]))
        f.write(clients.sent)
        f.write(clients.took)


def windows(options, pid, folder):
    """[(from, to, attached?)], and how often it was attached, and what refusals said."""
    found, cycles, refused = [], 0, []
    end = time.monotonic() + 60 * options.minutes
    for with_it in itertools.cycle((False, True)):
        begun = time.monotonic()
        if begun >= end:
            return found, cycles, refused
        while (now := time.monotonic()) < begun + WINDOW_S:
            if with_it:
                with tempfile.TemporaryDirectory(dir=folder) as room:
                    words = [os.path.join(options.build, "pathline"), "attach", "--for", ATTACHED, "-o", os.path.join(room, "r"), str(pid)]
                    done = subprocess.run(words, capture_output=True, text=True, check=False)
                cycles += done.returncode == 0
                refused += [done.stderr] * (done.returncode != 0)
            time.sleep(max(0, now + 1 - time.monotonic()))
        found.append((begun, time.monotonic(), with_it))


def percentile(values, share):
    return values[min(len(values) - 1, int(len(values) * share))] * 1000


def report(out, found, cycles, refused):
    """true: none has failed."""
    read = array.array("d")
    with open(out, "rb") as f:
        read.frombytes(f.read())
    failed, count = int(read[0]), int(read[1])
    sent, took = read[2:2 + count], read[2 + count:]
    kinds = {False: [], True: []}
    at = 0
    for when, seconds in sorted(zip(sent, took)):
        while at < len(found) and when >= found[at][1]:
            at += 1
        if at < len(found) and when >= found[at][0]:
            kinds[found[at][2]].append(seconds)
    print(f"{count:,} requests, {failed} failed; attached and left {cycles} times, refused {len(refused)} times", *refused)
    shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}
    alone, attached = ([percentile(sorted(kinds[kind]), share) for share in shares.values()] for kind in (False, True))
    for name, a, b in zip(shares, alone, attached):
        print(f"{name:>6}: {a:8.2f} ms alone, {b:8.2f} ms attached each second: {b / a:.2f}")
    return failed == 0


def measure(options, folder):
    stop, out = os.path.join(folder, "stop"), os.path.join(folder, "latencies")
    with subprocess.Popen([options.python, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        port = server.stdout.readline().strip()
        with subprocess.Popen([sys.executable, __file__, "clients", port, stop, out]) as clients:
            found, cycles, refused = windows(options, server.pid, folder)
            pathlib.Path(stop).touch()
        said = server.communicate("end\n", timeout=60)[0]
    well = report(out, found, cycles, refused) and clients.returncode == 0
    print(f"the server: {said.strip()}, exit {server.returncode}")
    return well and server.returncode == 0


def main():
    if sys.argv[1:2] == ["clients"]:
        return be_clients(*sys.argv[2:])
    parser = attach.options_of(__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="attach-served-") as folder:
        return 0 if measure(options, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
