"""What format 1.11 added: passes that the resume after a yield implies, beside some that can come without."""


def plain(of):
    for x in of: yield x


def some(of):
    for x in of: x & 1 and (yield x)


def work():
    total = sum(x * x for x in plain(range(5)))
    total += sum(x for x in some(range(6)) if x != 3)
    total += len([x for row in [[1, 2], [], [3]] for x in (y for y in row)])
    left = plain(range(3))
    next(left), next(left)
    return total + sum(y for row in ([1, 2], [], [3]) for y in row)


work()
