"""Programs that could stop for long: `kinds.py NAME`. What is large is compiled before they are
recorded: `kinds.py --compile NAME FILE` writes it, and `kinds.py NAME FILE` runs it."""
import marshal
import sys

MODULE_LINES = 5_000
TEXTS = {
    "module": lambda: "x = 1\n" * MODULE_LINES,
    "function": lambda: "def f(x):\n" + "    x += 1\n" * 10_000 + "    return x\nf(1)\n",
}


def call_deep(n, then):
    """Call `then` with n more frames below it."""
    sys.setrecursionlimit(n + 1000)

    def down(k):
        return down(k - 1) if k else then()
    down(n)


def tracer():
    """A debugger comes and goes on a deep stack."""
    call_deep(2000, lambda: (sys.settrace(lambda *a: None), sys.settrace(None)))


def thread():
    """Another thread takes over while one is deep down."""
    import threading
    other = threading.Thread(target=lambda: None)
    call_deep(20_000, lambda: (other.start(), other.join()))


def tasks():
    import asyncio

    async def one():
        await asyncio.sleep(0)

    async def run_all():
        await asyncio.gather(*(one() for _ in range(500)))
    asyncio.run(run_all())


PROGRAMS = {"tracer": tracer, "thread": thread, "tasks": tasks}


def main():
    if sys.argv[1] == "--compile":
        with open(sys.argv[3], "wb") as out:
            marshal.dump(compile(TEXTS[sys.argv[2]](), "kind.py", "exec"), out)
    elif sys.argv[1] in TEXTS:
        with open(sys.argv[2], "rb") as file:
            exec(marshal.load(file), {"__name__": "kind"})
    else:
        PROGRAMS[sys.argv[1]]()


if __name__ == "__main__":
    main()
