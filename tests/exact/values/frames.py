"""A program whose lines do all that can be done to a variable: frames.py."""
import asyncio
import collections
import contextlib
import types

log = []
alpha = 1
beta: int = 2
alpha += 1
del beta
first, *middle, last = range(5)
if (wal := alpha * 2) > 3:
    log.append(wal)
gamma = [n * n for n in range(3)]
delta = {str(n): n for n in gamma if n}
password = "hunter2"


# ---- functions ----

def numbers(n, *rest, key=None, **more):
    total = 0
    for i in range(n):
        total += i
    else:
        done = True
    a = b = total
    a, b = b, a + 1
    (c, *d), e = (1, 2, 3), 4
    big = 2 ** 70 + n
    big = big + 1
    same = 1000 * n
    same = 1000 * n
    half = total / 3
    half = total / 3
    text = "x" * n
    text = text + "y"
    del a
    rest, more, key = (), None, 1
    return total


def mutated():
    row, index, bag = [1], {"k": [1]}, {1, 2}
    also = row
    row.append(2)
    index["k"].append(3)
    bag.discard(1)
    row += [4]
    change(row)
    change(index["k"])
    pair = (row, index)
    change(row)
    thing = Thing(row)
    thing.grow()
    thing.other = thing
    del thing.row
    queue = collections.deque([1], 3)
    queue.extend([2, 3, 4])
    buffer = bytearray(b"ab")
    buffer += b"c"
    # what is kept of it stays the same while it grows, and moves
    large = bytearray(b"x" * 300)
    for more in range(6):
        large += b"y"
    for more in range(6):
        large += b"y" * 1000
    counts = collections.Counter("aab")
    counts["a"] += 1
    row = None


def change(what):
    what.append(len(what))
    return what


class Thing:
    kind = "thing"
    kind += "s"
    table = [v for v in (1, 2)]
    del kind

    def __init__(self, row):
        self.row = row

    def grow(self):
        self.size = len(self.row)
        self.size += 1
        return self


class Sub(Thing):
    __slots__ = ("slot",)

    def __init__(self):
        super().__init__([])
        self.slot = 1
        self.slot = 2


def shadowed(x):
    """CPython 3.13.0 crashes where somebody looks at f_locals while x is a cell here."""
    found = [x for x in range(2)]
    nested = [[y for y in range(x)] for x in range(3)]
    odd = {x for x in nested[2]}
    pick = [last := n for n in range(3)]
    return x, last


# ---- cells ----

def counter():
    count, calls = 0, []

    def bump(by=1):
        nonlocal count
        count += by
        calls.append(count)
        return count

    bump()
    bump(3)
    del calls
    calls = [9]
    bump()
    return bump


def late():
    def use():
        try:
            return value
        except NameError:
            return None

    use()
    value = 3
    use()
    del value
    use()


def globally():
    global alpha, fresh
    alpha = 7
    fresh = [1]
    local = alpha
    fresh.append(local)
    del fresh


# ---- exceptions ----

def failing(n):
    seen = []
    try:
        seen.append(n)
        1 / n
    except ZeroDivisionError as error:
        seen.append("zero")
        kept = str(error)
    else:
        kept = None
    finally:
        seen.append("end")
    try:
        try:
            raise KeyError(n)
        except KeyError as inner:
            text = "inner"
            raise ValueError(text) from inner
    except ValueError as outer:
        cause = outer.__cause__
        del cause
    for turn in range(3):
        try:
            if turn == 1:
                continue
            passed = turn
        finally:
            seen.append(turn)
    with contextlib.suppress(LookupError) as nothing:
        value = seen[99]
    return seen


def unwound(n):
    deep = n
    if n:
        unwound(n - 1)
    deep = {}
    return deep["no"]


@contextlib.contextmanager
def manager(held):
    held.append("in")
    try:
        yield held
    finally:
        held.append("out")


def managed():
    held = []
    with manager(held) as also:
        also.append("body")
        inside = 1
    return held


# ---- match ----

def matched(subject):
    match subject:
        case {"a": found, **others}:
            kind = "dict"
        case [first, (second, third), *tail]:
            kind = "list"
        case Thing(row=row):
            kind = "thing"
        case str() as text if (size := len(text)) > 2:
            kind = text
        case _:
            kind = None
    return kind


# ---- generators ----

def generator(shared):
    got, turn = None, 0
    while True:
        turn += 1
        got = yield turn
        if got is None:
            break
        shared.append(got)
    rest = yield from inner_generator(shared)
    return rest


def inner_generator(shared):
    for mine in range(2):
        yield mine
    shared.clear()
    return "rest"


def generators():
    shared = []
    made = generator(shared)
    next(made)
    shared.append("other")
    made.send(1)
    shared.pop()
    other = generator(shared)
    next(other)
    made.send(2)
    for value in made:
        shared.append(value)
    other.close()
    thrown = generator(shared)
    next(thrown)
    try:
        thrown.throw(ValueError("thrown"))
    except ValueError:
        pass
    dropped = generator(shared)
    next(dropped)
    del dropped
    again = generator(shared)
    next(again)
    shared.append("again")
    again.send(3)
    again = None
    return sum(n for n in range(3))


async def waiter(shared, n):
    before = len(shared)
    await asyncio.sleep(0)
    after = len(shared)
    shared.append(n)
    return after - before


async def stream(n):
    for item in range(n):
        state = [item]
        await asyncio.sleep(0)
        state.append("sent")
        yield state


class Entered:
    def __init__(self, shared):
        self.shared = shared

    async def __aenter__(self):
        self.shared.append("enter")
        await asyncio.sleep(0)
        return self.shared

    async def __aexit__(self, *error):
        self.shared.append("exit")
        del error


async def coroutines():
    shared = []
    results = await asyncio.gather(*(waiter(shared, n) for n in range(3)))
    async for item in stream(2):
        item.append("got")
        last = item
    listed = [item async for item in stream(2)]
    async with Entered(shared) as entered:
        inside = await waiter(entered, 9)
    return results


# ---- others ----

def recursive(n, path):
    path = path + [n]
    if n:
        left = recursive(n - 1, path)
        right = recursive(n - 2, path) if n > 1 else 0
        return left + right
    return 1


def executed():
    names = {"seed": 1}
    exec("seed += 1\nmade = [seed]\nfor i in made:\n    twice = i * 2\ndel i\n"
         "class Inside:\n    size = seed\n    size += 1\ndef inside(a):\n    b = a\n    return b\ninside(3)\n", names)
    value = eval("made[0] + seed", names)
    other = types.ModuleType("other")
    exec("x = 1\ny = x + 1\nx = 'é'\n", other.__dict__)
    return value


def annotated():
    one: int
    two: "str" = "2"
    three: int = 3
    return one_or_none(three)


def one_or_none(a, /, b=2, *, c=3):
    lamb = lambda q: q + b                              # noqa: E731
    é = lamb(a)
    __private = [é]
    token = "t0ken" + str(c)
    token = "again"
    return é


def unpack_errors():
    try:
        a, b = 1
    except TypeError:
        a = None
    try:
        a, b = [1, 2, 3]
    except ValueError:
        pass
    try:
        del b
    except UnboundLocalError as e:
        name = type(e).__name__
    return a


def main():
    numbers(4, 5, 6, key=7, other=8)
    mutated()
    Sub().grow()
    shadowed(5)
    counter()()
    late()
    globally()
    failing(0)
    failing(2)
    for depth in range(3):
        try:
            unwound(depth)
        except KeyError:
            pass
    managed()
    for subject in ({"a": 1, "b": 2}, [1, (2, 3), 4, 5], Thing([1]), "text", 5):
        matched(subject)
    generators()
    asyncio.run(coroutines())
    recursive(4, [])
    executed()
    annotated()
    unpack_errors()


main()
log.append("end")
