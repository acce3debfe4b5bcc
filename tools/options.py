"""What `pathline --help=table` prints, read: commands with their options, for tools that make
completions and manual pages."""
import dataclasses
import re
import subprocess


@dataclasses.dataclass
class Option:
    word: str
    letter: str
    argument: str       # its name; "": a flag
    words: list         # what the argument can be; []: not known
    help: str

    @property
    def is_list(self):
        return self.argument == "LIST"


@dataclasses.dataclass
class Command:
    name: str
    help: str           # one line
    operands: str
    about: str
    first_word_ends: bool
    options: list


def _text(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def read(pathline):
    """All commands, in the order of the table."""
    out = subprocess.run([pathline, "--help=table"], stdout=subprocess.PIPE, check=True).stdout.decode()
    helps, commands = {}, {}
    for row in out.splitlines():
        kind, name, *texts = [_text(text) for text in row.split("\t")]
        if kind == "command":
            helps[name] = texts[0]
        elif kind == "usage":
            commands[name] = Command(name, helps[name], texts[0], texts[1], bool(texts[2]), [])
        elif kind == "option":
            word, letter, argument, words, text = texts
            if not words and "|" in argument:
                words = argument.replace("|", " ")
            commands[name].options.append(Option(word, letter, argument, words.split(), text))
    return list(commands.values())
