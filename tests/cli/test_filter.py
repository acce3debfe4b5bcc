"""record --include, --exclude, --only-mine: what is left out, what the path shows in its place, and
what it costs."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "two"

QUICK = True

OURS = '''\
import dis
import sys
import tools
from shop import cart


def double(n):
    return 2 * n


def fail(n):
    raise KeyError(n)


def main():
    print(tools.apply(double, 4), cart.total([1, 2]))
    try:
        tools.apply(fail, 1)
    except KeyError:
        print("failed")
    print(sorted(tools.numbers(3), key=double))
    tools.spin(int(sys.argv[1]))


main()
if sys.version_info >= (3, 12):
    try:
        from _opcode_metadata import MIN_INSTRUMENTED_OPCODE as first
    except ImportError:
        from opcode import MIN_INSTRUMENTED_OPCODE as first
    for code in (tools.spin.__code__, main.__code__):
        start = next(i for i in dis.get_instructions(code) if i.opname == "RESUME")
        print("hooked" if code._co_code_adaptive[start.offset] >= first else "free")
'''
TOOLS = '''\
def apply(f, n):
    return through(f, n)


def through(f, n):
    return f(n)


def numbers(n):
    yield from range(n)


def leaf(i):
    return i + 1


def spin(n):
    for i in range(n):
        leaf(i)
'''
CART = '''\
def total(prices):
    return sum(p for p in prices)
'''


def made():
    folder = session.scratch()
    os.makedirs(os.path.join(folder, "shop"))
    for name, text in (("ours.py", OURS), ("tools.py", TOOLS), ("shop/__init__.py", ""), ("shop/cart.py", CART)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    return folder


class Filter(unittest.TestCase):
    def setUp(self):
        self.folder = made()

    def record(self, *options, spin=3, what=("ours.py",)):
        self.turn = getattr(self, "turn", 0) + 1
        name = "r%d" % self.turn
        done = session.pathline("record", "-o", name, "--python", session.PYTHON, *options, *what, str(spin), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said, self.output = done.stderr.decode(), done.stdout.decode()
        return name

    def dump(self, recording, fields="event,code,depth,file,caller", *options):
        return session.rows(recording, "-f", fields, *options, cwd=self.folder)

    def info(self, recording):
        return json.loads(session.pathline("info", "--json", recording, cwd=self.folder).stdout)["data"]

    def modules(self, recording):
        """Of which files there are rows, but for those of calls that are not recorded."""
        return {os.path.relpath(row[3], self.folder) if row[3].startswith(self.folder) else "elsewhere"
                for row in self.dump(recording) if row[0] != "outside"}

    def test_shows_the_call_with_what_it_calls_back_in_its_place(self):
        rows = self.dump(self.record("--exclude", "tools"))
        shown = [row[:3] for row in rows]
        at = shown.index(["outside", "apply", "2"])
        self.assertEqual(shown[at:at + 2], [["outside", "apply", "2"], ["outside", "through", "3"]])
        self.assertEqual(shown[at + 2], ["call", "double", "4"])
        self.assertEqual(rows[at + 2][4], "6")   # the line of the call in through
        self.assertIn("fail", [row[1] for row in rows if row[0] == "unwind"])
        self.assertFalse([row for row in rows if row[0] != "outside" and row[3].endswith("tools.py")])
        self.assertNotIn("gap", {row[0] for row in rows})
        self.assertNotIn("spin", {row[1] for row in rows})
        text = session.pathline("dump", "r1", cwd=self.folder).stdout.decode()
        self.assertRegex(text, r"call apply .*tools\.py:1  not recorded")

    def test_the_last_rule_that_matches_decides(self):
        self.assertEqual(self.modules(self.record("--exclude", "shop", "--include", "shop.cart", "--exclude", "stdlib", "--exclude", "site-packages")),
                         {"ours.py", "tools.py", "shop/cart.py"})
        self.assertEqual(self.modules(self.record("--include", "shop", "--exclude", "shop.cart")), {"shop/__init__.py"})
        self.assertEqual(self.modules(self.record("--include=./shop/*.py")), {"shop/__init__.py", "shop/cart.py"})
        self.assertEqual(self.modules(self.record("--include", os.path.join(self.folder, "shop"))), {"shop/__init__.py", "shop/cart.py"})

    def test_a_module_of_m_has_its_own_name_too(self):
        """What -m starts is `__main__`, and the module that was named."""
        for name, text in (("shop/server.py", "import tools\nfrom shop import cart\nprint(cart.total([1]), tools.apply(len, ()))\n"),
                           ("shop/__main__.py", "import shop.server\n")):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        shop = {"shop/__init__.py", "shop/cart.py", "shop/server.py"}
        for options, module, files in (
                (("--include", "shop"), "shop.server", shop),
                (("--include", "shop.server"), "shop.server", {"shop/server.py"}),
                (("--include", "__main__"), "shop.server", {"shop/server.py"}),
                (("--include", "shop.__main__"), "shop", {"shop/__main__.py"}),
                (("--include", "shop"), "shop", shop | {"shop/__main__.py"}),
                (("--only-mine", "--exclude", "shop.server"), "shop.server", {"shop/__init__.py", "shop/cart.py", "tools.py"}),
                (("--only-mine",), "shop.server", shop | {"tools.py"})):
            with self.subTest(options=options, module=module):
                self.assertEqual(self.modules(self.record(*options, what=("-m", module))), files)
                self.assertNotIn("matched no code", self.said)

    def test_the_own_name_of_a_module_runs_no_code(self):
        """Where `__spec__` is an object of the program."""
        with open(os.path.join(self.folder, "ours.py"), "w", encoding="utf-8") as f:
            f.write("""\
class Spec:
    @property
    def name(self):
        print("asked")
        return "shop"

    def __getattr__(self, name):
        print("asked")
        return "shop"


class Plain:
    def __getattr__(self, name):
        print("asked")
        return "shop"


for __spec__ in Spec(), Plain(), 3, None:
    exec("def f(): pass\\nf()", {"__name__": "some", "__spec__": __spec__})
""")
        self.record("--include", "shop", "--include", "ours.py")
        self.assertEqual(self.output, "")

    def test_only_mine(self):
        files = {"ours.py", "tools.py", "shop/__init__.py", "shop/cart.py"}
        self.assertEqual(self.modules(self.record("--only-mine")), files)
        self.assertEqual(self.modules(self.record("--only-mine", "--exclude", "tools.py")), files - {"tools.py"})
        os.makedirs(os.path.join(self.folder, "site-packages"))
        os.rename(os.path.join(self.folder, "tools.py"), os.path.join(self.folder, "site-packages", "tools.py"))
        os.environ["PYTHONPATH"] = os.path.join(self.folder, "site-packages")
        try:
            self.assertEqual(self.modules(self.record("--only-mine")), files - {"tools.py"})
        finally:
            del os.environ["PYTHONPATH"]

    def test_mine_is_where_the_script_is(self):
        """However it is given, for --only-mine and for --values-of."""
        elsewhere = session.scratch()
        script, files = os.path.join(self.folder, "ours.py"), {"ours.py", "tools.py", "shop/__init__.py", "shop/cart.py"}
        for n, what in enumerate(((script,), (session.PYTHON, script), (session.PYTHON, "-X", "utf8", script),
                                  ("env", "A=1", session.PYTHON, "-W", "ignore", script))):
            python = ("--python", session.PYTHON) if what[0] == script else ()
            name = os.path.join(self.folder, "where%d" % n)
            done = session.pathline("record", "--only-mine", "--values=calls", "-o", name, *python, "--", *what, "3", cwd=elsewhere)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.modules(name), files, what)
            self.assertIn("double", {row[0] for row in self.dump(name, "code,args", "-e", "call") if row[1] == "n=4"}, what)

    def test_what_is_left_out_writes_nothing(self):
        few, many = (self.info(self.record("--exclude", "tools", "--exclude", "stdlib", spin=n)) for n in (1, 50000))
        self.assertEqual(few["events"], many["events"])
        self.assertEqual(few["counts"], many["counts"])
        if self.output.count("\n") > 3:   # since 3.12: its start is instrumented no more
            self.assertEqual(self.output.split()[-2:], ["free", "hooked"])

    def test_info_says_what_was_left_out(self):
        recording = self.record("--exclude", "tools", "--exclude", "stdlib")
        data = self.info(recording)
        self.assertEqual(data["filter"], "--exclude tools --exclude stdlib")
        self.assertGreater(data["processes"][0]["codes_left_out"], 5)
        self.assertGreater(data["counts"]["outside"], 1)
        text = session.pathline("info", recording, cwd=self.folder).stdout.decode()
        self.assertRegex(text, r"filter +--exclude tools --exclude stdlib")
        self.assertRegex(text, r"left out +\d+  codes, by the filter")
        self.assertEqual(session.pathline("check", recording, cwd=self.folder).returncode, 0)
        plain = self.info(self.record())
        self.assertEqual((plain["filter"], plain["processes"][0]["codes_left_out"], plain["counts"]["outside"]), ("", 0, 0))

    def test_an_include_that_matches_nothing_is_said(self):
        self.record("--include", "ours.py", "--include", "tulip.*")
        self.assertIn("--include 'tulip.*' matched no code that ran", self.said)
        self.assertNotIn("ours.py' matched", self.said)

    def test_wrong_patterns(self):
        for options, why in ((["--exclude", "a[b"], "--exclude 'a[b' has a [ without its ]"),
                             (["--include", ""], "--include '' is empty"),
                             (["--include", "a b"], "--include 'a b' is not the name of a module"),
                             (["--exclude", "x"] * 65, "more than 64 rules")):
            done = session.pathline("record", *options, "ours.py", cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertIn(why, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
