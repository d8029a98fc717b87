#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtlint: each rule by an archive of a few records that has it, what the command line
does, and that what our own programs write has no findings. Arguments: the directory of the
built tools, the one of the test data, the one of the examples; a recorder and a program, if
there are any."""
import array
import gzip
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import fxtwrite as w

START = [w.magic(), w.provider_info(1, b"p"), w.initialization(10**9), w.string(1, b"cat"),
         w.string(2, b"name"), w.string(3, b"process"), w.thread(1, 10, 11)]
INSTANT, COUNTER, BEGIN, END, COMPLETE, ASYNC_BEGIN, ASYNC_END = 0, 1, 2, 3, 4, 5, 7
FLOW_BEGIN, FLOW_STEP = 8, 9


def event(kind, time, args=(), extra=(), who=1, name=2, category=1):
    return w.event(kind, time, who, category, name, args, extra)


def int64(name, value=1):
    return w.arg(3, name, value)


PROCESS = w.kernel_object(1, 10, 2)
SPAN = [event(BEGIN, 5), event(END, 9)]
# A rule, and records after START of which one has it: its place among them, from 0. Those
# that are found at once in what else the record has are not named here.
ROWS = {
    "damaged": (0, [w.record(3, w.field(2, 16, 23), [1])]),
    "truncated": (0, [[event(INSTANT, 5)[0]]]),
    "framing-lost": (0, [[3]]),
    "zero-words": (0, [[0, 0, 0], event(INSTANT, 5)]),
    "string-unknown": (0, [event(INSTANT, 5, name=9)]),
    "thread-unknown": (0, [event(INSTANT, 5, who=9)]),
    "provider-unknown": (0, [w.provider_section(9)]),
    "index-zero": (0, [w.string(0, b"zero")]),
    "sample-size": (0, [w.large_blob(5, (10, 11), b"", b"", b"123456789")]),
    "not-utf8": (0, [event(INSTANT, 5, name=b"\xff")]),
    "string-size": (0, [w.string(4, b"a" * 32001)]),
    "negative-duration": (0, [event(COMPLETE, 9, extra=[8])]),
    "time-backwards": (1, [event(INSTANT, 9), event(INSTANT, 8)]),
    "time-overflow": (0, [event(INSTANT, 2**63)]),
    "span-unclosed": (0, [event(BEGIN, 5), event(BEGIN, 6), event(END, 7)]),
    "span-unopened": (2, SPAN + [event(END, 10)]),
    "async-unclosed": (0, [event(ASYNC_BEGIN, 5, extra=[7])]),
    "async-unopened": (0, [event(ASYNC_END, 5, extra=[7])]),
    "flow-unopened": (0, [event(FLOW_STEP, 5, extra=[7])]),
    "object-kind": (1, [PROCESS, w.kernel_object(17, 10, 2)]),
    "arg-kind": (1, [event(INSTANT, 5, [int64(3)]), event(INSTANT, 6, [w.arg(6, 3, 2)])]),
    "counter-empty": (0, [event(COUNTER, 5, [w.arg(6, 3, 2)], [7])]),
    "unknown": (0, [w.record(12, 0, [1])]),
    "newer": (0, [event(11, 5)]),
    "provider-again": (0, [w.provider_info(1, b"p")]),
    "no-rate": (1, [w.provider_info(2, b"q"), event(INSTANT, 5, who=(10, 11), name=b"n",
                                                     category=b"c")]),
    "rate": (0, [w.initialization(24000000)]),
    "rate-base": (0, [w.initialization(10**9, [5, 6])]),
    "rate-shared": (4, [w.provider_info(2, b"q"), w.initialization(24000000), event(INSTANT, 5),
                        w.provider_section(1), event(INSTANT, 5)]),
    "index-shared": (4, [w.provider_info(2, b"q"), w.initialization(10**9),
                         w.string(2, b"other"), w.provider_section(1), event(INSTANT, 5)]),
    "index-redefined": (1, [w.string(2, b"other"), event(INSTANT, 5)]),
    "string-bit": (0, [[w.string(4, b"a")[0] | 1 << 47, *w.string(4, b"a")[1:]]]),
    "surplus": (0, [event(INSTANT, 5, extra=[0, 0])]),
    "dialect": (0, [w.module(5, (10,), 1, b"m", b"0123")]),
    "mapping-flags": (1, [w.mapping(5, (10, 0), 1, 4096, 4096, 0, 5),
                          w.mapping(5, (10, 0), 1, 4096, 4096, 0, 4)]),
    "reference": (1, [event(INSTANT, 5, who=(10, 11), name=b"n", category=b"c"),
                      event(INSTANT, 6, who=(10, 11), name=b"n", category=b"c",
                            args=[int64(3)])]),
    "thread-inline": (0, [event(INSTANT, 5, who=(10, 11))]),
    "arg-name-inline": (0, [event(INSTANT, 5, [w.arg(4, b"n", 1)])]),
    "arg-text-inline": (0, [event(INSTANT, 5, [w.arg(6, 3, b"text")])]),
    "object-name-inline": (0, [w.kernel_object(1, 10, b"name")]),
    "object-no-process": (0, [w.kernel_object(2, 11, 2)]),
    "object-type": (0, [w.kernel_object(17, 5, 2)]),
    "koid-size": (1, [w.thread(2, 2**32, 1), event(INSTANT, 5, who=2)]),
    "id-size": (0, [event(COUNTER, 5, [int64(3)], [2**63])]),
    "arg-blob": (0, [event(INSTANT, 5, [w.arg(10, 3, b"x")])]),
    "arg-unread": (0, [event(INSTANT, 5, [w.arg(9, 3, True)])]),
    "arg-unsigned": (0, [event(INSTANT, 5, [w.arg(9, 3, True)])]),
    "counter-shared": (1, [event(COUNTER, 5, [int64(3)], [7]), event(COUNTER, 6, [int64(3)], [8])]),
    "complete-end": (0, [event(COMPLETE, 5, extra=[6])]),
    "async-id": (0, [event(ASYNC_BEGIN, 5, extra=[7]), event(ASYNC_END, 6, extra=[7])]),
    "async-unread": (0, [event(ASYNC_BEGIN, 5, extra=[7]), event(ASYNC_END, 6, extra=[7])]),
    "flow-outside": (2, SPAN + [event(FLOW_BEGIN, 10, extra=[7]), event(BEGIN, 11),
                                event(END, 12)]),
    "switch": (0, [w.context_switch(5, 0, 3, 11, 12)]),
    "scheduling-unread": (0, [w.thread_wakeup(5, 0, 11)]),
    "event-stops": (0, [event(ASYNC_BEGIN, 5, extra=[7]), event(ASYNC_END, 6, extra=[7])]),
    "record-stops": (0, [PROCESS]),
    "object-unread": (0, [w.kernel_object(3, 5, 2)]),
    "log-unread": (0, [w.log(5, 1, b"text")]),
    "userspace-unread": (0, [w.userspace_object(5, (10,), 2)]),
    "userspace-inline": (1, [w.userspace_object(5, 1, 2), w.userspace_object(5, (10,), 2)]),
    "profiler-unread": (0, [w.backtrace(5, (10, 11), [1, 2])]),
    "large-unread": (0, [w.large_blob(5, (10, 11), b"", b"", b"12345678")]),
    "large-size": (0, [w.large_blob(5, (10, 11), b"c", b"n", bytes(33000))]),
    "large-limit": (1, [w.large_blob(5, (10, 11), b"", b"", bytes((256 << 10) - 48)),
                        w.large_blob(5, (10, 11), b"", b"", bytes((256 << 10) - 40))]),
    "attachment": (0, [w.attachment(b"c", b"n", b"x")]),
    "blob-unread": (0, [w.blob(b"n", 1, b"x")]),
    "blob-perfetto": (1, [w.blob(b"n", 1, b"x"), w.blob(b"n", 3, b"x")]),
    "buffer-full": (0, [w.provider_event(1, 0)]),
}
# Of archives that begin otherwise.
WHOLE = {
    "no-magic": START[1:],
    "no-provider": [w.magic(), w.initialization(10**9), w.string(1, b"cat")],
    "big-endian": START,
    # There are more of these than are kept.
    "limit": [w.magic()] + [w.provider_info(i, b"p") + w.string(1, b"s") for i in range(300)],
}


def to_bytes(records, big_endian=False):
    return b"".join(w.to_bytes(record, big_endian) for record in records)


class Lint:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work

    def run(self, *arguments, stdin=b""):
        return subprocess.run([f"{self.tools}/fxtlint/fxtlint", *arguments], cwd=self.work,
                              capture_output=True, input=stdin, check=False)

    def write(self, name, data):
        pathlib.Path(self.work, name).write_bytes(data)
        return name

    def findings(self, data, *options, ignore="reference"):
        """{rule: offsets}; without what ftfrs makes of every table."""
        done = self.run("--json", "--places", "1000", "--ignore", ignore, *options, stdin=data)
        assert done.returncode in (0, 1) and not done.stderr, done
        found = json.loads(done.stdout)["findings"]
        assert done.returncode == any(one["counts"] for one in found), done
        return {one["rule"]: [place["offset"] for place in one["places"]] for one in found}


def check_rules(lint):
    rules = {one["rule"]: one for one in json.loads(lint.run("--rules", "--json").stdout)}
    assert rules.keys() == ROWS.keys() | WHOLE.keys(), rules.keys() ^ (ROWS.keys() | WHOLE.keys())
    assert not lint.findings(to_bytes(START + [event(INSTANT, 5, [int64(3)])] + SPAN))
    for rule, (place, records) in ROWS.items():
        # What is always so is looked at alone.
        ignore = "rate" if rule == "reference" else "reference"
        found = lint.findings(to_bytes(START + records), ignore=ignore)
        offset = len(to_bytes(START + records[:place]))
        assert found.get(rule, [None])[0] == offset, (rule, offset, found)
        # In the other byte order, too.
        other = lint.findings(to_bytes(START + records, big_endian=True), ignore=ignore)
        assert other.pop("big-endian") == [0] and other == found, (rule, other, found)
    for rule, records in WHOLE.items():
        found = lint.findings(to_bytes(records, big_endian=rule == "big-endian"))
        assert rule in found, (rule, found)
        if rule != "limit":
            assert found[rule] == [8 if rule == "no-provider" else 0], (rule, found)
    # What only readers lose counts only if they are named.
    for rule, one in rules.items():
        if rule not in ROWS:
            continue
        data = to_bytes(START + ROWS[rule][1])
        for reader in one["readers"]:
            assert lint.run("--reader", reader, stdin=data).returncode == 1, (rule, reader)
        if one["readers"] and not any(not rules[other]["readers"]
                                      for other in lint.findings(data)):
            assert lint.run(stdin=data).returncode == 0, rule


def check_matching(lint):
    """What is in the order of time, but not in that of the file; and what only looks wrong."""
    late = [event(END, 9), event(BEGIN, 5)]
    assert lint.findings(to_bytes(START + late)).keys() == {"time-backwards"}
    # Operations go from one thread to another, written by CPUs.
    operation = [event(ASYNC_END, 9, extra=[7]), w.thread(2, 10, 12),
                 event(ASYNC_BEGIN, 5, extra=[7], who=2)]
    found = lint.findings(to_bytes(START + operation))
    assert not {"async-unclosed", "async-unopened"} & found.keys(), found
    # The first thread of a process on Linux has its number.
    tasks = [w.kernel_object(1, 10, 2), w.kernel_object(2, 10, 2, [w.arg(8, 3, 10)])]
    # Its process is the one koid that magic-trace reads.
    assert not {"object-kind", "arg-unsigned"} & lint.findings(to_bytes(START + tasks)).keys()
    # Complete events are written when they end, or when they begin.
    complete = [event(COMPLETE, 6, extra=[7]), event(COMPLETE, 5, extra=[9]),
                event(INSTANT, 10), event(COMPLETE, 1, extra=[10])]
    assert lint.findings(to_bytes(START + complete)).keys() == {"complete-end"}
    # A counter is one by its name, its id and its process.
    for more, is_shared in ({}, False), ({"name": 3}, True), ({"who": (9, 11)}, True):
        two = [event(COUNTER, 5, [int64(3)], [7]), event(COUNTER, 6, [int64(3)], [7], **more)]
        found = lint.findings(to_bytes(START + two))
        assert ("counter-shared" in found) == is_shared, (more, found)
    # A flow in a span that another one in it has ended before.
    flow = [event(COMPLETE, 5, extra=[20]), event(COMPLETE, 6, extra=[7]),
            event(FLOW_BEGIN, 15, extra=[7])]
    assert "flow-outside" not in lint.findings(to_bytes(START + flow))
    # What an index means may change.
    changed = START + [event(INSTANT, 5), w.string(2, b"\xff"), event(INSTANT, 6)]
    assert lint.findings(to_bytes(changed))["not-utf8"] == [len(to_bytes(changed[:-1]))]
    # The scope of an instant may be stated.
    assert "surplus" not in lint.findings(to_bytes(START + [event(INSTANT, 5, extra=[0])]))


def check_parts(lint):
    """In a trace that says that it lacks records, begins without ends are notes."""
    ends = [event(BEGIN, 5), event(END, 6), event(END, 7), event(BEGIN, 8),
            event(ASYNC_BEGIN, 8, extra=[7]), event(ASYNC_END, 9, extra=[8]),
            event(FLOW_STEP, 9, extra=[7])]
    rules = {"span-unclosed", "span-unopened", "async-unclosed", "async-unopened",
             "flow-unopened"}
    drops = [w.arg(2, b"num_records", 3), w.arg(2, b"num_bytes", 99)]
    lacks = {text: w.string(32767, text) for text in (b"fxt-part", b"fxt-part 2",
                                                      b"fxt-part 12 of 12")}
    lacks["full"] = w.provider_event(1, 0)
    lacks["drops"] = w.event(COMPLETE, 3, (0, 1), b"kernel:meta", b"drop_stats", drops, [9])
    others = {text: w.string(32767, text) for text in (
        b"fxt-par", b"fxt-partial", b"fxt-part 0", b"fxt-part 2 of 3", b"fxt-part 02",
        b"fxt-part 2 of ", b"fxt-part 18446744073709551618", b"fxt-part 2\0")}
    others["index"] = w.string(32766, b"fxt-part")
    others["event"] = w.provider_event(1, 7)
    for what, record in (lacks | others).items():
        for records in (ends + [record], [record] + ends):
            done = lint.run("--json", stdin=to_bytes(START + records))
            found = {one["rule"]: one["counts"] for one in json.loads(done.stdout)["findings"]}
            counts = {rule for rule in found if found[rule]}
            assert counts == (set() if what in lacks else rules), (what, found)
            assert rules <= found.keys() and done.returncode == (what not in lacks), what
    part = to_bytes(START + ends + [lacks[b"fxt-part 2"]])
    assert b"note: span-unclosed: a span begins and never ends here, in a trace that says " \
        b"that it is not whole\n" in lint.run(stdin=part).stdout
    # All other findings are as they are elsewhere; and what is repaired is a part.
    assert lint.findings(part + to_bytes([event(INSTANT, 2)])).keys() > rules
    assert lint.run("-q", stdin=part + to_bytes([event(INSTANT, 2)])).returncode == 1
    done = lint.run("-q", "--fix", "-o", "-", stdin=part)
    assert done.returncode == 0 and done.stdout.endswith(to_bytes([lacks[b"fxt-part 2"]])), done


def check_split(lint):
    """Parts that fxtcut writes, of a trace in which a span never ends; and these merged."""
    records = [event(BEGIN, 1), event(BEGIN, 2), event(ASYNC_BEGIN, 3, extra=[7]),
               *(event(INSTANT, 4 + i) for i in range(20)), event(FLOW_BEGIN, 30, extra=[9]),
               w.thread(2, 10, 12), event(FLOW_STEP, 31, extra=[9], who=2),
               event(ASYNC_END, 40, extra=[7], who=2), event(END, 50)]
    lint.write("leak.fxt", to_bytes(START + records))
    expected = {"span-unclosed"}

    def program(name, *arguments):
        done = subprocess.run([f"{lint.tools}/{name}/{name}", "-q", *arguments], cwd=lint.work,
                              capture_output=True, check=False)
        assert done.returncode == 0 and not done.stderr, done

    def counts(name):
        done = lint.run("--json", name)
        found = json.loads(done.stdout)["findings"]
        assert done.returncode == any(one["counts"] for one in found), done
        return {one["rule"] for one in found if one["counts"]}

    program("fxtcut", "--split", "7", "-o", "some.fxt", "leak.fxt")
    parts = sorted(path.name for path in pathlib.Path(lint.work).glob("some.*.fxt"))
    assert len(parts) == 4 and counts("leak.fxt") == expected
    assert [counts(part) for part in parts] == [set()] * 4
    for some, found in ((parts, expected), (parts[::-1], expected), (parts[:1], set()),
                        (parts[:3], set()), (parts[1:], set()), (parts[:1] * 4, set()),
                        (parts + parts[:1], set()), (["leak.fxt", *parts], set())):
        program("fxtmerge", "-o", "together.fxt", *some)
        assert counts("together.fxt") == found, (some, found)
    for choice in (["--tid", "12"], ["--type", "duration_begin,flow_step"], ["--name", "name"],
                   ["--tid", "11", "--time", "0-35ns"], ["--pid", "10", "--split", "9"]):
        program("fxtcut", *choice, "-o", "chosen.fxt", "leak.fxt")
        for path in pathlib.Path(lint.work).glob("chosen.*fxt"):
            assert counts(path.name) == set(), (choice, path)
            path.unlink()
    # A window closes what it cuts, but not that of which the beginning was never there.
    program("fxtcut", "--time", "20ns-35ns", "-o", "window.fxt", "leak.fxt")
    assert counts("window.fxt") == set()
    program("fxtcut", "--time", "0-45ns", "-o", "window.fxt", parts[3])
    assert counts("window.fxt") == set()


def check_windows(lint):
    """Spans, and what is in them, are far from their ends in the file."""
    short = [one for i in range(40000) for one in (event(BEGIN, 4 * i + 10),
                                                   event(END, 4 * i + 11))]
    for first, at, last in ((event(BEGIN, 5), 40000, event(END, 10**6)),
                            (event(COMPLETE, 5, extra=[10**6]), 70000, []),
                            ([], 40000, event(COMPLETE, 5, extra=[10**6]))):
        flow = event(FLOW_BEGIN, 2 * at + 8, extra=[7])
        found = lint.findings(to_bytes(START + [first, *short[:at], flow, *short[at:], last]))
        assert not {"span-unclosed", "span-unopened", "flow-outside"} & found.keys(), found
    deep = [event(BEGIN, i) for i in range(100000)] + [event(END, 10**6)] * 100000
    assert not lint.findings(to_bytes(START + deep))


def check_surplus(lint):
    """Arguments of events whose strings are all registered have bits and words that mean
    nothing."""
    for kind in range(1, 9):
        arg = w.arg(kind, 3, 2)
        spoiled = [w.arg(kind, 3, 2, extra=[0])]
        if kind > 2:
            spoiled += [[arg[0] | 1 << bit] + arg[1:] for bit in (48, 63)]
        for args, is_found in [([arg], False), *(([one], True) for one in spoiled)]:
            for of_kind, extra in (INSTANT, []), (COMPLETE, [9]):
                found = lint.findings(to_bytes(START + [event(of_kind, 5, args, extra)]))
                assert ("surplus" in found) == is_found, (kind, args, found)


def check_command_line(lint):
    good = lint.write("good.fxt", to_bytes(START + SPAN))
    bad = lint.write("b\nad.fxt", to_bytes(START + SPAN[:1] * 5))
    lint.write("good.fxt.gz", gzip.compress(to_bytes(START + SPAN)))
    done = lint.run(good, bad)
    note = "ftfrs: texts and threads that are in the table stay numbers\n"
    assert done.returncode == 1 and done.stdout.decode() == (
        f"good.fxt:0x70: note: reference (2 times): {note}"
        "b\\nad.fxt:0x70: span-unclosed (5 times): a span begins and never ends\n"
        "    0x70: name, thread 10/11\n    0x80: name, thread 10/11\n"
        f"    0x90: name, thread 10/11\nb\\nad.fxt:0x70: note: reference (5 times): {note}"), done
    assert lint.run("--places", "0", bad).stdout.count(b"\n") == 2
    assert (lint.run("-q", bad).stdout, lint.run("-q", bad).returncode) == (b"", 1)
    assert lint.run("good.fxt.gz").returncode == 0
    for arguments in (("--ignore", "reference,span-unclosed", bad),
                      ("--ignore", "span-unclosed", "--ignore", "rate,reference", bad)):
        done = lint.run(*arguments)
        assert (done.returncode, done.stdout) == (0, b""), done
    for arguments in (("missing.fxt",), ("--ignore", "nothing", good), ("--reader", "", good),
                      ("--places", "x", good), ("--fix", good), ("-o", "x.fxt", good),
                      ("--fix", "-o", "x.fxt", good, bad), ("--fix", "-o", good, good),
                      ("--fix", "-o", "x.svg", good), ("/proc/self/exe",)):
        done = lint.run(*arguments)
        assert done.returncode == 2 and done.stderr, (arguments, done)
    # One that cannot be used does not hide what is found in others.
    done = lint.run("missing.fxt", bad)
    assert done.returncode == 2 and b"span-unclosed" in done.stdout, done
    assert not list(pathlib.Path(lint.work).glob("x.*"))


def check_fix(lint):
    bad = to_bytes(START + [event(COMPLETE, 9, extra=[8]), event(INSTANT, 20, name=b"\xff"),
                            [0, 0]])
    done = lint.run("--fix", "-o", "-", stdin=bad)
    assert done.returncode == 0 and b"negative-duration" in done.stderr, done
    assert lint.findings(done.stdout).keys() == {"complete-end"}
    lint.write("bad.fxt", bad)
    done = lint.run("--fix", "-o", "fixed.fxt.gz", "bad.fxt")
    assert done.returncode == 0 and b"not-utf8" in done.stdout and not done.stderr, done
    fixed = pathlib.Path(lint.work, "fixed.fxt.gz").read_bytes()
    assert gzip.decompress(fixed) == lint.run("--fix", "-o", "-", stdin=bad).stdout
    # What is before the end of a cut file is kept.
    whole = gzip.compress(to_bytes(START + [event(INSTANT, at) for at in range(1000)]))
    lint.write("cut.fxt.gz", whole[:len(whole) // 2])
    done = lint.run("--fix", "-o", "kept.fxt", "cut.fxt.gz")
    assert done.returncode == 1 and b"ends early" in done.stderr, done
    kept = pathlib.Path(lint.work, "kept.fxt").read_bytes()
    assert b"name" in kept and not lint.findings(kept), kept
    # What cannot be repaired is still found.
    assert lint.run("-q", "--fix", "-o", "-", stdin=to_bytes(START + SPAN[:1])).returncode == 1
    # Texts that are arguments leave room in the table for names.
    texts = [event(INSTANT, i, [w.arg(6, 3, b"text %d" % i)]) for i in range(17000)]
    texts.append(event(INSTANT, 17000, name=b"late"))
    done = lint.run("-q", "--fix", "-o", "-", stdin=to_bytes(START + texts))
    found = lint.findings(done.stdout)
    assert found.keys() == {"arg-text-inline"} and 600 < len(found["arg-text-inline"]) < 700, found
    assert lint.run("-q", "--fix", "-o", "-", stdin=done.stdout).stdout == done.stdout
    # More than fit into tables are inline, and mean the same.
    many = START + [w.thread(1, 10, 100 + i) + event(INSTANT, i + 1) for i in range(600)]
    done = lint.run("-q", "--fix", "-o", "-", stdin=to_bytes(many))
    assert done.returncode == 0, done
    found = lint.findings(done.stdout)
    assert found.keys() == {"thread-inline"} and len(found["thread-inline"]) == 345, found


def check_many_providers(lint):
    """Each has a string that it refers to, and again after others; memory is bounded."""
    n = 20000
    providers = [w.provider_info(i, b"") + w.string(1, b"s%d" % (i % 500)) +
                 event(INSTANT, 5, who=(10, 11), name=1) for i in range(1, n)]
    again = [w.provider_section(i) + event(INSTANT, 6, who=(10, 11), name=1)
             for i in range(1, n, 50)]
    lint.write("many.fxt", to_bytes([w.magic(), *providers, *again]))
    process = subprocess.Popen([f"{lint.tools}/fxtlint/fxtlint", "-q", "--fix", "-o", "fixed.fxt",
                                "many.fxt"], cwd=lint.work)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1) and usage.ru_maxrss < 1 << 20, usage
    before, after = (
        [(one["time_ns"], one["name"], one["thread"]) for one in
         map(json.loads, subprocess.run([f"{lint.tools}/fxtdump/fxtdump", "--json", "-q",
                                         "--type", "event", f"{lint.work}/{name}"],
                                        capture_output=True, check=True).stdout.splitlines())]
        for name in ("many.fxt", "fixed.fxt"))
    assert before == after and len(before) == len(providers) + len(again)


def check_many_operations(lint):
    """More are open than are kept, and others come and go."""
    n_open, n_others = (1 << 20) - 1, 1000
    ids = range(n_open + n_others)
    begin, end = (event(kind, 5, extra=[0])[:2] for kind in (ASYNC_BEGIN, ASYNC_END))
    events = [(*begin, i) for i in ids[:n_open]]
    for i in ids[n_open:]:
        events += (*begin, i), (*end, i)
    words = array.array("Q", itertools.chain.from_iterable(events))
    if sys.byteorder == "big":
        words.byteswap()
    lint.write("many.fxt", to_bytes(START) + words.tobytes())
    done = lint.run("--json", "many.fxt")
    times = {one["rule"]: one["times"] for one in json.loads(done.stdout)["findings"]
             if one["counts"]}
    assert times == {"async-unclosed": n_open, "limit": 1}, times


# Of what tests/data has, findings; all but those in files of damage are there on purpose.
DATA = {
    "every.fxt": {"string-unknown", "thread-unknown", "time-backwards", "time-overflow"},
    "every_big_endian.fxt": {"string-unknown", "thread-unknown", "time-backwards",
                             "time-overflow"},
    "hostile.fxt": {"not-utf8", "time-backwards"},
    "redefined.fxt": {"index-zero"},
    "lost.fxt": {"framing-lost"},
    "damaged.fxt": {"damaged", "truncated", "string-unknown"},
    "said_wrong.fxt": {"damaged"},
    # The kernel's own strings are not in its regions.
    "region.bin": {"string-unknown"},
}


def check_ours(lint, data, examples, recorder):
    rules = {one["rule"]: one for one in json.loads(lint.run("--rules", "--json").stdout)}
    for name, expected in DATA.items():
        found = lint.findings(pathlib.Path(data, name).read_bytes())
        assert {rule for rule in found if not rules[rule]["readers"]} == expected, (name, found)
    sound = pathlib.Path(data, "redefined.fxt").read_bytes()
    copy = f"{examples}/fxtcopy"
    for option in ("--big-endian", "--in-line") if os.path.exists(copy) else ():
        written = subprocess.run([copy, option], input=sound, capture_output=True, check=False)
        assert lint.run(stdin=written.stdout).returncode == 0, lint.run(stdin=written.stdout)
    if recorder:
        fxtrecord, program = (os.path.abspath(path) for path in recorder)
        for options in (["--last", "1s"], ["--off-cpu"], ["--backtraces"], []):
            done = subprocess.run([fxtrecord, "-q", "-d", "0.3", "-o", "own.fxt", *options,
                                   program], cwd=lint.work, capture_output=True, check=False)
            if not os.path.exists(f"{lint.work}/own.fxt"):
                print("not recorded:", done.stderr)
                continue
            done = lint.run("own.fxt")
            assert done.returncode == 0, done
            assert lint.run("-q", "--fix", "-o", "own2.fxt", "own.fxt").returncode == 0
            os.replace(f"{lint.work}/own.fxt", f"{lint.work}/recorded.fxt")
    check_programs(lint, examples)


def check_programs(lint, examples):
    """What others of our programs write; test_traced_pool looks at what fxt/trace.h does."""
    programs = {name: f"{lint.tools}/{name}/{name}" for name in ("fxtcut", "fxtheap", "fxtmerge",
                                                                "fxtsymbolize")}
    programs["selfsample"] = os.path.abspath(f"{examples}/selfsample/selfsample")
    os.mkdir(f"{lint.work}/regions")
    crossing = [event(ASYNC_BEGIN, 10, extra=[7]), event(BEGIN, 20), event(INSTANT, 50),
                event(END, 80), event(ASYNC_END, 90, extra=[7])]
    pathlib.Path(lint.work, "crossing.fxt").write_bytes(to_bytes(START + crossing))
    n_written = 0
    for program, *arguments, written in (
            ("fxtheap", "run", "-q", "--at-exit", "heap.fxt", "ls", "heap.fxt"),
            ("fxtcut", "-q", "--time", "20ms-60ms", "-o", "cut.fxt", "recorded.fxt", "cut.fxt"),
            ("fxtcut", "--time", "30ns-70ns", "-o", "edges.fxt", "crossing.fxt", "edges.fxt"),
            ("fxtmerge", "-q", "-o", "merged.fxt", "recorded.fxt", "heap.fxt", "merged.fxt"),
            ("fxtsymbolize", "-q", "-o", "named.fxt", "recorded.fxt", "named.fxt"),
            ("selfsample", "-d", "1", "regions", "regions/cpu0.bin")):
        if os.path.exists(programs[program]):
            subprocess.run([programs[program], *arguments], cwd=lint.work, capture_output=True,
                           check=False)
        if not os.path.exists(f"{lint.work}/{written}"):
            print("not written:", program)
            continue
        done = lint.run(written)
        assert done.returncode == 0, done
        n_written += 1
    print(n_written, "programs of 6")


def main(tools, data, examples, *recorder):
    with tempfile.TemporaryDirectory() as work:
        lint = Lint(tools, work)
        check_rules(lint)
        check_matching(lint)
        check_parts(lint)
        check_split(lint)
        check_windows(lint)
        check_surplus(lint)
        check_command_line(lint)
        check_fix(lint)
        check_many_providers(lint)
        check_many_operations(lint)
        check_ours(lint, data, examples, recorder)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
