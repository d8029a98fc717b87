# SPDX-License-Identifier: BSD-2-Clause
"""The JSON contract's cases: the worked examples of the format's description, E1 to E21."""
import fxtwrite as w
from contract import (
    MAGIC, WHO, arg, happened, info, instant, log, other, rate, registered, section,
)

EXAMPLES = """
0016547846040010
0070000000710020 0072656c706d6173
0000000000720010
0000000000730010
0000000000000021 00000000016e3600
0000000b00010032 6d3a6c656e72656b 0000000000617465
0000000000010033 0000000000000415 000000000000081d
8008000101240084 00000000000003e8 746c7561663a6d76 0000000380010022 000000000000006e 0000000180030026 00000000006f6877 0000000000001000
0000018006020067 000000000000081d 000072656b726f77 0000000080070038 00737365636f7270 0000000000000415
1000003000310078 0000000000001388 000000000000081d 000000000000082a ffffffff800f0031 676e696d6f636e69 007468676965775f
2000000000300038 000000000000137e 000000000000082a
0140001002030048 0000000000000029 0000000000001234 0000000000004321
0000000000090069 0000000000000309 0000000000000415 000000000000081d 6f6c206f6c6c6568 0000000000000067
000000000000009f 0000000000000000 00000000075bcd15 0000000000000415 000000000000081d 0000000000000018 000043dc387f8e10 000002b069ffa16c 000002b069ffb000
000000003002007a 00000000075bcd15 0000000000000415 000000000000081d 000043dc387f8e10 000002b069ffa16c 000002b069ffb000
0140a0000000009a 00000000075bcd15 0000000000000415 0000000000000000 2e6f69646662696c 0000000000006f73 6aaf792fb84e1c3e 7939f811db42d14f 0000000067982f77
000050000001007a 00000000075bcd15 0000000000000415 0000000000000000 000003bfd82b3000 0000000000062000 0000000000000000
000001000000006f 0000000080018001 0000000000000063 000000000000006e 0000000000000003 0000000000030201
8001000000100084 0000000000000009 0000000000000001 0000000000000002 0000000000000069 000000058004003a 0000000061746164 0000000504030201
0029002800240074 00000000000003e8 0000000000000000 0000000000000003 00000011002a0012 00002420002b0012 00000000000007d0
0003000280010035 0000000000000070 000000000000adde
"""
PCS = ["0x43dc387f8e10", "0x2b069ffa16c", "0x2b069ffb000"]
AT_24_MHZ = {"timestamp": 123456789, "time_ns": 5144032875}
EXAMPLE_OBJECTS = (
    MAGIC,
    info(7, "sampler"),
    section(7),
    happened(7, "buffer_full"),
    rate(24000000),
    registered(1, "kernel:meta"),
    {"type": "thread", "index": 1, **WHO},
    {"type": "event", "event": "duration_complete", "timestamp": 1000, "time_ns": 41666, **WHO,
     "category": "kernel:meta", "name": "vm:fault",
     "args": [arg("uint32", 3, "n"), arg("string", "kernel:meta", "who")],
     "end_timestamp": 4096, "end_time_ns": 170666},
    {"type": "kernel_object", "object_type": "thread", "koid": 2077, "name": "worker",
     "args": [arg("koid", 1045, "process")]},
    {"type": "scheduling", "scheduling": "context_switch", "timestamp": 5000, "time_ns": 208333,
     "cpu": 3, "outgoing_state": "blocked", "outgoing_thread": 2077, "incoming_thread": 2090,
     "args": [arg("int32", -1, "incoming_weight")]},
    {"type": "scheduling", "scheduling": "thread_wakeup", "timestamp": 4990, "time_ns": 207916,
     "cpu": 3, "waking_thread": 2090, "args": []},
    {"type": "scheduling", "scheduling": "legacy_context_switch", "timestamp": 41,
     "time_ns": 1708, "cpu": 3, "outgoing_state": "suspended", "outgoing_process": 4660,
     "outgoing_thread": 17185, "incoming_process": 1045, "incoming_thread": 2077,
     "outgoing_priority": 0, "incoming_priority": 20},
    {"type": "log", "timestamp": 777, "time_ns": 32375, **WHO, "message": "hello log"},
    {"type": "large_blob", "format": "metadata", "category": "", "name": "", **AT_24_MHZ, **WHO,
     "args": [], "payload_size": 24, "pcs": PCS},
    {"type": "profiler", "profiler": "backtrace", **AT_24_MHZ, **WHO, "pcs": PCS},
    {"type": "profiler", "profiler": "module", **AT_24_MHZ, "process": 1045, "module_id": 0,
     "name": "libfdio.so", "build_id": "3e1c4eb82f79af6a4fd142db11f83979772f9867"},
    {"type": "profiler", "profiler": "mapping", **AT_24_MHZ, "process": 1045, "module_id": 0,
     "start": "0x3bfd82b3000", "length": 401408, "vaddr": "0x0", "flags": 5},
    {"type": "large_blob", "format": "no_metadata", "category": "c", "name": "n",
     "payload_size": 3},
    {"type": "event", "event": "instant", "timestamp": 9, "time_ns": 375, "process": 1,
     "thread": 2, "category": "", "name": "i", "args": [arg("blob", "0102030405", "data")]},
    {"type": "event", "event": "duration_complete", "timestamp": 1000, "time_ns": 41666,
     "process": 0, "thread": 3, "category": {"ref": 40}, "name": {"ref": 41},
     "args": [arg("uint32", 17, {"ref": 42}), arg("uint32", 9248, {"ref": 43})],
     "end_timestamp": 2000, "end_time_ns": 83333},
    {"type": "blob", "name": "p", "blob_type": "perfetto", "payload_size": 2},
)


def add_examples():
    records = [[int(word, 16) for word in line.split()] for line in EXAMPLES.split("\n")[1:-1]]
    assert len(records) == len(EXAMPLE_OBJECTS) == 21
    data, objects = b"", []
    for words, shown in zip(records, EXAMPLE_OBJECTS):
        objects.append({"offset": len(data), "size": 8 * len(words), **shown})
        data += w.to_bytes(words)
    other("All worked examples, one after the other.", data, *objects)


add_examples()
