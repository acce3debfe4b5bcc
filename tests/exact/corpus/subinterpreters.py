# same-run gap@3.12=may order@3.12=exact
"""Sub-interpreters, with a GIL of their own where there is such a thing; the main one goes on beside them."""
import sys
import threading

CODE = "t = 0\nfor i in range(4):\n    if i & 1:\n        t += i\nimport json\njson.dumps([t])\n"


def work(n):
    for i in range(n):
        if i & 1: n += 0
    return n


def run_in_new():
    if sys.version_info >= (3, 13):
        import _interpreters as m
    else:
        import _xxsubinterpreters as m
    for kind in ("isolated", "legacy") if sys.version_info >= (3, 13) else (True, False):
        i = m.create(kind) if sys.version_info >= (3, 13) else m.create(isolated=kind)
        try:
            for _ in range(3):
                m.run_string(i, CODE)
            if sys.version_info >= (3, 13):
                work(4)
                m.run_string(i, "raise KeyError")
        except Exception as e:
            work(1)
        m.destroy(i)
    return work(5)


print(work(3))
for _ in range(3):
    run_in_new()
    import json
    json.loads(json.dumps({"a": [1, 2, {"b": None}]}))
t = threading.Thread(target=run_in_new)
t.start()
t.join()
print(work(7))
