#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Captures of stacks that a debugger took, as its log and as cargo-osdk's JSON, through the
converters. Argument: the tools' build directory."""
import collections
import gzip
import json
import os
import random
import subprocess
import sys

from profile_cases import FXT2FOLDED, FXT2PPROF, main, run

ROUND = "-<!OSDK_PROF_BT_ROUND!>-"
CLOSURE = "<(), (dyn core::ops::function::Fn<(), Output=()> + core::marker::Send), Global>"

# As in cargo-osdk's own test: what gdb says of two CPUs, twice. (CPU, frames as gdb prints
# them, leaf first.)
LOG = [
    (1, ["ostd::sync::spin::SpinLock<Queue, ostd::sync::spin::PreemptDisabled>::acquire_lock"
         "<Queue, ostd::sync::spin::PreemptDisabled> (...)",
         "ostd::sync::spin::SpinLock<Queue, ostd::sync::spin::PreemptDisabled>::lock (...)",
         "aster_nix::sched::priority_scheduler::{impl#1}::local_mut_rq_with (...)",
         "0xffffffff8826b205 in ostd::task::scheduler::reschedule (...)",
         "ostd::task::scheduler::yield_now ()",
         "0xffffffff880a92c5 in ostd::task::Task::yield_now ()",
         "aster_nix::thread::Thread::yield_now ()",
         "aster_nix::ap_init::ap_idle_thread ()",
         "core::ops::function::Fn::call ()",
         "0xffffffff880b341e in alloc::boxed::{impl#50}::call" + CLOSURE + " (...)",
         "aster_nix::thread::kernel_thread::create_new_kernel_task::{closure#0} ()",
         "0xffffffff882a3ea8 in alloc::boxed::{impl#50}::call" + CLOSURE + " (...)",
         "ostd::task::{impl#2}::build::kernel_task_entry ()",
         "0x0000000000000000 in ?? ()"]),
    (0, ["aster_nix::sched::priority_scheduler::{impl#1}::local_mut_rq_with (...)"] +
        ["0x%x in a::b%d<T> (...)" % (i, i) for i in range(10)] + ["0x0 in ?? ()"]),
    (1, ["0xffffffff880b0f6f in aster_nix::sched::priority_scheduler::{impl#4}"
         "::pick_next_current (...)"] +
        ["c::d%d::{closure#0} ()" % i for i in range(13)] + ["0x0 in ?? ()"]),
    (0, ["e::f%d ()" % i for i in range(9)] +
        ["0xffffffff88489808 in _ZN4ostd2mm14heap_allocator10HEAP_SPACE17h85a5340e6564f69d"
         "E.llvm.15305379556759765072 ()",
         "0x0000000000000000 in ?? ()"]),
]


def thread(cpu, number=None):
    number = cpu + 1 if number is None else number
    return "Thread %d (Thread 1.%d (CPU#%d [running])):" % (number, number, cpu)


def lines_of(stacks):
    lines = []
    for cpu, frames in stacks:
        lines.append(thread(cpu))
        lines += ["#%-3d%s" % (i, frame) for i, frame in enumerate(frames)]
    return lines


def write_lines(lines, name="gdb.log", end="\n"):
    with open(name, "wb") as file:
        file.write("".join(line + end for line in lines).encode())
    return name


def convert(*arguments, status=0, binary=False):
    """Standard output and error of fxt2folded."""
    done = subprocess.run([FXT2FOLDED, *arguments], capture_output=True, check=False)
    assert done.returncode == status, (arguments, done)
    return done.stdout if binary else done.stdout.decode(), done.stderr.decode()


def captures(name, *arguments, status=0):
    out, err = convert("--format", "json", *arguments, name, status=status)
    return json.loads(out)["stack_traces"], err


def write_json(traces, name="in.json", **more):
    with open(name, "w", encoding="utf-8") as file:
        json.dump({"stack_traces": traces, **more}, file)
    return name


def test_what_cargo_osdk_makes_of_its_log():
    source = ["0xffffffff880b0f6f in aster_nix::f (self=0xffff <sym+992480>) at src/a.rs:156",
              "156\t        let next = if !self.is_empty() {"]
    inferior = ["[Inferior 1 (process 1) detached]"]
    lines = (source + lines_of(LOG[:2]) + inferior + source + lines_of(LOG[2:]) + inferior)
    for end in ("\n", "\r\n"):
        found, err = captures(write_lines(lines, end=end))
        assert len(found) == 2 and all(len(capture) == 2 for capture in found)
        assert [len(found[0]["0"]), len(found[0]["1"]), len(found[1]["0"]),
                len(found[1]["1"])] == [12, 14, 11, 15]
        assert found[0]["0"][0] == "aster_nix::sched::priority_scheduler::local_mut_rq_with"
        assert found[0]["0"][11] == "??" and found[1]["1"][14] == "??"
        assert found[0]["1"][0] == "ostd::sync::spin::SpinLock::acquire_lock"
        assert found[0]["1"][9] == "alloc::boxed::call"
        assert found[1]["0"][9] == ("_ZN4ostd2mm14heap_allocator10HEAP_SPACE17h85a5340e6564f"
                                    "69dE.llvm.15305379556759765072")
        assert found[1]["1"][0] == ("aster_nix::sched::priority_scheduler"
                                    "::pick_next_current")
        assert "6 lines of the log skipped" in err
    out, _ = convert(write_lines(lines))
    assert out == "".join(sorted(";".join(reversed(stack)) + " 1\n"
                                 for capture in found for stack in capture.values()))


NAMES = [
    # What gdb prints after the number; the name as cleaned; the name in full.
    ("main (argc=1, argv=0x7ffe <x>) at t.c:3", "main", "main"),
    ("0x00005555 in main () from /lib/libx.so", "main", "main"),
    ("0x0 in ?? ()", "??", "??"),
    ("a::b<c::D<e>>::f<G> (...)", "a::b::f", "a::b<c::D<e>>::f<G>"),
    ("a::{impl#4}::b::{closure#0} ()", "a::b", "a::{impl#4}::b::{closure#0}"),
    ("a::b::{closure_env#0}<(a, b)>::c (...)", "a::b::c", "a::b::{closure_env#0}<(a, b)>::c"),
    ("a::b::{{closure}} ()", "a::b", "a::b::{{closure}}"),
    ("f::call_once{{vtable.shim}} ()", "f::call_once{{vtable.shim}}",
     "f::call_once{{vtable.shim}}"),
    ("a::sum::<u8> ()", "a::sum", "a::sum::<u8>"),
    ("<alloc::vec::Vec<T> as core::ops::Drop>::drop (...)",
     "<alloc::vec::Vec as core::ops::Drop>::drop",
     "<alloc::vec::Vec<T> as core::ops::Drop>::drop"),
    ("core::fmt::<impl core::fmt::Debug for Vec<T>>::fmt (...)",
     "core::fmt::<impl core::fmt::Debug for Vec>::fmt",
     "core::fmt::<impl core::fmt::Debug for Vec<T>>::fmt"),
    ("map<fn(&u8) -> u8, (u8, u8)>::next (...)", "map::next",
     "map<fn(&u8) -> u8, (u8, u8)>::next"),
    ("Set::operator< (this=0x1, other=...) at s.h:2", "Set::operator<", "Set::operator<"),
    ("std::operator<< <std::char_traits<char> > (...)", "std::operator<<",
     "std::operator<< <std::char_traits<char> >"),
    ("Ptr<int>::operator-> (this=0x1)", "Ptr::operator->", "Ptr<int>::operator->"),
    ("F<int>::operator() (this=0x1, a=2)", "F::operator()", "F<int>::operator()"),
    ("Cooperator<int>::run (...)", "Cooperator::run", "Cooperator<int>::run"),
    ("(anonymous namespace)::f (a=1)", "(anonymous namespace)::f",
     "(anonymous namespace)::f"),
    ("std::function<void (int)>::operator()(int) const ()",
     "std::function::operator()(int) const",
     "std::function<void (int)>::operator()(int) const"),
    ("Thing::operator new (size=8)", "Thing::operator new", "Thing::operator new"),
    ("f<(Kind)1, &g>(int) ()", "f(int)", "f<(Kind)1, &g>(int)"),
    ("memcpy@plt ()", "memcpy@plt", "memcpy@plt"),
    ("<signal handler called>", "<signal handler called>", "<signal handler called>"),
    ("::{closure#0} ()", "::{closure#0}", "::{closure#0}"),
    ("a < b ()", "a < b", "a < b"),
    ("na\u00efve::\u51fd<\u6570> ()", "na\u00efve::\u51fd", "na\u00efve::\u51fd<\u6570>"),
]


def test_names_are_cleaned_and_not_mangled():
    log = write_lines(lines_of([(0, [row[0] for row in NAMES])]))
    for column, options in ((1, ()), (2, ("--full-names",))):
        found, _ = captures(log, *options)
        for row, name in zip(NAMES, found[0]["0"]):
            assert row[column] == name, (row, name)
        assert len(found[0]["0"]) == len(NAMES)


def random_log(rng, n_captures, n_cpus):
    """Stacks in the order of a log, and the captures that they are."""
    stacks, expected = [], []
    for _ in range(n_captures):
        capture = {}
        for cpu in rng.sample(range(n_cpus), n_cpus):
            frames = ["f%d" % rng.randrange(5) for _ in range(rng.randrange(1, 5))]
            stacks.append((cpu, [frame + " ()" for frame in frames]))
            capture[str(cpu)] = frames
        expected.append(capture)
    return stacks, expected


def test_captures_of_any_cpus():
    for cpus in ((0,), (7, 127, 128, 300, 65535)):
        stacks = [(cpu, ["f%d ()" % cpu]) for cpu in cpus] * 3
        found, _ = captures(write_lines(lines_of(stacks)))
        assert found == [{str(cpu): ["f%d" % cpu] for cpu in cpus}] * 3
    found, err = captures(write_lines(lines_of(stacks)), "--cpu-mask", hex(1 << 300 | 1 << 7))
    assert found == [{"7": ["f7"], "300": ["f300"]}] * 3 and "9 samples left out" in err
    found, _ = captures(write_lines(lines_of(stacks)), "--cpu-mask", "128")
    assert found == [{"7": ["f7"]}] * 3


def test_a_line_that_ends_a_capture():
    lines = lines_of([(0, ["a ()"])]) + [ROUND] + lines_of([(1, ["b ()"])]) + [ROUND, ROUND]
    assert captures(write_lines(lines))[0] == [{"0": ["a"]}, {"1": ["b"]}]


def test_threads_that_are_no_cpus():
    lines = ["Thread 2 (Thread 0x7ffff (LWP 812) \"worker\"):", "#0  f (a=1)",
             "Thread 1.1 (process 3):", "#0  g ()",
             "Thread 2 received signal SIGINT, Interrupt.",
             "Thread 2 (LWP 812):", "#0  f (a=1)"]
    out, err = convert("--roots", "thread,cpu", write_lines(lines))
    assert out == "thread[1];cpu?;g 1\nthread[812];cpu?;f 2\n", out
    assert "1 line of the log" in err
    assert "2 samples left out: of an unknown CPU" in convert(
        "--cpus", "0", write_lines(lines[:4]), status=1)[1]
    assert captures(write_lines(lines))[0] == [
        {"65536": ["g"]}, {"65536": ["f"]}, {"65536": ["f"]}]


def model(lines):
    """What can be read of a log of f() frames, and how many lines cannot: as in
    import_gdb.c, but by looking at all of a stack at once."""
    stacks, homeless, foreign = [], 0, 0
    current = None
    for line in lines:
        if line.startswith("Thread "):
            current = (line, [])
            stacks.append(current)
        elif line.startswith("#") and line[1].isdigit():
            number = int(line[1:].split()[0])
            if number == 0 and current and current[1]:
                current = None
            if current is None or (current[1] and number <= current[1][-1][0]):
                homeless += 1
            else:
                current[1].append((number, line.split()[1]))
        elif line:
            foreign += 1
    return [s for s in stacks if s[1]], homeless, foreign


def folded(stacks):
    counts = collections.Counter(";".join(name for _, name in reversed(frames))
                                 for _, frames in stacks)
    return "".join(sorted("%s %d\n" % line for line in counts.items()))


def check_damaged(lines):
    stacks, homeless, foreign = model(lines)
    gaps = sum(frames[-1][0] != len(frames) - 1 for _, frames in stacks)
    out, err = convert("--from", "gdb", write_lines(lines),
                       status=1 if homeless or not stacks else 0)
    assert out == folded(stacks), (out, folded(stacks), lines)
    for n, text in ((homeless, " error"), (foreign, " line"), (gaps, " sample")):
        what = {" error": "in the input", " line": "of the log skipped",
                " sample": "with a gap"}[text]
        said = "%d%s%s %s" % (n, text, "s" * (n != 1), what)
        assert (said in err) == (n > 0), (said, err)


def test_a_log_cut_at_any_line():
    lines = lines_of(random_log(random.Random(1), 2, 2)[0])
    for cut in range(len(lines) + 1):
        check_damaged(lines[:cut])
        check_damaged(lines[cut:])
        check_damaged(lines[:cut] + lines[cut + 1:])


def test_logs_that_are_torn_and_full_of_other_lines():
    for seed in range(40):
        rng = random.Random(seed)
        lines = lines_of(random_log(rng, 3, rng.randrange(1, 4))[0])
        for _ in range(rng.randrange(8)):
            at = rng.randrange(len(lines))
            what = rng.randrange(4)
            if what == 0:
                del lines[at]
            elif what == 1:
                lines.insert(at, rng.choice(("warning: x", "0x12 in f ()", "Threads", "##")))
            elif what == 2:
                lines[at], lines[at - 1] = lines[at - 1], lines[at]
            else:
                lines.insert(at, "")
            if not lines:
                break
        check_damaged(lines)


def test_a_log_cut_within_a_line():
    data = "\n".join(lines_of([(0, ["abc (x=1)", "0xffff in def ()"]), (1, ["g ()"])]))
    for size in range(len(data) + 1):
        with open("cut.log", "w", encoding="ascii") as file:
            file.write(data[:size])
        out = subprocess.run([FXT2FOLDED, "-q", "--from", "gdb", "cut.log"],
                             stdout=subprocess.PIPE, check=False).stdout.decode()
        assert out in ("", "abc 1\n", "def;abc 1\n", "def;abc 1\ng 1\n"), (size, out)


def test_lines_without_an_end():
    lines = [thread(0), "#0 " + "f" * (3 << 20) + " ()", "#0  g ()", thread(1), "#0  h ()"]
    out, err = convert("--from", "gdb", write_lines(lines), status=1)
    assert out == "g 1\nh 1\n" and "2 errors" in err, err


def test_colours_of_a_terminal():
    lines = [thread(0), "#0  \x1b[33mmain\x1b[m (\x1b[36margc\x1b[m=1) at \x1b[32mt.c\x1b[m:3"]
    assert convert(write_lines(lines))[0] == "main 1\n"


def test_json_stays_as_it_is():
    rng = random.Random(4)
    for traces in (
            [],
            [{}],
            [{}, {"0": ["a"]}, {}, {}, {"1": ["b", "a"]}, {"2": ["c"]}, {}],
            random_log(rng, 20, 130)[1],
            [{"3": ["_ZN3foo3barEv", "a<b>::{c}", "x;y", " ", "tab\t\"\\/",
                    "\u0000\u0001\u007f", "na\u00efve \U0001f600"], "65536": ["?"]}]):
        status = 0 if any(traces) else 1
        found, _ = captures(write_json(traces), status=status)
        assert found == traces, (found, traces)
        found, err = captures(write_json(traces, version=18446744073709551615, more=[{}]),
                              status=status)
        assert found == traces and "2 members of the JSON skipped" in err


def test_json_is_written_over_itself_and_never_emptied():
    traces = random_log(random.Random(5), 5, 3)[1]
    name = write_json(traces)
    for _ in range(2):
        convert("-q", "-o", name, name)
        assert captures(name)[0] == traces
    convert("-q", "-o", name, "--cpus", "1", name)
    assert captures(name)[0] == [{"1": capture["1"]} for capture in traces]
    _, err = convert("-o", name, "--cpus", "7", name, status=1)
    assert "not written: it is an input, and nothing of it would be left" in err
    assert len(captures(name)[0]) == len(traces)
    for damage in ('{"stack_traces":[{"0":["a"]},{"0":["b"', '{}', "", "x"):
        with open(name, "w", encoding="ascii") as file:
            file.write(damage)
        _, err = convert("--from", "osdk-json", "-o", name, name, status=1)
        assert "not written: it is an input" in err
        with open(name, encoding="ascii") as file:
            assert file.read() == damage


def test_json_that_is_damaged():
    text = json.dumps({"stack_traces": [{"0": ["a"]}, {"1": ["b", "c"]}]})
    for size in range(len(text)):
        with open("cut.json", "w", encoding="ascii") as file:
            file.write(text[:size])
        out, err = convert("--from", "osdk-json", "cut.json", status=1)
        assert out in ("", "a 1\n", "a 1\nc;b 1\n") and "error" in err, (size, out, err)
    assert out == "a 1\nc;b 1\n"
    for text, expected, what in (
            ('{"stack_traces":[{"0":["a",7]},3,{"x":["b"]},{"-1":["b"]},{"1":"b"}]}', "a 1\n",
             "5 errors"),
            ('{"stack_traces":[{"65537":["a"],"18446744073709551616":["b"]}]}', "", "2 errors"),
            ('{"stack_traces":[{"0":["a"],"0":["b"]}]}', "a 1\n", "a second stack"),
            ('{"stack_traces":[{"0":[]}]}', "", "1 sample left out: a stack without frames"),
            ('{"stack_traces":[{"0":["a"]}]}}', "a 1\n", "damaged"),
            ('{"other":[{"0":["a"]}]}', "", "no array named stack_traces"),
            ("[" * 100000, "", "damaged")):
        with open("bad.json", "w", encoding="ascii") as file:
            file.write(text)
        out, err = convert("--from", "osdk-json", "bad.json", status=1)
        assert out == expected and what in err, (text, out, err)


def test_bytes_of_names():
    """cJSON has no NULs in strings, and refuses halves of surrogate pairs."""
    name = b'a\xffb\xc3\\u0000\\ud800\\\\u0000\\uD83D\\uDE00\\udc00\xff0\\u00e9'
    text = "a\ufffdb\ufffd\0\ufffd\\u0000\U0001f600\ufffd\ufffd0\u00e9"
    with open("bytes.json", "wb") as file:
        file.write(b'\xef\xbb\xbf{"stack_traces":[{"0":["' + name + b'"]}]}')
    assert captures("bytes.json")[0] == [{"0": [text]}]


def test_what_it_is_is_recognised():
    log = write_lines(["GNU gdb"] + lines_of([(0, ["a ()"])]))
    traces = write_json([{"0": ["a"]}])
    for name, other in ((log, "osdk-json"), (traces, "gdb")):
        assert convert(name)[0] == "a 1\n"
        with open(name, "rb") as file:
            data = file.read()
        assert subprocess.run([FXT2FOLDED, "-q"], input=data, stdout=subprocess.PIPE,
                              check=True).stdout == b"a 1\n"
        with gzip.open("compressed", "wb") as file:
            file.write(data)
        assert convert("compressed")[0] == "a 1\n"
        assert convert("--from", other, name, status=1)[0] == ""
        assert convert("--from", "fxt", name, status=1)[0] == ""
    assert convert(log, log, traces)[0] == "a 3\n"
    with open("more.json", "w", encoding="ascii") as file:
        file.write('{ "version": 1, "stack_traces": [{"0": ["a"]}]}')
    assert convert("more.json")[0] == "a 1\n"
    boot = ["[    0.%06d] a line of the kernel's that boots" % i for i in range(5000)]
    assert convert(write_lines(boot + lines_of([(0, ["a ()"])])))[0] == "a 1\n"
    assert captures(log, traces)[0] == [{"0": ["a"]}, {"0": ["a"]}]


def test_what_captures_do_not_have():
    name = write_json([{"0": ["a"]}])
    with open("cpu0.bin", "wb") as file:
        file.write(bytes(64))
    for options in (("--spans",), ("--time", "0-1"), ("--format", "markup"),
                    ("cpu0.bin",)):
        convert(*options, name, status=2)
        assert convert(name, *options, status=2)[1]
    run(FXT2PPROF, "--timestamps", name, status=2)


def test_other_ways_out():
    traces = [{"0": ["leaf", "root"], "1": ["other", "root"]}, {"0": ["leaf", "root"]}]
    name = write_json(traces)
    assert convert("--roots", "cpu", name)[0] == "cpu0;root;leaf 2\ncpu1;root;other 1\n"
    assert convert("--no-merge", name)[0] == "root;leaf 1\nroot;other 1\nroot;leaf 1\n"
    assert convert("--value", "time", "--period", "100ms", name)[0] == (
        "root;leaf 200000000\nroot;other 100000000\n")
    assert convert("--idle", "hide", "--idle-function", "^leaf$", name)[0] == (
        "root;other 1\n")
    svg = convert("--format", "svg", name)[0]
    assert "leaf" in svg and "other" in svg
    scope = json.loads(convert("--format", "speedscope", name)[0])
    assert [(p["name"], len(p["samples"])) for p in scope["profiles"]] == [
        ("cpu0", 2), ("cpu1", 1)]
    data = gzip.decompress(run(FXT2PPROF, name, text=False))
    assert b"leaf" in data and b"process_koid" not in data and b"cpu" in data
    lines = lines_of([(0, ["leaf ()", "root ()"]), (1, ["other ()", "root ()"]),
                      (0, ["leaf ()", "root ()"])])
    assert captures(write_lines(lines))[0] == traces
    assert os.path.getsize(name) > 0


if __name__ == "__main__":
    main(sys.modules[__name__])
