#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxt: the list, the programs that it runs, their exit statuses, and what it suggests.
Arguments: the directory of the built tools."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


class Place:
    """A directory of an installed fxt and of programs that are stand-ins."""

    def __init__(self, fxt, root):
        self.bin = root / "bin"
        self.elsewhere = root / "elsewhere"
        self.bin.mkdir()
        self.elsewhere.mkdir()
        shutil.copy(fxt, self.bin / "fxt")

    def stand_in(self, name, script, where=None):
        path = (where or self.bin) / name
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(0o755)

    def run(self, *arguments):
        environment = {**os.environ, "LC_ALL": "C", "PATH": f"{self.elsewhere}:/usr/bin:/bin"}
        return subprocess.run([self.bin / "fxt", *arguments], capture_output=True, text=True,
                              env=environment, check=False, stdin=subprocess.DEVNULL)


def listed(place):
    """The words of the list, and whether each is installed."""
    done = place.run()
    assert done.returncode == 0 and not done.stderr, done
    assert done.stdout == place.run("help").stdout == place.run("--help").stdout
    lines = [line for line in done.stdout.splitlines() if re.match(r"  \w", line)]
    assert all(len(line) <= 80 for line in lines), lines
    return {line.split()[0]: "(not installed)" not in line for line in lines}


def check_list(tools, place):
    words = listed(place)
    assert not any(words.values()), words
    place.stand_in("fxtcut", "exit 0")
    assert [word for word, there in listed(place).items() if there] == ["cut"]
    # Every program of this tree is in it.
    built = {path.name for path in pathlib.Path(tools).glob("*/*")
             if path.name == path.parent.name and os.access(path, os.X_OK)} - {"fxt"}
    known = {"fxt" + word for word in words} | {"fxt2" + word for word in words}
    assert built <= known, built - known


def check_runs(place):
    place.stand_in("fxtdump", 'printf "[%s]" "$@"; exit 7')
    done = place.run("dump", "-x", "", "a b", "--", "*")
    assert (done.returncode, done.stdout, done.stderr) == (7, "[-x][][a b][--][*]", ""), done
    assert place.run("fxtdump").returncode == 7
    # The one beside fxt comes first; what is not there may be in PATH.
    place.stand_in("fxtdump", "exit 1", place.elsewhere)
    assert place.run("dump").returncode == 7
    place.stand_in("fxt2pprof", "exit 9", place.elsewhere)
    assert place.run("pprof").returncode == 9
    done = place.run("merge")
    assert (done.returncode, done.stderr) == (127, "fxt: fxtmerge is not installed\n"), done
    (place.bin / "fxtlint").write_bytes(b"\x7fELF")
    (place.bin / "fxtlint").chmod(0o755)
    assert place.run("lint").returncode == 126
    place.stand_in("fxtreport", 'kill -TERM $$')
    assert place.run("report").returncode == -15


def check_suggestions(place):
    for wrong, meant in (("repot", "report"), ("dmup", "dump"), ("fxtrecrod", "record"),
                         ("2pprof", "pprof"), ("symbolise", "symbolize"), ("hlep", "help")):
        done = place.run(wrong)
        assert done.returncode == 2 and not done.stdout, done
        assert f"is '{meant}' meant?" in done.stderr, done
    for wrong in ("xyzzy", "", "-q", "r" * 10000, "\x1b[31m"):
        done = place.run(wrong)
        assert done.returncode == 2 and "meant" not in done.stderr, done
        assert "\x1b" not in done.stderr, done


def check_help(place):
    place.stand_in("man", 'echo "man $1"', place.elsewhere)
    assert place.run("help", "dump").stdout == "man fxtdump\n"
    assert place.run("help", "fxt").stdout == "man fxt\n"
    page = place.bin.parent / "share/man/man1/fxtdump.1"
    page.parent.mkdir(parents=True)
    page.write_text("")
    done = place.run("help", "dump")
    assert done.stdout.startswith("man /") and done.stdout.endswith("/man1/fxtdump.1\n"), done
    assert place.run("help", "dmup").returncode == 2
    assert place.run("help", "dump", "more").returncode == 2


def main(tools):
    with tempfile.TemporaryDirectory() as root:
        place = Place(f"{tools}/fxt/fxt", pathlib.Path(root))
        check_list(tools, place)
        check_runs(place)
        check_suggestions(place)
        check_help(place)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
