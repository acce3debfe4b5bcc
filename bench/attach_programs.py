"""Programs to attach to. Each prints "ready", runs until a line comes by stdin, looks whether all
is well, and prints "unharmed"; or, of what is not well, a line that begins with "harmed"."""
import os
import shutil
import subprocess

# Its main thread counts beats; it ends by a word.
FRAME = r"""
import os, select, sys, threading, time

ended = False
threads = []

def harmed(what):
    print("harmed:", what, flush=True)

def start(*functions):
    threads.extend(threading.Thread(target=f) for f in functions)
    for thread in threads:
        thread.start()

def asked_to_end(seconds):
    return bool(select.select([sys.stdin], [], [], seconds)[0])

def beat(n):
    return n + 1

def beats_until_the_end(seconds=0.002):
    global ended
    print("ready", flush=True)
    beats = 0
    while not asked_to_end(seconds):
        beats = beat(beats)
    ended = True

def end():
    for thread in threads:
        thread.join()
    print("unharmed", flush=True)
"""

IDLE = "beats_until_the_end(0.01)\nend()\n"

BUSY = r"""
print("ready", flush=True)
beats = 0
while beats % 100000 or not asked_to_end(0):
    beats = beat(beats)
end()
"""

# Its threads are where a thread must not be used: in malloc, in C code, in fork, with the GIL for a
# second; and where they may: in read, epoll, futex and sleep.
HOSTILE = r"""
import zlib

def allocates():
    while not ended:
        [bytes(n % 3000) for n in range(300)]

def compresses():
    while not ended:
        zlib.compress(bytes(300000))

def forks():
    while not ended:
        pid = os.fork()
        if not pid:
            os._exit(3)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 3:
            harmed("a child")
        time.sleep(0.01)

def holds():
    while not ended:
        sum(range(30_000_000))
        time.sleep(1.5)

def reads():
    os.read(out, 1)

def polls():
    poll = select.epoll()
    poll.register(out, select.EPOLLIN)
    poll.poll()

def waits():
    event.wait()

def sleeps():
    while not ended:
        time.sleep(0.05)

out, into = os.pipe()
event = threading.Event()
start(allocates, compresses, forks, holds, reads, polls, waits, sleeps)
beats_until_the_end()
event.set()
os.write(into, b"12")
end()
"""

# A server and its clients, each with an event loop of its own.
SERVER = r"""
import asyncio

async def serve_one(reader, writer):
    while (line := await reader.readline()):
        writer.write(line[::-1])
        await writer.drain()
    writer.close()

async def serve():
    server = await asyncio.start_server(serve_one, "127.0.0.1", 0)
    ports.append(server.sockets[0].getsockname()[1])
    async with server:
        while not ended:
            await asyncio.sleep(0.01)

async def ask(number):
    reader, writer = await asyncio.open_connection("127.0.0.1", ports[0])
    count = 0
    while not ended:
        writer.write(b"%d %d\n" % (number, count))
        if await reader.readexactly(len(b"%d %d\n" % (number, count))) != (b"%d %d\n" % (number, count))[::-1]:
            harmed("an answer")
        count += 1
        await asyncio.sleep(0.002)
    writer.close()

async def ask_all():
    await asyncio.gather(*(ask(number) for number in range(8)))

ports = []
start(lambda: asyncio.run(serve()))
while not ports:
    time.sleep(0.001)
client = threading.Thread(target=lambda: asyncio.run(ask_all()))
client.start()
threads.append(client)
beats_until_the_end(0.05)
end()
"""

GREENLETS = r"""
import greenlet


def answers(n):
    while True:
        n = greenlet.getcurrent().parent.switch(beat(n))

def game():
    while not ended:
        other = greenlet.greenlet(answers)
        for n in range(0, 100, 2):
            if other.switch(n) != n + 1:
                harmed("a switch")
        time.sleep(0.0005)

start(game, game)
beats_until_the_end()
end()
"""

# A library that was built with AddressSanitizer, in a process that runs with it.
ASAN = r"""
import ctypes
library = ctypes.CDLL(sys.argv[1])

def allocates():
    while not ended:
        if library.allocate(2000) != 2000:
            harmed("memory")
        time.sleep(0.0005)

def holds():
    held = ctypes.PyDLL(sys.argv[1])
    while not ended:
        held.allocate(20000)
        time.sleep(0.01)

start(allocates, holds)
beats_until_the_end()
end()
"""
ASAN_LIBRARY = r"""
#include <stdlib.h>
#include <string.h>
int allocate(int times)
{
	int good = 0;
	for (int i = 0; i < times; i++) {
		char *p = malloc(i % 500 + 1);
		memset(p, i, i % 500 + 1);
		good += p[i % 500] == (char)i;
		free(p);
	}
	return good;
}
"""

# A child by vfork that has not run a program yet: it has its parent's memory.
VFORK = r"""
import ctypes
library = ctypes.CDLL(sys.argv[1])

def forks():
    while not ended:
        if library.child():
            harmed("a child by vfork")

start(forks)
beats_until_the_end()
end()
"""
VFORK_LIBRARY = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int child(void)
{
	const struct timespec nap = {.tv_nsec = 200000000};
	int status = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		syscall(SYS_nanosleep, &nap, 0);
		_exit(7);
	}
	return waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7;
}
"""

PROGRAMS = {"idle": IDLE, "busy": BUSY, "hostile": HOSTILE, "server": SERVER, "greenlets": GREENLETS, "asan": ASAN, "vfork": VFORK}
LIBRARIES = {"asan": (ASAN_LIBRARY, ["-fsanitize=address"]), "vfork": (VFORK_LIBRARY, [])}


def library_of(name, folder):
    """Its library, built; None: it cannot be built here."""
    text, flags = LIBRARIES[name]
    source, library = os.path.join(folder, name + ".c"), os.path.join(folder, name + ".so")
    with open(source, "w", encoding="ascii") as f:
        f.write(text)
    try:
        done = subprocess.run(["cc", "-shared", "-fPIC", "-g", *flags, "-o", library, source], capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return library if done.returncode == 0 else None


def asan_runtime():
    if not shutil.which("cc"):
        return None
    said = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=False).stdout.strip()
    return said if os.path.isabs(said) else None


def can_run(python, name, environment):
    """Has the interpreter what the program imports, and the system what its library needs?"""
    if name == "greenlets":
        return subprocess.run([python, "-c", "import greenlet"], capture_output=True, env=environment, check=False).returncode == 0
    return name != "asan" or asan_runtime() is not None


def start(python, name, folder, environment=None):
    """The program, which is ready; None: it cannot run here. `folder` is for its library."""
    environment = dict(environment or os.environ, PYTHONWARNINGS="ignore")
    if not can_run(python, name, environment):
        return None
    words = [python, "-c", FRAME + PROGRAMS[name]]
    if name in LIBRARIES:
        words.append(library_of(name, folder))
    if words[-1] is None:
        return None
    if name == "asan":
        environment.update(LD_PRELOAD=asan_runtime(), ASAN_OPTIONS="detect_leaks=0")
    program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    if program.stdout.readline() != "ready\n":
        raise AssertionError(f"the program {name} did not begin")
    return program
