# same-run tail=20
"""concurrent.futures: pools of processes by fork and spawn, one whose worker dies."""
import concurrent.futures
import multiprocessing
import os
import warnings


def square(n):
    return sum(n for i in range(n))


def dies(n):
    os._exit(3)


def fails(n):
    raise ValueError(n)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            print(list(pool.map(square, range(10))))
            try:
                pool.submit(fails, 3).result()
            except ValueError as e:
                print(e)
            try:
                pool.submit(dies, 3).result()
            except concurrent.futures.process.BrokenProcessPool:
                print("broken")
