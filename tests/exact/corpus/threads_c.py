# same-run
"""Python run from C: a qsort callback, threads made by pthread_create, one that comes back for each of many calls."""
import ctypes
import threading

libc = ctypes.CDLL(None)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
BODY = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
said = []


def compare(a, b):
    if a[0] == b[0]:
        return 0
    return 1 if a[0] > b[0] else -1


def sort(values):
    array = (ctypes.c_int * len(values))(*values)
    libc.qsort(array, len(values), ctypes.sizeof(ctypes.c_int), COMPARE(compare))
    return list(array)


def gen(n):
    for i in range(n):
        yield i


kept = gen(50)


def body(argument):
    try:
        for i in range(3):
            said.append((argument or 0) + next(kept))
        sort([3, 1, 2])
    finally:
        return 0


def pthreads(n):
    callback = BODY(body)
    ids = [ctypes.c_ulong() for _ in range(n)]
    for i, t in enumerate(ids):
        libc.pthread_create(ctypes.byref(t), None, callback, ctypes.c_void_p(i))
    for t in ids:
        libc.pthread_join(t, None)


print(sort([5, 3, 9, 1, 1, 7]))
pthreads(4)
t = threading.Thread(target=pthreads, args=(4,))
t.start()
t.join()
with_libc = ctypes.PyDLL(None)          # keeps the GIL
with_libc.PyRun_SimpleString.argtypes = [ctypes.c_char_p]
with_libc.PyRun_SimpleString(b"for i in range(3):\n  said.append(i)\n")
print(len(said), sum(said[:0]))
