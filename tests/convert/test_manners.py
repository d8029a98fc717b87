#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the converters leave when they cannot continue. Argument: the tools' build
directory."""
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

import fxtwrite
from profile_cases import FXT2FOLDED, FXT2PPROF, FXTREPORT, main, write

ENDINGS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
CONVERTERS = (FXT2FOLDED, FXT2PPROF, FXTREPORT)
# Their outputs grow with the input.
LARGE = (FXT2FOLDED, FXT2PPROF)


def some_region(n=3):
    trace = fxtwrite.Trace()
    for i in range(n):
        trace.backtrace(i, 1, 2, 0x1000 + i, 0x2000 + 7 * i)
    return trace


def no_signals_ignored():
    """A shell that runs this in the background may have some ignored; and there is no use for the
    core of what is ended on purpose."""
    for number in ENDINGS + (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def start(tool, *arguments, **options):
    """A run that waits for the rest of its input, once its output has been opened."""
    process = subprocess.Popen([tool, "-q", "-o", "out", *arguments], stdin=subprocess.PIPE,
                               preexec_fn=no_signals_ignored, **options)
    process.stdin.write(some_region().data())
    process.stdin.flush()
    while len(os.listdir(".")) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    return process


def test_a_signal_leaves_no_file_and_what_was_there_stays():
    for tool in CONVERTERS:
        for number in ENDINGS:
            with open("out", "w", encoding="ascii") as file:
                file.write("old")
            process = start(tool)
            assert len(os.listdir(".")) == 2
            process.send_signal(number)
            process.stdin.close()
            assert process.wait() == -number, (tool, number, process.returncode)
            assert os.listdir(".") == ["out"], (tool, number, os.listdir("."))
            with open("out", encoding="ascii") as file:
                assert file.read() == "old"


def test_a_signal_that_is_ignored_is_ignored():
    with open("out", "w", encoding="ascii") as file:
        file.write("old")
    process = subprocess.Popen(["sh", "-c", 'trap "" INT; exec "$0" -q -o out', FXT2FOLDED],
                               stdin=subprocess.PIPE)
    process.stdin.write(some_region().data())
    process.stdin.flush()
    while len(os.listdir(".")) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.stdin.close()
    assert process.wait() == 0
    assert os.listdir(".") == ["out"]
    with open("out", encoding="ascii") as file:
        assert file.read().count("\n") == 3


def test_a_closed_pipe_is_an_error_exit():
    write("in.bin", some_region(20000))
    for tool in CONVERTERS:
        for ignored in (False, True):
            reader, writer = os.pipe()
            os.close(reader)
            process = subprocess.run(
                [tool, "-q", "in.bin"], stdout=writer, stderr=subprocess.PIPE, check=False,
                preexec_fn=lambda: signal.signal(
                    signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL))
            os.close(writer)
            assert process.returncode == (1 if ignored else -signal.SIGPIPE), process
            assert (b"standard output: Broken pipe" in process.stderr) == ignored, process
    # If the pipe is that of messages, the output file is still complete.
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run([FXT2FOLDED, "-o", "out", "in.bin"], stderr=writer, check=False,
                             preexec_fn=no_signals_ignored)
    os.close(writer)
    assert process.returncode == -signal.SIGPIPE, process
    assert os.listdir(".") == ["in.bin"], os.listdir(".")


def test_messages_to_a_closed_standard_error_are_in_no_file():
    write("in.bin", some_region())
    # A fault, which is reported.
    with open("in.bin", "ab") as file:
        file.write(b"\xff" * 16)
    for tool in CONVERTERS:
        files = []
        for closed in ((), (2,), (0, 2), (0, 1, 2)):
            subprocess.run([tool, "-o", "out", "in.bin"], check=False,
                           stderr=subprocess.DEVNULL,
                           preexec_fn=lambda closed=closed: [os.close(x) for x in closed])
            with open("out", "rb") as file:
                files.append(file.read())
            os.unlink("out")
        assert files[0] and files == 4 * files[:1], files
        done = subprocess.run([tool, "in.bin"], check=False, stderr=subprocess.PIPE,
                              preexec_fn=lambda: os.close(1))
        assert done.returncode == 1 and b"Bad file descriptor" in done.stderr, done


def test_a_limit_on_files_leaves_no_half_of_one():
    write("in.bin", some_region(5000))
    for tool in LARGE:
        for ignored in (False, True):
            def limit():
                no_signals_ignored()
                signal.signal(signal.SIGXFSZ,
                              signal.SIG_IGN if ignored else signal.SIG_DFL)
                resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

            done = subprocess.run([tool, "-q", "-o", "out", "in.bin"], check=False,
                                  stderr=subprocess.PIPE, preexec_fn=limit)
            assert done.returncode == (1 if ignored else -signal.SIGXFSZ), done
            assert (b"out: File too large" in done.stderr) == ignored, done
            assert os.listdir(".") == ["in.bin"], os.listdir(".")


def test_a_full_disk_leaves_no_half_of_a_file():
    if shutil.which("unshare") is None:
        print("left out: there is no unshare")
        return
    write("in.bin", some_region(20000))
    os.mkdir("small")
    inside = ["unshare", "-m", "sh", "-c",
              'mount -t tmpfs -o size=64k none small || exit 99; "$0" -q -o small/out in.bin; '
              'echo $?; ls -A small', None]
    for tool in LARGE:
        inside[-1] = tool
        done = subprocess.run(inside, check=False, capture_output=True, text=True)
        if done.returncode == 99 or "unshare" in done.stderr:
            print("left out: there is no mounting here:", done.stderr.strip())
            return
        assert done.stdout == "1\n", done
        assert "small/out: No space left on device" in done.stderr, done


def test_a_directory_that_cannot_be_written_to():
    write("in.bin", some_region())
    os.mkdir("locked")
    os.chmod("locked", 0o555)

    def be_nobody():
        if os.geteuid() == 0:
            os.setresuid(65534, 65534, 65534)

    os.chmod(".", 0o755)
    try:
        done = subprocess.run([FXT2PPROF, "-q", "-o", "locked/out", "in.bin"], check=False,
                              stderr=subprocess.PIPE, text=True, preexec_fn=be_nobody)
    except PermissionError:
        print("left out: other users may not run what was built here")
        return
    assert done.returncode == 1, done
    assert done.stderr == "fxt2pprof: locked/out: Permission denied\n", done
    assert os.listdir("locked") == []


def test_no_memory_leaves_no_file():
    """Running out of memory is reported and ends the program."""
    if sys.argv[2] != "none":
        return
    with open("in.bin", "wb") as file:
        for i in range(600000):
            file.write(struct.pack("<6Q", 10 | 6 << 4 | 2 << 16 | 2 << 28, i, 1, 2, i, 0x20))
    limit = 48 << 20
    done = subprocess.run([FXT2FOLDED, "-q", "-o", "out", "in.bin"], check=False,
                          stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                (limit, limit)))
    assert done.returncode == 1 and "memory" in done.stderr, done
    assert os.listdir(".") == ["in.bin"], os.listdir(".")


def test_messages():
    """The summary has samples, drops, cuts, errors and what has no name."""
    trace = some_region(10)
    trace.drops(0, 5, 500, 1, 2)
    trace.backtrace(100, 1, 2, *range(0x3000, 0x3040))
    trace.words(0xff0002003a, 1, 2)
    write("in.bin", trace)
    expected = {
        (): ("11 samples, merged into 11 stacks; 100.0 % of the frames without a name",
             "5 records dropped by the sampler for lack of room (500 bytes), on CPU 0",
             "1 sample with the sampler's maximum of frames: outer ones may be missing",
             "1 error in the input", "in.bin:0x"),
        ("-v",): ("CPU 0: 5 records dropped (500 bytes)", "11 samples", "in.bin:0x")}
    for options, sentences in expected.items():
        done = subprocess.run([FXT2FOLDED, *options, "in.bin"], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1
        for sentence in sentences:
            assert sentence in done.stderr, (options, sentence, done.stderr)
    done = subprocess.run([FXT2FOLDED, "-q", "in.bin"], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and done.stderr == "", done


if __name__ == "__main__":
    main(sys.modules[__name__])
