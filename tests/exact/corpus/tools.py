# same-run
"""Another sys.monitoring tool that disables, restarts and changes its events, and settrace and setprofile beside it."""
import sys, random
M = sys.monitoring
random.seed(5)
exec(open(__file__.replace('tools', 'flow')).read().split('for _ in range(3):\n    nested(12)')[0])
def work():
    nested(6); tryloop(9); withs(5); multi(1, 2, 3); comp(4)
    for i in range(3): fin(i)
M.use_tool_id(1, 'other')
M.register_callback(1, M.events.LINE, lambda c, l: M.DISABLE if l % 2 else None)
M.register_callback(1, M.events.PY_START, lambda c, l: M.DISABLE)
M.register_callback(1, M.events.JUMP, lambda c, a, b: M.DISABLE if a % 4 else None)
M.register_callback(1, M.events.BRANCH, lambda c, a, b: None)
M.register_callback(1, M.events.INSTRUCTION, lambda c, a: M.DISABLE if a % 3 else None)
def tr(f, e, a): return tr
def flip(i):
    k = i % 9
    if k == 0: M.restart_events()
    elif k == 1: M.set_events(1, M.events.LINE)
    elif k == 2: M.set_events(1, M.events.PY_START | M.events.LINE | M.events.JUMP)
    elif k == 3: M.set_events(1, 0)
    elif k == 4: M.set_local_events(1, work.__code__, M.events.LINE | M.events.BRANCH)
    elif k == 5: sys.settrace(tr)
    elif k == 6: sys.settrace(None)
    elif k == 7: M.set_local_events(1, nested.__code__, M.events.INSTRUCTION)
    elif k == 8: sys.setprofile(lambda *a: None) if i & 1 else sys.setprofile(None)
def inloop(n):
    for i in range(n):
        if i & 1:
            flip(i)
        else:
            flip(random.randrange(9))
        work()
        for q in gen(4): pass
def gen(n):
    for i in range(n):
        if i == 2: flip(n)
        yield i
for r in range(6):
    inloop(20)
    flip(r)
sys.settrace(None); sys.setprofile(None)
M.set_events(1, 0)
