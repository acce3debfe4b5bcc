"""Pathline, as a recorded program sees it.

    import pathline

    pathline.mark("request", number=7)
    with pathline.precise_timestamping():
        handle(request)

or, where `pathline record` did not start the program:

    with pathline.record(dir="out", include="shop"):
        serve()

Where nothing is recorded everything here does nothing, and costs next to nothing; so it does on
other systems and other Pythons. All of it may be used by many threads.
"""
from functools import wraps as _wraps

from pathline import _recorder

TYPE_CHECKING = False  # typing would take longer to import than all of this
if TYPE_CHECKING:
    import os
    from typing import Any, Callable, Iterable, TypeVar, Union
    _Function = TypeVar("_Function", bound=Callable[..., Any])
    _Globs = Union[str, Iterable[str]]

__all__ = ["is_recording", "mark", "notrace", "precise_timestamping", "record", "snapshot", "start", "stop"]

_GENERATOR, _COROUTINE, _ITERABLE_COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x100, 0x200  # of co_flags


def is_recording() -> bool:
    """Is this process being recorded now?"""
    found = _recorder.module()
    return bool(found and found.is_recording())


def mark(text: str, /, **values: object) -> None:
    """Put a mark into the path, at the line that calls this.

    It is shown by all that show the path, with its time: dump, calls, reader and replay. The text
    and the values together have at most 120 bytes. Of a number, a text, bytes, True, False or None
    the value is kept, of other objects the type. Secrets are left out, as of all values.
    """
    found = _recorder.found()
    if found:
        found.mark(text, **values)


# Where the program is recorded the recorder's own function is it, so that nothing of this package
# is in the path.
if _recorder.module():
    globals()["mark"] = _recorder.module().mark


class precise_timestamping:
    """Stamp every event of this thread, or of this task, until the end of the block.

    As a decorator: of each call of the function. In a coroutine or generator other tasks are not
    stamped while it waits. One object may be entered again and again, also within itself.
    """
    __slots__ = ("_sections",)

    def __init__(self) -> None:
        self._sections: list[int] = []

    def __enter__(self) -> "precise_timestamping":
        self._sections.append(_recorder.begin())
        return self

    def __exit__(self, *exception: object) -> None:
        _recorder.end(self._sections.pop())

    def __call__(self, function: "_Function") -> "_Function":
        return _decorate(function, precise_timestamping)


def start(dir: "Union[str, os.PathLike[str], None]" = None, *, include: "_Globs" = (), exclude: "_Globs" = (),
          values: "Union[str, None]" = None, limit: "Union[str, int, None]" = None) -> bool:
    """Record this process from here on, all of its threads.

    The path of each thread begins with its stack. `dir` is the directory of the recording, new or
    empty; without it a new one in `.pathline`. The others are as in `pathline record`: globs of
    modules or paths, "calls", "lines" or "none", and a size such as "64M".

    False: it is recorded already; or it cannot be recorded, of which a RuntimeWarning has the reason.
    """
    from pathline import _recording
    begun = _recording.begin(dir, {"include": include, "exclude": exclude, "values": values, "limit": limit})
    if begun:
        globals()["mark"] = _recorder.found().mark
    return begun


def stop() -> "Union[str, None]":
    """End the recording that start() began, and wait until it is on disk: its directory.

    The process runs on as before start(). None: start() began none, or stop() ended it already.
    """
    from pathline import _recording
    return _recording.end()


def snapshot(path: "Union[str, os.PathLike[str]]", *, last: "Union[str, None]" = None) -> bool:
    """Write what is recorded of this process so far into one file; the recording goes on.

    last="30s": of each thread the last 30 seconds, and what came just before them. A file that is there is replaced. It takes about half a second, in which other threads run.
    False: nothing is recorded; or the file was not written, of which a RuntimeWarning has the reason.
    """
    if not is_recording():
        return False
    from pathline import _recording
    return _recording.snapshot(path, last)


class record:
    """start() and stop() around a block, or around each call of a function.

    Within another recording it does nothing.
    """
    __slots__ = ("_begun", "_dir", "_options")

    def __init__(self, dir: "Union[str, os.PathLike[str], None]" = None, **options: "Any") -> None:
        self._begun: list[bool] = []
        self._dir = dir
        self._options = options

    def __enter__(self) -> "record":
        self._begun.append(start(self._dir, **self._options))
        return self

    def __exit__(self, *exception: object) -> None:
        if self._begun.pop():
            stop()

    def __call__(self, function: "_Function") -> "_Function":
        return _decorate(function, lambda: record(self._dir, **self._options))


def notrace(function: "_Function") -> "_Function":
    """Do not record this function, and what is defined in it. What it calls is recorded.

    As with `--exclude`, its calls are shown where they call code that is recorded.
    """
    from pathline import _recording
    codes = [getattr(getattr(function, "__wrapped__", function), "__code__", None)]
    while codes:
        code = codes.pop()
        if code is not None:
            _recording.leave_out(code)
            codes += [part for part in code.co_consts if hasattr(part, "co_code")]
    return function


def _decorate(function, section):
    """section(): a new context, for each run of the function."""
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & _ASYNC_GENERATOR:
        return _async_generator(function, section)
    if flags & _COROUTINE:
        return _coroutine(function, section)
    if flags & _GENERATOR and not flags & _ITERABLE_COROUTINE:
        return _generator(function, section)
    return _function(function, section)


def _function(function, section):
    @_wraps(function)
    def inside(*args, **kwargs):
        with section():
            return function(*args, **kwargs)
    return inside


def _generator(function, section):
    @_wraps(function)
    def inside(*args, **kwargs):
        with section():
            return (yield from function(*args, **kwargs))
    return inside


def _coroutine(function, section):
    @_wraps(function)
    async def inside(*args, **kwargs):
        with section():
            return await function(*args, **kwargs)
    return inside


def _async_generator(function, section):
    """What `yield from` would be, where there is none."""
    @_wraps(function)
    async def inside(*args, **kwargs):
        with section():
            items = function(*args, **kwargs)
            try:
                item = await items.__anext__()
                while True:
                    try:
                        sent = yield item
                    except GeneratorExit:
                        await items.aclose()
                        raise
                    except BaseException as raised:
                        item = await items.athrow(raised)
                    else:
                        item = await items.asend(sent)
            except StopAsyncIteration:
                pass
    return inside
