# two-runs
"""Loops that stay on one line, and loops that nearly do: each pass that LINE does not tell is an `again`."""
import asyncio
import itertools
import threading


def whiles(n, m=None):
    while n: n -= 1
    while n < 5 and n != 4: n += 1
    while n > 0 or n == -7: n -= 1
    while True: n += 1; m = m or n; n = n if n < 9 else exit_by_error()


def exit_by_error():
    raise ValueError


def run_whiles():
    for n in range(3):
        try: whiles(n)
        except ValueError: pass


def fors(of):
    for x in of: pass
    for x in of: x and x or 1
    for x in of: x if x & 1 else -x
    for x in of: [y for y in of if y & 1]; {y: x for y in of for z in of if y != z}
    for x in of: continue
    for x in of: break
    else: x = 0
    for x in []: pass
    return x


def comprehensions(of):
    a = [x for x in of]; b = {x for x in of if x}; c = {x: [y for y in of] for x in of}
    d = [x
         for x in of]
    e = [x for x in of
         if x & 1]
    f = [(x,
          y) for x in of for y in of]
    g = [[y for y in of] for x in of for _ in
         [x]]
    return a, b, c, d, e, f, g, list(x for x in of), sum(x for x in of if x), dict((x, y) for x in of for y in of)


def generators(of):
    for x in of: yield x
    while True: x = yield x; yield from (y for y in (of if x else [1]))


def run_generators():
    g = generators(range(3))
    for _ in range(4): next(g)
    for _ in range(6): g.send(0)
    h = generators(range(2))
    for a, b in zip(itertools.islice(generators(range(3)), 9), itertools.islice(h, 5)): a + (b or 0)
    try: h.throw(KeyError)
    except KeyError: pass
    g.close()


def several_lines(of):
    for x in of:
        if x & 1:
            continue
        while x: x -= 1
        [y for y in of]
    for x in of:
        for y in of: pass
    n = 4
    while n:
        n -= 1
        if n == 2: continue
        for z in of: n or z
    while n < 3:
        while n & 1: n += 1
        n += 1
    while True:
        n += 1
        if n > 7: break


def with_handlers(of):
    for x in of:
        try:
            1 / x
        except ZeroDivisionError: continue
    for x in of:
        try: [1 / (y - 1) for y in of]
        except ZeroDivisionError: pass
    for x in of:
        with threading.Lock(): [y for y in of]
    for x in of:
        try: x
        finally: [y for y in of if y]


def recursion(n): return [recursion(n - 1) for _ in range(2) if n]


class Iterator:
    def __init__(self, n): self.n = n
    def __iter__(self): return self

    def __next__(self):
        while self.n: self.n -= 1; return self.n
        raise StopIteration


async def waits(of):
    for x in of: await asyncio.sleep(0)
    async for x in agen(of): x
    return [x async for x in agen(of)], [await give(x) for x in of], {str(x): y async for x in agen(of) for y in of}


async def agen(of):
    for x in of: yield x
    while of: of = of[1:]; yield of


async def give(x): return x


async def gathered():
    asyncio.get_running_loop().slow_callback_duration = 3600   # -X dev would tell what took long on this machine
    for _ in range(3): await asyncio.gather(*(waits([1, 2, 3]) for _ in range(3)))


SAME_LINE = """
def made(of, n):
    for x in of:
        while n > 3:
            n -= 1
        try:
            1 / x
        except ZeroDivisionError:
            continue
        for y in of:
            if y == x:
                break
            n += 1
        else:
            while n:
                n -= 1
    while True:
        n += 1
        if n & 1:
            continue
        if n > 9:
            return n
"""


def made_on_one_line():
    """What a macro, a template or a compiler to Python makes: whole functions on one line."""
    import ast
    tree = ast.parse(SAME_LINE)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"): node.lineno = node.end_lineno = 1; node.col_offset = node.end_col_offset = 0
    names = {}
    exec(compile(tree, "made", "exec"), names)
    for n in range(6): names["made"](range(4), n)


run_whiles()
fors(range(4))
comprehensions(range(4))
run_generators()
several_lines(range(5))
with_handlers(range(4))
recursion(4)
[x for x in Iterator(5)], list(map(lambda n: [x for x in range(n)], range(4)))
asyncio.run(gathered())
made_on_one_line()
for long in range(1000): long and long
