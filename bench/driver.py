"""What instructions.py, heard.py and stops.py run under callgrind: `driver.py RECORDER ARENA
SECTION,…:ROUNDS`, or `… ARENA SCRIPT ROUNDS`.

valgrind takes no LD_PRELOAD of ours through its own start, so the recorder is started here as the
preload does it, by its one entry (src/recorder/recorder.h), with the arena of a `pathline record`
that waits. Then each kind of event comes ROUNDS times, or the script runs as a program of its own.
"""
import ctypes
import os
import runpy
import struct
import sys

CHUNK_BYTES, PAGE = 32768, 4096
WORD_CHUNKS = 64                # the free ones are looked for by words of so many bits


class Arena(ctypes.Structure):
    _fields_ = [("head", ctypes.c_void_p), ("mapped_bytes", ctypes.c_size_t), ("chunk_limit", ctypes.c_uint32),
                ("file_chunks", ctypes.c_uint32)]


class Start(ctypes.Structure):
    _fields_ = [("arena", Arena), ("parent", ctypes.c_uint32), ("at_main", ctypes.c_bool), ("how", ctypes.c_uint32),
                ("slot", ctypes.c_void_p), ("on_key", ctypes.c_void_p), ("on_leave", ctypes.c_void_p), ("on_wait", ctypes.c_void_p),
                ("confined", ctypes.c_void_p)]


def map_arena(path):
    fd = os.open(path, os.O_RDWR)
    size = os.fstat(fd).st_size
    # head_bytes, after magic and abi
    head = struct.unpack_from("=I", os.pread(fd, 16, 0), 12)[0]
    head_bytes = (head + PAGE - 1) // PAGE * PAGE
    chunks = (size - head_bytes) // CHUNK_BYTES
    limit = (chunks + WORD_CHUNKS - 1) // WORD_CHUNKS * WORD_CHUNKS
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    # more than the file has, as the recorder does
    mapped = head_bytes + limit * CHUNK_BYTES
    at = libc.mmap(None, mapped, 3, 1, fd, 0)                       # read and write, shared
    os.close(fd)
    return Arena(at, mapped, limit, chunks)


def start(recorder, arena):
    """The cells are the preload's own; they stay as long as the process."""
    start.cells = (ctypes.c_void_p * 4)()
    at = ctypes.addressof(start.cells)
    words = Start(map_arena(arena), 0, False, 0, at, at + 8, at + 16, at + 24)
    why = ctypes.c_char_p()
    if ctypes.PyDLL(recorder).pathline_recorder_start(ctypes.byref(words), ctypes.byref(why)):
        sys.exit(f"pathline: the recorder does not start: {(why.value or b'').decode()}")


def lines(n):
    x = 0
    for i in range(n):
        if i & 1:
            x += 1
        else:
            x -= 1


def one(i):
    return i


def calls(n):
    for i in range(n):
        one(i)


class Some:
    def __init__(self, n):
        self.n = n

    def __await__(self):
        return iter(range(self.n))


async def awaits(n):
    await Some(n)                                       # a yield of a generator has no event


async def yields_of(n):
    coroutine = awaits(n + 1)
    for _ in range(n):
        coroutine.send(None)
    coroutine.close()


def yields(n):
    try:
        yields_of(n).send(None)
    except StopIteration:
        pass


def fails():
    raise KeyError


def raises(n):
    for _ in range(n):
        try:
            fails()
        except KeyError:
            pass


def passes(n):
    while n: n -= 1


def main():
    if os.environ.get("PATHLINE_STOPS"):                    # stops.c: it wraps the recorder's functions
        ctypes.CDLL(os.environ["PATHLINE_STOPS"])
    start(*sys.argv[1:3])
    if len(sys.argv) > 4:
        del sys.argv[:3]
        sys.path[0] = os.path.dirname(sys.argv[0])
        runpy.run_path(sys.argv[0], run_name="__main__")
        return
    sections, _, rounds = sys.argv[3].partition(":")
    for section in sections.split(","):
        {"lines": lines, "calls": calls, "yields": yields, "raises": raises, "passes": passes}[section](int(rounds))


if __name__ == "__main__":
    main()
