"""Python, native code and the kernel on one timeline: see doc/FULLSTACK.md."""

import foo


def main():
    total = foo.work(3)
    foo.greet("stack")
    print("total", total, flush=True)


main()
