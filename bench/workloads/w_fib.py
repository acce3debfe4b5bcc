"""Calls: recursive fib(27), 832,039 calls of two lines each."""
import workload

N = workload.scale(27)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def main():
    return fib(N)


if __name__ == "__main__":
    workload.run(main, 196418 if N == 27 else None)
