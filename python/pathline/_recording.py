"""A recording that the program begins and ends itself.

The command `pathline attach --by-itself` makes the directory and keeps what is recorded; the recorder
of this version is loaded here, as an extension module, and comes into the interpreter. The command is
no child of this process, and ends when the recorder has left or the process has ended.
"""
import os
import sys
import threading
import warnings

from pathline import _recorder
from pathline.__main__ import candidates

_lock = threading.RLock()
_directory = None  # of the recording that was begun here; None: there is none
_ends = None       # a descriptor that is closed at the other end when all is on disk
_left_out: list = []  # code objects of @notrace


def leave_out(code):
    """Now, and in each recording that is begun later."""
    with _lock:
        _left_out.append(code)
        found = _recorder.module()
        if found:
            found.leave_out(code)


def _words(options):
    """--include GLOB …, as the command takes them."""
    words = []
    for name, value in options.items():
        values = [] if value is None else [value] if isinstance(value, (str, int)) else value
        words += [word for one in values for word in ("--" + name, str(one))]
    return words


def _spawn(command, words):
    """(what it says on stdout, on stderr): descriptors. It has left us when this returns."""
    out, told = os.pipe()
    err, failed = os.pipe()
    try:
        pid = os.posix_spawn(command, [command, *words], os.environ, file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, told, 1), (os.POSIX_SPAWN_DUP2, failed, 2)])
    except OSError:
        os.close(out)
        os.close(err)
        raise
    finally:
        os.close(told)
        os.close(failed)
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:  # the program does not want to know of its children
        pass
    return out, err


def _read(descriptor, lines):
    """So many lines, or all that there is."""
    text = b""
    while text.count(b"\n") < lines:
        more = os.read(descriptor, 4096)
        if not more:
            break
        text += more
    return os.fsdecode(text).splitlines()


def _why_not():
    """A reason for which nothing can be recorded here, or None."""
    if sys.implementation.name != "cpython" or not sys.platform.startswith("linux"):
        return "only CPython on Linux is recorded"
    if sys.version_info < (3, 11):
        return "a Python before 3.11 is not recorded"
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return "free-threaded builds are not recorded"
    return None


def _command():
    for command in candidates():
        if os.path.isfile(command) and os.access(command, os.X_OK):
            return command
    return None


def _begin(directory, options):
    """(the directory, a descriptor), or the reason for which there is none."""
    command = _command()
    if not command:
        return "the command pathline is neither beside the package nor on PATH"
    words = ["attach", "--quiet", "--by-itself", "%d.%d" % sys.version_info[:2], *_words(options),
             "--exclude", "pathline"]
    if directory is not None:
        words += ["--output", os.fspath(directory)]
    out, err = _spawn(command, [*words, str(os.getpid())])
    try:
        said = _read(out, 3)
        if len(said) < 3:
            os.close(out)
            return " ".join(_read(err, sys.maxsize)).removeprefix("pathline: attach: ") or "the command failed"
        why = _recorder.come_in(said[0], said[1])
        if why:
            _read(out, sys.maxsize)  # it ends then
            os.close(out)
            return why
    finally:
        os.close(err)
    return said[2], out


def _warn(text):
    """At the line of the program that called the package, whichever way it came here."""
    frame, level = sys._getframe(), 1
    here = os.path.dirname(frame.f_code.co_filename)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, RuntimeWarning, stacklevel=level)


def _unused(directory):
    """That directory, or the first of DIR.2, DIR.3… in which there is nothing yet."""
    path, number = os.fspath(directory), 1
    while True:
        found = path if number == 1 else f"{path}.{number}"
        try:
            if not os.listdir(found):
                return found
        except FileNotFoundError:
            return found
        except OSError:  # the command says what is wrong with it
            return found
        number += 1


def begin(directory, options, each=False):
    """each: this is one of many recordings, which the program does not name one by one."""
    global _directory, _ends
    with _lock:
        found = _recorder.module()
        if _directory is not None or found and found.is_recording():
            return False
        if each and directory is not None and not options["flight"]:
            directory = _unused(directory)
        begun = _why_not() or _begin(directory, options)
        if isinstance(begun, str):
            _warn(f"pathline: nothing is recorded: {begun}")
            return False
        _directory, _ends = begun
        for code in _left_out:
            _recorder.module().leave_out(code)
        return True


def end():
    global _directory, _ends
    with _lock:
        directory, ends = _directory, _ends
        if directory is None:
            return None
        why = _recorder.module().leave()
        if why:
            _warn(f"pathline: the recording goes on: {why}")
            return None
        _directory = _ends = None
        _read(ends, sys.maxsize)
        os.close(ends)
        return directory


def _write_snapshot(path, last):
    """The reason for which it was not written, or ""."""
    command = _command()
    if not command:
        return "the command pathline is neither beside the package nor on PATH"
    out, err = _spawn(command, ["snapshot", "--force", "--output", os.fspath(path), *_words({"last": last}),
                                str(os.getpid())])
    os.close(out)
    try:
        return " ".join(_read(err, sys.maxsize)).removeprefix("pathline: snapshot: ")
    finally:
        os.close(err)


def snapshot(path, last):
    try:
        why = _write_snapshot(path, last)
    except OSError as error:
        why = str(error)
    if why:
        _warn(f"pathline: no snapshot: {why}")
    return not why


def _forget():
    """In a forked child: the recording is its parent's."""
    global _directory, _ends, _lock
    if _ends is not None:
        os.close(_ends)
    _directory = _ends = None
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
