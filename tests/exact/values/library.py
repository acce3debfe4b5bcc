"""Values of the standard library's types, each given to `shown`, and what Pathline is to say of it.
Into the file of the first argument goes a list of texts; None: anything is right, but nothing may
fail."""
import collections
import dataclasses
import datetime as dt
import enum
import fractions
import json
import pathlib
import re
import sys
import uuid
import weakref
import zoneinfo
from decimal import Decimal

expected = []
kept = []


def shown(value):
    return None


def tell(text, value):
    kept.append(value)
    shown(value)
    expected.append(text)


def as_repr(*values):
    for value in values:
        tell(repr(value), value)


# ---- dates ----


class MyDate(dt.date):
    pass


class MyDateTime(dt.datetime):
    __slots__ = ("later",)


class Zone(dt.tzinfo):
    def utcoffset(self, moment):
        raise AssertionError("nobody asked")

    def __repr__(self):
        raise AssertionError("nobody asked")


def dates():
    utc, east = dt.timezone.utc, dt.timezone(dt.timedelta(hours=2))
    as_repr(dt.date(2020, 1, 2), dt.date.min, dt.date.max, MyDate(1999, 12, 31))
    as_repr(dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 5, 6, 7), dt.datetime(2020, 1, 1, 0, 0, 0, 5), dt.datetime(2020, 1, 1, 2, 3, 0, 5, fold=1),
            dt.datetime(2020, 1, 1, tzinfo=utc), dt.datetime(2020, 1, 1, fold=1, tzinfo=east), MyDateTime(2020, 1, 1), dt.datetime.max)
    as_repr(dt.time(), dt.time(1, 2), dt.time(1, 2, 3), dt.time(0, 0, 0, 7), dt.time(1, 2, tzinfo=utc, fold=1), dt.time.max)
    as_repr(dt.timedelta(0), dt.timedelta(1), dt.timedelta(1, 2, 3), dt.timedelta(seconds=5), dt.timedelta(microseconds=-1), dt.timedelta.max,
            dt.timedelta.min, dt.timedelta(days=1, microseconds=4))
    as_repr(utc, east, dt.timezone(dt.timedelta(0)), dt.timezone(dt.timedelta(0), "X"), dt.timezone(dt.timedelta(hours=1), "CE'T"))
    tell("datetime.time(1, 0, tzinfo=<Zone>)", dt.time(1, tzinfo=Zone()))
    if zoneinfo.available_timezones():
        zone = zoneinfo.ZoneInfo("Europe/Zurich")
        as_repr(zone, dt.datetime(2020, 1, 1, tzinfo=zone))


# ---- numbers ----


class MyDecimal(Decimal):
    pass


class MyFraction(fractions.Fraction):
    pass


class MyUUID(uuid.UUID):
    pass


def numbers():
    for text in ("1.50 NaN sNaN -NaN123 sNaN77 Infinity -Infinity -0 0 0E-10 0E+3 0.00 100 1E+1000 1E-1000 1E-7 1E-6 123E-8 0.000001 1.23E+5 "
                 "-12345678901234567890123456789012345678901234567890.5 1234567890123456789 12345678901234567890 "
                 "10000000000000000000.0000000000000000000").split():
        as_repr(Decimal(text))
    as_repr(Decimal(10) ** 40, -Decimal("1e27"), MyDecimal("-2.5"))
    tell(None, Decimal("1" * 1000))
    half = fractions.Fraction(1, 2)
    as_repr(half, -half, fractions.Fraction(10**40, 3), fractions.Fraction(2**70, 2**69 + 1), MyFraction(5))
    tell(None, fractions.Fraction(10**400, 3))
    tell(None, object.__new__(fractions.Fraction))
    for number in (0, 1, 2**64, 2**64 - 1, 2**128 - 1, 0x12345678123456781234567812345678, 0xF0000000000000000000000000000000):
        as_repr(uuid.UUID(int=number))
    as_repr(MyUUID(int=7))
    unmade = uuid.UUID.__new__(uuid.UUID)
    tell("<uuid.UUID>", unmade)
    for number in (-1, 2**200, "a", None):
        object.__setattr__(unmade, "int", number)
        tell(None, unmade)
    object.__setattr__(unmade, "int", 0)


# ---- paths ----


class MyPath(pathlib.PosixPath):
    __slots__ = ("more",)


def paths():
    path = pathlib.Path
    for text in ("a", "", ".", "/", "//a/b", "///a", "/a/b", "a//b/./c/", "it's", "ä/ü", "\udcff/x", "..", "a/..", "a\nb", "./a", "a/.", "//", "///"):
        for value in (path(text), pathlib.PurePosixPath(text), path(text)):
            shown(value)  # before it has been a str, of which it keeps a copy
            expected.append(repr(value))
            as_repr(value)
    for parts in (("a", "/b", "c"), ("a", "", "b"), ("", "b"), ("/", "b"), ("//", "b"), ("a/", "b/"), ("a", "//b", "c"), ("x", "."), ("/",)):
        for value in (path(*parts), path("first") / path(*parts), path(*parts).parent):
            shown(value)
            expected.append(repr(value))
    for value in (path("x/y").parent, path("/x").parent, path("a/b.txt").with_suffix(".c"), path("/usr").joinpath("x", "y"), path("x").absolute(), MyPath("m/n")):
        shown(value)
        expected.append(repr(value))
    tell(None, path("x" * 5000))
    tell(None, pathlib.PureWindowsPath("c:/x"))
    tell(None, pathlib.PurePosixPath.__new__(pathlib.PurePosixPath))
    if sys.version_info >= (3, 12):
        odd = path("a")
        for paths_of in ((), None, [1], ["a", None], []):
            odd._raw_paths = paths_of
            tell(None, odd)


# ---- enums ----


class Color(enum.Enum):
    RED = 1
    GREEN = "x"

    def __init__(self, value):
        expected.append(None)
        shown(self)  # it has no name yet


class Number(enum.IntEnum):
    ONE = 1


class Word(str, enum.Enum):
    A = "a"


class Day(dt.date, enum.Enum):
    FIRST = 2020, 1, 1


class Right(enum.Flag):
    READ = 1
    WRITE = 2


class Bit(enum.IntFlag):
    LOW = 1
    HIGH = 2


def enums():
    for member in (*Color, *Number, *Word, *Day, *Right, *Bit, Right.READ | Right.WRITE, Bit.LOW | Bit.HIGH):
        tell(f"{type(member).__name__}.{member._name_}", member)
    tell("Bit(0)", Bit(0))
    tell(None, Right(0))


# ---- re ----


def patterns():
    for text, flags in (("a+", 0), ('a"b', re.I), ("it's", re.I | re.M | re.X), (b"a\x00\xff'", re.S), ("ä\n\\d", 0), ("x", re.A), ("x" * 150, 0), ("\"'", 0),
                        (b"x", re.L), ("\x7f\x80\u200b\U000e0001", 0)):
        as_repr(re.compile(text, flags))
    as_repr(re.match("(a)(b)", "abc"), re.search("b", "abc"), re.search(b"b", b"a\xffbc"), re.match("x?", ""), re.match("é+", "éé€"),
            re.search("c", "abc").re)
    memory = bytearray(b"abc")
    found = re.match(b"abc", memory)
    del memory[:]
    tell(None, found)


# ---- collections ----


class Queue(collections.deque):
    __slots__ = ("a", "z")


class Sorted(collections.OrderedDict):
    pass


def containers():
    long = collections.deque(range(-100, 3))
    for _ in range(100):
        long.popleft()
    empty = collections.deque([1])
    empty.pop()
    as_repr(long, empty)
    tell("deque([1, [2]])", collections.deque([1, [2]], 5))
    own = Queue("ab")
    own.z = 5
    tell("Queue(['a', 'b'])", own)
    own.appendleft("c")
    own.clear()
    tell("Queue([])", own)
    ordered = collections.OrderedDict(a=1, b=2, c=3)
    ordered.move_to_end("a")
    ordered["d"] = 4
    del ordered["b"]
    tell("collections.OrderedDict({'c': 3, 'a': 1, 'd': 4})", ordered)
    ordered.move_to_end("d", last=False)
    tell("collections.OrderedDict({'d': 4, 'c': 3, 'a': 1})", ordered)
    dict.__delitem__(ordered, "c")  # behind its back
    tell("collections.OrderedDict({'d': 4, 'a': 1})", ordered)
    ordered.clear()
    tell("Sorted({1: 2})", Sorted({1: 2}))


# ---- attributes ----


@dataclasses.dataclass(slots=True)
class Point:
    z: int
    a: int
    m: int = 3


@dataclasses.dataclass
class Late:
    z: int = dataclasses.field(init=False)
    a: int = 1

    def __post_init__(self):
        self.other = 2
        self.z = 5


@dataclasses.dataclass(slots=True)
class Below(Point):
    b: int = 4


def attributes():
    tell("<Point z=1 a=2 m=3>", Point(1, 2))
    tell("<Late z=5 a=1 other=2>", Late())
    tell("<Below z=1 a=2 m=3 b=4>", Below(1, 2))
    part = Point.__new__(Point)
    tell("<Point>", part)
    part.m = 1
    tell("<Point m=1>", part)
    of = Late()
    tell("<weakref; to 'Late'>", weakref.ref(of))
    tell("<weakref; dead>", weakref.ref(Late()))


for part in (dates, numbers, paths, enums, patterns, containers, attributes):
    part()
with open(sys.argv[1], "w", encoding="utf-8") as f:
    json.dump(expected, f)
