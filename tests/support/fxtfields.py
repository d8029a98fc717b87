# SPDX-License-Identifier: BSD-2-Clause
"""What `fxtdump --fields` must print below a record's line, worked out separately from the
description of the format: which word is where, and which bits of it mean what."""
import fxtref

# A field: its name, lowest and highest bit, how its value is printed, names of values.
# The ways: n number, x hex, i signed, w words, b bytes, s string, t thread.
TYPE = ("type", 0, 3, "n", {**{i: name for i, name in enumerate((
    "metadata", "initialization", "string", "thread", "event", "blob", "userspace_object",
    "kernel_object", "scheduling", "log", "profiler"))}, 15: "large_blob"})
START = [TYPE, ("size", 4, 15, "w")]
LARGE_START = [TYPE, ("size", 4, 35, "w"), ("large type", 36, 39, "n")]

METADATA = START + [("metadata type", 16, 19, "n", fxtref.METADATA)]
PROVIDER = METADATA + [("provider", 20, 51, "n")]
TRACE_INFO = METADATA + [("trace info type", 20, 23, "n")]
SCHEDULING = ("scheduling type", 60, 63, "n", fxtref.SCHEDULING)
STATE = "outgoing state"
PROFILER = START + [("profiler type", 16, 19, "n", fxtref.PROFILER), ("thread", 20, 27, "t")]

HEADERS = {
    2: START + [("index", 16, 30, "n"), ("string size", 32, 46, "b")],
    3: START + [("index", 16, 23, "n")],
    4: START + [("event type", 16, 19, "n", fxtref.EVENTS), ("arguments", 20, 23, "n"),
                ("thread", 24, 31, "t"), ("category", 32, 47, "s"), ("name", 48, 63, "s")],
    5: START + [("name", 16, 31, "s"), ("payload size", 32, 46, "b"),
                ("blob type", 48, 55, "n", fxtref.BLOBS)],
    6: START + [("process", 16, 23, "t"), ("name", 24, 39, "s"), ("arguments", 40, 43, "n")],
    7: START + [("object type", 16, 23, "n", fxtref.OBJECTS), ("name", 24, 39, "s"),
                ("arguments", 40, 43, "n")],
    9: START + [("message size", 16, 30, "b"), ("thread", 32, 39, "t")],
}
# Those that have kinds, by type and kind.
KINDS = {
    (0, 1): PROVIDER + [("name size", 52, 59, "b")],
    (0, 2): PROVIDER,
    (0, 3): PROVIDER + [("event", 52, 55, "n", {0: "buffer_full"})],
    (0, 4): TRACE_INFO,
    (8, 0): START + [("cpu", 16, 23, "n"), (STATE, 24, 27, "n", fxtref.STATES),
                     ("outgoing thread", 28, 35, "t"), ("incoming thread", 36, 43, "t"),
                     ("outgoing priority", 44, 51, "n"), ("incoming priority", 52, 59, "n"),
                     SCHEDULING],
    (8, 1): START + [("arguments", 16, 19, "n"), ("cpu", 20, 35, "n"),
                     (STATE, 36, 39, "n", fxtref.STATES), SCHEDULING],
    (8, 2): START + [("arguments", 16, 19, "n"), ("cpu", 20, 35, "n"), SCHEDULING],
    (10, 0): PROFILER + [("module", 28, 43, "n"), ("name size", 44, 51, "b"),
                         ("build id size", 52, 59, "b")],
    (10, 1): PROFILER + [("module", 28, 43, "n"), ("flags", 44, 46, "x")],
    (10, 2): PROFILER + [("PCs", 28, 35, "n")],
    (15, 0): LARGE_START + [("blob format", 40, 43, "n")],
}
NO_KIND = {0: METADATA, 8: START + [SCHEDULING], 10: PROFILER, 15: LARGE_START}
FORMATS = {
    0: [("category", 0, 15, "s"), ("name", 16, 31, "s"), ("arguments", 32, 35, "n"),
        ("thread", 36, 43, "t")],
    1: [("category", 0, 15, "s"), ("name", 16, 31, "s")],
}
ARG = [("type", 0, 3, "n", fxtref.ARGS), ("size", 4, 15, "w"), ("name", 16, 31, "s")]
ARGS = {
    1: ARG + [("value", 32, 63, "i")],
    2: ARG + [("value", 32, 63, "n")],
    6: ARG + [("value", 32, 47, "s")],
    9: ARG + [("value", 32, 32, "n")],
    10: ARG + [("value size", 32, 63, "b")],
}

bits = fxtref.bits


def amount(number, unit):
    return "%d %s%s" % (number, unit, "" if number == 1 else "s")


def shown(value, way):
    if way == "s" and value & 0x8000:
        return "inline, " + amount(value & 0x7FFF, "byte")
    if way in "st" and value == 0:
        return "empty" if way == "s" else "inline"
    return {"n": "%d" % value, "x": "0x%x" % value, "i": "%d" % fxtref.signed(value, 32),
            "w": amount(value, "word"), "b": amount(value, "byte"),
            "s": "#%d" % value, "t": "#%d" % value}[way]


def field_lines(word, fields):
    lines = []
    rows = []
    at = 0
    for name, low, high, way, *names in fields + [(None, 64, 64, "n")]:
        if low > at:
            rows.append((at, low - 1, "(unused) 0x%x" % bits(word, at, low - 1)))
        if name is not None:
            value = bits(word, low, high)
            text = "%s %s" % (name, shown(value, way))
            if names and value in names[0]:
                text += " (%s)" % names[0][value]
            rows.append((low, high, text))
        at = high + 1
    for low, high, text in rows:
        lines.append("     %-5s  %s" % (
            "%2d" % low if low == high else "%2d-%d" % (low, high), text))
    return lines


class TooShort(Exception):
    pass


class Walk:
    """Takes a record apart. A stream's line ends in its name, where text is not shown."""

    def __init__(self, words, offset):
        self.words = words
        self.offset = offset
        self.at = 0
        self.end = len(words)
        self.lines = []

    def line(self, what, name):
        self.lines.append("  0x%08x  %-16s  %s" % (self.offset + 8 * self.at, what, name))

    def word(self, name):
        if self.at == self.end:
            raise TooShort
        self.line("%016x" % self.words[self.at], name)
        self.at += 1
        return self.words[self.at - 1]

    def header(self, name, fields):
        word = self.word(name)
        self.lines += field_lines(word, fields(word))
        return word

    def stream(self, name, size):
        count = (size + 7) // 8
        if count > self.end - self.at:
            raise TooShort
        if count:
            self.line(amount(size, "byte"), name)
        self.at += count

    def rest(self, name):
        self.stream(name, 8 * (self.end - self.at))

    def string(self, name, ref):
        if ref & 0x8000:
            self.stream(name, ref & 0x7FFF)

    def thread(self, ref, before="", count=2):
        if ref == 0:
            for name in ("process", "thread")[:count]:
                self.word(before + name)

    def args(self, count):
        for _ in range(count):
            start, end = self.at, self.end
            header = self.header("argument header",
                                 lambda word: ARGS.get(bits(word, 0, 3), ARG))
            if not 0 < bits(header, 4, 15) <= end - start:
                raise TooShort
            self.end = start + bits(header, 4, 15)
            self.string("name", bits(header, 16, 31))
            kind = bits(header, 0, 3)
            if kind in (3, 4, 5, 7, 8):
                self.word("value")
            elif kind == 6:
                self.string("value", bits(header, 32, 47))
            elif kind == 10:
                self.stream("value", bits(header, 32, 63))
            self.rest("surplus")
            self.end = end

    # ---- records ----

    def metadata(self, h):
        if bits(h, 16, 19) == 1:
            self.stream("name", bits(h, 52, 59))

    def initialization(self, _):
        self.word("ticks per second")
        if self.end == 4:
            self.word("base tick")
            self.word("base time")

    def string_record(self, h):
        self.stream("value", bits(h, 32, 46))

    def thread_record(self, _):
        self.thread(0)

    def event(self, h):
        kind = bits(h, 16, 19)
        self.word("timestamp")
        self.thread(bits(h, 24, 31))
        self.string("category", bits(h, 32, 47))
        self.string("name", bits(h, 48, 63))
        self.args(bits(h, 20, 23))
        last = {1: "counter id", 4: "end timestamp", 5: "async id", 6: "async id",
                7: "async id", 8: "flow id", 9: "flow id", 10: "flow id"}.get(kind)
        if last is None and kind == 0 and self.at < self.end:
            last = "scope"
        if last is not None:
            self.word(last)

    def blob(self, h):
        self.string("name", bits(h, 16, 31))
        self.stream("payload", bits(h, 32, 46))

    def userspace_object(self, h):
        self.word("pointer")
        start, lines = self.at, list(self.lines)
        tries = []
        for count in (1, 2) if bits(h, 16, 23) == 0 else (0,):
            self.at, self.lines = start, list(lines)
            try:
                self.thread(0, count=count)
                self.string("name", bits(h, 24, 39))
                self.args(bits(h, 40, 43))
                tries.append((self.at < self.end, len(tries), self.at, self.lines))
            except TooShort:
                self.end = len(self.words)
        _, _, self.at, self.lines = min(tries)

    def kernel_object(self, h):
        self.word("koid")
        self.string("name", bits(h, 24, 39))
        self.args(bits(h, 40, 43))

    def scheduling(self, h):
        kind = bits(h, 60, 63)
        if kind > 2:
            return
        self.word("timestamp")
        if kind == 0:
            self.thread(bits(h, 28, 35), "outgoing ")
            self.thread(bits(h, 36, 43), "incoming ")
            return
        for name in ("outgoing thread", "incoming thread") if kind == 1 else ("waking thread",):
            self.word(name)
        self.args(bits(h, 16, 19))

    def log(self, h):
        self.word("timestamp")
        self.thread(bits(h, 32, 39))
        self.stream("message", bits(h, 16, 30))

    def profiler(self, h):
        kind = bits(h, 16, 19)
        if kind > 2:
            return
        sizes = bits(h, 44, 51), bits(h, 52, 59)
        alone = {0: 3 + sum((size + 7) // 8 for size in sizes), 1: 6}.get(kind)
        self.word("timestamp")
        self.thread(bits(h, 20, 27), count=1 if self.end == alone else 2)
        if kind == 0:
            self.stream("name", sizes[0])
            self.stream("build id", sizes[1])
        elif kind == 1:
            for name in ("start", "length", "vaddr"):
                self.word(name)
        else:
            self.stream("PCs", 8 * bits(h, 28, 35))

    def large(self, h):
        form = bits(h, 40, 43)
        if bits(h, 36, 39) != 0 or form not in FORMATS:
            return
        second = self.header("format header", lambda _: FORMATS[form])
        self.string("category", bits(second, 0, 15))
        self.string("name", bits(second, 16, 31))
        if form == 0:
            self.word("timestamp")
            self.thread(bits(second, 36, 43))
            self.args(bits(second, 32, 35))
        self.stream("payload", self.word("payload size"))

    RECORDS = {0: metadata, 1: initialization, 2: string_record, 3: thread_record, 4: event,
               5: blob, 6: userspace_object, 7: kernel_object, 8: scheduling, 9: log,
               10: profiler, 15: large}

    def record(self):
        header = self.header("header", fields_of)
        kind = bits(header, 0, 3)
        self.RECORDS.get(kind, lambda *_: None)(self, header)
        self.rest("content" if is_unknown(header) else "surplus")
        return self.lines


def kind_of(header):
    """Type and kind, of types that have any."""
    low = {0: 16, 8: 60, 10: 16, 15: 36}.get(bits(header, 0, 3))
    return bits(header, 0, 3), None if low is None else bits(header, low, low + 3)


def fields_of(header):
    kind = kind_of(header)
    fields = KINDS.get(kind) or HEADERS.get(kind[0]) or NO_KIND.get(kind[0], START)
    if kind == (0, 4) and bits(header, 20, 23) == 0:
        return fields + [("magic", 24, 55, "x")]
    return fields


def is_unknown(header):
    kind = kind_of(header)
    if kind[0] == 4:
        return bits(header, 16, 19) > 10
    if kind == (15, 0):
        return bits(header, 40, 43) > 1
    return kind[0] not in (1, *HEADERS) if kind[1] is None else kind not in KINDS


def lines_of(data, offset, big_endian):
    """Those of one record."""
    order = "big" if big_endian else "little"
    words = [int.from_bytes(data[at : at + 8], order) for at in range(0, len(data), 8)]
    return Walk(words, offset).record()
