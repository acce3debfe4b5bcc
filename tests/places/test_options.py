"""Options and variables of the interpreter: what it says is what it says without Pathline, and the
path is exact.

Each row is a test by name: `test_option_O`, `test_variable_PYTHONOPTIMIZE`.
"""
import contextlib
import glob
import os
import subprocess
import sys
import tempfile
import unittest

INTERPRETERS = "turn"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places  # noqa: E402

OPTIONS = ("-P", "-B", "-O", "-OO", "-u", "-W error", "-X importtime", "-X tracemalloc", "-X dev", "-X faulthandler", "-X utf8", "-X perf",
           "-X frozen_modules=off", "-X frozen_modules=on", "-X no_debug_ranges", "-X int_max_str_digits=0", "-X showrefcount",
           "-X warn_default_encoding", "-X pycache_prefix=/tmp/nowhere", "-i", "-q", "-E", "-I", "-s", "-S", "-d", "-v", "-b", "-bb", "-x",
           "-W ignore -O -u -B", "-X cpu_count=2", "-X thread_inherit_context=1")
VARIABLES = ("PYTHONHOME={prefix}", "PYTHONPATH={folder}", "PYTHONSTARTUP={folder}/startup.py", "PYTHONINSPECT=1", "PYTHONMALLOC=malloc",
             "PYTHONMALLOC=pymalloc", "PYTHONMALLOC=debug", "PYTHONMALLOC=malloc_debug", "PYTHONMALLOC=pymalloc_debug",
             "PYTHONTRACEMALLOC=5", "PYTHONFAULTHANDLER=1", "PYTHONPROFILEIMPORTTIME=1", "PYTHONUNBUFFERED=1", "PYTHONHASHSEED=random",
             "PYTHONHASHSEED=7", "PYTHONDEVMODE=1", "PYTHONUTF8=1", "PYTHONUTF8=0", "PYTHONNODEBUGRANGES=1", "PYTHONWARNINGS=error",
             "PYTHONPLATLIBDIR=lib", "PYTHONSAFEPATH=1", "PYTHONINTMAXSTRDIGITS=0", "PYTHONPERFSUPPORT=1", "PYTHONOPTIMIZE=2",
             "PYTHONDEBUG=1", "PYTHONVERBOSE=1", "PYTHONIOENCODING=latin-1", "PYTHONCOERCECLOCALE=0", "PYTHONNOUSERSITE=1",
             "PYTHONUSERBASE=/nowhere", "PYTHONPYCACHEPREFIX={folder}/cache", "PYTHONASYNCIODEBUG=1", "PYTHONBREAKPOINT=0",
             "PYTHONCASEOK=1", "PYTHONEXECUTABLE=/nowhere/python", "PYTHON_FROZEN_MODULES=off", "PYTHON_CPU_COUNT=1", "PYTHON_COLORS=1",
             "PYTHONWARNDEFAULTENCODING=1", "PYTHONDONTWRITEBYTECODE=unset", "PYTHON_BASIC_REPL=1", "PYTHON_HISTORY=/nowhere",
             "PYTHON_PERF_JIT_SUPPORT=0", "PYTHON_JIT=1", "PYTHON_GIL=1", "PYTHONLEGACYWINDOWSSTDIO=1")
# What each is asked; -x leaves out the first line, of the oracle as of the program. In a run of its
# own the oracle imports what the program would import itself: where that shows, one run must do.
ALL = "same,two,identity-plain"
ONE_RUN = "same,identity-plain"
ASKED = {"-x": "identity-plain", "-S": ONE_RUN, "-X warn_default_encoding": ONE_RUN, "-X frozen_modules=off": ONE_RUN,
         "PYTHONHASHSEED=random": ONE_RUN, "PYTHON_FROZEN_MODULES=off": ONE_RUN, "PYTHONWARNDEFAULTENCODING=1": ONE_RUN}


def name_of(text):
    return "".join(c if c.isalnum() else "_" for c in text.split("/")[0].lstrip("-")).strip("_").replace("__", "_")


class Options(places.Case):
    pass


class Variables(places.Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="places-", dir=os.environ.get("TMPDIR", "/var/tmp"))
        cls.addClassCleanup(lambda: subprocess.run(["rm", "-rf", cls.folder], check=False))
        with open(os.path.join(cls.folder, "startup.py"), "w") as f:
            f.write("print('started')\n")
        cls.prefix = subprocess.run([places.PYTHON, "-I", "-c", "import sys; print(sys.prefix)"], stdout=subprocess.PIPE, text=True,
                                    check=True).stdout.strip()


def accepted(words, variables=None):
    """Does this version take it, by itself?"""
    env = dict(os.environ, **(variables or {}))
    done = subprocess.run([places.PYTHON, *words, "-c", "\npass"], env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode == 0


def wanted(index):
    """All of them, where the suite asks for much; else each version has its third, and what people
    use most is in all."""
    minor = int(places.about(places.PYTHON)[0].split(".")[1])
    return os.environ.get("PATHLINE_SUITE") not in ("test", "ci") or (index + minor) % 3 == 0


@contextlib.contextmanager
def without_perf_maps():
    """CPython writes /tmp/perf-PID.map for `perf` and leaves it there: those of the processes that
    ended meanwhile are removed."""
    before = set(glob.glob("/tmp/perf-*.map"))
    try:
        yield
    finally:
        for path in set(glob.glob("/tmp/perf-*.map")) - before:
            if not os.path.exists(f"/proc/{path.split('-')[-1].removesuffix('.map')}"):
                os.unlink(path)


def with_or_without_perf(text):
    return without_perf_maps() if "perf" in text.lower() else contextlib.nullcontext()


def option_test(option):
    def test(self):
        if OPTIONS.index(option) > 7 and not wanted(OPTIONS.index(option)):
            self.skipTest("not now: it is in another version's third")
        with with_or_without_perf(option):
            if not accepted(option.split()):
                # Without Pathline, too: there is no run to compare with. Other versions are asked.
                self.skipTest(f"this Python does not start with the option {option}: its version or "
                              "its build does not have it")
            self.exact(f"python {option}", python=f"{places.PYTHON} {option}", ask=ASKED.get(option, ALL))
    return test


def variable_test(text):
    def test(self):
        if not wanted(VARIABLES.index(text)):
            self.skipTest("not now: it is in another version's third")
        name, value = text.format(folder=self.folder, prefix=self.prefix).split("=", 1)
        with with_or_without_perf(name):
            if value != "unset" and not accepted([], {name: value}):
                # Without Pathline, too: there is no run to compare with. Other versions are asked.
                self.skipTest(f"this Python does not start with {name}={value}: its version or its "
                              "build does not have it")
            self.exact(text.replace("{folder}", "…").replace("{prefix}", "…"), variables=[f"{name}={value}"],
                       ask=ASKED.get(text, ALL))
    return test


for row in OPTIONS:
    setattr(Options, "test_option_" + name_of(row), option_test(row))
for row in VARIABLES:
    setattr(Variables, "test_variable_" + name_of(row), variable_test(row))

if __name__ == "__main__":
    unittest.main()
