"""What format 1.7 added: yields without an event, of generators whose returns have one; beside yields that are handed on, which have theirs."""


def numbers(n):
    for i in range(n):
        if i & 1:
            yield -i
        else:
            yield i


def handed_on(n):
    got = yield from numbers(n)
    yield got


def guarded():
    try:
        yield 1
        yield 2
    except KeyError:
        yield 3


def work():
    total = sum(x * x for x in numbers(5))
    total += len([x for x in handed_on(3)])
    g = guarded()
    next(g)
    total += g.throw(KeyError(total))
    left = numbers(3)
    next(left)
    return total


work()
