"""What format 1.5 added: calls that are known by a far place. There are more of them than near places; all are made before a block is cut, by
the age at which that is done, and again behind it."""
import time


def callee(n):
    return n


def caller(n):
    return callee(n) + callee(n) + callee(n) + callee(n) + callee(n) + callee(n) + callee(n) + callee(n)


def work(n):
    total = 0
    for _ in range(n):
        total += caller(1) + caller(2) + caller(3) + caller(4) + caller(5) + caller(6) + caller(7) + caller(8)
        total += caller(1) + caller(2) + caller(3) + caller(4) + caller(5) + caller(6) + caller(7) + caller(8)
        total += callee(1) + callee(2) + callee(3) + callee(4) + callee(5) + callee(6) + callee(7) + callee(8)
        total += callee(1) + callee(2) + callee(3) + callee(4) + callee(5) + callee(6) + callee(7) + callee(8)
    return total


for _ in range(2):
    work(1)
    time.sleep(0.4)
