"""Python that C++ calls. Says at its end how often each function was called, by its own count."""
import collections
import threading

import callbacks

counts = collections.Counter()


def double(i):
    counts["double"] += 1
    return i * 2


def nested(i):
    counts["nested"] += 1
    return callbacks.apply(double, i) + i


def numbers():
    counts["numbers"] += 1
    for i in range(4):
        yield nested(i)


class Square(callbacks.Shape):
    def area(self, scale):
        counts["area"] += 1
        if scale > 2:
            return super().area(scale)
        return scale * scale


def less(a, b):
    counts["less"] += 1
    return a > b


def missing():
    counts["missing"] += 1
    return {}["no"]


def divides():
    counts["divides"] += 1
    try:
        return 1 // 0
    finally:
        counts["left"] += 0


def crosses():
    counts["crosses"] += 1
    callbacks.through(divides)


def raises():
    for call in (missing, divides, crosses, lambda: None):
        try:
            print(callbacks.caught(call))
        except RuntimeError as e:
            print(repr(e), "of", repr(e.__cause__))
        try:
            callbacks.through(lambda: callbacks.through(call))
        except (KeyError, ZeroDivisionError) as e:
            print(repr(e))
    try:
        callbacks.in_trouble(double)
    except callbacks.Trouble as e:
        print(repr(e))


def fails_in_thread(i):
    counts["fails_in_thread"] += 1
    try:
        callbacks.through(divides)
    except ZeroDivisionError:
        return nested(i) + threading.get_ident() * 0


print(callbacks.apply(double, 3), callbacks.apply(nested, 3))
print(callbacks.area_of(Square(), 2), callbacks.area_of(Square(), 3), callbacks.area_of(callbacks.Shape(), 4))
print(callbacks.sorted([3, 1, 2, 5, 4], less), callbacks.total(numbers()), callbacks.total(map(double, range(3))))
raises()
for function in double, nested, fails_in_thread:
    print(callbacks.in_thread(function, 5))
print("called", *("%s:%d" % pair for pair in sorted(counts.items()) if pair[1]))
