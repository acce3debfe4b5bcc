# cython: language_level=3
"""Functions that say nothing of themselves, unless they are built to."""


cdef long square(long n):
    return n * n


cdef long sum_of_squares(long n):
    cdef long total = 0
    for i in range(n):
        total += square(i)
    return total


def work(long n):
    return sum_of_squares(n)


def greet(name):
    print("hello", name)
