#!/usr/bin/env python3
"""Print a line `3.13<TAB>include directory` for each minor version of CPython whose headers are found here.

The first find of a version wins. Searched: the arguments, $PATHLINE_PYTHONS (colon-separated), /usr/include,
/usr/local/include, the pyenv versions, and roots listed in build/roots (chroots that the tests have made).
"""
import glob
import os
import re
import sys

WANTED = ("3.12", "3.13", "3.14")


def version_of(include):
    """Minor version of a directory with Python.h and the internal headers, or None."""
    try:
        with open(os.path.join(include, "patchlevel.h")) as f:
            text = f.read()
    except OSError:
        return None
    if not os.path.exists(os.path.join(include, "internal", "pycore_frame.h")):
        return None
    number = dict(re.findall(r"#define PY_(MAJOR|MINOR)_VERSION\s+(\d+)", text))
    return f"{number['MAJOR']}.{number['MINOR']}"


def candidates(arguments):
    yield from arguments
    yield from filter(None, os.environ.get("PATHLINE_PYTHONS", "").split(":"))
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    roots = ["/usr", "/usr/local", *sorted(glob.glob(pyenv + "/versions/*"))]
    chroots = os.path.join(os.path.expanduser(os.environ.get("XDG_CACHE_HOME", "~/.cache")), "pathline-chroots")
    roots += [os.path.join(c, "usr") for c in sorted(glob.glob(chroots + "/*"))]
    for root in roots:
        yield from sorted(glob.glob(root + "/include/python3.*[0-9]"))


found = {}
for include in candidates(sys.argv[1:]):
    version = version_of(include)
    if version in WANTED:
        found.setdefault(version, include)
for version in sorted(found):
    print(f"{version}\t{found[version]}")
