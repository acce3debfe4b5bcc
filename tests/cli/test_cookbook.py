"""doc/COOKBOOK.md is true: each of its commands is run, and answers what stands below it, but for
times, ids of objects, and the numbers of events.

    PATHLINE_BUILD=build python3 tests/cli/test_cookbook.py --write

writes what they answer now into it.
"""
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402
import test_tutorial  # noqa: E402

INTERPRETERS = "turn"
COOKBOOK = os.path.join(test_tutorial.TOP, "doc", "COOKBOOK.md")
QUESTIONS = 12      # the least


class Command(test_tutorial.Command):
    """A command whose functions go on in lines that are indented by two more."""

    def is_open(self):
        return super().is_open() or self.command[0].startswith("span()") and "diff" not in self.command[-1]


def page():
    with open(COOKBOOK, encoding="utf-8") as f:
        return test_tutorial.read(f.read(), Command)


def run_page(parts):
    folder = session.scratch()
    shutil.copytree(os.path.join(test_tutorial.TOP, "examples"), os.path.join(folder, "examples"))
    environment = test_tutorial.environment_of(folder)
    return [(command, command.run(folder, environment)) for part in parts if isinstance(part, list) for command in part]


def masked(answers):
    """Widths of columns follow the texts that are masked."""
    lines = []
    for line in answers:
        line = re.sub(r"\b\d\d:\d\d:\d\d\.\d+|\b20\d\d-\d\d-\d\d\b", "TIME", line)
        line = re.sub(r"±?<?\b\d+(\.\d+)? [µmn]?s\b", "SPAN", line)
        line = re.sub(r"^ *\d+(?=  )|#\d+\b", "SEQ", line)
        line = re.sub(r"\b\d{9,}\b", "ID", line)
        line = re.sub(r"\b\d+(\.\d+)?%", "SHARE", line)
        lines.append(re.sub(r" +", " ", re.sub(r"/\S*/", "…/", line)).strip())
    return lines


class Cookbook(unittest.TestCase):
    maxDiff = None

    def test_every_command(self):
        for command, answers in run_page(page()):
            with self.subTest(command.command):
                self.assertEqual(masked(answers), masked(command.answers))
                self.assertTrue(answers)

    def test_each_question_has_one(self):
        with open(COOKBOOK, encoding="utf-8") as f:
            sections = re.split("^## ", f.read(), flags=re.M)[1:]
        self.assertGreaterEqual(len(sections), QUESTIONS)
        for section in sections:
            self.assertEqual(len(re.findall(r"^    \$ ", section, re.M)), 1, section)


def write():
    parts = page()
    answers = dict(run_page(parts))
    test_tutorial.write_page(COOKBOOK, parts, answers)


if __name__ == "__main__":
    write() if sys.argv[1:] == ["--write"] else unittest.main()
