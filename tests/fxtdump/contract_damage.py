# SPDX-License-Identifier: BSD-2-Clause
"""The JSON contract's cases: what is malformed, where inputs end, regions."""
import fxtwrite as w
from contract import (
    MAGIC, KOIDS, U64, arg, broken, case, log, lost, other, rate, registered,
    section,
)

broken("error: the magic has another content.", w.trace_info(0, 0x16547847), "magic")
broken("error: the magic is two words.", [w.magic()[0] + 0x10, 0], "magic")
broken("error: no word for the rate.", w.record(1, 0, []), "record_short")
broken("error: zero ticks a second.", w.initialization(0), "ticks_zero")
broken("error: a thread with one koid.", w.record(3, w.field(1, 16, 23), [1]), "record_short")
broken("error: a counter without its id.", w.event(1, 5, KOIDS, b"c", b"n"), "record_short")
broken("error: a duration without its end.", w.event(4, 5, KOIDS, 0, 0), "record_short")
broken("error: an async event without id.", w.event(5, 5, KOIDS, 0, 0), "record_short")
broken("error: a flow event without id.", w.event(8, 5, KOIDS, 0, 0), "record_short")
broken(
    "error: a string longer than its record.",
    w.record(2, w.field(1, 16, 30) | w.field(17, 32, 46), [b"sixteen bytes..."]),
    "string_overrun",
)
broken(
    "error: an inline name longer than its record.",
    w.record(5, w.field(0xFFFF, 16, 31), [1]),
    "string_overrun",
)
broken(
    "error: a log message longer than its record.",
    w.record(9, w.field(9, 16, 30), [5, 1, 2, 3]),
    "string_overrun",
)
broken(
    "error: a blob longer than its record.",
    w.record(5, w.field(9, 32, 46) | w.field(1, 48, 55), [1]),
    "blob_overrun",
)
broken(
    "error: fewer arguments than announced.",
    w.record(4, w.field(2, 20, 23), [5, 1, 2] + w.arg(0, 0)),
    "arg_count",
)
broken(
    "error: an argument of size zero.",
    w.event(0, 5, KOIDS, 0, 0, [w.arg(0, 0, size=0)]),
    "arg_size_zero",
)
broken(
    "error: an argument longer than its record.",
    w.event(0, 5, KOIDS, 0, 0, [w.arg(0, 0, size=2)]),
    "arg_overrun",
)
broken(
    "error: an argument without its value.",
    w.event(0, 5, KOIDS, 0, 0, [w.arg(3, 0, 1, size=1)]),
    "arg_short",
)
broken(
    "error: a blob argument longer than the argument.",
    w.event(0, 5, KOIDS, 0, 0, [[0xFFFFFFFF0000002A, 1]]),
    "blob_overrun",
)
broken(
    "error: an argument's name longer than the argument.",
    w.event(0, 5, KOIDS, 0, 0, [[0x80090020, 1], [0x10, 1]]),
    "string_overrun",
)
broken(
    "error: fewer PCs than announced.",
    w.profiler(2, w.field(3, 28, 35), 5, KOIDS, [1, 2]),
    "pc_count",
)
broken(
    "error: a mapping without its last word.",
    w.profiler(1, 0, 5, 1, [1, 2]),
    "record_short",
)
broken(
    "error: a build id longer than its record.",
    w.profiler(0, w.field(20, 52, 59), 5, KOIDS, [1]),
    "blob_overrun",
)
for lie in (9, 2**32, U64 - 7, U64):
    broken(
        "error: a large blob of %d bytes in one word." % lie,
        w.large_blob(5, KOIDS, b"c", b"n", bytes(8), said=lie),
        "blob_overrun",
    )
    broken(
        "error: a sample of %d bytes in one word." % lie,
        w.large_blob(5, KOIDS, 0, 0, bytes(8), said=lie),
        "blob_overrun",
    )
    broken(
        "error: an attachment of %d bytes in one word." % lie,
        w.attachment(0, 0, bytes(8), said=lie),
        "blob_overrun",
    )
case(
    "A registration that is lost leaves its index undefined.",
    [w.string(1, b"old"), w.record(2, w.field(1, 16, 30) | w.field(99, 32, 46), [1]),
     w.blob(1, 1, b"")],
    registered(1, "old"),
    {"type": "error", "code": "string_overrun"},
    {"type": "blob", "name": {"ref": 1}, "blob_type": "data", "payload_size": 0},
    status=1,
)

ONE = w.to_bytes(w.provider_section(0))


def one(offset, **region):
    return {"offset": offset, "size": 8, **region, **section(0)}


other("size is the bytes skipped: all that is left after a size of zero.",
      ONE + w.to_bytes([0x2000000000, 1, 2]), one(0), lost(8, 24, "size_zero"), status=1)
other("size is the bytes skipped: all of a record that is cut off.",
      ONE + w.to_bytes(w.thread(1, 2, 3))[:17], one(0), lost(8, 17, "truncated"), status=1)
other("size is the bytes skipped: part of a header.", ONE + b"abc", one(0),
      lost(8, 3, "truncated"), status=1)
other("Three bytes are no record.", b"abc", lost(0, 3, "truncated"), status=1)
other("Nothing is no record and no fault.", b"")
other("In a region a zero word ends the data, and the rest is not printed.",
      ONE + bytes(8) + ONE, one(0))
other("... unless --strict: data after the end of a region.", ONE + bytes(8) + ONE, one(0),
      args=["--strict"], status=1)
other("... which a region's empty rest is not.", ONE + bytes(64), one(0), args=["--strict"])
other("In an archive zero words are stepped over.", ONE + bytes(16) + ONE, one(0), one(24),
      args=["--archive"])
other("... unless --strict: zero words in an archive.", ONE + bytes(16) + ONE, one(0), one(24),
      args=["--archive", "--strict"], status=1)
other("--region reads an archive as a region.", w.to_bytes(w.magic()) + bytes(8) + ONE,
      {"offset": 0, "size": 8, **MAGIC}, args=["--region"])
other("--byte-order for what has no magic.", w.to_bytes(w.thread(1, 2, 3), big_endian=True),
      {"offset": 0, "size": 24, "type": "thread", "index": 1, "process": 2, "thread": 3},
      args=["--byte-order", "big"])
other("The magic number determines the byte order.",
      w.to_bytes(w.magic() + w.string(1, b"abc"), big_endian=True),
      {"offset": 0, "size": 8, **MAGIC},
      {"offset": 8, "size": 16, **registered(1, "abc")})
other("With several files each object says its region, and offsets count from its start.", b"",
      one(0, region=0), one(8, region=0), one(0, region=2),
      lost(8, 1, "truncated", region=2), inputs=[ONE + ONE, b"", ONE + b"x"], status=1)
other("With several regions, too; the last may be short.", ONE * 5, one(0, region=0),
      one(8, region=0), one(0, region=1), one(8, region=1), one(0, region=2),
      args=["--region-size", "16"])
other("A size that makes one region of the input is as good as none.", ONE * 2, one(0), one(8),
      args=["--region-size", "16"])
other("A record that passes the end of its region is cut off there, and the next is whole.",
      w.to_bytes(w.thread(1, 2, 3))[:16] + ONE, lost(0, 16, "truncated", region=0),
      one(0, region=1), args=["--region-size", "16"], status=1)
other("A region whose framing is lost costs no other.", w.to_bytes([0x2000000000, 7]) + ONE,
      lost(0, 16, "size_zero", region=0),
      one(0, region=1), args=["--region-size", "16"], status=1)
other("Nothing registered in one region means anything in the next.",
      w.to_bytes(w.string(1, b"a")) + w.to_bytes(w.blob(1, 1, b"x")),
      {"offset": 0, "size": 16, "region": 0, **registered(1, "a")},
      {"offset": 0, "size": 16, "region": 1, "type": "blob", "name": {"ref": 1},
       "blob_type": "data", "payload_size": 1},
      args=["--region-size", "16"])
