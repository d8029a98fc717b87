#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that stream their traces to files and pipes: nothing is lost or out of order, and
what is dropped is counted, whatever becomes of the program, the disk or the reader.

Usage: test_stream.py TOOLS INCLUDE LIBRARY"""
import collections
import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
import time

sys.argv[1:] = [os.path.abspath(x) for x in sys.argv[1:]]
import profile_cases as cases  # pylint: disable=wrong-import-position
import patience  # pylint: disable=wrong-import-position
from self_traced import build, dropped, environment, events, names_of, trace  # pylint: disable=wrong-import-position
from test_trace import ALL, FORK, LOOP, MANY, check_all, steps  # pylint: disable=wrong-import-position

FXTTRACE = os.path.join(cases.TOOLS, "fxttrace", "fxttrace")
FXTLINT = os.path.join(cases.TOOLS, "fxtlint", "fxtlint")


def stream(program, *arguments, path="t.fxt", status=0, **more):
    return trace(program, *arguments, path=path, status=status, FXT_TRACE_MODE="stream", **more)


def stream_with_errors(program, *arguments, path="t.fxt", **more):
    """What a program says whose trace cannot be written; it goes on all the same."""
    done = subprocess.run([program, *arguments], check=False, capture_output=True, text=True,
                          env=environment(path, FXT_TRACE_MODE="stream"),
                          timeout=patience.SECONDS, **more)
    assert done.returncode == 0 and done.stderr.count("\n") == 1, done
    return done.stderr


def begun(path="t.fxt"):
    """The numbers of each thread's spans, in the order of the file."""
    found = collections.defaultdict(list)
    for x in events(path, "t"):
        if x["event"] == "duration_begin":
            args = {a["name"]: a["value"] for a in x["args"]}
            found[args["thread"]].append(args["i"])
    return found


def recover(path="t.fxt", output="whole.fxt"):
    cases.run(FXTTRACE, "-o", output, "--recover", path)
    return output


@contextlib.contextmanager
def running(program, *arguments, path="t.fxt", **more):
    with subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=environment(path, FXT_TRACE_MODE="stream"), **more) as child:
        try:
            yield child
        finally:
            child.kill()


def test_all_kinds_of_events():
    for compiler, standard in (("cc", "c11"), ("c++", "c++17")):
        program = build(compiler + "-program", ALL, "-std=" + standard, compiler=compiler)
        assert stream(program) == "1\n"
        check_all(events())
        assert not os.path.exists("t.fxt.rings")


def test_many_events_in_order():
    stream(build("program", MANY), "4", "4", "40000")
    # A number for each begin, and as many ends: nothing was dropped.
    assert begun() == {thread: list(range(40000)) for thread in range(4)}
    counts = cases.run(cases.FXTDUMP, "--json", "t.fxt")
    assert counts.count('"duration_end"') == 160000 and "num_records" not in counts
    said = subprocess.run([FXTLINT, "t.fxt"],
                          check=False, capture_output=True, text=True)
    faults = [x for x in said.stdout.splitlines() if ": note: " not in x]
    assert said.returncode == 0 and not faults, said


def test_what_is_too_fast_is_counted():
    stream(build("program", MANY), "8", "4", "10000", FXT_TRACE_SIZE="200K")
    found = begun()
    assert all(x == sorted(set(x)) for x in found.values())
    n = sum(names_of(events(category="t")).values())
    print(n, "events,", dropped(), "dropped")
    assert n + dropped() == 160001 and n > 5000


def test_sanitizers_find_nothing():
    for sanitizer in ("thread", "address,undefined"):
        program = build("program", MANY, "-g", "-fsanitize=" + sanitizer,
                        "-fno-sanitize-recover=all")
        stream(program, "16", "8", "1000", FXT_TRACE_SIZE="1M")
        n = sum(names_of(events(category="t")).values())
        assert n + dropped() == 32001 and n > 5000, (n, dropped())


def test_until_the_end_of_the_program():
    stream(build("program", r"""
#include <fxt/trace.h>
#include <stdlib.h>
static void last(void) { FXT_INSTANT("e", "at exit"); }
__attribute__((destructor)) static void after(void) { FXT_INSTANT("e", "destructor"); }
int main(void)
{
    atexit(last);
    FXT_INSTANT("e", "main");
}
"""))
    assert [x["name"] for x in events()][:2] == ["main", "at exit"]


def test_a_library_that_goes():
    """The thread ends with the library that has the implementation."""
    build("plugin.so", r"""
#include <fxt/trace.h>
void work(int n);
void work(int n) { FXT_SCOPE("plugin", "work", "n", n); }
""", "-shared", "-fPIC")
    stream(build("program", r"""
#include <dlfcn.h>
#include <unistd.h>
int main(void)
{
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    void (*work)(int) = plugin ? (void (*)(int))dlsym(plugin, "work") : NULL;
    for (int i = 0; work && i < 1000; i++)
        work(i);
    if (!work || dlclose(plugin) != 0 || access("t.fxt.rings", F_OK) == 0)
        return 1;
    return usleep(20000);
}
""", implementation=False))
    assert names_of(events()) == {("duration_begin", "work"): 1000, ("duration_end", "work"): 1000}


def test_fork():
    program = build("program", FORK)
    parent = {("duration_begin", "whole"): 1, ("duration_end", "whole"): 1,
              ("instant", "parent"): 1}
    stream(program)
    assert names_of(events()) == parent and not os.path.exists("t.fxt.rings")
    # The children end by _exit, and leave their rings.
    stream(program, path="p%p.fxt")
    left = [x[:-6] for x in os.listdir() if x.startswith("p") and x.endswith(".rings")]
    found = [names_of(events(recover(x))) for x in left]
    assert found == [{("instant", "child"): 1}] * 3, found
    whole = [x for x in os.listdir() if x.startswith("p") and x.endswith(".fxt") and x not in left]
    assert [names_of(events(x)) for x in whole] == [parent], whole


# Few events ahead of what the test has read.
KILLED = r"""
#include <fxt/trace.h>
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
    fcntl(1, F_SETPIPE_SZ, 4096);
    for (unsigned i = 0;; i++) {
        for (unsigned k = 0; k < 10; k++)
            FXT_INSTANT("k", "done", "i", 10 * i + k);
        if (write(1, &i, sizeof(i)) != sizeof(i))
            return 1;
    }
}
"""


def test_killed_at_any_time():
    program = build("program", KILLED)
    for k in range(6):
        last = 0
        with running(program) as child:
            end = time.monotonic() + k * 0.005
            while last == 0 or time.monotonic() < end:
                last = int.from_bytes(os.read(child.stdout.fileno(), 4), "little")
            child.send_signal(signal.SIGKILL)
        found = events(recover(), "k")
        done = [x["args"][0]["value"] for x in found]
        assert done == list(range(len(done))), (k, len(done))
        assert len(done) + dropped("whole.fxt") > 10 * last, (len(done), last)
        print(os.path.getsize("t.fxt"), "bytes, recovered to", os.path.getsize("whole.fxt"))


def test_pieces_that_were_being_written():
    """Cut after each step of a piece: before, within and after its write, and once its chunk
    knows of it."""
    with running(build("program", KILLED)) as child:
        while not os.path.exists("t.fxt") or os.path.getsize("t.fxt") < 100000:
            os.read(child.stdout.fileno(), 4)
        # Until it waits for the test to read, and nothing is being written.
        time.sleep(0.1)
        child.send_signal(signal.SIGKILL)
    expected = [x["args"][0]["value"] for x in events(recover(), "k")]
    with open("t.fxt", "rb") as file:
        whole = file.read()
    with open("t.fxt.rings", "rb") as file:
        rings = bytearray(file.read())
    journal = 4096 - (17 + 3) * 8
    if rings[journal + 16:journal + 24] != bytes(8):
        print("left out: a piece was being written")
        return

    def put(at, value):
        rings[at:at + 8] = value.to_bytes(8, "little")

    chunks = [at for at in range(4096, len(rings) - 31999, 32000)
              if 2 <= rest_words(rings, at) < 4000]
    assert chunks and rest_words(rings, journal) == 3, (chunks, rings[journal:4096])
    at = chunks[0]
    piece = rings[at + rest_words(rings, at) * 8:at + 32000]
    put(journal + 8, len(whole))
    put(journal + 16, rest_words(rings, at) << 32 | ((at - 4096) // 32000 + 1))
    for n in (0, 8, 100):
        with open("c.fxt", "wb") as file:
            file.write(whole + piece[:n])
        with open("c.fxt.rings", "wb") as file:
            file.write(rings)
        found = [x["args"][0]["value"] for x in events(recover("c.fxt"), "k")]
        assert found == expected, (n, len(found), len(expected))
    # The chunk knows: nothing is cut.
    put(journal + 8, len(whole) - 24)
    put(journal + 16, (rest_words(rings, at) + 1) << 32 | ((at - 4096) // 32000 + 1))
    for name, data in (("c.fxt", whole), ("c.fxt.rings", rings)):
        with open(name, "wb") as file:
            file.write(data)
    assert [x["args"][0]["value"] for x in events(recover("c.fxt"), "k")] == expected


def rest_words(rings, at):
    return int.from_bytes(rings[at:at + 8], "little") >> 4 & 0xfff


def test_what_cannot_be_recovered():
    def refused(*arguments):
        return subprocess.run([FXTTRACE, *arguments], check=False, capture_output=True, text=True)

    stream(build("program", LOOP), "10")
    done = refused("-o", "o.fxt", "--recover", "t.fxt")
    assert done.returncode == 2 and "t.fxt.rings: No such file" in done.stderr, done
    for data in (b"", b"x" * 10000, bytes(4096)):
        with open("t.fxt.rings", "wb") as file:
            file.write(data)
        done = refused("-o", "o.fxt", "--recover", "t.fxt")
        assert done.returncode == 2 and "not the rings of a stream" in done.stderr, done
    done = refused("-o", "t.fxt", "--recover", "t.fxt")
    assert done.returncode == 2 and "write to another file" in done.stderr, done
    assert not os.path.exists("o.fxt")


def read_pipe(path, size=None):
    """Reads a pipe to its end, or so much, in a separate thread."""
    found = []

    def read():
        with open(path, "rb") as file:
            found.append(file.read(size))
    reader = threading.Thread(target=read)
    reader.start()
    return reader, found


def test_a_pipe():
    program = build("program", MANY)
    os.mkfifo("pipe")
    for is_late in (False, True):
        late = threading.Timer(0.3, lambda: None)
        if is_late:
            late.start()
        else:
            reader, found = read_pipe("pipe")
        with running(program, "4", "4", "5000", path="pipe") as child:
            if is_late:
                late.join()
                reader, found = read_pipe("pipe")
            assert child.wait(patience.SECONDS) == 0
        reader.join()
        with open("copy.fxt", "wb") as file:
            file.write(found[0])
        assert begun("copy.fxt") == {thread: list(range(5000)) for thread in range(4)}
        assert dropped("copy.fxt") == 0


def test_readers_that_end_stop_or_do_not_come():
    program = build("program", MANY)
    os.mkfifo("pipe")
    reader, _ = read_pipe("pipe", 10000)
    said = stream_with_errors(program, "4", "4", "20000", path="pipe")
    reader.join()
    assert said == f"fxt/trace.h: {os.path.abspath('pipe')}: Broken pipe: the rest of the trace is lost\n", said
    os.mkfifo("none")
    with running(program, "4", "4", "200", path="none", stderr=subprocess.PIPE) as child:
        check_stopped_reader(program)
        assert child.wait(patience.SECONDS) == 0
        said = child.stderr.read()
    assert said.decode() == (f"fxt/trace.h: {os.path.abspath('none')}: no process reads it: the trace is "
                             "lost\n"), said


def check_stopped_reader(program):
    keeps = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    said = stream_with_errors(program, "4", "4", "20000", path="pipe")
    os.close(keeps)
    assert said == (f"fxt/trace.h: {os.path.abspath('pipe')}: its reader has stopped reading: the rest "
                    "of the trace is lost\n"), said


# As fast as a disk takes it.
PACED = r"""
#include <fxt/trace.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 60000; i++) {
        FXT_INSTANT("l", "step", "i", i);
        if (i % 500 == 0)
            usleep(1000);
    }
}
"""


def check_full(path, n, said):
    path = os.path.abspath(path)
    assert said.startswith(f"fxt/trace.h: {path}: ") and said.endswith(
        f": until there is room, events stay in {path}.rings\n"), said
    whole = recover(path)
    kept = steps(whole)
    assert kept == sorted(set(kept)) and len(kept) > 1000, len(kept)
    assert len(kept) + dropped(whole) == n, (len(kept), dropped(whole))
    # The file alone has whole records, too.
    assert steps(path) == kept[:len(steps(path))] != []


def test_files_that_are_full():
    program = build("program", PACED)
    said = stream_with_errors(program, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    assert "File too large" in said
    check_full("t.fxt", 60000, said)
    os.mkdir("disk")
    if ctypes.CDLL(None).mount(b"tmpfs", b"disk", b"tmpfs", 0, b"size=1m") != 0:
        print("left out: nothing can be mounted")
        return
    try:
        said = stream_with_errors(program, path="disk/t.fxt")
        assert "No space left on device" in said
        check_full("disk/t.fxt", 60000, said)
    finally:
        ctypes.CDLL(None).umount(b"disk")


WAITS = r"""
#include <fxt/trace.h>
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void)
{
    char byte;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    FXT_INSTANT("w", "first");
    if (fxt_trace_save("saved.fxt") != -1 || errno != ENOTSUP || write(1, "x", 1) != 1)
        return 1;
    return read(0, &byte, 1) < 0;
}
"""


def thread_of(process):
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/status", encoding="utf-8") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        if status["Name"] == "fxt-trace":
            return status
    return None


def test_its_thread_and_fxttrace():
    with running(build("program", WAITS)) as child:
        child.stdout.read(1)
        end = time.monotonic() + patience.SECONDS
        while not thread_of(child.pid) and time.monotonic() < end:
            time.sleep(0.01)
        # All but SIGKILL, SIGSTOP, and what the C library keeps for itself.
        blocked = int(thread_of(child.pid)["SigBlk"], 16)
        assert blocked | 1 << 8 | 1 << 18 | 7 << 31 == (1 << 64) - 1, hex(blocked)
        listed = cases.run(FXTTRACE, str(child.pid))
        assert "t.fxt" in listed and "before it is streamed" in listed, listed
        done = subprocess.run([FXTTRACE, "-o", "o.fxt", str(child.pid)], check=False,
                              capture_output=True, text=True)
        assert done.returncode == 1 and "is streamed to " in done.stderr, done
        # The stream ends when the session does.
        cases.run(FXTTRACE, "--stop", str(child.pid))
        while os.path.exists("t.fxt.rings") and time.monotonic() < end:
            time.sleep(0.01)
        assert names_of(events()) == {("instant", "first"): 1}
        child.communicate(b"x")
        assert child.returncode == 0


if __name__ == "__main__":
    cases.main(sys.modules[__name__])
