# SPDX-License-Identifier: BSD-2-Clause
"""The JSON contract's cases: the conventions."""
import fxtwrite as w
from contract import (
    KOIDS, U64, WHO, arg, at, case, info, instant, log, logged, only_status, rate,
    registered, section,
)

case(
    "Keys come in the order given below; objects in the order of the input.",
    [w.string(1, b"b"), w.string(2, b"a"), w.thread(3, 1, 2)],
    registered(1, "b"),
    registered(2, "a"),
    {"type": "thread", "index": 3, "process": 1, "thread": 2},
)
case(
    "64-bit integers are JSON numbers with all their digits.",
    [w.thread(1, U64, 2**53 + 1), w.event(1, 2**63 + 1, 1, b"c", b"n", [], [U64 - 1])],
    {"type": "thread", "index": 1, "process": 18446744073709551615, "thread": 9007199254740993},
    {
        "type": "event", "event": "counter", **at(9223372036854775809),
        "process": 18446744073709551615, "thread": 9007199254740993, "category": "c",
        "name": "n", "args": [], "counter_id": 18446744073709551614,
    },
)
case(
    "Addresses are lower-case hex strings.",
    [
        w.mapping(5, (7, 0), 1, 0xFFFFFFFF80100F6F, 4096, 0, 5),
        w.userspace_object(0xABCDEF, (7,), b"o", [w.arg(7, b"p", U64)]),
        w.backtrace(5, KOIDS, [0xFFFFFFFF80100F6F, 0]),
    ],
    {
        "type": "profiler", "profiler": "mapping", **at(5), "process": 7, "module_id": 1,
        "start": "0xffffffff80100f6f", "length": 4096, "vaddr": "0x0", "flags": 5,
    },
    {
        "type": "userspace_object", "pointer": "0xabcdef", "process": 7, "name": "o",
        "args": [{"name": "p", "type": "pointer", "value": "0xffffffffffffffff"}],
    },
    {
        "type": "profiler", "profiler": "backtrace", **at(5), **WHO,
        "pcs": ["0xffffffff80100f6f", "0x0"],
    },
)
case("time_ns is null where it passes 2^64-1: not at 10^9 ticks.", [logged(U64)], log(U64, U64))
case(
    "time_ns is null where it passes 2^64-1: one tick a second.",
    [w.initialization(1), logged(18446744073), logged(18446744074)],
    rate(1),
    log(18446744073, 18446744073000000000),
    log(18446744074, None),
)
case(
    "time_ns is computed in 128 bits and rounded down.",
    [w.initialization(U64), logged(U64), logged(U64 - 1), w.initialization(3), logged(1)],
    rate(U64),
    log(U64, 1000000000),
    log(U64 - 1, 999999999),
    rate(3),
    log(1, 333333333),
)
case(
    "time_ns is computed in 128 bits, whatever the rate.",
    [w.initialization(2**63), logged(2**62), logged(2**63 - 1), w.initialization(2**64 - 2),
     logged(2**63 - 1), w.initialization(18446744074), logged(18446744073),
     w.initialization(5 * 2**60), logged(2**60)],
    rate(2**63), log(2**62, 500000000), log(2**63 - 1, 999999999),
    rate(2**64 - 2), log(2**63 - 1, 500000000),
    rate(18446744074), log(18446744073, 999999999),
    rate(5 * 2**60), log(2**60, 200000000),
)
case(
    "time_ns goes by the rate of the record's own provider, 10^9 where it sent none.",
    [
        w.provider_section(1), w.initialization(24000000), logged(24),
        w.provider_section(2), logged(24),
        w.provider_section(1), logged(24),
    ],
    section(1), rate(24000000), log(24, 1000),
    section(2), log(24, 24),
    section(1), log(24, 1000),
)
case(
    "--ticks-per-second is the rate of those that send none.",
    [logged(24), w.provider_section(1), logged(24), w.initialization(1000), logged(24)],
    log(24, 1000),
    section(1),
    log(24, 1000),
    rate(1000),
    log(24, 24000000),
    args=["--ticks-per-second", "24000000"],
)
case(
    "Each ill-formed sequence becomes U+FFFD; a zero byte stays.",
    [
        w.string(1, b"a\0b\xffc\xe2\x82d\xc0\xaf\xed\xa0\x80\xf0\x9f\x98"),
        w.string(2, "ü\u2028𝄞".encode()),
        w.string(3, b'\x1b[31m"\\\n\t\x7f'),
    ],
    registered(1, "a\0b\ufffdc\ufffdd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd"),
    registered(2, "ü\u2028𝄞"),
    registered(3, '\x1b[31m"\\\n\t\x7f'),
)
case(
    "A string that was never registered prints as an object in the string's place.",
    [
        w.event(0, 5, KOIDS, 40, 41, [w.arg(6, 42, 43)]),
        w.blob(44, 1, b""),
        w.userspace_object(1, (7,), 45),
        w.kernel_object(1, 7, 0x7FFF),
        w.large_blob(5, KOIDS, 46, 47, b"x"),
        w.attachment(48, 49, b""),
    ],
    instant(
        category={"ref": 40},
        name={"ref": 41},
        args=[{"name": {"ref": 42}, "type": "string", "value": {"ref": 43}}],
    ),
    {"type": "blob", "name": {"ref": 44}, "blob_type": "data", "payload_size": 0},
    {"type": "userspace_object", "pointer": "0x1", "process": 7, "name": {"ref": 45}, "args": []},
    {"type": "kernel_object", "object_type": "process", "koid": 7, "name": {"ref": 32767},
     "args": []},
    {"type": "large_blob", "format": "metadata", "category": {"ref": 46}, "name": {"ref": 47},
     **at(5), **WHO, "args": [], "payload_size": 1},
    {"type": "large_blob", "format": "no_metadata", "category": {"ref": 48},
     "name": {"ref": 49}, "payload_size": 0},
)
NOBODY = {"process": None, "thread": None, "thread_ref": 9}
case(
    "Of a thread that was never registered process and thread are null and thread_ref follows.",
    [
        w.event(0, 5, 9, b"c", b"n"),
        w.log(5, 9, b"m"),
        w.backtrace(5, 9, []),
        w.large_blob(5, 9, b"", b"", b""),
    ],
    instant(who=NOBODY),
    {"type": "log", **at(5), **NOBODY, "message": "m"},
    {"type": "profiler", "profiler": "backtrace", **at(5), **NOBODY, "pcs": []},
    {"type": "large_blob", "format": "metadata", "category": "", "name": "", **at(5), **NOBODY,
     "args": [], "payload_size": 0},
)
case(
    "Where there is no `thread`, thread_ref follows process; of two threads each has its own.",
    [
        w.userspace_object(1, 9, b"o"),
        w.module(5, 9, 0, b"m", b""),
        w.mapping(5, 9, 0, 1, 2, 3, 4),
        w.legacy_context_switch(5, 1, 2, 8, 9, (3, 4)),
        w.legacy_context_switch(5, 1, 2, KOIDS, 9, (3, 4)),
    ],
    {"type": "userspace_object", "pointer": "0x1", "process": None, "thread_ref": 9, "name": "o",
     "args": []},
    {"type": "profiler", "profiler": "module", **at(5), "process": None, "thread_ref": 9,
     "module_id": 0, "name": "m", "build_id": ""},
    {"type": "profiler", "profiler": "mapping", **at(5), "process": None, "thread_ref": 9,
     "module_id": 0, "start": "0x1", "length": 2, "vaddr": "0x3", "flags": 4},
    {"type": "scheduling", "scheduling": "legacy_context_switch", **at(5), "cpu": 1,
     "outgoing_state": "suspended", "outgoing_process": None, "outgoing_thread": None,
     "outgoing_thread_ref": 8, "incoming_process": None, "incoming_thread": None,
     "incoming_thread_ref": 9, "outgoing_priority": 3, "incoming_priority": 4},
    {"type": "scheduling", "scheduling": "legacy_context_switch", **at(5), "cpu": 1,
     "outgoing_state": "suspended", "outgoing_process": 1045, "outgoing_thread": 2077,
     "incoming_process": None, "incoming_thread": None, "incoming_thread_ref": 9,
     "outgoing_priority": 3, "incoming_priority": 4},
)
for what, parts in (
    ("a string", [w.blob(44, 1, b"")]),
    ("a string", [w.string(43, b""), w.blob(44, 1, b"")]),
    ("a thread", [w.log(5, 9, b"")]),
    ("a thread", [w.thread(8, 1, 2), w.log(5, 9, b"")]),
    ("a provider", [w.provider_section(1)]),
    ("a string at index 0", [w.string(0, b"")]),
    ("a thread at index 0", [w.thread(0, 1, 2)]),
    ("a record type", [w.record(11, 0, [1])]),
    ("a metadata type", [w.metadata(5)]),
    ("a trace info type", [w.trace_info(1)]),
    ("a provider event", [w.provider_event(0, 1)]),
    ("an event type", [w.event(11, 5, KOIDS, 0, 0)]),
    ("an argument type", [w.event(0, 5, KOIDS, 0, 0, [w.arg(11, 0)])]),
    ("a scheduling type", [w.scheduling(3, 0, [])]),
    ("a profiler type", [w.profiler(3, 0, 5, KOIDS, [])]),
    ("a large type", [w.large(1, 0, [])]),
    ("a blob format", [w.large(0, 2, [])]),
):
    only_status("... unless --strict: %s of an unknown kind." % what, parts, ["--strict"], 1)
    only_status("%s of an unknown kind is no error." % what, parts, [], 0)
case("--strict says nothing of what is well formed.", [logged(1)], log(1, 1), args=["--strict"])
case(
    "Indices mean what the newest registration says; index 0 is ignored.",
    [w.string(1, b"old"), w.blob(1, 1, b""), w.string(1, b"new"), w.string(0, b"no"),
     w.blob(1, 1, b""), w.blob(0, 1, b"")],
    registered(1, "old"),
    {"type": "blob", "name": "old", "blob_type": "data", "payload_size": 0},
    registered(1, "new"),
    registered(0, "no"),
    {"type": "blob", "name": "new", "blob_type": "data", "payload_size": 0},
    {"type": "blob", "name": "", "blob_type": "data", "payload_size": 0},
)
