"""The pictures of the README are what Pathline shows: drawn again, they have the same words in the same rows, but for numbers.

After a change of the screen, `tools/draw-pictures` draws them anew.
"""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import needs_screen, session  # noqa: E402

INTERPRETERS = "one"
TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PICTURES = TOP / "doc" / "pictures"
REDRAW = "if the screen was changed on purpose: tools/draw-pictures"
TRIES = 8           # threads race in the example, and one may be too late


def load_tool():
    loader = importlib.machinery.SourceFileLoader("draw_pictures", str(TOP / "tools" / "draw-pictures"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@needs_screen
class Pictures(unittest.TestCase):
    maxDiff = None

    def test_drawn_again(self):
        tool = load_tool()
        kept = {name: (PICTURES / name).read_text(encoding="utf-8") for name in ("replay.svg", "flame.svg")}
        for turn in range(TRIES):
            drawn = tool.draw(pathlib.Path(session.BUILD), session.PYTHON)
            try:
                self.assertEqual(tool.words_of_screen(drawn["replay.svg"]), tool.words_of_screen(kept["replay.svg"]), REDRAW)
                self.assertEqual(tool.words_of_flame(drawn["flame.svg"]), tool.words_of_flame(kept["flame.svg"]), REDRAW)
                break
            except AssertionError:
                if turn == TRIES - 1:
                    raise

    def test_are_sound(self):
        for path in sorted(PICTURES.glob("*.svg")):
            text = path.read_text(encoding="utf-8")
            xml.etree.ElementTree.fromstring(text)
            self.assertNotRegex(text, r"/root|/tmp|pyenv", path)
            self.assertLess(len(text), 100_000, path)

    def test_show_what_the_readme_says(self):
        tool = load_tool()
        rows = tool.words_of_screen((PICTURES / "replay.svg").read_text(encoding="utf-8"))
        self.assertEqual(len(rows), tool.ROWS)
        self.assertTrue(any(re.search(r"> left = stock\[item\]$", row) for row in rows), rows)
        self.assertIn("ask_price", tool.words_of_flame((PICTURES / "flame.svg").read_text(encoding="utf-8")))


if __name__ == "__main__":
    unittest.main()
