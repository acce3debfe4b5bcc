"""Whole programs whose lines were once shown with the text of another version, and other programs
with the same cause.

Each table says what each line of their modules must show. test_texts.py has the rest of texts.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
import test_texts  # noqa: E402
from test_texts import FIRST, NEW, OLD, SECOND, late, module  # noqa: E402

INTERPRETERS = "rotating"

PUT = '''\
sys.dont_write_bytecode = True
sys.path.insert(0, d)
def put(text):
    with open(d + "/NAME.py", "w") as f: f.write(text)
'''
HEAD = '''\
d = os.path.join(os.environ.get("TMPDIR", "/tmp"), "d")
shutil.rmtree(d, ignore_errors=True)
os.mkdir(d)
'''
# A whole program: (its module, text, what the module's lines show)
WHOLE = {
    "reload_old_function": ("modr.py", "import os, sys, importlib, time, shutil\n" + HEAD + PUT.replace("NAME", "modr") + '''\
put("VALUE = 1\\ndef late():\\n    return 'FIRST text'\\n")
import modr
time.sleep(0.3)
old = modr.late
put("VALUE = 2\\ndef late():\\n    return 'SECOND text'\\n")
importlib.reload(modr)
time.sleep(0.3)
print(old(), modr.late())
''', ["VALUE = 1", "def late():", "VALUE = 2", "def late():", *OLD, *NEW]),
    "child_imports_new_text": ("modp.py", "import os, sys, time, shutil, subprocess\n" + HEAD + PUT.replace("NAME", "modp") + '''\
put("VALUE = 1\\ndef late():\\n    return 'FIRST text'\\n")
import modp
time.sleep(0.3)
put("VALUE = 2\\ndef late():\\n    return 'SECOND text'\\n")
subprocess.run([sys.executable, "-B", "-c", "import sys; sys.path.insert(0, %r); import modp; print(modp.VALUE)" % d], check=True)
time.sleep(0.3)
print(modp.late())
''', ["VALUE = 1", "def late():", *OLD, "VALUE = 2", "def late():"]),
    "relative_name_two_places": ("conf_rel.py", '''\
import os, shutil, time
d = os.path.join(os.environ.get("TMPDIR", "/tmp"), "d")
shutil.rmtree(d, ignore_errors=True); os.makedirs(d + "/sub")
here = os.getcwd()
open(here + "/conf_rel.py", "w").write("who = 'START directory'\\nprint(who)\\n")
open(d + "/sub/conf_rel.py", "w").write("who = 'SUB directory'\\nprint(who)\\n")
os.chdir(d + "/sub")
exec(compile(open("conf_rel.py").read(), "conf_rel.py", "exec"))
time.sleep(0.3)
os.chdir(here)
exec(compile(open("conf_rel.py").read(), "conf_rel.py", "exec"))
time.sleep(0.3)
os.remove(here + "/conf_rel.py")
''', ["who = 'SUB directory'", "print(who)", "who = 'START directory'", "print(who)"]),
    "rewritten_twenty_times": ("modw.py", "import os, sys, shutil, importlib\n" + HEAD + '''\
sys.dont_write_bytecode = True
sys.path.insert(0, d)
for i in range(20):
    with open(d + "/modw.py", "w") as f:
        f.write("TAG = 'text %d'\\ndef run():\\n    return 'text %d'\\n" % (i, i))
    sys.modules.pop("modw", None)
    importlib.invalidate_caches()
    import modw
    assert modw.run() == modw.TAG == "text %d" % i
print("each ran its own text")
''', [line for i in range(20) for line in (f"TAG = 'text {i}'", "def run():", f"    return 'text {i}'")]),
    "text_grows": ("modv.py", "import os, sys, importlib, time, shutil\n" + HEAD + PUT.replace("NAME", "modv") + '''\
put("def a():\\n    return 'one'\\n")
import modv
modv.a(); time.sleep(0.2)
put("# new\\n# lines\\n\\ndef b():\\n    return 'b'\\ndef a():\\n    return 'two'\\n")
importlib.reload(modv)
modv.a(); modv.b(); time.sleep(0.2)
''', ["def a():", "    return 'one'", "def b():", "def a():", "    return 'two'", "    return 'b'"]),
}
RELOAD = {
    "in a thread": (
        "import mod\nold = mod.late\nput(text('SECOND'))\nt = threading.Thread(target=importlib.reload, args=(mod,))\nt.start()\nt.join()\n"
        "old(), mod.late()\n", FIRST + SECOND + OLD + NEW),
    "method of an object that stays": (
        "put('class C:\\n    x = 1\\n    def m(self):\\n        return 1\\n')\nimport mod\no = mod.C()\n"
        "put('# moved\\nclass C:\\n    x = 2\\n    def m(self):\\n        return 2\\n')\nimportlib.reload(mod)\no.m(), mod.C().m()\n",
        [*["class C:"] * 2, "    x = 1", "    def m(self):", *["class C:"] * 2, "    x = 2", "    def m(self):",
         "        return 1", "        return 2"]),
    "generator that goes on": (
        "put('def g():\\n    yield 1\\n    yield 2\\n')\nimport mod\ng = mod.g()\nnext(g)\n"
        "put('def g():\\n    yield 8\\n    yield 9\\n')\nimportlib.reload(mod)\nnext(g)\nlist(mod.g())\n",
        ["def g():", "    yield 1", "def g():", "    yield 2", "    yield 8", "    yield 9"]),
    "coroutine that goes on": (
        "put('import types\\n@types.coroutine\\ndef p(): yield\\nasync def c():\\n    await p()\\n    return 1\\n')\nimport mod\nc = mod.c()\n"
        "c.send(None)\nput('async def c():\\n    return 2\\n')\nimportlib.reload(mod)\ntry:\n    c.send(None)\nexcept StopIteration:\n    pass\n",
        ["import types", "@types.coroutine", "def p(): yield", "@types.coroutine", "def p(): yield", "async def c():", "    await p()",
         "def p(): yield", "async def c():", "    return 1"]),
    "function within a function": (
        "put('def outer(x):\\n    def inner():\\n        return x + 1\\n    return inner\\n')\nimport mod\nold = mod.outer(1)\n"
        "put('def outer(x):\\n    def inner():\\n        return x + 2\\n    return inner\\n')\nimportlib.reload(mod)\nold(), mod.outer(1)()\n",
        ["def outer(x):", "    def inner():", "    return inner", "def outer(x):", "        return x + 1", "    def inner():",
         "    return inner", "        return x + 2"]),
    "removed from sys.modules": (
        "import mod\nold = mod.late\nput(text('SECOND'))\ndel sys.modules['mod']\nimport mod\nold(), mod.late()\n", FIRST + SECOND + OLD + NEW),
    "package": (
        "os.mkdir('made/pack')\nput(text('FIRST'), 'pack/mod.py')\nput('', 'pack/__init__.py')\nimport pack.mod\nold = pack.mod.late\n"
        "put(text('SECOND'), 'pack/mod.py')\nimportlib.reload(pack.mod)\nold(), pack.mod.late()\n", FIRST + SECOND + OLD + NEW),
}
CHILD = {
    "spawn": (
        "import mod, multiprocessing\nput(text('SECOND'))\ndel sys.modules['__main__'].__file__\n"
        "c = multiprocessing.get_context('spawn').Process(target=mod.late)\nc.start()\nc.join()\nassert c.exitcode == 0\nmod.late()\n",
        FIRST + OLD + SECOND + NEW),
    "forkserver": (
        "import mod, multiprocessing\nput(text('SECOND'))\ndel sys.modules['__main__'].__file__\n"
        "c = multiprocessing.get_context('forkserver').Process(target=mod.late)\nc.start()\nc.join()\nassert c.exitcode == 0\nmod.late()\n",
        FIRST + OLD + SECOND + NEW),
    "runpy in a child": (
        "import runpy\n"
        "put(text('FIRST') + 'late()\\n')\nif not os.fork():\n    runpy.run_path(made + '/mod.py')\n    os._exit(0)\nos.wait()\n"
        "put(text('SECOND') + 'late()\\n')\nif not os.fork():\n    runpy.run_path(made + '/mod.py')\n    os._exit(0)\nos.wait()\n",
        FIRST + ["late()"] + OLD + SECOND + ["late()"] + NEW),
    "two children, two texts, at once": (
        "procs = []\nfor word in ('FIRST', 'SECOND'):\n    put(text(word))\n"
        "    p = subprocess.Popen([sys.executable, '-B', '-c', 'import sys; sys.path.insert(0, %r); import mod; print(1, flush=True); input();"
        " mod.late()' % made], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\n    p.stdout.readline()\n    procs.append(p)\n"
        "for p in procs:\n    p.communicate('\\n')\n", FIRST + OLD + SECOND + NEW),
    "a script that rewrites itself": (
        "put('import sys\\nopen(__file__, \"w\").write(\"x = 1\\\\ny = 2\\\\n\")\\nz = 3\\n')\n"
        "for _ in range(2):\n    subprocess.run([sys.executable, '-B', made + '/mod.py'], check=True)\n",
        ["import sys", 'open(__file__, "w").write("x = 1\\ny = 2\\n")', "z = 3", "x = 1", "y = 2"]),
}
RUN = "exec(compile(open('mod.py').read(), 'mod.py', 'exec'))\n"
PLACES = "os.mkdir('made/sub')\nput(text('SECOND'), 'sub/mod.py')\n"
RELATIVE = {
    "runpy": (PLACES + "import runpy\nfor place in 'made/sub', '..':\n    os.chdir(place)\n    runpy.run_path('mod.py')['late']()\n", SECOND + NEW + FIRST + OLD),
    "import from an empty entry of sys.path": (
        PLACES + "sys.path[:] = [p for p in sys.path if p != made]\nsys.path.insert(0, '')\nfor place in 'made/sub', '..':\n    os.chdir(place)\n"
        "    sys.modules.pop('mod', None)\n    importlib.invalidate_caches()\n    import mod\n    mod.late()\n", SECOND + NEW + FIRST + OLD),
    "fchdir": (
        PLACES + "fd = os.open('made', os.O_RDONLY)\nos.chdir('made/sub')\n" + RUN + "late()\nos.fchdir(fd)\n" + RUN + "late()\n",
        SECOND + NEW + FIRST + OLD),
    "in a child's directory": (
        PLACES + "for place in 'made', 'made/sub':\n    subprocess.run([sys.executable, '-B', '-c', "
        "'exec(compile(open(\"mod.py\").read(), \"mod.py\", \"exec\"))\\nlate()'], cwd=place, check=True)\n", FIRST + OLD + SECOND + NEW),
    "script by a relative name": (
        PLACES + "for place in 'made/sub', 'made':\n    subprocess.run([sys.executable, '-B', 'mod.py'], cwd=place, check=True)\n", SECOND + FIRST),
    "dots in the name": (
        PLACES + "os.chdir('made/sub')\nfor name in './mod.py', '../mod.py', '../sub/../mod.py':\n"
        "    exec(compile(open(name).read(), name, 'exec'))\n    late()\n", SECOND + NEW + (FIRST + OLD) * 2),
    "a link to the directory": (
        PLACES + "os.mkdir('made/two')\nput(text('OTHER'), 'two/mod.py')\nfor where in 'sub', 'two':\n    if os.path.lexists('link'):\n"
        "        os.remove('link')\n    os.symlink('made/' + where, 'link')\n"
        "    exec(compile(open('link/mod.py').read(), 'link/mod.py', 'exec'))\n    late()\n", SECOND + NEW + module("OTHER") + late("OTHER")),
}


def twenty(body, words="%d", before=""):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return before + f"for i in range(20):\n{lines}", [line for i in range(20) for line in module(words % i) + late(words % i)]


ANEW = "sys.modules.pop('mod', None)\nimportlib.invalidate_caches()\nimport mod\n"
REWRITTEN = {
    "in threads": twenty(
        "put(text('%d' % i))\nt = threading.Thread(target=lambda: importlib.import_module('mod').late())\nt.start()\nt.join()\n"
        "sys.modules.pop('mod', None)\nimportlib.invalidate_caches()"),
    "in forked children": twenty("put(text('%d' % i))\nif not os.fork():\n    import mod\n    mod.late()\n    os._exit(0)\nos.wait()"),
    "executed": twenty("put(text('%d' % i))\nexec(compile(open('made/mod.py').read(), 'made/mod.py', 'exec'))\nlate()"),
    "by runpy": twenty("import runpy\nput(text('%d' % i))\nrunpy.run_path('made/mod.py')['late']()"),
    "a link put elsewhere": twenty(
        "put(text('%d' % i), 'n%d' % i)\nos.path.lexists('made/mod.py') and os.remove('made/mod.py')\nos.symlink('n%d' % i, 'made/mod.py')\n"
        + ANEW + "mod.late()"),
    "with the bytecode written": twenty("put(text('%03d' % i))\nos.utime('made/mod.py', (1e9 + i, 1e9 + i))\n" + ANEW + "mod.late()", "%03d",
                                        "sys.dont_write_bytecode = False\n"),
    "between two names": twenty(
        "put(text('%04d' % i), 'other')\nos.rename('made/mod.py', 'made/spare')\nos.rename('made/other', 'made/mod.py')\n" + ANEW + "mod.late()", "%04d"),
}


class Variations(test_texts.Kinds, test_texts.Case):
    reload, child, relative, rewritten = RELOAD, CHILD, RELATIVE, REWRITTEN

    def test_whole(self):
        for name, (end, program, expected) in WHOLE.items():
            with self.subTest(name):
                self.record(program, TMPDIR=session.scratch())
                self.assertEqual(self.shown(end), expected)


if __name__ == "__main__":
    unittest.main()
