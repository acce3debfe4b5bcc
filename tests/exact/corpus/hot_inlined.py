# two-runs
"""Hot code in which a property, a method of subscription, a call or a coroutine runs in place, and on 3.12 a LINE follows on the same line where it did."""
import asyncio
import random

ROUNDS = 400


class Thing:
    def __init__(self, value):
        self._value = value
        self.plain = value

    @property
    def value(self):
        return self._value

    def __getitem__(self, key):
        return self._value + key

    def call(self, more):
        return self._value - more


class Other(Thing):
    value = 7


def attributes(thing, given):
    box = {}
    box["a"] = given or thing.value
    box["b"] = given if given else thing.plain
    if given:
        box["c"] = given and thing.value
    else:
        box["c"] = 1
    return box["a"] + box["b"] + box["c"]


def subscripts(thing, given):
    a = given or thing[3]
    if a & 1:
        a += 1
    b = thing[a] if given else thing[1]
    return a + b


def calls(function, given):
    a = given or function(3)
    if a & 1:
        a += 1
    return [given or function(a), a]


def lines(thing, given, n):
    total = 0
    for i in range(n):
        x = given or thing.value; total += x
        y = (given or
             thing.value)
        if i & 1:
            total += y
        elif i & 2:
            total -= y
        else:
            continue
    return total


def first_on_its_line(thing, given):
    x = (given or
         thing
         .value)
    y = [x,
         given or thing
         .value
         ]
    if given:
        x += 1
    return x + y[1]


def name_first(given):
    x = given or THING.value
    if x & 1:
        x += 1
    y = (given or
         THING.value)
    z = (given or
         THING.value), x
    return x + y + sum(z) + (given or COUNT(x))


async def answer(x):
    return x


class Waits:
    def __init__(self, x):
        self.x = x

    def __await__(self):
        return self.x
        yield


async def awaits(thing, given):
    x = given or await answer(3); x += 1
    y = given or await thing
    if x & 1:
        x += 1
    else:
        x -= 1
    return x + (y or 0)


async def all_awaits(r):
    total = 0
    for i in range(ROUNDS):
        kind = r.randrange(3)
        thing = Waits(4) if kind == 0 else answer(2) if kind == 1 else asyncio.sleep(0, 3)
        total += await awaits(thing, 0)
    return total


THING = Thing(5)


def COUNT(x):
    return x + 1


def main():
    r = random.Random(4)
    things = [Thing(4), Other(5), THING]
    functions = [COUNT, abs, THING.call, int, lambda x: x]
    total = 0
    for i in range(ROUNDS):
        # Of one kind first, so that it is specialised; then of all.
        thing = things[0] if i < ROUNDS // 2 else r.choice(things)
        function = functions[0] if i < ROUNDS // 2 else r.choice(functions)
        given = r.choice([0, 0, 1])
        total += attributes(thing, given) + subscripts(thing, given) + sum(calls(function, given))
        total += lines(thing, given, i % 7) + first_on_its_line(thing, given) + name_first(given)
    print(total, asyncio.run(all_awaits(r)))


main()
