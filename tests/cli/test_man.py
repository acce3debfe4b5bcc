"""Each command has a manual page with all its options, groff finds nothing wrong with it, and its
examples run."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import options  # noqa: E402
import session  # noqa: E402

INTERPRETERS = "turn"
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SOURCES = os.path.join(TOP, "doc", "man")
MADE = os.path.join(session.BUILD, "doc", "man")
COMMANDS = options.read(session.PATHLINE)
PAGES = ["pathline"] + [f"pathline-{c.name}" for c in COMMANDS]


def source(page):
    with open(os.path.join(SOURCES, page + ".1.scd"), encoding="utf-8") as f:
        return f.read()


# tests/cli/test_attach.py, test_top.py and test_snapshot.py do the same with a process that runs
NEED_A_PROCESS = ("pathline-attach", "pathline-detach", "pathline-top", "pathline-snapshot")


def examples(page):
    """The command lines of a page: those of its EXAMPLES that begin with $."""
    text = re.search(r"^# EXAMPLES$(.*?)^# ", source(page), re.M | re.S)[1]
    return re.findall(r"^\$ (.*)$", text, re.M)


class Sources(unittest.TestCase):
    def test_each_command_has_one(self):
        self.assertEqual(sorted(f"{page}.1.scd" for page in PAGES), sorted(set(os.listdir(SOURCES)) - {"meson.build"}))

    def test_the_parts(self):
        for page in PAGES:
            titles = re.findall(r"^# (.*)$", source(page), re.M)
            for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "FILES", "SEE ALSO"):
                self.assertIn(title, titles, page)
        for command in COMMANDS:
            text = source(f"pathline-{command.name}")
            self.assertIn(f"pathline-{command.name} - {command.help}\n", text)
            self.assertIn("@OPTIONS@\n", text)

    def test_see_also_names_pages(self):
        for page in PAGES:
            named = re.findall(r"\*([\w-]+)\*\(1\)", source(page))
            self.assertTrue(named, page)
            self.assertLessEqual(set(named), set(PAGES), page)

    def test_examples_run(self):
        """Each in a folder in which a recording of examples/orders.py is the latest when its
        page begins."""
        folder = session.scratch()
        shutil.copy(os.path.join(TOP, "examples", "orders.py"), folder)
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(session.PYTHON, os.path.join(folder, "bin", "python3"))
        path = os.pathsep.join((os.path.join(folder, "bin"), session.BUILD, os.environ["PATH"]))
        environment = dict(os.environ, PATH=path, HOME=folder, XDG_CONFIG_HOME=folder)
        for page in PAGES:
            subprocess.run(["pathline", "record", "-q", "orders.py"], cwd=folder, env=environment,
                           stdout=subprocess.DEVNULL, check=True, timeout=60)
            self.assertTrue(examples(page), page)
            for example in examples(page) if page not in NEED_A_PROCESS else ():
                with self.subTest(page, example=example):
                    done = subprocess.run(["bash", "-c", "set -e; " + example], cwd=folder, env=environment, timeout=120,
                                          stdin=subprocess.DEVNULL, capture_output=True)
                    self.assertEqual(done.returncode, 0, done.stderr.decode())
                    talk = [line for line in done.stderr.decode().splitlines() if not line.startswith("pathline: ")]
                    self.assertEqual(talk, [])
                    self.assertNotRegex(done.stdout.decode(), r"(?m)^!\t(not |unknown|there is no|nothing)")
                    writes_a_file = "--flame" in example or "pathline pack" in example or " -o " in example
                    if not writes_a_file and page != "pathline-rm":
                        self.assertTrue(done.stdout)


@unittest.skipUnless(os.path.exists(os.path.join(MADE, "pathline.1")), "scdoc was not there: no pages were made")
class Made(unittest.TestCase):
    def text(self, page):
        with open(os.path.join(MADE, page + ".1"), encoding="utf-8") as f:
            return re.sub(r"\\f.|\\&", "", f.read()).replace("\\-", "-")

    def test_each_column(self):
        """Of the tables of query."""
        text = self.text("pathline-query")
        for line in session.pathline("query", "--schema", "--json").stdout.decode().splitlines():
            row = json.loads(line)["data"]
            title = f"{row['column']} {row['sql_type']}" if "column" in row else row["table"]
            self.assertIn(f"\n{title}\n" if "column" in row else f'\n.SS {title}\n', text)

    def test_each_option(self):
        for command in COMMANDS:
            text = self.text(f"pathline-{command.name}")
            for o in command.options:
                title = (f"-{o.letter}, " if o.letter else "") + f"--{o.word}" + (f"={o.argument}" if o.argument else "")
                self.assertIn(f"\n{title}\n", text)
            self.assertNotRegex(text, r"@[A-Z]+@")

    def test_commands_of_replay(self):
        about = next(c.about for c in COMMANDS if c.name == "replay")
        for line in re.findall(r"^  (.*)$", about, re.M):
            self.assertIn(re.sub(r"\s+", "", line), re.sub(r"\s+", "", self.text("pathline-replay").replace("\\e", "\\")), line)

    def test_other_names_have_their_heading(self):
        text = self.text("pathline-replay")
        heading, row = text.find("Other names, those of gdb and pdb:"), text.find("step,stepi")
        self.assertTrue(0 < heading < row, (heading, row))
        self.assertRegex(text, r"A number before a command repeats it: 5s\.\s+Other names")

    def test_commands(self):
        for command in COMMANDS:
            self.assertIn(command.help, self.text("pathline"))

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff(self):
        for page in PAGES:
            done = subprocess.run(["groff", "-man", "-ww", "-Kutf8", "-Tutf8", "-P-c", os.path.join(MADE, page + ".1")],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
            text = re.sub(".\b", "", done.stdout.decode())     # bold is struck twice
            self.assertNotRegex(text, r"(?m)^(troff|groff|grotty|.*warning)", page)
            self.assertIn("\nEXIT STATUS\n", text)
            for example in examples(page):
                self.assertIn(f"$ {example}\n", text)


if __name__ == "__main__":
    unittest.main()
