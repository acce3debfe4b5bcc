# two-runs
"""exec, eval, lambda, nested and replaced code, and code freed whose address is used again."""
import sys
import types


def fresh(i):
    space = {}
    body = "".join("    x += %d\n" % k for k in range(i % 7 + 1))
    exec("def f%d(x):\n%s    for q in range(2): x += q\n    return x\n" % (i % 5, body), space)
    return space["f%d" % (i % 5)]


addresses = set()
total = 0
for i in range(400):                    # each lives for one turn: the next one gets its address
    f = fresh(i)
    total += f(i)
    addresses.add(id(f.__code__))
    del f
print(total, len(addresses) < 400)

for i in range(300):
    total += eval("[x for x in range(%d) if x %% 3]" % (i % 9 + 1)).__len__()
    total += eval("(lambda a: a +\n %d)(1)" % i)
    exec("if %d: total_%d = 1\nelse:\n pass" % (i % 2, i % 3), {})
print(total)


def make(n):
    def outer(a):
        def inner(b):
            return (lambda c: c + a + b)(n)
        return inner
    return outer


for i in range(20):
    total += make(i)(i)(i)


def template(x):
    if x:
        return "one"
    return "two"


for first in (1, 500, 70_000, 2_000_000):
    code = template.__code__.replace(co_firstlineno=first, co_name="named%d" % first)
    f = types.FunctionType(code, globals())
    print(f(0), f(1), f.__code__.co_firstlineno)
    template.__code__ = code
    template(0)
if sys.version_info >= (3, 12):                         # 3.11 reads memory that nobody has written, and calls it lines
    no_lines = types.FunctionType(template.__code__.replace(co_linetable=b""), globals())
    print(no_lines(0), no_lines(1))
for size in (10, 300, 70_000):
    space = {}
    exec(compile("\n" * size + "def far(x):\n  for i in range(x):\n\n    x += i\n  return x\n\n\ny = far(3)\nz = [far(q)\n for q in\n range(2)]",
                 "<far %d>" % size, "exec"), space)
    print(space["y"], space["far"].__code__.co_firstlineno)
apart = {}
exec(compile("def apart(x):\n  y = x\n" + "\n" * 66_000 + "  for q in range(2):\n    y += q\n" + "\n" * 40_000 + "  return y\n", "<apart>", "exec"), apart)
print(apart["apart"](1))
same = [compile("a = 1\nb = a\n", "<same>", "exec") for _ in range(5)]      # equal, and not the same
for c in same + same:
    exec(c, {})


class Local:
    exec("def method(self):\n    return [self for _ in range(2)]")
    attribute = [y for y in range(3)]


print(len(Local().method()), len(Local.attribute))
