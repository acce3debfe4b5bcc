# two-runs min=3.12
import sys
def leaf(x): return x + 1
def tr(frame, event, arg): return tr
def inner():
    yield leaf(1)
    leaf(2); sys.settrace(tr); yield leaf(3)
    yield 4
def outer():
    yield from inner()
    return leaf(5)
print([leaf(i) for i in outer()])
