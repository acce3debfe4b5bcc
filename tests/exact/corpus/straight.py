# identity@3.11 two-runs
"""Straight code, with one way through it, as modules and class bodies are: its lines are known from its call, and looked at only where
a trace function is set, by which time it has run before."""
import gc
import sys


class Falls:
    def __del__(self):
        self.seen = len("gone")


def calls(x):
    return x + 1


def fails(at):
    if at:
        raise KeyError(at)


BODY = """
a = 1
b = calls(a)
class C:
    x = 1
    y = [x,
         calls(x),
         x]
    def m(self):
        return self.y
    def __set_name__(self, owner, name):
        calls(2)
class D(C):
    c = C()
    del c
    f = Falls()
    f = None
z = D().m()
fails(fail)
end = 1
"""
RAISES = """
class Outer:
    a = 1
    class Inner:
        b = fails(0)
        c = fails(1)
        d = 2
    e = 3
"""
FAR = "\n" * 400 + "\n\n".join(f"v{i} = calls({i})" for i in range(900)) + "\n" + "w = v0\n" * 300

body = compile(BODY, "body.py", "exec")
raises = compile(RAISES, "raises.py", "exec")
far = compile(FAR, "far.py", "exec")
names = {"calls": calls, "fails": fails, "Falls": Falls, "fail": 0}


def run(code, **more):
    try:
        exec(code, dict(names, **more))
    except KeyError as error:
        calls(error.args[0])


def traced(frame, event, arg):
    return traced


def nested():
    run(compile("run(body)\nrun(raises)\nx = 1\n", "nested.py", "exec"), run=run, body=body, raises=raises)


def hand_made():
    """Line tables that no compiler writes. 3.11 itself crashes on some with any trace function."""
    if sys.version_info < (3, 12):
        return
    plain = compile("a = 1\nb = 2\nc = calls(b)\n", "hand.py", "exec")
    for table in (b"", plain.co_linetable[:4], bytes([0xf8 | 7]) * 9, bytes([0x80 | 13 << 3 | 7, 3]) * 3):
        exec(plain.replace(co_linetable=table), dict(names))


def main():
    gc.disable()
    for _ in range(3):
        run(body)
        run(body, fail=2)
        run(raises)
    run(far)
    nested()
    hand_made()
    sys.settrace(traced)
    run(body)
    run(body, fail=3)
    run(raises)
    nested()
    run(far)
    sys.settrace(None)
    run(body)
    run(raises)
    run(compile(BODY, "other.py", "exec"), fail=4)
    run(far)


main()
