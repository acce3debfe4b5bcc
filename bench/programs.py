"""The programs that figures.py runs: `python programs.py NAME [ARGUMENT…]`. Each prints a JSON object of what it took itself.

They run in the interpreter that is measured, 3.11 to 3.15, so they import what all of those have.
"""
import json
import os
import sys
import time


def timed(function, *arguments):
    wall, cpu = time.perf_counter(), time.process_time()
    function(*arguments)
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def work(rounds):
    """Calls and branches, 7 lines a round and half a call."""
    total = 0
    for i in range(rounds):
        if i & 1:
            total += half(i)
        else:
            total ^= i
        total &= 0xffff
    return total


def half(n):
    if n & 2:
        n += 1
    return n >> 1


def calls(rounds):
    """Two calls a round and little else, so that what recording adds is not small beside how runs differ."""
    total = 0
    for i in range(rounds):
        total = half(total ^ i) + half(i)
    return total


def hello():
    return {}


def hear_only(floor):
    """From here on the recorder's callbacks are ones that do nothing: what it hears is heard as before, and none of it is recorded."""
    sys.path.insert(0, floor)
    import floor as noop
    import instead
    if not instead.callbacks("pathline", noop.callback("noop", 0)):
        sys.exit("the recorder has no tool")


def again(script, scale, floor=None):
    """A workload's second pass, when its first has run all code and made it hot. With a floor, the directory of the floor's module, that pass is
    only heard."""
    import runpy
    sys.argv[:] = [script, *([scale] if scale else [])]
    sys.path[0] = os.path.dirname(script)
    main = runpy.run_path(script)["main"]
    main()
    if floor:
        hear_only(floor)
    return timed(main)


def imports(name):
    return timed(__import__, name)


def memory(name):
    """In KiB, by what the pages are: rings are shared memory."""
    if name != "nothing":
        __import__(name)
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        rows = dict(line.split(":", 1) for line in file)
    return {key: int(rows[key].split()[0]) for key in ("RssAnon", "RssFile", "RssShmem")}


def idle(seconds):
    return timed(time.sleep, float(seconds))


def threads(count, rounds):
    import threading
    count, rounds = int(count), int(rounds)
    calls(100)

    def run():
        all_of_them = [threading.Thread(target=calls, args=(rounds // count,)) for _ in range(count)]
        for thread in all_of_them:
            thread.start()
        for thread in all_of_them:
            thread.join()

    return timed(run)


def processes(count, rounds):
    """CPU in the children's work alone: what a fork costs is a figure of its own."""
    count, rounds = int(count), int(rounds)
    calls(100)
    ends = []
    for _ in range(count):
        read, write = os.pipe()
        if not os.fork():
            os.write(write, b"%.9f" % timed(calls, rounds // count)["cpu"])
            os._exit(0)
        os.close(write)
        ends.append(read)
    taken = 0.0
    for read in ends:
        taken += float(os.read(read, 100))
        os.wait()
    return {"cpu": taken}


def codes(count, rounds):
    """So many code objects, called in turn; the first call of each is timed apart."""
    count, rounds = int(count), int(rounds)
    text = "def f(n):\n    if n & 1:\n        n += 3\n    else:\n        n ^= 5\n    for i in (1, 2):\n        n += i\n    return n\n"
    code = compile(text, "<made>", "exec")
    functions = []
    for _ in range(count):
        space = {}
        exec(code.replace(co_consts=tuple(c.replace() if hasattr(c, "co_code") else c for c in code.co_consts)), space)
        functions.append(space["f"])

    def call_each(times):
        for _ in range(times):
            for n, function in enumerate(functions):
                function(n)

    first = timed(call_each, 1)
    return {"first": first["cpu"], "instructions": count * len(functions[0].__code__.co_code) // 2, "cpu": timed(call_each, rounds // count)["cpu"]}


def loops(lines):
    """About so many lines, in a loop with a branch."""
    return timed(work, int(lines) * 2 // 11)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def recursion(lines):
    """About so many lines, of which every second is of a call."""
    n, one_less, calls = 1, 1, 1
    while 2 * calls < int(lines):
        n, one_less, calls = n + 1, calls, calls + one_less + 1
    return timed(fib, n)


def passes(kind, count):
    """About so many passes of a loop that stays on its line."""
    rounds = int(count) // 50

    def plain():
        n = rounds * 50
        while n: n -= 1

    def comprehension():
        for _ in range(rounds):
            [x * x for x in range(50)]

    def generator():
        for _ in range(rounds):
            sum(x * x for x in range(50))

    return timed({"while": plain, "comprehension": comprehension, "generator": generator}[kind])


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
