#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completions in real shells, as keys are pressed. Arguments: the directory of the built
tools."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

import fxtwrite as w
from patience import SECONDS

# What is typed before the Tab, and what the line is then: in bash, zsh and fish.
LINES = (
    ("fxt repo", "fxt report "),
    ("fxt help perf", "fxt help perfetto "),
    ("fxtdump --col", "fxtdump --color "),
    ("fxtdump --color al", "fxtdump --color always "),
    ("fxtdump --color=al", "fxtdump --color=always "),
    ("fxt dump --color=ne", "fxt dump --color=never "),
    ("fxtdump t.fxt --category net:re", "fxtdump t.fxt --category net:receive "),
    ("fxtdump t.fxt --thread 20", "fxtdump t.fxt --thread 2077 "),
    ("fxtdump t.fxt --thread 99,20", "fxtdump t.fxt --thread 99,2077 "),
    ("fxtreport t.fxt --process We", "fxtreport t.fxt --process Web\\ Content "),
    ("fxtreport t.fxt --pid 10", "fxtreport t.fxt --pid 1045 "),
    ("fxtreport only", "fxtreport only\\ one.fxt "),
    ("fxtreport --output only", "fxtreport --output only\\ one.fxt "),
    ("fxtheap rep", "fxtheap report "),
    ("fxtheap attach --fr", "fxtheap attach --fr"),
    ("fxtheap snapshot --fr", "fxtheap snapshot --freeze "),
)


def make_trace(path):
    trace = [w.magic(), w.provider_info(1, b"sampler"), w.initialization(10**9),
             w.kernel_object(1, 1045, b"Web Content"),
             w.kernel_object(2, 2077, b"worker", [w.arg(8, b"process", 1045)]),
             w.event(0, 5, (1045, 2077), b"net:receive", b"packet"),
             # What could harm a terminal is not offered.
             w.kernel_object(1, 3046, b"Wei\x1b[31m\nrd")]
    path.write_bytes(b"".join(w.to_bytes(record) for record in trace))


class Shell:
    """One that is typed into. Its key ^G prints the line."""

    def __init__(self, command, setup, environment, directory):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(directory)
            os.execvpe(command[0], command, environment)
        self.seen = b""
        for line in setup:
            self.type(line + "\r")
        self.type("printf '<%s>\\n' rea''dy\r")
        self.wait(rb"<ready>")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait(self, pattern):
        end = time.monotonic() + SECONDS
        while not (found := re.search(pattern, self.seen)):
            assert time.monotonic() < end, (pattern, self.seen)
            if select.select([self.terminal], [], [], 1)[0]:
                self.seen += os.read(self.terminal, 65536)
        self.seen = self.seen[found.end():]
        return found

    def complete(self, typed):
        """The line after Tab, and it is emptied."""
        self.type(typed + "\t\x07")
        line = self.wait(rb"<<([^\r\n]*)>>").group(1).decode()
        self.type("\x15")
        return line

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def start_bash(files, environment, directory):
    setup = ["PS1='$ '", "bind 'set enable-bracketed-paste off'", "bind 'set bell-style none'",
             "bind -x '\"\\C-g\": printf \"<<%s>>\\n\" \"$READLINE_LINE\"'",
             f". '{files}/fxt'"]
    functions = "/usr/share/bash-completion/bash_completion"
    if os.path.exists(functions):
        setup.insert(0, f". {functions}")
    return Shell(["bash", "--norc", "--noprofile", "-i"], setup, environment, directory)


def start_zsh(files, environment, directory):
    setup = ["PS1='$ '", "unsetopt zle_bracketed_paste beep; unset zle_bracketed_paste",
             f"fpath=('{files}' $fpath)", "autoload -Uz compinit; compinit -D -u",
             "show() { print -r -- \"<<$BUFFER>>\" }; zle -N show; bindkey '^G' show"]
    return Shell(["zsh", "-f", "-i"], setup, environment, directory)


def check_typed(start, lines, *arguments):
    shell = start(*arguments)
    try:
        for typed, expected in lines:
            got = shell.complete(typed)
            assert got == expected, (start.__name__, typed, got)
    finally:
        shell.end()


def check_fish(files, environment, directory):
    """It prints what it would offer."""
    for typed, expected in LINES:
        script = f"source '{files}/fxt.fish'; complete -C '{typed}'"
        done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True,
                              text=True, env=environment, cwd=directory, check=True)
        # It also offers what has the same letters among others, if nothing begins so.
        begin = typed.split(" ")[-1]
        offered = [line.split("\t")[0] for line in done.stdout.splitlines()
                   if line.startswith(begin)]
        last = re.search(r"(\S|\\ )+$", expected.rstrip(" ")).group().replace("\\ ", " ")
        if expected == typed:
            assert not offered, (typed, offered)
        else:
            assert offered == [last], (typed, offered)


def check_names(tools, files):
    """The programs that fxt lists are those that are completed."""
    listed = subprocess.run([f"{tools}/fxt/fxt"], capture_output=True, text=True, check=True)
    words = set(re.findall(r"^  (\w+) ", listed.stdout, re.M))
    programs = pathlib.Path(files, "fxt").read_text().split("complete -F _fxt ")[1].split()
    assert {re.sub("^fxt2?", "", name) for name in programs} == words | {""}, programs


def check_hostile(environment, directory):
    """Lines of any words, of traces that are none, and of programs that are none."""
    trace = pathlib.Path(directory, "damaged.fxt")
    trace.write_bytes(pathlib.Path(directory, "t.fxt").read_bytes()[:-5] + b"\xff" * 99)
    for line in ([], [""], ["fxt"], ["fxt", ""], ["fxt", "nothing", ""], ["ls", ""],
                 ["fxtdump", "-", ""], ["fxtdump", "--", "-"], ["fxtdump", "--nothing=", ""],
                 ["fxtdump", "-qo", ""], ["fxtdump", str(trace), "--thread", ""],
                 ["fxtdump", "/dev/zero", "--thread", ""], ["fxtdump", "-" * 9000],
                 ["fxtdump", "--color", "auto", "--color="], ["fxtdump", "a" * 9000]):
        done = subprocess.run(["fxt", "complete", *line], capture_output=True, text=True,
                              env=environment, cwd=directory, check=False)
        assert done.returncode == 0 and not done.stderr, (line, done)
        assert done.stdout.split("\n")[0] in ("nothing", "files", "directories", "commands")


def main(tools):
    files = f"{tools}/fxt/completions"
    check_names(tools, files)
    with tempfile.TemporaryDirectory() as work:
        programs, directory = f"{work}/bin", f"{work}/here"
        os.mkdir(programs)
        os.mkdir(directory)
        for path in pathlib.Path(tools).glob("fxt*/fxt*"):
            if path.name == path.parent.name:
                os.symlink(path, f"{programs}/{path.name}")
        make_trace(pathlib.Path(directory, "t.fxt"))
        pathlib.Path(directory, "only one.fxt").write_bytes(b"")
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": work, "TERM": "xterm",
                       "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "200"}
        lines = [line for line in LINES
                 if not line[0].startswith("fxtheap") or os.path.exists(f"{programs}/fxtheap")]
        check_hostile(environment, directory)
        has_functions = os.path.exists("/usr/share/bash-completion/bash_completion")
        check_typed(start_bash, [line for line in lines if has_functions or
                                 not re.search("[:=]", line[0])], files, environment, directory)
        if shutil.which("zsh"):
            check_typed(start_zsh, lines, files, environment, directory)
        if shutil.which("fish"):
            check_fish(files, environment, directory)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
