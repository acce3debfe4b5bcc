# two-runs min=3.15
"""Modules that are imported where they are first used: in the middle of a line, and of hot code, and where that raises."""
lazy import colorsys
lazy import nowhere.to_be_found
lazy from fractions import Fraction as Part


def first_use(n):
    total = 0
    for i in range(n):
        if i == n - 3:
            total += colorsys.ONE_THIRD > 0
        elif i % 3:
            total += i
    return total


def in_a_call(x):
    return int(Part(x, 3) * Part(1, 2) + Part(x))


def missing():
    try:
        return nowhere
    except ImportError as e:
        return type(e).__name__


def main():
    print(first_use(9000), colorsys.rgb_to_hls(0.1, 0.2, 0.3)[0] > 0.5)
    print(sum(in_a_call(x) for x in range(3000)))
    print([missing() for _ in range(3)])


main()
