"""Where the programs end_*.py come to their ends: deep in calls, a loop, a generator and a try."""


def gen(n):
    for i in range(n):
        yield i


def last(n, end):
    for i in gen(5):
        try:
            if i == 3:
                print("now", flush=True)
                end()
        finally:
            n += 1


def deep(n, end):
    if n:
        deep(n - 1, end)
    else:
        last(n, end)
