"""Tasks that exceptions end, and one that is cancelled."""
import sys


def greenlets():
    import greenlet

    def fails():
        raise LookupError("of a greenlet")

    def killed():
        greenlet.getcurrent().parent.switch()

    try:
        greenlet.greenlet(fails).switch()
    except LookupError:
        pass
    waits = greenlet.greenlet(killed)
    waits.switch()
    waits.throw(greenlet.GreenletExit)


def nurseries():
    import trio

    async def fails():
        await trio.sleep(0)
        raise LookupError("of a nursery")

    async def waits():
        await trio.sleep_forever()

    async def main():
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(waits)
                nursery.start_soon(fails)
        except BaseException as e:
            print(type(e).__name__)

    trio.run(main)


{"greenlets": greenlets, "nurseries": nurseries}[sys.argv[1]]()
