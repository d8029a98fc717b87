#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxttrace: traces of programs that run are started, stopped, switched and fetched, and those of
programs that crashed are found in core dumps; whatever the programs do.

Usage: test_fxttrace.py TOOLS INCLUDE [LIBRARY]"""
import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.argv[1:] = [os.path.abspath(x) for x in sys.argv[1:]]
import profile_cases as cases  # pylint: disable=wrong-import-position
import patience  # pylint: disable=wrong-import-position
from self_traced import build, dropped, environment, events, names_of  # pylint: disable=wrong-import-position

# None if it has sanitizers, of which the programs here know nothing.
LIBRARY = sys.argv[3] if len(sys.argv) > 3 else None
FXTTRACE = os.path.join(cases.TOOLS, "fxttrace", "fxttrace")

# A step a millisecond; what standard input asks for is done in between. As all programs here,
# it permits processes that are not its parent to look at it.
STEPS = r"""
#include <fxt/trace.h>
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void)
{
    struct pollfd input = {0, POLLIN, 0};
    char command = 0;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    for (unsigned i = 0; command != 'q'; i++) {
        if (command != 'i') {
            FXT_SCOPE("net", "step", "i", i);
            FXT_INSTANT("db", "row", "i", i);
        }
        if (i == 0)
            puts("begun"), fflush(stdout);
        if (poll(&input, 1, 1) > 0 && read(0, &command, 1) == 1) {
            struct fxt_trace_options options = {0};
            options.size = sizeof(options);
            options.path = "own.fxt";
            if (command == 's')
                printf("%d\n", fxt_trace_start(&options));
            if (command == 't')
                fxt_trace_stop(), puts("stopped");
            if (command == 'c')
                *(volatile int *)0 = 1;
            fflush(stdout);
        }
    }
    return 0;
}
"""


def ask(*arguments, status=0):
    done = subprocess.run([FXTTRACE, *arguments], capture_output=True, text=True, check=False,
                          timeout=patience.SECONDS)
    assert done.returncode == status, (arguments, done)
    return done


class Program:
    """One that has begun, and takes commands."""

    def __init__(self, path, file=None):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment(file))
        assert self.process.stdout.readline() == b"begun\n"
        self.id = str(self.process.pid)

    def tell(self, command):
        self.process.stdin.write(command.encode())
        self.process.stdin.flush()
        return self.process.stdout.readline().decode().strip()

    def state(self):
        """What the list says: whether it traces, and to what."""
        line = ask(self.id).stdout.splitlines()[0].split(maxsplit=3)
        assert line[0] == self.id, line
        return line[2:]


@contextlib.contextmanager
def running(path, file=None):
    program = Program(path, file)
    try:
        yield program
    finally:
        program.process.kill()
        program.process.wait()


def await_events(path, wanted):
    patience.wait_for(lambda: wanted <= {x["name"] for x in events(path)}, f"{wanted} in {path}")


def test_start_switch_stop():
    programs = [build("static", STEPS)]
    if LIBRARY is not None:
        programs += [build("linked", STEPS, LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY),
                           implementation=False)]
    for program in programs:
        with running(program) as p:
            listed = [line.split() for line in ask().stdout.splitlines()]
            assert [p.id, os.path.basename(program)[:15], "off"] in listed, listed
            said = ask("--start", "-o", "t.fxt", "--categories", "net", p.id).stderr
            assert "traces to t.fxt" in said, said
            await_events("t.fxt", {"step"})
            assert p.state()[0] == "on" and os.path.abspath("t.fxt") in p.state()[1]
            assert "db (off)" in ask(p.id).stdout and "net (off)" not in ask(p.id).stdout
            assert "traces already" in ask("--start", p.id, status=1).stderr
            ask("--categories", "-net", p.id)
            await_events("t.fxt", {"step", "row"})
            ask("--stop", p.id)
            assert p.state() == ["off", *p.state()[1:]]
            assert "does not trace" in ask("--stop", p.id, status=1).stderr
            assert "does not trace" in ask("--categories", "net", p.id, status=1).stderr
            found = events("t.fxt")
            time.sleep(0.02)
            assert events("t.fxt") == found
            # All were off in the last one; and its file is not open any more.
            ask("--start", "-o", "t.fxt", p.id)
            await_events("t.fxt", {"step", "row"})


def test_streams():
    os.mkfifo("pipe")
    with running(build("program", STEPS)) as p, open("piped.fxt", "wb") as to:
        ask("--start", "--stream", "-o", "t.fxt", "--categories", "net", p.id)
        assert "before it is streamed" in p.state()[1]
        patience.wait_for(lambda: os.path.getsize("t.fxt") > 10000, "a stream")
        ask("--stop", p.id)
        patience.wait_for(lambda: not os.path.exists("t.fxt.rings"), "the stream's end")
        found = names_of(events())
        ask("--start", "--stream", "-o", "pipe", p.id)
        with subprocess.Popen(["cat", "pipe"], stdout=to) as reader:
            patience.wait_for(lambda: os.path.getsize("piped.fxt") > 10000, "a stream")
            ask("--stop", p.id)
            reader.wait(timeout=patience.SECONDS)
    assert set(found) == {("duration_begin", "step"), ("duration_end", "step")}, found
    assert {x["name"] for x in events("piped.fxt")} == {"step", "row"}


def test_the_program_starts_and_stops_too():
    with running(build("program", STEPS)) as p:
        ask("--start", "-o", "t.fxt", p.id)
        assert p.tell("s") == "-1"
        ask("--stop", p.id)
        assert p.tell("s") == "0" and "own.fxt" in p.state()[1]
        assert p.tell("t") == "stopped" and p.state() == ["off"]
        ask("--start", p.id)
        assert p.state()[1].startswith("memory")
        assert p.tell("t") == "stopped"
        assert "not in memory" in ask("-o", "m.fxt", p.id, status=1).stderr
        assert not os.path.exists("m.fxt")
    assert {x["name"] for x in events("t.fxt")} == {x["name"] for x in events("own.fxt")} == {
        "step", "row"}
    # What the environment asked for is no different.
    with running("./program", "e.fxt") as p:
        assert "e.fxt" in p.state()[1]
        ask("-o", "f.fxt", p.id)
        assert events("f.fxt") == events("e.fxt")[:len(events("f.fxt"))] != []


def test_what_cannot_be_done():
    with running(build("program", STEPS)) as p:
        said = ask("--start", "-o", "none/t.fxt", p.id, status=1).stderr
        assert "No such file" in said and p.state() == ["off"], said
        assert "traced nothing" in ask("-o", "n.fxt", p.id, status=1).stderr
        # While there is no event, it waits.
        p.process.stdin.write(b"i")
        p.process.stdin.flush()
        time.sleep(0.05)
        assert "no event since" in ask("--start", "-o", "w.fxt", p.id).stderr
        assert "asked already" in ask("--start", p.id, status=1).stderr
        ask("--stop", p.id, status=0)
        p.process.stdin.write(b"x")
        p.process.stdin.flush()
        time.sleep(0.05)
        assert p.state() == ["off"] and not os.path.exists("w.fxt")
        gone = p.id
    assert "no such process" in ask(gone, status=2).stderr
    with subprocess.Popen(["sleep", "100"]) as other:
        for arguments in ["--start"], ["--stop"], ["-o", "n.fxt"], ["--categories", "x"], []:
            done = subprocess.run([FXTTRACE, *arguments, str(other.pid)], capture_output=True,
                                  text=True, check=False)
            # No process may look at it, which matters to some kernels.
            assert (done.returncode, "does not use fxt/trace.h" in done.stderr) in (
                (1, True), (2, False)), done
        other.kill()
    for wrong in (["--start"], ["--stop", "--start", "1"], ["x"], ["1", "2"], ["-o", "x.fxt"],
                  ["--size", "1M", "1"], ["--core", "c", "1"], ["-o", "x.svg", "1"],
                  ["--stop", "-o", "x.fxt", "1"], ["--start", "-o", "-", "1"],
                  ["--stream", "1"], ["--start", "--stream", "1"],
                  ["--start", "--stream", "--keep-last", "-o", "x.fxt", "1"]):
        ask(*wrong, status=2)


BUSY = r"""
#include <fxt/trace.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>
static void *run(void *thread)
{
    for (uint64_t i = 0; i < UINT64_MAX; i++)
        FXT_INSTANT("b", "event", "i", i, "same", ~i, "thread", (long)thread);
    return NULL;
}
int main(void)
{
    struct fxt_trace_options options = {0};
    pthread_t threads[3];
    options.size = sizeof(options);
    options.max_bytes = 1 << 19;
    options.mode = FXT_TRACE_KEEP_LAST;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (fxt_trace_start(&options) != 0)
        return 1;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    if (write(1, "begun\n", 6) != 6)
        return 1;
    pause();
    return 0;
}
"""


def test_fetched_while_it_is_overwritten():
    with running(build("program", BUSY)) as p:
        n = 0
        for _ in range(10):
            ask("-o", "t.fxt", p.id)
            last = {}
            for x in events("t.fxt"):
                args = {a["name"]: a["value"] for a in x["args"]}
                assert args["i"] ^ args["same"] == (1 << 64) - 1, x
                assert args["i"] > last.get(args["thread"], -1), x
                last[args["thread"]] = args["i"]
                n += 1
        assert n > 0


# Traces to memory, from which nothing but a core dump is left.
CRASHES = STEPS.replace("char command = 0;", """char command = 0;
    struct fxt_trace_options memory = {0};
    memory.size = sizeof(memory);
    memory.max_bytes = 1 << 20;
    if (argc == 1 && fxt_trace_start(&memory) != 0)
        return 1;""").replace("if (i == 0)", "if (i == 100) *(volatile int *)0 = 1;\nif (0)").replace(
            "main(void)", "main(int argc, char **argv)").replace("for (", "(void)argv;\nfor (", 1)


def crash_by_itself(*command, **more):
    """The kernel's core dump; None where that goes elsewhere."""
    with open("/proc/sys/kernel/core_pattern", encoding="ascii") as file:
        if "/" in file.read():
            return None
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False, env=environment(**more),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, unlimited))
    assert done.returncode == -signal.SIGSEGV, done
    return [x for x in os.listdir() if x.startswith("core")][0]


def crash_in_gdb(*command):
    if shutil.which("gdb") is None:
        return None
    cases.run("gdb", "-q", "-batch", "-ex", "run", "-ex", "generate-core-file g.core", "-ex", "kill",
              "--args", *command, stdin=subprocess.DEVNULL, env=environment(None))
    return "g.core"


def test_core_dumps():
    program = build("program", CRASHES)
    for core in crash_by_itself(program, path=None), crash_in_gdb(program):
        if core is None:
            print("left out: a way to dump core")
            continue
        ask("-o", "t.fxt", "--core", core)
        found = events("t.fxt")
        assert names_of(found) == {("duration_begin", "step"): 101, ("duration_end", "step"): 101,
                                   ("instant", "row"): 101}, names_of(found)
        assert [x["args"][0]["value"] for x in found if x["name"] == "row"] == list(range(101))
        assert dropped("t.fxt") == 0
        damage(core)
        os.unlink(core)
    # What was traced to a file is there.
    core = crash_by_itself(program, "to a file", path="own.fxt")
    if core is not None:
        said = ask("-o", "x.fxt", "--core", core, status=1).stderr
        assert "own.fxt" in said and not os.path.exists("x.fxt"), said
        assert len(events("own.fxt")) == 303
    said = ask("--core", "/bin/true", "-o", "x.fxt", status=2).stderr
    assert "no core dump" in said, said


def damage(core):
    """Whatever is in the file, there is a message, or an archive of what is left."""
    with open(core, "rb") as file:
        whole = file.read()
    magic = whole.index(b"fxt/trace.h: its session")
    chance = random.Random(7)
    for i in range(40):
        data = bytearray(whole)
        if i % 4 == 0:
            del data[chance.randrange(64, len(data)):]
        for _ in range(chance.randrange(1, 30)):
            at = chance.choice([magic + chance.randrange(64), chance.randrange(8192),
                                chance.randrange(len(whole))])
            if at < len(data):
                data[at] = chance.randrange(256)
        with open("damaged", "wb") as file:
            file.write(data)
        done = subprocess.run([FXTTRACE, "-o", "d.fxt", "--core", "damaged"], check=False,
                              capture_output=True, timeout=patience.SECONDS)
        assert done.returncode in (0, 1, 2), (i, done)
        assert done.returncode == 0 or done.stderr, (i, done)


HOSTILE = r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <fxt/trace.h>
#include <fxt/trace/layout.h>
static struct fxt_trace_control_ control __attribute__((aligned(64))) = {
    FXT_TRACE_MAGIC_ FXT_TRACE_VERSION_, 1, NULL, NULL, NULL};
static struct fxt_trace_state_ state;
static struct fxt_trace_request_ request;
static struct fxt_trace_file_ file;
static struct fxt_trace_chunk_ chunks[64];
static uint32_t session;
static uint64_t words[1 << 16];
static uint64_t any(void)
{
    uint64_t x = (uint64_t)random() << 32 ^ (uint64_t)random();
    return x >> random() % 64;
}
int main(void)
{
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    srandom(3);
    file.chunks = chunks;
    for (unsigned i = 0;; i++) {
        session = (uint32_t)any() | 2;
        control.session = i % 5 ? &session : (uint32_t *)(uintptr_t)any();
        control.state = i % 7 ? &state : (struct fxt_trace_state_ *)(uintptr_t)any();
        control.request = i % 5 ? &request : (struct fxt_trace_request_ *)(uintptr_t)any();
        state.file = i % 11 ? &file : (struct fxt_trace_file_ *)(uintptr_t)any();
        for (unsigned j = 0; j < sizeof(state.path); j++)
            state.path[j] = (char)random();
        file.words = i % 3 ? words : (uint64_t *)(uintptr_t)any();
        file.size = i % 2 ? any() : UINT64_MAX;
        file.n_chunks = i % 4 ? 64 : (uint32_t)any();
        file.n_begun = (uint32_t)any();
        file.has_drops = file.is_open = true;
        words[0] = FXT_MAGIC_RECORD;
        for (unsigned j = 0; j < 64; j++)
            chunks[j].n_begun = (uint32_t)random() % 3;
        for (unsigned j = 0; j < 100; j++) {
            words[1 + random() % 65535] = any();
            state.names.strings[random() % 32768] = state.names.text + any() % (1 << 21);
            state.names.is_category[random() % 32768] = 1;
            state.names.text[random() % sizeof(state.names.text)] = (char)random();
        }
        if (i == 0 && write(1, "begun\n", 6) != 6)
            return 1;
    }
}
"""


def test_hostile_programs():
    with running(build("program", HOSTILE, "-Wno-missing-field-initializers")) as p:
        for i in range(60):
            arguments = [[p.id], ["-o", "t.fxt", p.id], ["--categories", "x*,-y", p.id],
                         ["--stop", p.id], ["-q"], ["--start", "-o", "y.fxt", p.id]][i % 6]
            done = subprocess.run([FXTTRACE, *arguments], check=False, capture_output=True,
                                  timeout=patience.SECONDS)
            assert done.returncode in (0, 1), (arguments, done)
            shown = done.stdout.decode() + done.stderr.decode()
            assert all(x.isprintable() or x == "\n" for x in shown), shown
        assert p.process.poll() is None


def test_processes_that_end_meanwhile():
    program = build("program", STEPS)
    for i in range(10):
        with running(program) as p:
            asked = [subprocess.Popen([FXTTRACE, *x], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                     for x in (["-q"], ["--start", p.id], ["-o", "t.fxt", p.id])]
            time.sleep(0.002 * i)
            p.process.kill()
        for one in asked:
            one.communicate(timeout=patience.SECONDS)
            assert one.returncode in (0, 1, 2), (one.args, one.returncode)


if __name__ == "__main__":
    cases.main(sys.modules[__name__])
