#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Event traces in fxtreport's pages for browsers: spans, operations, counters, instants and
flows are those of the trace and of the other converters. Argument: the tools' build
directory."""
import collections
import json
import os
import random
import subprocess
import sys

import chrome_read
import fxtwrite
import html_read
import patience
import server_trace
from fxtwrite import arg, event
from profile_cases import FXTREPORT, TOOLS, main, run, write
from test_spans import matched

FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")
FXT2CHROME = os.path.join(TOOLS, "fxt2chrome", "fxt2chrome")
HOSTILE = [b"</script><script>alert(1)</script>", b"<img src=x onerror=alert(1)>", b"]]>&amp;\"'`\\",
           "\u2028\u202e\ufeff\U0001f525".encode(), b"\xff\xfe\x00\x1b[1m\r\n", b"%s" * 2000, b""]


def page(*arguments, status=0):
    run(FXTREPORT, "-q", "-o", "p.html", *arguments, status=status)
    return html_read.Page("p.html")


def sums_of(spans):
    sums = collections.defaultdict(lambda: (0, 0))
    for _, begin, end, name in spans:
        count, total = sums[name]
        sums[name] = count + 1, total + end - begin
    return dict(sums)


def chrome(name):
    return chrome_read.view(chrome_read.load(run(FXT2CHROME, "-q", name, text=False)))


def random_trace(rng, n):
    """Events of three providers, in which the same threads' ids are in two processes, and
    what they are: by process and thread (place, time, kind, end, name)."""
    trace, threads = fxtwrite.archive(), {}
    for provider in 1, 2, 3:
        trace.provider(provider, b"p%d" % provider)
    for place in range(n):
        trace.section(rng.randrange(1, 4))
        thread = (rng.choice((1, 7)), rng.randrange(10, 13))
        time, kind = rng.randrange(200), rng.choice(("complete", "begin", "end"))
        end, name = time + rng.choice((0, 0, 1, rng.randrange(200))), rng.choice("abcdefgh")
        threads.setdefault(thread, []).append((place, time, kind, end, name))
        if kind == "complete":
            trace.complete(time, end, *thread, name.encode(), category=name.encode() * 2)
        elif kind == "begin":
            trace.begin(time, *thread, name.encode(), category=name.encode() * 2)
        else:
            trace.end(time, *thread)
    return trace, threads


def test_spans_are_those_of_the_trace():
    """Unbalanced, crossing, without length, without end, and in no order."""
    for seed in range(30):
        rng = random.Random(seed)
        trace, threads = random_trace(rng, rng.choice((1, 5, 50, 500)))
        write("p.fxt", trace)
        expected = collections.Counter()
        for thread, events in threads.items():
            for begin, end, _, name in matched(events, 10**9):
                expected[(thread, begin, end - begin, name, name * 2)] += 1
        if not expected:
            continue
        read = page("p.fxt")
        found = collections.Counter(tuple(span[:5]) for span in read.events("slice"))
        assert found == expected, (seed, found - expected, expected - found)
        assert read.span_sums() == sums_of(chrome("p.fxt").spans), seed
        never_ended = sum(read.columns.get("slice.unfinished", []))
        opened = sum(kind == "begin" for events in threads.values() for _, _, kind, _, _ in events)
        assert never_ended <= opened


def test_spans_are_in_the_order_of_time():
    """So that a viewer can nest them: of those that begin together, the longest is first."""
    trace, _ = random_trace(random.Random(5), 2000)
    write("p.fxt", trace)
    read, last = page("p.fxt"), {}
    for (time, part), (_, begin, duration, _, _, _) in zip(read.starts("slice"), read.events("slice")):
        assert (begin, -duration) >= last.get(part, (-1, 0)) and time == begin
        last[part] = (begin, -duration)


def test_all_kinds_are_those_of_other_converters():
    server = server_trace.Server(200)
    write("p.fxt", server.trace)
    read, view = page("p.fxt"), chrome("p.fxt")
    states = {"blocked", "runnable", "suspended"}
    spans = [span for span in view.spans if span[3] not in states]
    assert read.span_sums() == sums_of(spans)
    assert sum(count for count, _ in read.span_sums().values()) == server.n_spans
    assert read.span_sums("async") == sums_of((None, *rest) for _, _, *rest in view.asyncs)
    start = int(read.facts["start_ns"])
    assert sorted((lane, time - start, name) for lane, time, _, name, _, _ in read.events("mark")) == \
        sorted(view.instants)
    assert len(list(read.events("flow"))) == len(view.flows)
    assert {(process, name): values for (process, name, _, _), values in
            ((key, [(time - start, value) for time, value in values])
             for key, values in read.values().items())} == {
                 (process, name.partition(":")[0]): values
                 for (process, name), values in view.counters.items()}


def test_flows_have_numbers():
    """One for each id, and the events of each in the order of time."""
    trace = fxtwrite.archive()
    for kind, time, thread, ident in ((8, 10, 2, 2**63 + 9), (9, 20, 3, 2**63 + 9), (8, 15, 3, 4),
                                      (10, 30, 4, 2**63 + 9), (10, 31, 2, 4)):
        trace.add(event(kind, time, (1, thread), b"c", b"flow", extra=[ident]))
    write("p.fxt", trace)
    read, flows = page("p.fxt"), collections.defaultdict(list)
    for (time, _), number, kind, of in zip(read.starts("flow"), read.columns["flow.number"],
                                           read.columns["flow.kind"], read.events("flow")):
        flows[number].append((time, kind, of[0][1]))
    assert sorted(sorted(flow) for flow in flows.values()) == [
        [(10, 0, 2), (20, 1, 3), (30, 2, 4)], [(15, 0, 3), (31, 2, 2)]], flows


def test_ids_of_flows_are_of_a_name_and_a_category():
    """And of no process: a flow goes from one to others."""
    trace = fxtwrite.archive()
    for kind, time, thread, category, name in (
            (8, 10, (1, 2), b"c", b"request"), (8, 11, (1, 2), b"c", b"reply"),
            (8, 12, (1, 2), b"d", b"reply"), (9, 20, (5, 6), b"c", b"reply"),
            (10, 30, (7, 8), b"d", b"reply"), (10, 31, (7, 8), b"c", b"request"),
            (10, 32, (1, 3), b"c", b"reply")):
        trace.add(event(kind, time, thread, category, name, extra=[7]))
    write("p.fxt", trace)
    read, flows = page("p.fxt"), collections.defaultdict(list)
    for (time, _), number in zip(read.starts("flow"), read.columns["flow.number"]):
        flows[number].append(time)
    assert sorted(sorted(flow) for flow in flows.values()) == [[10, 31], [11, 20, 32], [12, 30]], flows


def test_arguments():
    numbers = [(1, 2**32 - 7, -7), (3, 2**64 - 5, -5), (4, 2**53 - 1, 2**53 - 1),
               (4, 2**53, "9007199254740992"), (3, 2**63, "-9223372036854775808"), (7, 0xabc, "0xabc"),
               (8, 77, "77"), (5, 0.1, "0.1"), (6, b"<b>", "<b>"), (9, 1, "true"), (0, None, "null"),
               (5, float("inf"), "inf")]
    trace = fxtwrite.archive()
    for i, (kind, value, _) in enumerate(numbers):
        trace.add(event(4, i, (1, 2), b"c", b"span %d" % i, [arg(kind, b"v%d" % i, value)], extra=[100]))
        trace.add(event(0, i, (1, 2), b"c", b"mark", [arg(2, b"first", i), arg(6, b"second", b"x")]))
    write("p.fxt", trace)
    read = page("p.fxt")
    found = {span[3]: span[5] for span in read.events("slice")}
    for i, (_, _, shown) in enumerate(numbers):
        (name, value), = found["span %d" % i]
        assert name == "v%d" % i and value == shown, (i, value, shown)
    assert [mark[5] for mark in read.events("mark")] == \
        [[("first", i), ("second", "x")] for i in range(len(numbers))]


def test_the_arguments_of_an_end_follow_those_of_the_begin():
    trace = fxtwrite.archive()
    trace.add(event(2, 10, (1, 2), b"c", b"outer", [arg(2, b"a", 1)]))
    trace.add(event(2, 11, (1, 2), b"c", b"inner", []))
    trace.add(event(3, 12, (1, 2), b"c", b"inner", [arg(2, b"b", 2)]))
    trace.add(event(3, 13, (1, 2), b"c", b"outer", [arg(2, b"c", 3)]))
    write("p.fxt", trace)
    assert [span[5] for span in page("p.fxt").events("slice")] == [[("a", 1), ("c", 3)], [("b", 2)]]


def test_counters_of_all_kinds():
    values = [0, -1, 2**53 + 1, 1.5, -2.25e-300, 2**63]
    trace = fxtwrite.archive()
    for i, value in enumerate(values):
        kind = 5 if isinstance(value, float) else 4 if value >= 2**63 else 3
        bits = value if kind == 5 else value & 2**64 - 1
        trace.add(event(1, i, (1, 2), b"c", b"n", [arg(kind, b"v", bits), arg(6, b"w", b"no number")], extra=[0]))
        trace.add(event(1, i, (1, 3), b"c", b"n", [arg(1, b"v", i)], extra=[5]))
        trace.add(event(1, i, (9, 2), b"c", b"n", [arg(1, b"v", i)], extra=[0]))
    write("p.fxt", trace)
    found = page("p.fxt").values()
    assert found[(1, "n", "", "v")] == [(i, float(value)) for i, value in enumerate(values)], found
    assert len(found) == 3 and len(found[(1, "n", "5", "v")]) == len(found[(9, "n", "", "v")]) == 6, found


def test_a_recorders_statements_are_no_events():
    trace = fxtwrite.archive()
    trace.provider(1, b"fxtrecord")
    trace.recording(10**6)
    trace.backtrace(5000, 1, 2, 0x1000)
    trace.complete(6000, 7000, 1, 2, b"work")
    write("p.fxt", trace)
    read = page("p.fxt")
    assert read.facts["start_ns"] == "5000" and not list(read.events("mark"))
    assert [span[:4] for span in read.events("slice")] == [((1, 2), 6000, 1000, "work")]
    assert [time for time, _ in read.times()] == [5000]


def test_runs_and_waits_are_those_of_fxtdump():
    write("p.fxt", server_trace.Server(300).trace)
    read = page("p.fxt")
    stats = json.loads(run(FXTDUMP, "-q", "--stats", "--json", "p.fxt"))["scheduling"]
    busy, ran, waited = (collections.Counter() for _ in range(3))
    for cpu, _, duration, (_, thread) in read.runs():
        busy[cpu] += duration
        ran[thread] += duration
    parts = [part for _, part in read.starts("wait")]
    for part, duration, kind in zip(parts, read.columns["wait.duration"], read.columns["wait.kind"]):
        waited[(read.lane(read.columns["thread.lane"][part])[1], kind)] += duration
    assert busy == {cpu["cpu"]: cpu["busy_ns"] for cpu in stats["cpus"]}, (busy, stats["cpus"])
    for thread in stats["threads"]:
        koid = int(thread["thread"])
        assert ran[koid] == thread["run_ns"], (thread, ran)
        assert (waited[(koid, 0)], waited[(koid, 1)]) == (thread["blocked_ns"], thread["wait_ns"]), thread


def test_a_part_of_the_time():
    write("p.fxt", server_trace.Server(100).trace)
    read = page("--time", "20ms-30ms", "p.fxt")
    spans = list(read.events("slice"))
    assert spans and all(begin <= 30e6 and begin + duration >= 20e6 for _, begin, duration, *_ in spans)
    assert {lane[0] for lane, *_ in page("--pid", "200", "p.fxt").events("slice")} == {200}


def test_hostile_names():
    trace = fxtwrite.archive()
    for i, name in enumerate(HOSTILE):
        trace.process(10 + i, name)
        trace.thread(20 + i, name, 10 + i)
        who = (10 + i, 20 + i)
        trace.add(event(4, 100 * i, who, name, name, [arg(6, name, name), arg(10, b"blob", name[:8])],
                        extra=[100 * i + 50]))
        trace.add(event(1, 100 * i, who, name, name, [arg(2, name, i)], extra=[0]))
        for kind in 0, 5, 7, 8:
            trace.add(event(kind, 100 * i, who, name, name, extra=[i] if kind else []))
    write("p.fxt", trace)
    names = [span[3] for span in page("p.fxt").events("slice")]
    assert HOSTILE[0].decode() in names and HOSTILE[1].decode() in names, names
    assert len(names) == len(HOSTILE)


def test_bytes_of_an_event():
    """12 at most, beside strings and arguments."""
    write("p.fxt", server_trace.Server(2500).trace)
    read, bits = page("p.fxt"), 0
    rows = dict(read.facts["rows"])
    data = read.element("application/octet-stream", "rows")
    at = 0
    for name, n in read.facts["rows"]:
        first = at
        for _ in range(0, n, html_read.BLOCK):
            at += 1 + html_read.BLOCK // 8 * data[at]
        if not name.startswith("arg."):
            bits += at - first
    n = sum(rows.get(group + ".time", 0) for group in html_read.GROUPS)
    assert n > 30000 and bits * 4 / 3 <= 12 * n, bits / n


def test_many_of_everything():
    """What is hostile in its number is linear: names, threads, and depth."""
    trace = fxtwrite.archive()
    n = 30000
    for i in range(n):
        trace.complete(i, i + 1, 1 + i % 3, 100 + i, b"name %d" % i)
        trace.begin(i, 1, 5, b"deep")
        trace.add(event(1, i, (1, 5), b"c", b"counter %d" % i, [arg(1, b"v", i)], extra=[0]))
        trace.add(event(5, i, (1, 5), b"c", b"async %d" % i, extra=[i]))
    write("p.fxt", trace)
    read = page("p.fxt")
    sums = read.span_sums()
    assert len(sums) == n + 1 and sums["deep"][0] == n and len(read.values()) == n
    assert sum(read.columns["slice.unfinished"]) == sum(read.columns["async.unfinished"]) == n


def test_too_many_are_refused():
    """At once, with the option that takes as many as a page may have."""
    if not patience.IS_LONG:
        return
    n = 4000001
    record = fxtwrite.to_bytes(event(4, 5 * 10**8, (1, 2), 0, 0, extra=[10**9]))
    later = fxtwrite.to_bytes(event(4, 2 * 10**9, (1, 2), 0, 0, extra=[3 * 10**9]))
    with open("p.fxt", "wb") as file:
        file.write(fxtwrite.archive().data() + record * (n // 2) + later * (n - n // 2))
    done = subprocess.run([FXTREPORT, "-q", "-o", "p.html", "p.fxt"], stderr=subprocess.PIPE,
                          check=False, text=True)
    assert done.returncode == 2 and not os.path.exists("p.html"), done
    option = done.stderr.split("--time ")[1].strip()
    assert option == "0.500000000-1.999999999", done.stderr
    run(FXTREPORT, "-q", "-o", "p.html", "--time", option, "p.fxt")


def test_nothing_to_show():
    trace = fxtwrite.archive()
    trace.end(10, 1, 2, b"x")
    write("p.fxt", trace)
    done = subprocess.run([FXTREPORT, "-o", "p.html", "p.fxt"], stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"there are no samples" in done.stderr, done


if __name__ == "__main__":
    main(sys.modules[__name__])
