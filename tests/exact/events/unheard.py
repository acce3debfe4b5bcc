"""Loops are hot, and then sys.monitoring lets nobody hear of instructions any more: prints how many passes f() made."""
import sys


class Refusing:
    """In the place of sys.monitoring."""

    def __getattr__(self, name):
        return getattr(monitoring, name)

    def set_local_events(self, tool, code, events):
        if events:
            raise MemoryError
        monitoring.set_local_events(tool, code, events)


def f(n, odd):
    for _ in range(n): pass
    if odd:
        n += 1
    else:
        n += 2
    if n > 45:
        n -= 1
    else:
        n += 3
    return n


monitoring = sys.monitoring
for i in range(100):
    f(40, i % 2)
sys.monitoring = Refusing()
for i in range(2000):
    f(40, i % 3)
print(2100 * 40)
