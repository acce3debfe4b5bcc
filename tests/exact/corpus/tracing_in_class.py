# two-runs min=3.12
import sys
def leaf(x): return x + 1
def tr(frame, event, arg): return tr
class Body:
    a = leaf(1)
    b = [leaf(i) for i in range(2)]; sys.settrace(tr); c = leaf(2)
    def method(self): return leaf(self.a)
Body().method()
sys.settrace(None)
leaf(3)
