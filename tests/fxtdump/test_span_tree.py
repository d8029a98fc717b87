#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtdump --tree, line by line, against lines that are made here from what was written into
random traces: by definitions, not by the way in which fxtdump does it.

    test_span_tree.py FXTDUMP SANITIZERS
"""
import collections
import os
import random
import re
import resource
import struct
import subprocess
import sys
import tempfile

import fxtwrite as w
import patience

FXTDUMP, SANITIZERS = os.path.abspath(sys.argv[1]), sys.argv[2]
FOLDER = tempfile.TemporaryDirectory()
INSTANT, COUNTER, BEGIN, END, COMPLETE, ASYNC_BEGIN, ASYNC_INSTANT, ASYNC_END = range(8)
FLOW_BEGIN, FLOW_STEP, FLOW_END, LOG = 8, 9, 10, 16
WORDS = {INSTANT: "instant ", COUNTER: "counter ", END: "end ", ASYNC_BEGIN: "async ",
         ASYNC_INSTANT: "async instant ", ASYNC_END: "async end ", FLOW_BEGIN: "flow begin ",
         FLOW_STEP: "flow step ", FLOW_END: "flow end "}
SPANS = BEGIN, COMPLETE
# Kinds that have a word after the others.
WITH_ID = set(range(1, 11)) - {BEGIN, END, COMPLETE}
MAX_INDENT = 40


def tree(*args, status=0, limit=None):
    def start():
        if limit is not None and SANITIZERS == "none":
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    done = subprocess.run([FXTDUMP, "-q", "--tree", *args], stdout=subprocess.PIPE, check=False,
                          timeout=patience.SECONDS, preexec_fn=start)
    assert done.returncode == status, (args, done.returncode)
    return done.stdout.decode()


def write(data, name="trace"):
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


class Event:
    """What was written, and what follows of it: `end` of spans and operations, whether it
    is `matched`, the arguments `also` of its end, and its `depth`."""

    def __init__(self, order, kind, time, thread, category, name, number, end, args):
        self.order, self.kind, self.time, self.thread = order, kind, time, thread
        self.category, self.name, self.number, self.end, self.args = \
            category, name, number, end, args
        self.matched, self.also, self.is_hidden, self.depth = True, [], False, 0

    def is_backwards(self):
        return self.kind == COMPLETE and self.end < self.time

    def is_span(self):
        return self.kind in SPANS and not self.is_backwards()

    def open_until(self):
        """How long other events may be in it."""
        if not self.is_span():
            return self.time
        return self.end if self.matched else 2**64


class Events:
    def __init__(self):
        self.trace, self.events, self.rate = w.Trace(), [], 1
        self.trace.magic()
        self.trace.init(10**9)

    def section(self, number):
        """Its ticks are a billionth of a second or ten or a hundred of these."""
        self.rate = 10**(number % 3)
        self.trace.provider(number, b"provider%d" % number)
        self.trace.init(10**9 // self.rate)

    def add(self, kind, time, thread, name=b"", category=b"", number=0, end=0, args=()):
        if kind == LOG:
            self.trace.add(w.log(time, thread, name))
        else:
            extra = [number] if kind in WITH_ID else [end] if kind == COMPLETE else []
            written = [w.arg(2, key, value) for key, value in args]
            self.trace.add(w.event(kind, time, thread, category, name, written, extra))
        self.events.append(Event(len(self.events), kind, time * self.rate, thread,
                                 category.decode(), name.decode(), number, end * self.rate,
                                 [(key.decode(), value) for key, value in args]))


# ---- what follows ----


def match(events, begin, end, last):
    """Ends end what began last and is open."""
    begun = []
    for event in sorted(events, key=lambda e: (e.time, e.order)):
        if event.kind == begin:
            begun.append(event)
        elif event.kind == end:
            event.matched = begun != []
            if begun:
                first = begun.pop()
                first.end, first.also = event.time, event.args
                event.is_hidden = end == END
    for event in begun:
        event.end, event.matched = last, False


def by(events, key):
    found = collections.defaultdict(list)
    for event in events:
        found[key(event)].append(event)
    return found.values()


def match_all(events):
    durations = [e for e in events if e.kind in (BEGIN, END, COMPLETE) and not e.is_backwards()]
    for some in by(durations, lambda e: e.thread):
        match(some, BEGIN, END, max(max(e.time, e.end) for e in some))
    operations = [e for e in events if e.kind in (ASYNC_BEGIN, ASYNC_END)]
    for some in by(operations, lambda e: (e.thread[0], e.number, e.name or e.category)):
        match(some, ASYNC_BEGIN, ASYNC_END, max(e.time for e in some))


def nest(events):
    """Each is in the span that began last among those that are open, and in what that is
    in."""
    events.sort(key=lambda e: (e.time, -e.open_until(), e.order))
    for i, event in enumerate(events):
        for outer in reversed(events[:i]):
            if outer.is_span() and outer.open_until() > event.time:
                event.depth = outer.depth + 1
                break


def duration(ns):
    if ns < 1000:
        return "%d ns" % ns
    if ns < 10**6:
        return "%d.%03d us" % divmod(ns, 1000)
    if ns < 10**9:
        return "%d.%06d ms" % divmod(ns, 10**6)
    return "%d.%09d s" % divmod(ns, 10**9)


def indent(depth):
    return "  " * depth if depth <= MAX_INDENT else "[%d] " % depth


def word(name):
    return name if re.fullmatch(r"[\w.]+", name) else '"%s"' % name


def line(event):
    length = remark = ""
    if event.is_span() or event.kind == ASYNC_BEGIN:
        length = ("" if event.matched else ">") + duration(event.end - event.time)
    if event.is_backwards():
        remark = " (ends before it begins)"
    elif not event.matched:
        remark = " (never began)" if event.kind in (END, ASYNC_END) else " (never ended)"
    start = "%6d.%09d%16s  " % (*divmod(event.time, 10**9), length) + indent(event.depth)
    if event.kind == LOG:
        return start + 'log "%s"' % event.name
    names = (word(event.category) + ":" if event.category else "") + word(event.name)
    number = " id %d" % event.number if event.kind in WITH_ID - {INSTANT, COUNTER} \
        or event.number else ""
    args = "".join(" %s=%d" % pair for pair in event.args + event.also)
    return start + WORDS.get(event.kind, "") + names + number + args + remark


def expected(events, wanted=lambda event: True):
    match_all(events)
    shown = [e for e in events if not e.is_hidden and wanted(e)]
    paragraphs = []
    for some in sorted(by(shown, lambda e: e.thread), key=lambda es: es[0].thread):
        nest(some)
        heading = "process %d, thread %d\n" % some[0].thread
        paragraphs.append(heading + "".join(line(e) + "\n" for e in some))
    return "\n".join(paragraphs)


def check(made, *args, wanted=lambda event: True):
    found = tree(*args, write(made.trace.data()))
    lines = expected(made.events, wanted)
    if found != lines:
        write(lines.encode(), "expected")
        for ours, theirs in zip(found.split("\n"), lines.split("\n")):
            assert ours == theirs, (args, ours, theirs)
    assert found == lines, (args, len(found), len(lines))


# ---- random ----


def make(seed, n=120):
    rng, made = random.Random(seed), Events()
    kinds = [BEGIN, END] * 4 + [COMPLETE] * 3 + [ASYNC_BEGIN, ASYNC_END] * 2 + \
        [INSTANT, COUNTER, ASYNC_INSTANT, FLOW_BEGIN, FLOW_STEP, FLOW_END, LOG]
    span = rng.choice((10, 60, 3000, 10**7, 10**10))
    for _ in range(n):
        if seed % 2 and rng.randrange(10) == 0:
            made.section(rng.randrange(1, 5))
        kind, time = rng.choice(kinds), rng.randrange(span)
        name = b"" if kind == END and rng.randrange(2) else b"name %d" % rng.randrange(4)
        name = rng.choice((name, name, b"", b"plain"))
        made.add(kind, time, (rng.randrange(1, 3), rng.randrange(3, 5)),
                 b"say" if kind == LOG else name, rng.choice((b"", b"cat")),
                 rng.randrange(3) if kind in WITH_ID else 0,
                 max(0, time + rng.choice((-1, 0, 0, 1, span // 7, span))) if kind == COMPLETE
                 else 0,
                 [(b"a%d" % i, rng.randrange(9)) for i in range(rng.randrange(3))]
                 if kind != LOG else ())
    return made


def test_random_events():
    for seed in range(80):
        check(make(seed))


def test_filters():
    for seed in range(12):
        made = make(2 * seed, 200)
        first, last = sorted(random.Random(seed).choices([e.time for e in made.events], k=2))
        # An operation or a span is there as long as it lasts.
        check(made, "--time", "%dns-%dns" % (first, last),
              wanted=lambda e: max(e.time, e.end) >= first and e.time <= last
              if e.kind in (*SPANS, ASYNC_BEGIN) and not e.is_backwards()
              else first <= e.time <= last)
        check(make(2 * seed, 200), "--name", "name [12]",
              wanted=lambda e: e.name in ("name 1", "name 2") and e.kind != LOG)
        check(make(2 * seed, 200), "--category", "cat", "--process", "2",
              wanted=lambda e: e.category == "cat" and e.thread[0] == 2 and e.kind != LOG)
        check(make(2 * seed, 200), "--thread", "3", wanted=lambda e: e.thread[1] == 3)
        check(make(2 * seed, 200), "--type", "duration_begin,log",
              wanted=lambda e: e.kind in (BEGIN, LOG))
        lines = [x for x in tree(write(make(2 * seed, 200).trace.data())).split("\n")
                 if x.startswith(" ")]
        found = [x for x in tree("--count", "30", write(make(2 * seed, 200).trace.data()))
                 .split("\n") if x.startswith(" ")]
        assert found == lines[:30]


# ---- many ----


def words(*numbers):
    return struct.pack("<%dQ" % len(numbers), *numbers)


def raw(kind, n_words, thread=1):
    """The header of an event without names and arguments."""
    return 4 | n_words << 4 | kind << 16 | thread << 24


def test_deep():
    """Spans in spans, and all of them open at once."""
    depth = 400000
    data = w.to_bytes(w.thread(1, 5, 6))
    begins = b"".join(words(raw(BEGIN, 2), i) for i in range(depth))
    ends = b"".join(words(raw(END, 2), depth + i) for i in range(depth))
    lines = tree("--region", write(data + begins + ends)).split("\n")
    assert len(lines) == depth + 2
    for at in (0, 39, 40, 41, 1000, depth - 1):
        text = "%16s%16s  " % ("0.%09d" % at, duration(2 * (depth - at) - 1)) + indent(at)
        assert lines[1 + at] == text + '""', (at, lines[1 + at])
    lines = tree("--region", write(data + begins)).split("\n")
    for at in (0, 39, 40, 41, 1000, depth - 1):
        text = "%16s%16s  " % ("0.%09d" % at, ">" + duration(depth - 1 - at)) + indent(at)
        assert lines[1 + at] == text + '"" (never ended)', (at, lines[1 + at])


def test_many_threads_and_spans():
    """A million of each: the memory is some hundred bytes for each."""
    n = 1000000
    data = bytearray()
    for i in range(n):
        data += words(raw(COMPLETE, 5, 0), i, 1, n - i, 2 * n)
    path = write(data)
    assert tree("--region", path, limit=1 << 30).count("\nprocess 1, thread ") == n - 1
    data = w.to_bytes(w.thread(1, 5, 6)) + b"".join(
        words(raw(COMPLETE, 3), i % 1000, i) for i in range(n))
    assert tree("--region", write(data), limit=1 << 30).count("\n") == n + 1


def test_arguments_do_not_multiply():
    """Of each argument that refers to one long string only its beginning is kept."""
    trace, long = w.Trace(), "\u00e9".encode() * 10000
    trace.add(w.string(1, long))
    trace.add(w.thread(1, 5, 6))
    for i in range(3000):
        trace.add(w.event(INSTANT, i, 1, 1, 1, [w.arg(6, 1, 1)] * 15))
    found = tree("--region", "--count", "1", write(trace.data()), limit=1 << 29)
    shown = "\u00e9" * 32 + "..."
    quoted = '"%s"' % ("\u00e9" * 32) + "..."
    assert found.count(" %s=%s" % (shown, quoted)) == 15, found[-3000:]


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(name)


if __name__ == "__main__":
    main()
