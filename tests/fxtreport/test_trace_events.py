#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The events of traces in reports, checked by an independent implementation of the
statistics over what tests/support/fxtref.py reads. Argument: the tools' build directory.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

import fxtref
import fxtwrite as w

TOOLS = sys.argv[1]
FXTREPORT = os.path.join(TOOLS, "fxtreport", "fxtreport")
FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")
NUMBERS = ("int32", "uint32", "int64", "uint64", "double")


# ---- The statistics, again ----


def nearest_rank(times, percent):
    return sorted(times)[max(math.ceil(percent * len(times) / 100), 1) - 1]


def records_of(data):
    """Each event with its stream, which is its provider's no more: koids are global."""
    return [r for r in fxtref.read_inputs([data]).objects if r.get("type") == "event"]


def thread_of(record):
    return record["process"], record["thread"]


def match(events):
    """Spans as (start, end, place, label, unfinished), from (time, place, kind, end, label).
    """
    events = sorted(events, key=lambda e: e[:2])
    last = max([e[0] for e in events] + [e[3] for e in events if e[2] == "complete"])
    spans, stack = [], []
    for time, place, kind, end, label in events:
        if kind == "complete":
            spans.append((time, end, place, label, False))
        elif kind == "begin":
            stack.append((time, place, label))
        elif stack:
            start, begun, what = stack.pop()
            spans.append((start, time, begun, what, False))
    return spans + [(start, last, place, label, True) for start, place, label in stack]


def self_times(spans):
    """By label: of every stretch between two times, the span that began last has it."""
    result = Counter()
    order = sorted(spans, key=lambda s: (s[0], -s[1], s[2]))
    edges = sorted({s[0] for s in spans} | {s[1] for s in spans})
    for start, end in zip(edges, edges[1:]):
        stack = [s for s in order if s[0] <= start and s[1] >= end]
        if stack:
            result[stack[-1][3]] += end - start
    return result


def summarized(times, count, unfinished, extra=()):
    row = {"count": count, "total_ns": sum(times), "unfinished": unfinished,
           "min_ns": min(times, default=0), "max_ns": max(times, default=0)}
    for percent in 50, 90, 99:
        row["p%d_ns" % percent] = nearest_rank(times, percent) if times else 0
    row.update(extra)
    return row


def is_wanted(window, start, end):
    return window is None or (end >= window[0] and start <= window[1])


def spans_of(records, window, wants):
    threads = defaultdict(list)
    for place, r in enumerate(records):
        kind = {"duration_begin": "begin", "duration_end": "end",
                "duration_complete": "complete"}.get(r["event"])
        if kind and not (kind == "complete" and r["end_timestamp"] < r["timestamp"]):
            threads[thread_of(r)].append((r["time_ns"], place, kind, r.get("end_time_ns"),
                                          (r["name"] or r["category"], r["category"])))
    times, own, unfinished = defaultdict(list), Counter(), Counter()
    for thread, events in threads.items():
        if not wants(*thread):
            continue
        spans = match(events)
        # The self time of a span is that of all of it, wherever the window is.
        alone = self_times([s[:3] + (i, s[4]) for i, s in enumerate(spans)])
        for number, span in enumerate(spans):
            if not is_wanted(window, *span[:2]):
                continue
            own[span[3]] += alone[number]
            times[span[3]].append(span[1] - span[0])
            unfinished[span[3]] += span[4]
    return {label: summarized(times[label], len(times[label]), unfinished[label],
                              {"self_ns": own[label]}) for label in times}


def async_of(records, window, wants):
    groups = defaultdict(list)
    for place, r in enumerate(records):
        kind = {"async_begin": "begin", "async_end": "end"}.get(r["event"])
        if kind:
            name = r["name"] or r["category"]
            groups[r["process"], r["async_id"], name].append(
                (r["time_ns"], place, kind, None, (name, r["category"], thread_of(r))))
    times, count, unfinished = defaultdict(list), Counter(), Counter()
    for events in groups.values():
        for start, end, _, (name, category, thread), is_open in match(events):
            if not wants(*thread) or not is_wanted(window, start, end):
                continue
            count[name, category] += 1
            unfinished[name, category] += is_open
            if not is_open:
                times[name, category].append(end - start)
    return {label: summarized(times[label], count[label], unfinished[label])
            for label in count}


def flows_of(records, window, wants):
    flows = defaultdict(list)
    for place, r in enumerate(records):
        if r["event"].startswith("flow"):
            flows[r["flow_id"], r["name"] or r["category"], r["category"]].append(
                (r["time_ns"], place, r["event"][5:], r))
    found = []
    for events in flows.values():
        current = None
        for time, _, kind, r in sorted(events, key=lambda e: e[:2]):
            if kind == "begin":
                current = [(time, kind, r)]
                found.append(current)
            elif current:
                current.append((time, kind, r))
                current = None if kind == "end" else current
    times, count, unfinished, steps = defaultdict(list), Counter(), Counter(), defaultdict(list)
    for flow in found:
        r = flow[0][2]
        if not wants(*thread_of(r)) or not is_wanted(window, flow[0][0], flow[-1][0]):
            continue
        label = r["name"] or r["category"], r["category"]
        count[label] += 1
        steps[label] += [b[0] - a[0] for a, b in zip(flow, flow[1:])]
        if flow[-1][1] == "end":
            times[label].append(flow[-1][0] - flow[0][0])
        else:
            unfinished[label] += 1
    return {label: summarized(times[label], count[label], unfinished[label], {
        "steps": len(steps[label]), "step_min_ns": min(steps[label], default=0),
        "step_max_ns": max(steps[label], default=0),
        **{"step_p%d_ns" % p: nearest_rank(steps[label], p) if steps[label] else 0
           for p in (50, 90, 99)}}) for label in count}


def counters_of(records, window, wants):
    series = defaultdict(list)
    for place, r in enumerate(records):
        if r["event"] != "counter" or not wants(*thread_of(r)) or not is_wanted(
                window, r["time_ns"], r["time_ns"]):
            continue
        for arg in r["args"]:
            if arg["type"] in NUMBERS:
                key = (r["name"] or r["category"], r["category"], arg["name"],
                       r["counter_id"], r["process"])
                series[key].append((r["time_ns"], place, arg["value"]))
    result = {}
    for key, values in series.items():
        values.sort(key=lambda v: v[:2])
        numbers = [v[2] for v in values]
        length = values[-1][0] - values[0][0]
        mean = sum(numbers) / len(numbers)
        if length:
            mean = sum(a[2] * (b[0] - a[0]) for a, b in zip(values, values[1:])) / length
        result[key] = {"count": len(values), "min": min(numbers), "max": max(numbers),
                       "mean": mean, "last": numbers[-1]}
    return result


def instants_of(records, window, wants):
    return Counter(
        (r["name"] or r["category"], r["category"]) for r in records
        if r["event"] in ("instant", "async_instant") and wants(*thread_of(r))
        and is_wanted(window, r["time_ns"], r["time_ns"]))


# ---- Comparing ----


def report(data, *options, status=0):
    with tempfile.NamedTemporaryFile(suffix=".fxt") as file:
        file.write(data)
        file.flush()
        done = subprocess.run([FXTREPORT, "-q", *options, file.name], capture_output=True,
                              check=False)
    assert status in (None, done.returncode), (done.returncode, done.stderr)
    return done.stdout


def require_rows(rows, expected):
    found = {(row["name"], row["category"]): row for row in rows}
    assert len(found) == len(rows)
    assert set(found) == set(expected), (sorted(found), sorted(expected))
    for label, numbers in expected.items():
        row = {key: found[label][key] for key in numbers}
        assert row == numbers, (label, row, numbers)


def compare(data, options=(), window=None, wants=lambda process, thread: True):
    records = records_of(data)
    expected = (spans_of(records, window, wants), async_of(records, window, wants),
                flows_of(records, window, wants), counters_of(records, window, wants),
                instants_of(records, window, wants))
    if not any(expected):
        return
    shown = json.loads(report(data, "--json", *options))
    spans, asyncs, flows, counters, instants = expected
    require_rows(shown["spans"], spans)
    require_rows(shown["async"], asyncs)
    require_rows(shown["flows"], flows)
    require_rows(shown["instants"], {label: {"count": n} for label, n in instants.items()})
    found = {(c["name"], c["category"], c["series"], c["id"], c["process"]): c
             for c in shown["counters"]}
    assert set(found) == set(counters), (sorted(found), sorted(counters))
    for key, numbers in counters.items():
        for name, number in numbers.items():
            assert math.isclose(found[key][name], number, rel_tol=1e-9, abs_tol=1e-9), (
                key, name, found[key][name], number)


# ---- Traces ----


def random_thread(rng):
    return rng.choice((1, 2)), rng.choice((11, 12))


def put_random(trace, rng, time, hard):
    who, name = random_thread(rng), rng.choice((b"a", b"b", b"c", b"", b"<img src=x>"))
    category = rng.choice((b"x", b"y"))
    kind = rng.choice((0, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10))
    length = rng.choice((0, 0, 1, 2, 3, 5, 20))
    if kind in (0, 2, 3):
        trace.add(w.event(kind, time, who, category, name))
    elif kind == 1:
        args = [w.arg(1, b"one", rng.randrange(100)), w.arg(5, b"two", rng.random()),
                w.arg(6, b"three", b"word")]
        trace.add(w.event(1, time, who, category, name, args[:rng.randrange(4)],
                          [rng.randrange(2)]))
    elif kind == 4:
        end = time + length if not hard or rng.random() < 0.95 else max(time - 1, 0)
        trace.add(w.event(4, time, who, category, name, [], [end]))
    else:
        trace.add(w.event(kind, time, who, category, name, [], [rng.randrange(3)]))


def random_trace(rng, n, order):
    trace = w.Trace()
    trace.add(w.magic())
    trace.add(w.initialization(10 ** 9))
    for koid in (1, 2):
        trace.add(w.kernel_object(1, koid, b"process-%d" % koid))
    time = 0
    for _ in range(n):
        time += rng.choice((0, 0, 1, 2))
        late = rng.randrange(6) if order == "any" else 0
        put_random(trace, rng, max(time - late, 0), order == "any")
    return trace.data()


def nested_trace(rng, n):
    """Complete spans in the order of their ends, as most writers have them: (start, end)
    pairs are cut into their children."""
    trace = w.Trace()
    trace.add(w.magic())

    def put(start, end, depth):
        at = start
        while depth < 6 and rng.random() < 0.7:
            first = rng.randint(at, end)
            last = rng.randint(first, end)
            put(first, last, depth + 1)
            at = last
        if rng.random() < 0.5:
            pieces.append(w.event(4, start, (1, 2), b"x", b"n%d" % rng.randrange(3), [], [end]))
        else:
            pieces.append(w.event(4, start, (1, 2), b"y", b"n%d" % depth, [], [end]))

    pieces, now = [], 0
    for _ in range(n):
        end = now + rng.choice((0, 3, 40))
        put(now, end, 0)
        now = end + rng.randrange(2)
    for piece in pieces:
        trace.add(piece)
    return trace.data()


def test_reports_agree_with_the_reference_on_traces_in_order():
    rng = random.Random(3)
    for _ in range(40):
        compare(random_trace(rng, rng.randrange(1, 60), "sorted"))


def test_reports_agree_with_the_reference_on_traces_in_any_order():
    rng = random.Random(4)
    for _ in range(60):
        compare(random_trace(rng, rng.randrange(1, 60), "any"))


def test_reports_agree_with_the_reference_on_spans_that_are_written_when_they_end():
    rng = random.Random(5)
    for _ in range(40):
        compare(nested_trace(rng, rng.randrange(1, 12)))


def test_times_processes_and_threads_choose_among_all_events():
    rng = random.Random(6)
    for _ in range(15):
        data = random_trace(rng, 60, "any")
        compare(data, ["--time", "10ns-25ns"], (10, 25))
        compare(data, ["--pid", "1"], None, lambda process, thread: process == 1)
        compare(data, ["--tid", "12"], None, lambda process, thread: thread == 12)
        compare(data, ["--process", "process-2"], None,
                lambda process, thread: process == 2)


def test_times_processes_and_threads_choose_among_what_threads_did():
    trace = w.Trace()
    trace.add(w.magic())
    trace.add(w.kernel_object(1, 1, b"app"))
    for thread in 2, 3:
        trace.add(w.kernel_object(2, thread, b"t", [w.arg(8, b"process", 1)]))
    # Thread 2 is woken at 15, when 3 runs, which it preempts at 20.
    trace.add(w.context_switch(0, 0, 3, 0, 2))
    trace.add(w.context_switch(10, 0, 3, 2, 3))
    trace.add(w.thread_wakeup(15, 0, 2))
    trace.add(w.context_switch(20, 0, 1, 3, 2))
    trace.add(w.context_switch(40, 0, 3, 2, 3))
    trace.add(w.context_switch(50, 0, 3, 3, 0))
    keys = "thread", "run_ns", "wait_ns", "blocked_ns", "switches"
    for options, expected in (
            ([], {(2, 30, 5, 15, 2), (3, 20, 20, 0, 2)}),
            (["--time", "12ns-30ns"], {(2, 10, 5, 3, 1), (3, 8, 10, 0, 0)}),
            (["--time", "21ns-30ns"], {(2, 9, 0, 0, 0), (3, 0, 9, 0, 0)}),
            (["--tid", "3"], {(3, 20, 20, 0, 2)}), (["--pid", "7"], set()),
            (["--process", "app", "--tid", "2"], {(2, 30, 5, 15, 2)})):
        shown = json.loads(report(trace.data(), "--json", *options, status=None))
        found = {tuple(row[key] for key in keys) for row in shown.get("scheduling", [])}
        assert found == expected, (options, found)


def test_dump_counts_the_same_spans():
    rng = random.Random(7)
    for _ in range(10):
        data = random_trace(rng, 80, "sorted")
        with tempfile.NamedTemporaryFile(suffix=".fxt") as file:
            file.write(data)
            file.flush()
            done = subprocess.run([FXTDUMP, "--stats", "--json", file.name],
                                  capture_output=True, check=True)
        kinds = {kind["kind"]: kind["records"] for kind in
                 next(t for t in json.loads(done.stdout)["types"]
                      if t["type"] == "event")["kinds"]}
        shown = json.loads(report(data, "--json"))
        assert sum(row["count"] for row in shown["spans"]) == (
            kinds.get("duration_begin", 0) + kinds.get("duration_complete", 0))
        assert sum(row["count"] for row in shown["async"]) == kinds.get("async_begin", 0)
        assert sum(row["count"] for row in shown["flows"]) == kinds.get("flow_begin", 0)


def test_spans_of_several_inputs_and_equal_ids_are_not_mixed():
    def half(time):
        trace = w.Trace()
        trace.add(w.magic())
        trace.add(w.event(2, time, (1, 2), b"x", b"open"))
        trace.add(w.event(5, time, (1, 2), b"x", b"async", [], [7]))
        trace.add(w.event(5, time, (3, 2), b"x", b"async", [], [7]))
        trace.add(w.event(7, time + 5, (3, 2), b"x", b"async", [], [7]))
        return trace.data()

    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("a.fxt", "b.fxt")]
        for name, time in zip(names, (100, 200)):
            with open(name, "wb") as file:
                file.write(half(time))
        done = subprocess.run([FXTREPORT, "-q", "--json", *names], capture_output=True,
                              check=True)
    shown = json.loads(done.stdout)
    assert shown["spans"][0]["count"] == 2 and shown["spans"][0]["total_ns"] == 0
    assert shown["spans"][0]["unfinished"] == 2
    row = shown["async"][0]
    assert (row["count"], row["unfinished"], row["p50_ns"], row["total_ns"]) == (4, 2, 5, 10)


def test_many_names_threads_and_open_spans():
    for kind in ("names", "threads", "open"):
        pieces = [w.to_bytes(w.magic())]
        n = 50000
        for i in range(n):
            name = b"%d" % i if kind == "names" else b"n"
            who = (1, i + 1) if kind == "threads" else (1, 2)
            if kind == "open":
                pieces.append(w.to_bytes(w.event(2, i, who, b"x", name)))
            else:
                pieces.append(w.to_bytes(w.event(4, i, who, b"x", name, [], [i + 1])))
        shown = json.loads(report(b"".join(pieces), "--json"))
        assert sum(row["count"] for row in shown["spans"]) == n


def test_sorting_by_any_column():
    rng = random.Random(8)
    data = random_trace(rng, 300, "sorted")
    for column in ("total", "self", "count", "min", "p50", "p90", "p99", "max"):
        key = column if column == "count" else column + "_ns"
        rows = json.loads(report(data, "--json", "--sort", column))["spans"]
        values = [row[key] for row in rows]
        assert values == sorted(values, reverse=True), (column, values)
    names = [row["name"] for row in json.loads(report(data, "--json", "--sort", "name"))["spans"]]
    assert names == sorted(names, key=lambda name: name.encode())


def test_names_are_data():
    trace = w.Trace()
    trace.add(w.magic())
    trace.add(w.event(4, 1, (1, 2), b"x", b"<img src=x>(\x1b[31m)\n", [], [5]))
    text = report(trace.data()).decode()
    assert "<img src=x>(" in text and "\x1b" not in text, text


def test_two_traces_compared():
    def trace_of(lengths):
        trace = w.Trace()
        trace.add(w.magic())
        for i, length in enumerate(lengths):
            trace.add(w.event(4, 1000 * i, (1, 2), b"x", b"work", [], [1000 * i + length]))
        trace.add(w.event(4, 0, (1, 3), b"x", b"gone" if lengths[0] < 100 else b"new", [], [7]))
        return trace.data()

    with tempfile.NamedTemporaryFile(suffix=".fxt") as before:
        before.write(trace_of([10, 20, 30]))
        before.flush()
        shown = json.loads(report(trace_of([100, 200]), "--json", "--diff", before.name))
        text = report(trace_of([100, 200]), "--diff", before.name).decode()
    rows = {row["name"]: row for row in shown["span_differences"]}
    assert rows["work"]["before"] == {"count": 3, "total_ns": 60, "p50_ns": 20, "p99_ns": 30}
    assert rows["work"]["after"] == {"count": 2, "total_ns": 300, "p50_ns": 100, "p99_ns": 200}
    assert rows["gone"]["after"] is None and rows["new"]["before"] is None
    assert "+400.0%" in text and "-33.3%" in text and "new" in text, text


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            test()
            print("ok", name)


main()
