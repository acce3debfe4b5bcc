"""Lines: a loop of some 10 million lines with two branches an iteration, and hardly a call."""
import workload

M = workload.scale(200)


def kernel(n, m, seed):
    s = seed
    for i in range(n):
        for j in range(m):
            x = (i * 31 + j) & 0xff
            if x & 1:
                s += x
            else:
                s ^= x
            s &= 0xffff
    return s


def main():
    t = 0
    for k in range(10):
        t += kernel(M, 1000, k)
    return t


if __name__ == "__main__":
    workload.run(main)
