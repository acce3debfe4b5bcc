"""A line is shown with the text that it was compiled from, or with none: never with that of another version.

Each program below writes modules, changes them in some way, and runs code of both versions. The lines of these modules, in the
order in which they ran, must be shown as stated; `None` is a text that cannot be known.
"""
import codecs
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
import unittest.mock
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "rotating"
CI_HALF = 1

# A program has this in front; its modules lie in the folder "made".
BEGIN = '''\
import importlib, os, shutil, subprocess, sys, threading, time
sys.dont_write_bytecode = True
os.mkdir("made")
made = os.path.abspath("made")
sys.path.insert(0, made)
def put(text, name="mod.py"):
    with open(os.path.join(made, name), "w") as f:
        f.write(text)
def text(word):
    return "VALUE = '%s'\\ndef late():\\n    return '%s text'\\n" % (word, word)
put(text("FIRST"))
'''


def module(word):
    return [f"VALUE = '{word}'", "def late():"]


def late(word):
    return [f"    return '{word} text'"]


FIRST, SECOND = module("FIRST"), module("SECOND")
OLD, NEW = late("FIRST"), late("SECOND")

# name: (program, what its modules' lines show)
RELOAD = {
    "reload": ("import mod\nold = mod.late\nput(text('SECOND'))\nimportlib.reload(mod)\nold(), mod.late()\n",
               FIRST + SECOND + OLD + NEW),
    "reload_same_length": ("import mod\nold = mod.late\nput(text('OTHER'))\nimportlib.reload(mod)\nold(), mod.late()\n",
                           FIRST + module("OTHER") + OLD + late("OTHER")),
    "reload_of_what_was_replaced": (
        "import mod\nold = mod.late\nput(text('SECOND'), 'new')\nos.replace('made/new', 'made/mod.py')\nimportlib.reload(mod)\n"
        "old(), mod.late()\n", FIRST + SECOND + OLD + NEW),
    "reload_of_a_switched_link": (
        "put(text('SECOND'), 'two')\nput(text('FIRST'), 'one')\nos.remove('made/mod.py')\nos.symlink('one', 'made/mod.py')\n"
        "import mod\nold = mod.late\nos.remove('made/mod.py')\nos.symlink('two', 'made/mod.py')\nimportlib.reload(mod)\n"
        "old(), mod.late()\n", FIRST + SECOND + OLD + NEW),
    "reload_twice_and_back": (
        "import mod\nold = mod.late\nput(text('SECOND'))\nimportlib.reload(mod)\nmiddle = mod.late\nput(text('FIRST'))\n"
        "importlib.reload(mod)\nmiddle(), old(), mod.late()\n", FIRST + SECOND + FIRST + NEW + OLD + OLD),
    "deleted_then_called": ("import mod\nos.remove('made/mod.py')\nmod.late()\n", FIRST + OLD),
}
CHILD = {
    "child_imports_new_text": (
        "import mod\nput(text('SECOND'))\nsubprocess.run([sys.executable, '-B', '-c', "
        "'import sys; sys.path.insert(0, %r); import mod; mod.late()' % made], check=True)\nmod.late()\n",
        FIRST + OLD + SECOND + NEW),
    "fork_then_rewritten_by_the_child": (
        "import mod\nif not os.fork():\n    put(text('SECOND'))\n    importlib.reload(mod)\n    mod.late()\n    os._exit(0)\n"
        "os.wait()\nmod.late()\n", FIRST + OLD + SECOND + NEW),
    "fork_then_rewritten_by_the_parent": (
        "import mod\nr, w = os.pipe()\nif not os.fork():\n    os.read(r, 1)\n    mod.late()\n    os._exit(0)\n"
        "put(text('SECOND'))\nos.write(w, b'x')\nos.wait()\nimportlib.reload(mod).late()\n", FIRST + SECOND + NEW + OLD),
    "child_of_a_child": (
        "import mod\nif not os.fork():\n    put(text('SECOND'))\n    if not os.fork():\n        mod.late()\n"
        "        importlib.reload(mod).late()\n        os._exit(0)\n    os.wait()\n    os._exit(0)\nos.wait()\n",
        FIRST + OLD + SECOND + NEW),
    "exec_after_a_change": (
        "import mod\nmod.late()\nput(text('SECOND'))\nos.execv(sys.executable, [sys.executable, '-B', '-c', "
        "'import sys; sys.path.insert(0, %r); import mod; mod.late()' % made])\n", FIRST + OLD + SECOND + NEW),
    "spawned_by_multiprocessing": (
        "import mod\nput(text('SECOND'))\nimport multiprocessing\nif __name__ == '__main__':\n"
        "    c = multiprocessing.get_context('fork').Process(target=mod.late)\n    c.start()\n    c.join()\n", FIRST + OLD),
}
RUN = "exec(compile(open('mod.py').read(), 'mod.py', 'exec'))\n"
TWO_PLACES = "os.mkdir('made/sub')\nput(text('SECOND'), 'sub/mod.py')\n"
RELATIVE = {
    "relative_name_two_places": (
        TWO_PLACES + "os.chdir('made/sub')\n" + RUN + "late()\nos.chdir('..')\n" + RUN + "late()\n", SECOND + NEW + FIRST + OLD),
    "relative_name_old_function": (
        TWO_PLACES + "os.chdir('made/sub')\n" + RUN + "old = late\nos.chdir('..')\n" + RUN + "old(), late()\n",
        SECOND + FIRST + NEW + OLD),
    "directory_changed_by_a_thread": (
        TWO_PLACES + "os.chdir('made')\n" + RUN + "t = threading.Thread(target=os.chdir, args=('sub',))\nt.start()\nt.join()\n" + RUN +
        "late()\n", FIRST + SECOND + NEW),
    "directory_left_at_once": (TWO_PLACES + "os.chdir('made/sub')\n" + RUN + "os.chdir('/')\nlate()\n", SECOND + NEW),
    "directory_renamed": (
        TWO_PLACES + "os.chdir('made/sub')\n" + RUN + "os.rename('../sub', '../gone')\nput(text('OTHER'), 'mod.py')\nlate()\n",
        SECOND + NEW),
    "directory_removed": (
        TWO_PLACES + "os.chdir('made/sub')\n" + RUN + "shutil.rmtree('../sub')\nlate()\n", SECOND + NEW),
}
AGAIN = "sys.modules.pop('mod', None)\nimportlib.invalidate_caches()\n"


def twenty(change, words):
    """The module twenty times anew; `change` brings its text number i to its place."""
    body = f"i = 0\nwhile i < 20:\n    {change}\n    sys.modules.pop('mod', None)\n    importlib.invalidate_caches()\n    import mod\n" \
           "    mod.late()\n    i += 1\n"
    return body, [line for i in range(20) for line in module(words % i) + late(words % i)]


REWRITTEN = {
    "rewritten_twenty_times": twenty("put(text('%d' % i))", "%d"),
    "rewritten_in_the_same_size": twenty("put(text('%04d' % i))", "%04d"),
    "replaced_twenty_times": twenty("put(text('%04d' % i), 'n'), os.replace('made/n', 'made/mod.py')", "%04d"),
    "rewritten_with_one_time": twenty("put(text('%04d' % i)), os.utime('made/mod.py', (1e9, 1e9))", "%04d"),
    "removed_twenty_times": (
        "for i in range(20):\n    put(text('%d' % i))\n    sys.modules.pop('mod', None)\n    importlib.invalidate_caches()\n"
        "    import mod\n    os.remove('made/mod.py')\n    mod.late()\n",
        [line for i in range(20) for line in module(str(i)) + late(str(i))]),
    "executed_twenty_times_in_place": (
        "os.chdir('made')\nfor i in range(20):\n    put(text('%d' % i))\n    exec(compile(open('mod.py').read(), 'mod.py', 'exec'))\n"
        "    late()\n", [line for i in range(20) for line in module(str(i)) + late(str(i))]),
}


class Case(unittest.TestCase):
    def record(self, program, *options, **more):
        self.folder = session.scratch()
        with open(os.path.join(self.folder, "program.py"), "w", encoding="utf-8") as f:
            f.write(program)
        done = session.pathline("record", "-q", *options, "--python", session.PYTHON, *more.pop("what", ["program.py"]), cwd=self.folder,
                                **more)
        self.assertEqual(done.returncode, 0, done.stderr)

    def shown(self, end="mod.py"):
        done = session.pathline("dump", "--json", "--events", "line", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [json.loads(line)["data"] for line in done.stdout.splitlines()]
        return [row.get("source") for row in rows if row.get("file", "").endswith(end)]

    def check(self, table):
        for name, (program, expected) in table.items():
            with self.subTest(name):
                self.record(BEGIN + program)
                found = self.shown()
                self.assertEqual(found, expected)


class Kinds:
    """A test for each kind of program; a class that inherits this has the tables."""

    def test_reload(self):
        self.check(self.reload)

    def test_child(self):
        self.check(self.child)

    def test_relative_name(self):
        self.check(self.relative)

    def test_rewritten(self):
        self.check(self.rewritten)


class Versions(Kinds, Case):
    """Two versions of one file."""

    reload, child, relative, rewritten = RELOAD, CHILD, RELATIVE, REWRITTEN

    def test_function_of_a_changed_file(self):
        """Code that comes without its module, of a file that was written while the process ran: its text is not known."""
        self.record(BEGIN + "code = compile(text('OTHER'), made + '/mod.py', 'exec')\nexec(code.co_consts[1])\n")
        self.assertEqual(self.shown(), [None])


class Report(Case):
    """`report --file` shows each text of a file by itself."""

    GROWS = "put(%r)\nimport mod\nmod.a()\n%sput(%r)\n%s\nmod.a(), mod.b()\n"
    ONE = "def a():\n    return 'one'\n"
    TWO = "# new\n# lines\n\ndef b():\n    return 'b'\ndef a():\n    return 'two'\n"

    def hits(self):
        """Of each text: line by line, what `report --file` says of it."""
        done = session.pathline("report", "--file", "mod.py", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        texts = []
        for line in done.stdout.decode().splitlines():
            if "mod.py" in line:
                texts.append({})
            elif line.strip() and not line.strip().startswith("hits"):
                hits, number, source = re.match(r"(.{12}).*?\s(\d+)  (.*)$", line + "  ").groups()
                texts[-1][int(number)] = (int(hits) if hits.strip().isdigit() else 0, source.rstrip())
        return texts

    def check_hits(self, program, *expected):
        self.record(BEGIN + program)
        found = self.hits()
        self.assertEqual([[hits for hits, _ in text.values()] for text in found], [list(e) for e in expected])
        for text in found:
            for hits, source in text.values():
                self.assertFalse(hits and (not source.strip() or source.lstrip().startswith("#")), text)

    def test_data(self):
        """Rows of the data have the number of the text."""
        self.record(BEGIN + self.GROWS % (self.ONE, "", self.TWO, "importlib.reload(mod)"))
        done = session.pathline("report", "--file", "mod.py", "--json", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row["data"] for row in map(json.loads, done.stdout.splitlines()) if row["type"] == "line"]
        self.assertEqual(sorted((row["text"], row["line"], row["hits"]) for row in rows if row["hits"]),
                         [(1, 1, 1), (1, 2, 1), (2, 4, 1), (2, 5, 1), (2, 6, 1), (2, 7, 1)])
        done = session.pathline("report", "--json", cwd=self.folder)
        rows = [row["data"] for row in map(json.loads, done.stdout.splitlines()) if row["type"] == "line"]
        self.assertEqual({row["text"] for row in rows if not (row["file"] or "").endswith("mod.py") and row["file"]}, {1})

    def test_grows(self):
        reload = "importlib.reload(mod)"
        one, two = self.ONE, self.TWO
        twice = "import mod\nmod.a()\n"
        self.check_hits(self.GROWS % (one, "", two, reload), [1, 1], [0, 0, 0, 1, 1, 1, 1])
        for name, program, expected in (
                ("shrinks", self.GROWS % (two, "mod.b()\n", one + "b = a\n", reload), ([0, 0, 0, 1, 1, 1, 1], [1, 2, 1])),
                ("and back", self.GROWS % (one, "", two, reload) + f"put({one!r})\nimportlib.reload(mod).a()\n",
                 ([2, 2], [0, 0, 0, 1, 1, 1, 1])),
                ("replaced", f"put({one!r})\n{twice}put({two!r}, 'n')\nos.replace('made/n', 'made/mod.py')\nimportlib.reload(mod)\n"
                 "mod.a(), mod.b()\n", ([1, 1], [0, 0, 0, 1, 1, 1, 1])),
                ("in a child", f"put({one!r})\n{twice}if not os.fork():\n    put({two!r})\n    importlib.reload(mod).a()\n    os._exit(0)\n"
                 "os.wait()\n", None),
                ("never changed", f"put({one!r})\n{twice}importlib.reload(mod).a()\n", ([2, 2],)),
        ):
            with self.subTest(name):
                if expected:
                    self.check_hits(program, *expected)
                else:
                    self.record(BEGIN + program)
                    self.assertEqual(len(self.hits()), 2)


class Encodings(Case):
    """Text is shown as Python decoded it."""

    def import_bytes(self, data):
        self.record(BEGIN + f"open('made/mod.py', 'wb').write({data!r})\nimport mod\n")
        return self.shown()

    def test_decoded(self):
        word = "wort = 'äöü €'"
        cases = {
            "latin-1": ("# coding: latin-1\nwort = 'äöü'\n".encode("latin-1"), ["wort = 'äöü'"]),
            "cp1252, on the second line": (("#!x\n# -*- coding: cp1252 -*-\n" + word + "\n").encode("cp1252"), [word]),
            "koi8-r": ("# vim: set fileencoding=koi8-r :\nx = 'слово'\n".encode("koi8-r"), ["x = 'слово'"]),
            "shift_jis": ("# coding=shift_jis\nx = '日本'\n".encode("shift_jis"), ["x = '日本'"]),
            "mark": (codecs.BOM_UTF8 + (word + "\n").encode(), [word]),
            "mark and a line": (codecs.BOM_UTF8 + ("# coding: utf-8\n" + word + "\n").encode(), [word]),
            "a line that lies": ("# coding: latin-1\nx = 'ä'\n".encode(), ["x = 'Ã¤'"]),
            "not on the third line": (("\n\n# coding: latin-1\n" + word + "\n").encode(), [word]),
            "not after code": (("x = 1\n# coding: latin-1\n" + word + "\n").encode(), ["x = 1", word]),
            "Emacs": (("# coding: utf-8-unix\n" + word + "\n").encode(), [word]),
            "form feed": (b"x = 1\n\x0cy = 2\n\x0c\nz = 3\n", ["x = 1", "\x0cy = 2", "z = 3"]),
            "CR LF": (b"x = 1\r\ny = 2\r\n", ["x = 1", "y = 2"]),
            "no end": (b"x = 1\ny = 2", ["x = 1", "y = 2"]),
            "line separator": ("x = '\u2028'\ny = 2\n".encode(), ["x = '\u2028'", "y = 2"]),
        }
        for name, (data, expected) in cases.items():
            with self.subTest(name):
                self.assertEqual(self.import_bytes(data), expected)

    def test_decoded_in_text(self):
        self.record(BEGIN + "open('made/mod.py', 'wb').write('# coding: latin-1\\nx = \\'äöü\\'\\n'.encode('latin-1'))\nimport mod\n")
        done = session.pathline("dump", "--events", "line", cwd=self.folder)
        self.assertIn("x = 'äöü'", done.stdout.decode())
        done = session.pathline("report", "--file", "mod.py", cwd=self.folder)
        self.assertIn("x = 'äöü'", done.stdout.decode())

    def test_refused(self):
        """What Python refuses was not compiled: the program made this code itself, from another text."""
        for name, data in {"utf-16": "x = 1\n".encode("utf-16"), "not utf-8": b"x = '\xe4'\n", "nul": b"x = 1\0\n",
                           "mark and another coding": codecs.BOM_UTF8 + b"# coding: latin-1\nx = 1\n",
                           "ascii that is none": "# coding: ascii\nx = 'ä'\n".encode(),
                           "unknown": b"# coding: no-such-coding\nx = 1\n"}.items():
            with self.subTest(name):
                self.record(BEGIN + f"open('made/mod.py', 'wb').write({data!r})\n"
                            "exec(compile('x = 1\\n', made + '/mod.py', 'exec'))\n")
                self.assertEqual(self.shown(), [None])


class Ordinary(Case):
    """What nobody rewrites is always shown."""

    def library(self):
        return self.shown("/textwrap.py")

    def test_compiled_files(self):
        self.record("import textwrap\ntextwrap.dedent('x')\n")
        self.assertTrue(self.library())
        self.assertNotIn(None, self.library())

    def test_own_modules_with_bytecode(self):
        folder = session.scratch()
        with open(folder + "/own.py", "w", encoding="utf-8") as f:
            f.write("x = 1\ndef f():\n    return x\n")
        program = f"import sys\nsys.path.insert(0, {folder!r})\nimport own\nown.f()\n"
        for _ in range(2):
            self.record(program)
            self.assertEqual(self.shown("/own.py"), ["x = 1", "def f():", "    return x"])

    def test_frozen(self):
        self.record("import os\nos.get_exec_path({'PATH': '/'})\n")
        rows = [s for s in self.shown("<frozen os>") + self.shown("/os.py")]
        self.assertTrue(rows)
        self.assertNotIn(None, rows)

    def test_command(self):
        self.record("", what=["-c", "x = 1\ndef f():\n    return x\nf()\n"])
        self.assertEqual(self.shown("<string>"), ["x = 1", "def f():", "f()", "    return x"])

    def test_stdin(self):
        """From a file it has its text; from a pipe it is said that it has none."""
        folder = session.scratch()
        text = "# a program\ndef f(n):\n    x = 'ä'\n    return x * n\n\n\nprint(len(f(3)))\n"
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        wanted = [line for i, line in enumerate(text.split("\n"), 1) if i in (2, 3, 4, 7)]
        for words in (["--python", session.PYTHON, "-"], ["--", session.PYTHON, "-"], ["--", session.PYTHON]):
            for way in "file", "pipe":
                recording = os.path.join(folder, f"{way}{len(os.listdir(folder))}")
                with open(path, "rb") as f:
                    given = {"stdin": f} if way == "file" else {"input": f.read()}
                    done = subprocess.run([session.PATHLINE, "record", "-q", "-o", recording, *words], capture_output=True, timeout=60, **given)
                self.assertEqual((done.returncode, done.stdout), (0, b"3\n"), done.stderr)
                shown = [row[2] for row in session.rows("-e", "line", "-f", "file,line,source", recording) if row[0] == "<stdin>"]
                self.assertEqual(sorted(set(shown)), sorted(wanted) if way == "file" else [""], words)
                said = session.pathline("report", "--file", "<stdin>", recording).stderr.decode()
                self.assertEqual(said, "" if way == "file" else
                                 "pathline: report: <stdin>: its source is not there: <stdin>: it came to stdin from a pipe or a terminal, and is not kept; "
                                 "a program from a file has its text\n")

    def test_stdin_that_was_replaced(self):
        folder = session.scratch()
        with open(os.path.join(folder, "other.py"), "w", encoding="utf-8") as f:
            f.write("other = 1\n" * 20)
        text = "import os\nos.dup2(os.open('other.py', os.O_RDONLY), 0)\ndef f():\n    return os\nexec(compile('late = 1', '<stdin>', 'exec'))\nf()\n"
        with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as f:
            f.write(text)
        with open(os.path.join(folder, "program.py"), "rb") as f:
            done = subprocess.run([session.PATHLINE, "record", "-q", "-o", "r", "--", session.PYTHON, "-"], cwd=folder, stdin=f, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = {(int(row[1]), row[2]) for row in session.rows("-e", "line", "-f", "file,line,source", "r", cwd=folder) if row[0] == "<stdin>"}
        self.assertEqual(lines - {(1, "")}, {(i, line) for i, line in enumerate(text.splitlines(), 1)})

    def test_module(self):
        self.record("x = 1\n", what=["-m", "program"])
        self.assertEqual(self.shown("program.py"), ["x = 1"])

    def test_execfile_again_and_again(self):
        """The same file, executed often under one name: its functions too."""
        self.record(BEGIN + "time.sleep(2.1)\nfor i in range(3):\n    exec(compile(open('made/mod.py').read(), 'made/mod.py', 'exec'))\n"
                    "    late()\n")
        self.assertEqual(self.shown(), (FIRST + OLD) * 3)

    def test_notebook(self):
        """Files that only linecache has, with a name that is a file's or in angle brackets."""
        for name in ("/tmp/ipykernel_1/2.py", "<ipython-input-1>"):
            with self.subTest(name):
                self.record("import linecache\nt = '# coding: latin-1\\nx = \\'ä\\'\\n'\n"
                            f"linecache.cache[{name!r}] = (len(t), None, t.splitlines(True), {name!r})\n"
                            f"exec(compile(t, {name!r}, 'exec'))\n")
                self.assertEqual(self.shown(name), ["x = 'ä'"])


COMPILED = """\
import importlib, os, py_compile, sys, time
made = os.path.abspath("made")
os.mkdir(made)
def put(text, name="mod.py"):
    with open(os.path.join(made, name), "w") as f:
        f.write(text)
def text(word):
    return f"VALUE = '{word}'\\ndef late():\\n    return '{word} text'\\n"
put(text("FIRST"))
"""


class Bytecode(Case):
    """What ran came from a .pyc, which may be of another text than the file that is there."""

    USE = "import sys\nsys.path.insert(0, 'made')\nimport mod\nmod.late()\n"

    def check(self, prepare, expected, what=("use.py",), use=USE):
        self.folder = session.scratch()
        with open(os.path.join(self.folder, "use.py"), "w", encoding="utf-8") as f:
            f.write(use)
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            subprocess.run([session.PYTHON, "-c", COMPILED + prepare], cwd=self.folder, check=True)
            done = session.pathline("record", "-q", "--python", session.PYTHON, *what, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.shown(), expected)

    IMPORT = "sys.path.insert(0, made)\nimport mod\n"
    BACK = "st = os.stat('made/mod.py')\nput(text('OTHER'))\nos.utime('made/mod.py', ns=(st.st_atime_ns, st.st_mtime_ns))\n"

    def test_ordinary(self):
        self.check(self.IMPORT, FIRST + OLD)
        self.check("os.utime('made/mod.py', (1e9, 1e9))\n" + self.IMPORT, FIRST + OLD)

    def test_changed_within_its_second(self):
        self.check(self.IMPORT + self.BACK, [None] * 3)

    def test_changed_with_its_time(self):
        """A program set the time back, so that Python takes the old .pyc."""
        self.check("os.utime('made/mod.py', (1e9, 1e9))\n" + self.IMPORT + self.BACK, [None] * 3)

    def test_only_given_to_another(self):
        """Its inode was changed since, as by a link to it, and the text not."""
        self.check("os.utime('made/mod.py', (1e9, 1e9))\n" + self.IMPORT + "os.link('made/mod.py', 'again')\n", FIRST + OLD)

    def test_copied_together(self):
        self.check(self.IMPORT + "import shutil\ntime.sleep(2.1)\nshutil.copytree(made, 'copy')\nos.rename(made, 'gone')\n"
                   "os.rename('copy', made)\n", FIRST + OLD)

    def test_made_and_imported_at_once(self):
        self.check("", FIRST + OLD + FIRST + OLD, use="import os, sys\nimport importlib\nsys.path.insert(0, 'made')\nt = open('made/mod.py').read()\n"
                   "open('made/mod.py', 'w').write(t)\nimport mod\nmod.late()\ndel sys.modules['mod']\n"
                   "open('made/mod.py', 'w').write(t)\nos.utime('made/mod.py', (1e9, 1e9))\nimport mod\nmod.late()\n")

    def test_with_a_hash(self):
        how = "py_compile.compile('made/mod.py', invalidation_mode=py_compile.PycInvalidationMode.%s)\n"
        self.check(how % "UNCHECKED_HASH", FIRST + OLD)
        self.check(how % "UNCHECKED_HASH" + "put(text('SECOND'))\n", [None] * 3)
        self.check(how % "CHECKED_HASH", FIRST + OLD)
        self.check(how % "CHECKED_HASH" + "put(text('SECOND'))\n", SECOND + NEW)

    def test_without_source(self):
        """The name is that of a file which may be another one by now, in another place."""
        alone = "os.rename('made/mod.py', 'mod.py')\npy_compile.compile('mod.py', 'made/mod.pyc')\n"
        self.check(alone, FIRST + OLD)
        self.check(alone + "os.rename('made', 'm2')\nos.mkdir('made')\nput(text('OTHER'))\nos.rename('made/mod.py', 'mod.py')\n"
                   "os.rmdir('made')\nos.rename('m2', 'made')\n", [None] * 3)
        self.check(alone + "os.remove('mod.py')\n", [None] * 3)

    def test_run(self):
        alone = "py_compile.compile('made/mod.py', 'mod.pyc')\n"
        self.check(alone, FIRST, what=("mod.pyc",))
        self.check(alone + "put(text('OTHER'))\n", [None] * 2, what=("mod.pyc",))

    def test_prefix(self):
        """sys.pycache_prefix: the .pyc lies elsewhere."""
        with unittest.mock.patch.dict(os.environ, PYTHONPYCACHEPREFIX="/tmp/pathline-pycache-%d" % os.getpid()):
            self.addCleanup(shutil.rmtree, os.environ["PYTHONPYCACHEPREFIX"], True)
            self.check(self.IMPORT, FIRST + OLD)
            self.check(self.IMPORT + self.BACK, [None] * 3)

    def test_optimized(self):
        with unittest.mock.patch.dict(os.environ, PYTHONOPTIMIZE="2"):
            self.check(self.IMPORT, FIRST + OLD)
            self.check(self.IMPORT + self.BACK, [None] * 3)


# After this, a system call that looks at a file ends the program: open, stat, lstat, access,
# getcwd, readlink, openat, newfstatat,
# readlinkat, faccessat, statx, faccessat2 (x86-64).
CONFINE = """\
import ctypes, encodings, struct, threading
numbers = (2, 4, 6, 21, 79, 89, 257, 262, 267, 269, 332, 439)
code = struct.pack("<HBBI", 0x20, 0, 0, 0)
for i, number in enumerate(numbers):
    code += struct.pack("<HBBI", 0x15, len(numbers) - i, 0, number)
code += struct.pack("<HBBIHBBI", 0x06, 0, 0, 0x7fff0000, 0x06, 0, 0, 0x80000000)
program = ctypes.create_string_buffer(code)
head = struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(program))
prctl = ctypes.CDLL(None).prctl
assert prctl(38, 1, 0, 0, 0) == 0 and prctl(22, 2, head, 0, 0) == 0
"""


@unittest.skipUnless(os.uname().machine == "x86_64", "the filter is for x86-64")
class Confined(Case):
    """A seccomp filter that ends the program at a look at a file: none is looked at for it."""

    def check(self, program, name):
        self.record(CONFINE + program)
        done = session.pathline("dump", "--json", "--events", "line", cwd=self.folder)
        rows = [json.loads(line)["data"] for line in done.stdout.splitlines()]
        self.assertEqual({row["source"] for row in rows if row["code"] == name}, {None}, done.stderr)

    def test_code_of_earlier(self):
        self.check("encodings.normalize_encoding('a b')\n", "normalize_encoding")

    def test_code_of_later(self):
        self.check("exec(compile('def f():\\n    return 1\\nf()', 'a.py', 'exec'))\n", "f")

    def test_in_a_thread(self):
        self.check("t = threading.Thread(target=encodings.normalize_encoding, args=('a b',))\nt.start()\nt.join()\n",
                   "normalize_encoding")

    def test_the_reason(self):
        self.check("encodings.normalize_encoding('a b')\n", "normalize_encoding")
        done = session.pathline("report", "--file", "encodings/__init__.py", cwd=self.folder)
        self.assertIn(b"the program had given up rights (prctl)", done.stderr)


class Executed(Case):
    """The program compiles and runs code itself, at whatever time."""

    def test_late(self):
        run = "code = compile(open('made/mod.py').read(), 'made/mod.py', 'exec')\n%sexec(code)\nlate()\n"
        self.record(BEGIN + run % "put(text('SECOND'))\n")
        self.assertEqual(self.shown(), [None] * 3)
        self.record(BEGIN + run % "put(text('OTHER'))\n")
        self.assertEqual(self.shown(), [None] * 3)
        self.record(BEGIN + run % "")
        self.assertEqual(self.shown(), FIRST + OLD)

    def test_what_the_program_changed(self):
        """Another text than the file's was compiled under its name."""
        self.record(BEGIN + "exec(compile('import os\\n' + open('made/mod.py').read(), 'made/mod.py', 'exec'))\n")
        self.assertEqual(self.shown(), [None] * 3)

    def test_a_changed_tree(self):
        """Lines of code whose tree was changed keep their text, as of tests under pytest."""
        self.record(BEGIN + "import ast\ntree = ast.parse(open('made/mod.py').read())\n"
                    "tree.body.insert(0, ast.copy_location(ast.Assign([ast.Name('@new', ast.Store())], ast.Constant(7)), tree.body[0]))\n"
                    "exec(compile(ast.fix_missing_locations(tree), 'made/mod.py', 'exec'))\nlate()\n")
        self.assertEqual(self.shown(), FIRST + OLD)

    def test_unpickled(self):
        self.record(BEGIN + "import marshal\ncode = marshal.dumps(compile(text('OTHER'), made + '/mod.py', 'exec'))\n"
                    "exec(marshal.loads(code))\n")
        self.assertEqual(self.shown(), [None] * 2)

    def test_runpy(self):
        self.record(BEGIN + "import runpy\nrunpy.run_path('made/mod.py')['late']()\nsys.path.insert(0, 'made')\nrunpy.run_module('mod')\n")
        self.assertEqual(self.shown(), FIRST + OLD + FIRST)


ZIP = """\
import zipfile
def pack(name, *texts, how=zipfile.ZIP_DEFLATED, **more):
    with zipfile.ZipFile(name, "w", how, **more) as z:
        for member, body in texts:
            z.writestr(member, body)
"""


class Zipped(Case):
    """A module in a zip file is shown as one in a file."""

    def library(self, word="FIRST"):
        return [("lib.py", f"VALUE = '{word}'\ndef late():\n    return '{word} text'\n"),
                ("package/__init__.py", ""), ("package/inner.py", "X = 'inner'\n")]

    def check(self, archive, program, expected, what=None):
        self.folder = session.scratch()
        for name, body in archive.items():
            with zipfile.ZipFile(os.path.join(self.folder, name), "w", zipfile.ZIP_DEFLATED) as z:
                for member, text in body:
                    z.writestr(member, text)
        path = os.path.join(self.folder, "program.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write((ZIP if "zipfile" in program or "pack(" in program else "") + program)
        done = session.pathline("record", "-q", "--python", session.PYTHON, *(what or ["program.py"]), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for end, lines in expected.items():
            self.assertEqual(self.shown(end), lines)

    def test_on_the_path(self):
        self.check({"lib.zip": self.library()}, "import sys\nsys.path.insert(0, 'lib.zip')\nimport lib, package.inner\nlib.late()\n",
                   {"lib.zip/lib.py": FIRST + OLD, "inner.py": ["X = 'inner'"]})

    def test_made_just_now(self):
        """It is in no file system's time yet: what ran is sent as it is packed."""
        for how in ("DEFLATED", "STORED"):
            with self.subTest(how):
                self.check({}, f"import sys\npack('lib.whl', *{self.library()!r}, how=zipfile.ZIP_{how})\nsys.path.insert(0, 'lib.whl')\n"
                           f"import lib\npack('lib.whl', *{self.library('OTHER')!r}, how=zipfile.ZIP_{how})\nlib.late()\n",
                           {"lib.whl/lib.py": FIRST + OLD})

    def test_replaced(self):
        """A zip file that is another one by now: what it had is not known."""
        self.check({"lib.zip": self.library()}, "import os, sys, time\ntime.sleep(2.1)\nsys.path.insert(0, 'lib.zip')\n"
                   f"import lib\npack('new', *{self.library('OTHER')!r})\nos.replace('new', 'lib.zip')\n"
                   "sys.stdout.flush()\nlib.late()\n", {})
        self.assertIn(self.shown("lib.zip/lib.py"), (FIRST + OLD, [None] * 3))

    def test_application(self):
        body = [("__main__.py", "import lib\nlib.late()\n"), *self.library()]
        expected = {"/__main__.py": ["import lib", "lib.late()"], "/lib.py": FIRST + OLD}
        self.check({"app.pyz": body}, "", expected, what=["app.pyz"])
        path = os.path.join(self.folder, "app.pyz")
        with open(path, "rb") as f:
            plain = f.read()
        with open(path, "wb") as f:
            f.write(b"#!/usr/bin/env python3\n" + plain)
        done = session.pathline("record", "-q", "--python", session.PYTHON, path, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for end, lines in expected.items():
            self.assertEqual(self.shown(end), lines)

    def test_coding(self):
        self.check({"lib.zip": [("lib.py", "# coding: latin-1\nx = 'ä'\n".encode("latin-1"))]},
                   "import sys\nsys.path.insert(0, 'lib.zip')\nimport lib\n", {"lib.zip/lib.py": ["x = 'ä'"]})

    def test_a_comment_at_the_end_and_two_of_one_name(self):
        self.check({}, "import sys, warnings\nwarnings.simplefilter('ignore')\nwith zipfile.ZipFile('lib.zip', 'w') as z:\n"
                   "    z.comment = b'some words' * 2000\n    z.writestr('lib.py', 'x = 1\\n')\n    z.writestr('lib.py', 'x = 2\\n')\n"
                   "sys.path.insert(0, 'lib.zip')\nimport lib\n", {"lib.zip/lib.py": ["x = 2"]})

    def test_damaged(self):
        """What the zip file has is no text, or another one than its sum says: never a text, nor a
        hang."""
        for name, change in {"sum": "d[14] ^= 1\nd[d.index(b'PK\\1\\2') + 16] ^= 1",
                             "length": "d[d.index(b'PK\\1\\2') + 24] ^= 1"}.items():
            with self.subTest(name):
                self.check({}, "import os, sys, time\npack('lib.zip', ('lib.py', 'x = 1\\n'))\nd = bytearray(open('lib.zip', 'rb').read())\n"
                           f"{change}\nopen('lib.zip', 'wb').write(d)\nsys.path.insert(0, 'lib.zip')\nimport lib\n", {"lib.zip/lib.py": [None]})


class Hostile(Case):
    """Names of files that are none: never a hang, and no text."""

    def test_names(self):
        for name, before in {"fifo": "os.mkfifo('fifo')\n", ".": "", "": "", "/dev/zero": "", "/dev/stdin": "",
                             "huge": "open('huge', 'wb').truncate(100 << 20)\n", "x" * 5000: "", "a/" * 40: "",
                             "program.py/x.py": "", "loop": "os.symlink('loop', 'loop')\n", "a\\0b": ""}.items():
            with self.subTest(name[:20]):
                self.record("import os\n" + before + f"code = compile('x = 1\\n', 'marked', 'exec').replace(co_filename='{name}')\n"
                            "exec(code)\n")
                texts = self.shown("")
                self.assertIn(None, texts)


if __name__ == "__main__":
    unittest.main()
