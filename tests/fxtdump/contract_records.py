# SPDX-License-Identifier: BSD-2-Clause
"""The JSON contract's cases: each type of record, and arguments."""
import fxtref
import fxtwrite as w
from contract import (
    KOIDS, U64, WHO, arg, at, case, happened, info, instant, log, logged, lost, only_status,
    rate, registered, section,
)

case(
    "metadata: the four kinds, and numbers for what has no name.",
    [
        w.provider_info(U64 >> 32, b"sampler"), w.provider_info(3, b""), w.provider_section(3),
        w.provider_event(3, 0), w.provider_event(4, 5), w.trace_info(7), w.metadata(0, 1),
        w.metadata(15),
    ],
    info(4294967295, "sampler"), info(3, ""), section(3),
    happened(3, "buffer_full"), happened(4, 5),
    {"type": "metadata", "metadata": "trace_info", "trace_info": 7},
    {"type": "metadata", "metadata": 0},
    {"type": "metadata", "metadata": 15},
)
case(
    "initialization: also with the two words that Jane Street's writers add.",
    [w.initialization(24000000), w.initialization(5, [1, U64]), w.initialization(5, [1]),
     w.initialization(5, [1, 2, 3])],
    rate(24000000),
    {**rate(5), "base_ticks": 1, "base_wall_ns": U64},
    rate(5),
    rate(5),
)
EVENTS = (
    ("instant", None), ("counter", "counter_id"), ("duration_begin", None),
    ("duration_end", None), ("duration_complete", None), ("async_begin", "async_id"),
    ("async_instant", "async_id"), ("async_end", "async_id"), ("flow_begin", "flow_id"),
    ("flow_step", "flow_id"), ("flow_end", "flow_id"),
)
for kind, (word, key) in enumerate(EVENTS):
    last = {key: 77} if key else {}
    if kind == 4:
        last = {"end_timestamp": 77, "end_time_ns": 77}
    shown = {**instant(), "event": word, **last}
    case("event: %s." % word, [w.event(kind, 5, KOIDS, b"c", b"n", [], [77] if last else [])], shown)
case(
    "event: the number of a kind that has no name.",
    [w.event(kind, 5, KOIDS, b"c", b"n", [], [77]) for kind in range(11, 16)],
    *({**instant(), "event": kind} for kind in range(11, 16)),
)
case(
    "event: an instant's scope is not lost on the reader and not printed.",
    [w.event(0, 5, KOIDS, b"c", b"n", [], [2])],
    instant(),
)
case(
    "blob: name, type, size; the number of a type that has no name.",
    [w.blob(b"b", kind, bytes(kind)) for kind in (0, 1, 2, 3, 255)],
    *(
        {"type": "blob", "name": "b", "blob_type": word, "payload_size": size}
        for word, size in ((0, 0), ("data", 1), ("last_branch", 2), ("perfetto", 3), (255, 255))
    ),
)


def object_of(pointer, process, name="o", args=()):
    return {"type": "userspace_object", "pointer": pointer, "process": process, "name": name,
            "args": list(args)}


case(
    "userspace_object: an inline process as one koid or two, or by index.",
    [w.thread(2, 7, 8), w.userspace_object(1, (7,), b"o"), w.userspace_object(1, (7, 9), b"o"),
     w.userspace_object(1, 2, b"o")],
    {"type": "thread", "index": 2, "process": 7, "thread": 8},
    *[object_of("0x1", 7)] * 3,
)
case(
    "kernel_object: process, thread, else the number; any bytes as name.",
    [w.kernel_object(1, 5, b"p"), w.kernel_object(2, 6, b"\xff", [w.arg(8, b"process", 5)]),
     w.kernel_object(33, 7, b"")],
    {"type": "kernel_object", "object_type": "process", "koid": 5, "name": "p", "args": []},
    {"type": "kernel_object", "object_type": "thread", "koid": 6, "name": "\ufffd",
     "args": [{"name": "process", "type": "koid", "value": 5}]},
    {"type": "kernel_object", "object_type": 33, "koid": 7, "name": "", "args": []},
)
STATES = ("new", "running", "suspended", "blocked", "dying", "dead", 6, 15)
case(
    "scheduling: context_switch, with a word for each state, else its number.",
    [w.context_switch(5, 65535, state if isinstance(state, int) else i, 1, 2)
     for i, state in enumerate(STATES)],
    *(
        {"type": "scheduling", "scheduling": "context_switch", **at(5), "cpu": 65535,
         "outgoing_state": state, "outgoing_thread": 1, "incoming_thread": 2, "args": []}
        for state in STATES
    ),
)
case(
    "scheduling: thread_wakeup.",
    [w.thread_wakeup(5, 1, 2077, [w.arg(1, b"weight", -1)])],
    {"type": "scheduling", "scheduling": "thread_wakeup", **at(5), "cpu": 1,
     "waking_thread": 2077, "args": [{"name": "weight", "type": "int32", "value": -1}]},
)
case(
    "scheduling: legacy_context_switch, which has no args.",
    [w.legacy_context_switch(5, 255, 0, (1, 2), (3, 4), (255, 254))],
    {"type": "scheduling", "scheduling": "legacy_context_switch", **at(5), "cpu": 255,
     "outgoing_state": "new", "outgoing_process": 1, "outgoing_thread": 2,
     "incoming_process": 3, "incoming_thread": 4, "outgoing_priority": 255,
     "incoming_priority": 254},
)
case(
    "scheduling: else the number, and nothing of what that may mean.",
    [w.scheduling(3, 0, [1, 2, 3])],
    {"type": "scheduling", "scheduling": 3},
)


def module(build_id, name="libc.so"):
    return {"type": "profiler", "profiler": "module", **at(5), "process": 7, "module_id": 65535,
            "name": name, "build_id": build_id}


case(
    "profiler: module, with the build id in hex whichever way it is stored.",
    [
        w.module(5, (7, 0), 65535, b"libc.so", bytes(range(20))),
        w.module(5, (7,), 65535, b"libc.so", bytes(range(20))),
        w.module(5, (7,), 65535, b"libc.so", b"000102030405060708090A0b0c0D0e0f10111213"),
        w.module(5, (7, 0), 65535, b"libc.so", b"0" * 41),
        w.module(5, (7, 0), 65535, b"libc.so", b"g" * 40),
        w.module(5, (7, 0), 65535, b"", b""),
        w.module(5, (7, 0), 65535, b"\xff", b"0123456789"),
    ],
    *[module("000102030405060708090a0b0c0d0e0f10111213")] * 3,
    module("30" * 41),
    module("67" * 40),
    module("", ""),
    module("30313233343536373839", "\ufffd"),
)


def mapping(flags):
    return {"type": "profiler", "profiler": "mapping", **at(5), "process": 7, "module_id": 1,
            "start": "0x2", "length": 3, "vaddr": "0x4", "flags": flags}


case(
    "profiler: mapping, with one koid, with two, and with a word too many.",
    [w.mapping(5, (7,), 1, 2, 3, 4, 5), w.mapping(5, (7, 0), 1, 2, 3, 4, 7),
     w.mapping(5, (7, 0), 1, 2, 3, 4, 0, [99])],
    mapping(5), mapping(7), mapping(0),
)
case(
    "profiler: else the number.",
    [w.profiler(3, 0, 5, KOIDS, [])],
    {"type": "profiler", "profiler": 3},
)


def large(size, category="", name="", **more):
    return {"type": "large_blob", "format": "metadata", "category": category, "name": name,
            **at(5), **WHO, "args": [], "payload_size": size, **more}


case(
    "large_blob: with metadata, and an attachment, which has none.",
    [w.large_blob(5, KOIDS, b"c", b"n", b"xyz", [w.arg(0, b"a")]),
     w.attachment(b"c", b"n", b"xyz"), logged(9)],
    {**large(3, "c", "n"), "args": [{"name": "a", "type": "null", "value": None}]},
    {"type": "large_blob", "format": "no_metadata", "category": "c", "name": "n",
     "payload_size": 3},
    log(9, 9),
)
case(
    "A sample has both names empty (whichever way) and at least one whole word.",
    [
        w.sample(5, KOIDS, [0x1000, U64]),
        w.sample(5, KOIDS, [0x1000, 0x2000, 0x3000], b"\1\2\3"),
        w.string(1, b""),
        w.large_blob(5, KOIDS, b"", 1, bytes(8)),
        w.large_blob(5, KOIDS, 0, 0, b""),
        w.large_blob(5, KOIDS, 0, 0, bytes(7)),
        w.large_blob(5, KOIDS, 0, b"n", bytes(8)),
        w.large_blob(5, KOIDS, b"c", 0, bytes(8)),
        w.large_blob(5, KOIDS, 2, 0, bytes(8)),
        w.attachment(0, 0, bytes(8)),
    ],
    large(16, pcs=["0x1000", "0xffffffffffffffff"]),
    large(27, pcs=["0x1000", "0x2000", "0x3000"]),
    registered(1, ""),
    large(8, pcs=["0x0"]),
    large(0),
    large(7),
    large(8, "", "n"),
    large(8, "c", ""),
    large(8, {"ref": 2}, ""),
    {"type": "large_blob", "format": "no_metadata", "category": "", "name": "",
     "payload_size": 8},
)
only_status("A sample whose payload ends inside a word is a warning.",
            [w.sample(5, KOIDS, [1], b"\1")], ["--strict"], 1)
only_status("A sample of whole words is none.", [w.sample(5, KOIDS, [1])], ["--strict"], 0)
case(
    "unknown: the number; 15 has more to say.",
    [w.record(kind, 0, [1]) for kind in fxtref.UNKNOWN_TYPES]
    + [w.large(0, 2, [1]), w.large(3, 0, [1]), w.large(15, 15, [])],
    *({"type": "unknown", "record_type": kind} for kind in fxtref.UNKNOWN_TYPES),
    {"type": "unknown", "record_type": 15, "large_type": 0, "blob_format": 2},
    {"type": "unknown", "record_type": 15, "large_type": 3},
    {"type": "unknown", "record_type": 15, "large_type": 15},
)
case(
    "args: every type.",
    [
        w.event(0, 5, KOIDS, b"c", b"n", [
            w.arg(0, b"a"), w.arg(1, b"a", -(2**31)), w.arg(2, b"a", 2**32 - 1),
            w.arg(3, b"a", -(2**63)), w.arg(4, b"a", U64), w.arg(6, b"a", b"text"),
            w.arg(7, b"a", 0), w.arg(8, b"a", U64), w.arg(9, b"a", 1), w.arg(9, b"a", 2),
            w.arg(10, b"a", b"\x00\xAB"), w.arg(10, b"a", b""), w.arg(11, b"a", None, [1]),
            w.arg(15, b"a"), w.arg(4, b"a", 5, [6, 7]),
        ]),
    ],
    instant(args=[
        arg("null", None), arg("int32", -2147483648), arg("uint32", 4294967295),
        arg("int64", -9223372036854775808), arg("uint64", 18446744073709551615),
        arg("string", "text"), arg("pointer", "0x0"), arg("koid", 18446744073709551615),
        arg("bool", True), arg("bool", False), arg("blob", "00ab"), arg("blob", ""),
        arg(11, None), arg(15, None), arg("uint64", 5),
    ]),
)
DOUBLES = (0.0, -0.0, 1.0, 0.1, -2.5, 1e15, 1e22, 5e-324, 1.7976931348623157e308,
           123456789012345680.0, 0.30000000000000004)
case(
    "args: a double reads back to the same double, NaN and infinities are strings.",
    [w.event(0, 5, KOIDS, b"c", b"n", [w.arg(5, b"a", value) for value in DOUBLES] + [
        w.arg(5, b"a", float(value)) for value in ("nan", "inf", "-inf")])],
    instant(args=[arg("double", value) for value in DOUBLES] + [
        arg("double", value) for value in ("NaN", "Infinity", "-Infinity")]),
)
case(
    "--payload adds payload to blob and large_blob.",
    [w.blob(b"b", 1, b"\x01\xff"), w.large_blob(5, KOIDS, b"c", b"n", b""),
     w.attachment(b"c", b"n", b"\xAB"), w.sample(5, KOIDS, [1])],
    {"type": "blob", "name": "b", "blob_type": "data", "payload_size": 2, "payload": "01ff"},
    large(0, "c", "n", payload=""),
    {"type": "large_blob", "format": "no_metadata", "category": "c", "name": "n",
     "payload_size": 1, "payload": "ab"},
    large(8, pcs=["0x1"], payload="0100000000000000"),
    args=["--payload"],
)
