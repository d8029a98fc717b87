#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that trace themselves with fxt/trace.h: what their files have, however they
ended.

Usage: test_trace.py TOOLS INCLUDE LIBRARY"""
import collections
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

sys.argv[1:] = [os.path.abspath(x) for x in sys.argv[1:]]
import profile_cases as cases  # pylint: disable=wrong-import-position
import patience  # pylint: disable=wrong-import-position
from self_traced import (INCLUDE, build, dropped, environment, events, names_of, records,  # pylint: disable=wrong-import-position
                         trace)

FXTDUMP = os.path.join(sys.argv[1], "fxtdump", "fxtdump")
LIBRARY = sys.argv[3]

ALL = r"""
#include <fxt/trace.h>
#include <stdio.h>
static int evaluated;
static int count(void) { return ++evaluated; }
int main(void)
{
    char text[] = "some text";
    uint64_t begin = fxt_trace_now();
    {
        FXT_SCOPE("net", "receive", "bytes", 7, "file", text);
        FXT_SCOPE("net", "parse");
        FXT_INSTANT("net", "moment", "b", (bool)1, "i", -5, "u", 5u, "l", -6000000000L,
                    "ul", 6000000000UL, "d", 1.5, "f", 2.5f, "p", (void *)0x1234, "c", (char)3,
                    "none", (const char *)NULL, "empty", "");
    }
    FXT_BEGIN("db", "query", "n", count());
    FXT_END("db", "query");
    FXT_COMPLETE(begin, fxt_trace_now(), "db", "whole", "n", 1LL);
    FXT_COUNTER(3, "mem", "heap", "used", 100, "free", 200);
    FXT_ASYNC_BEGIN(17, "io", "read", "fd", 4);
    FXT_ASYNC_INSTANT(17, "io", "read");
    FXT_ASYNC_END(17, "io", "read");
    FXT_FLOW_BEGIN(1ull << 60, "io", "request");
    FXT_FLOW_STEP(1ull << 60, "io", "request");
    FXT_FLOW_END(1ull << 60, "io", "request");
    printf("%d\n", evaluated);
    return 0;
}
"""


def check_all(found):
    assert [(x["event"], x["category"], x["name"]) for x in found] == [
        ("duration_begin", "net", "receive"), ("duration_begin", "net", "parse"),
        ("instant", "net", "moment"), ("duration_end", "net", "parse"),
        ("duration_end", "net", "receive"), ("duration_begin", "db", "query"),
        ("duration_end", "db", "query"), ("duration_complete", "db", "whole"),
        ("counter", "mem", "heap"), ("async_begin", "io", "read"),
        ("async_instant", "io", "read"), ("async_end", "io", "read"),
        ("flow_begin", "io", "request"), ("flow_step", "io", "request"),
        ("flow_end", "io", "request")], found
    args = [{a["name"]: (a["type"], a.get("value")) for a in x["args"]} for x in found]
    assert args[0] == {"bytes": ("int32", 7), "file": ("string", "some text")}, args[0]
    assert {k: v for k, v in args[2].items() if k != "p"} == {
        "b": ("bool", True), "i": ("int32", -5), "u": ("uint32", 5),
        "l": ("int64", -6000000000), "ul": ("uint64", 6000000000), "d": ("double", 1.5),
        "f": ("double", 2.5), "c": ("int32", 3), "none": ("string", ""),
        "empty": ("string", "")}, args[2]
    assert args[2]["p"][0] == "pointer" and int(str(args[2]["p"][1]), 0) == 0x1234, args[2]
    assert args[8] == {"used": ("int32", 100), "free": ("int32", 200)}, args[8]
    assert (found[8]["counter_id"], found[9]["async_id"], found[12]["flow_id"]) == (3, 17, 1 << 60)
    times = [x["time_ns"] for x in found if x["event"] != "duration_complete"]
    assert found[7]["time_ns"] <= times[0] and times == sorted(times), times


def test_all_kinds_of_events_and_values():
    program = build("program", ALL, "-std=c11", "-Wpedantic", "-U_GNU_SOURCE")
    assert trace(program) == "1\n"
    check_all(events())
    linked = build("linked", ALL, "-std=c11", LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY),
                   implementation=False)
    assert trace(linked, path="l.fxt") == "1\n"
    check_all(events("l.fxt"))
    text = subprocess.run([FXTDUMP, "l.fxt"], capture_output=True, text=True, check=True).stdout
    assert " zero bytes\n" in text and max(map(len, text.splitlines())) < 400, text
    # What is off is not evaluated.
    assert trace(program, path=None) == "0\n"
    assert trace(program, path="n.fxt", FXT_TRACE="net") == "0\n"
    assert {x["category"] for x in events("n.fxt")} == {"net"}
    assert trace(build("without", ALL, "-DFXT_TRACE_OFF", "-Wno-unused"), path="o.fxt") == "0\n"
    assert not os.path.exists("o.fxt")


def test_other_compilers_and_languages():
    for compiler, standard in (("gcc", "gnu11"), ("clang", "c11"), ("g++", "c++17"),
                               ("clang++", "c++20")):
        path = compiler + ".fxt"
        program = build(compiler + "-program", ALL, "-std=" + standard, compiler=compiler)
        assert trace(program, path=path) == "1\n"
        check_all(events(path))


def test_cplusplus():
    program = build("program", r"""
#include <fxt/trace.h>
#include <stdexcept>
#include <string>
#include <string_view>
enum plain { some = 3 };
enum class scoped : unsigned short { some = 4 };
static void fail(int depth)
{
    FXT_SCOPE("c++", "fail", "depth", depth);
    if (depth == 0)
        throw std::runtime_error("as meant");
    fail(depth - 1);
}
template <typename T> static void in_template(T value)
{
    FXT_SCOPE("c++", "in template", "value", value);
}
int main()
{
    try {
        fail(2);
    } catch (const std::exception &) {
        FXT_INSTANT("c++", "caught", "string", std::string("one"), "view",
                    std::string_view("two"), "enum", some, "scoped", scoped::some,
                    "long", 1.5L, "null", nullptr);
    }
    in_template(1);
    in_template(2.5);
    [] { FXT_SCOPE("c++", "in lambda"); }();
}
""", "-std=c++17", compiler="c++")
    trace(program)
    found = events()
    assert names_of(found) == {
        ("duration_begin", "fail"): 3, ("duration_end", "fail"): 3, ("instant", "caught"): 1,
        ("duration_begin", "in template"): 2, ("duration_end", "in template"): 2,
        ("duration_begin", "in lambda"): 1, ("duration_end", "in lambda"): 1}, found
    caught = [x for x in found if x["name"] == "caught"][0]
    assert [a.get("value") for a in caught["args"]][:5] == ["one", "two", 3, 4, 1.5], caught
    # All ended before it was caught.
    assert [x["event"] for x in found[:7]] == ["duration_begin"] * 3 + ["duration_end"] * 3 + ["instant"]


MANY = r"""
#include <fxt/trace.h>
#include <pthread.h>
#include <stdlib.h>
static int n;
static void *run(void *number)
{
    for (int i = 0; i < n; i++) {
        FXT_SCOPE("t", "work", "thread", (long)number, "i", i);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    int n_threads = atoi(argv[1]), at_once = atoi(argv[2]);
    pthread_t threads[64];
    n = atoi(argv[3]);
    fxt_trace_name_thread("first");
    for (long i = 0; i < n_threads; i += at_once) {
        for (int j = 0; j < at_once; j++)
            pthread_create(&threads[j], NULL, run, (void *)(i + j));
        for (int j = 0; j < at_once; j++)
            pthread_join(threads[j], NULL);
    }
    FXT_INSTANT("t", "end");
    return argc != 4;
}
"""


BUSY = MANY.replace("pthread_join(threads[j], NULL);", """{
            fxt_trace_set_categories(j % 2 ? "t" : "t,none");
            fxt_trace_save("saved.fxt");
            pthread_join(threads[j], NULL);
        }""").replace("for (int i = 0; i < n; i++) {", """for (int i = 0; i < n; i++) {
        if (i % 1000 == 0)
            fxt_trace_set_categories("t,other");""")


def check_many(n_threads, n, path="t.fxt"):
    by_thread = collections.defaultdict(list)
    threads = collections.defaultdict(set)
    for x in events(path, "t"):
        if x["event"] == "duration_begin":
            args = {a["name"]: a["value"] for a in x["args"]}
            by_thread[args["thread"]].append(args["i"])
            threads[args["thread"]].add(x["thread"])
    assert len(by_thread) == n_threads, len(by_thread)
    assert all(x == list(range(n)) for x in by_thread.values())
    assert all(len(x) == 1 for x in threads.values()), threads
    assert dropped(path) == 0


def test_many_threads():
    program = build("program", MANY)
    trace(program, "8", "8", "5000")
    check_many(8, 5000)
    names = {x["name"] for x in records() if x.get("object_type") == "thread"}
    assert names == {"first", "program"}, names


def test_short_threads_share_chunks():
    program = build("program", MANY)
    trace(program, "10000", "4", "1")
    check_many(10000, 1)
    # 200 bytes for a thread's id and name, its span and arguments.
    assert os.path.getsize("t.fxt") < 10000 * 200 + 10 * 32000, os.path.getsize("t.fxt")


def test_sanitizers_find_nothing():
    for sanitizer in ("thread", "address,undefined"):
        with open("probe.c", "w", encoding="utf-8") as file:
            file.write("int main(void) { return 0; }")
        if subprocess.run(["cc", "-fsanitize=" + sanitizer, "probe.c", "-o", "probe"],
                          check=False, capture_output=True).returncode != 0:
            print("left out:", sanitizer)
            continue
        program = build("program", MANY, "-g", "-fsanitize=" + sanitizer,
                        "-fno-sanitize-recover=all")
        trace(program, "200", "8", "100")
        check_many(200, 100)
        # Chunks are reused and saved, and patterns change, while they are written.
        program = build("busy", BUSY, "-g", "-fsanitize=" + sanitizer, "-fno-sanitize-recover=all")
        trace(program, "32", "8", "3000", FXT_TRACE_SIZE="1M", FXT_TRACE_MODE="keep-last")
        assert events("saved.fxt", "t")


def test_killed_at_any_time():
    program = build("program", r"""
#include <fxt/trace.h>
#include <unistd.h>
int main(void)
{
    for (unsigned i = 0;; i++) {
        FXT_SCOPE("k", "step", "i", i);
        FXT_INSTANT("k", "done", "i", i);
        if (write(1, &i, sizeof(i)) != sizeof(i))
            return 1;
    }
}
""")
    for k in range(10):
        with subprocess.Popen([program], env=environment(), stdout=subprocess.PIPE) as child:
            os.read(child.stdout.fileno(), 4)
            end = time.monotonic() + k * 0.002
            last = 0
            while time.monotonic() < end:
                last = int.from_bytes(os.read(child.stdout.fileno(), 4), "little")
            child.kill()
        done = [a["value"] for x in events() if x["name"] == "done" for a in x["args"]]
        assert done == list(range(len(done))) and len(done) > last, (len(done), last)


def test_a_crash():
    program = build("program", r"""
#include <fxt/trace.h>
int main(void)
{
    FXT_SCOPE("c", "outer");
    FXT_SCOPE("c", "crash");
    *(volatile int *)0 = 1;
}
""")
    trace(program, status=-signal.SIGSEGV)
    assert names_of(events()) == {("duration_begin", "outer"): 1, ("duration_begin", "crash"): 1}


def test_signal_handlers_trace():
    """Each signal's span is there, whatever its handler interrupted; what a busy machine
    nests too deeply is counted."""
    program = build("program", r"""
#include <fxt/trace.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile unsigned n;
static void handle(int number)
{
    FXT_SCOPE("s", "handler", "number", number);
    n++;
    FXT_INSTANT("s", "in handler");
}
int main(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART | SA_NODEFER};
    struct itimerval often = {{0, 50}, {0, 50}};
    unsigned steps = 0;
    FXT_INSTANT("started", "started");
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (steps < 20000 || (n < 100 && steps < 100000)) {
        FXT_SCOPE("s", "step", "i", steps++);
        FXT_INSTANT("s", "in step", "d", 1.5);
    }
    often = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    printf("%u %u\n", n, steps);
    return 0;
}
""")
    n, steps = (int(x) for x in trace(program).split())
    found = names_of(events(category="s"))
    expected = {("duration_begin", "handler"): n, ("duration_end", "handler"): n,
                ("instant", "in handler"): n, ("duration_begin", "step"): steps,
                ("duration_end", "step"): steps, ("instant", "in step"): steps}
    missing = {k: v - found[k] for k, v in expected.items()}
    assert min(missing.values()) >= 0 and sum(missing.values()) == dropped(), (missing, dropped())
    assert dropped() <= n and set(found) <= set(expected), (n, dropped())


LINES = r"""
#include <fxt/trace.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { N_THREADS = 32, N_EVENTS = 2000, N_LINES = 1 << 22 };
/* Which thread has written to a line of cache, by the line's number; and how many lines were
 * written, and by a second thread. */
static uint64_t lines[N_LINES];
static uint64_t n_lines, n_shared;
static pthread_barrier_t all_written;
static void write_line(uint64_t line, uint64_t thread)
{
    for (uint64_t at = line * 0x9e3779b97f4a7c15 >> 42;; at = (at + 1) % N_LINES) {
        uint64_t known = 0, entry = line << 8 | thread;
        if (__atomic_compare_exchange_n(&lines[at], &known, entry, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            __atomic_fetch_add(&n_lines, 1, __ATOMIC_RELAXED);
            return;
        }
        if (known >> 8 != line)
            continue;
        if (known != entry)
            __atomic_fetch_add(&n_shared, 1, __ATOMIC_RELAXED);
        return;
    }
}
static void write_lines(const void *from, const void *to, uint64_t thread)
{
    for (uint64_t i = (uintptr_t)from / 64; i <= ((uintptr_t)to - 1) / 64; i++)
        write_line(i, thread);
}
/* The thread's own variables, its ring, and its records with the word after each. */
static void *run(void *number)
{
    uint64_t thread = (uintptr_t)number;
    struct fxt_trace_thread_ *self = &fxt_trace_thread_;
    const uint64_t *before = NULL;
    for (int i = 0; i < N_EVENTS; i++) {
        FXT_INSTANT("c", "event", "i", i);
        struct fxt_trace_ring_ *ring = self->rings[0];
        if (before < ring->end - FXT_TRACE_CHUNK_BYTES / 8 || before > ring->pos)
            before = ring->end - FXT_TRACE_CHUNK_BYTES / 8;
        write_lines(before, ring->pos + 1, thread);
        before = ring->pos;
    }
    write_lines(self, self + 1, thread);
    write_lines(self->rings[0], self->rings[0] + 1, thread);
    /* A thread that has ended hands its chunk to the next. */
    pthread_barrier_wait(&all_written);
    return NULL;
}
int main(void)
{
    pthread_t threads[N_THREADS];
    pthread_barrier_init(&all_written, NULL, N_THREADS);
    for (uintptr_t i = 0; i < N_THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run, (void *)(i + 1)) != 0)
            abort();
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%llu %llu\n", (unsigned long long)n_lines, (unsigned long long)n_shared);
    return 0;
}
"""


def test_no_line_of_cache_is_written_by_two_threads():
    n_lines, n_shared = map(int, trace(build("program", LINES)).split())
    assert names_of(events()) == {("instant", "event"): 32 * 2000} and dropped() == 0
    # 24 bytes an event, and the rings.
    assert n_lines > 32 * 2000 * 24 // 64 and n_shared == 0, (n_lines, n_shared)


STEPPED = r"""
#include <fxt/trace.h>
#include <signal.h>
#include <stdio.h>
enum { TRAP = 0x100 };
static unsigned depth, n;
static bool has_begun;
static void set_trap(bool is_on)
{
    unsigned long long flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(is_on ? flags | TRAP : flags & ~(unsigned long long)TRAP);
}
/* The first event in here comes when another one is starting the session. */
static void step(int number)
{
    has_begun |= fxt_trace_thread_.is_busy;
    if (!has_begun)
        return;
    unsigned i = __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
    depth++;
    if (depth < 10 && i % 1009 == 0)
        set_trap(true);
    FXT_INSTANT("s", "step", "i", i, "number", number);
    set_trap(false);
    depth--;
}
int main(void)
{
    struct sigaction action = {.sa_handler = step, .sa_flags = SA_NODEFER};
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 40; i++) {
        set_trap(true);
        {
            FXT_SCOPE("m", "main", "i", i, "d", 1.5);
        }
        set_trap(false);
    }
    printf("%u\n", n);
    return 0;
}
"""


def test_signals_at_every_instruction():
    """Also of the session's start, of the signal handlers, and where a chunk is full."""
    if os.uname().machine != "x86_64":
        print("left out: single steps of another machine")
        return
    n = int(trace(build("program", STEPPED, "-Wno-missing-field-initializers")))
    found = events()
    begun = [x["args"][0]["value"] for x in found if x["event"] == "duration_begin"]
    ends = sum(x["event"] == "duration_end" for x in found)
    steps = [x["args"][0]["value"] for x in found if x["name"] == "step"]
    print(n, "steps,", dropped(), "dropped")
    assert begun == list(range(40)) and ends == 40, (begun, ends)
    assert len(set(steps)) == len(steps) == n - dropped(), (len(steps), n, dropped())
    # Those that came while the session started.
    assert len(steps) > 10000 and dropped() > 0, (len(steps), dropped())


FORK = r"""
#include <fxt/trace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    FXT_SCOPE("f", "whole");
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            FXT_INSTANT("f", "child", "i", i);
            _exit(0);
        }
    }
    FXT_INSTANT("f", "parent");
    while (wait(NULL) > 0)
        continue;
    return 0;
}
"""


def test_fork():
    program = build("program", FORK)
    trace(program)
    assert names_of(events()) == {("duration_begin", "whole"): 1, ("duration_end", "whole"): 1,
                                  ("instant", "parent"): 1}
    trace(program, path="p%p.fxt")
    found = sorted((events(x) for x in os.listdir() if x.startswith("p") and x.endswith(".fxt")),
                   key=len)
    # A span that began before the fork ends in each.
    assert [[x["name"] for x in one] for one in found] == [["child"]] * 3 + [
        ["whole", "parent", "whole"]], found
    assert sorted(one[0]["args"][0]["value"] for one in found[:3]) == [0, 1, 2]
    # A number that makes a new file.
    for n in range(2):
        trace(program, path="n%n.fxt")
        names = [f"n{i + 1}.fxt" for i in range(4 * (n + 1))]
        assert sorted(x for x in os.listdir() if x.startswith("n")) == sorted(names)
        assert sorted(len(events(x)) for x in names[4 * n:]) == [1, 1, 1, 3]


def test_a_program_that_changes_its_directory():
    """Its children trace beside it, and its stream leaves no rings there."""
    program = build("program", FORK.replace("for (", 'if (chdir("/") != 0)\n        return 1;\n    for (',
                                            1))
    trace(program, path="p%p.fxt", FXT_TRACE_MODE="stream")
    found = sorted(x for x in os.listdir() if x.startswith("p") and ".fxt" in x)
    assert len(found) == 7 and sum(x.endswith(".rings") for x in found) == 3, found
    trace(program, path="q%p.fxt")
    found = sorted(len(events(x)) for x in os.listdir() if x.startswith("q"))
    assert found == [1, 1, 1, 3], found
    # A name of a directory is no pattern.
    os.mkdir("%n")
    os.chdir("%n")
    trace("../program", path="r.fxt")
    assert len(events("r.fxt")) == 3


def test_limits_are_lines():
    program = build("program", ALL)
    for limit, n, said in (
            (resource.RLIMIT_AS, 200 << 20, "there is no memory for that much: see FXT_TRACE_SIZE"),
            (resource.RLIMIT_FSIZE, 100, "File too large")):
        done = subprocess.run([program], env=environment(), check=True, capture_output=True,
                              preexec_fn=lambda l=limit, m=n: resource.setrlimit(l, (m, m)))
        assert done.stderr.decode() == f"fxt/trace.h: t.fxt: {said}\n", done


def test_files_that_cannot_be():
    program = build("program", ALL)
    os.mkdir("directory")
    for path, why in (("directory", "Is a directory"), ("none/t.fxt", "No such file"),
                      ("/dev/full", "")):
        done = subprocess.run([program], env=environment(path), capture_output=True, check=False)
        assert done.returncode == 0 and done.stderr.count(b"\n") == 1, done
        assert done.stderr.startswith(b"fxt/trace.h: " + path.encode() + b": " + why.encode()), done
    # Another process has it.
    with open("t.fxt", "wb") as file:
        import fcntl  # pylint: disable=import-outside-toplevel
        fcntl.flock(file, fcntl.LOCK_EX)
        done = subprocess.run([program], env=environment(), capture_output=True, check=False)
        assert done.returncode == 0 and b"busy" in done.stderr, done
        assert os.path.getsize("t.fxt") == 0


def test_a_program_with_more_rights_than_its_user_has_no_settings():
    if os.geteuid() != 0:
        print("left out: only root can make such a program")
        return
    program = build("program", ALL)
    os.chmod(".", 0o777)
    os.chmod(program, 0o4755)
    done = subprocess.run([program], env=environment(FXT_TRACE_SIGNAL="x"), user=65534, check=True,
                          capture_output=True)
    assert done.stderr == b"" and not os.path.exists("t.fxt"), done


def test_settings_that_make_no_sense_are_named():
    program = build("program", ALL)
    for variable, value, used in (
            ("FXT_TRACE_SIZE", "abc", "not a size, as 64M is: the default is used"),
            ("FXT_TRACE_SIZE", "64MB", "not a size, as 64M is: the default is used"),
            ("FXT_TRACE_SIZE", "-1", "not a size, as 64M is: the default is used"),
            ("FXT_TRACE_SIZE", "99999999999G", "not a size, as 64M is: the default is used"),
            ("FXT_TRACE_MODE", "nope", "not keep-first, keep-last or stream: keep-first is used"),
            ("FXT_TRACE_CLOCK", "tsc", "not monotonic: the default is used")):
        done = subprocess.run([program], env=environment(**{variable: value}), check=False,
                              capture_output=True, text=True)
        assert done.returncode == 0, done
        assert done.stderr == f"fxt/trace.h: {variable}={value}: {used}\n", done.stderr
        check_all(events())
    for name in ("t.fxt.zst", "t.fxt.gz"):
        done = subprocess.run([program], env=environment(name), check=False, capture_output=True,
                              text=True)
        assert done.returncode == 0, done
        assert done.stderr == f"fxt/trace.h: {name}: despite its name it is not compressed\n"
        check_all(events(name))
    done = subprocess.run([program], env=environment(FXT_TRACE="*," + "x" * 2000), check=True,
                          capture_output=True)
    assert done.stderr == b"fxt/trace.h: FXT_TRACE: only the first 1023 bytes are used\n", done
    check_all(events())
    # Without a trace there is no message.
    trace(program, path=None, FXT_TRACE_SIZE="abc", FXT_TRACE_MODE="nope")


ANSWERS = r"""
#include <fxt/trace.h>
#include <signal.h>
#include <unistd.h>
static void handle(int number)
{
    (void)number;
    fxt_trace_toggle();
}
/* A step for each byte of standard input. */
int main(int argc, char **argv)
{
    char byte;
    (void)argv;
    if (argc > 1)
        signal(SIGUSR2, handle);
    for (int i = 0; write(1, "+", 1) == 1 && read(0, &byte, 1) == 1; i++)
        FXT_INSTANT("a", "step", "i", i);
    return 0;
}
"""


def answer(program, path, **more):
    """Steps, between signals (0)."""
    with subprocess.Popen(program, env=environment(path, **more), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, bufsize=0) as child:
        child.stdout.read(1)
        for n in (1, 0, 2, 0, 1, 0, 1, 0, 1):
            if n == 0:
                child.send_signal(signal.SIGUSR2)
            for _ in range(n):
                child.stdin.write(b".")
                child.stdout.read(1)
        child.stdin.close()
        assert child.wait(timeout=patience.SECONDS) == 0


def test_a_signal_starts_and_stops():
    linked = build("linked", ANSWERS, LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY),
                   implementation=False)
    own = build("own", ANSWERS)
    for i, (program, more) in enumerate((
            ([linked], {"FXT_TRACE_SIGNAL": "SIGUSR2"}),
            ([own], {"FXT_TRACE_SIGNAL": str(int(signal.SIGUSR2)), "FXT_TRACE_MODE": "stream"}),
            ([own, "handler"], {"FXT_TRACE_SIGNAL": "USR1"}),
            ([own, "handler"], {"FXT_TRACE_SIGNAL": "USR2", "FXT_TRACE_MODE": "keep-last"}))):
        answer(program, f"s{i}.%n.fxt", **more)
        found = [[a["value"] for x in events(f"s{i}.{n}.fxt") for a in x["args"]] for n in (1, 2)]
        assert found == [[1, 2], [4]], found
        assert not os.path.exists(f"s{i}.3.fxt")


def test_signals_that_cannot_be():
    program = build("program", ANSWERS)
    for name, why in (("PIPES", "not a signal, as USR2 is"), ("SIG", "not a signal, as USR2 is"),
                      ("0", "not a signal, as USR2 is"), ("9", "Invalid argument"),
                      ("99", "not a signal, as USR2 is")):
        done = subprocess.run([program], env=environment(FXT_TRACE_SIGNAL=name), input=b".",
                              capture_output=True, check=False)
        assert done.stderr.decode() == f"fxt/trace.h: FXT_TRACE_SIGNAL={name}: {why}\n", done
        assert done.returncode == 0 and not os.path.exists("t.fxt"), done
    # Without the variable there is no handler.
    with subprocess.Popen([program], env=environment(), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as child:
        child.stdout.read(1)
        child.send_signal(signal.SIGUSR2)
        assert child.wait(timeout=patience.SECONDS) == -signal.SIGUSR2


LOOP = r"""
#include <fxt/trace.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < atoi(argv[1]); i++)
        FXT_INSTANT("l", "step", "i", i);
    if (argc > 2)
        return fxt_trace_save(argv[2]);
    return 0;
}
"""


def steps(path="t.fxt"):
    return [a["value"] for x in events(path, "l") for a in x["args"]]


def test_what_is_full():
    program = build("program", LOOP)
    trace(program, "100000", FXT_TRACE_SIZE="1M")
    assert os.path.getsize("t.fxt") <= 1 << 20
    kept = steps()
    assert kept == list(range(len(kept))) and len(kept) > 30000, len(kept)
    assert dropped() == 100000 - len(kept)
    # A limit, beyond which a signal would end the program.
    done = subprocess.run([program, "100000"], env=environment("u.fxt"), check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19)))
    assert done.returncode == 0
    assert steps("u.fxt") == list(range(100000 - dropped("u.fxt"))) != []


def test_a_full_disk():
    libc = ctypes.CDLL(None)
    os.mkdir("disk")
    if libc.mount(b"tmpfs", b"disk", b"tmpfs", 0, b"size=512k") != 0:
        print("left out: nothing can be mounted")
        return
    try:
        program = build("program", LOOP)
        done = subprocess.run([program, "100000"], env=environment("disk/t.fxt"), check=True,
                              capture_output=True)
        assert done.stderr.decode() == (
            f"fxt/trace.h: {os.path.abspath('disk/t.fxt')}: No space left on device: events are "
            "dropped from now on\n"), done
        assert steps("disk/t.fxt") == list(range(100000 - dropped("disk/t.fxt"))) != []
    finally:
        libc.umount(b"disk")


def test_the_last_events_are_kept():
    program = build("program", LOOP)
    trace(program, "200000", "saved.fxt", FXT_TRACE_SIZE="1M", FXT_TRACE_MODE="keep-last")
    for path in ("t.fxt", "saved.fxt"):
        kept = steps(path)
        assert sorted(kept) == list(range(200000 - len(kept), 200000)), (path, len(kept))
        assert len(kept) > 30000, len(kept)
    cases.run(os.path.join(cases.TOOLS, "fxtmerge", "fxtmerge"), "-q", "--window", "1G", "-o",
              "merged.fxt", "t.fxt")
    assert steps("saved.fxt") == steps("merged.fxt") == sorted(steps("t.fxt"))


def test_sessions_and_categories_by_calls():
    program = build("program", r"""
#include <fxt/trace.h>
#include <errno.h>
#include <stdio.h>
static void all(int round)
{
    FXT_INSTANT("net", "a", "round", round);
    FXT_INSTANT("db.query", "b", "round", round);
    FXT_INSTANT("db.io", "c", "round", round);
}
int main(void)
{
    struct fxt_trace_options options = {.size = sizeof(options), .categories = "db.*,-db.io"};
    int busy;
    all(0);
    if (fxt_trace_save("none.fxt") != -1 || errno != ENOENT || fxt_trace_start(&options) != 0)
        return 1;
    busy = fxt_trace_start(&options) == -1 && errno == EBUSY;
    all(1);
    fxt_trace_set_categories("net");
    all(2);
    fxt_trace_set_categories(NULL);
    all(3);
    if (fxt_trace_save("memory.fxt") != 0)
        return 2;
    fxt_trace_stop();
    all(4);
    options.path = "second.fxt";
    options.categories = "-net";
    options.monotonic_clock = true;
    if (fxt_trace_start(&options) != 0)
        return 3;
    all(5);
    fxt_trace_stop();
    all(6);
    options.size = 1;
    return fxt_trace_start(&options) == -1 && errno == EINVAL && busy ? 0 : 4;
}
""", "-Wno-missing-field-initializers")
    trace(program, path=None)
    found = [(x["name"], x["args"][0]["value"]) for x in events("memory.fxt")]
    assert found == [("b", 1), ("a", 2), ("a", 3), ("b", 3), ("c", 3)], found
    found = [(x["name"], x["args"][0]["value"]) for x in events("second.fxt")]
    assert found == [("b", 5), ("c", 5)], found
    assert not os.path.exists("none.fxt") and not os.path.exists("trace.fxt")
    start = [x for x in records("second.fxt") if x.get("category") == "fxtrecord"][0]
    args = {a["name"]: a["value"] for a in start["args"]}
    assert args["start_monotonic_ns"] == start["time_ns"] and abs(
        args["start_unix_ns"] / 1e9 - time.time()) < 3600, start


def test_a_library_shares_the_session_and_may_go():
    with open("plugin.c", "w", encoding="utf-8") as file:
        file.write('#include <fxt/trace.h>\nvoid work(int n);\nvoid work(int n)\n'
                   '{\n    FXT_SCOPE("plugin", "work", "n", n);\n}\n')
    flags = ["-I", INCLUDE, LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY)]
    cases.run("cc", "-O2", "-shared", "-fPIC", "-o", "plugin.so", "plugin.c", *flags)
    program = build("program", r"""
#include <fxt/trace.h>
#include <dlfcn.h>
int main(void)
{
    for (int i = 0; i < 50; i++) {
        void *plugin = dlopen("./plugin.so", RTLD_NOW);
        void (*work)(int) = plugin ? (void (*)(int))(uintptr_t)dlsym(plugin, "work") : NULL;
        if (work == NULL)
            return 1;
        FXT_SCOPE("program", "call");
        work(i);
        dlclose(plugin);
    }
    fxt_trace_set_categories("none");
    FXT_INSTANT("program", "off");
    return 0;
}
""", *flags[2:], implementation=False)
    trace(program)
    found = events()
    assert names_of(found) == {(kind, name): 50 for kind in ("duration_begin", "duration_end")
                               for name in ("call", "work")}, names_of(found)
    assert [x["args"][0]["value"] for x in found if x["name"] == "work" and x["args"]] == list(range(50))


def test_the_implementation_may_go_before_threads():
    """Of a library that has it, or is alone in linking it; the program then forks, and its
    thread ends."""
    program = build("program", r"""
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_barrier_t both;
static void *run(void *work)
{
    ((void (*)(int))(uintptr_t)work)(1);
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return NULL;
}
int main(int argc, char **argv)
{
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void *work = plugin ? dlsym(plugin, "work") : NULL;
    pthread_t thread;
    int status = 1;
    pthread_barrier_init(&both, NULL, 2);
    if (work == NULL || pthread_create(&thread, NULL, run, work) != 0)
        return 1;
    pthread_barrier_wait(&both);
    dlclose(plugin);
    if (fork() == 0)
        _exit(0);
    wait(&status);
    if (argc > 2)
        raise(SIGUSR2);
    pthread_barrier_wait(&both);
    pthread_join(thread, NULL);
    return status;
}
""", implementation=False)
    with open("plugin.c", "w", encoding="utf-8") as file:
        file.write('#include <fxt/trace.h>\nvoid work(int n);\nvoid work(int n)\n'
                   '{\n    FXT_SCOPE("plugin", "work", "n", n);\n}\n')
    for name, flags in (("./linked.so", [LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY)]),
                        ("./own.so", ["-DFXT_TRACE_IMPLEMENTATION"])):
        cases.run("cc", "-O2", "-shared", "-fPIC", "-o", name, "plugin.c", "-I", INCLUDE, *flags)
        for mode in "keep-first", "stream":
            trace(program, name, FXT_TRACE_MODE=mode)
            assert len(events()) == 2, events()
        trace(program, name, "raise", path="signal.fxt", FXT_TRACE_SIGNAL="USR2")


def test_a_jump_over_scopes_is_found_by_lint():
    trace(build("program", r"""
#include <fxt/trace.h>
#include <setjmp.h>
static jmp_buf back;
static void leave(int i)
{
    FXT_SCOPE("j", "left");
    if (i % 2)
        longjmp(back, 1);
}
int main(void)
{
    for (volatile int i = 0; i < 4; i++) {
        FXT_SCOPE("j", "outer");
        if (setjmp(back) == 0)
            leave(i);
    }
    return 0;
}
"""))
    assert names_of(events()) == {("duration_begin", "outer"): 4, ("duration_end", "outer"): 4,
                                  ("duration_begin", "left"): 4, ("duration_end", "left"): 2}
    said = lint()
    assert said.returncode == 1 and "span-unclosed (2 times)" in said.stdout, said


def lint(path="t.fxt"):
    return subprocess.run([os.path.join(cases.TOOLS, "fxtlint", "fxtlint"), path], check=False,
                          capture_output=True, text=True)


def test_what_has_not_ended_yet_is_no_finding():
    """In the file of a program that runs, that is killed, or whose events were overwritten or
    dropped; where it has ended, what has not ended never does."""
    program = build("program", r"""
#include <fxt/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    FXT_BEGIN("p", "main");
    for (int i = argc > 2 ? atoi(argv[2]) : 0; i > 0; i--) {
        FXT_SCOPE("p", "outer");
        FXT_SCOPE("p", "inner");
    }
    if (strcmp(argv[1], "wait") == 0) {
        puts("");
        fflush(stdout);
        getchar();
    }
    if (strcmp(argv[1], "stop") == 0)
        fxt_trace_stop();
    if (strcmp(argv[1], "leave") == 0)
        _Exit(0);
    if (strcmp(argv[1], "leak") != 0)
        FXT_END("p", "main");
    return 0;
}
""")
    open_span = "note: span-unclosed: "
    for mode in "keep-first", "keep-last", "stream":
        for end in "kill", "return":
            with subprocess.Popen([program, "wait"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE,
                                  env=environment(FXT_TRACE_MODE=mode)) as child:
                child.stdout.readline()
                if mode != "stream":
                    said = lint()
                    assert said.returncode == 0 and open_span in said.stdout, (mode, said)
                if end == "kill":
                    child.kill()
            if (mode, end) == ("stream", "kill"):
                cases.run(os.path.join(cases.TOOLS, "fxttrace", "fxttrace"), "-o", "r.fxt",
                          "--recover", "t.fxt")
            said = lint("r.fxt" if (mode, end) == ("stream", "kill") else "t.fxt")
            assert said.returncode == 0, (mode, end, said)
            assert ("span-unclosed" in said.stdout) == (end == "kill"), (mode, end, said)
        for how, counts in ("stop", False), ("leave", False), ("leak", True):
            trace(program, how, path=f"{how}.fxt", FXT_TRACE_MODE=mode)
            if (how, mode) == ("leave", "stream"):
                continue
            said = lint(f"{how}.fxt")
            assert said.returncode == counts, (mode, how, said)
            assert ("fxt:0x" in said.stdout) and (open_span in said.stdout) != counts, (mode, said)
    for mode in "keep-first", "keep-last":
        trace(program, "leak", "20000", FXT_TRACE_MODE=mode, FXT_TRACE_SIZE="200K")
        cases.run(os.path.join(cases.TOOLS, "fxtmerge", "fxtmerge"), "-q", "-o", "m.fxt", "t.fxt")
        for path in ["m.fxt"] + ["t.fxt"] * (mode == "keep-first"):
            said = lint(path)
            assert said.returncode == 0 and "note: span-un" in said.stdout, (mode, path, said)


def test_too_many_sites_are_drops():
    program = build("program", "#include <fxt/trace.h>\nint main(void)\n{\n" + "".join(
        f'    FXT_INSTANT("many", "name {i}");\n' for i in range(300)) + """
    return 0;
}
""", "-O0")
    trace(program)
    assert [x["name"] for x in events()] == [f"name {i}" for i in range(300)]


if __name__ == "__main__":
    cases.main(sys.modules[__name__])
