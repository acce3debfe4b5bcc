"""What format 1.12 added: arguments, results, what generators are sent and yield, exceptions."""
import collections
import dataclasses
import datetime
import decimal
import enum
import pathlib


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


@dataclasses.dataclass
class Order:
    item: str
    count: int = 1
    size: Size = Size.SMALL


class SoldOut(ValueError):
    pass


Point = collections.namedtuple("Point", "x y")


def numbers(a, b, *more, exact=None, **named):
    return a + b + sum(more)


def texts(text, data, password="hunter2"):
    return text * 2


def containers(values, table, cycle):
    return {"values": values, "first": next(iter(table))}


def objects(order, point, when, price, path, size):
    return order, point


def kinds(function, method, module, pattern, between, part):
    return None


def book(order, stock):
    if stock < order.count:
        raise SoldOut(order.item, order.count) from KeyError("stock")
    return stock - order.count


def talk(first):
    got = yield first
    while got is not None:
        got = yield got * 2
    return "done"


class Shop:
    name = "anvils"

    def sell(self, order):
        return book(order, 1)


def work():
    numbers(1, -2, 3.5, 2**70, exact=True, other=None)
    numbers(1j, 0)
    texts("tab\tand ä" * 30, b"\x00\xff bytes")
    endless = [1]
    endless.append(endless)
    containers(list(range(50)), {"k": (1, 2), "token": "abc"}, endless)
    order = Order("anvil", 2)
    objects(order, Point(1, 2), datetime.datetime(2026, 11, 28, 10, 0, 1), decimal.Decimal("9.50"),
            pathlib.PurePosixPath("/srv/x"), Size.LARGE)
    kinds(work, Shop().sell, enum, None, range(3), slice(1, None))
    for _ in range(3):
        Shop().sell(Order("nail"))
    try:
        Shop().sell(order)
    except SoldOut:
        pass
    talking = talk("hello")
    next(talking), talking.send(4), talking.send("ab")
    try:
        talking.send(None)
    except StopIteration:
        pass
    thrown = talk(0)
    next(thrown)
    try:
        thrown.throw(SoldOut("thrown"))
    except SoldOut:
        pass


work()
