"""The documents name what there is: files, folders, options, commands, keys, make targets, links;
and their lines are not too long.

What is written by a tool is compared with what it would write, in the tests of these tools.
"""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

QUICK = True
INTERPRETERS = "none"
TOP = pathlib.Path(__file__).resolve().parent.parent.parent
COLUMNS = 100
PAGES = sorted([TOP / "README.md", TOP / "HACKING.md", *TOP.glob("doc/**/*.md"), *TOP.glob("examples/**/*.md"),
                *TOP.glob("tests/**/README.md")])
READMES = sorted([*TOP.glob("src/*/README"), TOP / "bench" / "README"])
COMMANDS = ("record", "dump", "calls", "why", "replay", "report", "query", "info", "ls", "check")
# Names in the documents that look like files of the repository and are not.
OTHERS = re.compile(r"^(new/free|init/release|open/close|(src|tests/unit)/x/y\.c|Python\.h|DIR/PID-TID\.tsv|app\.py|fixed\.py|shop\.py|stale\.awk|script\.py|out\.svg|server\.py|child\.py|__main__\.py|PROGRAM|"
                    r"html/entities\.py|events\.\d+|pathline\.h|linecache\.py|runpy\.py)$")
ODD_WORDS = re.compile(r"\b(hangs? on|behind|hears?|heard|tells? of|told of|goes without|is no [a-z]+ (but|of)|who (has|reads|listens|goes)|"
                       r"lie in wait)\b|, too\b")
SUFFIXES = ("c", "h", "py", "md", "json", "scd", "svg", "build", "inc")


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_blocks(text):
    """Prose alone: no fences, no indented code, no tables, no comments."""
    lines, fenced = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("    ", "\t", "|", "<!--", "![")):
            lines.append(line)
    return lines


def name_of(path):
    return str(path.relative_to(TOP))


def anchors_of(text):
    """As GitHub makes them of headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M)}


def files_named(text):
    """Paths and names of files in backquotes, without line numbers. Words with a pattern, or with
    a part that stands for another (NAME, DIR), are not among them."""
    for words in re.findall(r"`([^`\n]+)`", text):
        for word in words.split():
            word = word.strip(",;:()").removeprefix("./")
            if re.search(r"[*…<>$={}]|^-|^/|^~|^\.\.|NAME|\.\.\.|//", word) or OTHERS.match(word):
                continue
            if re.fullmatch(r"[\w.+-]+(/[\w.+-]+)*/?", word) and ("/" in word or word.rsplit(".", 1)[-1] in SUFFIXES and "." in word[1:]):
                yield word


def all_files():
    out = subprocess.run(["git", "-C", TOP, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=False)
    names = out.stdout.split("\n") if not out.returncode else [name_of(p) for p in TOP.rglob("*") if p.is_file()]
    return [name for name in names if name and (TOP / name).exists()]


class Docs(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.files = all_files()
        cls.folders = {str(parent) for name in cls.files for parent in pathlib.PurePosixPath(name).parents}
        cls.text = {path: path.read_text(encoding="utf-8") for path in [*PAGES, *READMES]}

    def exists(self, page, word):
        """As a path from the top, from src/ or tests/, from the page, or as the end of one. What is
        in build/ is made."""
        word = word.rstrip("/")
        if word.startswith(("build", ".pathline", "share/")) or (page.parent / word).exists():
            return True
        if word in self.folders or any(f"{top}/{word}" in self.folders for top in ("src", "doc", "tests")):
            return True
        return any(name == word or name.endswith(f"/{word}") for name in self.files) or f"{word}.c" in self.files

    def test_files_that_are_named_are_there(self):
        for path, text in self.text.items():
            for word in files_named(text):
                with self.subTest(page=name_of(path), names=word):
                    self.assertTrue(self.exists(path, word))

    def test_readmes_name_their_files(self):
        for path in READMES:
            for word in re.findall(r"(?<![\w/.])([\w/]+\.[ch]|[\w/]+\.py)\b", self.text[path]):
                with self.subTest(readme=name_of(path), names=word):
                    self.assertTrue(word == "Python.h" or (path.parent / word).exists() or (TOP / "src" / word).exists() or (TOP / word).exists())

    def test_readmes_say_what_the_arrows_allow(self):
        arrows = load(TOP / "tools" / "check-arrows.py", "arrows").ARROWS
        for folder, allowed in arrows.items():
            with self.subTest(folder=folder):
                text = self.text[TOP / "src" / folder / "README"]
                said = re.search(r"^Includes  (.*(?:\n {10}.*)*)", text, re.M)[1].split()
                self.assertEqual(said, allowed.split() or ["nothing"])
                self.assertEqual("Pure." in " ".join(text.split("\n\n")[0].split()), folder in load(TOP / "tools/check-arrows.py", "arrows").PURE)

    def test_links_lead_somewhere(self):
        for path in PAGES:
            text = re.sub(r"```.*?```", "", self.text[path], flags=re.S)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                with self.subTest(page=name_of(path), link=target):
                    to = (path.parent / file).resolve() if file else path
                    self.assertTrue(to.exists())
                    if anchor:
                        self.assertIn(anchor, anchors_of(to.read_text(encoding="utf-8")))

    def test_pages_are_linked(self):
        """Each page of doc/ is reached from the README."""
        reached, todo = set(), [TOP / "README.md"]
        while todo:
            path = todo.pop()
            if path in reached or path not in self.text:
                continue
            reached.add(path)
            for target in re.findall(r"\]\(([^)\s#]+)", self.text[path]):
                todo.append((path.parent / target).resolve())
        self.assertEqual([name_of(p) for p in PAGES if "doc/" in name_of(p) and p not in reached], [])

    def test_lines_are_not_too_long(self):
        for path, text in self.text.items():
            if name_of(path).startswith(("tests/", "bench/")):
                continue
            text = re.sub(r"<!-- tools/places-table -->.*?<!-- end -->", "", text, flags=re.S)
            lines = without_blocks(text) if path in PAGES else text.splitlines()
            for line in lines:
                with self.subTest(page=name_of(path)):
                    self.assertLessEqual(len(line), COLUMNS, line)
        self.assertLessEqual(len(self.text[TOP / "HACKING.md"].splitlines()), 100)

    def test_rows_of_tables_are_not_too_long(self):
        """A tool writes the tables between `<!-- NAME -->` and `<!-- end… -->`; those of the format
        and of what was measured have a row for each field and number, and are wide."""
        for path, text in self.text.items():
            if name_of(path).startswith(("tests/", "bench/", "doc/FORMAT", "doc/PERFORMANCE")):
                continue
            text = re.sub(r"<!-- (?:tools/places-table|bench/draw\.py).*?<!-- end[^>]*-->", "", text, flags=re.S)
            for line in text.splitlines():
                if line.startswith("|"):
                    with self.subTest(page=name_of(path)):
                        self.assertLessEqual(len(line), COLUMNS, line)

    def test_lines_of_the_changes_and_the_public_headers_are_not_too_long(self):
        for path in [TOP / "CHANGELOG.md", *sorted(TOP.glob("include/pathline/*.h"))]:
            for line in path.read_text(encoding="utf-8").splitlines():
                with self.subTest(file=name_of(path)):
                    self.assertLessEqual(len(line.expandtabs(8)), COLUMNS, line)

    def test_comments_of_the_sources_are_not_too_long(self):
        """clang-format leaves them as they are. Drawings and tables of bytes are comments too."""
        for path in sorted(TOP.glob("src/**/*.[ch]")):
            inside = False
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if inside or "/*" in line:
                    with self.subTest(file=name_of(path), line=number):
                        self.assertLessEqual(len(line.expandtabs(8)), COLUMNS, line)
                    inside = line.rfind("*/") < (line.rfind("/*") + 1)

    def test_plain_words(self):
        """What was read twice in these pages once: the glossary has the words for it."""
        for path, text in self.text.items():
            if name_of(path).startswith(("tests/", "bench/", "doc/GLOSSARY", "doc/FORMAT")):
                continue
            for line in without_blocks(text):
                with self.subTest(page=name_of(path)):
                    self.assertNotRegex(re.sub(r"`[^`]*`", "", line), ODD_WORDS)

    def test_readmes_are_short(self):
        for path in READMES:
            with self.subTest(readme=name_of(path)):
                self.assertLessEqual(len(self.text[path].splitlines()), 40)

    def test_nothing_beside_the_repository_is_named(self):
        for name in self.files:
            if name.startswith(("tests/golden/", "tests/fuzz/")) or name == "tests/cli/test_docs.py":
                continue
            try:
                text = (TOP / name).read_text(encoding="utf-8")
            except (UnicodeDecodeError, IsADirectoryError):
                continue
            with self.subTest(file=name):
                self.assertNotRegex(text, r"\.\./" r"shared\b")


class Commands(unittest.TestCase):
    """What the documents say of commands."""
    @classmethod
    def setUpClass(cls):
        cls.text = {name_of(path): path.read_text(encoding="utf-8") for path in PAGES}
        help_text = session.pathline("--help").stdout.decode()
        cls.commands = set(re.findall(r"^ +(\w+)  ", help_text, re.M))
        cls.options = {command: set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", session.pathline(command, "--help").stdout.decode()))
                       for command in cls.commands}

    def calls(self):
        """(page, command, its words) of each `pathline COMMAND …` in backquotes or on a line that
        begins with $."""
        for page, text in self.text.items():
            for words in re.findall(r"`(pathline [^`]+)`|^    (?:\$ )?(pathline .*)$", text, re.M):
                line = (words[0] or words[1]).split("#")[0].split("|")[0].split()
                if len(line) > 1 and re.fullmatch(r"[a-z]+", line[1]):
                    yield page, line[1], line[2:]

    def test_exist(self):
        for page, command, _ in self.calls():
            with self.subTest(page=page, command=command):
                self.assertIn(command, self.commands)

    def test_have_the_options_that_are_named(self):
        for page, command, words in self.calls():
            own = []
            for word in words:
                if command == "record" and not word.startswith("-") and own and not own[-1].startswith("-o"):
                    break
                own.append(word)
            for word in own:
                option = re.match(r"--[a-z][\w-]*", word)
                if option and option[0] not in ("--help", "--version"):
                    with self.subTest(page=page, command=command, option=word):
                        self.assertIn(option[0], self.options.get(command, ()))

    def test_options_by_themselves_are_some_commands(self):
        known = set().union(*self.options.values())
        # options of other programs and of tools here
        known |= {"--accept", "--write", "--check", "--reconfigure", "--hot", "--stat", "--help", "--level", "--build", "--only", "--python"}
        for page, text in self.text.items():
            if page.startswith(("tests/", "doc/PLACES")):
                continue
            for option in re.findall(r"`(--[a-z][\w-]*)", text):
                with self.subTest(page=page, option=option):
                    self.assertIn(option, known)

    def test_the_table_of_the_readme_has_them_all(self):
        table = self.text["README.md"].split("## Commands")[1].split("\n## ")[0]
        self.assertEqual(set(re.findall(r"`pathline (\w+)", table)) - {"COMMAND"}, self.commands)

    def test_make_targets(self):
        targets = set(re.findall(r"^([\w-]+):", (TOP / "Makefile").read_text(), re.M))
        for page, text in self.text.items():
            for target in re.findall(r"`make ([a-z][\w-]*)", text):
                with self.subTest(page=page, target=target):
                    self.assertIn(target, targets)

    def test_rows_of_the_benchmark(self):
        done = subprocess.run([sys.executable, TOP / "bench" / "bench.py", "--row", "list"], capture_output=True, text=True, check=False)
        rows = set(done.stdout.split())
        self.assertTrue(rows, done.stderr)
        for page, text in self.text.items():
            for names in re.findall(r"ROW=([\w,]+)", text):
                with self.subTest(page=page, rows=names):
                    self.assertLessEqual(set(names.split(",")), rows | {"list"})
        for path in (TOP / "bench" / "results").glob("*.json"):
            result = json.loads(path.read_text(encoding="utf-8"))
            with self.subTest(result=path.name):
                self.assertEqual(result["python"], path.stem)
                self.assertLessEqual(set(result["rows"]), rows)

    def test_drawn_tables_are_those_of_the_results(self):
        done = subprocess.run([sys.executable, TOP / "bench" / "draw.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.returncode), ("", 0), "run bench/draw.py")


if __name__ == "__main__":
    unittest.main()
