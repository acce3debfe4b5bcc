#!/usr/bin/env python3
"""What the preload and the recorders import of glibc is no newer than 2.28, and lies in what they
ask to be loaded.

    tools/check-glibc.py FILE...        one line a fault, then a sum; exit 1 if there is one
    tools/check-glibc.py --self-test    shows that it can fail: builds libraries with such faults (cc)

Before glibc 2.34 the functions of libdl and libpthread are not in libc. The preload comes into
programs that load neither, and is bound at once: what it imports of them must have the library
among its needs, or every program would end at its start. A recorder comes into an interpreter,
which has both.
"""
import os
import re
import subprocess
import sys
import tempfile

NEWEST = (2, 28)
LIBDL = {"dladdr", "dladdr1", "dlclose", "dlerror", "dlinfo", "dlopen", "dlsym", "dlvsym"}
# glibc 2.31's libc has these of libpthread's names; the rest is in libpthread alone.
PTHREAD_IN_LIBC = set("""
    attr_destroy attr_init attr_getdetachstate attr_setdetachstate attr_getinheritsched attr_setinheritsched
    attr_getschedparam attr_setschedparam attr_getschedpolicy attr_setschedpolicy attr_getscope attr_setscope
    condattr_destroy condattr_init cond_broadcast cond_destroy cond_init cond_signal cond_wait cond_timedwait equal exit
    getschedparam setschedparam mutex_destroy mutex_init mutex_lock mutex_unlock self setcancelstate setcanceltype""".split())


def imports(path):
    """[(name, version or "")] of what it takes from elsewhere."""
    out = subprocess.run(["objdump", "-T", path], stdout=subprocess.PIPE, check=True, text=True,
                         env=dict(os.environ, LC_ALL="C")).stdout
    return [(m[2], m[1] or "") for m in re.finditer(r"\*UND\*\t[0-9a-f]+\s+(?:\(?(GLIBC_[\w.]+)\)?\s+)?(\S+)$", out, re.M)]


def needs(path):
    out = subprocess.run(["objdump", "-p", path], stdout=subprocess.PIPE, check=True, text=True,
                         env=dict(os.environ, LC_ALL="C")).stdout
    return set(re.findall(r"^\s+NEEDED\s+(\S+)", out, re.M)), set(re.findall(r"\s(GLIBC_\w[\w.]*)$", out, re.M))


def number(version):
    """GLIBC_2.2.5 -> (2, 2, 5); GLIBC_PRIVATE, GLIBC_ABI_DT_RELR: newer than anything"""
    digits = version.removeprefix("GLIBC_")
    return tuple(map(int, digits.split("."))) if re.fullmatch(r"[\d.]+", digits) else (99,)


def faults(path):
    libraries, versions = needs(path)
    symbols = imports(path)
    for name, version in symbols:
        if version and number(version)[:2] > NEWEST:
            yield f"{name} of {version}"
    for version in sorted(versions - {v for _, v in symbols}):
        if number(version)[:2] > NEWEST:
            yield f"it asks for {version}"
    if "recorder" in os.path.basename(path):
        return
    for name, version in symbols:
        if name in LIBDL and "libdl.so.2" not in libraries:
            yield f"{name} is in libdl.so.2, which it does not ask for"
        if name.startswith("pthread_") and name[8:] not in PTHREAD_IN_LIBC and "libpthread.so.0" not in libraries:
            yield f"{name} is in libpthread.so.0, which it does not ask for"


def self_test():
    """A clean library, and one of each fault."""
    cases = {
        "clean": ("int f(void) { return getpid(); }", "#include <unistd.h>", None),
        "dlsym": ("void *f(void) { return dlsym(0, \"x\"); }", "#include <dlfcn.h>", "libdl"),
        "key": ("int f(void) { return pthread_setspecific(0, 0); }", "#include <pthread.h>", "pthread_setspecific"),
        "new": ("int f(void) { return close_range(3, 4, 0); }", "#define _GNU_SOURCE\n#include <unistd.h>", "close_range of GLIBC_2.34"),
    }
    bad = 0
    with tempfile.TemporaryDirectory() as top:
        for name, (body, head, wanted) in cases.items():
            source, library = f"{top}/{name}.c", f"{top}/{name}.so"
            with open(source, "w") as f:
                f.write(f"{head}\n{body}\n")
            subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, source], check=True)
            found = list(faults(library))
            if bool(found) != bool(wanted) or (wanted and not any(wanted in fault for fault in found)):
                print(f"self-test: {name}: wanted {wanted}, found {found}")
                bad = 1
    print("check-glibc: the self-test", "FAILED" if bad else "found what it should")
    return bad


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if not sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    count = 0
    for path in sys.argv[1:]:
        for fault in faults(path):
            print(f"{path}: {fault}")
            count += 1
    print(f"check-glibc: {len(sys.argv) - 1} libraries, {count} faults; nothing newer than {'.'.join(map(str, NEWEST))} is allowed")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
