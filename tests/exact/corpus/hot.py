# two-runs
"""Code that is hot: names that are looked up by code of Python, are not there, or come later; others that listen, come and go."""
import builtins
import functools
import itertools
import os
import sys

ROUNDS = 1200


def helper(x):
    if x % 3:
        return abs(x)
    return helper(x + 1)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def loops(n):
    total = 0
    for i in range(n):
        if i % 5 == 0:
            total += helper(i)
        elif i % 5 == 1:
            helper(total)
        elif i % 5 == 2:
            total -= 1
        elif i % 5 == 3:
            continue
        else:
            abs(
                total)
    return total


def misses(n):
    """A name that is not there now and then, where it was the first thing to be looked up."""
    found = 0
    for i in range(n):
        if i % 7 == 3:
            globals().pop("comes_and_goes", None)
        elif i % 7 == 5:
            globals()["comes_and_goes"] = helper
        try:
            if i % 2:
                comes_and_goes(i)
                found += 1
            else:
                found += 0
        except NameError:
            found -= 1
        if i % 11 == 0:
            found += missed(i)
    return found


def missed(i):
    try:
        return raises(i)
    except NameError as error:
        return len(str(error))


def raises(i):
    if i % 2:
        return not_here(i)
    return also_not_here


class Names(dict):
    """Global names, and builtins, that code of Python looks up: a call where no call stands."""

    def __init__(self, *args):
        super().__init__(*args)
        self.asked = 0

    def __getitem__(self, name):
        self.asked += 1
        if self.asked % 50 == 0:
            raise KeyError(name)
        if name == "deep" and self.asked < 400:
            return self["step"] and super().__getitem__(name)
        return super().__getitem__(name)

    def __missing__(self, name):
        if name.startswith("made"):
            return len
        raise KeyError(name)


SOURCE = '''
def step(n):
    if n < 2:
        return deep
    return step(n - 1)

def deep(n):
    if n % 3:
        made_up("x")
        n += 1
    else:
        nothing
        n -= 1
    return later(n)

def later(n):
    if n > 3:
        return later
    return print

def generates(n):
    for i in range(n):
        if i % 2:
            step
        else:
            yield i
            deep
        yield made_up

def run(n):
    done = 0
    for i in range(n):
        try:
            if i % 4 == 1:
                deep(i)
            elif i % 4 == 2:
                step(3)
            elif i % 4 == 3:
                for _ in generates(3):
                    done += 1
            else:
                later(i)
        except NameError:
            done += 1
    return done
'''


def odd_names():
    names = Names()
    names.update(print=print, NameError=NameError, range=range, __name__="odd")
    code = compile(SOURCE, __file__, "exec")
    exec(code, names)
    first = names["run"](200)
    plain = dict(__name__="plain", made_up=len, nothing=0)
    exec(code, plain)
    second = plain["run"](ROUNDS)
    # The code is hot by now, and runs with other names.
    run = type(plain["run"])(plain["run"].__code__, names)
    return first, second, run(200), plain["run"](100)


class Odd:
    """A name that is no str, and compares as one."""

    def __init__(self, name):
        self.name = name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        if other == self.name:
            return True
        return False


def collides(n):
    total = 0
    for i in range(n):
        if i % 2:
            sought(i)
        else:
            total += 1
    return total


def odd_keys():
    globals()["sought"] = abs
    before = collides(ROUNDS)
    del globals()["sought"]
    globals()[Odd("sought")] = abs
    after = collides(100)
    for key in [key for key in globals() if isinstance(key, Odd)]:
        del globals()[key]
    return before, after


class Builtins(dict):
    def __getitem__(self, name):
        if name == "abs":
            return helper
        return super().__getitem__(name)


def odd_builtins():
    names = {"__builtins__": Builtins(vars(builtins)), "helper": helper}
    exec("def f(n):\n  t = 0\n  for i in range(n):\n    if i % 2:\n      abs(i)\n      t += 1\n    else:\n      len('x')\n  return t\n", names)
    return names["f"](300)


def generators(n):
    for i in itertools.count():
        if i >= n:
            return helper
        elif i % 3:
            yield helper(i)
        else:
            yield i


def forks(n):
    """Children of a fork where a name is looked up."""
    class Forks(dict):
        def __missing__(self, name):
            if name == "child":
                pid = os.fork()
                if not pid:
                    return lambda: os._exit(7)
                os.waitpid(pid, 0)
                return lambda: None
            raise KeyError(name)

    names = Forks(range=range)
    exec("def f(n):\n  for i in range(n):\n    if i % 2:\n      child()\n      x = i\n    else:\n      x = 1\n  return x\n", names)
    plain = {"child": lambda: None}
    function = type(names["f"])(names["f"].__code__, plain)
    function(ROUNDS)
    return names["f"](n)


@functools.lru_cache
def cached(n):
    if n < 3:
        return n
    return cached(n - 1) + cached(n - 3)


def main():
    print(fib(17), loops(ROUNDS), misses(ROUNDS))
    print(odd_names())
    print(odd_keys())
    print(odd_builtins())
    print(sum(1 for _ in generators(ROUNDS)), cached(300) % 1000)
    sys.stdout.flush()
    print(forks(4))
    print(fib(15))


main()
