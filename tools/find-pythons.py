#!/usr/bin/env python3
"""Print a line `3.13<TAB>-isystem<TAB>directory…` for each minor version of CPython whose headers
are found here.

find-pythons.py SHIMS [--only] [DIRECTORY...]

Debian splits pyconfig.h off into an architecture's directory; for a chroot, whose other headers
must not be seen, that one directory is linked to from below SHIMS. The first find of a version
wins. Searched: the arguments, $PATHLINE_PYTHONS (colon-separated), /usr/include,
/usr/local/include, the pyenv versions, and roots listed in build/roots (chroots that the tests have
made).
"""
import glob
import os
import re
import sys

WANTED = ("3.11", "3.12", "3.13", "3.14", "3.15")


def version_of(include):
    """Minor version of a directory with Python.h and the internal headers, or None."""
    try:
        with open(os.path.join(include, "patchlevel.h")) as f:
            text = f.read()
    except OSError:
        return None
    if not os.path.exists(os.path.join(include, "internal", "pycore_frame.h")):
        return None
    if not re.search(r"#define PY_RELEASE_LEVEL\s+PY_RELEASE_LEVEL_FINAL", text):
        return None  # the layouts of a pre-release are nobody's promise
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


def architecture_shim(include, shims):
    """A directory to search for `<ARCH/python3.X/pyconfig.h>`, or None when there is no such split.
    """
    name = os.path.basename(include)
    for split in glob.glob(os.path.join(os.path.dirname(include), "*-linux-gnu", name)):
        architecture = os.path.basename(os.path.dirname(split))
        if not os.path.exists(os.path.join(split, "pyconfig.h")):
            continue
        shim = os.path.join(shims, name)
        os.makedirs(os.path.join(shim, architecture), exist_ok=True)
        link = os.path.join(shim, architecture, name)
        if not os.path.lexists(link):
            os.symlink(split, link)
        return shim
    return None


found = {}
given = sys.argv[2:]
# --only: of another machine, whose headers are not those of the Pythons here
for include in given[1:] if given[:1] == ["--only"] else candidates(given):
    version = version_of(include)
    if version in WANTED:
        found.setdefault(version, include)
for version in sorted(found):
    directories = filter(None, [found[version], architecture_shim(found[version], sys.argv[1])])
    print(version, *(column for d in directories for column in ("-isystem", d)), sep="\t")
