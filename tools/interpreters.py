#!/usr/bin/env python3
"""Print a line `3.13.5<TAB>executable<TAB>root` for each supported CPython that can be run here,
one a version.

A version is a whole one: 3.13.0 and 3.13.5 are two lines, in order. root is empty, or the chroot in
which the executable is. Searched, the first find of a version wins: $PATHLINE_TEST_PYTHONS
(executables, colon-separated), the pyenv versions, $PATH, the system, the chroots that
tools/make-chroot makes. Pre-releases, debug builds and free-threaded ones are left out. With
--first only one is printed: `python3` if it is one of them, or the newest that needs no chroot, or
the newest there is.
"""
import glob
import os
import shutil
import subprocess
import sys

SUPPORTED = ("3.11", "3.12", "3.13", "3.14", "3.15")
ASK = """import sys
plain = sys.implementation.name == "cpython" and sys.version_info[3] == "final" and not sys.abiflags and not hasattr(sys, "gettotalrefcount")
print("%d.%d.%d" % sys.version_info[:3] if plain else "", sys.executable, sep="\\n")"""


def cache():
    return os.path.join(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache"), "pathline-chroots")


def candidates():
    """(root, executable)"""
    for executable in filter(None, os.environ.get("PATHLINE_TEST_PYTHONS", "").split(":")):
        yield "", executable
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    for version in SUPPORTED:
        for executable in sorted(glob.glob(f"{pyenv}/versions/{version}.*/bin/python3"), reverse=True):
            yield "", executable
    for name in (*(f"python{version}" for version in SUPPORTED), "python3"):
        # the system's own, also where others stand before it
        for path in (None, "/usr/local/bin:/usr/bin"):
            if found := shutil.which(name, path=path):
                yield "", found
    if os.geteuid() == 0:
        for root in sorted(glob.glob(cache() + "/*/")):
            for version in SUPPORTED:
                if os.path.exists(f"{root}usr/bin/python{version}"):
                    yield root.rstrip("/"), f"/usr/bin/python{version}"


def ask(root, executable):
    """(version, its real path), or None: not there, not willing, not supported."""
    head = ["chroot", root] if root else []
    try:
        out = subprocess.run([*head, executable, "-S", "-c", ASK], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    version, path = (out.splitlines() + ["", ""])[:2]
    return (version, path) if version.rpartition(".")[0] in SUPPORTED else None


def found():
    rows = {}
    for root, executable in candidates():
        if answer := ask(root, executable):
            rows.setdefault(answer[0], (answer[1], root))
    return rows


def order_of(version):
    return [int(number) for number in version.split(".")]


if __name__ == "__main__":
    rows = found()
    order = sorted(rows, key=order_of)
    if "--first" in sys.argv[1:]:
        usual = ask("", shutil.which("python3") or "python3")
        order = [usual[0]] if usual else ([v for v in order if not rows[v][1]] or order)[-1:]
    for version in order:
        print(version, *rows[version], sep="\t")
