"""More values than a second may have: budget.py. Prints how many calls it made, and how many of
them were the last, after a pause.
"""
import time


def take(value):
    return None


text = "x" * 150
calls = 0
until = time.monotonic() + 0.3
while calls < 5000 or time.monotonic() < until:
    take(text)
    calls += 1
time.sleep(1.2)
for _ in range(3):
    take("the last")
print(calls + 3, 3)
