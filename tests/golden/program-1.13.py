"""What format 1.13 added: what each line made of the variables of its frame."""


def count(limit):
    total = 0
    for n in range(limit):
        total += n
    del n
    return total


def grow():
    rows = []
    table = {"k": 1}
    rows.append(table)
    table["k"] = 2
    (first, *others), password = [1, 2, 3], "hunter2"
    if (size := len(others)) > 1:
        rows = rows + [size]
    return rows


def closure():
    seen = 0

    def step(by):
        nonlocal seen
        seen += by
        return seen

    step(2)
    step(3)
    return seen


def talk(first):
    got = yield first
    while got:
        got = yield got * 2


class Shop:
    name = "anvils"
    stock = [name, 1]

    def sell(self, item):
        self.left = 3
        try:
            left = {"anvil": 1}[item]
        except KeyError as error:
            left = error.args
        return left


def keyword(a, /, b, *more, exact=None, **named):
    b = [x * 2 for x in more]
    return b


def work():
    count(3)
    grow()
    closure()
    talking = talk("hello")
    next(talking), talking.send(4), talking.close()
    Shop().sell("anvil")
    Shop().sell("nail")
    keyword(1, 2, 3, 4, exact=True, other=None)


work()
