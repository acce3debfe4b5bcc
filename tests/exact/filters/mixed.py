"""Run a program of which every so-many-th code object lies in another file: mixed.py SEED SHARE PROGRAM

A code object is moved when a hash of the seed and its place is a multiple of SHARE. So a filter can leave out any part of a
program, with calls, exceptions, generators and threads across its borders.
"""
import sys
import zlib

MOVED = "/left/out/moved.py"


def mixed(code, seed, share):
    constants = tuple(mixed(c, seed, share) if isinstance(c, type(code)) else c for c in code.co_consts)
    place = "%s %s %d" % (seed, code.co_qualname, code.co_firstlineno)
    moved = code.co_name != "<module>" and zlib.crc32(place.encode()) // 7 % share == 0
    return code.replace(co_consts=constants, co_filename=MOVED if moved else code.co_filename)


def begin():
    seed, share, path = sys.argv[1:4]
    del sys.argv[:3]
    with open(path, "rb") as f:
        code = mixed(compile(f.read(), path, "exec"), seed, int(share))
    names = sys.modules["__main__"].__dict__
    for name in ("mixed", "begin", "zlib", "MOVED"):
        del names[name]
    names["__file__"] = path
    return code, names


exec(*begin())
