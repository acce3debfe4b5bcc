# two-runs min=3.12
"""Hot functions that call themselves, and all that can come between the calls."""
import sys
import types


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def factorial(n):
    if n == 0:
        return 1
    return n * factorial(n - 1)


def leaf_last(n):
    if n > 1:
        return leaf_last(n - 2) + leaf_last(n - 1)
    return n


def tak(x, y, z):
    if y >= x:
        return z
    return tak(tak(x - 1, y, z),
               tak(y - 1, z, x),
               tak(z - 1, x, y))


def hanoi(n, a, b, c):
    if n == 0:
        return 0
    left = hanoi(n - 1, a, c, b)
    moves = left + 1
    right = hanoi(n - 1, c, b, a)
    return moves + right


def binary(n):
    if n == 0:
        return None
    left = binary(n - 1)
    return left, binary(n - 1)


def either(n):
    if n < 2:
        return n
    return either(n - 1) if n % 3 else either(n - 2) + either(n - 3)


def three_ways(n):
    if n < 2:
        return n
    if n == 4:
        return three_ways(n - 1)
    if n == 5:
        return three_ways(n - 1) - three_ways(n - 4)
    return three_ways(n - 1) + three_ways(n - 2)


def warm():
    for _ in range(3):
        assert fib(12) == 144
        assert leaf_last(12) == 144
        ackermann(2, 6)
        factorial(60)
        tak(8, 4, 2)
        hanoi(7, "a", "b", "c")
        binary(7)
        for n in range(14):
            either(n)
            three_ways(n)


class Number:
    """Its operators are code of Python, and run at units of those that call themselves."""

    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        return self.n < other

    def __gt__(self, other):
        return self.n > other

    def __eq__(self, other):
        return self.n == other

    def __sub__(self, other):
        return Number(self.n - other)

    def __add__(self, other):
        if getattr(other, "n", other) % 2:
            return Number(self.n + getattr(other, "n", other))
        if type(self) is type(other):
            return Odd(self.n + other.n)
        return NotImplemented

    def __radd__(self, other):
        return Odd(getattr(other, "n", other) + self.n)

    def __mul__(self, other):
        return Number(self.n * getattr(other, "n", other))

    def __rmul__(self, other):
        return Number(self.n * other)


class Odd(Number):
    """The other operand's."""

    def __radd__(self, other):
        return NotImplemented if self.n % 3 == 0 else Number(getattr(other, "n", other) + self.n)


class Calls(Number):
    """An operator that calls a function that calls itself."""

    def __sub__(self, other):
        fib(3)
        return Calls(self.n - other)

    def __lt__(self, other):
        fib(2)
        return fib(4) < 0 or self.n < other


class Dies(int):
    """Its end is code of Python, which runs while the frame that it lived in is being taken down."""
    ends = 0

    def __sub__(self, other):
        return Dies(int(self) - other)

    def __del__(self):
        Dies.ends += 1
        if Dies.ends % 3 == 0:
            fib(2)


class Fails(int):
    """Raises when it has become small."""

    def __sub__(self, other):
        if self < 4:
            raise ValueError(int(self))
        return Fails(int(self) - other)


def operators():
    for n in range(1, 7):
        for kind in (Number, Calls):
            try:
                fib(kind(n))
            except TypeError:
                pass
        factorial(Number(n))
        try:
            hanoi(Number(n), 1, 2, 3)
        except TypeError:
            pass
    for n in range(1, 9):
        fib(Dies(n))
        tak(Dies(n), Dies(2), Dies(1))
        either(Dies(n))
        three_ways(Dies(n))


def raises():
    for n in range(3, 9):
        for call in (fib, leaf_last, factorial, binary):
            try:
                call(Fails(n))
            except ValueError as error:
                assert error.args[0] < 4
        for call in (fib, factorial, binary):
            try:
                call("x" * n)
            except TypeError:
                pass


# ---- the name means something else ----

def named(n):
    if n < 2:
        return leave(n)
    return named(n - 1) + named(n - 2)


def leave(n):
    global named, left
    left -= 1
    if not left:
        named = other
    return n


def other(n):
    return n


left = 0


def renamed():
    global named, left
    own = named
    for left in (-1, 1, 7, 20, 33):
        for _ in range(3):
            own(9)
        named = own
        own(9)
    named = int
    own(9)
    named = lambda n: own(n - 1)
    own(6)
    del named
    try:
        own(9)
    except NameError:
        pass
    named = own
    own(9)


def counted(n):
    if n < 2:
        return n
    return counted(n - 1) + counted(n - 2)


def changed():
    for _ in range(3):
        counted(9)
    globals()["coun" + "ted"] = other
    before = counted
    globals().update(counted=changed.own)
    assert before is other
    counted(9)
    counted.__code__, code = (lambda n: n * 2).__code__, counted.__code__
    assert counted(9) == 18
    counted.__code__ = code
    counted(9)
    elsewhere = types.FunctionType(code, {"counted": abs})
    elsewhere(9)
    elsewhere(1)
    counted(9)
    other.__code__ = code
    counted(9)
    other(9)


changed.own = counted


def replaced(n):
    if n < 2:
        return n
    return replaced(n - 1) + replaced(n - 2)


class Replaces(Number):
    """Gives the name another meaning between two calls."""

    def __sub__(self, other):
        global replaced
        if self.n == 3 and other == 2:
            replaced = Replaces.to
        return Replaces(self.n - other)


def replaces():
    global replaced
    own = replaced
    for to in (len, other, own, lambda n: n):
        Replaces.to = to
        for _ in range(3):
            own(8)
        try:
            own(Replaces(5))
        except TypeError:
            pass
        replaced = own
        own(8)


# ---- from C, and back ----

def tree(n):
    if n == 0:
        return 1
    return sum(map(tree, (n - 1, n - 1))) + tree(n - 1)


def by_key(n):
    if n < 2:
        return n
    first = by_key(n - 1)
    return len(sorted((n - 1, n - 2, 0), key=by_key)) + first


def through_c():
    for n in range(5):
        tree(n)
        by_key(n)
        list(map(fib, range(n)))
        sorted(range(7), key=fib)
        max((3, 4, 5), key=factorial)
    sum(fib(n) for n in range(6))


def flat(n):
    if n < 1:
        return [n]
    return flat(n - 1) + list(items(n))


def items(n):
    yield n
    yield fib(n)


def mixed():
    for n in range(8):
        flat(n)


def even(n):
    if n == 0:
        return True
    return odd(n - 1)


def odd(n):
    if n == 0:
        return False
    return even(n - 1)


def rounds():
    for n in range(30):
        even(n)


# ---- one code, several functions ----

SOURCE = """
def walk(n):
    if n < 2:
        return n
    return walk(n - 1) + walk(n - 2)
for _ in range(3):
    walk(9)
"""


def twice():
    code = compile(SOURCE, "walk.py", "exec")
    first, second = {}, {}
    exec(code, first)
    exec(code, second)
    second["walk"](9)
    first["walk"](9)
    second["walk"] = str
    first["walk"](9)
    third = {}
    exec(code, third)
    own, third["walk"] = third["walk"], int
    own(9)


def traced():
    def trace(frame, event, arg):
        return trace

    fib(9)
    sys.settrace(trace)
    fib(5)
    sys.settrace(None)
    fib(9)


warm()
operators()
raises()
renamed()
changed()
replaces()
through_c()
mixed()
rounds()
twice()
warm()
operators()
traced()
warm()
