# two-runs
"""100,000 frames deep, up and down, with an exception from the bottom."""
import sys


def down(n):
    if n:
        return down(n - 1) + 1
    return 0


def fall(n):
    if not n:
        raise ValueError
    fall(n - 1)


def catch(n):
    try:
        if not n:
            raise KeyError
        catch(n - 1)
    except KeyError:
        raise
    finally:
        n = -1


sys.setrecursionlimit(120_000)
print(down(100_000))
try:
    fall(100_000)
except ValueError:
    print("fell")
try:
    catch(20_000)
except KeyError:
    print("caught")
