"""@notrace(subtree=True): a function is left out with all that it calls, while it runs.

What waits in a generator or coroutine is not left out, so these are run step by step.
"""
from contextlib import nullcontext
from functools import partial, wraps

import pathline
from pathline import _recorder


class _LeftOut:
    """One stretch in which nothing of this thread is recorded."""
    __slots__ = ("_begun", "_text")

    def __init__(self, text):
        self._text = text

    def __enter__(self):
        found = _recorder.module()
        self._begun = found if found and found.pause(self._text) else None

    def __exit__(self, *exception):
        if self._begun:
            self._begun.go_on()


def _steps(run, text):
    """What `yield from run` would be, of a generator or a coroutine, with each step left out."""
    step, argument = run.send, None
    while True:
        try:
            with _LeftOut(text):
                item = step(argument)
        except StopIteration as end:
            return end.value
        try:
            argument = yield item
            step = run.send
        except GeneratorExit:
            with _LeftOut(text):
                run.close()
            raise
        except BaseException as raised:
            step, argument = run.throw, raised


class _Steps:
    """To be awaited in place of a coroutine."""
    __slots__ = ("_run", "_text")

    def __init__(self, text, run):
        self._text, self._run = text, run

    def __await__(self):
        return _steps(self._run, self._text)


def _generator(function, text):
    @wraps(function)
    def inside(*args, **kwargs):
        return (yield from _steps(function(*args, **kwargs), text))
    return inside


def _coroutine(function, text):
    @wraps(function)
    async def inside(*args, **kwargs):
        return await _Steps(text, function(*args, **kwargs))
    return inside


def left_out(function):
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(left_out(function.__func__))
    text = f"left out: {getattr(function, '__qualname__', 'a function')}"
    kind = pathline._kind(function)
    if kind == "async generator":
        return pathline._async_generator(function, nullcontext, partial(_Steps, text))
    if kind == "coroutine":
        return _coroutine(function, text)
    if kind == "generator":
        return _generator(function, text)
    return pathline._function(function, lambda: _LeftOut(text))
