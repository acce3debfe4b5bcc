"""Loops on one line whose rows are known: prints [[code, line after the code's first, rows]…],
lines and further passes together.

A `for` has one row where it is entered and one a pass, its last look for an item included; a
`while` one a pass. In 3.11 a comprehension is code of its own.
"""
import asyncio
import json
import sys

OF = range(5)
ALL, ODD = len(OF), sum(n & 1 for n in OF)


async def ticks(of):
    for n in of:
        yield n


async def ticks_that_wait(of):
    for n in of:
        await asyncio.sleep(0)
        yield n


def plain(of): return sum(x for x in of)
def chosen(of): return sum(x for x in of if x & 1)
def nested(of): return sum(y for x in of for y in of)
def nested_and_chosen(of): return sum(y for x in of if x & 1 for y in of if y & 1)
def within(of): return sum(sum(y for y in of) for x in of)
def handed_on(of): return sum(x for x in (y for y in of))
async def awaited(of): return [x async for x in (y async for y in ticks(of))]
async def awaited_and_waiting(of): return [x async for x in (y async for y in ticks_that_wait(of))]
async def awaited_and_chosen(of): return [x async for x in (y async for y in ticks(of) if y & 1)]


def listed(of):
    return [x for x in of]


def in_a_set(of):
    return {x for x in of if x & 1}


def in_a_dict(of):
    return {x: y for x in of for y in of}


def generated(of):
    for x in of: yield x


def goes_round(of):
    for x in of: pass


def counts_down(n):
    while n: n -= 1


def counts_down_and_yields(n):
    while n: n -= 1; yield n


GENEXPR = ".<locals>.<genexpr>"
EXPRESSIONS = (
    (plain, {GENEXPR: [ALL + 1]}),
    (chosen, {GENEXPR: [ALL + 1]}),
    (nested, {GENEXPR: [1 + ALL + ALL * ALL]}),
    (nested_and_chosen, {GENEXPR: [1 + ALL + ODD * ALL]}),
    (within, {GENEXPR: [ALL + 1], GENEXPR + ".<genexpr>": [ALL * (ALL + 1)]}),
    (handed_on, {GENEXPR: [2 * (ALL + 1)]}),
    (awaited, {GENEXPR: [ALL + 1]}),
    (awaited_and_waiting, {GENEXPR: [ALL + 1]}),
    (awaited_and_chosen, {GENEXPR: [ALL + 1]}),
    (listed, {".<locals>.<listcomp>": [ALL + 1]}),
    (in_a_set, {".<locals>.<setcomp>": [ALL + 1]}),
    (in_a_dict, {".<locals>.<dictcomp>": [1 + ALL + ALL * ALL]}),
    (lambda of: list(generated(of)), {"generated": [0, ALL + 1]}),
    (goes_round, {"": [0, ALL + 1]}),
    (lambda of: counts_down(len(of)), {"counts_down": [0, ALL]}),
    (lambda of: list(counts_down_and_yields(len(of))), {"counts_down_and_yields": [0, ALL]}),
)


def name_of(function, of_code):
    """A comprehension is in the function's own code since 3.12, and there one line further."""
    name = "" if function.__name__ == "<lambda>" else function.__qualname__
    own = sys.version_info < (3, 12) or "comp>" not in of_code
    return (name + of_code, 0) if own else (name, 1)


expected = []
for function, codes in EXPRESSIONS:
    made = function(OF)
    if asyncio.iscoroutine(made):
        asyncio.run(made)
    for of_code, rows in codes.items():
        name, line = name_of(function, of_code)
        expected += [[name, line + at, count] for at, count in enumerate(rows) if count]
print(json.dumps(expected))
