"""Generators, coroutines and async generators by the hundred, advanced in random order, dropped and made again: each has its number."""
import gc
import json
import random
import sys
import threading

log = []


def gen(own):
    for i in range(6):
        log.append(own)                 # GEN
        try:
            yield i
        except KeyError:
            log.append(own)             # GEN


async def coro(own):
    for i in range(3):
        log.append(own)                 # GEN
        await Pause()


class Pause:
    def __await__(self):
        yield


async def agen(own):
    for i in range(3):
        log.append(own)                 # GEN
        yield i


def delegate(own):
    log.append(own)                     # GEN
    yield from gen(own + 0.5)
    log.append(own)                     # GEN


def step(thing):
    try:
        how = random.randrange(8)
        if hasattr(thing, "__anext__"):
            return thing.asend(None).send(None)
        if how == 0 and hasattr(thing, "gi_frame"):
            return thing.throw(KeyError)
        thing.send(None)
    except (StopIteration, StopAsyncIteration, KeyError, RuntimeError):      # RuntimeError: a coroutine that is done
        pass
    return True


random.seed(4)
alive, made = [], 0
for turn in range(4000):
    if len(alive) < 5 or random.random() < 0.15:
        alive.append(random.choice((gen, gen, delegate, coro, agen))(made))
        made += 1
    k = random.randrange(len(alive))
    if random.random() < 0.1:
        thing = alive.pop(k)
        getattr(thing, "close", lambda: None)()
        del thing
    elif random.random() < 0.1:
        t = threading.Thread(target=step, args=(alive[k],))
        t.start()
        t.join()
    else:
        step(alive[k])
for thing in alive:
    getattr(thing, "close", lambda: None)()
json.dump(log, sys.stdout)
