"""A screen of what is written to a terminal, made by pyte."""
import pyte


class Screen(pyte.Screen):
    """With what curses uses and pyte leaves out: scrolling by several lines, and the same character
    again."""

    def scroll_up(self, count=1):
        top, bottom = self.margins or (0, self.lines - 1)
        at = self.cursor.y, self.cursor.x
        for _ in range(min(count or 1, bottom - top + 1)):
            self.cursor.y = bottom
            self.index()
        self.cursor.y, self.cursor.x = at

    def scroll_down(self, count=1):
        top, bottom = self.margins or (0, self.lines - 1)
        at = self.cursor.y, self.cursor.x
        for _ in range(min(count or 1, bottom - top + 1)):
            self.cursor.y = top
            self.reverse_index()
        self.cursor.y, self.cursor.x = at

    def draw(self, data):
        super().draw(data)
        self.drawn = data[-1:] or self.drawn

    def repeat(self, count=1):
        self.draw(self.drawn * (count or 1))


class Stream(pyte.ByteStream):
    csi = {**pyte.ByteStream.csi, "S": "scroll_up", "T": "scroll_down", "b": "repeat"}
    events = pyte.ByteStream.events | {"scroll_up", "scroll_down", "repeat"}
