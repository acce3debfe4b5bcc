"""Run unit tests of the recorder's files inside an interpreter: inside.py VERSION DIRECTORY NAME…

DIRECTORY has the module of that version. Each name is a test file, without ".c". In a chroot there is no cmocka,
so a copy of this machine's is put beside the module. Exits with 77, which is a skip, if the version
cannot be run here.
"""
import ctypes
import os
import shutil
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUN = """import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
module = ctypes.PyDLL(sys.argv[2])
sys.exit(sum(getattr(module, "inside_test_" + name)() for name in sys.argv[3:]) != 0)"""


def find(version):
    """The command of an interpreter of this minor version, or None."""
    sys.path.insert(0, os.path.join(TREE, "tools"))
    import interpreters

    for root, executable in interpreters.candidates():
        if version in executable and (answer := interpreters.ask(root, executable)):
            if answer[0].rpartition(".")[0] == version:
                chroot = [os.path.join(TREE, "tools/in-chroot"), root] if root else []
                return [*chroot, answer[1]]
    return None


def cmocka():
    """The path of this machine's library."""
    ctypes.CDLL("libcmocka.so.0")
    with open("/proc/self/maps") as maps:
        return next(line.split()[-1] for line in maps if "/libcmocka.so" in line)


def main(version, directory, *names):
    command = find(version)
    if command is None:
        print(f"there is no CPython {version} here")
        return 77
    copy = shutil.copy(cmocka(), os.path.join(directory, f"cmocka-{version}.so"))
    module = os.path.join(directory, f"recorder-inside-{version}.so")
    tests = [name.replace("/", "_") for name in names]
    return subprocess.run([*command, "-c", RUN, copy, module, *tests]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
