"""The recorder of this process, if it has one.

It is a library that was loaded before the program began; nothing of it is on sys.path or in sys.modules. It is also an
extension module, which is made here from the very file that is in the process already: the loader then gives the library
that is there, and no other one. Where there is none, or its file is out of reach, nothing is done.
"""


def _mapped():
    """(path, inode) of the recorder in this process, or None."""
    try:
        with open("/proc/self/maps", "rb") as maps:
            for line in maps:
                if b"/pathline-recorder-" in line:
                    words = line.rstrip(b"\n").split(None, 5)
                    return words[5], int(words[4])
    except (OSError, IndexError, ValueError):
        pass
    return None


def _load_from(path):
    from importlib import machinery, util
    loader = machinery.ExtensionFileLoader("_pathline", path)
    made = util.module_from_spec(util.spec_from_loader("_pathline", loader))
    loader.exec_module(made)
    return made


def _load():
    found = _mapped()
    if not found:
        return None
    import os
    path = os.fsdecode(found[0])
    try:
        if os.stat(path).st_ino != found[1]:  # another file lies there now: it would be loaded beside
            return None
        return _load_from(path)
    except (OSError, ImportError):
        return None


_found = None
_looked = False


def module():
    """The extension module, or None. What is found is kept; two threads find the same."""
    global _found, _looked
    if not _looked:
        _found = _load()
        _looked = True
    return _found


def come_in(path, arena):
    """Load the recorder from there, if none is loaded, and let it in. None, or why it did not come."""
    global _found, _looked
    if not module():
        try:
            _found, _looked = _load_from(path), True
        except ImportError as error:
            return f"{path} cannot be loaded: {error}"
        _take()
    return _found.come_in(arena)


def _take():
    """What the program calls leads to the recorder from here on."""
    global begin, end
    begin, end = (_found.begin, _found.end) if _found else (_nothing, _nothing)


def found():
    """What was found, or None; nothing is looked for."""
    return _found


def _nothing(*_):
    return 0


def begin():
    """The first call looks for the recorder, and puts what it found in its own place."""
    module()
    _take()
    return begin()


def end(section):
    pass


def tell_slow(text, seconds, values):
    """A mark, and what a flight recorder has kept is written."""
    if module():
        module().mark(text, took=f"{seconds:.3g}s", **{name: value for name, value in values.items() if name != "took"})
        module().flight()
