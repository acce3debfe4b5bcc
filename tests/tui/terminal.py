"""A real terminal for the tests of the screen: a pty, and pyte that makes a screen of what is written to it."""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "cli"), os.path.join(os.path.abspath(os.environ.get("PATHLINE_BUILD", "build")), "screen",
                                                       "%d.%d" % sys.version_info[:2])]
import session      # noqa: E402
try:
    import screen
except ImportError:     # a fresh Debian without a network
    screen = None
needs_screen = unittest.skipUnless(screen, "there is no pyte; tools/python-packages fetches it")

TIMEOUT_S = 30
KEYS = {"Up": "\x1bOA", "Down": "\x1bOB", "Right": "\x1bOC", "Left": "\x1bOD", "Home": "\x1bOH", "End": "\x1bOF", "PgUp": "\x1b[5~", "PgDn": "\x1b[6~", "Enter": "\r",
        "Space": " ", "Tab": "\t", "1-9": "2", "Esc": "\x1b", "F2": "\x1bOQ", "F3": "\x1bOR", "F4": "\x1bOS", "F5": "\x1b[15~", "F6": "\x1b[17~", "F7": "\x1b[18~", "F8": "\x1b[19~",
        "WheelUp": "\x1b[<64;20;10M", "WheelDown": "\x1b[<65;20;10M", "Click": "\x1b[<0;20;10M", "Backspace": "\x7f"}


def code_of(name):
    """What a terminal sends for a key of the table."""
    if name.startswith("Ctrl-"):
        return chr(ord(name[5]) - ord("@"))
    return KEYS.get(name, name)


def masked(lines, folder):
    """Without what differs from one recording to the next. The folder's name is as long in each, and wraps likewise."""
    own = os.path.basename(folder)[-8:]
    text = "\n".join(line.rstrip() for line in lines).replace(own, "X" * 8)
    for k in range(1, 8):
        text = re.sub("(?<=-)" + re.escape(own[:k]) + "$", "X" * k, text, flags=re.M)
        text = re.sub(r"(^|\|)" + re.escape(own[k:]) + "/", lambda m, k=k: m[1] + "X" * (8 - k) + "/", text, flags=re.M)
    text = re.sub(r"\d\d:\d\d:\d\d\.\d{6}", "hh:mm:ss.uuuuuu", text)
    text = re.sub(r"±[\d.]+ (ns|µs|ms|s)", "±error", text)
    text = re.sub(r"(?<!# ran)(?<! ) +~[^|\n]*$", "", text, flags=re.M)        # an order that is not known exactly
    text = re.sub(r"(event )[\d,]+ of [\d,]+ \(#\d+\) *(\[#*-*\])? +\d+% of time", "event N of N (#N) [bar]", text)
    return re.sub(r"#\d+", "#N", text) + "\n"


class Terminal:
    """`pathline words…` on a terminal of its own."""
    pressed = set()         # names of keys, of all terminals

    def __init__(self, *words, rows=24, columns=80, cwd=None, term="xterm-256color", **environment):
        self.screen = screen.Screen(columns, rows)
        self.stream = screen.Stream(self.screen)
        self.raw = b""
        self.status = None
        base = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "VISUAL", "EDITOR", "XDG_CONFIG_HOME")}
        base.update(TERM=term, TZ="UTC", LANG="C.UTF-8", LC_ALL="C.UTF-8", HOME="/nonexistent", **environment)
        size = struct.pack("HHHH", rows, columns, 0, 0)
        begin, seen = os.pipe()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.close(seen)
            os.read(begin, 1)                       # its end: the modes have been looked at
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            if cwd:
                os.chdir(cwd)
            os.execve(session.PATHLINE, ["pathline", *words], base)
        self.before = termios.tcgetattr(self.fd)
        os.close(begin)
        os.close(seen)

    def pump(self, seconds):
        """Take what was written; false: nothing came, or it ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            return False
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def text(self):
        return "\n".join(self.screen.display)

    def wait(self, what):
        """Until the screen has this: a regular expression, or a function of its text."""
        good = what if callable(what) else lambda text: re.search(what, text)
        end = time.monotonic() + TIMEOUT_S
        while not good(self.text()):
            if not self.pump(0.5) and time.monotonic() > end:
                raise AssertionError(f"no {what!r} on\n{self.text()}")
        return self

    def settle(self):
        """Until nothing more is drawn: for what must not change."""
        while self.pump(0.3):
            pass
        return self

    def type(self, text):
        os.write(self.fd, text.encode())
        return self

    def press(self, *names):
        for name in names:
            self.pressed.add(name)
            self.type(code_of(name))
        return self

    def line(self, command):
        """Through the prompt."""
        return self.press(":").type(command + "\r")

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)
        return self

    def end(self):
        """The exit code, or minus the signal; what was written up to the end is in raw."""
        stop = time.monotonic() + TIMEOUT_S
        while self.status is None:
            self.pump(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > stop:
                self.close()
                raise AssertionError(f"it does not end:\n{self.text()}")
        while self.pump(0):
            pass
        return self.status

    def restored(self, screen=True):
        """Is the terminal as it was: its modes, and its other screen left, where it has one?"""
        return (b"\x1b[?1049l" in self.raw[-400:] or not screen) and termios.tcgetattr(self.fd)[:4] == self.before[:4]

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = -signal.SIGKILL
        os.close(self.fd)
