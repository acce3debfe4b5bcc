#!/usr/bin/env python3
"""A wheel has all that it promises.

    tools/check-wheel.py WHEEL    one line a fault; exit 1 if there is one

That is the command, linked statically; the preload; a recorder for each version; a manual page for
each command; the completions; the package.
"""
import re
import sys
import zipfile

VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
PT_INTERP = 3
SHARE = ("bash-completion/completions/pathline", "zsh/site-functions/_pathline", "fish/vendor_completions.d/pathline.fish")


def asks_for_a_loader(program):
    """Has the ELF file a program header of that kind?"""
    start, size, count = (int.from_bytes(program[a:a + n], "little") for a, n in ((32, 8), (54, 2), (56, 2)))
    return any(int.from_bytes(program[at:at + 4], "little") == PT_INTERP for at in range(start, start + size * count, size))


def wanted():
    yield "purelib/pathline/__main__.py"
    yield "purelib/pathline/py.typed"
    yield "data/libexec/pathline/pathline-preload.so"
    yield "data/libexec/pathline/pathline-native.so"
    for version in VERSIONS:
        yield f"data/libexec/pathline/pathline-recorder-{version}.so"
    for path in SHARE:
        yield "data/share/" + path
    yield "data/share/man/man1/pathline.1"
    yield "data/share/man/man1/pathline-record.1"


def why_not(name):
    if "recorder" in name:
        return "; the headers of that version are not here: tools/find-pythons.py says where they are looked for"
    return "; scdoc makes it: sudo apt-get install -y scdoc" if "/man/" in name else ""


def faults(path):
    with zipfile.ZipFile(path) as wheel:
        names = {re.sub(r"^pathline-[^/]*\.data/", "", name): name for name in wheel.namelist()}
        for name in wanted():
            if name not in names:
                yield f"it has no {name}{why_not(name)}"
        command = names.get("scripts/pathline")
        if not command:
            yield "it has no command"
        elif asks_for_a_loader(wheel.read(command)):
            yield "the command is not static: libzstd, libxxhash, zlib, ncursesw, sqlite3 or libc have no static library here"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(faults(sys.argv[1]))
    for fault in found:
        print(f"check-wheel: {sys.argv[1]}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
