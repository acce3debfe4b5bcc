"""The tables of doc/PLACES.md are those of doc/places.json, and each row was found by a test that
exists."""
import importlib.util
import os
import pathlib
import sys
import unittest

QUICK = True
INTERPRETERS = "none"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import table  # noqa: E402

TESTS = pathlib.Path(__file__).resolve().parent.parent


class Table(unittest.TestCase):
    def test_is_that_of_the_findings(self):
        self.assertEqual(table.in_page()[1], table.text(table.kept()), "run tools/places-table")

    def test_each_place_has_a_section(self):
        self.assertNotIn(f"## {table.OTHERS}", table.in_page()[1])
        self.assertNotIn("<!--", table.in_page()[1])

    def test_has_a_test_by_name(self):
        modules = {}
        for _, test in table.kept():
            folder, file, case, method = test.split(".")
            if file not in modules:
                spec = importlib.util.spec_from_file_location(file, TESTS / folder / f"{file}.py")
                modules[file] = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(modules[file])
            self.assertTrue(hasattr(getattr(modules[file], case, None), method), test)

    def test_says_how_what_is_refused(self):
        for (place, _), found in table.kept().items():
            for column, (result, how) in found.items():
                self.assertIn(result, ("exact", "same", "whole", "refused"), (place, column))
                self.assertTrue(how or result != "refused", (place, column))


if __name__ == "__main__":
    unittest.main()
