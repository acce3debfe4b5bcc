# two-runs min=3.12
"""Another tool's callback raises where an exception is handled."""
import sys

m = sys.monitoring
E = m.events
TOOL = 1
m.use_tool_id(TOOL, "raises")


def finishes():
    try:
        yield 1
    finally:
        finished = True


def yields():
    yield 1


class Ends:
    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        return self.left

    def __del__(self):
        ended = True


def handles(make):
    for x in make():
        try:
            int("z")
        except ValueError:
            pass


def handles_after_more(make):
    for x in make():
        try:
            x += 1
            int("z")
            x += 2
        except ValueError:
            x += 3


def handles_in_handler(make):
    for x in make():
        try:
            int("z")
        except ValueError:
            try:
                int("y")
            except ValueError:
                pass


def handles_inside(make):
    try:
        for x in make():
            try:
                int("z")
            except ValueError:
                pass
    except KeyError:
        x = 7
    return x


def run(events, work, *args, local, error):
    """The callback raises once."""
    def bad(*_):
        m.set_events(TOOL, 0)
        m.set_local_events(TOOL, work.__code__, 0)
        raise error

    for bit in range(20):
        if events & 1 << bit:
            m.register_callback(TOOL, 1 << bit, bad)
    try:
        if local:
            m.set_local_events(TOOL, work.__code__, events)
        else:
            m.set_events(TOOL, events)
        work(*args)
    except error:
        print("raised", work.__name__, error.__name__)
    m.set_events(TOOL, 0)


for make in yields, finishes, Ends:
    for work in handles, handles_after_more, handles_in_handler, handles_inside:
        run(E.EXCEPTION_HANDLED, work, make, local=False, error=KeyError)
