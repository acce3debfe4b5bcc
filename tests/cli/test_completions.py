"""Completions know every command and option that the program knows, and the shells really complete
with them."""
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import options  # noqa: E402
import session  # noqa: E402

INTERPRETERS = "none"
MADE = os.path.join(session.BUILD, "tools")
COMMANDS = options.read(session.PATHLINE)

# Calls the function as the shell does: argument 1 is the file, 2 the words, each on a line, the
# last one being completed.
BASH = r"""
source "$1"
mapfile -t COMP_WORDS <<<"$2"
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_pathline pathline "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" || exit 1
printf '%s\n' "${COMPREPLY[@]}"
"""


def make_folder():
    folder = session.scratch()
    os.makedirs(os.path.join(folder, ".pathline", "261123-101500-orders"))
    os.symlink("261123-101500-orders", os.path.join(folder, ".pathline", "latest"))
    os.makedirs(os.path.join(folder, "some folder", "below"))
    with open(os.path.join(folder, "shop.py"), "w", encoding="utf-8"):
        pass
    return folder


FOLDER = make_folder()
RECORDING = "261123-101500-orders"


def run(*words, cwd="."):
    done = subprocess.run(words, cwd=os.path.join(FOLDER, cwd), stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                          env=dict(os.environ, HOME=FOLDER, XDG_CONFIG_HOME=FOLDER, XDG_DATA_HOME=FOLDER))
    if done.returncode or done.stderr:
        raise AssertionError(f"{words}: {done.returncode} {done.stderr.decode()}")
    return done.stdout.decode().splitlines()


class Tables(unittest.TestCase):
    def test_all_that_help_names(self):
        """The tables are what --help prints."""
        listed = session.pathline("--help").stdout.decode()
        for command in COMMANDS:
            self.assertIn(f"\n  {command.name:9} {command.help}\n", listed)
            said = session.pathline(command.name, "--help").stdout.decode()
            head = f"usage: pathline {command.name} [OPTION]… {command.operands} {command.about}".split()
            self.assertEqual(said.split()[:len(head)], head)       # lines are as long as the terminal is wide
            for o in command.options:
                self.assertIn(f"{f'-{o.letter}, ' if o.letter else '    '}--{o.word}{'=' if o.argument else ''}{o.argument}", said)
            self.assertEqual(len([line for line in said.splitlines() if "   --" in line[:8] or line[2:3] == "-" and ", --" in line]),
                             len(command.options), command.name)

    def test_one_command(self):
        rows = session.pathline("ls", "--help=table").stdout.decode().splitlines()
        self.assertEqual([row.split("\t")[:3] for row in rows[:2]], [["usage", "ls", "[FOLDER]"], ["option", "ls", "json"]])

    def test_it_is_alone(self):
        done = session.pathline("ls", "--help=table", "more")
        self.assertEqual((done.returncode, done.stdout), (2, b""))


class Bash(unittest.TestCase):
    def complete(self, *words, cwd="."):
        return [line for line in run("bash", "--norc", "-c", BASH, "bash", os.path.join(MADE, "pathline"), "\n".join(("pathline", *words)), cwd=cwd)
                if line]

    def test_commands(self):
        self.assertEqual(self.complete(""), [c.name for c in COMMANDS] + ["--help", "--version"])
        self.assertEqual(self.complete("re"), ["record", "replay", "reader", "report"])

    def test_each_option(self):
        for command in COMMANDS:
            every = self.complete(command.name, "-")
            self.assertEqual(sorted(every), sorted([f"--{o.word}" for o in command.options] +
                                                   [f"-{o.letter}" for o in command.options if o.letter]), command.name)
            for o in command.options:
                self.assertIn(f"--{o.word}", self.complete(command.name, f"--{o.word}"))

    def test_words(self):
        """The word after the option, or after its =, which bash makes three words of; a list goes
        on after its comma."""
        for command in COMMANDS:
            for o in command.options:
                if o.words:
                    for before in ([f"--{o.word}"], [f"--{o.word}", "="]) + (([f"-{o.letter}"],) if o.letter else ()):
                        self.assertEqual(self.complete(command.name, *before, ""), o.words, (command.name, before))
                        self.assertIn(o.words[0], self.complete(command.name, *before, o.words[0][:2]))
                    self.assertEqual(self.complete(command.name, f"--{o.word}", "="), o.words)
        self.assertEqual(self.complete("dump", "-e", "call,ret"), ["call,return"])

    def test_folders_and_files(self):
        self.assertEqual(sorted(self.complete("record", "-o", "")), [".pathline", "some folder"])
        self.assertIn("shop.py", self.complete("report", "--file", ""))
        self.assertNotIn("shop.py", self.complete("ls", ""))
        self.assertEqual(self.complete("report", "--function", ""), [])

    def test_recordings(self):
        for command in COMMANDS:
            if command.operands in ("[RECORDING]", "RECORDING…"):
                self.assertEqual(sorted(self.complete(command.name, "")), [".pathline", RECORDING, "latest", "some folder"])
                self.assertEqual(self.complete(command.name, "some"), ["some folder"])
                self.assertEqual(self.complete(command.name, "--color", "=", "never", "2611"), [RECORDING])
                self.assertEqual(self.complete(command.name, "lat"), ["latest"])

    def test_recordings_of_a_folder_above(self):
        self.assertEqual(sorted(self.complete("info", "", cwd="some folder/below")), [RECORDING, "latest"])

    def test_after_the_program(self):
        """Options after WHAT are the program's own."""
        self.assertEqual(self.complete("record", "sh"), self.complete("record", "-q", "--limit", "2G", "sh"))
        self.assertIn("shop.py", self.complete("record", "--on-full", "=", "wait", "sh"))
        for words in (["shop.py"], ["-q", "shop.py"], ["--"], ["-o", "x", "--", "shop.py"], ["--limit", "=", "2G", "shop.py"]):
            self.assertEqual(self.complete("record", *words, "--onl"), [], words)
        self.assertEqual(self.complete("record", "-o", "x", "--onl"), ["--only-mine"])


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(unittest.TestCase):
    def complete(self, line):
        out = run("fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', os.path.join(MADE, "pathline.fish"), line)
        return [row.split("\t")[0] for row in out]

    def test_syntax(self):
        run("fish", "-n", os.path.join(MADE, "pathline.fish"))

    def test_commands(self):
        self.assertEqual(sorted(self.complete("pathline ")), sorted(c.name for c in COMMANDS))

    def test_each_option(self):
        for command in COMMANDS:
            self.assertEqual(sorted(self.complete(f"pathline {command.name} --")),
                             sorted(f"--{o.word}" for o in command.options), command.name)

    def test_arguments(self):
        self.assertEqual(self.complete("pathline record --on-full "), ["drop", "wait"])
        self.assertEqual(self.complete("pathline dump -e call,ret"), ["call,return"])
        self.assertIn(RECORDING, self.complete("pathline info 2611"))
        self.assertIn("latest", self.complete("pathline rm lat"))
        self.assertIn("shop.py", self.complete("pathline record sh"))

    def test_after_the_program(self):
        for words in ("", "-q ", "--limit 2G ", "--limit=2G ", "-o x "):
            self.assertEqual(self.complete(f"pathline record {words}--onl"), ["--only-mine"], words)
            self.assertEqual(self.complete(f"pathline record {words}shop.py --onl"), [], words)
            self.assertEqual(self.complete(f"pathline record {words}-- --onl"), [], words)
        self.assertIn("shop.py", self.complete("pathline record shop.py sh"))


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(unittest.TestCase):
    # compadd is asked what it was given, by a completion that runs in a terminal of its own.
    ASK = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= RPS1=; fpath=(${(q)1:h} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'zstyle ":completion:*" verbose no; zstyle ":completion:*" list-colors ""'
zpty -w shell 'compadd() {
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
	local -a found; builtin compadd -A found "$@"; (( $#found )) && print -l -- FOUND-$^found
	builtin compadd "$@" }'
zpty -w shell 'report() { print BEGIN; _main_complete; print END; compstate[insert]= compstate[list]= }'
zpty -w shell 'zle -C report complete-word report; bindkey "^I" report; print RE""ADY'
local line all=
while zpty -r shell line; do [[ $line == *READY* ]] && break; done
zpty -w -n shell "$2"$'\t'
while zpty -r shell line; do all+=$line; [[ $line == *END* ]] && break; done
print -r -- $all
zpty -d shell
"""

    def complete(self, line):
        out = "\n".join(run("zsh", "-f", "-c", self.ASK, "zsh", os.path.join(MADE, "_pathline"), line)).replace("\r", "\n")
        return [row.removeprefix("FOUND-") for row in out.split("\n") if row.startswith("FOUND-")]

    def test_syntax(self):
        run("zsh", "-n", os.path.join(MADE, "_pathline"))

    def test_commands(self):
        self.assertEqual(sorted(set(self.complete("pathline "))), sorted(c.name for c in COMMANDS))

    def test_each_option(self):
        for command in COMMANDS:
            self.assertLessEqual({f"--{o.word}" for o in command.options},
                                 {word.rstrip("=") for word in self.complete(f"pathline {command.name} --")}, command.name)

    def test_arguments(self):
        self.assertEqual(self.complete("pathline record --on-full="), ["wait", "drop"])
        self.assertIn("return", self.complete("pathline dump -e call,ret"))
        self.assertIn(RECORDING, self.complete("pathline info 2611"))
        self.assertIn("latest", self.complete("pathline rm lat"))
        self.assertIn("shop.py", self.complete("pathline record sh"))

    def test_after_the_program(self):
        for words in ("", "-q ", "--limit 2G ", "--limit=2G ", "-o x "):
            self.assertEqual(self.complete(f"pathline record {words}--onl"), ["--only-mine"], words)
            self.assertNotIn("--only-mine", self.complete(f"pathline record {words}shop.py --onl"), words)
        self.assertIn("shop.py", self.complete("pathline record shop.py sh"))


if __name__ == "__main__":
    unittest.main()
