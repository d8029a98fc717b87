#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes FXT records for tests: any record, right or wrong on purpose.

A record is a list of words (ints) and streams (bytes), which to_bytes() puts together in
either byte order. Wherever the format has a string reference, an int is the reference as
it is and bytes are inline; for a thread, an int is an index and a tuple is inline.
`extra` words go after a record's last field.

A Trace puts together what profiles are made of. As a program: reads one record a line, as
a shell would split it, and writes the bytes to standard output. Numbers are decimal or 0x
hex; names take Python's backslash escapes.

    sample TIME PROCESS THREAD PC...            as the kernel sampler wrote until 2025
    backtrace TIME PROCESS THREAD PC...         and since then
    drops CPU RECORDS BYTES FIRST LAST
    magic | init RATE [TICKS WALL_NS] | provider ID NAME | section ID
    process KOID NAME [SINCE] | thread KOID NAME [PROCESS [SINCE]]
    module PROCESS ID NAME BUILD_ID
    mapping PROCESS ID START LENGTH VADDR [FLAGS [TIME]]
    unwound TIME PROCESS THREAD SIZE            stack memory that was not unwound
    begin TIME PROCESS THREAD NAME [CATEGORY] | end TIME PROCESS THREAD [NAME]
    complete TIME END PROCESS THREAD NAME [CATEGORY]
    recording PERIOD_NS                         as fxtrecord says it
    several | sampled NUMBER NAME UNIT [PERIOD] the same, of several events
    weighed TIME PROCESS THREAD EVENT WEIGHT PC...
    event KIND TIME PROCESS THREAD NAME [ID]    an instant, async, flow event and so on
    words WORD...                               as they are
    pad SIZE                                    zeros, up to that many bytes in all
"""
import shlex
import struct
import sys


def field(value, low, high):
    """A word with one field set; a value that does not fit is a mistake of the test's."""
    assert 0 <= value < 1 << (high - low + 1), (value, low, high)
    return value << low


def n_words(parts):
    return sum(1 if isinstance(part, int) else (len(part) + 7) // 8 for part in parts)


def to_bytes(parts, big_endian=False):
    order = ">Q" if big_endian else "<Q"
    return b"".join(
        struct.pack(order, part) if isinstance(part, int) else part + bytes(-len(part) % 8)
        for part in parts
    )


def string_ref(string):
    return string if isinstance(string, int) else 0x8000 | len(string)


def string_body(string):
    return [] if isinstance(string, int) else [string]


def thread_ref(thread):
    return thread if isinstance(thread, int) else 0


def thread_body(thread):
    return [] if isinstance(thread, int) else list(thread)


def record(kind, header, body, extra=(), size=None):
    """`size` in words, where it is to be a lie."""
    parts = list(body) + list(extra)
    size = 1 + n_words(parts) if size is None else size
    return [field(kind, 0, 3) | field(size, 4, 35 if kind == 15 else 15) | header] + parts


# ---- metadata, initialization, string, thread ----


def magic():
    return [0x0016547846040010]


def trace_info(kind, high=0, extra=()):
    return record(0, field(4, 16, 19) | field(kind, 20, 23) | field(high, 24, 63), [], extra)


def provider_info(ident, name, extra=()):
    header = field(1, 16, 19) | field(ident, 20, 51) | field(len(name), 52, 59)
    return record(0, header, [name], extra)


def provider_section(ident, extra=()):
    return record(0, field(2, 16, 19) | field(ident, 20, 51), [], extra)


def provider_event(ident, event, extra=()):
    header = field(3, 16, 19) | field(ident, 20, 51) | field(event, 52, 55)
    return record(0, header, [], extra)


def metadata(kind, high=0, extra=()):
    return record(0, field(kind, 16, 19) | field(high, 20, 63), [], extra)


def initialization(rate, extra=()):
    return record(1, 0, [rate], extra)


def string(index, value, extra=()):
    return record(2, field(index, 16, 30) | field(len(value), 32, 46), [value], extra)


def thread(index, process, koid, extra=()):
    return record(3, field(index, 16, 23), [process, koid], extra)


# ---- arguments: (type, name, value); args() makes a record's ----


def arg(kind, name, value=None, extra=(), size=None):
    high = 0
    body = string_body(name)
    if kind == 1:
        high = value & 0xFFFFFFFF
    elif kind == 2:
        high = value
    elif kind in (3, 4, 7, 8):
        body = body + [value & 0xFFFFFFFFFFFFFFFF]
    elif kind == 5:
        body = body + [struct.unpack("<Q", struct.pack("<d", value))[0]]
    elif kind == 6:
        high = string_ref(value)
        body = body + string_body(value)
    elif kind == 9:
        high = int(value)
    elif kind == 10:
        high = len(value)
        body = body + [value]
    body = body + list(extra)
    size = 1 + n_words(body) if size is None else size
    header = field(kind, 0, 3) | field(size, 4, 15) | field(string_ref(name), 16, 31)
    return [header | field(high, 32, 63)] + body


def flat(args):
    return [part for one in args for part in one]


# ---- the rest ----


def event(kind, time, who, category, name, args=(), extra=()):
    """`extra` holds the last words of the kinds that have any, too."""
    header = (
        field(kind, 16, 19)
        | field(len(args), 20, 23)
        | field(thread_ref(who), 24, 31)
        | field(string_ref(category), 32, 47)
        | field(string_ref(name), 48, 63)
    )
    body = [time] + thread_body(who) + string_body(category) + string_body(name)
    return record(4, header, body + flat(args), extra)


def blob(name, kind, payload, extra=()):
    header = field(string_ref(name), 16, 31) | field(len(payload), 32, 46)
    return record(5, header | field(kind, 48, 55), string_body(name) + [payload], extra)


def userspace_object(pointer, who, name, args=(), extra=()):
    """`who`: an index, (process,) or (process, thread)."""
    header = field(thread_ref(who), 16, 23) | field(string_ref(name), 24, 39)
    body = [pointer] + thread_body(who) + string_body(name) + flat(args)
    return record(6, header | field(len(args), 40, 43), body, extra)


def kernel_object(kind, koid, name, args=(), extra=()):
    header = field(kind, 16, 23) | field(string_ref(name), 24, 39)
    body = [koid] + string_body(name) + flat(args)
    return record(7, header | field(len(args), 40, 43), body, extra)


def scheduling(kind, header, body, args=(), extra=()):
    return record(8, header | field(kind, 60, 63), list(body) + flat(args), extra)


def context_switch(time, cpu, state, outgoing, incoming, args=(), extra=()):
    header = field(len(args), 16, 19) | field(cpu, 20, 35) | field(state, 36, 39)
    return scheduling(1, header, [time, outgoing, incoming], args, extra)


def thread_wakeup(time, cpu, waking, args=(), extra=()):
    header = field(len(args), 16, 19) | field(cpu, 20, 35)
    return scheduling(2, header, [time, waking], args, extra)


def legacy_context_switch(time, cpu, state, outgoing, incoming, priorities=(0, 0), extra=()):
    header = (
        field(cpu, 16, 23)
        | field(state, 24, 27)
        | field(thread_ref(outgoing), 28, 35)
        | field(thread_ref(incoming), 36, 43)
        | field(priorities[0], 44, 51)
        | field(priorities[1], 52, 59)
    )
    body = [time] + thread_body(outgoing) + thread_body(incoming)
    return scheduling(0, header, body, (), extra)


def log(time, who, message, extra=()):
    header = field(len(message), 16, 30) | field(thread_ref(who), 32, 39)
    return record(9, header, [time] + thread_body(who) + [message], extra)


def profiler(kind, header, time, who, body, extra=()):
    header |= field(kind, 16, 19) | field(thread_ref(who), 20, 27)
    return record(10, header, [time] + thread_body(who) + list(body), extra)


def module(time, who, ident, name, build_id, extra=()):
    header = field(ident, 28, 43) | field(len(name), 44, 51) | field(len(build_id), 52, 59)
    return profiler(0, header, time, who, [name, build_id], extra)


def mapping(time, who, ident, start, length, vaddr, flags, extra=()):
    header = field(ident, 28, 43) | field(flags, 44, 46)
    return profiler(1, header, time, who, [start, length, vaddr], extra)


def backtrace(time, who, pcs, extra=()):
    return profiler(2, field(len(pcs), 28, 35), time, who, pcs, extra)


def large(kind, form, body, extra=(), size=None):
    return record(15, field(kind, 36, 39) | field(form, 40, 43), body, extra, size)


def large_blob(time, who, category, name, payload, args=(), extra=(), said=None):
    """With metadata. `said` is what the record says of the payload's size, if not the
    truth."""
    header = (
        field(string_ref(category), 0, 15)
        | field(string_ref(name), 16, 31)
        | field(len(args), 32, 35)
        | field(thread_ref(who), 36, 43)
    )
    body = [header] + string_body(category) + string_body(name) + [time]
    body += thread_body(who) + flat(args)
    return large(0, 0, body + [len(payload) if said is None else said, payload], extra)


def attachment(category, name, payload, extra=(), said=None):
    """A large blob without metadata."""
    header = field(string_ref(category), 0, 15) | field(string_ref(name), 16, 31)
    body = [header] + string_body(category) + string_body(name)
    return large(0, 1, body + [len(payload) if said is None else said, payload], extra)


def functions(process, entries, source, version=1, more_words=(), said=None, unread=0):
    """Entries are (address, size, since, name, and maybe home). `said` is how many entries
    the record claims to have, if not the truth."""
    words, names = [], b""
    for address, size, since, *strings in entries:
        words += [address, size, since]
        for string in strings:
            words.append(len(string) << 32 | len(names))
            names += string
        words += more_words
    entry_words = len(words) // len(entries) if entries else 4
    args = [arg(2, b"version", version), arg(2, b"entry_words", entry_words),
            arg(4, b"entries", len(entries) if said is None else said),
            arg(6, b"source", source), arg(4, b"unread", unread)]
    payload = struct.pack("<%dQ" % len(words), *words) + names
    return large_blob(0, (process, 0), b"symbols", b"functions", payload, args)


def lines(module, build_id, entries, process=0, version=1, more_words=(), said=None,
          strings=None):
    """Entries are (address, name, source file, line, start line); a name or file may also be
    (offset, size), in `strings` where these are given."""
    words, names = [], b"" if strings is None else strings
    for address, name, source, line, start_line in entries:
        refs = []
        for string in name, source:
            if isinstance(string, bytes):
                if string not in names:
                    names += string
                string = names.index(string), len(string)
            refs.append(string[1] << 32 | string[0])
        words += [address, *refs, start_line << 32 | line, *more_words]
    args = [arg(2, b"version", version), arg(2, b"entry_words", 4 + len(more_words)),
            arg(4, b"entries", len(entries) if said is None else said),
            arg(6, b"module", module), arg(6, b"build_id", build_id)]
    payload = struct.pack("<%dQ" % len(words), *words) + names
    return large_blob(0, (process, 0), b"symbols", b"lines", payload, args)


def sample(time, who, pcs, left_over=b""):
    """What Zircon's kernel sampler wrote until 2025. A payload may end inside a word."""
    body = list(pcs) + ([left_over] if left_over else [])
    return large_blob(time, who, 0, 0, b"", extra=body, said=8 * len(pcs) + len(left_over))


def drop_stats(cpu, records, size, first, last):
    """Its names are references that only the kernel's own trace would resolve."""
    args = [arg(2, 42, records), arg(2, 43, size)]
    return event(4, first, (0, cpu), 40, 41, args, [last])


# ---- records one after the other ----


class Trace:
    def __init__(self, big_endian=False):
        self.pieces = []
        self.size = 0
        self.big_endian = big_endian

    def add(self, record):
        self.pieces.append(to_bytes(record, self.big_endian))
        self.size += len(self.pieces[-1])

    def data(self):
        return b"".join(self.pieces)

    def words(self, *words):
        self.add(words)

    def pad(self, size):
        self.add([bytes(size - self.size)])

    def sample(self, time, process, koid, *pcs):
        self.add(sample(time, (process, koid), pcs))

    def ended(self, time, process, koid, end, *pcs):
        """A sample of libfxt's, which says how its stack ended."""
        args = [arg(2, b"end", end)]
        self.add(large_blob(time, (process, koid), 0, 0, b"", args, pcs, 8 * len(pcs)))

    def weighed(self, time, process, koid, event, weight, *pcs):
        """A sample of libfxt's, of an event (docs/sampled-events.md)."""
        args = [arg(2, b"end", 1), arg(2, b"event", event), arg(4, b"weight", weight)]
        self.add(large_blob(time, (process, koid), 0, 0, b"", args, pcs, 8 * len(pcs)))

    def backtrace(self, time, process, koid, *pcs):
        self.add(backtrace(time, (process, koid), pcs))

    def drops(self, cpu, records, size, first, last):
        self.add(drop_stats(cpu, records, size, first, last))

    def unwound(self, time, process, koid, size):
        self.add(large_blob(time, (process, koid), b"cpu_profiler", b"stack_sample",
                            bytes(size)))

    def magic(self):
        self.add(magic())

    def init(self, rate, *base):
        self.add(initialization(rate, base))

    def provider(self, ident, name):
        self.add(provider_info(ident, name))

    def section(self, ident):
        self.add(provider_section(ident))

    def process(self, koid, name, since=None):
        args = [] if since is None else [arg(4, b"since", since)]
        self.add(kernel_object(1, koid, name, args))

    def thread(self, koid, name, process=None, since=None):
        args = [] if process is None else [arg(8, b"process", process)]
        args += [] if since is None else [arg(4, b"since", since)]
        self.add(kernel_object(2, koid, name, args))

    def module(self, process, ident, name, build_id):
        self.add(module(0, (process, 0), ident, name, build_id))

    def mapping(self, process, ident, start, length, vaddr, flags=5, time=0):
        self.add(mapping(time, (process, 0), ident, start, length, vaddr, flags))

    def functions(self, process, entries, source=b"jit", **options):
        """A record of symbols (docs/symbol-records.md)."""
        self.add(functions(process, entries, source, **options))

    def lines(self, module, build_id, entries, **options):
        """A record of lines (docs/symbol-records.md)."""
        self.add(lines(module, build_id, entries, **options))

    def recording(self, period_ns, boot_id=None, command_line=None):
        args = [arg(4, b"period_ns", period_ns)]
        args += [] if command_line is None else [arg(6, b"command_line", command_line)]
        args += [] if boot_id is None else [arg(6, b"boot_id", boot_id)]
        self.add(event(0, 0, (1, 1), b"fxtrecord", b"recording", args))

    def several(self, start_unix_ns=1):
        """A recording of several events begins."""
        self.add(event(0, 0, (1, 1), b"fxtrecord", b"recording",
                       [arg(4, b"start_unix_ns", start_unix_ns)]))

    def sampled(self, number, name, unit, period=None):
        args = [arg(4, b"number", number), arg(6, b"name", name), arg(6, b"unit", unit)]
        args += [] if period is None else [arg(4, b"period", period)]
        self.add(event(0, 0, (1, 1), b"fxtrecord", b"sampled_event", args))

    def sampled_end(self, number, **counts):
        args = [arg(4, b"number", number)]
        args += [arg(4, name.encode(), n) for name, n in counts.items()]
        self.add(event(0, 0, (1, 1), b"fxtrecord", b"sampled_event_end", args))

    def event(self, kind, time, process, koid, name, *words, category=b""):
        self.add(event(kind, time, (process, koid), category, name, extra=words))

    def begin(self, time, process, koid, name, category=b""):
        self.event(2, time, process, koid, name, category=category)

    def end(self, time, process, koid, name=b""):
        self.event(3, time, process, koid, name)

    def complete(self, time, end, process, koid, name, category=b""):
        self.event(4, time, process, koid, name, end, category=category)


def archive():
    """A Trace that begins with the number that archives begin with, and regions do not."""
    trace = Trace()
    trace.magic()
    return trace


# ---- as a program ----


def value(word):
    try:
        return int(word, 0)
    except ValueError:
        return word.encode("latin-1").decode("unicode_escape").encode("latin-1")


def main():
    trace = Trace()
    for line in sys.stdin:
        words = shlex.split(line, comments=True)
        if not words:
            continue
        arguments = [value(word) for word in words[1:]]
        if words[0] == "module":
            arguments[3] = bytes.fromhex(words[4])
        getattr(trace, words[0])(*arguments)
    sys.stdout.buffer.write(trace.data())


if __name__ == "__main__":
    main()
