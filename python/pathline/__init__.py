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
from time import perf_counter as _clock

from pathline import _recorder

TYPE_CHECKING = False  # typing would take longer to import than all of this
if TYPE_CHECKING:
    import os
    from types import ModuleType
    from typing import Any, Callable, Iterable, TypeVar, Union, overload
    _Function = TypeVar("_Function", bound=Callable[..., Any])
    _Globs = Union[str, Iterable[str]]
    _Path = Union[str, os.PathLike[str]]

__all__ = ["is_recording", "mark", "notrace", "precise_timestamping", "record", "snapshot", "start", "stop",
           "within"]

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


class within:
    """Say that a block should take no longer than a time: "500ms", "2s", or a number of seconds.

    If it does, a mark with the time that it took is put into the path at its end; and a flight
    recorder (`pathline record --flight`) writes what it has kept. As a decorator: of each call of the
    function. The text and the values are those of the mark. One object may be entered again and again.
    """
    __slots__ = ("_begun", "_limit", "_text", "_values")

    def __init__(self, time: "Union[str, float]", text: str = "slow", /, **values: object) -> None:
        self._limit = _seconds(time)
        self._text = text
        self._values = values
        self._begun: list[float] = []

    def __enter__(self) -> "within":
        self._begun.append(_clock())
        return self

    def __exit__(self, *exception: object) -> None:
        took = _clock() - self._begun.pop()
        if took > self._limit:
            _recorder.tell_slow(self._text, took, self._values)

    def __call__(self, function: "_Function") -> "_Function":
        return _decorate(function, self._again)

    def _again(self) -> "within":
        return within(self._limit, self._text, **self._values)


_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def _seconds(time):
    if isinstance(time, (int, float)):
        return float(time)
    number = time.rstrip("umsh")
    try:
        return float(number) * _UNITS[time[len(number):]]
    except (ValueError, KeyError):
        raise ValueError(f"{time!r} is not a time; write '500ms', '2s', or a number of seconds") from None


def _own_recording() -> "ModuleType":
    """What begins and ends recordings. Not `from pathline import`, which runs code of the import
    system each time: that would be in the path."""
    import pathline._recording
    return pathline._recording


def start(dir: "Union[_Path, None]" = None, *, include: "_Globs" = (), exclude: "_Globs" = (),
          values: "Union[str, None]" = None, values_of: "_Globs" = (), redact: "_Globs" = (),
          limit: "Union[str, int, None]" = None, keep: "Union[str, None]" = None,
          flight: "Union[str, None]" = None) -> bool:
    """Record this process from here on, all of its threads.

    The path of each thread begins with its stack. `dir` is the directory of the recording, new or
    empty; without it a new one in `.pathline`. The others are as in `pathline record`: globs of
    modules or paths, "calls", "lines" or "none", globs of what has values and of names that are
    secret, a size such as "64M", and an age such as "12h". With flight="60s" only the newest is
    kept, in memory, and written into a new directory below `dir` when something happens.

    False: it is recorded already; or it cannot be recorded, of which a RuntimeWarning has the reason.
    """
    return _start(dir, {"include": include, "exclude": exclude, "values": values, "values-of": values_of,
                        "redact": redact, "limit": limit, "keep": keep, "flight": flight})


def _start(dir: "Union[_Path, None]", options: "dict[str, Any]", *, each: bool = False) -> bool:
    if not _own_recording().begin(dir, options, each):
        return False
    globals()["mark"] = _recorder.found().mark
    return True


def stop() -> "Union[str, None]":
    """End the recording that start() began, and wait until it is on disk: its directory.

    That of a flight recorder is the directory below which it writes.
    The process runs on as before start(). None: start() began none, or stop() ended it already.
    """
    directory: "Union[str, None]" = _own_recording().end()
    return directory


def snapshot(path: "_Path", *, last: "Union[str, None]" = None) -> bool:
    """Write what is recorded of this process so far into one file; the recording goes on.

    last="30s": of each thread the last 30 seconds, and what came just before them. A file that is
    there is replaced. It takes about half a second, in which other threads run.
    False: nothing is recorded; or the file was not written, of which a RuntimeWarning has the reason.
    """
    return is_recording() and bool(_own_recording().snapshot(path, last))


class record:
    """start() and stop() around a block, or around each call of a function: with the same options.

    Within another recording it does nothing. Of a decorated function each call has a recording of
    its own: where there is one in `dir` already, in `dir.2`, `dir.3`, and so on.
    """
    __slots__ = ("_begun", "_dir", "_each", "_options")

    def __init__(self, dir: "Union[_Path, None]" = None, *, include: "_Globs" = (), exclude: "_Globs" = (),
                 values: "Union[str, None]" = None, values_of: "_Globs" = (), redact: "_Globs" = (),
                 limit: "Union[str, int, None]" = None, keep: "Union[str, None]" = None,
                 flight: "Union[str, None]" = None) -> None:
        self._begun: list[bool] = []
        self._dir = dir
        self._each = False
        self._options = {"include": include, "exclude": exclude, "values": values, "values-of": values_of,
                         "redact": redact, "limit": limit, "keep": keep, "flight": flight}

    def __enter__(self) -> "record":
        self._begun.append(_start(self._dir, self._options, each=self._each))
        return self

    def __exit__(self, *exception: object) -> None:
        if self._begun.pop():
            stop()

    def __call__(self, function: "_Function") -> "_Function":
        return _decorate(function, self._of_a_call)

    def _of_a_call(self) -> "record":
        made = record(self._dir)
        made._each, made._options = True, self._options
        return made


if TYPE_CHECKING:
    @overload
    def notrace(function: "_Function", *, subtree: bool = ...) -> "_Function": ...

    @overload
    def notrace(function: None = None, *, subtree: bool = ...) -> "Callable[[_Function], _Function]": ...


def notrace(function: "Union[_Function, None]" = None, *, subtree: bool = False) -> "Any":
    """Do not record this function, and what is defined in it. What it calls is recorded.

    As with `--exclude`, its calls are shown where they call code that is recorded.

    @notrace(subtree=True): neither is what it calls. A mark names it, and a gap in the path has the
    number of events that are missing. That is so in its thread, while it runs: not while a generator
    or coroutine waits, and not in threads and processes that it starts.
    """
    if function is None:
        return lambda function: notrace(function, subtree=subtree)
    if subtree:
        from pathline import _subtree
        return _subtree.left_out(function)
    codes = [getattr(getattr(function, "__wrapped__", function), "__code__", None)]
    while codes:
        code = codes.pop()
        if code is not None:
            _own_recording().leave_out(code)
            codes += [part for part in code.co_consts if hasattr(part, "co_code")]
    return function


def _decorate(function: "_Function", section: "Callable[[], Any]") -> "_Function":
    """section(): a new context, for each run of the function."""
    made: "_Function" = _KINDS[_kind(function)](function, section)
    return made


def _kind(function):
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if flags & _ASYNC_GENERATOR:
        return "async generator"
    if flags & _COROUTINE:
        return "coroutine"
    if flags & _GENERATOR and not flags & _ITERABLE_COROUTINE:
        return "generator"
    return "function"


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


def _async_generator(function, section, driven=lambda step: step):
    """What `yield from` would be, where there is none. driven(step): what is awaited in place of a step."""
    @_wraps(function)
    async def inside(*args, **kwargs):
        with section():
            items = function(*args, **kwargs)
            try:
                item = await driven(items.__anext__())
                while True:
                    try:
                        sent = yield item
                    except GeneratorExit:
                        await driven(items.aclose())
                        raise
                    except BaseException as raised:
                        item = await driven(items.athrow(raised))
                    else:
                        item = await driven(items.asend(sent))
            except StopAsyncIteration:
                pass
    return inside


_KINDS = {"async generator": _async_generator, "coroutine": _coroutine, "generator": _generator, "function": _function}
