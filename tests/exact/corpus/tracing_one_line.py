# two-runs min=3.12
import sys
def leaf(x): return x + 1
def other(x): return x + 1
def tr(f, e, a): return None
other(1)
sys.settrace(tr); leaf(7)
