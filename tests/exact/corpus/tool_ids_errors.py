# identity min=3.12
"""What sys.monitoring answers and refuses, of each id, taken and not, and of what is no id."""
import sys

m = sys.monitoring
E = m.events


def code():
    pass


class Index:
    def __init__(self, n):
        self.n = n

    def __index__(self):
        print("asked for", self.n)
        if self.n < -5:
            raise KeyError(self.n)
        return self.n


def ask(name, *args):
    function = getattr(m, name, None)
    shown = [getattr(a, "n", getattr(a, "__name__", getattr(a, "co_name", a))) for a in args]
    try:
        print(name, shown, function and function(*args))
    except Exception as e:
        print(name, shown, type(e).__name__, e)


def ask_all(ids):
    for i in ids:
        ask("get_tool", i)
        ask("get_events", i)
        ask("get_local_events", i, code.__code__)
        ask("get_local_events", i, code)
        ask("set_events", i, E.LINE)
        ask("set_events", i, 0)
        ask("set_events", i, -1)
        ask("set_events", i, 1 << 30)
        ask("set_events", i, 1 << 70)
        ask("set_events", i, E.C_RAISE)
        ask("set_events", i, "a")
        ask("set_events", i, Index(0))
        ask("set_events", i, Index(-9))
        ask("set_local_events", i, code.__code__, E.LINE)
        ask("set_local_events", i, code.__code__, 0)
        ask("set_local_events", i, code.__code__, E.RAISE)
        ask("set_local_events", i, code, E.LINE)
        ask("register_callback", i, E.LINE | E.JUMP, None)
        ask("register_callback", i, 0, None)
        ask("register_callback", i, 1 << 30, None)
        ask("register_callback", i, E.LINE, None)
        ask("use_tool_id", i, 5)
        ask("clear_tool_id", i)


odd = (-1, 6, 7, 8, 1 << 31, 1 << 70, True, "5", None, 5.0, Index(5), Index(4), Index(6), Index(-7), Index(1 << 70))
ask_all((5, 4, 0, *odd))
for name in ("use_tool_id", "free_tool_id", "get_tool", "set_events", "get_events", "set_local_events", "get_local_events", "register_callback"):
    ask(name)
    ask(name, 5, 5, 5, 5)
    ask(name, 5, 5, 5, 5, 5)
for i in (5, Index(4), True):
    ask("use_tool_id", i, "mine")
    ask("use_tool_id", i, "again")
    ask("use_tool_id", i, 5)
ask_all((5, 4, True, 2, *odd))
for i in (5, 5, Index(4), 4, True, 6, -1):
    ask("free_tool_id", i)
ask_all((5, 4, 2, 1, 0))
