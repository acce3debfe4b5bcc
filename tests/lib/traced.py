"""Parts of programs in which tracing begins: what they call, and what traces it."""

# Functions of one way, of one way again, and of several.
CALLED = '''\
def leaf(x): return x + 1
def other(x): return x + 1
def long(x):
    y = x + 1
    if y % 2:
        y += leaf(y)
    for i in range(2):
        y += i
    return y
'''
# Trace functions, of calls only and of lines; and what sets one for all frames. The names of all
# that traces begin with tr_.
TRACERS = '''\
def tr_none(frame, event, arg): return None
def tr_local(frame, event, arg): return tr_local
def tr_frames(tr):
    frame = sys._getframe(1)
    while frame:
        frame.f_trace = tr
        frame = frame.f_back
    sys.settrace(tr)
'''
