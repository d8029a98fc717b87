#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debug files from servers: only what samples need, each once, and in bounded time. Of a
real debuginfod where there is one, and of servers that do what none should. Arguments: the
tools' build directory."""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import debug_server
import fxtwrite
import patience
from profile_cases import FXT2FOLDED, FXT2PPROF, FXTREPORT, main, need, run, skip, symbols, write
from readelf import build_id, code_segment

BASE = 0x555500000000
NAMES = "main;middle;leaf 1\n"
GAVE_UP = "no more files were requested"


ELF = os.environ["ELF_PIE"]
NUMBER = build_id(ELF)


def variant(i):
    """Another build id."""
    return "%02x" % i + NUMBER[2:]


def debug_file(number):
    """The file for debuggers of such a program."""
    run("objcopy", "--only-keep-debug", ELF, "its.debug")
    with open("its.debug", "rb") as file:
        data = file.read()
    assert data.count(bytes.fromhex(NUMBER)) == 1
    return data.replace(bytes.fromhex(NUMBER), bytes.fromhex(number))


def trace_of(numbers, sampled=None, name=b"libnowhere.so"):
    """Each module in a process, with one stack where it is sampled."""
    vaddr, size = code_segment(ELF)
    at = symbols(ELF, BASE)
    trace = fxtwrite.archive()
    for i, number in enumerate(numbers):
        trace.module(1 + i, 1, name, bytes.fromhex(number))
        trace.mapping(1 + i, 1, BASE + vaddr, size, vaddr)
        if sampled is None or number in sampled:
            trace.backtrace(100, 1 + i, 1, at["leaf"], at["middle.end"], at["main.end"])
    return trace


def environment(url, **others):
    """Without the cache of earlier cases."""
    shutil.rmtree("cache", ignore_errors=True)
    return os.environ | {"DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": os.path.abspath("cache"),
                         "no_proxy": "127.0.0.1"} | others


# Where the server is one that answers, it may be slow.
PATIENT = {"DEBUGINFOD_TIMEOUT": str(patience.SECONDS), "DEBUGINFOD_MAXTIME": str(patience.SECONDS)}


def fold(*arguments, env, status=0):
    done = subprocess.run([FXT2FOLDED, "--roots", "none", *arguments], capture_output=True,
                          text=True, env=env, check=False, timeout=patience.SECONDS)
    assert done.returncode == status, done
    return done.stdout, done.stderr


def cached():
    """What the client has left in its cache: files, and what it knows to be absent."""
    found = [os.path.join(folder, name) for folder, _, names in os.walk("cache") for name in names]
    return sorted(os.path.relpath(name, "cache") for name in found if "/" in name[len("cache/"):])


# ---- Servers that answer -------------------------------------------------------------------

def test_only_what_samples_need_is_requested_and_once():
    numbers = [variant(i) for i in range(8)]
    wanted = numbers[:3]
    # Twice the same, in two processes, with different names.
    trace = trace_of(numbers + wanted, wanted)
    write("p.fxt", trace)
    with debug_server.Server(lambda connection, server:
                             debug_server.content(debug_file(server.asked[-1]))(connection, server)
                             ) as server:
        found, said = fold("p.fxt", env=environment(server.url, **PATIENT))
        assert found == NAMES.replace(" 1", " 6") and "debuginfod" not in said, (found, said)
        assert sorted(server.asked) == wanted, server.asked
        assert cached() == ["%s/debuginfo" % number for number in wanted]
        # What is in the cache of all clients is not requested again.
        cache = {"DEBUGINFOD_CACHE_PATH": os.path.abspath("kept")}
        os.rename("cache", "kept")
        assert fold("p.fxt", env=environment(server.url, **PATIENT) | cache)[0] == found
        assert len(server.asked) == len(wanted), server.asked


def test_what_is_absent_is_requested_once():
    numbers = [variant(i) for i in range(40)]
    write("p.fxt", trace_of(numbers + numbers))
    with debug_server.Server(debug_server.absent) as server:
        _, said = fold("p.fxt", env=environment(server.url, **PATIENT))
        assert sorted(server.asked) == numbers and "debuginfod" not in said, said


def test_a_cache_is_created_or_its_absence_reported():
    write("p.fxt", trace_of([NUMBER]))
    os.mkdir("fresh")
    with debug_server.Server(debug_server.content(debug_file(NUMBER))) as server:
        env = environment(server.url, **PATIENT)
        del env["DEBUGINFOD_CACHE_PATH"]
        env.pop("XDG_CACHE_HOME", None)
        # A home without .cache, as in containers.
        found, said = fold("p.fxt", env=env | {"HOME": os.path.abspath("fresh")})
        assert found == NAMES and "debuginfod" not in said, (found, said)
        assert os.path.isfile("fresh/.cache/debuginfod_client/%s/debuginfo" % NUMBER)
        for nowhere in {"HOME": "/proc/none"}, {"DEBUGINFOD_CACHE_PATH": os.path.abspath("p.fxt")}:
            _, said = fold("p.fxt", env=env | nowhere)
            assert said.count("cache cannot be created; " + GAVE_UP) == 1, said
        assert len(server.asked) == 1, server.asked


def test_what_filters_leave_out_is_not_requested():
    numbers = [variant(i) for i in range(4)]
    write("p.fxt", trace_of(numbers))
    for options in ("--pid", "2"), ("--pid", "2", "--inlines", "off"):
        with debug_server.Server(debug_server.absent) as server:
            fold(*options, "p.fxt", env=environment(server.url, **PATIENT))
            assert server.asked == numbers[1:2], server.asked


def test_an_elf_file_without_samples_is_not_requested():
    run("objcopy", "--strip-all", ELF, "stripped")
    write("p.fxt", trace_of([variant(1)]))
    with debug_server.Server(debug_server.absent) as server:
        fold("--elf", "stripped@0x100000", "p.fxt", env=environment(server.url, **PATIENT))
        assert server.asked == [variant(1)], server.asked
    with debug_server.Server(debug_server.content(debug_file(NUMBER))) as server:
        write("p.fxt", trace_of([NUMBER]))
        found, _ = fold("--elf", "stripped", "p.fxt", env=environment(server.url, **PATIENT))
        assert found == NAMES and server.asked == [NUMBER], (found, server.asked)


def test_what_has_its_names_is_not_requested():
    # The program's own file has all; and records of symbols have lines.
    with debug_server.Server(debug_server.absent) as server:
        write("p.fxt", trace_of([NUMBER], name=ELF.encode()))
        assert fold("p.fxt", env=environment(server.url, **PATIENT))[0] == NAMES
        assert server.asked == []


def test_options_keep_servers_out():
    write("p.fxt", trace_of([NUMBER]))
    with debug_server.Server(debug_server.content(debug_file(NUMBER))) as server:
        env = environment(server.url, **PATIENT)
        for option in "--no-debuginfod", "--unsymbolized":
            assert "leaf" not in fold(option, "p.fxt", env=env)[0]
            run(FXTREPORT, option, "p.fxt", env=env)
            run(FXT2PPROF, option, "-o", "p.pb.gz", "p.fxt", env=env)
        fold("p.fxt", env=env | {"DEBUGINFOD_URLS": " "})
        assert server.asked == []
        assert "leaf" in run(FXTREPORT, "p.fxt", env=env) and server.asked == [NUMBER]


def test_a_better_file_than_what_is_here_is_not_complained_of():
    run("objcopy", "--strip-all", ELF, "stripped")
    os.makedirs("bad/.build-id/" + NUMBER[:2])
    with open("bad/.build-id/%s/%s.debug" % (NUMBER[:2], NUMBER[2:]), "wb") as file:
        file.write(debug_file(variant(1)))
    write("p.fxt", trace_of([NUMBER], name=os.path.abspath("stripped").encode()))
    options = "--debug-dir", "bad", "p.fxt"
    with debug_server.Server(debug_server.absent) as server:
        assert "bad/" in fold(*options, env=environment(server.url, **PATIENT))[1]
    with debug_server.Server(debug_server.content(debug_file(NUMBER))) as server:
        found, said = fold(*options, env=environment(server.url, **PATIENT))
        assert found == NAMES and "bad/" not in said, (found, said)


def test_wrong_files_are_refused():
    for data, why in ((debug_file(variant(9)), "its build id is " + variant(9)),
                      (b"\x7fELF" + bytes(1000), "not used"), (b"x" * 5000, "not an ELF file")):
        write("p.fxt", trace_of([NUMBER]))
        with debug_server.Server(debug_server.content(data)) as server:
            found, said = fold("p.fxt", env=environment(server.url, **PATIENT))
            assert "leaf" not in found and why in said, (found, said)
            assert server.asked == [NUMBER], server.asked


# ---- Servers that do not -------------------------------------------------------------------

BAD = ["silent", "hang_after_headers", "trickle", "trickle_headers", "redirect"]
QUICK = ["garbage", "failure", "absent"]


def seconds_of(*arguments, env):
    start = time.monotonic()
    found, said = fold(*arguments, env=env)
    return time.monotonic() - start, found, said


@contextlib.contextmanager
def bad_server(what):
    if what == "blackhole":
        with debug_server.blackhole() as url:
            yield url, None
    elif what == "refused":
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            yield "http://127.0.0.1:%d" % closed.getsockname()[1], None
    else:
        with debug_server.Server(getattr(debug_server, what)) as server:
            yield server.url, server


def test_servers_that_do_not_answer_cost_two_seconds():
    numbers = [variant(i) for i in range(20)]
    write("p.fxt", trace_of(numbers))
    without, unnamed, _ = seconds_of("p.fxt", env=environment(""))
    for what in BAD + QUICK + ["blackhole", "refused"]:
        with bad_server(what) as (url, server):
            spent, found, said = seconds_of("p.fxt", env=environment(url))
        print("%s: %.2f s" % (what, spent - without))
        assert found == unnamed, found
        assert spent - without < (2 if patience.IS_LONG else 60), (what, spent)
        # Each was asked for once, and where nothing comes the first one only.
        if server is not None and what != "redirect":
            assert sorted(server.asked) == (numbers[:1] if what in BAD else numbers), server.asked
        if what in BAD + ["blackhole"]:
            assert "sent less than 100 kB in 1.5 s; " + GAVE_UP in said, said
        elif what == "refused":
            assert "debuginfod: Connection refused" in said, said
        # gdb, which has the same cache, must not take it for an answer that there was none.
        if what in BAD + ["blackhole"]:
            assert cached() == [], (what, cached())
        assert said.count("debuginfod") <= 2, said


def test_large_files_have_a_limit_of_time():
    numbers = [variant(i) for i in range(6)]
    write("p.fxt", trace_of(numbers))
    with debug_server.Server(debug_server.endless) as server:
        _, said = fold("p.fxt", env=environment(server.url, DEBUGINFOD_MAXTIME="1"))
        assert "libnowhere.so: not downloaded within 1 s: DEBUGINFOD_MAXTIME allows more" in said
        assert "downloads took 3 s; %s: DEBUGINFOD_MAXTIME" % GAVE_UP in said, said
        assert 1 < len(server.asked) < 5 and server.asked == sorted(set(server.asked))
    assert cached() == []


def test_a_second_profile_does_not_wait_again():
    write("a.fxt", trace_of([variant(1)]))
    write("b.fxt", trace_of([variant(2)]))
    with debug_server.Server(debug_server.silent) as server:
        env = environment(server.url)
        done = subprocess.run([FXTREPORT, "--diff", "a.fxt", "b.fxt"], env=env, check=False,
                              capture_output=True, text=True, timeout=patience.SECONDS)
        assert server.asked == [variant(2)] and done.stderr.count(GAVE_UP) == 1, done


def test_an_interrupt_ends_it():
    write("p.fxt", trace_of([NUMBER]))
    for what in "silent", "trickle":
        with bad_server(what) as (url, server):
            env = environment(url, **PATIENT)
            with subprocess.Popen([FXT2FOLDED, "-o", "p.folded", "p.fxt"], env=env,
                                  stderr=subprocess.PIPE, start_new_session=True) as running:
                while not server.asked or what == "trickle" and not cached():
                    time.sleep(0.01)
                os.killpg(running.pid, signal.SIGINT)
                # The process that downloads has this open, too.
                running.communicate(timeout=patience.SECONDS / 2)
            assert running.returncode == -signal.SIGINT, running.returncode
            assert cached() == [] and not os.path.exists("p.folded"), cached()


def test_terminals_see_progress():
    data = debug_file(NUMBER) + bytes(3000000)

    def slowly(connection, server):
        connection.sendall(debug_server.OK + b"Content-Length: %d\r\n\r\n" % len(data))
        for i in range(0, len(data), 100000):
            connection.sendall(data[i:i + 100000])
            server.is_over.wait(0.02)

    name = b"/lib/lib\x1b[2Jnowhere.so"
    write("p.fxt", trace_of([NUMBER], name=name))
    for options in (), ("-q",):
        with debug_server.Server(slowly) as server:
            master, slave = os.openpty()
            env = environment(server.url, **PATIENT)
            with subprocess.Popen([FXT2FOLDED, "--roots", "none", *options, "p.fxt"], env=env,
                                  stdout=subprocess.PIPE, stderr=slave, text=True) as running:
                os.close(slave)
                found = running.stdout.read()
            said = b""
            with contextlib.suppress(OSError):
                while part := os.read(master, 65536):
                    said += part
            os.close(master)
        assert found == NAMES, found
        shown = re.findall(rb"fxt2folded: lib\\x1b\[2Jnowhere.so: [0-9.]+ of 3.0 MB downloaded",
                           said)
        assert bool(shown) == (not options) and b"\x1b[2J" not in said, said


# ---- A real one ----------------------------------------------------------------------------

def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def metrics(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as one:
        one.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        answer = b""
        while part := one.recv(65536):
            answer += part
        return answer.decode()
    return ""


def count(text, pattern):
    return sum(int(n) for n in re.findall(pattern + r"\S* (\d+)$", text, re.M))


def test_a_real_server():
    if shutil.which("debuginfod") is None:
        print("skipped: there is no debuginfod")
        return
    os.makedirs("store")
    for i, number in enumerate([NUMBER, variant(1)]):
        with open("store/its%d.debug" % i, "wb") as file:
            file.write(debug_file(number))
    port = free_port()
    with subprocess.Popen(["debuginfod", "-p", str(port), "-d", ":memory:", "-F", "store"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=os.environ | {"DEBUGINFOD_URLS": ""}) as server:
        try:
            while count(metrics(port), r"thread_work_total\{role=\"traverse\"\}") == 0:
                assert server.poll() is None
                time.sleep(0.1)
            while count(metrics(port), r"groom\{statistic=\"buildids\"\}") < 2:
                time.sleep(0.1)
                if count(metrics(port), r"scanned_files_total\{source=\"file\"\}") >= 2:
                    break
            write("p.fxt", trace_of([NUMBER, variant(1), variant(2), NUMBER],
                                    [NUMBER, variant(2)]))
            before = count(metrics(port), r"http_requests_total\{type=\"debuginfo\"\}")
            found, said = fold("p.fxt", env=environment("http://127.0.0.1:%d" % port, **PATIENT))
            after = count(metrics(port), r"http_requests_total\{type=\"debuginfo\"\}")
        finally:
            server.terminate()
    assert "main;middle;leaf 2" in found and GAVE_UP not in said, (found, said)
    assert after - before == 2, (before, after)
    assert cached() == sorted("%s/debuginfo" % number for number in (NUMBER, variant(2)))


if __name__ == "__main__":
    if os.environ["HAS_LIBDEBUGINFOD"] != "1":
        skip("libdebuginfod was not there when this was built")
    need("objcopy", "readelf", "nm")
    main(sys.modules[__name__])
