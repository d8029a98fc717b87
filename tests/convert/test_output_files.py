#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What happens to the file that -o names, and to standard output. Arguments: the tools'
build directory, the sanitizers, the tests' build directory."""
import os
import stat
import subprocess
import sys
import time

import fxtwrite
from profile_cases import FXT2FOLDED, FXT2PPROF, FXTREPORT, TOOLS, main, run, write

FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")
ALL = (FXTDUMP, FXT2FOLDED, FXT2PPROF, FXTREPORT)
NOBODY = 65534


def region():
    trace = fxtwrite.Trace()
    trace.backtrace(1, 1, 2, 0x1000, 0x2000)
    return trace


def kept(path):
    found = os.stat(path)
    return stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid


def make(path, mode, owner=None):
    with open(path, "w", encoding="ascii") as file:
        file.write("old")
    if owner is not None:
        os.chown(path, *owner)
    os.chmod(path, mode)


def be_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def test_a_file_keeps_its_permissions_and_a_new_one_has_the_usual_ones():
    write("in.bin", region())
    for tool in ALL:
        for mode in (0o600, 0o640, 0o755, 0o444):
            make("out", mode)
            owner = kept("out")[1:]
            run(tool, "-q", "-o", "out", "in.bin", preexec_fn=lambda: os.umask(0o077))
            assert kept("out") == (mode, *owner), (tool, oct(mode), kept("out"))
            assert os.path.getsize("out") > 3, tool
            os.unlink("out")
        run(tool, "-q", "-o", "out", "in.bin", preexec_fn=lambda: os.umask(0o027))
        assert kept("out")[0] == 0o640, kept("out")
        os.unlink("out")


def test_every_tool_exits_with_1_where_its_output_cannot_be_written():
    trace = fxtwrite.archive()
    trace.complete(1, 2, 1, 2, b"work")
    write("in.fxt", trace)
    for name, *options in (["fxtdump"], ["fxt2folded"], ["fxt2pprof"], ["fxtreport"], ["fxtmerge"],
                           ["fxtsymbolize"], ["fxtlint", "--fix"], ["fxtcut", "--time", "0-"],
                           ["fxt2sqlite"], ["fxt2parquet"], ["fxt2chrome"]):
        done = subprocess.run([os.path.join(TOOLS, name, name), *options, "-o", "in.fxt/out", "in.fxt"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "in.fxt/out" in done.stderr, (name, done)


def test_a_file_keeps_its_owner_where_that_is_permitted():
    if os.geteuid() != 0:
        print("left out: only root may give files away")
        return
    write("in.bin", region())
    for tool in ALL:
        make("out", 0o640, (NOBODY, 12345))
        run(tool, "-q", "-o", "out", "in.bin")
        assert kept("out") == (0o640, NOBODY, 12345), (tool, kept("out"))


def test_what_a_group_could_read_is_not_shown_to_another():
    """Where neither owner nor group can be kept, the new group gets what all others get."""
    if os.geteuid() != 0:
        print("left out: only root may become another user")
        return
    write("in.bin", region())
    os.chmod(".", 0o777)
    for mode, expected in ((0o660, 0o600), (0o664, 0o644), (0o666, 0o666)):
        make("out", mode, (0, 12345))
        try:
            run(FXT2FOLDED, "-q", "-o", "out", "in.bin", preexec_fn=be_nobody)
        except PermissionError:
            print("left out: other users may not run what was built here")
            return
        assert kept("out") == (expected, NOBODY, NOBODY), (oct(mode), kept("out"))


def test_a_dangling_link_gets_its_target():
    write("in.bin", region())
    os.mkdir("dir")
    links = {"relative": "dir/a", "dir/sibling": "b", "absolute": os.path.abspath("dir/c"),
             "chain": "dir/next", "dir/next": "../dir/d"}
    for link, target in links.items():
        os.symlink(target, link)
    for tool in ALL:
        for link, target in (("relative", "a"), ("dir/sibling", "b"), ("absolute", "c"),
                             ("chain", "d")):
            run(tool, "-q", "-o", link, "in.bin")
            assert os.path.islink(link), (tool, link)
            assert os.path.isfile("dir/" + target) and not os.path.islink("dir/" + target)
            os.unlink("dir/" + target)
    os.symlink("no/such", "nowhere")
    os.symlink("circle", "circle")
    for link, reason in (("nowhere", "No such file or directory"),
                         ("circle", "Too many levels of symbolic links")):
        done = subprocess.run([FXT2FOLDED, "-q", "-o", link, "in.bin"], check=False,
                              stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1, done
        assert done.stderr == "fxt2folded: %s: %s\n" % (link, reason), done
        assert os.path.islink(link)


def test_a_name_that_cannot_be_taken_is_an_error():
    """What is at the end renamed to the output has another file's name in its way."""
    for tool in ALL:
        process = subprocess.Popen([tool, "-q", "-o", "out"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdin.write(region().data())
        process.stdin.flush()
        while not os.listdir("."):
            assert process.poll() is None
            time.sleep(0.01)
        os.mkdir("out")
        _, said = process.communicate()
        assert process.returncode == 1, (tool, process.returncode)
        assert said.endswith(b": out: Is a directory\n"), (tool, said)
        assert os.listdir(".") == ["out"] and os.listdir("out") == [], os.listdir(".")
        os.rmdir("out")


def test_standard_output_that_cannot_be_closed_is_an_error():
    write("in.bin", region())
    environment = {**os.environ, "LD_PRELOAD": os.path.join(sys.argv[3], "libclose_fails.so")}
    for tool in ALL:
        for arguments in (["in.bin"], ["-o", "-", "in.bin"], ["--help"], ["--version"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([tool, *arguments], check=False, stdout=full,
                                      stderr=subprocess.PIPE)
            assert done.returncode == 1, (tool, arguments, done)
            assert b"standard output: No space left" in done.stderr, (tool, arguments, done)
            if sys.argv[2] != "none":
                continue
            done = subprocess.run([tool, *arguments], check=False, env=environment,
                                  capture_output=True)
            assert done.returncode == 1, (tool, arguments, done)
            assert b"standard output: No space left" in done.stderr, (tool, arguments, done)


if __name__ == "__main__":
    main(sys.modules[__name__])
