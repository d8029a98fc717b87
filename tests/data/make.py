#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the files in this folder, or with --check says which of them differ.

    make.py [--check]
"""
import os
import struct
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import fxtwrite as w  # noqa: E402

KOIDS = (1045, 2077)
PC = 0xFFFFFFFF80100F6F


def archive(*records, big_endian=False):
    return b"".join(w.to_bytes(one, big_endian) for one in (w.magic(),) + records)


def region(*records, size=0):
    data = b"".join(w.to_bytes(one) for one in records)
    return data + bytes(max(0, size - len(data)))


def every_arg():
    return [
        w.arg(0, b"nothing"),
        w.arg(1, b"int32", -(2**31)),
        w.arg(2, b"uint32", 2**32 - 1),
        w.arg(3, b"int64", -(2**63)),
        w.arg(4, b"uint64", 2**64 - 1),
        w.arg(5, b"double", -0.5),
        w.arg(5, b"infinity", float("inf")),
        w.arg(6, b"string", b"in line"),
        w.arg(6, 1, 2),
        w.arg(7, b"pointer", PC),
        w.arg(8, b"koid", 2077),
        w.arg(9, b"yes", True),
        w.arg(10, b"blob", b"\x00\x01\xfe\xff\x80"),
        w.arg(12, b"newer", None, [1, 2]),
    ]


def every_record():
    """Each record and kind of record, inline, by index, and with what was
    never registered."""
    records = [
        w.provider_info(7, b"sampler"),
        w.initialization(24000000),
        w.string(1, b"kernel:vm"),
        w.string(2, b"fault"),
        w.thread(1, *KOIDS),
        w.provider_section(0),
        w.provider_event(7, 0),
        w.provider_event(7, 3),
        w.provider_section(7),
        w.trace_info(5),
        w.metadata(9),
    ]
    for kind in range(12):
        last = [5000] if kind not in (0, 2, 3) else []
        records.append(w.event(kind, 1000 + kind, 1, 1, 2, [w.arg(2, b"n", kind)], last))
    return records + [
        w.event(0, 2000, KOIDS, b"c", b"global", every_arg(), [2]),
        w.event(0, 2**64 - 1, 9, 0, 30),
        w.blob(b"data", 1, b"abc"),
        w.blob(2, 2, b""),
        w.blob(b"newer", 9, b"\xff" * 9),
        w.userspace_object(0x1000, (7,), b"one koid", [w.arg(9, b"ok", True)]),
        w.userspace_object(0x1000, KOIDS, b"two koids"),
        w.userspace_object(0x1000, 9, 2),
        w.kernel_object(1, 1045, b"init"),
        w.kernel_object(2, 2077, b"worker", [w.arg(8, b"process", 1045)]),
        w.kernel_object(17, 5, b"root job"),
        w.context_switch(5000, 3, 3, 2077, 2090, [w.arg(1, b"incoming_weight", -1)]),
        w.context_switch(5000, 3, 9, 2077, 2090),
        w.thread_wakeup(4990, 3, 2090),
        w.legacy_context_switch(5010, 3, 2, (4660, 17185), 1, (0, 20)),
        w.legacy_context_switch(5010, 3, 5, 8, 9),
        w.scheduling(9, 0, [1]),
        w.log(777, KOIDS, b"hello log"),
        w.log(777, 1, b""),
        w.module(10**9, (1045, 0), 0, b"libfdio.so", bytes(range(20))),
        w.module(10**9, (1045,), 1, b"libc.so", b"0123456789abcdef0123456789ABCDEF01234567"),
        w.mapping(10**9, (1045, 0), 0, 0x3BFD82B3000, 0x62000, 0x1000, 5),
        w.mapping(10**9, (1045,), 0, 0x3BFD8315000, 0x1000, 0x62000, 6),
        w.backtrace(10**9, KOIDS, [PC, 0x1000, 0x2000]),
        w.backtrace(10**9, 1, []),
        w.profiler(7, 0, 10**9, KOIDS, []),
        w.large_blob(10**9, KOIDS, b"cpu_profiler", b"stack_sample", b"raw stack", [w.arg(0, b"a")]),
        w.large_blob(10**9, 9, 1, 2, b""),
        w.attachment(b"c", b"n", b"\x01\x02\x03"),
        w.large(0, 5, [1]),
        w.large(4, 0, [1, 2]),
        w.record(12, 0, [1, 2]),
    ]


def drop_stats(cpu):
    return w.drop_stats(cpu, 17, 9248, 5000, 9000)


def samples(cpu, count):
    return [
        w.sample(1000 * i, (1045, 2077 + cpu), [PC + 4 * i + j for j in range(1 + i % 3)])
        for i in range(count)
    ]


def damaged():
    """Some ways to lose a record, and what is between them."""
    return archive(
        w.string(1, b"before"),
        w.trace_info(0, 0x12345678),
        w.record(2, w.field(1, 16, 30) | w.field(99, 32, 46), [1]),
        w.blob(1, 1, b"its name is lost"),
        w.initialization(0),
        w.record(4, w.field(5, 20, 23), [5, 1, 2]),
        w.event(0, 5, KOIDS, 0, 0, [w.arg(0, 0, size=0)]),
        w.log(9, KOIDS, b"in between"),
    ) + w.to_bytes(w.thread(1, 2, 3))[:12]


def lost():
    """The framing is lost in the middle, and there are records after."""
    return archive(
        w.string(1, b"one"),
        [0x123400000009, 0xFFFFFFFFFFFFFFFF, 0x80],
        w.string(2, b"two"),
        w.blob(2, 1, b"found again"),
        w.log(9, KOIDS, b"the end"),
    )


HOSTILE = (
    b"\x1b]0;title\x07\x1b[2J\x1b[31mred",
    b"line\nfxtdump: forged:0x0: line\r",
    b'quote" back\\slash',
    b"space and=equals #40 <x> (y)",
    b"nul\0byte",
    b"bad \xff\xc0\xaf\xed\xa0\x80 utf-8 \xe2\x82",
    "\u202eright to left\u2066 \ufeff\u200b\u2028".encode(),
    b"\xc2\x9b31m",
    "grüße 漢字 𝄞".encode(),
    b"",
    b"#40",
    b"a:b",
)


def hostile():
    records = []
    for i, name in enumerate(HOSTILE):
        records.append(w.string(i + 1, name))
        records.append(w.event(0, i, KOIDS, i + 1, i + 1, [w.arg(6, i + 1, i + 1)]))
    records.append(w.kernel_object(1, 5, HOSTILE[0]))
    records.append(w.log(9, KOIDS, HOSTILE[1]))
    records.append(w.module(9, (1, 0), 1, HOSTILE[0], b"\x1b" * 40))
    records.append(w.provider_info(1, HOSTILE[0]))
    return archive(*records)


def redefined():
    return archive(
        w.string(1, b"old"), w.thread(1, 1, 1), w.event(0, 1, 1, 1, 1),
        w.string(1, b"new"), w.thread(1, 2, 2), w.event(0, 2, 1, 1, 1),
        w.string(0, b"nobody"), w.thread(0, 3, 3), w.event(0, 3, 1, 1, 0),
    )


def said_wrong():
    """Sizes that lie as far as they can."""
    return archive(
        w.large_blob(1, KOIDS, b"c", b"n", bytes(8), said=2**64 - 1),
        w.large_blob(1, KOIDS, 0, 0, bytes(8), said=2**64 - 8),
        w.attachment(b"c", b"n", bytes(8), said=2**63),
        w.event(0, 1, KOIDS, b"c", b"n", [[0xFFFFFFFF0000002A, 1]]),
        w.log(2, KOIDS, b"still here"),
    )


def gzip(*blocks):
    """One member of blocks that are not compressed, so that every byte of it is known."""
    data = b"".join(blocks)
    out = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
    for i, block in enumerate(blocks):
        last = i == len(blocks) - 1
        out += struct.pack("<BHH", last, len(block), len(block) ^ 0xFFFF) + block
    return out + struct.pack("<II", zlib.crc32(data), len(data))


REGION = region(*samples(0, 4), drop_stats(0), *samples(0, 2), size=2048)

FILES = {
    "every.fxt": archive(*every_record()),
    "every_big_endian.fxt": archive(*every_record(), big_endian=True),
    "damaged.fxt": damaged(),
    "lost.fxt": lost(),
    "hostile.fxt": hostile(),
    "redefined.fxt": redefined(),
    "said_wrong.fxt": said_wrong(),
    # A CPU's buffer, mostly empty; three of them in one file, the last one cut short.
    "region.bin": REGION,
    "regions.bin": region(*samples(0, 3), size=512)
    + region(*samples(1, 9), size=512)[:512]
    + region(*samples(2, 2), drop_stats(2), size=384),
    # The first of these in two blocks, the second from byte 200 on.
    "region.bin.gz": gzip(REGION[:200], REGION[200:]),
    # A record that says it is as large as a record can be, in a small file.
    "huge.bin": region(*samples(0, 1))
    + struct.pack("<Q", 15 | 0xFFFFFFFF << 4)
    + bytes(1024 - 64),
}


def main():
    wrong = []
    for name, data in FILES.items():
        path = os.path.join(HERE, name)
        if "--check" not in sys.argv:
            with open(path, "wb") as file:
                file.write(data)
        elif not os.path.exists(path) or open(path, "rb").read() != data:
            wrong.append(name)
    if wrong:
        print("not as make.py makes them: %s" % " ".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
