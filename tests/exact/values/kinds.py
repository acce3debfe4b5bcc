"""A program with every kind of value, and every event that has one. `sent` says what generators are
about to be sent, which no listener in Python can see.
"""
import asyncio
import collections
import contextlib
import functools
import gc
import sys
import types

sent = {}                                               # by the id of a frame


def noted(generator, value):
    """It is sent this next, and so are those that it waits for."""
    while generator is not None:
        kind = type(generator).__name__
        prefix = {"generator": "gi", "coroutine": "cr", "async_generator": "ag"}.get(kind)
        if prefix:
            sent[id(getattr(generator, prefix + "_frame"))] = value
            generator = getattr(generator, prefix + ("_yieldfrom" if prefix == "gi" else "_await"))
        elif kind == "async_generator_asend":
            generator = gc.get_referents(generator)[0]
        else:
            return


def take(value):
    return value


def take_all(values):
    for value in values:
        take(value)


# ---- builtin types ----

class Whole(int):
    pass


class Half(float):
    pass


class Complex(complex):
    pass


class Text(str):
    def __repr__(self):
        return "never this"


class Octets(bytes):
    pass


class Row(list):
    pass


class Pair(tuple):
    pass


class Index(dict):
    pass


class Bag(set):
    pass


class Frozen(frozenset):
    pass


class Queue(collections.deque):
    pass


class Buffer(bytearray):
    pass


Point = collections.namedtuple("Point", "x y")
Empty = collections.namedtuple("Empty", "")


class Place(Point):
    __slots__ = ()

    def far(self):
        return self.x > 10


class Wrong(tuple):
    """Its fields are not as many as its items."""
    _fields = ("one", "two")


class Worse(tuple):
    _fields = ("one", 2)


class Nameless(tuple):
    _fields = ("", "two")


def numbers():
    take_all([None, True, False, Ellipsis, NotImplemented])
    for bits in (0, 1, 6, 7, 8, 29, 30, 31, 59, 60, 61, 62, 63, 64, 65, 90, 127, 128, 425, 426):
        take_all([2 ** bits - 1, 2 ** bits, -2 ** bits, 1 - 2 ** bits])
    take_all([10 ** 127, 10 ** 128 - 1, -10 ** 128 + 1, 2 ** 432 - 1, 1 - 2 ** 432, 2 ** 433, -10 ** 200])
    take_all([0.0, -0.0, 1.0, 0.1, 1e16, 1e15, 9999999999999998.0, 1e-4, 1e-5, 1.5e300, 5e-324, 2.5e-310,
              -1.7976931348623157e308, 0.1 + 0.2, 1 / 3, 123456789.123456789, float("inf"), float("-inf"), float("nan")])
    take_all([0j, 1j, -1j, 1 + 2j, -0.0 + 0j, complex(0, -0.0), complex(-0.0, -0.0), complex(1, float("nan")),
              complex(float("inf"), float("-inf")), 1e20 + 1e-7j])
    take_all([Whole(3), Whole(-2 ** 70), Half(2.5), Half("nan"), Complex(1, 2), Whole(0)])


def texts():
    take_all(["", "a", "it's", 'a "word"', 'both \' and "', "back\\slash", "line\nfeed\r\ttab", "\0\1\x1b[31m\x7f",
              "é", "\x80\xa0\xad", "ÿ", "Ā", "漢字", "\u2028\u200b\ufeff", "😀", "a😀b", "\ud800", "\udfff x", "\U0010ffff",
              "\ud83d\ude00"])
    take_all(["x" * 199, "x" * 200, "x" * 201, "é" * 100, "é" * 130, "漢" * 70, "漢" * 100, "😀" * 50, "😀" * 70, "a" * 190 + "é" * 20])
    for text in ("Bearer 0123456789abcdef", "Bearer 01234567", "Bearer 0123456789" + "z" * 185, "Bearer 0123456789" + " z" * 100,
                 "a" * 110 + " Bearer 01234567", "a" * 180 + " Bearer 0123456789abc and more", "Bearer 0123456789a, " * 4,
                 "Bearer 0123456789a, " * 40):
        take_all([text, text.encode(), bytearray(text.encode()), memoryview(text.encode()), Text(text), [text]])
    take_all([Text("sub"), Text(""), Text("é"), sys.intern("interned")])
    take_all([b"", b"a", b"it's", b'"', b"\0\xff\x80", bytes(range(32)), bytes(range(120, 140)), b"y" * 200, b"y" * 201,
              b"\x80" * 150, b"\x80" * 300, b"\xc3\xa9" * 150, b"\xe6\xbc" * 120, Octets(b"sub"), Octets()])
    take_all([bytearray(b"abc"), bytearray(), Buffer(b"sub"), bytearray(b"z" * 300)])
    shrunk = bytearray(b"front and rest")
    del shrunk[:6]
    take(shrunk)
    view, gone = memoryview(b"a view"), memoryview(b"gone")
    gone.release()
    take_all([view, view[2:], view[::2], memoryview(bytearray(b"array")), memoryview(b""), gone])
    take(memoryview(memoryview(b"twelve bytes").cast("I")))


def containers():
    take_all([[], [1], [1, 2, 3], (), (1,), (1, 2), {}, {1: 2}, {"a": 1, "b": [1]}, set(), {1}, frozenset(), frozenset({1})])
    take_all([list(range(9)), list(range(10)), list(range(11)), tuple(range(1000)), set(range(12)), frozenset(range(10)),
              {n: n for n in range(11)}, {str(n): None for n in range(10)}])
    take_all([Row(), Row([1]), Pair(), Pair((1,)), Pair((1, 2)), Index(), Index(a=1), Bag(), Bag({1}), Frozen(), Frozen({1})])
    take_all([Point(1, 2), Point("x", [1]), Place(11, None), Empty(), Wrong((1, 2)), Wrong((1,)), Wrong(), Worse((1, 2)), Nameless((1, 2))])
    counts = collections.Counter("abracadabra")
    lists = collections.defaultdict(list, {1: [2]})
    ordered = collections.OrderedDict([("b", 1), ("a", 2)])
    take_all([counts, lists, ordered, collections.OrderedDict()])
    moved = collections.OrderedDict.fromkeys("abc", 1)
    moved.move_to_end("a")
    moved.move_to_end("c", last=False)
    turned = collections.deque(range(200), 9)
    turned.rotate(3)
    take_all([moved, turned, collections.deque(), Queue([1]), collections.deque("x" * 100)])
    take_all([range(0), range(5), range(1, 5), range(1, 10, 2), range(5, 0, -1), range(2 ** 70), slice(None), slice(1), slice(1, 2, 3),
              slice("a", None, [1])])
    take_all([{None: 1, True: 2, 2.5: 3, (1, 2): 4, "s": 5, b"b": 6, frozenset({1}): 7}, {"k": {"k": {"k": {"k": 1}}}}])
    take_all([[[[[1]]]], [[[[]]]], [[[()]]], ([{1: [2]}],), [[1] * 11, [2] * 3], [[[1, 2, 3]], [[4, [5, 6]]]]])
    dropped = {n: n for n in range(6)}
    del dropped[2], dropped[5]
    dropped[2] = "again"
    take(dropped)
    holes = set(range(8))
    holes -= {1, 3}
    take(holes)


def cycles():
    row = [1]
    row.append(row)
    take(row)
    index = {}
    index["me"] = index
    take(index)
    holder = Plain()
    holder.me, holder.list = holder, [holder]
    take(holder)
    same = [1, 2]
    take([same, same, (same,)])
    empty = []
    take([empty, empty])
    pair = Pair(([],))
    pair[0].append(pair)
    take(pair)
    first, second = Row(), Row()
    first.append(second)
    second.append(first)
    take(first)
    point = Point([], 1)
    point.x.append(point)
    take([point, point])
    error = ValueError(1)
    error.args = (error,)
    take(error)
    deep = [[[same]], same]
    take(deep)
    for wrap in (lambda v: [v], lambda v: (v, v), lambda v: {"k": v}, slice, ValueError, lambda v: Point(v, 1), lambda v: [slice(ValueError(v))]):
        deep = 1
        for _ in range(40):
            deep = wrap(deep)
        take(deep)


def functions():
    def inner():
        pass

    take_all([take, inner, lambda: 0, len, print, [].append, "".join, Plain.method, Plain().method, Plain.made, Plain.still, Plain().made])
    take_all([int, list, Plain, Point, type, object, collections.OrderedDict, type(None), type("Made", (), {}), ValueError, Meta, WithMeta])
    take_all([sys, collections, types, types.ModuleType("made up"), asyncio])
    take_all([str.upper, list.__add__, object(), object.__init__, (1).__add__, functools.partial(take, 1), iter([]), iter({}), zip(),
              (n for n in ()), property(), staticmethod(take), classmethod(take), super(Plain, Plain()), sys.flags])
    take(types.SimpleNamespace(a=1, b="c"))
    take(types.MethodType(len, []))
    take(types.MethodType(functools.partial(take), 1))
    renamed = lambda: 0                                 # noqa: E731
    renamed.__qualname__ = "another name"
    take(renamed)
    renamed.__qualname__ = "é" * 40
    take(renamed)


# ---- objects ----

class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    pass


class Plain:
    """Attributes lie beside the object."""

    def method(self):
        return self

    @classmethod
    def made(cls, *rest):
        return cls

    @staticmethod
    def still(value=None):
        return value


class Order:
    def __init__(self, item, count):
        self.item = item
        self.count = count
        self.check()

    def check(self):
        return self.count

    def book(self, much=1):
        self.booked = much
        return self


class Slots:
    __slots__ = ("b", "a", "unset")

    def __init__(self):
        self.a, self.b = 1, "two"


class MoreSlots(Slots):
    __slots__ = ("c", "a")

    def __init__(self):
        super().__init__()
        self.c = [3]
        Slots.a.__set__(self, "hidden")


class Both(Slots):
    """Slots of the base, and a dict."""

    def __init__(self):
        super().__init__()
        self.z, self.y = 26, 25


class SlotDict:
    __slots__ = ("one", "__dict__", "__weakref__")

    def __init__(self):
        self.one = 1
        self.other = 2


class Mangled:
    __slots__ = ("__private",)

    def __init__(self):
        self.__private = 1


class MangledDict:
    def __init__(self):
        self.__private = 1


class DictSlots(dict):
    __slots__ = ("extra",)


class ListWithDict(list):
    pass


class IntWithDict(int):
    pass


class Watched:
    """Its properties and its class attributes are not attributes of the instance."""
    common = 1
    seen = 0

    def __init__(self):
        self._kept = 2

    @property
    def computed(self):
        Watched.seen += 1
        return 3


def with_parting_names():
    """Objects of a class whose sets of attributes part."""
    objects = [Plain() for _ in range(4)]
    for n, o in enumerate(objects):
        o.a = n
    objects[0].b, objects[1].c = "b", "c"
    objects[2].c, objects[2].b = "c", "b"
    take_all(objects)
    del objects[0].a
    take(objects[0])
    objects[0].a = "again"
    take(objects[0])
    del objects[1].a, objects[1].c
    take(objects[1])
    objects[3].a = objects[2]
    take(objects[3])


def materialised():
    o = Plain()
    o.a = 1
    take(o)
    names = o.__dict__
    take(o)
    names["b"] = 2
    o.c = 3
    take(o)
    del o.a
    take(o)
    o.__dict__ = {"other": 1, "z": 2}
    take(o)
    names["unheard"] = 4
    take(o)
    o.__dict__ = Index(sub=1)
    take(o)
    o.__dict__.clear()
    take(o)
    odd = Plain()
    odd.__dict__[1] = 2
    odd.name = 3
    take(odd)
    del odd.__dict__
    take(odd)
    setattr(odd, "", "no name")
    odd.last = 1
    take(odd)
    beside = Plain()
    setattr(beside, "", "no name")
    beside.a = 1
    take([beside, 2])


def many_attributes():
    for count in (19, 20, 21, 29, 30, 31, 32, 40):
        o = Plain()
        for n in range(count):
            setattr(o, "a%d" % n, n)
        take(o)
        take([o])
    wide = type("Wide", (), {"__slots__": tuple("s%02d" % n for n in range(25))})()
    for n in range(0, 25, 2):
        setattr(wide, "s%02d" % n, n)
    take(wide)
    wide.s01 = wide.s03 = None
    take(wide)


def objects():
    take_all([Plain(), Slots(), MoreSlots(), Both(), SlotDict(), Mangled(), MangledDict(), Watched(), WithMeta(), Exception(), object()])
    order = Order("anvil", 2)
    order.book(much=3).book()
    take([order, {"order": order}])
    half = Slots.__new__(Slots)
    take(half)
    del order.item
    take(order)
    filled = DictSlots(a=1)
    filled.extra = 2
    row, whole = ListWithDict([1]), IntWithDict(7)
    row.extra, whole.extra = 1, 2
    take_all([filled, row, whole])
    nested = Plain()
    nested.one = Plain()
    nested.one.two = Plain()
    nested.one.two.three = Plain()
    nested.one.two.three.four = 4
    take(nested)
    local = type("A" * 150, (), {"x": 1})()
    local.y = 1
    take(local)

    class Local:
        class Within:
            pass

    take_all([Local(), Local.Within(), Local.Within])
    Local.__module__ = "another.module"
    take_all([Local(), Local])
    with_parting_names()
    materialised()
    many_attributes()


# ---- arguments ----

def positional_only(a, b=2, /, c=3):
    return a, b, c


def keyword_only(*, a, b="b"):
    return a if a else b


def all_kinds(a, /, b, c=3, *rest, d, e=5, **more):
    return [a, b, c, rest, d, e, more]


def stars(*rest, **more):
    return len(rest) + len(more)


def shared(a, b, *rest, c=1, **more):
    """Its arguments are cells."""
    def inner():
        nonlocal b
        b += 1
        return a, b, rest, c, more
    inner()
    return inner


def deleted(a, b):
    del a
    try:
        return a
    except UnboundLocalError:
        return b


def default_is_shared(value, into=[]):                  # noqa: B006
    into.append(value)
    return into


def rebound(a):
    a = [a]
    return a


def annotated(a: int, b: "str" = "x") -> int:
    return a


def arguments():
    positional_only(1)
    positional_only(1, 2, c=[3])
    keyword_only(a=0)
    keyword_only(b=(), a={})
    all_kinds(1, 2, d=4)
    all_kinds(1, 2, 3, 4, 5, d=6, e=7, f=8, g=9)
    stars()
    stars(*range(3), **{"x": 1, "not a name": 2})
    stars(*range(12), **{"n%d" % n: n for n in range(12)})
    shared(1, 2)
    shared([1], 2, 3, 4, c=5, f=6)()
    deleted(1, 2)
    default_is_shared(1)
    default_is_shared(2)
    rebound("a")
    annotated(1)
    (lambda x, *y: (x, y))(1, 2)
    first, *middle, last = take(range(5))
    take((first, middle, last))
    many(*range(10))
    many_long(*["%d" % n * 150 for n in range(8)])
    with_unicode(ä=1, 変数="x")


def many(a, b, c, d, e, f, g, h, i, j):
    return None


def many_long(a, b, c, d, e, f, g, h):
    return None


def with_unicode(ä, 変数):
    return ä


# ---- generators, coroutines ----

def send(generator, value):
    noted(generator, value)
    return generator.send(value)


def counter(start):
    got = []
    try:
        while True:
            item = yield start
            got.append(item)
            start += 1
    except KeyError as error:
        yield str(error)
    finally:
        got.clear()
    return "counter's result"


def outer(start):
    result = yield from counter(start)
    yield result
    return [result]


def delegates_to_list():
    yield from [1, [2]]


def generators():
    g = counter(5)
    next(g)
    send(g, "one")
    send(g, None)
    send(g, [1, {2: 3}])
    g.throw(KeyError("thrown"))
    with contextlib.suppress(StopIteration):
        send(g, 1)
    g = outer(1)
    next(g)
    send(g, ("deep",))
    next(g)
    g.throw(KeyError(1))
    with contextlib.suppress(StopIteration):
        next(g)
        next(g)
    g = outer(1)
    next(g)
    g.close()
    counter(1).close()
    for item in delegates_to_list():
        take(item)
    g = counter(1)
    next(g)
    with contextlib.suppress(ValueError):
        g.throw(ValueError, ValueError("both"))
    g = counter(1)
    with contextlib.suppress(KeyError):
        g.throw(KeyError("at the start"))
    take([n * 2 for n in range(3)])
    take(list(n * 2 for n in range(3)))
    take({n: [n] for n in range(3)})
    take({n % 2 for n in range(3)})
    take([[a for a in range(b)] for b in range(3)])
    take(sum(n for n in counter_to(4)))


def counter_to(n):
    while n:
        yield n
        n -= 1


@types.coroutine
def pause(value):
    # what closes it is thrown into it, which 3.14 spares a generator without a handler
    try:
        got = yield value
    finally:
        value = None
    return got


async def waits(value):
    got = await pause(value)
    return [got, value]


async def waits_twice(a, b):
    return await waits(a), await waits(b)


async def numbers_async(count):
    for n in range(count):
        got = yield n
        if got:
            await pause(got)


async def uses_async():
    result = []
    async for n in numbers_async(3):
        result.append(n)
    result += [n async for n in numbers_async(2)]
    g = numbers_async(5)
    result.append(await g.asend(None))
    noted(g, "sent in")
    result.append(await g.asend("sent in"))
    try:
        await g.athrow(ValueError("into it"))
    except ValueError as error:
        result.append(error)
    await g.aclose()
    return result


class Context:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is KeyError

    async def __aenter__(self):
        await pause("entering")
        return 1

    async def __aexit__(self, *exception):
        return True


async def in_context():
    async with Context() as one:
        raise ValueError(one)


def drive(coroutine, *values):
    """To its end, sending the values."""
    try:
        take(coroutine.send(None))
        for value in values:
            take(send(coroutine, value))
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    return None


async def sleeps(n):
    await asyncio.sleep(0)
    return n


async def in_tasks():
    tasks = [asyncio.create_task(sleeps(n)) for n in range(2)]
    return [await task for task in tasks]


def coroutines():
    drive(waits({"a": 1}), "sent")
    drive(waits_twice(1, [2]), "first", "second")
    drive(waits(1))
    drive(uses_async(), "after the pause")
    drive(in_context(), None)
    take(asyncio.run(in_tasks()))


# ---- exceptions ----

class SoldOut(Exception):
    def __init__(self, item, left):
        super().__init__(item)
        self.left = left


class Odd(BaseException):
    pass


def raises(error):
    raise error


def wraps(error):
    try:
        raises(error)
    except Exception as cause:
        raise RuntimeError("wrapped", 1) from cause


def in_handler():
    try:
        {}["missing"]
    except KeyError:
        return [][5]


def again(error):
    try:
        raises(error)
    except Exception:
        raise


def finally_returns():
    try:
        raise OSError(2, "no such thing", "a file")
    finally:
        return "kept"                                   # noqa: B012


def group():
    raise ExceptionGroup("several", [ValueError(1), TypeError("two")])


def from_none():
    try:
        int("x")
    except ValueError:
        raise LookupError from None


def attempt(function, *arguments):
    try:
        return function(*arguments)
    except BaseException as error:
        return error


def exceptions():
    attempt(raises, ValueError("one", 2))
    attempt(raises, SoldOut("anvil", 3))
    attempt(raises, Odd())
    attempt(raises, KeyError(("a", [1])))
    attempt(raises, UnicodeDecodeError("utf-8", b"\xff", 0, 1, "wrong"))
    attempt(raises, SystemExit(3))
    attempt(wraps, SoldOut("nail", 0))
    attempt(in_handler)
    attempt(again, ValueError([]))
    finally_returns()
    attempt(group)
    attempt(from_none)
    attempt(int, "not a number")
    for wrong in (lambda: 1 / 0, lambda: None.nothing, lambda: undefined, lambda: [][1], lambda: {}[1],    # noqa: F821
                  lambda: "a" + 1, lambda: int("x"), lambda: take(), lambda: next(iter(())), lambda: raises(3)):
        attempt(wrong)
    try:
        try:
            raise ValueError("inner")
        except* ValueError as several:
            take(several)
            raise TypeError("out of except*")
    except (TypeError, ExceptionGroup) as error:
        take(error)
    with Context():
        raise KeyError("suppressed")
    error = ValueError("has", {"a": "dict"})
    error.__cause__ = OSError()
    error.note = "not shown"
    take([error, error])
    take({"error": SoldOut("nested", 1)})


# ---- the rest of the language ----

def decorated(function):
    @functools.wraps(function)
    def wrapper(*rest, **more):
        return function(*rest, **more)
    return wrapper


@decorated
def decorated_add(a, b=2):
    return a + b


def matches(subject):
    match subject:
        case Point(x=0, y=y):
            return "axis", y
        case {"kind": kind, **rest}:
            return kind, rest
        case [first, *rest]:
            return first, rest
        case str() as text if (n := len(text)) > 2:
            return n
        case _:
            return None


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def nested_closures(a):
    def middle(b):
        def innermost(c):
            nonlocal a
            a += b
            return a, b, c
        return innermost
    return middle(a + 1)


class Meets:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other

    def __hash__(self):
        return hash(self.value)

    def __bool__(self):
        return bool(self.value)

    def __getattr__(self, name):
        return name * 2

    def __getitem__(self, item):
        return item

    def __call__(self, *rest):
        return rest

    def __iter__(self):
        yield self.value

    def __len__(self):
        return 3

    def __add__(self, other):
        return Meets(self.value + other)


class Descriptor:
    def __get__(self, instance, owner):
        return 42

    def __set__(self, instance, value):
        instance.hidden = value

    def __set_name__(self, owner, name):
        self.name = name


def language():
    decorated_add(1)
    decorated_add(1, b=[1] and 3)
    matches(Point(0, 5))
    matches({"kind": 1, "more": 2})
    matches([1, 2, 3])
    matches("text")
    matches(None)
    factorial(30)
    nested_closures(1)(2)
    m = Meets(1)
    take([m == 1, hash(m), bool(m), m.anything, m[1:2], m(1, 2), list(m), len(m), m + 1])

    class Body:
        field = Descriptor()
        made = [take(n) for n in range(2)]

        def method(self):
            return __class__

        def __init_subclass__(cls, **words):
            cls.words = words

    class Derived(Body, word=1):
        pass

    body = Derived()
    body.field = body.method()
    take(body.field)
    names = {"take": take}
    exec("def made(a, *, b=1):\n    return take(a)\nmade([1])\nmade(2, b=made)\n", names)
    eval("take(1) or [take(n) for n in (1, 2)]", names)
    take(sorted([3, 1, 2], key=lambda n: -n))
    take(list(map(lambda a, b: (a, b), [1, 2], "xy")))
    take(functools.reduce(lambda a, b: a + b, [1, 2, 3], 10))
    changing = []
    for n in range(3):
        changing.append(n)
        grow(changing)


def grow(into):
    into.append("grown")
    return into


def main():
    for part in (numbers, texts, containers, cycles, functions, objects, arguments, generators, coroutines, exceptions, language):
        part()


if __name__ == "__main__":
    main()
