# two-runs
"""Generators: send, throw, close, delegation, closed by the collector; iterators that raise."""
import contextlib
import gc
def g1(n):
    for i in range(n):
        if i % 3 == 0:
            yield i
        elif i % 3 == 1:
            x = yield -i
            if x: return x
        else:
            try:
                yield 100
            except ValueError:
                yield 'caught'
            finally:
                y = 1
def g2(n):
    r = yield from g1(n)
    if r:
        yield r
    yield from range(2)
    yield from (i for i in [1,
                            2])
    return r
def drive():
    for n in range(8):
        for x in g1(n): pass
        for x in g2(n):
            if x == 100: break
        g = g2(n)
        try:
            while True:
                v = next(g)
                if v == 100:
                    v = g.throw(ValueError)
                elif v == -4:
                    g.send(7)
        except StopIteration as e:
            z = e.value
        g = g2(n)
        for _ in zip(range(3), g): pass
        g.close()
        g = g2(n)
        next(g, 0); next(g, 0)
        try: g.throw(KeyError)
        except (KeyError, StopIteration): pass
        del g
        g = g1(9); next(g); next(g); next(g)
        del g
    def tree(n):
        if n:
            yield from tree(n - 1)
            yield n
            yield from tree(n - 1)
    list(tree(5))
    def tree2(n):
        if n:
            for q in tree2(n - 1): yield q
            yield n
            for q in tree2(n - 1):
                yield q
    list(tree2(5))
    def one(): yield 1; yield 2
    list(one())
    for q in one(): pass
    for q in one(): continue
    def stopper():
        yield 1
        raise StopIteration
    try: list(stopper())
    except RuntimeError: pass
    def ig():
        try:
            yield 1
        except GeneratorExit:
            yield 2
    x = ig(); next(x)
    try: x.close()
    except RuntimeError: pass
    del x
    def fin():
        try:
            yield 1
            yield 2
        finally:
            drive2()
    for q in fin():
        break
    def fin2():
        with ctx(1):
            yield from fin()
    for q in fin2(): break
    any(q for q in fin2())
    next(fin2())
    gc.collect()
    max((i for i in range(5)), key=lambda q: -q)
    sum(i for i in g1(7) if isinstance(i, int))
    [*g1(4)]; {**{i: 1 for i in range(3)}}
    a, *b = g1(6)
    a, b = (i for i in (1, 2))
    'x'.join(str(i) for i in range(3))
def drive2():
    return [i for i in g1(3)]
@contextlib.contextmanager
def ctx(sup):
    try:
        yield 1
    except KeyError:
        if not sup: raise
    finally:
        pass
def withs():
    for i in range(6):
        with ctx(1) as a:
            if i == 2: raise KeyError
            if i == 3: continue
            if i == 4: break
        try:
            with ctx(0), ctx(0):
                if i: raise KeyError
        except KeyError:
            pass
class It:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        self.n -= 1
        if self.n < 0: raise StopIteration
        return self.n
def its():
    for i in It(4):
        for j in It(i): pass
        else: k = 1
    return [x for x in It(3)]
for _ in range(3):
    drive(); withs(); its()
