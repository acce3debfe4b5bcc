#!/usr/bin/env python3
"""usage: tools/gen-man.py PATHLINE SCDOC SOURCE OUT

Make a manual page of its hand-written part, doc/man/pathline-COMMAND.1.scd. These lines of it are
replaced by what the program says of itself, so that no option can be missing:

    @OPTIONS@     the options of the command
    @COMMANDS@    all commands, in pathline.1; in pathline-replay.1 those that replay reads
    @KEYS@        the keys of replay's screen, with their title; nothing where `PATHLINE replay --keys` is not understood
    @TABLES@      the tables of query and their columns
"""
import json
import os
import re
import subprocess
import sys

import options

ROW = re.compile(r"^(\S.*?) {2,}(\S.*)$|^(\S{12,}) (\S.*)$")       # a word, and what it means


def escaped(text):
    return re.sub(r"([\\*_`#])", r"\\\1", text)


def option_page(option):
    """A paragraph for each; rows of words in the help stay rows."""
    names = ([f"*-{option.letter}*"] if option.letter else []) + [f"*--{option.word}*"]
    title = ", ".join(names) + (f"={escaped(option.argument)}" if "|" in option.argument else
                                f"=_{escaped(option.argument)}_" if option.argument else "")
    text, *rest = option.help.split("\n")
    if len(rest) > 2 and all(ROW.match(line) for line in rest):
        return f"{title}\n\t{escaped(text)}\n\n\t```\n" + "".join(f"\t{line}\n" for line in rest) + "\t```\n"
    text = " ".join(option.help.split("\n"))
    words = [word for word in option.words if word not in text and word not in option.argument]
    more = f" Words: {', '.join(words)}." if words else ""
    return f"{title}\n\t{escaped(text)}.{escaped(more)}\n"


def keys(pathline):
    """Rows of view, key, command, meaning."""
    done = subprocess.run([pathline, "replay", "--keys"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    rows = [row.split("\t") for row in done.stdout.decode().splitlines()]
    if done.returncode or not rows:
        return ""
    out, view = "# KEYS\n\nOf the screen, by view.\n", None
    for row in rows:
        if row[0] != view:
            view = row[0]
            out += f"\n*{escaped(view)}*\n\n"
        command = f" (command: *{escaped(row[2])}*)" if row[2] else ""
        out += f"*{escaped(row[1])}*\n\t{escaped(row[3])}{command}\n\n"
    return out


def tables(pathline):
    """A paragraph for each column, below the title of its table."""
    done = subprocess.run([pathline, "query", "--schema", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    out = ""
    for line in done.stdout.decode().splitlines():
        row = json.loads(line)["data"]
        if "column" in row:
            out += f"*{escaped(row['column'])}* {row['sql_type']}\n\t{escaped(row['meaning'])}\n\n"
        else:
            out += f"## {row['table']}\n\n{escaped(row['meaning'])}\n\n"
    return out


def literal(lines):
    return "```\n" + "\n".join(lines) + "\n```\n"


def listing(about):
    """The tables of a help text, as they are, and the paragraphs between them."""
    lines = about.split("\n")
    first = next((i for i, line in enumerate(lines) if line.startswith("  ")), len(lines))
    parts = re.split(r"\n{2,}", "\n".join(lines[first:]).rstrip("\n"))
    return "\n".join(literal(line[2:] for line in part.split("\n")) if part.startswith("  ") else escaped(part) + "\n"
                     for part in parts)


def page(text, pathline, name):
    commands = {command.name: command for command in options.read(pathline)}
    command = commands.get(name)
    if command:
        listed = listing(command.about)
        made = "\n".join(map(option_page, command.options))
    else:
        listed = "\n".join(f"*pathline-{c.name}*(1)\n\t{escaped(c.help)}\n" for c in commands.values())
        made = ""
    for mark, lines in (("@OPTIONS@", made), ("@COMMANDS@", listed), ("@KEYS@", keys(pathline) if "@KEYS@" in text else ""),
                        ("@TABLES@", tables(pathline) if "@TABLES@" in text else "")):
        text = text.replace(mark + "\n", lines)
    # scdoc would eat backslashes there; a page's source has its examples as they are typed.
    return re.sub(r"^(\t*```\n)(.*?)^(\t*```)$", lambda m: m[1] + m[2].replace("\\", r"\\") + m[3], text, flags=re.M | re.S)


def main():
    pathline, scdoc, source, out = sys.argv[1:]
    name = re.search(r"pathline-?(\w*)\.1", os.path.basename(source))[1]
    with open(source, encoding="utf-8") as f:
        text = page(f.read(), pathline, name)
    done = subprocess.run([scdoc], input=text.encode(), stdout=subprocess.PIPE, check=True)
    with open(out, "wb") as f:
        f.write(done.stdout)


if __name__ == "__main__":
    main()
