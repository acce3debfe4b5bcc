# two-runs min=3.12
import sys
def leaf(x): return x + 1
def tr(frame, event, arg): return tr
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def loop(n):
    for i in range(n):
        leaf(i)
        if i == 3000: sys.settrace(tr); leaf(i)
        elif i % 3: continue
fib(12)
loop(3010)
fib(3)
