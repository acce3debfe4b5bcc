"""Sub-interpreters in threads and pools, one behind the other and all at a time, with exceptions in them."""
import sys
import threading

CODE = "import json\nt = 0\nfor i in range(%d):\n    t += i\njson.dumps([t])\ndef inside(x):\n    return x + 1\ninside(t)\n"


def modules():
    try:
        import _interpreters as m                       # 3.13
    except ImportError:
        import _xxsubinterpreters as m
    return m


def create(m, own_gil):
    if sys.version_info >= (3, 13):
        return m.create("isolated" if own_gil else "legacy")
    return m.create(isolated=own_gil)


def failing(m, i):
    try:
        return m.run_string(i, "def inside(x):\n    raise KeyError(x)\ninside(1)") is not None
    except Exception as e:
        return type(e).__name__ == "RunFailedError"


def run(own_gil, rounds, log):
    m = modules()
    for n in range(rounds):
        i = create(m, own_gil)
        m.run_string(i, CODE % (n * 100))
        log.append(failing(m, i))
        m.destroy(i)


def pool():
    from concurrent.futures import InterpreterPoolExecutor  # 3.14
    with InterpreterPoolExecutor(max_workers=3) as executor:
        return list(executor.map(abs, range(-20, 0)))


log = []
for own_gil in (True, False):
    run(own_gil, 3, log)
    threads = [threading.Thread(target=run, args=(own_gil, 3, log)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
print(len(log), all(log))
if sys.version_info >= (3, 14):
    print(pool())
