# two-runs min=3.12
"""Another tool's callback raises: at a jump, at a branch, where an exception is handled."""
import sys

m = sys.monitoring
E = m.events
TOOL = 1
m.use_tool_id(TOOL, "raises")
BRANCH = E.BRANCH if sys.version_info < (3, 14) else E.BRANCH_LEFT | E.BRANCH_RIGHT


def loop(n):
    t = 0
    for i in range(n):
        if i % 2:
            t += i
        else:
            t -= 1
    return t


class Raises:
    left = 3

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if not self.left:
            raise ValueError
        return self.left


def loop_raises(n):
    t = 0
    for i in Raises():
        if i % 2:
            t += i
        else:
            t -= 1


def loop_again(n):
    t = 0
    while t < n:
        if t % 2:
            t += 3
        else:
            t += 1
    return t


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


def hears(events, work, *args):
    """The callback does not raise, the work does."""
    for bit in range(20):
        if events & 1 << bit:
            m.register_callback(TOOL, 1 << bit, lambda *_: None)
    m.set_local_events(TOOL, work.__code__, events)
    try:
        work(*args)
    except ValueError:
        print("raised", work.__name__)
    m.set_local_events(TOOL, work.__code__, 0)


def run(events, work, *args, local, error, way=0):
    """The callback raises once."""
    def bad(*_):
        m.set_events(TOOL, 0)
        m.set_local_events(TOOL, work.__code__, 0)
        raise error

    class Bad:
        def raises(self, *_):
            bad()

        def __call__(self, *_):
            bad()

    for bit in range(20):
        if events & 1 << bit:
            m.register_callback(TOOL, 1 << bit, (bad, Bad().raises, Bad())[way])
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
for local in True, False:
    for events in E.JUMP, BRANCH:
        for way in range(3):
            run(events, loop, 3, local=local, error=ValueError, way=way)
            run(events, loop_again, 9, local=local, error=ValueError, way=way)
hears(E.JUMP | BRANCH, loop_raises, 3)
m.register_callback(TOOL, E.JUMP, lambda *_: int("x"))
m.set_local_events(TOOL, loop.__code__, E.JUMP)
try:
    loop(3)
except ValueError:
    print("raised again")
