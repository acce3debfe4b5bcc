"""Programs that could stop for long: `kinds.py NAME`. What is large is compiled before they are
recorded: `kinds.py --compile NAME FILE` writes it, and `kinds.py NAME FILE` runs it."""
import marshal
import sys

MODULE_LINES = 20_000
FUNCTION_LINES = 10_000
DEPTH = 2_000
TEXTS = {
    "module": lambda: "x = 1\n" * MODULE_LINES,
    "row": lambda: "def f(x):\n" + "    for i in x:\n        if i:\n            g(i)\n" * 150 + "f([])\n",
    "function": lambda: "def f(x):\n" + "    x += 1\n" * FUNCTION_LINES + "    return x\nf(1)\n",
    "branches": lambda: "def f(x):\n" + "    if x:\n        x += 1\n" * (FUNCTION_LINES // 2) + "    return x\nf(1)\n",
}


def call_deep(n, then):
    """Call `then` with n more frames below it."""
    sys.setrecursionlimit(n + 1000)

    def down(k):
        return down(k - 1) if k else then()
    down(n)


def tracer():
    """A debugger comes and goes on a deep stack."""
    call_deep(DEPTH, lambda: (sys.settrace(lambda *a: None), sys.settrace(None)))


def thread():
    """Another thread takes over while one is deep down."""
    import threading
    other = threading.Thread(target=lambda: None)
    call_deep(DEPTH, lambda: (other.start(), other.join()))


def fork():
    """A child is forked deep down, and runs on there."""
    import os

    def split():
        child = os.fork()
        if not child:
            os._exit(len("child"))
        os.waitpid(child, 0)
    call_deep(DEPTH, split)


def hot():
    """Code becomes hot, and is planned again, deep down."""
    def count(n):
        total = 0
        for i in range(n):
            if i % 2:
                total += 1
            else:
                total += 2
        return total
    call_deep(DEPTH, lambda: [count(300) for _ in range(20)])


def generator():
    """A generator that began below is resumed deep down, and raises there."""
    def items():
        yield 1
        yield 2
        raise KeyError
    made = items()
    next(made)

    def take():
        try:
            for _ in made:
                pass
        except KeyError:
            pass
    call_deep(DEPTH, take)


def unwind():
    """An exception ends all frames of a deep stack."""
    def fail():
        raise KeyError
    try:
        call_deep(DEPTH, fail)
    except KeyError:
        pass


def tasks():
    import asyncio

    async def one():
        await asyncio.sleep(0)

    async def run_all():
        await asyncio.gather(*(one() for _ in range(500)))
    asyncio.run(run_all())


PROGRAMS = {f.__name__: f for f in (tracer, thread, fork, hot, generator, unwind, tasks)}
WHAT = {
    "module": f"a straight module of {MODULE_LINES:,} lines runs for the first time",
    "function": f"a function of {FUNCTION_LINES:,} lines is called for the first time",
    "branches": f"a function of {FUNCTION_LINES:,} lines, half of them branches, is called for the first time",
    "row": "a function of 150 loops, each with a branch, is called for the first time",
    "tracer": f"a debugger comes, {DEPTH:,} frames deep",
    "thread": f"another thread takes over, {DEPTH:,} frames deep",
    "fork": f"a child is forked and ends, {DEPTH:,} frames deep",
    "hot": f"code becomes hot, {DEPTH:,} frames deep",
    "generator": f"a generator resumes and raises, {DEPTH:,} frames deep",
    "unwind": f"an exception ends {DEPTH:,} frames",
    "tasks": "asyncio is imported and runs 500 tasks",
}


def main():
    if sys.argv[1] == "--compile":
        if sys.argv[2] not in TEXTS:                        # it needs nothing
            return
        with open(sys.argv[3], "wb") as out:
            marshal.dump(compile(TEXTS[sys.argv[2]](), "kind.py", "exec"), out)
    elif sys.argv[1] in TEXTS:
        with open(sys.argv[2], "rb") as file:
            exec(marshal.load(file), {"__name__": "kind"})
    else:
        PROGRAMS[sys.argv[1]]()


if __name__ == "__main__":
    main()
