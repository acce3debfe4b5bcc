# two-runs
"""Loops, finally, with, match, comprehensions, exception groups, one-line functions and lines of many parts."""
import sys
def nested(n):
    t = 0
    for i in range(n):
        for j in range(i):
            if j & 1:
                t += 1
            elif j % 3 == 0:
                t -= 1
            else:
                continue
            if t > 50:
                break
        else:
            t += 2
        while t > 20:
            t -= 3
            if t == 21: break
        else:
            t += 1
    else:
        t *= 2
    return t
def tryloop(n):
    r = []
    for i in range(n):
        try:
            if i % 5 == 0:
                continue
            if i % 7 == 6:
                break
            if i % 3 == 0:
                raise ValueError(i)
            if i % 4 == 0:
                {}[i]
            r.append(i)
        except ValueError as e:
            r.append(-1)
            if i == 9: continue
        except KeyError:
            r.append(-2)
        else:
            r.append(100)
        finally:
            r.append(-9)
            if i == 11:
                r.append(1)
    return r
def fin(n):
    for i in range(n):
        try:
            try:
                if i == 0: return 1
                if i == 1: raise KeyError
            finally:
                x = 2
        except KeyError:
            return 5
        finally:
            if i == 2:
                return 9
class S:
    def __init__(self, sup): self.sup = sup
    def __enter__(self):
        return self
    def __exit__(self, *a):
        return self.sup
def withs(n):
    out = 0
    for i in range(n):
        with S(True) as a, S(False) as b:
            if i == 1: continue
            if i == 2:
                raise ValueError
            if i == 3: break
            out += 1
        with S(True): raise KeyError
        with S(True):
            with S(False): 1/0
            out += 9
    with S(False):
        return out
def oneloop(n):
    for i in range(n): pass
    k = 0
    while k < n: k += 1
    for i in range(n): (lambda: i)()
    return [q for q in range(n) if q % 2]
def multi(a, b, c):
    x = (a and
         b or
         c and
         a)
    y = foo(a,
            b,
            *[c,
              a],
            z=(b
               if a
               else c))
    if (a < b <
            c <= 10 and
            not a
            or c):
        y += 1
    z = [
        foo(1,
            2),
        a
        + b
        + c,
    ]
    while (n := a - 1) > 0: a -= 1
    s = ("a"
         f"{a}"
         f"{b!r}")
    return (x,
            y,
            z)
def foo(*a,
        z=0):
    return len(a) + (z or 0)
def m(v):
    match v:
        case 0 | 1:
            return 'small'
        case [a, b, *c] if a == b:
            return 'pair'
        case [a, *_]:
            r = a
        case {'k': k, **rest}:
            r = k
        case S(sup=True):
            r = 'S'
        case str() as s if len(s) > 3:
            r = s
        case _:
            r = None
    return r
one = lambda x: x + 1
def oneline(x): return x * 2
def oneif(x):
    if x: return 1
    else: return 2
def deep(n):
    if n == 0:
        raise RuntimeError('x')
    try:
        deep(n - 1)
    except ValueError:
        pass
def rec(n):
    return 1 if n < 2 else rec(n - 1) + rec(n - 2)
def comp(n):
    a = [i for i in range(n)]
    b = {i: j
         for i in range(n)
         for j in range(i)
         if i ^ j}
    c = {(i,
          one(i)) for i in a}
    d = list(i for i in a
             if i & 1)
    e = [[j for j in range(i)] for i in range(3)]
    try:
        f = [1 // (i - 3) for i in range(5)]
    except ZeroDivisionError:
        f = None
    try:
        f = [1
             // (i - 3)
             for i
             in range(5)]
    except ZeroDivisionError:
        f = 1
    return a, b, c, d, e, f
def deco(x):
    def w(f):
        return f
    return w
@deco(
    1)
@deco(2)
def decorated(a=one(
        2),
        b=3):
    return a
class K(
        dict,
        metaclass=type):
    x = 1
    for y in range(3):
        if y: z = y
    def __del__(self):
        LOG.append(1)
    @property
    def p(self): return self.x
    @p.setter
    def p(self, v):
        self.q = v
    def __getattr__(self, n):
        if n == 'nope': raise AttributeError(n)
        return n
    def __getitem__(self, i):
        return i
    def __lt__(self, o): return id(self) < id(o)
LOG = []
def attrs(c):
    k = K()
    for i in range(20):
        v = k.p if i & 1 else k.zz
        k.p = i
        u = k[i] if c else k[0]
        q = one(i) if i & 2 else oneline(i)
        q = one(
            i) if i & 2 else oneline(
            i)
        try: k.nope
        except AttributeError: pass
        k = K()
    del k
    return sorted([K() for _ in range(5)], key=lambda x: (
        id(x)))
def egs():
    for k in range(4):
        try:
            try:
                if k == 3: raise ValueError
                raise ExceptionGroup('g', [ValueError(1), KeyError(2)] + [TypeError(3)] * (k > 1))
            except* ValueError as e:
                x = 1
            except* KeyError:
                x = 2
                if k == 1:
                    raise OSError
            else:
                x = 3
            finally:
                x = 4
        except* TypeError:
            x = 5
        except* OSError:
            x = 6
def asserts(x):
    assert x, (
        'no')
    assert one(x)
    del x
    global GG
    GG = 1
    import os, \
        sys
    from os import (path,
                    sep)
for _ in range(3):
    nested(12); tryloop(15)
    for i in range(4): fin(i)
    withs(6); oneloop(5)
    for a in range(3):
        for b in range(3):
            for c in range(3): multi(a, b, c)
    for v in (0, [1, 1, 2], [1, 2], {'k': 1, 'j': 2}, S(True), S(False), 'abcd', 'ab', []): m(v)
    one(1); oneline(2); oneif(0); oneif(1)
    try: deep(5)
    except RuntimeError: pass
    rec(8); comp(6); decorated(); attrs(0); attrs(1)
    try: egs()
    except BaseException as e: pass
    asserts(1)
    try: asserts(0)
    except AssertionError: pass
    exec(compile("\n" * 70000 + "x = 1\nfor q in range(3):\n  y = q\nz=1", "<odd>", "exec"))
    eval("[i for i in range(3)]")
    exec("try: 1/0\nexcept: pass\nfinally: x=2")
