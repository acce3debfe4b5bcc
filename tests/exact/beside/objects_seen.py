"""What a program can count of its own interpreter stays as it is, while it runs and without."""
import gc
import sys
import tracemalloc


def work(n):
    def numbers():
        for i in range(n):
            yield i
    try:
        return sum(numbers()) // (n % 2)
    except ZeroDivisionError:
        return exec("x = 1")


work(2)
gc.collect()
before = len(gc.get_objects())
for n in range(200):
    work(n)
gc.collect()
print("objects more:", len(gc.get_objects()) - before)
tracemalloc.start()
work(3)
first = tracemalloc.get_traced_memory()[0]
for n in range(200):
    work(3)
print("bytes more:", tracemalloc.get_traced_memory()[0] - first < 2000)
print("modules:", sorted(m for m in sys.modules if "pathline" in m), "argv:", sys.argv, "hooks:", sys.gettrace(), sys.getprofile())
