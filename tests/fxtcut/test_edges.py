#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtcut at the edges of windows: spans, operations and flows are cut there, and marked.

    test_edges.py FXTCUT FXTDUMP

Traces of several providers are made here, with clocks of different rates and strings whose
indices are used again, so that it is known when everything was; what is in the cut is
compared with the parts of that which are in the windows.
"""
import collections
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

import fxtwrite as w
import patience

N_TRACES = 30
FXTCUT, FXTDUMP = sys.argv[1:3]
FOLDER = tempfile.TemporaryDirectory()
NS = 10**9
MARK = {"name": "cut", "type": "bool", "value": True}
BEGIN, END, COMPLETE = 2, 3, 4
ASYNC_BEGIN, ASYNC_INSTANT, ASYNC_END = 5, 6, 7
FLOW_BEGIN, FLOW_STEP, FLOW_END = 8, 9, 10
NAMES = (b"load", b"parse", b"draw", b"wait", b"send")

# A span or an operation: `end` is None if it has none.
Interval = collections.namedtuple("Interval", "who name begin end")


class Provider:
    """Writes events, and remembers when they were, in ticks."""

    def __init__(self, rng, number, rate):
        self.rng, self.number, self.rate = rng, number, rate
        self.spans, self.completes, self.asyncs, self.instants = [], [], [], []
        self.flows = collections.defaultdict(list)
        self.strings = {}
        self.stacks = collections.defaultdict(list)
        self.operations, self.open_flows = [], []
        self.n_ids = 1000 * number
        self.last = 0

    def string(self, text, taken=0):
        """By one of four indices other than `taken`, or inline."""
        for index, value in self.strings.items():
            if value == text and index != taken:
                return index, []
        if self.rng.randrange(4) == 0:
            return text, []
        index = self.rng.choice([index for index in (1, 2, 3, 4) if index != taken])
        self.strings[index] = text
        return index, w.string(index, text)

    def event(self, kind, time, who, name, args=(), extra=()):
        """The registrations that it needs, and then the event."""
        self.last = max(self.last, time)
        category, first = self.string(b"cat")
        ref, second = self.string(name, category)
        return first + second + w.event(kind, time, who, category, ref, args, extra)

    def next_id(self):
        self.n_ids += 1
        return self.n_ids

    def step(self, time):
        """What happens at a time, as a record."""
        who = (self.number, self.number * 10 + self.rng.randrange(3))
        name = self.rng.choice(NAMES)
        args = [w.arg(2, b"n", time & 0xFFFFFFFF)]
        what = self.rng.randrange(12)
        stack = self.stacks[who]
        if what < 3 and len(stack) < 5:
            stack.append((name, time))
            return self.event(BEGIN, time, who, name, args)
        if what < 6 and stack:
            name, begin = stack.pop()
            self.spans.append(Interval(who, name, begin, time))
            return self.event(END, time, who, name)
        if what == 6:
            end = time + self.rng.randrange(40)
            self.completes.append(Interval(who, name, time, end))
            return self.event(COMPLETE, time, who, name, args, [end])
        if what == 7:
            self.operations.append((self.next_id(), name, time))
            return self.event(ASYNC_BEGIN, time, who, name, args, [self.n_ids])
        if what == 8 and self.operations:
            ident, name, begin = self.operations.pop(
                self.rng.randrange(len(self.operations)))
            self.asyncs.append(Interval(ident, name, begin, time))
            return self.event(ASYNC_END, time, who, name, [], [ident])
        if what == 9:
            self.open_flows.append((self.next_id(), name))
            self.flows[self.n_ids].append(("flow_begin", time, who[1]))
            return self.event(FLOW_BEGIN, time, who, name, args, [self.n_ids])
        if what == 10 and self.open_flows:
            which = self.rng.randrange(len(self.open_flows))
            ident, name = self.open_flows[which]
            kind = self.rng.choice((FLOW_STEP, FLOW_END))
            if kind == FLOW_END:
                del self.open_flows[which]
            self.flows[ident].append(
                ("flow_step" if kind == FLOW_STEP else "flow_end", time, who[1]))
            return self.event(kind, time, who, name, [], [ident])
        self.instants.append((who, name, time))
        return self.event(0, time, who, name)

    def finish(self):
        for who, stack in self.stacks.items():
            self.spans += [Interval(who, name, begin, None) for name, begin in stack]
        self.asyncs += [Interval(ident, name, begin, None)
                        for ident, name, begin in self.operations]

    def ns(self, ticks):
        return ticks * NS // self.rate

    def window(self, window):
        """In ticks: those whose nanoseconds are in it."""
        first = -(-window[0] * self.rate // NS)
        last = ((window[1] + 1) * self.rate - 1) // NS
        assert self.ns(first) >= window[0] and (first == 0 or self.ns(first - 1) < window[0])
        assert self.ns(last) <= window[1] < self.ns(last + 1)
        return first, last


def make_trace(rng):
    """The bytes, and the providers."""
    rates = rng.choice(((NS,), (NS, 24000000), (3, NS, 19200000)))
    providers = [Provider(rng, 1 + i, rate) for i, rate in enumerate(rates)]
    is_region = len(providers) == 1 and rng.randrange(3) == 0
    big_endian = not is_region and rng.randrange(3) == 0
    parts = [] if is_region else [w.magic()]
    if not is_region:
        for provider in providers:
            parts += [w.provider_info(provider.number, b"p%d" % provider.number),
                      w.initialization(provider.rate)]
    ticks = [1000 // (NS // provider.rate) for provider in providers]
    current = len(providers) - 1
    for _ in range(rng.randrange(20, 160)):
        which = rng.randrange(len(providers))
        if which != current:
            parts.append(w.provider_section(providers[which].number))
            current = which
        ticks[which] += rng.choice((0, 1, 1, 7))
        parts.append(providers[which].step(ticks[which]))
    for provider in providers:
        provider.finish()
    return b"".join(w.to_bytes(part, big_endian) for part in parts), providers


# ---- What is expected ----


def cut_interval(interval, window, goes_on):
    """The part of it in a window: begin, end, and whether each is marked."""
    first, last = window
    if first > last or interval.begin > last:
        return None
    if interval.end is not None and interval.end < first:
        return None
    begin = (max(interval.begin, first), interval.begin < first)
    if interval.end is not None and interval.end <= last:
        return begin, (interval.end, False)
    if interval.end is None and not goes_on:
        # The trace may end even before the window.
        return (begin, None) if goes_on is not None else None
    return begin, (last, True)


def expect_intervals(intervals, windows, goes_on):
    found = []
    for interval in intervals:
        for window, more in zip(windows, goes_on):
            part = cut_interval(interval, window, more)
            if part is not None:
                found.append((interval.who, interval.name, *part))
    return sorted(found, key=repr)


def expect_flow(points, window):
    first, last = window
    inside = [i for i, (_, time, _) in enumerate(points) if first <= time <= last]
    if not inside:
        return []
    found = [(*points[i], False) for i in inside]
    if inside[0] > 0:
        found.insert(0, ("flow_begin", first, points[inside[0] - 1][2], True))
    if inside[-1] + 1 < len(points):
        found.append(("flow_end", last, points[inside[-1] + 1][2], True))
    return found


# ---- What is found ----


def is_marked(one):
    marks = [arg for arg in one["args"] if arg["name"] == "cut"]
    assert marks in ([], [MARK]) and (not marks or one["args"][-1] == MARK), one
    return bool(marks)


def pair(events, keys, begin, end):
    """Begins and ends by a stack for each key, in the order of the list."""
    stacks = collections.defaultdict(list)
    found = []
    for one in events:
        if one["event"] == begin:
            stacks[keys(one)].append(one)
        elif one["event"] == end:
            assert stacks[keys(one)], (one, "has no begin")
            found.append((stacks[keys(one)].pop(), one))
    return found + [(one, None) for stack in stacks.values() for one in stack]


def parts_of(pairs, who):
    found = []
    for begin, end in pairs:
        assert end is None or begin["name"] == end["name"], (begin, end)
        assert begin["args"][0]["name"] == "n", begin
        found.append((who(begin), begin["name"].encode(),
                      (begin["timestamp"], is_marked(begin)),
                      (end["timestamp"], is_marked(end)) if end is not None else None))
    return sorted(found, key=repr)


def thread_of(one):
    return one["process"], one["thread"]


def check_provider(provider, events, windows, last_ns, at):
    goes_on = [window[1] < last_ns if window[0] <= last_ns else None for window in windows]
    windows = [provider.window(window) for window in windows]
    mine = [one for one in events if one["process"] == provider.number]
    wanted = expect_intervals(provider.spans, windows, goes_on)
    for order in (mine, sorted(mine, key=lambda one: one["timestamp"])):
        pairs = pair(order, thread_of, "duration_begin", "duration_end")
        assert parts_of(pairs, thread_of) == wanted, (at, wanted, parts_of(pairs, thread_of))
    pairs = pair(mine, lambda one: one["async_id"] if "async_id" in one else None,
                 "async_begin", "async_end")
    wanted = expect_intervals(provider.asyncs, windows, goes_on)
    found = parts_of(pairs, lambda one: one["async_id"])
    assert found == wanted, (at, wanted, found)
    found = sorted(((thread_of(one), one["name"].encode(),
                     (one["timestamp"], one["end_timestamp"]), is_marked(one))
                    for one in mine if one["event"] == "duration_complete"), key=repr)
    wanted = sorted(((who, name, (begin[0], end[0]), begin[1] or end[1])
                     for who, name, begin, end in expect_intervals(
                         provider.completes, windows, goes_on)), key=repr)
    assert found == wanted, (at, found, wanted)
    check_flows(provider, mine, windows, at)
    found = sorted((thread_of(one), one["name"].encode(), one["timestamp"])
                   for one in mine if one["event"] == "instant")
    assert found == sorted(instant for instant in provider.instants if any(
        first <= instant[2] <= last for first, last in windows)), at


def check_flows(provider, mine, windows, at):
    found = collections.defaultdict(list)
    for one in mine:
        if one["event"].startswith("flow"):
            found[one["flow_id"]].append(
                (one["event"], one["timestamp"], one["thread"], is_marked(one)))
    for ident, points in provider.flows.items():
        wanted = [point for window in windows for point in expect_flow(points, window)]
        assert found[ident] == wanted, (at, ident, found[ident], wanted)


# ---- Cuts ----


def run(*args, data=None):
    done = subprocess.run(args, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=patience.SECONDS, check=False)
    assert done.returncode == 0, (args, done.returncode, done.stderr)
    assert not done.stderr or done.stderr.endswith(b": no record matches\n"), done.stderr
    return done.stdout


def events_of(data, at):
    """Nothing that it refers to is missing."""
    done = run(FXTDUMP, "--json", "--strict", "-", data=data).decode()
    return [one for one in map(json.loads, done.splitlines()) if one["type"] == "event"]


def merge(windows):
    merged = []
    for first, last in sorted(windows):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def instances(providers, name, last_ns):
    return sorted((provider.ns(one.begin), last_ns if one.end is None else provider.ns(one.end))
                  for provider in providers
                  for one in provider.spans + provider.completes + provider.asyncs
                  if one.name == name)


def check_trace(seed):
    rng = random.Random(seed)
    data, providers = make_trace(rng)
    last_ns = max(provider.ns(provider.last) for provider in providers)
    path = os.path.join(FOLDER.name, "in.fxt")
    if rng.randrange(4) == 0:
        data = gzip.compress(data)
    with open(path, "wb") as file:
        file.write(data)

    def check(found, windows, at):
        for provider in providers:
            check_provider(provider, events_of(found, at), windows, last_ns, (seed, at))

    times = [provider.ns(begin) for provider in providers
             for _, _, begin in provider.instants] + [0, last_ns, last_ns + 10]
    for _ in range(3):
        window = tuple(sorted(rng.choice(times) for _ in range(2)))
        option = "%dns-%dns" % window
        check(run(FXTCUT, "--time", option, path), [window], option)
    name = rng.choice(NAMES)
    windows = instances(providers, name, last_ns)
    if not windows:
        return
    option = "^%s$" % name.decode()
    check(run(FXTCUT, "--around", option, "-", data=data), merge(windows), option)
    check(run(FXTCUT, "--around", option, "--every", "2", path), merge(windows[::2]), option)
    if len(windows) < 8:
        check_each(path, option, windows, check)


def check_each(path, option, windows, check):
    out = os.path.join(FOLDER.name, "each.fxt.gz")
    run(FXTCUT, "--around", option, "--each", "-o", out, path)
    for i, window in enumerate(windows):
        name = os.path.join(FOLDER.name, "each.%04d.fxt.gz" % (i + 1))
        with open(name, "rb") as file:
            data = file.read()
        assert data[:2] == b"\x1f\x8b"
        check(data, [window], (option, i))
        os.unlink(name)
    assert not [name for name in os.listdir(FOLDER.name) if name.startswith("each")]


for number in range(N_TRACES):
    check_trace(number)
