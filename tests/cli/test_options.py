#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The options of each program: what --help prints, what the program takes and what its
manual page documents are the same. Arguments: the directory of the built pages and the
programs."""
import os
import re
import subprocess
import sys

# Lines of the help such as "  -o, --output FILE       write to FILE", and the manual
# page's entries for options.
HELP_LINE = re.compile(r"  (?:-(\w), |    )--([a-z-]+)(\[=[A-Z]+\]| \S+)?")
ITEM_NAME = re.compile(r"(?:\bFl|,) (-[a-z-]+)|\bFl (\w)\b")

NONE, REQUIRED, OPTIONAL = range(3)


def run(*command):
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=environment, check=False)


def options_of(program):
    """From the help: {name: (letter or None, kind, heading or None)}."""
    done = run(program, "--help")
    assert done.returncode == 0 and not done.stderr, done
    options, heading = {}, None
    for line in done.stdout.splitlines():
        if re.fullmatch(r"\w[\w ]*:", line):
            heading = line[:-1]
        match = HELP_LINE.match(line)
        if not match:
            assert not re.match(r" {1,6}-", line), line
            continue
        letter, name, argument = match.groups()
        if argument is None:
            kind = NONE
        else:
            kind = OPTIONAL if argument[0] == "[" else REQUIRED
        assert name not in options, name
        options[name] = (letter, kind, heading)
    assert len(options) >= 9, done.stdout
    return options


def documented(page):
    """From the entries of the manual page: {name or letter: whether it has an argument}."""
    found = {}
    for line in re.findall(r"^\.It (Fl .*)", page, re.M):
        names = [(a or b).lstrip("-") for a, b in ITEM_NAME.findall(line)]
        assert names, line
        for name in names:
            assert name not in found, (name, "is documented twice")
            found[name] = re.search(r"\b(Ar|Cm)\b", line) is not None
    return found


def formats_of(program):
    """Those that the help lists, if there are several."""
    listed = run(program, "--help").stdout.partition("\nFormats:\n")[2]
    return re.findall(r"^  (\w+) ", listed, re.M)


def check_formats(program, page):
    return [f"the manual page lacks --format {name}" for name in formats_of(program)
            if not re.search(rf"^\.It Cm {name}$", page, re.M)]


def check_page(options, page):
    """Returns what is wrong."""
    found = documented(page)
    letters = {letter for letter, _, _ in options.values() if letter}
    wrong = ["--help lacks " + name for name in found.keys() - options.keys() - letters]
    for name, (letter, kind, _) in options.items():
        if name not in found:
            wrong.append(f"the manual page lacks --{name}")
        elif found[name] != (kind != NONE):
            wrong.append(f"the argument of --{name} is not as in the manual page")
        if letter and letter not in found:
            wrong.append(f"the manual page lacks -{letter}")
    for name in set(re.findall(r"\bFl -([a-z][a-z-]*)", page)) - options.keys():
        wrong.append(f"the manual page documents --{name}, which is none")
    return wrong


def check_taken(command, name, letter, kind):
    """An option with an argument lacks it here, one without has one, and so both are
    refused; but not as unknown ones."""
    if kind == OPTIONAL:
        return []
    wrong = []
    done = run(*command, "--" + name + ("=1" if kind == NONE else ""))
    if done.returncode != 2 or "unrecognized" in done.stderr or name not in done.stderr:
        wrong.append(f"{command} does not take --{name} as --help says: {done}")
    if letter and kind == REQUIRED:
        done = run(*command, "-" + letter)
        if done.returncode != 2 or "requires an argument" not in done.stderr:
            wrong.append(f"{command} does not take -{letter} as --help says: {done}")
    return wrong


def check_refused(command, option):
    done = run(*command, option)
    if done.returncode == 2 and not done.stdout and \
            done.stderr.startswith(os.path.basename(command[0]) + ": ") and \
            re.search(r"[Tt]ry '?\w+ --help", done.stderr):
        return []
    return [f"{command} does not refuse {option}: {done}"]


def check(program, page):
    options = options_of(program)
    wrong = check_page(options, page) + check_formats(program, page)
    # fxtheap has commands, under whose names its help lists their options.
    commands = [None]
    if program.endswith("fxtheap"):
        commands = ["run", "attach", "detach", "list", "snapshot", "report"]
    for subcommand in commands:
        command = [program] + ([subcommand] if subcommand else [])
        for name, (letter, kind, heading) in options.items():
            if subcommand and heading != "All" and subcommand not in heading.split(" and "):
                wrong += check_refused(command, "--" + name)
            else:
                wrong += check_taken(command, name, letter, kind)
        for option in ("--no-such-option", "-Z", "--helpful"):
            wrong += check_refused(command, option)
    return [f"{os.path.basename(program)}: {what}" for what in wrong]


def main(pages, *programs):
    wrong = []
    for program in programs:
        name = os.path.basename(program)
        with open(f"{pages}/{name}.1", encoding="utf-8") as page:
            wrong += check(program, page.read())
    print("\n".join(wrong))
    assert programs
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
