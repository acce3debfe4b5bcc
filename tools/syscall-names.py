#!/usr/bin/env python3
"""Write the names of the target's system calls as rows of a table in C.

usage: tools/syscall-names.py OUTPUT COMPILER…
"""
import re
import subprocess
import sys


def main():
    output, compiler = sys.argv[1], sys.argv[2:]
    text = subprocess.run([*compiler, "-E", "-dM", "-"], input="#include <sys/syscall.h>\n", capture_output=True,
                          text=True, check=True).stdout
    numbers = {int(number): name for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", text, re.M)}
    rows = ["\t{%d, \"%s\"}," % row for row in sorted(numbers.items())]
    with open(output, "w") as file:
        file.write("/* Made by tools/syscall-names.py. */\n%s\n" % "\n".join(rows))


main()
