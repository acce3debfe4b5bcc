"""The rows of a service that is always recorded: LD_PRELOAD and PATHLINE_DIR in its environment, and
no `record`. Where the directory is there, w_aio beside an unrecorded one, by turns (turns.py); where
it is not there, the start of an interpreter, in CPU time."""
import resource
import shutil
import statistics
import subprocess

import turns
from figures import LeftOut, figure

STARTS = 20


class Service(turns.Turns):
    def __init__(self, bench, directory, scales=None):
        try:
            super().__init__(bench, "w_aio", scales)
        except turns.NotHere as reason:
            raise LeftOut(reason) from reason
        self.service = ["env", f"LD_PRELOAD={bench.build.resolve()}/pathline-preload.so", f"PATHLINE_DIR={directory}"]

    def served(self):
        return [*self.service, *self.python(*self.script(self.scales[0]))]


@figure("service_aio", "1.05", "CPU time of w_aio, recorded by PATHLINE_DIR / not recorded")
def service_aio(bench):
    directory = bench.scratch / "service"
    directory.mkdir(exist_ok=True)
    try:
        [ratio] = (service := Service(bench, directory)).ratios(service.served())
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return ratio, f"with values of the user's own calls, as by default; medians of {bench.runs}"


@figure("service_off", "1.05", "CPU time of an interpreter's start, PATHLINE_DIR set and its directory absent / without Pathline")
def service_off(bench):
    service = Service(bench, bench.scratch / "absent")
    words = service.python("-S", "-c", "pass")

    def took(before):
        """CPU seconds of one. Both are started by `env`."""
        begun = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(STARTS):
            subprocess.run([*before, *words], check=True, env=service.environment)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime) / STARTS
    pairs = [(took(service.service), took(["env", "A=B"])) for _ in range(bench.runs)]
    ratio = statistics.median(on / off for on, off in pairs)
    longer = statistics.median(on - off for on, off in pairs)
    return ratio, f"{longer * 1000:.2f} ms of {statistics.median(off for _, off in pairs) * 1000:.1f} ms; medians of {bench.runs} times {STARTS}"
