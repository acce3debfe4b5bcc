"""Objects whose code must never run because somebody looks at them. Each counts what runs of it;
the counts, reference counts and blocks of memory are printed, and must be the same when values are
recorded. A way of looking at an object that runs code of the program shows here.
"""
import collections
import gc
import sys
import types
import unittest.mock
import weakref

ran = collections.Counter()


def take(value):
    return value


def take_and_raise(value):
    raise ValueError(value)


def yields(value):
    got = yield value
    yield got


def keeps(*values, **more):
    """Its arguments are cells."""
    return lambda: (values, more)


def pass_on(value):
    """By each way that values are looked at."""
    take(value)
    take([value, (value,), {"value": value}])
    keeps(value, value=value)()
    g = yields(value)
    next(g)
    g.send(value)
    try:
        take_and_raise(value)
    except ValueError:
        pass


def count(name, result=None):
    def counted(self, *rest, **more):
        ran[name] += 1
        return result(self, *rest) if callable(result) else result
    return counted


# ---- by their methods ----

class Loud:
    """It has each method that somebody could call, and attributes."""

    def __init__(self):
        object.__setattr__(self, "kept", 1)

    __repr__ = __str__ = __format__ = count("repr", "loud")
    __bytes__ = count("bytes", b"")
    __len__ = __length_hint__ = count("len", 3)
    __bool__ = count("bool", True)
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = count("eq", False)
    __hash__ = count("hash", 7)
    __iter__ = count("iter", lambda self: iter(()))
    __contains__ = count("contains", True)
    __getitem__ = count("getitem")
    __getattr__ = count("getattr")
    __setattr__ = __delattr__ = count("setattr")
    __dir__ = count("dir", lambda self: [])
    __call__ = count("call")
    __index__ = __int__ = count("int", 1)
    __float__ = count("float", 1.0)
    __sizeof__ = count("sizeof", 64)
    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = count("reduce")
    __get__ = count("get")
    __instancecheck__ = __subclasscheck__ = count("check", False)
    keys = values = items = count("items", lambda self: [])


class Looked(Loud):
    def __getattribute__(self, name):
        ran["getattribute"] += 1
        return object.__getattribute__(self, name)


class OtherClass(Loud):
    @property
    def __class__(self):
        ran["class"] += 1
        return int

    @property
    def __dict__(self):
        ran["dict"] += 1
        return {"not": "this"}

    @property
    def kept(self):
        ran["property"] += 1
        raise RuntimeError

    @kept.setter
    def kept(self, value):
        raise RuntimeError


class Blocks:
    """Whoever waits for its property, waits for ever."""

    def __init__(self):
        self.a = 1

    @property
    def blocked(self):
        ran["blocked"] += 1
        import threading
        threading.Event().wait()


class LoudMeta(type):
    def __getattribute__(cls, name):
        ran["meta getattribute"] += 1
        return super().__getattribute__(name)

    __repr__ = __str__ = count("meta repr", "meta")
    __eq__ = count("meta eq", False)
    __hash__ = count("meta hash", 1)
    __instancecheck__ = count("meta instance", True)
    __subclasscheck__ = count("meta subclass", True)
    __call__ = type.__call__
    __len__ = count("meta len", 0)
    __bool__ = count("meta bool", True)

    @property
    def __module__(cls):
        ran["meta module"] += 1
        return "somewhere"

    @property
    def __dict__(cls):
        ran["meta dict"] += 1
        return {}

    def mro(cls):
        ran["mro"] += 1
        return super().mro()


class OfMeta(metaclass=LoudMeta):
    def __init__(self):
        self.a = 1


class LoudList(list):
    __len__ = count("list len", 0)
    __iter__ = __getitem__ = __repr__ = __eq__ = count("list")


class LoudTuple(tuple):
    __len__ = __iter__ = __getitem__ = __repr__ = __eq__ = count("tuple")
    __hash__ = count("tuple hash", 3)


class LoudFields(tuple):
    @property
    def _fields(self):
        ran["fields"] += 1
        return ("a", "b")


class LoudDict(dict):
    __len__ = __iter__ = __getitem__ = __repr__ = keys = items = values = __missing__ = __contains__ = count("dict")


class LoudSet(set):
    __len__ = __iter__ = __repr__ = __contains__ = count("set")


class LoudStr(str):
    __len__ = __iter__ = __getitem__ = __repr__ = __str__ = encode = __eq__ = count("str")
    __hash__ = str.__hash__


class LoudInt(int):
    __repr__ = __str__ = __index__ = __int__ = __abs__ = bit_length = to_bytes = __eq__ = __lt__ = count("int sub", 1)
    __hash__ = int.__hash__


class LoudFloat(float):
    __repr__ = __float__ = __eq__ = hex = count("float sub", 1.0)


class LoudBytes(bytes):
    __repr__ = __len__ = __iter__ = __getitem__ = __bytes__ = __buffer__ = count("bytes sub", b"")


class LoudError(Exception):
    __str__ = __repr__ = __reduce__ = count("error", "")

    @property
    def args(self):
        ran["args"] += 1
        return ()

    @property
    def __cause__(self):
        ran["cause"] += 1

    @property
    def __context__(self):
        ran["context"] += 1


class LoudSlots:
    __slots__ = ("a", "b", "empty")

    def __init__(self):
        self.a = self.b = 1

    __getattr__ = count("slots getattr")


class LoudModule(types.ModuleType):
    __getattribute__ = count("module")
    __repr__ = count("module repr", "")

    def __getattr__(self, name):
        ran["module getattr"] += 1


class LoudKey:
    """It is where the name of something is looked up, and says that it is that name."""

    def __init__(self, name):
        self.hash = hash(name)

    def __hash__(self):
        ran["key hash"] += 1
        return self.hash

    def __eq__(self, other):
        ran["key eq"] += 1
        return False


class NewWithoutInit:
    def __init__(self):
        self.a = 1


class SeenEarly:
    """Its methods are called before it is whole, and after."""

    def __new__(cls, *rest):
        self = super().__new__(cls)
        take(self)
        return self

    def __init__(self, a):
        take(self)
        self.a = a
        take(self)

    def __del__(self):
        ran["del"] += 1
        take(self)


class Cleared:
    """Its dict goes while it is an argument."""

    def __init__(self):
        self.a, self.b = 1, 2

    def clear(self):
        self.__dict__ = {}
        take(self)
        del self.__dict__
        return take(self)


def with_keys():
    """Classes, modules and objects whose names are beside keys with methods."""
    objects = []
    for name in ("__module__", "__name__", "__qualname__", "_fields", "__slots__", "__dict__", "__dataclass_fields__", "__attrs_attrs__", "_value_"):
        ran.clear()
        kind = type("Made", (), {LoudKey(name): 1})
        tuples = type("Tuples", (tuple,), {LoudKey(name): 1})
        module = types.ModuleType("made")
        del module.__name__
        module.__dict__[LoudKey(name)] = 2
        o = NewWithoutInit()
        o.__dict__[LoudKey(name)] = 3
        objects.append([kind, kind(), tuples, tuples(), tuples((1, 2)), module, o, {LoudKey(name): 4}])
    return objects


def half_made():
    return [list.__new__(list), dict.__new__(LoudDict), tuple.__new__(LoudTuple), NewWithoutInit.__new__(NewWithoutInit),
            types.ModuleType.__new__(types.ModuleType), Exception.__new__(Exception), str.__new__(LoudStr), property.__new__(property),
            super.__new__(super), LoudSlots.__new__(LoudSlots), SeenEarly.__new__(SeenEarly),
            collections.deque.__new__(collections.deque), collections.OrderedDict.__new__(collections.OrderedDict),
            KeyError.__new__(KeyError), bytearray.__new__(bytearray), set.__new__(LoudSet), LoudError.__new__(LoudError)]


def others():
    class Target:
        __len__ = count("proxy", 1)
        __getattr__ = count("proxy getattr")

    target = Target()
    gone = weakref.proxy(Target())
    proxy = types.MappingProxyType(LoudDict(a=1))
    view = memoryview(bytearray(b"abc"))
    view.release()
    mock = unittest.mock.MagicMock(name="mock")
    mock.method(1)
    return [weakref.proxy(target), gone, weakref.ref(target), proxy, mock, unittest.mock.Mock(), unittest.mock.sentinel.one, view,
            {}.keys(), LoudDict(a=1).items(), iter([]), target], target


def loud():
    return [Loud(), Looked(), OtherClass.__new__(OtherClass), Blocks(), OfMeta, OfMeta(), LoudMeta, LoudList([1]), LoudTuple((1, 2)),
            LoudFields((1, 2)), LoudDict(a=1), LoudSet({1}), LoudStr("text"), LoudStr("é"), LoudInt(5), LoudInt(2 ** 80), LoudFloat(1.5),
            LoudBytes(b"abc"), LoudError("arg"), LoudSlots(), LoudModule("loud"), {LoudKey("a"): 1}, {LoudKey("b")}, Cleared()]


def say(what):
    print(what, sorted(ran.items()))
    ran.clear()


def count_references(values):
    before = [sys.getrefcount(value) for value in values]
    for value in values:
        pass_on(value)
    gc.collect()
    print("references", [sys.getrefcount(value) - b for value, b in zip(values, before)])


def count_blocks(values):
    """Memory is warm after some turns; then nothing is to be added."""
    said = []
    for _ in range(6):
        before = sys.getallocatedblocks()
        for value in values:
            take(value)
        said.append(sys.getallocatedblocks() - before)
    print("blocks", said[-2:])


def main():
    values, target = others()
    for name, made in (("loud", loud()), ("half", half_made()), ("others", values)):
        ran.clear()
        count_references(made)
        say(name)
        count_blocks(made)
        say(name)
    for made in with_keys():
        ran.clear()
        count_references(made)
        say("keys")
    SeenEarly(1)
    take(Cleared()).clear()
    gc.collect()
    say("early")
    big = [list(range(10 ** 6)), "x" * (300 << 20), {n: n for n in range(10 ** 5)}, b"y" * (64 << 20)]
    count_references(big)
    count_blocks(big)
    del big[:]
    print(sys.getrefcount(None) > 0)


main()
