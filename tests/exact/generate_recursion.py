"""Random programs of functions that call themselves: generate_recursion.text(seed) does the same in
each run, and ends soon.

Each function has arms that end and arms that call it again, with less. What they are called with
are numbers whose operators are code of Python, too: they call, raise, give NotImplemented, and have
something to do when they die. Now and then a name is given another meaning.
"""
import random

HEADER = '''\
# two-runs
class Number:
    """Its operators are code of Python."""
    def __init__(self, n): self.n = n
    def __int__(self): return self.n
    def __index__(self): return self.n
    def __mod__(self, other): return self.n % other

    def __sub__(self, other):
        other_call(self.n)
        return type(self)(self.n - int(other))

    def __lt__(self, other): return self.n < int(other)

    def __le__(self, other):
        other_call(1)
        return self.n <= int(other)

    def __gt__(self, other): return self.n > int(other)
    def __eq__(self, other): return self.n == int(other)
    def __bool__(self): return self.n > 0

    def __add__(self, other):
        if self.n % 3 == 1:
            return NotImplemented
        return Number(self.n + int(other))

    def __radd__(self, other):
        other_call(0)
        return Other(self.n + int(other))


class Other(Number):
    def __radd__(self, other): return Other(self.n + int(other)) if self.n % 2 else NotImplemented


class Dies(int):
    died = 0

    def __sub__(self, other): return Dies(int(self) - int(other))

    def __del__(self):
        Dies.died += 1
        if Dies.died % 4 == 0:
            other_call(2)


class Fails(int):
    def __sub__(self, other):
        if int(self) < 3:
            raise ValueError
        return Fails(int(self) - int(other))


def other_call(n):
    return 1 if int(n) > 2 else 0


def numbers(n):
    for i in range(int(n) % 3):
        yield i


def call(function, *given):
    try:
        function(*given)
    except (TypeError, ValueError, AttributeError):
        pass


'''
TESTS = ("n < 2", "n <= 1", "n == 0 or n < 1", "not n > 1")
KINDS = ("int", "Number", "Other", "Dies", "Fails")


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names, self.calls_left = [], 0

    def pick(self, *things):
        return self.random.choice(things)

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def again(self, name, depth):
        """A call of the function itself, and little else."""
        if not self.calls_left:
            return "n"
        self.calls_left -= 1
        less = "%s(n - %s)" % (name, self.pick("1", "1", "2"))
        if self.one_in(12):
            return "(%s if n %% 2 else n)" % less
        if self.one_in(12):
            return "(%s and n - 1)" % less
        if self.one_in(12):
            return "%s(n=n - 1)" % name
        if self.one_in(8) and depth:
            return "%s(%s * 0)" % (name, self.expression(name, depth - 1))
        return less

    def expression(self, name, depth=1):
        if not self.one_in(3):
            return self.again(name, depth)
        return self.pick("n", "int(n)", "other_call(n)", "len(list(numbers(n)))", "max((n - 1, 0), key=other_call)",
                         *["%s(n - 2)" % other for other in self.names[-1:]])

    def arm(self, name):
        self.calls_left = 2
        terms = [self.expression(name) for _ in range(self.random.randint(1, 3))]
        shape = self.random.randrange(4)
        if shape == 0:
            return ["v%d = %s" % row for row in enumerate(terms)] + ["return " + " + ".join("int(v%d)" % i for i in range(len(terms)))]
        if shape == 1:
            return ["return (" + " +\n            ".join("int(%s)" % term for term in terms) + ")"]
        if shape == 2 and len(terms) > 1:
            return ["v = " + terms[0], "if int(v) % 2:", "    v = other_call(v)", "return int(v) + int(%s)" % terms[1]]
        return ["return " + " + ".join(terms)]

    def function(self):
        name = "f%d" % len(self.names)
        ends = self.pick(["return n"], ["return 1"], ["v = n", "return v"])
        indented = lambda lines: ["    " + line for line in lines]
        if self.one_in(4):
            body = ["if n > 1:", *indented(self.arm(name)), *ends]
        else:
            body = ["if %s:" % self.pick(*TESTS), *indented(ends)]
            for i in range(self.pick(0, 0, 0, 1, 2)):
                body += ["if n == %d:" % (i + 2 + self.random.randrange(3)), *indented(self.arm(name) if self.one_in(2) else ["return n - 1"])]
            body += self.arm(name)
        self.names.append(name)
        return ["def %s(n):" % name, *indented(body), "", ""]

    def part(self):
        """Lines of main."""
        name = self.pick(*self.names)
        lines = ["for _ in range(%d): call(%s, %d)" % (self.random.randint(1, 4), name, self.random.randint(2, 6))]
        lines += ["call(%s, %s(%d))" % (name, kind, self.random.randint(1, 6)) for kind in self.random.sample(KINDS, 2)]
        more = self.random.randrange(10)
        if more == 0:
            lines += ["was = %s" % name, "globals()['%s'] = %s" % (name, self.pick("other_call", "int", "numbers")), "call(was, 6)", "globals()['%s'] = was" % name]
        elif more == 1:
            lines.append("call(list, map(%s, range(5)))" % name)
        elif more == 2:
            lines += ["call(%s, 'x')" % name, "call(%s)" % name]
        return lines

    def text(self):
        lines = []
        for _ in range(self.random.randint(2, 4)):
            lines += self.function()
        parts = [line for _ in range(self.random.randint(3, 6)) for line in self.part()]
        return HEADER + "\n".join([*lines, "def main():", *("    " + line for line in parts), "", "", "for _ in range(3): main()", ""])


def text(seed):
    return Writer(seed).text()
