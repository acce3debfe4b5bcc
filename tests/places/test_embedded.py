"""A C program that embeds Python: linked to it or loading it late, from texts, files and imports,
in its threads, again and again in one process. What is recorded of it is what is recorded of the
same text run by python -c."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import places  # noqa: E402

EMBED = str(places.BUILD / "tests" / "places" / "embed")
SOURCE = str(places.HERE / "embed.c")
PYTHON = places.PYTHON
ASK = "import sys, sysconfig as s; print('%d.%d' % sys.version_info[:2], sys.base_prefix, s.get_config_var('LIBDIR'), s.get_config_var('MULTIARCH') or '')"
# In an interpreter begun anew the type Own may lie where another one was.
TEXT = """\
class Own(Exception):
    pass

def half(n):
    if n % 2:
        raise Own(n)
    return n // 2

def numbers():
    for n in range(4):
        yield n

for n in numbers():
    try:
        print(half(n))
    except Own as e:
        print(repr(e))
"""
# A debugger's calls go by ours: also where ours are there from an interpreter before.
DEBUGGED = """\
import sys
def work(n):
    total = 0
    for i in range(n):
        total += i
    return total

def tracer(frame, event, arg):
    if event == 'line' and frame.f_code is work.__code__:
        try:
            frame.f_lineno = 10 ** 6
        except ValueError as e:
            seen.add(str(e))
    return tracer

seen = set()
sys.settrace(tracer)
work(3)
sys.settrace(None)
print(len(seen), sys.call_tracing(work, (4,)))
if sys.version_info >= (3, 12):
    sys.monitoring.use_tool_id(0, 'debugger')
print(work(2))
"""
MORE = "import fractions\nprint(fractions.Fraction(1, half(4)))\n"


MINOR, PREFIX, LIBDIR, *MULTIARCH = subprocess.run([PYTHON, "-I", "-c", ASK], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def libpython():
    """The shared library of the interpreter, "" if it has none."""
    for folder in (LIBDIR, LIBDIR + "/" + "".join(MULTIARCH)):
        for path in glob.glob(f"{folder}/libpython{MINOR}.so.1.0"):
            return path
    return ""


@unittest.skipUnless(libpython(), "this Python has no shared library")
class Embedded(places.Case):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="embedded-", dir=os.environ.get("TMPDIR", "/var/tmp"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        self.env.update(PYTHONHOME=PREFIX, PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=self.folder)

    def record(self, *command):
        """(its rows in files of ours, what record said); the program itself does as without
        Pathline."""
        recording = os.path.join(self.folder, "recording")
        shutil.rmtree(recording, ignore_errors=True)
        plain = places.run(*command, env=self.env, cwd=self.folder)
        done = places.run(places.PATHLINE, "record", "-o", recording, "--", *command, env=self.env, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout), done.stderr)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        check = places.run(places.PATHLINE, "check", recording)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        self.fields = "event,file,code,line,depth,type"
        rows = [r.split("\t") for r in places.run(places.PATHLINE, "dump", recording, "--fields", self.fields).stdout.splitlines()]
        self.assertFalse([r for r in rows if r[0] == "gap"])
        return rows, done.stderr

    def of(self, rows, file, base=0):
        return [(e, code, line, str(int(depth) - base), kind) for e, f, code, line, depth, kind in rows if f == file]

    def expected(self, *texts):
        """What the same texts give, each as python -c."""
        rows = []
        for text in texts:
            found, _ = self.record(PYTHON, "-c", text)
            rows += self.of(found, "<string>")
        return rows

    def embed(self, library, *words):
        return self.record(EMBED, library, "global", *words)

    def check(self, what, rows, *texts):
        self.assertEqual(self.of(rows, "<string>"), self.expected(*texts))
        self.note(what, "exact", "the rows of python -c")

    def linked(self):
        cc = shutil.which("cc")
        if not cc:
            self.skipTest("no compiler here")
        program = os.path.join(self.folder, "linked")
        folder, name = os.path.split(libpython())
        subprocess.run([cc, "-o", program, SOURCE, "-Wl,--no-as-needed", f"-L{folder}", f"-l:{name}", f"-Wl,-rpath,{folder}", "-ldl", "-lpthread"],
                       check=True)
        return program

    def test_linked(self):
        rows, _ = self.record(self.linked(), "", "global", "string", "1", TEXT)
        self.check("embedded, linked", rows, TEXT)

    def test_linked_begun_anew(self):
        rows, _ = self.record(self.linked(), "", "global", "string", "3", TEXT)
        self.check("embedded, begun anew", rows, TEXT, TEXT, TEXT)

    def test_debugged_begun_anew(self):
        rows, _ = self.record(self.linked(), "", "global", "string", "3", DEBUGGED)
        calls = [row for row in self.of(rows, "<string>") if row[:2] == ("call", "work")]
        self.assertEqual(len(calls), 3 * 3)

    def test_isolated(self):
        rows, _ = self.embed(libpython(), "isolated", "1", TEXT)
        self.check("embedded, isolated", rows, TEXT)

    def test_loaded_late(self):
        rows, said = self.embed(libpython(), "string", "1", TEXT)
        self.assertNotIn("not recorded", said)
        self.check("embedded, loaded late", rows, TEXT)

    def test_loaded_late_begun_anew(self):
        rows, _ = self.embed(libpython(), "string", "2", TEXT)
        self.check("embedded, loaded late, begun anew", rows, TEXT, TEXT)

    def test_two_texts(self):
        rows, _ = self.embed(libpython(), "string", "1", TEXT, MORE)
        own = [r for r in self.of(rows, "<string>") if r[3] == "0" and r[1] == "<module>"]
        self.assertEqual([r[0] for r in own].count("call"), 2)
        self.assertEqual(own[-1][0], "return")

    def test_file(self):
        file = os.path.join(self.folder, "program.py")
        with open(file, "w") as f:
            f.write(TEXT)
        rows, _ = self.embed(libpython(), "file", "1", file)
        plain, _ = self.record(PYTHON, file)
        self.assertEqual(self.of(rows, file), self.of(plain, file))
        self.assertTrue(self.of(rows, file))

    def test_import(self):
        file = os.path.join(self.folder, "imported.py")
        with open(file, "w") as f:
            f.write(TEXT)
        rows, said = self.embed(libpython(), "import", "1", "imported")
        # an import from C comes with a frame there, as site's does
        if MINOR == "3.15":
            self.assertEqual(rows, [])
            self.assertIn("nothing was recorded", said)
            self.note("embedded, only imports", "refused", said.splitlines()[0])
            return
        plain, _ = self.record(PYTHON, "-c", "import imported")
        self.assertEqual(self.of(rows, file, -1), self.of(plain, file))
        self.assertTrue(self.of(rows, file))
        self.note("embedded, only imports", "exact", "the rows of python -c")

    def test_threads_of_c(self):
        rows, _ = self.embed(libpython(), "threads", "1", TEXT, MORE, TEXT)
        calls = [r for r in self.of(rows, "<string>") if r[:2] == ("call", "half")]
        self.assertEqual(len(calls), 4 + 1 + 4)

    def test_loaded_for_itself_alone(self):
        rows, said = self.record(EMBED, libpython(), "local", "string", "1", TEXT)
        self.assertEqual(rows, [])
        self.assertIn("without RTLD_GLOBAL", said)
        self.note("embedded, loaded without RTLD_GLOBAL", "refused", said.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
