#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Large and odd circumstances. Arguments: the tools' build directory, and the sanitizers
that it was built with."""
import array
import gzip
import os
import pty
import resource
import struct
import subprocess
import sys
import time

import fxtwrite
from profile_cases import FXT2FOLDED, FXT2PPROF, FXTREPORT, main, run, write

SANITIZED = sys.argv[2] != "none"


def fold(name, most_mib):
    """The folded stacks of a file, made with no more memory than that."""
    limit = most_mib << 20
    options = {}
    if not SANITIZED:
        options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                           (limit, limit))
    return run(FXT2FOLDED, name, **options)


def test_a_million_samples_of_few_stacks_take_little_memory():
    pcs = [[0x1000 * i + j for j in range(20)] for i in range(8)]
    with open("p.bin", "wb") as file:
        for i in range(1000000):
            file.write(struct.pack("<24Q", 10 | 24 << 4 | 2 << 16 | 20 << 28, i, 1, 2,
                                   *pcs[i % 8]))
    out = fold("p.bin", 32)
    assert [int(line.rsplit(" ", 1)[1]) for line in out.splitlines()] == [125000] * 8


def test_a_million_processes_take_memory_in_proportion():
    with open("p.bin", "wb") as file:
        for i in range(1000000):
            file.write(struct.pack("<6Q", 10 | 6 << 4 | 2 << 16 | 2 << 28, i, i, i, 0x10,
                                   0x20))
    # The input has 48 bytes for each.
    out = fold("p.bin", 400)
    assert out.count("\n") == 1000000


def instants(n, n_late=0):
    """An archive of so many, a microsecond apart from 1 s on; the last ones are all at 9 s."""
    trace = fxtwrite.archive()
    trace.add(fxtwrite.string(1, b"tick"))
    trace.add(fxtwrite.thread(1, 1, 2))
    first = array.array("Q", fxtwrite.to_bytes(fxtwrite.event(0, 0, 1, 1, 1)))
    words = first * n
    words[1::2] = array.array("Q", range(10**9, 10**9 + 1000 * n, 1000))
    words[2 * (n - n_late) + 1::2] = array.array("Q", [9 * 10**9]) * n_late
    return trace.data() + words.tobytes()


def refused(*command, most_mib=None):
    """The command that is printed in place of a page."""
    options = {}
    if most_mib is not None and not SANITIZED:
        limit = most_mib << 20
        options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    done = subprocess.run([FXTREPORT, *command], capture_output=True, check=False, text=True,
                          **options)
    assert done.returncode == 2 and not os.path.exists("a page.html"), done
    message, _, printed = done.stderr.partition("\n")
    assert message.startswith("fxtreport: 4000010 events are more than the 4000000 of a page"), done
    return printed


def makes_page(command):
    path = os.path.dirname(FXTREPORT) + os.pathsep + os.environ["PATH"]
    done = run("sh", "-c", command, env={**os.environ, "PATH": path})
    assert done == "" and os.path.getsize("a page.html") > 10**6
    os.remove("a page.html")


def test_a_page_of_too_many_events_is_refused_with_the_command_for_a_part():
    name, out = "it's.fxt", "a page.html"
    with open(name, "wb") as file:
        file.write(instants(4000010))
    # Nothing is kept of the events: they would need three times as much.
    window = " --time 1.000000000-4.599999999"
    printed = refused("-q", "-o", out, name, most_mib=80)
    assert printed == "    fxtreport -q -o 'a page.html' 'it'\\''s.fxt'%s\n" % window
    makes_page(printed)
    # The last --time counts, and "--" ends the options.
    printed = refused("-q", "--time", "0-9", "-o", out, "--", name, most_mib=80)
    assert printed == "    fxtreport -q --time 0-9 -o 'a page.html'%s -- 'it'\\''s.fxt'\n" % window
    # These are counted once they have been read.
    printed = refused("-q", "--pid", "1", "-o", out, name)
    assert printed == ("    fxtreport -q --pid 1 -o 'a page.html' 'it'\\''s.fxt'"
                       " --time 1.000000000-4.999999999\n")
    makes_page(printed)
    with gzip.open("c.fxt.gz", "wb", compresslevel=1) as file:
        file.write(instants(4000010))
    assert refused("-q", "-o", out, "c.fxt.gz").endswith("c.fxt.gz --time 1.000000000-4.999999999\n")
    # No time has few enough of those.
    with open(name, "wb") as file:
        file.write(instants(4000010, 4000010))
    assert refused("-q", "-o", out, name, most_mib=80) == ""


def test_a_profile_is_not_written_to_a_terminal():
    trace = fxtwrite.Trace()
    trace.backtrace(1, 2, 3, 4)
    write("p.bin", trace)
    master, slave = pty.openpty()
    pid = os.fork()
    if pid == 0:
        os.dup2(slave, 1)
        os.dup2(os.open("err", os.O_CREAT | os.O_WRONLY), 2)
        os.execv(FXT2PPROF, ["fxt2pprof", "p.bin"])
    os.close(slave)
    _, status = os.waitpid(pid, 0)
    os.close(master)
    assert os.waitstatus_to_exitcode(status) == 1
    with open("err", encoding="utf-8") as file:
        assert file.read() == ("fxt2pprof: binary output is not written to a terminal: "
                               "use -o FILE\n")


def slow_run(*options):
    """What a terminal shows of a run whose input takes more than a second to come."""
    region = fxtwrite.Trace()
    region.backtrace(1, 2, 3, 4)
    master, slave = pty.openpty()
    with subprocess.Popen([FXT2FOLDED, *options], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=slave) as process:
        os.close(slave)
        for pause in (1.2, 0.2, 0):
            process.stdin.write(region.data())
            process.stdin.flush()
            time.sleep(pause)
        assert process.communicate()[0] == b"process[2];0x4 3\n"
    shown = b""
    try:
        while more := os.read(master, 4096):
            shown += more
    except OSError:
        pass
    os.close(master)
    return shown


def test_a_terminal_shows_progress_when_it_takes_long():
    shown = slow_run()
    assert shown.startswith(b"\rfxt2folded: 0 MiB read\x1b[K"), shown
    # The line is gone before anything else is reported.
    assert b"\r\x1b[Kfxt2folded: 3 samples" in shown, shown
    assert slow_run("-q") == b""


def test_big_endian_is_read():
    outputs = []
    for big_endian in (False, True):
        trace = fxtwrite.Trace(big_endian)
        trace.magic()
        trace.process(5, b"process")
        trace.module(5, 1, b"libc.so", b"0123")
        trace.backtrace(1, 5, 6, 0x7010, 0x7020)
        trace.sample(1, 5, 6, 0x7010, 0x7020)
        trace.mapping(5, 1, 0x7000, 0x1000, 0)
        outputs.append(run(FXT2FOLDED, write("p.fxt", trace)))
    assert outputs[0] == "process[5];libc.so+0x20;libc.so+0x10 2\n", outputs
    assert outputs[0] == outputs[1], outputs
    region = fxtwrite.Trace(big_endian=True)
    region.backtrace(1, 5, 6, 0x7010)
    write("p.bin", region)
    assert run(FXT2FOLDED, "--byte-order", "big", "p.bin") == "process[5];0x7010 1\n"
    run(FXT2FOLDED, "p.bin", status=1)


if __name__ == "__main__":
    main(sys.modules[__name__])
