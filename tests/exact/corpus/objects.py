# two-runs
"""Metaclasses, descriptors, operators, __del__, replaced code, a long function, odd syntax."""
import functools, os, sys, types, weakref
class D:
    def __init__(self, n): self.n = n
    def __del__(self):
        if self.n > 0:
            D(self.n - 1)
        for i in range(2): self.n
def dels():
    for i in range(5):
        x = D(i)
        y = [x]
        x = None
        y = None
    D(3)
    return (D(1),
            D(2))[0].n
def helper(i):
    if i > 50:
        return 1
    x = 2
    return x
class Meta(type):
    def __new__(m, n, b, d, **k):
        for q in d: pass
        return super().__new__(m, n, b, d)
    def __call__(c, *a):
        if a:
            return super().__call__(*a)
        return super().__call__(1)
    def __instancecheck__(c, o): return True
    def __prepare__(n, b, **k): return {}
    __prepare__ = classmethod(lambda m, n, b, **k: {})
class Desc:
    def __get__(self, o, t):
        if o is None: return self
        return o.v
    def __set__(self, o, v): o.v = v
    def __set_name__(self, o, n): self.n = n
class B(metaclass=Meta):
    d = Desc()
    def __init__(self, a): self.d = a
    def __init_subclass__(cls, **k):
        cls.z = 1
    def __eq__(self, o): return self.d == o.d
    def __hash__(self): return hash(self.d)
    def __add__(self, o):
        if isinstance(o, B): return B(self.d + o.d)
        return NotImplemented
    def __radd__(self, o): return 3
    def __contains__(self, x): return x
    def __bool__(self): return self.d > 2
    def __call__(self, *a, **k):
        return a
    def __len__(self): return 3
    def __iter__(self):
        yield 1
        yield 2
    def __format__(self, s): return 'f'
    def __repr__(self):
        return 'r'
    def __getattribute__(self, n):
        return object.__getattribute__(self, n)
    def __setattr__(self, n, v):
        object.__setattr__(self, n, v)
class C(B, a=1): pass
def objs():
    for i in range(5):
        b = B(i); c = C(); x = b + c; x = 1 + b
        if b and (i in b
                  or b == c):
            x = b(*b, **{'k': 1})
        while b:
            b = B(0)
        x = (b if c else
             c)
        assert isinstance(3, B)
        {b: 1, c: 2}; f'{b} {c!r}'; len(b)
        x = B(1) if i else B(2); x = (B(1) if i else B(2)); y = b.d if i else c.d
        sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: a - b))
        list(map(lambda q: q if q else -q, range(3)))
        list(filter(
            helper, range(3)))
        functools.reduce(lambda a, b: a + b, [1, 2, 3])
        del b, c
def long():
    src = ['def f(x):', ' t = 0', ' for i in range(x):']
    for k in range(400):
        src.append('  if i %% %d == 3: t += %d' % (k + 2, k))
        if k % 50 == 0: src += ['  else:', '   t -= 1', '   if t < -10: break']
    src += ['  try:', '   t += a%d' % 1, '  except NameError:', '   t -= 1', ' return t']
    ns = {}
    exec('\n'.join(src), ns)
    return ns['f'](30)
def replace():
    def f(x):
        if x:
            return 1
        return 2
    f(0)
    h = types.FunctionType(f.__code__.replace(co_firstlineno=1000, co_name='h'), globals())
    h(1); h(0)
    f.__code__ = h.__code__
    f(1)
    if sys.version_info >= (3, 12):                     # 3.11 reads memory that nobody has written, and calls it lines
        h.__code__ = h.__code__.replace(co_linetable=b'')
    h(1); h(0)
def weird():
    for i in range(3):
        w = weakref.ref(D(0), lambda r: helper(3))
    lst = [D(1)
           for _ in range(3)]; lst[1:] = []; del lst
    try:
        try: raise KeyError from ValueError()
        except KeyError as e:
            raise
    except Exception as e: x = e
    try:
        try: 1 / 0
        except ZeroDivisionError: raise ValueError
        finally: helper(2)
    except ValueError: pass
    def f(*, a,
          b=2): return a
    try: f()
    except TypeError: pass
    f(a=1)
    import json.tool, importlib
    importlib.reload(json.tool)
    try: import nope_nope
    except ImportError: pass
    def r(n): return r(n + 1)
    try: (lambda: (yield))().send(1)
    except TypeError: pass
    class X:
        try: y = nope
        except NameError: y = 1
        finally: z = 2
    if sys.version_info >= (3, 12):
        exec("""
type T = int | str
T.__value__
def gg[T: int](a: T) -> T: return a
gg(1); gg.__type_params__[0].__bound__
""", {})
    print(end='', file=open(os.devnull, 'w'))
    x = [1, 2, 3]
    x[0] += helper(1); x[helper(2)] = helper(
        3); x[:
              2]
    d = {'a': 1,
         **{'b': helper(60)},
         'c': [
             helper(1)
         ]}
    while True:
        if x: break
    while 1:
        x = 2; break
    for i in range(3):
        if i == 1: continue
        elif i == 2: break
    try: return helper(
        1)
    finally: helper(2)
for _ in range(3):
    dels(); objs(); long(); replace(); weird()
