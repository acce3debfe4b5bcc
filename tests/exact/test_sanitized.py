"""Programs with values under a recorder that is built with the address and undefined behaviour
sanitizers. PYTHONMALLOC=malloc: each object is a piece of memory of its own, so a read outside of
one, or of one that is gone, is found."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("PATHLINE_BUILD", HERE.parents[1] / "build")).resolve()
PYTHON = os.environ.get("PATHLINE_PYTHON", "python3")
INTERPRETERS = "one"
CI_HALF = 1
VALUES, CORPUS, EVENTS = HERE / "values", HERE / "corpus", HERE / "events"
# What is asked for, and of what.
CALLS, LINES = ("--values=calls", "--values-of=*"), ("--values=lines", "--values-of=*")
DEEP = ("--no-redact", "--values-limit=depth=16,bytes=8K,event=8K,second=0")
SMALL = ("--values-limit=bytes=16,event=64,chars=3",)
RUNS = (
    (VALUES / "kinds.py", (*CALLS, *DEEP)),
    (VALUES / "kinds.py", (*LINES, *SMALL)),
    (VALUES / "hostile.py", (*CALLS, *DEEP)),
    (VALUES / "hostile.py", LINES),
    (VALUES / "frames.py", (*LINES, *DEEP)),
    (VALUES / "secret_lines.py", LINES),
    (EVENTS / "passes_counted.py", (*LINES, "--hot=1")),
    (CORPUS / "threads.py", LINES),
    (CORPUS / "objects.py", LINES),
)


def version():
    return subprocess.check_output([PYTHON, "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], text=True).strip()


def runtime():
    """The library that must be there before the recorder is."""
    path = subprocess.run(["gcc", "-print-file-name=libasan.so"], stdout=subprocess.PIPE, text=True).stdout.strip()
    return os.path.realpath(path) if os.path.isabs(path) else None


@unittest.skipIf(os.environ.get("PATHLINE_SUITE") in ("quick", "test"), "not now: it builds a recorder")
@unittest.skipUnless(shutil.which("gcc") and shutil.which("ninja") and runtime(), "no gcc with its sanitizers, or no ninja")
class Sanitized(unittest.TestCase):
    def setUp(self):
        name = "pathline-recorder-%s.so" % version()
        subprocess.run(["ninja", "-C", BUILD, "tests/exact/" + name], check=True, stdout=subprocess.DEVNULL)
        work = tempfile.TemporaryDirectory(prefix="pathline-sanitized-")
        self.addCleanup(work.cleanup)
        self.work = pathlib.Path(work.name)
        # The preload takes the recorder that lies beside it.
        for path in BUILD / "pathline", BUILD / "pathline-preload.so", BUILD / "tests/exact" / name, BUILD / "libpathline.so.0":
            shutil.copy2(path, self.work)

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LD_", "ASAN_", "UBSAN_"))}
        reports = str(self.work / "report")
        return {**env, "PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LD_PRELOAD": runtime(),
                "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0:log_path=" + reports, "UBSAN_OPTIONS": "print_stacktrace=1:log_path=" + reports, **more}

    def reports(self):
        """Of the run that has just ended: the first lines of each."""
        texts = []
        for path in sorted(self.work.glob("report*")):
            texts.append(path.read_text(errors="replace")[:2500])
            path.unlink()
        return texts

    def recorded(self, program, options):
        recording = self.work / "recording"
        ran = subprocess.run([self.work / "pathline", "record", "-q", "-o", recording, *options, "--", PYTHON, "-W", "ignore", program],
                             cwd=self.work, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        self.assertEqual([], self.reports())
        self.assertEqual(0, ran.returncode, ran.stdout[-2000:])
        info = subprocess.run([BUILD / "pathline", "dump", "--events=call", recording], stdout=subprocess.PIPE, check=True).stdout
        self.assertIn(b"=", info)
        shutil.rmtree(recording)

    maxDiff = None

    def test_values(self):
        for program, options in RUNS:
            with self.subTest(program=program.name, options=options):
                self.recorded(program, options)


if __name__ == "__main__":
    unittest.main()
