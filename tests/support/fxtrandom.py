# SPDX-License-Identifier: BSD-2-Clause
"""Random archives: well formed ones in every way the format has, and damaged ones."""
import random
import struct

import fxtref
import fxtwrite as w

NASTY_STRINGS = (
    b"",
    b"a",
    b"vm:fault",
    b"exactly8",
    b"nul\0inside",
    b"line\nbreak\ttab",
    b'quote " backslash \\',
    b"\x1b[31mred\x1b[0m",
    b"\x7f\x01",
    "grüße → 漢字 𝄞".encode(),
    "\u2028\u202e\ufeff".encode(),
    b"bad \xff\xfe",
    b"cut \xe2\x82",
    b"overlong \xc0\xaf\xe0\x80\x80",
    b"surrogate \xed\xa0\x80",
    b"beyond \xf4\x90\x80\x80 \xf0\x9f\x98",
)

NUMBERS = (0, 1, 7, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1)

DOUBLES = (
    0.0, -0.0, 1.0, -1.5, 0.1, 1e15, 1e16, 1e17, 123456789012345678.0, 1e22, 1e300, 5e-324,
    2.2250738585072014e-308, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan"),
)

RATES = (1, 24000000, 19200000, 10**9, 2496000000, 3, 2**63, 2**64 - 1)


class Generator:
    """Makes records. Few indices are used, so that many of them are defined twice, and
    some never."""

    def __init__(self, seed, big_endian=False):
        self.random = random.Random(seed)
        self.big_endian = big_endian

    # ---- what records are made of ----

    def chance(self, one_in):
        return self.random.randrange(one_in) == 0

    def number(self):
        if self.chance(2):
            return self.random.choice(NUMBERS)
        return self.random.getrandbits(self.random.randrange(1, 65))

    def below(self, n):
        """A field's value: often small, now and then the largest."""
        return n - 1 if self.chance(8) else self.random.randrange(min(n, 40))

    def raw(self, most):
        return self.random.getrandbits(8 * most).to_bytes(most, "little")[: self.below(most)]

    def bytes(self, most=200):
        if self.chance(3):
            return self.random.choice(NASTY_STRINGS)[:most]
        if self.chance(6):
            return self.raw(most)
        size = self.random.randrange(min(most, 40))
        return bytes(self.random.choice(b"abcdefghij:._-") for _ in range(size))

    def string(self):
        """Empty, by index, or inline."""
        if self.chance(5):
            return 0
        if self.chance(2):
            return self.random.randrange(1, 7) if not self.chance(10) else 0x7FFF
        return self.bytes()

    def thread(self):
        if self.chance(2):
            return self.random.randrange(1, 4) if not self.chance(10) else 255
        return (self.number(), self.number())

    def surplus(self):
        """Words that a later version of the format may have put there."""
        if not self.chance(6):
            return []
        return self.nested() if self.chance(3) else self.numbers()

    def numbers(self):
        return [self.number() for _ in range(self.random.randrange(1, 4))]

    def nested(self):
        """Sound records inside another."""
        makers = (
            lambda: w.string(self.random.randrange(1, 7), b"nested"),
            lambda: w.thread(self.random.randrange(1, 4), 10, 11),
            lambda: w.backtrace(123456789, (10, 11), [0x7F0012345678] * 3),
            lambda: w.sample(123456789, (10, 11), [0x7F0012345678] * 2),
            lambda: w.log(123456789, (10, 11), b"a nested record"),
        )
        records = [self.random.choice(makers)() for _ in range(self.random.randrange(1, 6))]
        return [part for record in records for part in record]

    def arg(self):
        kind = self.random.randrange(12) if not self.chance(20) else self.random.randrange(16)
        value = None
        if kind in (1, 2):
            value = self.random.getrandbits(32)
        elif kind in (3, 4, 7, 8):
            value = self.number()
        elif kind == 5:
            value = self.double()
        elif kind == 6:
            value = self.string()
        elif kind == 9:
            value = self.random.getrandbits(32)
        elif kind == 10:
            value = self.raw(60)
        return w.arg(kind, self.string(), value, self.surplus())

    def double(self):
        if self.chance(2):
            return self.random.choice(DOUBLES)
        return struct.unpack("<d", self.random.getrandbits(64).to_bytes(8, "little"))[0]

    def args(self):
        most = 16 if self.chance(10) else 4
        return [self.arg() for _ in range(self.random.randrange(most))]

    # ---- records ----

    def metadata(self):
        kind = self.random.randrange(9)
        if kind < 2:
            return w.provider_info(self.random.randrange(4), self.bytes(255), self.surplus())
        if kind < 5:
            ident = self.random.choice((0, 1, 2, 3, 3, 77, 2**32 - 1))
            return w.provider_section(ident, self.surplus())
        if kind < 7:
            event = 0 if self.chance(2) else self.below(16)
            return w.provider_event(self.random.randrange(5), event, self.surplus())
        if kind == 7:
            return w.trace_info(self.random.randrange(1, 16), self.random.getrandbits(40))
        kind = self.random.choice((0, 5, 9, 15))
        return w.metadata(kind, self.random.getrandbits(44), self.surplus())

    def initialization(self):
        rate = self.random.choice(RATES) if self.chance(2) else max(1, self.number())
        return w.initialization(rate, self.surplus())

    def string_record(self):
        index = self.random.randrange(7) if not self.chance(10) else 0x7FFF
        return w.string(index, self.bytes(), self.surplus())

    def thread_record(self):
        index = self.random.randrange(4) if not self.chance(10) else 255
        return w.thread(index, self.number(), self.number(), self.surplus())

    def event(self):
        kind = self.random.randrange(11) if not self.chance(15) else self.random.randrange(16)
        last = [self.number()] if kind not in (0, 2, 3) else []
        return w.event(
            kind,
            self.number(),
            self.thread(),
            self.string(),
            self.string(),
            self.args(),
            last + self.surplus(),
        )

    def drop_stats(self):
        names = [0x28 + i for i in range(4)]
        args = [w.arg(2, names[i], self.random.getrandbits(32)) for i in (2, 3)]
        who = (0, self.random.randrange(64))
        return w.event(4, self.number(), who, names[0], names[1], args, [self.number()])

    def blob(self):
        kind = self.random.choice((0, 1, 2, 3, 4, 255))
        return w.blob(self.string(), kind, self.raw(300), self.surplus())

    def userspace_object(self):
        who = self.random.choice((self.thread(), (self.number(),)))
        return w.userspace_object(
            self.number(), who, self.string(), self.args(), self.surplus()
        )

    def kernel_object(self):
        kind = self.random.choice((1, 2, 2, 0, 3, 17, 255))
        return w.kernel_object(kind, self.number(), self.string(), self.args(), self.surplus())

    def scheduling(self):
        kind = self.random.randrange(7)
        time = self.number()
        state = self.random.randrange(6) if not self.chance(6) else self.random.randrange(16)
        if kind < 2:
            return w.legacy_context_switch(
                time, self.below(256), state, self.thread(), self.thread(),
                (self.below(256), self.below(256)), self.surplus(),
            )
        if kind < 4:
            return w.context_switch(
                time, self.below(65536), state, self.number(), self.number(),
                self.args(), self.surplus(),
            )
        if kind < 6:
            return w.thread_wakeup(
                time, self.below(65536), self.number(), self.args(), self.surplus()
            )
        header = self.random.getrandbits(44) << 16
        return w.scheduling(self.random.randrange(3, 16), header, self.surplus())

    def log(self):
        return w.log(self.number(), self.thread(), self.bytes(), self.surplus())

    def profiled_process(self):
        """The three ways in which profiler records had their process."""
        return self.random.choice((self.thread(), (self.number(), 0), (self.number(),)))

    def build_id(self):
        if self.chance(3):
            digits = self.random.choice((b"0123456789abcdef", b"0123456789ABCDEFabcdef"))
            size = self.random.choice((40, 40, 40, 39, 41, 64))
            return bytes(self.random.choice(digits) for _ in range(size))
        return self.raw(255)[:20] if self.chance(2) else self.raw(255)

    def profiler(self):
        kind = self.random.randrange(10)
        time = self.number()
        if kind < 3:
            return w.module(
                time, self.profiled_process(), self.below(65536), self.bytes(255),
                self.build_id(), self.surplus(),
            )
        if kind < 6:
            return w.mapping(
                time, self.profiled_process(), self.below(65536), self.number(),
                self.number(), self.number(), self.random.randrange(8), self.surplus(),
            )
        if kind < 9:
            pcs = [self.number() for _ in range(self.below(256))]
            return w.backtrace(time, self.thread(), pcs, self.surplus())
        header = self.random.getrandbits(36) << 28
        kind = self.random.randrange(3, 16)
        return w.profiler(kind, header, time, self.thread(), self.surplus())

    def large(self):
        kind = self.random.randrange(8)
        time = self.number()
        if kind < 3:
            return w.large_blob(
                time, self.thread(), self.string(), self.string(), self.raw(2000),
                self.args(), self.surplus(),
            )
        if kind < 5:
            pcs = [self.number() for _ in range(self.below(65))]
            left_over = self.raw(8)[:7] if self.random.randrange(4) == 0 else b""
            return w.sample(time, self.thread(), pcs, left_over)
        if kind < 7:
            return w.attachment(self.string(), self.string(), self.raw(2000), self.surplus())
        kind, form = self.random.choice(((0, 2), (0, 15), (1, 0), (9, 3)))
        return w.large(kind, form, self.surplus())

    def unknown(self):
        kind = self.random.choice(fxtref.UNKNOWN_TYPES)
        body = self.random.choice((list, self.numbers, self.nested))()
        return w.record(kind, self.random.getrandbits(48) << 16, body)

    def record(self):
        kinds = (
            self.metadata, self.initialization, self.string_record, self.string_record,
            self.thread_record, self.event, self.event, self.event, self.drop_stats, self.blob,
            self.userspace_object, self.kernel_object, self.scheduling, self.scheduling,
            self.log, self.profiler, self.profiler, self.large, self.large, self.unknown,
        )
        return self.random.choice(kinds)()

    def archive(self, count):
        parts = [w.magic()] + [self.record() for _ in range(count)]
        return b"".join(w.to_bytes(part, self.big_endian) for part in parts)


# ---- damage ----


def headers(data, big_endian):
    """Where the records of a well-formed archive begin, and their headers."""
    order = ">Q" if big_endian else "<Q"
    at = 0
    while at < len(data):
        (header,) = struct.unpack_from(order, data, at)
        yield at, header
        at += 8 * (header >> 4 & (0xFFFFFFFF if header & 15 == 15 else 0xFFF))


def damage(data, at, big_endian, rng):
    """Does something to a word in the ways in which traces come to harm."""
    kind = rng.randrange(10)
    if kind < 3:
        data[min(at + rng.randrange(8), len(data) - 1)] ^= 1 << rng.randrange(8)
    elif kind == 3:
        del data[at + rng.randrange(8) :]
    elif kind == 4:
        data[at : at + 8] = bytes(min(8, len(data) - at))
    elif kind == 5:
        data[min(at + rng.randrange(8), len(data) - 1)] = rng.choice((0, 1, 0x7F, 0xFF))
    elif kind == 6:
        del data[at : at + 8 * rng.randrange(1, 4)]
    elif kind == 7:
        data[at:at] = rng.getrandbits(64).to_bytes(8, "little")
    else:
        # Of a string's registration this is the size, of others some reference or count.
        data[min(at + (3 if big_endian else 4), len(data) - 1)] = 0xFF


def damaged(data, big_endian, rng):
    """Most of the harm is done to headers, where a bit decides over much, and to the
    registrations of strings, on which later records depend."""
    found = list(headers(data, big_endian))
    records = [at for at, _ in found]
    strings = [at for at, header in found if header & 15 == 2] or records
    words = range(0, len(data), 8)
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.choice(rng.choice((records, strings, words)))
        if at < len(data):
            damage(data, at, big_endian, rng)
    return bytes(data)
