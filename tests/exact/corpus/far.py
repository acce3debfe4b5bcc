# two-runs
"""Lines far from the first line of their code, where 3.13.0 computes line deltas in another way, and same-line joins."""
class C:
    def __enter__(s): return s
    def __exit__(s, *a): return True
    def __init__(s, *a): s.v = 1
    def __gt__(s, o): return True
    def __iadd__(s, o): return s
    def boom(s): raise KeyError
ns = {}
exec('def far2(f, d):\n x=1\n' + '\n' * 300 + ' with f: f.boom()\n with f: d[1]\n with f: pass\n try: d[2]\n except KeyError: pass\n for q in d: f.boom\n y = [z for z in d]\n return 1\nasync def fa(x, f):\n a=1\n'
     + '\n' * 300 + ' async for q in x: pass\n async with f as g: pass\n return 1\nasync def ai():\n yield 1\ndef far3(f, c, g):\n' + '\n' * 400 +
     ' x = max(g(1) if c else g(2), 3)\n x = [z(x) for z in (g,) if (z or\n  x) ]\n x = 2 if c else 3; x += 1; x+=2; x+=3; x+= 4\n return x\n', ns)
class AC:
    async def __aenter__(s): return s
    async def __aexit__(s, *a): return True
import asyncio
for _ in range(3):
    ns['far2'](C(), {}); ns['far2'](C(), {2: 1})
    with asyncio.Runner() as runner:
        runner.get_loop().slow_callback_duration = 3600     # -X dev would tell what took long on this machine
        runner.run(ns['fa'](ns['ai'](), AC()))
    for c in (0, 1):
        ns['far3'](C(), c, abs); ns['far3'](C(), c, lambda x: x)
def join(c, f):
    x = max(f(1) if c else f(2), 3)
    x += 1; x += 2; x += 3; x += 4
    return x
for _ in range(20):
    for c in (0, 1): join(c, abs); join(c, lambda x: x); join(c, lambda x: C() and 1)
