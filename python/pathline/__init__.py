"""Pathline, as a recorded program sees it.

    import pathline

    with pathline.precise_timestamping():
        handle(request)

Where nothing is recorded everything here does nothing, and costs next to nothing.
"""
from functools import wraps as _wraps

from pathline import _recorder

__all__ = ["precise_timestamping"]

_GENERATOR, _COROUTINE, _ITERABLE_COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x100, 0x200  # of co_flags


class precise_timestamping:
    """Stamp every event of this thread, or of this task, until the end of the block.

    As a decorator: of each call of the function. In a coroutine or generator other tasks are not stamped while it waits. One
    object may be entered again and again, also within itself.
    """
    __slots__ = ("_sections",)

    def __init__(self):
        self._sections = []

    def __enter__(self):
        self._sections.append(_recorder.begin())
        return self

    def __exit__(self, *exception):
        _recorder.end(self._sections.pop())
        return False

    def __call__(self, function):
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
