# identity min=3.12 gap=tools
"""All ids are taken in a forked child alone, before a fork, and before other programs are started;
each process has ids of its own."""
import multiprocessing
import os
import subprocess
import sys

m = sys.monitoring


def tools():
    return [m.get_tool(i) for i in range(6)]


def take_all():
    for i in range(6):
        m.use_tool_id(i, "mine%d" % i)


def child(what):
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return
    for step in what:
        step()
        print(step.__name__, tools(), flush=True)
    os._exit(0)


def free_one():
    m.free_tool_id(4)


def leaf():
    return sum(range(3))


def in_pool(n):
    m.use_tool_id(4, "worker")
    name = m.get_tool(4)
    m.free_tool_id(4)
    return n, name, tools()


def start(text):
    subprocess.run([sys.executable, "-c", text], check=True)


if __name__ == "__main__":
    print(tools(), flush=True)
    child((take_all, leaf, free_one, leaf))
    print(tools(), flush=True)
    take_all()
    child((leaf,))
    child((leaf, free_one, leaf))
    start("import sys; m = sys.monitoring; print([m.get_tool(i) for i in range(6)], m.use_tool_id(5, 'five'), m.get_tool(5))")
    print(tools(), flush=True)
    free_one()
    child((leaf,))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(in_pool, range(2)), flush=True)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(in_pool, range(2)), flush=True)
    print(tools())
