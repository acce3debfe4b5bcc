"""Programs of pyperformance, made as long as a pass is here. What measures in that package is not
loaded."""
import functools
import importlib.util
import io
import os
import sys
import time
import types

import program


def folder(name):
    found = importlib.util.find_spec("pyperformance")
    if not found:
        raise ModuleNotFoundError("No module named 'pyperformance'")
    return os.path.join(found.submodule_search_locations[0], "data-files", "benchmarks", f"bm_{name}")


@functools.cache
def known(name):
    """Its module."""
    # pyperf runs benchmarks in processes of its own, which bench/turns.py does here. Of it the
    # module needs a clock, and the name of the interpreter; all else would be an AttributeError.
    pyperf = types.ModuleType("pyperf")
    pyperf.perf_counter, pyperf.python_implementation = time.perf_counter, lambda: "cpython"
    sys.modules.setdefault("pyperf", pyperf)
    sys.path.insert(0, folder(name))
    spec = importlib.util.spec_from_file_location(f"bm_{name}", os.path.join(folder(name), "run_benchmark.py"))
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@program.gives(True)
def richards():
    """The scheduler of an operating system: small methods."""
    return known("richards").Richards().run(1)


@program.gives(None)
def deltablue():
    """A solver of constraints: classes that inherit."""
    return known("deltablue").delta_blue(1200)


@program.gives("checked")
def hexiom():
    """A puzzle of hexagons, solved by search. It compares its answer itself."""
    known("hexiom").main(9, 25)
    return "checked"


@program.gives(0)
def go():
    """A game of Go against itself, by random playouts."""
    module = known("go")
    module.GAMES = 100
    return module.versus_cpu()


@program.gives(None)
def raytrace():
    """A picture of spheres: vectors as objects."""
    known("raytrace").bench_raytrace(1, 40, 40, None)


@program.gives(-0.16905274)
def nbody():
    """Planets: floats in nested loops."""
    module = known("nbody")
    module.offset_momentum(module.BODIES["sun"])
    module.advance(0.01, 12000)
    return round(module.report_energy(), 8)


@program.gives("36000")
def pyflate():
    """bzip2 in Python: bits and tables."""
    import bz2
    packed = bz2.compress(" ".join(program.words(9000)).encode()[:36000])
    module = known("pyflate")
    field = module.RBitfield(io.BytesIO(packed))
    field.readbits(16)
    return str(len(module.bzip2_main(field)))


@program.gives(1799970000)
def generators():
    """A tree that is walked by generators which yield from others."""
    return sum(known("generators").tree(range(60000)))


@program.gives(121393)
def coroutines():
    """Fibonacci by coroutines that await each other, without a loop."""
    try:
        known("coroutines").fibonacci(26).send(None)
    except StopIteration as end:
        return end.value


@program.gives(49995000)
def async_generators():
    """The same tree by asynchronous generators, with asyncio."""
    import asyncio

    async def walk():
        return sum([value async for value in known("async_generators").tree(range(10000))])

    return asyncio.run(walk())


@program.gives("checked")
def async_tree():
    """Tasks that gather tasks, five levels of them."""
    import asyncio
    module = known("async_tree")
    module.NUM_RECURSE_LEVELS, module.IO_SLEEP_TIME = 5, 0
    asyncio.run(module.MemoizationAsyncTree().run())
    return "checked"


@program.gives("checked")
def comprehensions():
    """Widgets that are filtered, sorted and grouped by comprehensions."""
    known("comprehensions").bench_comprehensions(3000)
    return "checked"


@program.gives("checked")
def deepcopy():
    """copy.deepcopy of dicts, objects and instances that reduce themselves."""
    module = known("deepcopy")
    module.benchmark(100)
    module.benchmark_reduce(100)
    module.benchmark_memo(100)
    return "checked"


@program.gives("checked")
def logging():
    """Messages that are formatted and written to memory; it counts them itself."""
    import logging
    logger, stream = logging.getLogger("bench"), io.StringIO()
    logger.propagate, logger.handlers = False, [logging.StreamHandler(stream)]
    known("logging").bench_formatted_output(800, logger, stream)
    return "checked"


@functools.cache
def regexes():
    return known("regex_compile").capture_regexes()


@program.gives("checked")
def regex_compile():
    """The compiler of regular expressions, which is in Python."""
    known("regex_compile").bench_regex_compile(1, regexes()[::2])
    return "checked"


if __name__ == "__main__":
    program.main()
