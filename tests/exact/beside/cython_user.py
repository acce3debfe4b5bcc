import fast


def double(i):
    return i * 2


def bad():
    raise ValueError


print(fast.outer(double, 3), list(fast.numbers(3)), fast.fails(bad))
try:
    fast.fails(double.__class__)
except (KeyError, TypeError) as e:
    print(repr(e))
print(sorted([3, 1, 2], key=lambda v: fast.outer(double, v)))
