"""Says of each line marked so which greenlet and which activation runs it."""
import sys

import gevent
import greenlet

first_seen = {}                                         # kept alive: no address serves twice


def say(tag):
    here = greenlet.getcurrent()
    if here.parent is None:
        name = ""
    elif "name" in getattr(here, "__dict__", {}):
        name = here.__dict__["name"]
    else:
        name = "Greenlet-%d" % number(here)
    print(tag, name or "-")


def number(here):
    return first_seen.setdefault(here, len(first_seen) + 1)


def body(tag, depth, leave):
    number(greenlet.getcurrent()) if greenlet.getcurrent().parent else None
    say(tag + str(depth))  # marked
    leave()
    say(tag + str(depth))  # marked
    if depth:
        body(tag, depth - 1, leave)
    leave()
    say(tag + str(depth))  # marked


def raw():
    main = greenlet.getcurrent()
    gs = [greenlet.greenlet(body) for _ in range(5)]
    for i, g in enumerate(gs):
        g.switch("raw%d." % i, i % 3, main.switch)
    while any(gs):
        for g in gs:
            if not g.dead:
                g.switch()
    body("main", 2, lambda: None)


def green():
    gs = [gevent.spawn(body, "green%d." % i, 2, gevent.sleep) for i in range(4)]
    gs[1].name = "by hand"
    gs[2].name = "n" * 300
    gevent.joinall(gs)


green()
raw()
sys.stdout.flush()
