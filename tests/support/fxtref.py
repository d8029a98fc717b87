#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A second reader of FXT, to judge the first.

It is written from the description of the format and shares nothing with libfxt: slow,
plain, whole inputs in memory, one function a record type. It prints what `fxtdump --json`
must print, so the two can be compared line by line on any input, damaged ones included.
It has no limits on sizes, and must be given the place where --resync continues.

    fxtref.py [--region-size N] [--region | --archive] [--byte-order little|big]
              [--ticks-per-second N] [--payload] FILE...
"""
import gzip
import json
import math
import struct
import sys

DEFAULT_RATE = 10**9
MAGIC_RECORD = 0x0016547846040010

METADATA = {1: "provider_info", 2: "provider_section", 3: "provider_event", 4: "trace_info"}
EVENTS = {
    0: "instant", 1: "counter", 2: "duration_begin", 3: "duration_end",
    4: "duration_complete", 5: "async_begin", 6: "async_instant", 7: "async_end",
    8: "flow_begin", 9: "flow_step", 10: "flow_end",
}
BLOBS = {1: "data", 2: "last_branch", 3: "perfetto"}
OBJECTS = {1: "process", 2: "thread"}
SCHEDULING = {0: "legacy_context_switch", 1: "context_switch", 2: "thread_wakeup"}
STATES = {0: "new", 1: "running", 2: "suspended", 3: "blocked", 4: "dying", 5: "dead"}
PROFILER = {0: "module", 1: "mapping", 2: "backtrace"}
ARGS = {
    0: "null", 1: "int32", 2: "uint32", 3: "int64", 4: "uint64", 5: "double",
    6: "string", 7: "pointer", 8: "koid", 9: "bool", 10: "blob",
}


# What is wrong within one record.
CONTENT_CODES = (
    "magic", "record_short", "string_overrun", "blob_overrun", "arg_count", "arg_size_zero",
    "arg_overrun", "arg_short", "pc_count", "ticks_zero",
)

# How well a record's words fill it.
EXACT, FITS, WRONG = range(3)


class Malformed(Exception):
    """The record cannot be read. The one argument is the code."""


def bits(word, low, high):
    return word >> low & (1 << (high - low + 1)) - 1


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) else value


class Body:
    """The words of a record (or argument), taken off one by one."""

    def __init__(self, raw, order, when_short):
        self.raw = raw
        self.order = order
        self.when_short = when_short
        self.at = 0

    def left(self):
        return (len(self.raw) - self.at) // 8

    def word(self):
        if self.left() == 0:
            raise Malformed(self.when_short)
        self.at += 8
        return struct.unpack_from(self.order + "Q", self.raw, self.at - 8)[0]

    def words(self, count, when_over):
        if count > self.left():
            raise Malformed(when_over)
        return [self.word() for _ in range(count)]

    def stream(self, size, when_over):
        if size > 8 * self.left():
            raise Malformed(when_over)
        start = self.at
        self.at += (size + 7) // 8 * 8
        return self.raw[start : start + size]

    def part(self, n_words, when_short):
        """The next words as a separate body."""
        start = self.at
        self.at += 8 * n_words
        return Body(self.raw[start : self.at], self.order, when_short)


class Provider:
    def __init__(self, rate):
        self.rate = rate
        self.strings = {}
        self.threads = {}


def text(raw):
    return raw.decode("utf-8", "replace")


def address(value):
    return "0x%x" % value


def word_or_number(names, number):
    return names.get(number, number)


class Stream:
    """One region or one archive."""

    def __init__(self, data, options):
        self.data = data
        self.options = options
        self.objects = []
        self.n_errors = 0
        self.n_warnings = 0
        self.current = Provider(options.rate)
        self.providers = {0: self.current}

    # ---- framing ----

    def read(self):
        self.recognise()
        at = 0
        while at < len(self.data):
            at = self.step(at)
        return self

    def recognise(self):
        first = self.data[:8]
        self.order = {"little": "<", "big": ">"}.get(self.options.byte_order)
        if self.order is None:
            self.order = ">" if first == struct.pack(">Q", MAGIC_RECORD) else "<"
        self.is_archive = self.options.kind == "archive"
        if self.options.kind is None:
            self.is_archive = first == struct.pack(self.order + "Q", MAGIC_RECORD)

    def step(self, at):
        """Whatever stands at this place; returns the place after it."""
        left = len(self.data) - at
        if left < 8:
            return self.error(at, left, "truncated")
        header, size = self.header_at(at)
        if header == 0:
            return self.step_over_zeros(at) if self.is_archive else self.end(at)
        if size == 0:
            return self.error(at, left, "size_zero")
        if size > left:
            return self.error(at, left, "truncated")
        self.record(at, size, header)
        return at + size

    def header_at(self, at):
        """The header at a place, and the size in bytes that it gives."""
        (header,) = struct.unpack_from(self.order + "Q", self.data, at)
        return header, 8 * bits(header, 4, 35 if bits(header, 0, 3) == 15 else 15)

    def step_to(self, at, size):
        """For resync: reads the record that another reader found. Its size may be less
        than it says."""
        self.record(at, size, self.header_at(at)[0])
        return self.objects[-1]

    def step_over(self, at, size, code):
        """For resync: another reader skipped these bytes. If they are just a record it was
        dropped for what it says, and a registration in it is lost."""
        if code in CONTENT_CODES and self.header_at(at)[1] == size:
            self.header = self.header_at(at)[0]
            self.forget()

    def step_over_zeros(self, at):
        self.n_warnings += 1
        while self.data[at : at + 8] == bytes(8):
            at += 8
        return at

    def end(self, at):
        if any(self.data[at:]):
            self.n_warnings += 1
        return len(self.data)

    def error(self, at, size, code):
        self.n_errors += 1
        self.objects.append({"offset": at, "size": size, "type": "error", "code": code})
        return at + size

    def record(self, at, size, header):
        self.header = header
        self.body = Body(self.data[at + 8 : at + size], self.order, "record_short")
        reader = self.READERS.get(bits(header, 0, 3), Stream.unknown)
        n_warnings = self.n_warnings
        try:
            fields = reader(self)
        except Malformed as fault:
            self.n_warnings = n_warnings
            self.error(at, size, fault.args[0])
            self.forget()
        else:
            self.objects.append({"offset": at, "size": size, **fields})

    def forget(self):
        """Of a registration that was lost its index is known, and what was there before
        is not meant any more."""
        kind = bits(self.header, 0, 3)
        if kind == 0 and bits(self.header, 16, 19) == 1:
            self.select(bits(self.header, 20, 51))
        elif kind == 2:
            self.current.strings.pop(bits(self.header, 16, 30), None)
        elif kind == 3:
            self.current.threads.pop(bits(self.header, 16, 23), None)

    # ---- what records are made of ----

    def h(self, low, high):
        return bits(self.header, low, high)

    def warn(self):
        self.n_warnings += 1

    def name_of(self, names, number):
        """A word for a kind of record; a warning where there is none."""
        if number not in names:
            self.warn()
        return word_or_number(names, number)

    def string(self, ref, body=None):
        """A string by its reference: bytes, or the reference if it leads nowhere. Inline
        bytes are taken off the body."""
        if ref == 0:
            return b""
        if ref & 0x8000:
            return (body or self.body).stream(ref & 0x7FFF, "string_overrun")
        if ref not in self.current.strings:
            self.warn()
            return ref
        return self.current.strings[ref]

    @staticmethod
    def shown(string):
        return {"ref": string} if isinstance(string, int) else text(string)

    def thread(self, ref, inline=2):
        """A thread by its reference: (process, thread), or the reference."""
        if ref == 0:
            koids = [self.body.word() for _ in range(inline)]
            return (koids + [0])[:2]
        if ref not in self.current.threads:
            self.warn()
            return ref
        return self.current.threads[ref]

    @staticmethod
    def shown_thread(thread, process_key="process", thread_key="thread", ref_key="thread_ref"):
        known = not isinstance(thread, int)
        fields = {process_key: thread[0] if known else None}
        if thread_key is not None:
            fields[thread_key] = thread[1] if known else None
        if not known:
            fields[ref_key] = thread
        return fields

    def shown_process(self, thread):
        return self.shown_thread(thread, thread_key=None)

    def time(self, ticks, ticks_key="timestamp", ns_key="time_ns"):
        ns = ticks * 10**9 // self.current.rate
        return {ticks_key: ticks, ns_key: ns if ns < 1 << 64 else None}

    def args(self, count):
        shown = []
        for _ in range(count):
            if self.body.left() == 0:
                raise Malformed("arg_count")
            header = self.body.word()
            n_words = bits(header, 4, 15)
            if n_words == 0:
                raise Malformed("arg_size_zero")
            if n_words - 1 > self.body.left():
                raise Malformed("arg_overrun")
            shown.append(self.arg(header, self.body.part(n_words - 1, "arg_short")))
        return shown

    def arg(self, header, body):
        kind = bits(header, 0, 3)
        name = self.shown(self.string(bits(header, 16, 31), body))
        return {
            "name": name,
            "type": self.name_of(ARGS, kind),
            "value": self.arg_value(kind, header, body),
        }

    def arg_value(self, kind, header, body):
        high = bits(header, 32, 63)
        if kind == 1:
            return signed(high, 32)
        if kind == 2:
            return high
        if kind == 3:
            return signed(body.word(), 64)
        if kind in (4, 8):
            return body.word()
        if kind == 5:
            return shown_double(struct.unpack("<d", struct.pack("<Q", body.word()))[0])
        if kind == 6:
            return self.shown(self.string(bits(header, 32, 47), body))
        if kind == 7:
            return address(body.word())
        if kind == 9:
            return bool(bits(header, 32, 32))
        if kind == 10:
            return body.stream(high, "blob_overrun").hex()
        return None

    # ---- one function per record type ----

    def select(self, ident):
        self.current = self.providers.setdefault(ident, Provider(self.options.rate))

    def metadata(self):
        kind = self.h(16, 19)
        fields = {"type": "metadata", "metadata": self.name_of(METADATA, kind)}
        if kind == 4:
            return {**fields, **self.trace_info()}
        if kind not in METADATA:
            return fields
        ident = self.h(20, 51)
        fields["provider_id"] = ident
        if kind == 1:
            fields["name"] = text(self.body.stream(self.h(52, 59), "string_overrun"))
            self.select(ident)
        elif kind == 2:
            if ident not in self.providers:
                self.warn()
            self.select(ident)
        else:
            fields["event"] = self.name_of({0: "buffer_full"}, self.h(52, 55))
        return fields

    def trace_info(self):
        kind = self.h(20, 23)
        if kind != 0:
            self.warn()
            return {"trace_info": kind}
        if self.header != MAGIC_RECORD:
            raise Malformed("magic")
        return {"trace_info": "magic_number", "magic": address(self.h(24, 55))}

    def initialization(self):
        rate = self.body.word()
        if rate == 0:
            raise Malformed("ticks_zero")
        self.current.rate = rate
        fields = {"type": "initialization", "ticks_per_second": rate}
        if self.body.left() == 2:
            fields["base_ticks"] = self.body.word()
            fields["base_wall_ns"] = self.body.word()
        return fields

    def string_registration(self):
        index = self.h(16, 30)
        value = self.body.stream(self.h(32, 46), "string_overrun")
        if index == 0:
            self.warn()
        else:
            self.current.strings[index] = value
        return {"type": "string", "index": index, "value": text(value)}

    def thread_registration(self):
        index = self.h(16, 23)
        process = self.body.word()
        thread = self.body.word()
        if index == 0:
            self.warn()
        else:
            self.current.threads[index] = (process, thread)
        return {"type": "thread", "index": index, "process": process, "thread": thread}

    def event(self):
        kind = self.h(16, 19)
        fields = {"type": "event", "event": self.name_of(EVENTS, kind)}
        fields.update(self.time(self.body.word()))
        fields.update(self.shown_thread(self.thread(self.h(24, 31))))
        fields["category"] = self.shown(self.string(self.h(32, 47)))
        fields["name"] = self.shown(self.string(self.h(48, 63)))
        fields["args"] = self.args(self.h(20, 23))
        if kind == 4:
            fields.update(self.time(self.body.word(), "end_timestamp", "end_time_ns"))
        for kinds, key in ((1,), "counter_id"), ((5, 6, 7), "async_id"), ((8, 9, 10), "flow_id"):
            if kind in kinds:
                fields[key] = self.body.word()
        return fields

    def payload(self, payload):
        return {"payload": payload.hex()} if self.options.payload else {}

    def blob(self):
        name = self.string(self.h(16, 31))
        payload = self.body.stream(self.h(32, 46), "blob_overrun")
        return {
            "type": "blob",
            "name": self.shown(name),
            "blob_type": word_or_number(BLOBS, self.h(48, 55)),
            "payload_size": len(payload),
            **self.payload(payload),
        }

    def userspace_object(self):
        """Of an inline process the reference has one word, one writer two. Tried in this
        order, what fills the record exactly is meant, else what fits at all."""
        pointer = self.body.word()
        start = self.body.at
        n_warnings = self.n_warnings
        tries = []
        for inline in (1, 2) if self.h(16, 23) == 0 else (1,):
            self.body.at = start
            self.n_warnings = n_warnings
            try:
                fields = self.userspace_object_rest(pointer, inline)
                tries.append((EXACT if self.body.left() == 0 else FITS, fields))
            except Malformed as fault:
                tries.append((WRONG, fault))
            tries[-1] += (self.n_warnings,)
        verdict, found, self.n_warnings = min(tries, key=lambda one: one[0])
        if verdict == WRONG:
            raise found
        return found

    def userspace_object_rest(self, pointer, inline):
        process = self.thread(self.h(16, 23), inline)
        name = self.string(self.h(24, 39))
        return {
            "type": "userspace_object",
            "pointer": address(pointer),
            **self.shown_process(process),
            "name": self.shown(name),
            "args": self.args(self.h(40, 43)),
        }

    def kernel_object(self):
        return {
            "type": "kernel_object",
            "object_type": word_or_number(OBJECTS, self.h(16, 23)),
            "koid": self.body.word(),
            "name": self.shown(self.string(self.h(24, 39))),
            "args": self.args(self.h(40, 43)),
        }

    def scheduling(self):
        kind = self.h(60, 63)
        fields = {"type": "scheduling", "scheduling": self.name_of(SCHEDULING, kind)}
        if kind not in SCHEDULING:
            return fields
        fields.update(self.time(self.body.word()))
        if kind == 0:
            return {**fields, **self.legacy_switch()}
        fields["cpu"] = self.h(20, 35)
        if kind == 1:
            fields["outgoing_state"] = word_or_number(STATES, self.h(36, 39))
            fields["outgoing_thread"] = self.body.word()
            fields["incoming_thread"] = self.body.word()
        else:
            fields["waking_thread"] = self.body.word()
        fields["args"] = self.args(self.h(16, 19))
        return fields

    def legacy_switch(self):
        fields = {
            "cpu": self.h(16, 23),
            "outgoing_state": word_or_number(STATES, self.h(24, 27)),
        }
        for which, ref in ("outgoing", self.h(28, 35)), ("incoming", self.h(36, 43)):
            keys = ["%s_%s" % (which, what) for what in ("process", "thread", "thread_ref")]
            fields.update(self.shown_thread(self.thread(ref), *keys))
        fields["outgoing_priority"] = self.h(44, 51)
        fields["incoming_priority"] = self.h(52, 59)
        return fields

    def log(self):
        return {
            "type": "log",
            **self.time(self.body.word()),
            **self.shown_thread(self.thread(self.h(32, 39))),
            "message": text(self.body.stream(self.h(16, 30), "string_overrun")),
        }

    def profiler(self):
        kind = self.h(16, 19)
        fields = {"type": "profiler", "profiler": self.name_of(PROFILER, kind)}
        if kind not in PROFILER:
            return fields
        n_words = 1 + self.body.left()
        fields.update(self.time(self.body.word()))
        return {**fields, **(self.module, self.mapping, self.backtrace)[kind](n_words)}

    def module(self, n_words):
        name_size = self.h(44, 51)
        id_size = self.h(52, 59)
        n_if_one = 3 + (name_size + 7) // 8 + (id_size + 7) // 8
        process = self.thread(self.h(20, 27), 1 if n_words == n_if_one else 2)
        name = self.body.stream(name_size, "string_overrun")
        build_id = self.body.stream(id_size, "blob_overrun")
        return {
            **self.shown_process(process),
            "module_id": self.h(28, 43),
            "name": text(name),
            "build_id": shown_build_id(build_id),
        }

    def mapping(self, n_words):
        process = self.thread(self.h(20, 27), 1 if n_words == 6 else 2)
        start, length, vaddr = self.body.words(3, "record_short")
        return {
            **self.shown_process(process),
            "module_id": self.h(28, 43),
            "start": address(start),
            "length": length,
            "vaddr": address(vaddr),
            "flags": self.h(44, 46),
        }

    def backtrace(self, _):
        thread = self.thread(self.h(20, 27))
        pcs = self.body.words(self.h(28, 35), "pc_count")
        return {**self.shown_thread(thread), "pcs": [address(pc) for pc in pcs]}

    def large(self):
        kind = self.h(36, 39)
        form = self.h(40, 43)
        if kind != 0 or form > 1:
            self.warn()
            fields = {"type": "unknown", "record_type": 15, "large_type": kind}
            return fields if kind != 0 else {**fields, "blob_format": form}
        more = self.body.word()
        category = self.string(bits(more, 0, 15))
        name = self.string(bits(more, 16, 31))
        fields = {
            "type": "large_blob",
            "format": "no_metadata" if form == 1 else "metadata",
            "category": self.shown(category),
            "name": self.shown(name),
        }
        if form == 0:
            fields.update(self.time(self.body.word()))
            fields.update(self.shown_thread(self.thread(bits(more, 36, 43))))
            fields["args"] = self.args(bits(more, 32, 35))
        payload = self.body.stream(self.body.word(), "blob_overrun")
        fields["payload_size"] = len(payload)
        if form == 0 and category == name == b"" and len(payload) >= 8:
            if len(payload) % 8 != 0:
                self.warn()
            pcs = struct.unpack_from("%s%dQ" % (self.order, len(payload) // 8), payload)
            fields["pcs"] = [address(pc) for pc in pcs]
        return {**fields, **self.payload(payload)}

    def unknown(self):
        self.warn()
        return {"type": "unknown", "record_type": self.h(0, 3)}

    READERS = {
        0: metadata,
        1: initialization,
        2: string_registration,
        3: thread_registration,
        4: event,
        5: blob,
        6: userspace_object,
        7: kernel_object,
        8: scheduling,
        9: log,
        10: profiler,
        15: large,
    }


# The types that the format does not have.
UNKNOWN_TYPES = tuple(kind for kind in range(16) if kind not in Stream.READERS)


def shown_double(value):
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def shown_build_id(raw):
    """The first writers stored the 40 hex digits in place of the 20 bytes."""
    digits = b"0123456789abcdefABCDEF"
    if len(raw) == 40 and all(byte in digits for byte in raw):
        return raw.decode().lower()
    return raw.hex()


class Options:
    """How to read; the names are those of fxtdump's options."""

    def __init__(self, **given):
        self.kind = None
        self.byte_order = None
        self.rate = DEFAULT_RATE
        self.payload = False
        self.region_size = None
        self.__dict__.update(given)


class Result:
    def __init__(self):
        self.objects = []
        self.n_errors = 0
        self.n_warnings = 0

    def status(self, strict=False):
        return int(self.n_errors > 0 or (strict and self.n_warnings > 0))


def split(data, size):
    if size is None:
        return [data]
    return [data[at : at + size] for at in range(0, len(data), size)] or [b""]


def read_inputs(inputs, options=Options()):
    """What is to be printed for these inputs (bytes each, decompressed)."""
    result = Result()
    regions = [region for data in inputs for region in split(data, options.region_size)]
    for number, data in enumerate(regions):
        stream = Stream(data, options).read()
        for found in stream.objects:
            if len(regions) > 1:
                found = {
                    "offset": found.pop("offset"),
                    "size": found.pop("size"),
                    "region": number,
                    **found,
                }
            result.objects.append(found)
        result.n_errors += stream.n_errors
        result.n_warnings += stream.n_warnings
    return result


def read_options(argv):
    """Those of fxtdump that matter here, and the other words."""
    given = {}
    others = []
    words = iter(argv)
    for word in words:
        if word in ("--region", "--archive"):
            given["kind"] = word[2:]
        elif word == "--byte-order":
            given["byte_order"] = next(words)
        elif word == "--ticks-per-second":
            given["rate"] = int(next(words))
        elif word == "--region-size":
            given["region_size"] = int(next(words))
        elif word == "--payload":
            given["payload"] = True
        else:
            others.append(word)
    return Options(**given), others


def main(argv):
    options, files = read_options(argv)
    inputs = []
    for name in files:
        with open(name, "rb") as file:
            data = file.read()
        inputs.append(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    result = read_inputs(inputs, options)
    for found in result.objects:
        print(json.dumps(found, separators=(",", ":"), ensure_ascii=False))
    return result.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
