#!/usr/bin/env python3
"""usage: tools/gen-completions.py PATHLINE bash|zsh|fish OUT

Write the completions of a shell, made of the tables that `PATHLINE --help=table` prints: so they
never differ from what is understood. Without a shell's own library of helpers, which may not be
installed.
"""
import re
import sys
import textwrap

import options

HEAD = "pathline: made by tools/gen-completions.py from the tables of options"


def kind(option):
    """What is completed for its argument."""
    if option.words:
        return "list" if option.is_list else "words"
    return {"DIR": "folders", "FILE": "files", "EXE": "programs"}.get(option.argument, "nothing")


def operand_kind(command):
    return {"[RECORDING]": "recordings", "RECORDING…": "recordings…", "[FOLDER]": "folders"}.get(command.operands, "what" if command.first_word_ends else "nothing")


def short(option):
    """A help of one line for a menu."""
    return textwrap.shorten(option.help.split(". Without it")[0], 72, placeholder=" …")


def is_repeated(option):
    return option.argument == "GLOB" or "several" in option.help


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


# ---- bash ----

BASH = r'''# {head}
_pathline_recordings()
{{
	local each up=
	while [[ ! -d ${{up}}.pathline && ! . -ef / && ! $up. -ef / ]]; do
		up+=../
	done
	for each in "${{up}}.pathline"/*/; do
		each=${{each%/}}
		if [[ -d $each && ${{each##*/}} == "$1"* ]]; then
			printf '%s\n' "${{each##*/}}"
		fi
	done
	compgen -d -- "$1"
}}

# What begins with $1: of a kind, with the words after it.
_pathline_complete()
{{
	local current=$1 kind=$2 before=
	shift 2
	case $kind in
	words) mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current") ;;
	list)
		if [[ $current == *,* ]]; then
			before=${{current%,*}},
		fi
		mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${{current##*,}}")
		compopt -o nospace 2>/dev/null ;;
	folders)
		mapfile -t COMPREPLY < <(compgen -d -- "$current")
		compopt -o filenames 2>/dev/null ;;
	files)
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		compopt -o filenames 2>/dev/null ;;
	programs)
		mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -f -- "$current") ;;
	recordings*)
		mapfile -t COMPREPLY < <(_pathline_recordings "$current" | sort -u)
		compopt -o filenames 2>/dev/null ;;
	what)
		mapfile -t COMPREPLY < <(compgen -f -- "$current"; compgen -c -- "$current")
		compopt -o filenames 2>/dev/null ;;
	esac
	return 0
}}

# The argument of the option $2 of the command $1; false: it has none.
_pathline_argument()
{{
	local current=$3
	case $1:$2 in
{arguments}	*) return 1 ;;
	esac
}}

_pathline()
{{
	local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} at word
	COMPREPLY=()
	if (( COMP_CWORD == 1 )); then
		_pathline_complete "$current" words {commands} --help --version
		return
	fi
	# The shell cuts --option=argument into three words.
	if [[ $current == = ]]; then
		_pathline_argument "$command" "$previous" ''
		return
	elif [[ $previous == = ]]; then
		_pathline_argument "$command" "${{COMP_WORDS[COMP_CWORD-2]}}" "$current"
		return
	fi
	case $command in
	{ending})
		# Behind the program that is to run, words are its own.
		for (( at = 2; at < COMP_CWORD; at++ )); do
			word=${{COMP_WORDS[at]}}
			case $word in
			--) break ;;
			=) (( at++ )) ;;
			-*)
				if [[ ${{COMP_WORDS[at+1]}} != = ]] && _pathline_argument "$command" "$word" ''; then
					(( at++ ))
				fi ;;
			*) break ;;
			esac
		done
		COMPREPLY=()
		if (( at < COMP_CWORD )); then
			_pathline_complete "$current" what
			return
		fi ;;
	esac
	_pathline_argument "$command" "$previous" "$current" && return
	case $command in
{operands}	esac
}}

complete -F _pathline pathline
'''


def bash(commands):
    arguments = operands = ""
    for command in commands:
        for option in command.options:
            if option.argument:
                names = [f"{command.name}:--{option.word}"] + ([f"{command.name}:-{option.letter}"] if option.letter else [])
                words = " ".join(map(quoted, option.words))
                arguments += f"\t{'|'.join(names)}) _pathline_complete \"$current\" {kind(option)} {words}".rstrip() + " ;;\n"
        names = " ".join(f"--{o.word}" for o in command.options) + "".join(f" -{o.letter}" for o in command.options if o.letter)
        operands += f"""\t{command.name})
\t\tif [[ $current == -* ]]; then
\t\t\t_pathline_complete "$current" words {names}
\t\telse
\t\t\t_pathline_complete "$current" {operand_kind(command)}
\t\tfi ;;
"""
    return BASH.format(head=HEAD, arguments=arguments, operands=operands, commands=" ".join(c.name for c in commands),
                       ending="|".join(c.name for c in commands if c.first_word_ends))


# ---- zsh ----

ZSH = r'''#compdef pathline
# {head}
_pathline_recordings() {{
	local up=
	until [[ -d ${{up}}.pathline || $up. -ef / ]]; do
		up+=../
	done
	local -a found=(${{up}}.pathline/*(-/N:t))
	(( $#found )) && compadd -- $found
	_files -/
}}

_pathline_what() {{
	if (( CURRENT == 1 )); then
		_alternative 'scripts:script:_files' 'commands:command:_command_names -e'
	else
		_default
	fi
}}

_pathline() {{
	local curcontext="$curcontext" state line
	typeset -A opt_args
	local -a commands=(
{commands}	)
	_arguments -C '(- *)'{{-h,--help}}'[print the commands, and end]' '(- *)--version[print the version, and end]' \
		'1: :->command' '*:: :->rest'
	case $state in
	command) _describe command commands ;;
	rest)
		case $words[1] in
{rest}		esac ;;
	esac
}}

_pathline "$@"
'''


def zsh_action(option):
    what = kind(option)
    words = " ".join(word.replace(":", r"\:") for word in option.words)
    return {"folders": "_files -/", "files": "_files", "programs": "_command_names -e", "words": f"({words})",
            "list": f"_sequence compadd - {words}"}.get(what, " ")


def zsh_option(option):
    help_ = re.sub(r"([\[\]:\\])", r"\\\1", short(option))
    argument = option.argument.replace("|", " or ")
    end = f"[{help_}]" + (f":{argument}:{zsh_action(option)}" if option.argument else "")
    several = is_repeated(option)
    star = "*" if several else ""
    equals = "=" if option.argument else ""
    if option.letter:
        plus = "+" if option.argument else ""
        group = "'*'" if several else quoted(f"(-{option.letter} --{option.word})")
        return f"{group}{{-{option.letter}{plus},--{option.word}{equals}}}{quoted(end)}"
    return quoted(f"{star}--{option.word}{equals}{end}")


def zsh(commands):
    names = "".join("\t\t" + quoted(f"{c.name}:{c.help}") + "\n" for c in commands)
    rest = ""
    for command in commands:
        operand = {"recordings": "1:recording:_pathline_recordings", "recordings…": "*:recording:_pathline_recordings",
                   "folders": "1:folder:_files -/",
                   "what": "*::program:_pathline_what"}.get(operand_kind(command))
        words = [zsh_option(o) for o in command.options] + ([quoted(operand)] if operand else [])
        end = " -A '-*'" if command.first_word_ends else ""
        rest += f"\t\t{command.name}) _arguments -s -S{end} \\\n\t\t\t" + " \\\n\t\t\t".join(words) + " ;;\n"
    return ZSH.format(head=HEAD, commands=names, rest=rest)


# ---- fish ----

FISH = r'''# {head}
function __pathline_recordings
	set -l up ''
	while not test -d $up.pathline; and not test (realpath ./$up) = /
		set up ../$up
	end
	for each in $up.pathline/*/
		path basename -- $each
	end
	__fish_complete_directories
end

# Which command it is, and none of the words after it.
function __pathline_is
	set -l words (commandline -opc)
	test (count $words) -ge 2; and test "$words[2]" = $argv[1]
end

# The same, and the program that is to run is still to come. The other words are the options with an argument.
function __pathline_before_program
	__pathline_is $argv[1]; or return
	set -l words (commandline -opc)
	set -l at 3
	while test $at -le (count $words)
		if test "$words[$at]" = --; or not string match -q -- '-?*' $words[$at]
			return 1
		end
		contains -- $words[$at] $argv[2..-1]; and set at (math $at + 1)
		set at (math $at + 1)
	end
end

function __pathline_none
	test (count (commandline -opc)) -eq 1
end

# Words of a list, after the last comma.
function __pathline_list
	set -l before (string replace -rf '^(--\w+=)?(.*,).*' '$2' -- (commandline -ct))
	printf "$before%s\n" $argv
end

complete -c pathline -f
complete -c pathline -n __pathline_none -l help -s h -d 'print the commands, and end'
complete -c pathline -n __pathline_none -l version -d 'print the version, and end'
'''


def fish_words(option):
    words = " ".join(option.words)
    return {"folders": "-x -a '(__fish_complete_directories)'", "files": "-r -F", "programs": "-r -F",
            "words": f"-x -a {quoted(words)}", "list": f"-x -a {quoted(f'(__pathline_list {words})')}"}.get(kind(option), "-x")


def fish(commands):
    out = FISH.format(head=HEAD)
    for command in commands:
        is_it = f"-n '__pathline_is {command.name}'"
        if command.first_word_ends:
            out += f"complete -c pathline {is_it} -F\n"
            taking = [f"--{o.word}" + (f" -{o.letter}" if o.letter else "") for o in command.options if o.argument]
            is_it = f"-n '__pathline_before_program {command.name} {' '.join(taking)}'"
        out += f"\ncomplete -c pathline -n __pathline_none -a {command.name} -d {quoted(command.help)}\n"
        operand = {"recordings": "-a '(__pathline_recordings)'", "recordings…": "-a '(__pathline_recordings)'",
                   "folders": "-a '(__fish_complete_directories)'"}.get(operand_kind(command))
        if operand:
            out += f"complete -c pathline {is_it} {operand}\n"
        for o in command.options:
            words = ["complete -c pathline", is_it, f"-l {o.word}", f"-s {o.letter}" if o.letter else "",
                     fish_words(o) if o.argument else "", f"-d {quoted(short(o))}"]
            out += " ".join(word for word in words if word) + "\n"
    return out


def main():
    pathline, shell, out = sys.argv[1:]
    text = {"bash": bash, "zsh": zsh, "fish": fish}[shell](options.read(pathline))
    with open(out, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
