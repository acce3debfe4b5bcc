"""record --values: its options, what they say when they are wrong, and the manual's secrets."""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

QUICK = True
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
USUAL = {"depth": 3, "items": 10, "attributes": 20, "chars": 200, "bytes": 256, "event": 1024, "second": 16 << 20}


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as f:
        return f.read()


def header(folder):
    """The texts at the beginning of the newest recording, in order."""
    with open(os.path.join(folder, ".pathline", "latest", "meta"), "rb") as f:
        return f.read(4096)


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = session.scratch()
        with open(os.path.join(cls.folder, "shop.py"), "w", encoding="utf-8") as f:
            f.write("def price(n):\n    return 2 * n\n\n\nprice(2)\n")

    def record(self, *options):
        return session.pathline("record", "--python", session.PYTHON, *options, "shop.py", cwd=self.folder)

    def refused(self, said, *options):
        """Nothing runs, and one line says why."""
        done = self.record(*options)
        self.assertEqual((done.returncode, done.stderr.decode()), (2, f"pathline: record: {said}\n"))

    def test_wrong_words(self):
        self.refused("unknown choice for --values: 'all'; there are: none, calls, lines", "--values", "all")
        self.refused("unknown limit for --values-limit: 'dept'; did you mean 'depth'?", "--values", "calls", "--values-limit", "dept=2")
        self.refused("--values-limit: 'depth' is no limit; write depth=3,chars=200", "--values", "calls", "--values-limit", "chars=3,depth")
        self.refused("--values-limit: items: 'x' is not a number; write 10, 1K or 16M", "--values", "calls", "--values-limit", "items=x")
        self.refused("--values-of 'a[b' has a [ without its ]", "--values", "calls", "--values-of", "a[b")

    def test_limits_have_limits(self):
        for limit, said in (("depth=17", "great; the greatest is 16"), ("depth=0", "small; the smallest is 1"),
                            ("event=16K", "great; the greatest is 8192"), ("event=1", "small; the smallest is 64"),
                            ("items=1M", "great; the greatest is 4096"), ("chars=1G", "great; the greatest is 8192")):
            self.refused(f"--values-limit: {limit} is too {said}", "--values", "calls", "--values-limit", limit)
        self.refused("--values-limit: bytes=2048 is more than event=1024, which has all values of an event",
                     "--values", "calls", "--values-limit", "bytes=2K")

    def test_redact(self):
        self.refused("--redact 'a[b' has a [ without its ]", "--values=calls", "--redact", "a[b")
        self.refused("--redact '' is empty; write a name, or a pattern such as *_pin", "--values=calls", "--redact=")
        self.refused("--redact hides secrets and --no-redact shows them all; write one of them", "--values=calls", "--redact=n", "--no-redact")
        self.refused("the patterns of --redact have more than 4096 bytes together; a pattern can have * in it",
                     "--values=calls", "--redact=" + "x" * 5000)
        self.assertEqual(self.record("--values=calls", "--redact=N", "--redact", "*_pin").returncode, 0)
        dumped = session.pathline("dump", "-f", "event,args,result", cwd=self.folder).stdout.decode()
        self.assertIn("n=<redacted>", dumped)
        self.assertIn("secrets redacted, also N '*_pin'", session.pathline("info", cwd=self.folder).stdout.decode())
        self.assertIn('"redact":"N \'*_pin\'"', session.pathline("info", "--json", cwd=self.folder).stdout.decode())
        self.record("--values=calls")
        self.assertIn("n=2", session.pathline("dump", "-f", "event,args,result", cwd=self.folder).stdout.decode())
        self.assertNotIn("also", re.search("values.*", session.pathline("info", cwd=self.folder).stdout.decode())[0])

    def test_options_without_values(self):
        """They mean the default without --values, and nothing with none."""
        for options in (["--values-of", "mine"], ["--values-limit", "depth=2"], ["--no-redact"], ["--redact", "iban"]):
            self.assertEqual(self.record(*options).returncode, 0)
            self.assertRegex(header(self.folder), rb"values.calls")
            self.assertEqual(self.record("--values", "none", *options).returncode, 0)
            self.assertRegex(header(self.folder), rb"values.none")
            self.assertNotIn(b"values-of", header(self.folder))

    def told(self, *options):
        """What the header says: --values-of, the limits, and whether secrets are shown."""
        done = self.record(*options)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.search(rb"values.calls.values-of.(.*?).values-limit.([a-z=,0-9]*).secrets.(redacted|shown)", header(self.folder), re.S)
        limits = {word: int(n) for word, n in (pair.split("=") for pair in found[2].decode().split(","))}
        return found[1].decode(), limits, found[3].decode()

    def test_what_the_header_says(self):
        self.record("--values", "none")
        self.assertRegex(header(self.folder), rb"values.none")
        self.assertNotIn(b"values-of", header(self.folder))
        self.assertEqual(self.told(), ("mine", USUAL, "redacted"))
        self.assertEqual(self.told("--values", "calls"), ("mine", USUAL, "redacted"))
        self.assertEqual(self.told("--values=calls", "--values-of=shop", "--values-of", "*", "--no-redact",
                                   "--values-limit", "second=0,depth=1", "--values-limit=items=2"),
                         ("shop '*'", dict(USUAL, second=0, depth=1, items=2), "shown"))
        self.assertEqual(self.told("--values=calls", "--values-limit=event=128")[1], dict(USUAL, event=128, bytes=128))

    def test_the_help_has_the_limits(self):
        said = re.search(r"Without it:\s+(depth=.*?)\s+--redact", session.pathline("record", "--help").stdout.decode(), re.S)[1]
        sizes = {"1K": 1024, "16M": 16 << 20}
        limits = dict(pair.split("=") for pair in re.sub(r"\s", "", said).split(","))
        self.assertEqual({word: sizes.get(n) or int(n) for word, n in limits.items()}, USUAL)

    def test_what_matched_nothing(self):
        done = self.record("--values", "calls", "--values-of", "nowhere", "--values-of", "stdlib", "--values-of", "mine")
        said = [line for line in done.stderr.decode().splitlines() if "matched no" in line]
        self.assertIn("pathline: --values-of 'nowhere' matched no function that was recorded", said)
        self.assertNotIn("mine", "".join(said))


class Default(unittest.TestCase):
    """Without an option: values of one's own code, however it is started, and of nothing else."""

    TEXT = "import json, sys\n\n\ndef price(n):\n    return 2 * n\n\n\nprice(2)\njson.loads('[1]')\n"

    def setUp(self):
        self.folder = session.scratch()
        for name in ("shop.py", "site-packages/theirs/__main__.py", "site-packages/theirs/helper.py"):
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.TEXT)

    def kept(self, *what, options=(), **environment):
        """The functions with values, and whether any were written."""
        done = session.pathline("record", "-q", *options, "--", *what, cwd=self.folder,
                                PYTHONPATH=os.path.join(self.folder, "site-packages"), **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = session.rows("-f", "code,values", cwd=self.folder)
        info = json.loads(session.pathline("info", "--json", cwd=self.folder).stdout)["data"]
        named = {code for code, values in rows if values}
        self.assertEqual(bool(named), info["value_events"] > 0)
        self.assertEqual(info["values"], "calls")
        return named

    def test_own_code(self):
        for what in (("shop.py",), ("-m", "shop"), ("-c", self.TEXT), ("-c", "import shop")):
            self.assertEqual(self.kept(session.PYTHON, *what), {"price"}, what)

    def test_what_is_installed_keeps_nothing(self):
        for what in (("-m", "theirs"), (os.path.join("site-packages", "theirs", "__main__.py"),), ("-m", "json.tool", "--help")):
            self.assertEqual(self.kept(session.PYTHON, *what), set(), what)
        self.assertEqual(self.kept(session.PYTHON, "-c", "import theirs.helper"), set())

    def test_with_other_options(self):
        for options in (("--only-mine",), ("--hot=1",), ("--hot=0",), ("--passes=none",), ("--order=exact",), ("--clock=call",),
                        ("--clock=line",), ("--timing=calls",), ("--no-children",), ("--include", "shop.py")):
            self.assertEqual(self.kept(session.PYTHON, "shop.py", options=options), {"price"}, options)
        self.assertEqual(self.kept(session.PYTHON, "shop.py", options=("--exclude", "shop.py")), set())
        self.assertEqual(self.kept(session.PYTHON, "-m", "theirs", options=("--values-of", "theirs")), {"price"})

    def test_info_says_so(self):
        self.kept(session.PYTHON, "shop.py")
        self.assertRegex(session.pathline("info", cwd=self.folder).stdout.decode(), r"(?m)^values +calls, of mine; depth=3,.*; secrets redacted$")


class Manual(unittest.TestCase):
    """pathline-record(1) has the rows of secret_table.h."""

    @classmethod
    def setUpClass(cls):
        cls.table = read("src", "recorder", "values", "secret_table.h")
        cls.page = re.search(r"^# SECRETS$(.*?)^# ", read("doc", "man", "pathline-record.1.scd"), re.M | re.S)[1]
        cls.page = cls.page.replace("\\_", "_").replace("\n", " ")

    def rows(self, name):
        return re.findall(r'X\("([^"]+)"\)', re.search(rf"#define {name}\(X\)(.*?)\n\n", self.table, re.S)[1])

    def test_names(self):
        phrases = re.findall(r'X\("([a-z ]+)", SECRET_', self.table)
        listed = re.search(r"(access key, .*?)\.", self.page)[1].split(", ")
        self.assertEqual(sorted(p.replace(" ", "") for p in listed), sorted(p.replace(" ", "") for p in phrases))

    def test_names_about_secrets(self):
        first, last = re.search(r"not secret that begin with (.*?), or end with (.*?)\.", self.page).groups()
        self.assertEqual(re.split(", | or ", first), self.rows("SECRET_ABOUT_FIRST"))
        self.assertEqual(re.split(", | or ", last), self.rows("SECRET_ABOUT_LAST"))

    def test_keys(self):
        prefixes = re.findall(r'X\("([^"]+)", \d+, ', self.table)
        self.assertEqual(re.search(r"long words that begin with (.*?)\.", self.page)[1].split(", "), prefixes)


if __name__ == "__main__":
    unittest.main()
