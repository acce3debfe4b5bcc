#!/usr/bin/env python3
"""Print a line `3.13<TAB>executable<TAB>root` for each supported CPython that can be run here, one a minor version.

root is empty, or the chroot in which the executable is. Searched, the first find wins: $PATHLINE_TEST_PYTHONS
(executables, colon-separated), the pyenv versions, $PATH, the chroots that tools/make-chroot makes.
With --first only the newest that needs no chroot is printed, or failing that the first there is.
"""
import glob
import os
import shutil
import subprocess
import sys

SUPPORTED = ("3.12", "3.13", "3.14")
ASK = "import sys; print('%d.%d' % sys.version_info[:2], sys.implementation.name, sys.executable, sep='\\n')"


def cache():
    return os.path.join(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache"), "pathline-chroots")


def candidates():
    yield from filter(None, os.environ.get("PATHLINE_TEST_PYTHONS", "").split(":"))
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    for version in SUPPORTED:
        yield from sorted(glob.glob(f"{pyenv}/versions/{version}.*/bin/python3"), reverse=True)
    for version in SUPPORTED:
        if found := shutil.which(f"python{version}"):
            yield found
    yield from filter(None, [shutil.which("python3")])


def ask(executable):
    """(version, its real path), or None: not there, not willing, not CPython."""
    try:
        out = subprocess.run([executable, "-S", "-c", ASK], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    version, implementation, path = (out.splitlines() + ["", "", ""])[:3]
    return (version, path) if version in SUPPORTED and implementation == "cpython" else None


def found():
    rows = {}
    for executable in candidates():
        if answer := ask(executable):
            rows.setdefault(answer[0], (answer[1], ""))
    for root in sorted(glob.glob(cache() + "/*")):
        for version in SUPPORTED:
            if os.path.exists(f"{root}/usr/bin/python{version}") and os.geteuid() == 0:
                rows.setdefault(version, (f"/usr/bin/python{version}", root))
    return rows


if __name__ == "__main__":
    rows = found()
    order = sorted(rows)
    if "--first" in sys.argv[1:]:
        order = [v for v in order if not rows[v][1]][-1:] or order[:1]
    for version in order:
        print(version, *rows[version], sep="\t")
