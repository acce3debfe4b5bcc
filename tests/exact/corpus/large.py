# two-runs
"""Large code: rows of branches and loops that are searched in parts, long straight modules and
functions."""
ROWS = 300


def build(text):
    names = {}
    exec(compile(text, "large.txt", "exec"), names)
    return names


def branches(row):
    return f"    if x % {row % 7 + 2}:\n        n += 1\n        x += {row % 3}\n"


def loops(row):
    return f"    for i in range(x % {row % 3 + 1}):\n        if i:\n            n += i\n            continue\n        n += 2\n"


def tries(row):
    return f"    try:\n        if x % {row % 5 + 2} == 0:\n            raise ValueError\n        n += 1\n    except ValueError:\n        n += 2\n"


def inside(row):
    return f"        if x % {row % 7 + 2}:\n            n += 1\n        else:\n            n += x % 2\n            x += 1\n"


def suspends(row):
    return f"    if x % {row % 7 + 2}:\n        n += yield n\n    n += 1\n"


def function(head, row):
    return build("def f(x):\n    n = 0\n" + head + "".join(map(row, range(ROWS))) + "    return n\n")["f"]


for row in branches, loops, tries:
    f = function("", row)
    print(row.__name__, [f(x) for x in range(8)])

f = function("    while n < 500:\n", inside)
print("inside", [f(x) for x in range(8)])

made = function("", suspends)
for x in range(3):
    frame = made(x)
    total, sent = 0, None
    try:
        while True:
            total += frame.send(sent)
            sent = 1
    except StopIteration as end:
        print("suspends", total, end.value)



def straight(middle):
    """It is called more than once, calls, and raises in its middle."""
    half = "    n += x\n" * (4 * ROWS)
    names = build("def f(x, *, n=1):\n" + half + middle + half + "    return n\n")
    return names["f"]


f = straight("    n = abs(n) + max((y for y in (x, n)))\n")
print("straight", [f(x, n=x) for x in range(4)])
f = straight("    n += 1 // (x % 2)\n")
for x in range(4):
    try:
        print("odd", f(x))
    except ZeroDivisionError:
        print("even", x)

print("module", build("x = 0\n" + "x += 1\n" * 3000 + "y = x\n")["y"])
print("row", build("x = 0\n" + "x += 1\nif x % 3:\n    x += 1\n" * 1000 + "y = x\n")["y"])
