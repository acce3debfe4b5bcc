"""Pathline, as a recorded program sees it.

    import pathline

    pathline.mark("request", number=7)
    with pathline.precise_timestamping():
        handle(request)

Where nothing is recorded everything here does nothing, and costs next to nothing; so it does on
other systems and other Pythons. All of it may be used by many threads.
"""
from functools import wraps as _wraps

from pathline import _recorder

TYPE_CHECKING = False  # typing would take longer to import than all of this
if TYPE_CHECKING:
    from typing import Any, Callable, TypeVar
    _Function = TypeVar("_Function", bound=Callable[..., Any])

__all__ = ["is_recording", "mark", "precise_timestamping"]

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
        flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
        if flags & _ASYNC_GENERATOR:
            return _async_generator(function)
        if flags & _COROUTINE:
            return _coroutine(function)
        if flags & _GENERATOR and not flags & _ITERABLE_COROUTINE:
            return _generator(function)
        return _function(function)


def _function(function):
    @_wraps(function)
    def stamped(*args, **kwargs):
        with precise_timestamping():
            return function(*args, **kwargs)
    return stamped


def _generator(function):
    @_wraps(function)
    def stamped(*args, **kwargs):
        with precise_timestamping():
            return (yield from function(*args, **kwargs))
    return stamped


def _coroutine(function):
    @_wraps(function)
    async def stamped(*args, **kwargs):
        with precise_timestamping():
            return await function(*args, **kwargs)
    return stamped


def _async_generator(function):
    """What `yield from` would be, where there is none."""
    @_wraps(function)
    async def stamped(*args, **kwargs):
        with precise_timestamping():
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
    return stamped
