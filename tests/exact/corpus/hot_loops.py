# two-runs
"""Hot code whose loops take their items from another kind of thing each time, so they are specialised in turn, or not."""
import random

ROUNDS = 300


def some(n):
    for i in range(n):
        yield i


def twice(n):
    for i in range(n):
        yield i; yield -i


def things(kind, n):
    if kind == "generator":
        return some(n)
    elif kind == "twice":
        return twice(n)
    elif kind == "list":
        return list(range(n))
    elif kind == "dict":
        return dict.fromkeys(range(n))
    return (i for i in range(n) if i != 1)


def one_line(items, more):
    total = 0
    if more:
        total += 1
    else:
        total -= 1
    for x in items: total += x
    return total


def branches(items, n):
    total = 0
    for i in range(n):
        if i % 3 == 1:
            total += 1
        elif i % 3 == 2:
            total -= 1
    for x in items: total += x; total -= 1
    for x in items:
        if x & 1: continue
        total += 1
    else:
        total += 2
    return total


def nested(items, kind, n):
    total = 0
    for x in items:
        for y in things(kind, n): total += y
        if x > 2:
            break
        for y in things(kind, n): total -= y if y else 1
    return [x for x in things(kind, n)], total


def seldom(items, n):
    """A loop that is not reached before the code is hot."""
    total = 0
    for i in range(n):
        if i & 1:
            total += 1
        else:
            total -= 1
    if n > 15:
        for x in items: total += x
        for x in items: total += x if x > 1 else 0
    return total


def ends(items, kind, n, out):
    """What is behind the last loop is on its line."""
    for i in range(n):
        if i % 3:
            out.append(i)
        else:
            out.append(-i)
    if n & 1:
        for y in things(kind, n): out.append(y)
    for x in items:
        for y in things(kind, x):
            out.append(y)


def first_of(items, n):
    """No way leads back to the loop, so no LINE keeps it from being specialised; what is behind it is on its line."""
    for i in range(n):
        if i % 3:
            abs(i)
        else:
            len("x")
    for x in items:
        return x


def generates(kind, n):
    for x in things(kind, n): yield x
    for x in things(kind, n):
        if x & 1:
            yield x
    yield from things(kind, n)


def in_turn(kinds):
    total, out = 0, []
    for number, kind in enumerate(kinds):
        n = number % 5
        total += one_line(things(kind, n), number & 1) + branches(things(kind, n), n) + seldom(things(kind, n), number % 19)
        first_of(things(kind, number % 3 and n), n)
        ends(things(kind, n), kind, n, out)
        total += nested(things(kind, n), kind, n)[1] + sum(generates(kind, n))
    return total, sum(out)


def main():
    draw = random.Random(5)
    kinds = ["dict", "list", "generator", "twice", "expression"]
    for first in kinds:
        # Fresh codes: each becomes hot while it is specialised otherwise.
        for function in (one_line, branches, nested, ends, first_of, seldom, generates):
            function.__code__ = function.__code__.replace()
        print(first, in_turn([first] * 40), in_turn([draw.choice(kinds) for _ in range(ROUNDS)]), in_turn([first, "generator"] * 20))


main()
