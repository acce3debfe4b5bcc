"""doc/TUTORIAL.md is true: each of its commands is run, and answers what stands below it, but for times, numbers and paths.

    PATHLINE_BUILD=build python3 tests/cli/test_tutorial.py --write

writes what they answer now into it. A block of it is indented by four. "$ " begins a command, whose
lines go on after a \\ and to the end of a here-document; "> " stands before a line that is typed
into it, and each of these is answered by one line.
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import session  # noqa: E402

INTERPRETERS = "turn"
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TUTORIAL = os.path.join(TOP, "doc", "TUTORIAL.md")
# Threads really race in it. On a machine that is busy enough, the fourth one can be too late for the first write.
TRIES = 8


BUILDS = "make"     # it was built before this test


class Command:
    """`lines` of the page: the command itself, what is typed into it, what it answers."""

    def __init__(self, line):
        self.command, self.typed, self.answers = [line[2:]], [], []

    def is_open(self):
        end = re.search(r"<<'(\w+)'", self.command[0])
        return self.command[-1] != end[1] if end else self.command[-1].endswith("\\")

    def run(self, folder, environment):
        if self.command == [BUILDS]:
            return []
        text = "".join(line + "\n" for line in self.typed)
        done = subprocess.run(["bash", "-c", "\n".join(self.command)], cwd=folder, env=environment, input=text.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        if done.returncode:
            raise AssertionError(f"{self.command}: {done.returncode} {done.stdout.decode()}")
        return [line.rstrip() for line in done.stdout.decode().splitlines()]

    def written(self, answers):
        """As it stands in the page: what is typed stands between the answers."""
        lines = ["$ " + self.command[0], *self.command[1:]]
        if self.typed:
            lines += answers[:1]
            for typed, answer in zip(self.typed, [*answers[1:], None]):
                lines += ["> " + typed] + ([answer] if answer is not None else [])
        else:
            lines += answers
        return lines


def read(text, kind=Command):
    """Blocks, each the commands in it, between the texts. A screen stands between fences."""
    parts, fenced = [], False
    for line in text.split("\n"):
        fenced ^= line == "```"
        if fenced or not line.startswith("    "):
            parts.append(line)
            continue
        line = line[4:]
        last = parts[-1][-1] if parts and isinstance(parts[-1], list) else None
        if last and last.is_open():
            last.command.append(line)
        elif line.startswith("$ "):
            if not last:
                parts.append([])
            parts[-1].append(kind(line))
        elif line.startswith("> "):
            last.typed.append(line[2:])
        else:
            last.answers.append(line)
    return parts


def masked(answers):
    """What must be the same. Which of the other threads comes when is open."""
    first, lines = None, []
    for line in answers:
        row = line.split("\t")
        if len(row) == 9:
            first = first or row[1]
            row[1] = "first" if row[1] == first else "other"
            row[0] = row[2] = row[3] = row[4] = "N"         # the depth: versions differ in the frames below
            if not row[6].endswith(("orders.py", "fixed.py")):
                row[7] = "N"
            row[6] = os.path.basename(row[6])
            lines.append("\t".join(row))
        elif line.startswith("!"):
            lines.append(re.sub(r"\d+ (later|earlier)\b", r"N \1", line))
        else:
            line = re.sub(r"\d+(\.\d+)?", "N", line)
            line = re.sub(r"<?\bN ([µmn]?s|[KM]iB|B)\b", "N U", line)
            line = re.sub(r"^(\s*N%\s+N U\s+)-(?=\s)", r"\1N U", line)   # waiting, where a sample saw the line
            line = re.sub(r"\bN U ±N U(?=  #N)", "N U", line)       # the error of a call's time, if it is large
            line = re.sub(r"'(anvil|magnet|rocket)'", "'I'", line)
            # a line of a file: nothing was sold out, or too seldom to have a time
            line = re.sub(r"^\s*(never|N)(\s+N U\s+±N U\s+N%)?\s+(?=N\b)", "N ", line)
            line = re.sub(r"\bN U +-t N #N(?= +\S*/)|- +- ", "", line)           # the longest pass, where it is known
            lines.append(re.sub(r"\s+", " ", re.sub(r"/\S*/", "…/", line)).strip())
    return lines


def shown(line):
    """As the page has it: paths of a reader's machine."""
    line = re.sub(r"/\S*/(lib/python3)", r"/usr/\1", line)
    return re.sub(r"/\S*?/(examples/\w+\.py|fixed\.py)", r"/home/you/pathline/\1", line)


def environment_of(folder):
    """In which `python3` and `pathline` are those that are tested."""
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(session.PYTHON, os.path.join(folder, "bin", "python3"))
    return dict(os.environ, HOME=folder, XDG_CONFIG_HOME=folder, TZ="UTC",
                PATH=os.pathsep.join((os.path.join(folder, "bin"), session.BUILD, os.environ["PATH"])))


def run_page(parts, folder=None):
    """(command, its answers) of all, in a folder of its own."""
    folder = folder or session.scratch()
    shutil.copytree(os.path.join(TOP, "examples"), os.path.join(folder, "examples"))
    environment = environment_of(folder)
    return [(command, command.run(folder, environment)) for part in parts if isinstance(part, list) for command in part]


def page():
    with open(TUTORIAL, encoding="utf-8") as f:
        return read(f.read())


class Tutorial(unittest.TestCase):
    maxDiff = None

    def test_every_command(self):
        for turn in range(TRIES):
            try:
                folder = session.scratch()
                done = run_page(page(), folder)
                self.the_screen_shows_section_4(folder)
                self.answers_are_the_same(done)
                self.what_the_text_says(done)
                break
            except AssertionError:
                if turn == TRIES - 1:
                    raise

    def answers_are_the_same(self, done):
        for command, answers in done:
            self.assertEqual(masked(answers), masked(command.answers), command.command)
            self.assertEqual(len(answers) > 0, not re.match("make$|export|cat >|sed -e", command.command[0]), command.command)

    def test_keys_of_the_screen(self):
        done = subprocess.run([session.PATHLINE, "replay", "--keys"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        with open(TUTORIAL, encoding="utf-8") as f:
            text = f.read()
        if done.returncode:
            self.assertNotIn("The same on a screen", re.sub("<!--.*?-->", "", text, flags=re.S), "there is no screen")
            self.skipTest("replay has no keys yet")
        known = {row.split("\t")[1] for row in done.stdout.decode().splitlines()}
        for row in re.findall(r"^\| (`.*`) \| ", text, re.M):
            self.assertLessEqual({key.strip("`") for key in row.split()}, known)

    def the_screen_shows_section_4(self, folder):
        """The screen's command, and what is typed there (end of the page), lead to its line."""
        with open(TUTORIAL, encoding="utf-8") as f:
            section = re.search(r"^## The same on a screen\n(.*?)^## ", f.read(), re.M | re.S)[1]
        command = re.search(r"`pathline (replay[^`]*)`", section)[1].split()
        typed = re.search(r"^\| `:` \| then `([^`]*)`", section, re.M)[1]
        done = session.pathline(*command, "--plain", f"--command={typed}", "--command=c", cwd=folder)
        answers = done.stdout.decode().splitlines()
        self.assertRegex(answers[1], "^!\tstop 1: b examples/orders.py:44$", command)
        self.assertRegex(answers[2], "\t/.*/examples/orders.py\t44\tbook\t", command)

    def what_the_text_says(self, done):
        """Its counts, and which thread is which."""
        ran = {command.command[0]: answers for command, answers in done}
        replays = [answers for command, answers in done if "replay" in command.command[0]]
        source = next(v for k, v in ran.items() if "--file examples/orders.py" in k)
        hits = [line.split()[0].replace("never", "0") for line in source[2:]]
        self.assertEqual(hits[:3], ["180"] * 3)
        self.assertEqual(int(hits[3]) + int(hits[5]), 180)
        self.assertEqual(hits[4:], [hits[4]] * 4)
        self.assertIn("does not add up", "".join(ran["pathline record examples/orders.py"]))
        self.assertNotIn("does not add up", "".join(ran["pathline record fixed.py"]))
        self.assertIn(": 60 sold", "".join(ran["pathline record fixed.py"]).replace("stock,  ", ": "))
        rows = [[row.split("\t") for row in v if len(row.split("\t")) == 9] for v in replays]
        reads, writes = ({row[1] for row in rows[1] if row[7] == line} for line in ("40", "44"))
        self.assertEqual((len(reads), writes), (4, reads))
        self.assertEqual(rows[2][1][1], rows[2][2][1])
        mended = next(v for k, v in ran.items() if k.startswith("grep -A 10"))
        self.assertEqual((mended[43 - 38].split()[0], mended[46 - 38].split()[0]), ("left", "stock[item]"))
        self.assertRegex(ran["pathline dump -e line -f name,code,source | awk -f stale.awk"][0], "^0 of ")


def write_page(path, parts, answers):
    out = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        else:
            out += ["    " + shown(line) for command in part for line in command.written(answers[command])]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out))


def write():
    parts = page()
    write_page(TUTORIAL, parts, dict(run_page(parts)))


if __name__ == "__main__":
    write() if sys.argv[1:] == ["--write"] else unittest.main()
