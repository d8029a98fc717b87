# SPDX-License-Identifier: BSD-2-Clause
"""Reading a trace of Perfetto, strictly: only the fields of these messages, of the right
kinds, and everything that is referred to must have been defined before."""
import collections
import gzip
import struct

import perfetto_sched
from strict import varint
from timeline_view import View, koid

# message: {number: (name, kind)}, where the kind is a message, "number" (a varint), "int"
# (signed), "double", "fixed64", "string" or "bytes"; "*" where there may be several.
FIELDS = {
    "Trace": {1: ("packet", "TracePacket*")},
    "TracePacket": {
        1: ("ftrace_events", "FtraceEventBundle"),
        6: ("clock_snapshot", "ClockSnapshot"), 8: ("timestamp", "number"),
        10: ("trusted_packet_sequence_id", "number"), 11: ("track_event", "TrackEvent"),
        12: ("interned_data", "InternedData"), 13: ("sequence_flags", "number"),
        59: ("trace_packet_defaults", "TracePacketDefaults"),
        60: ("track_descriptor", "TrackDescriptor"), 66: ("perf_sample", "PerfSample")},
    "ClockSnapshot": {1: ("clocks", "Clock*"), 2: ("primary_trace_clock", "number")},
    "Clock": {1: ("clock_id", "number"), 2: ("timestamp", "number")},
    "TracePacketDefaults": {12: ("perf_sample_defaults", "PerfSampleDefaults")},
    "PerfSampleDefaults": {1: ("timebase", "Timebase")},
    "Timebase": {1: ("period", "number"), 4: ("counter", "number")},
    "TrackDescriptor": {
        1: ("uuid", "number"), 2: ("name", "string"), 3: ("process", "ProcessDescriptor"),
        4: ("thread", "ThreadDescriptor"), 5: ("parent_uuid", "number"),
        8: ("counter", "CounterDescriptor")},
    "ProcessDescriptor": {1: ("pid", "int"), 6: ("process_name", "string")},
    "ThreadDescriptor": {1: ("pid", "int"), 2: ("tid", "int"), 5: ("thread_name", "string")},
    "CounterDescriptor": {},
    "TrackEvent": {
        3: ("category_iids", "number*"), 4: ("debug_annotations", "DebugAnnotation*"),
        9: ("type", "number"), 10: ("name_iid", "number"), 11: ("track_uuid", "number"),
        23: ("name", "string"), 30: ("counter_value", "int"),
        44: ("double_counter_value", "double"), 47: ("flow_ids", "fixed64*"),
        48: ("terminating_flow_ids", "fixed64*")},
    "DebugAnnotation": {
        1: ("name_iid", "number"), 2: ("bool_value", "number"), 3: ("uint_value", "number"),
        4: ("int_value", "int"), 5: ("double_value", "double"),
        6: ("string_value", "string"), 7: ("pointer_value", "number"), 10: ("name", "string")},
    "InternedData": {
        1: ("event_categories", "InternedString*"), 2: ("event_names", "InternedString*"),
        3: ("debug_annotation_names", "InternedString*"),
        5: ("function_names", "InternedString*"), 6: ("frames", "Frame*"),
        7: ("callstacks", "Callstack*"), 16: ("build_ids", "InternedBytes*"),
        17: ("mapping_paths", "InternedString*"), 18: ("source_paths", "InternedString*"),
        19: ("mappings", "Mapping*")},
    "InternedString": {1: ("iid", "number"), 2: ("str", "string")},
    "InternedBytes": {1: ("iid", "number"), 2: ("str", "bytes")},
    "Frame": {
        1: ("iid", "number"), 2: ("function_name_id", "number"), 3: ("mapping_id", "number"),
        4: ("rel_pc", "number"), 5: ("source_path_iid", "number"),
        6: ("line_number", "number")},
    "Callstack": {1: ("iid", "number"), 2: ("frame_ids", "number*")},
    "Mapping": {
        1: ("iid", "number"), 2: ("build_id", "number"), 3: ("start_offset", "number"),
        4: ("start", "number"), 5: ("end", "number"), 6: ("load_bias", "number"),
        7: ("path_string_ids", "number*"), 8: ("exact_offset", "number")},
    "PerfSample": {
        1: ("cpu", "number"), 2: ("pid", "number"), 3: ("tid", "number"),
        4: ("callstack_iid", "number"), 5: ("cpu_mode", "number"),
        6: ("timebase_count", "number")},
    "FtraceEventBundle": {1: ("cpu", "number"), 2: ("event", "FtraceEvent*")},
    "FtraceEvent": {
        1: ("timestamp", "number"), 2: ("pid", "number"), 4: ("sched_switch", "SchedSwitch"),
        5: ("common_flags", "number"), 20: ("sched_waking", "SchedWaking")},
    "SchedSwitch": {
        1: ("prev_comm", "string"), 2: ("prev_pid", "int"), 3: ("prev_prio", "int"),
        4: ("prev_state", "int"), 5: ("next_comm", "string"), 6: ("next_pid", "int"),
        7: ("next_prio", "int")},
    "SchedWaking": {1: ("comm", "string"), 2: ("pid", "int"), 3: ("prio", "int"),
                    5: ("target_cpu", "int")},
}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
KERNEL, USER = 1, 2


def scalar(kind, value):
    if kind == "int":
        return value - 2**64 if value >> 63 else value
    if kind == "double":
        return struct.unpack("<d", value.to_bytes(8, "little"))[0]
    if kind == "string":
        return value.decode("utf-8")
    return value


def message(data, kind):
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        assert tag >> 3 in FIELDS[kind], (kind, tag >> 3)
        name, what = FIELDS[kind][tag >> 3]
        one = what.rstrip("*")
        if one in ("number", "int"):
            assert tag & 7 == 0, (kind, name)
            value, at = varint(data, at)
        elif one in ("fixed64", "double"):
            assert tag & 7 == 1, (kind, name)
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert tag & 7 == 2, (kind, name)
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, (kind, name)
        value = message(value, one) if one in FIELDS else scalar(one, value)
        if what.endswith("*"):
            found.setdefault(name, []).append(value)
        else:
            assert name not in found, (kind, name)
            found[name] = value
    return found


class Trace:
    """samples: (time, tid, functions root first, the packet's PerfSample); slices: (track's
    uuid, name, begin, end, arguments, depth); instants: (uuid, name, time, arguments,
    event); counters: by name and pid, (time, value). Packets that are embedded in an
    archive have a sequence of their own, and threads that they do not describe."""

    def __init__(self, data, embedded=False):
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        self.packets = message(data, "Trace")["packet"]
        self.interned = collections.defaultdict(dict)
        self.tracks, self.threads, self.processes = {}, {}, {}
        self.samples, self.slices, self.instants, self.notes = [], [], [], []
        self.counters = collections.defaultdict(list)
        self.defaults, self.clocks = None, None
        bundles = []
        open_slices = collections.defaultdict(list)
        for i, packet in enumerate(self.packets):
            assert packet["trusted_packet_sequence_id"] == (0x465854 if embedded else 1)
            assert packet["sequence_flags"] == (1 if i == 0 else 2)
            self.define(packet.get("interned_data", {}))
            known = set(packet) - {"trusted_packet_sequence_id", "sequence_flags",
                                   "interned_data", "timestamp"}
            assert len(known) == 1, known
            kind, = known
            assert ("timestamp" in packet) == (kind in ("track_event", "perf_sample"))
            time, inside = packet.get("timestamp"), packet[kind]
            if time is not None:
                assert time < 2**63
            if kind == "trace_packet_defaults":
                self.defaults = inside["perf_sample_defaults"]["timebase"]
            elif kind == "clock_snapshot":
                assert self.clocks is None and inside["primary_trace_clock"] == 6
                self.clocks = {c["clock_id"]: c["timestamp"] for c in inside["clocks"]}
            elif kind == "track_descriptor":
                self.describe(inside)
            elif kind == "ftrace_events":
                bundles.append(inside)
            elif kind == "perf_sample":
                self.samples.append((time, inside["tid"],
                                     self.stack(inside["callstack_iid"]), inside))
                assert embedded or self.threads[inside["tid"]]["pid"] == inside["pid"]
            else:
                self.event(time, inside, open_slices[inside["track_uuid"]])
        assert not any(open_slices.values()), "slices without end"
        self.scheduling = perfetto_sched.Tables(bundles)
        self.check_scheduling()

    def check_scheduling(self):
        """Each thread has a descriptor, but for the one that stands for what is not known."""
        tables = self.scheduling
        assert tables.mismatched == tables.lost == 0
        for tid, name in tables.names.items():
            if tid in self.threads:
                assert self.threads[tid]["thread_name"].startswith(name) or tid == 0
            else:
                assert name == ("swapper" if tid == 0 else "[unknown]")

    def define(self, data):
        for kind, entries in data.items():
            for entry in entries:
                assert entry["iid"] > 0 and entry["iid"] not in self.interned[kind], entry
                self.interned[kind][entry["iid"]] = entry
        for entry in data.get("mappings", []):
            assert len(entry.get("path_string_ids", [])) <= 1
            for path in entry.get("path_string_ids", []):
                assert path in self.interned["mapping_paths"]
            assert entry.get("build_id") is None or entry["build_id"] in \
                self.interned["build_ids"]
            assert entry.get("start_offset") == entry.get("exact_offset")
        for entry in data.get("frames", []):
            assert entry["function_name_id"] in self.interned["function_names"]
            assert entry["mapping_id"] in self.interned["mappings"]
            assert entry.get("source_path_iid") is None or entry["source_path_iid"] in \
                self.interned["source_paths"]
        for entry in data.get("callstacks", []):
            assert all(frame in self.interned["frames"] for frame in entry["frame_ids"])

    def describe(self, track):
        assert track["uuid"] > 0 and track["uuid"] not in self.tracks, track
        assert track.get("parent_uuid") is None or track["parent_uuid"] in self.tracks
        self.tracks[track["uuid"]] = track
        if "process" in track:
            assert 0 <= track["process"]["pid"] < 2**31
            assert track["process"]["pid"] not in self.processes
            self.processes[track["process"]["pid"]] = track["process"]
        elif "thread" in track:
            thread = track["thread"]
            assert 0 <= thread["tid"] < 2**31 and thread["tid"] not in self.threads
            assert self.tracks[track["parent_uuid"]]["process"]["pid"] == thread["pid"]
            self.threads[thread["tid"]] = thread

    def frames(self, iid):
        return [self.interned["frames"][i]
                for i in self.interned["callstacks"][iid]["frame_ids"]]

    def stack(self, iid):
        return tuple(self.interned["function_names"][frame["function_name_id"]]["str"]
                     for frame in self.frames(iid))

    def arguments(self, event):
        found = []
        for annotation in event.get("debug_annotations", []):
            name = annotation.pop("name", None)
            if name is None:
                name = self.interned["debug_annotation_names"][annotation.pop("name_iid")]["str"]
            (_, value), = annotation.items()
            found.append((name, value))
        return found

    def event(self, time, event, stack):
        uuid = event["track_uuid"]
        track = self.tracks[uuid]
        assert ("counter" in track) == (event["type"] == COUNTER)
        if event["type"] == COUNTER:
            value, = (event[k] for k in event if k.endswith("counter_value"))
            process = self.tracks[track["parent_uuid"]]["process"]["pid"]
            rows = self.counters[process, track["name"]]
            assert not rows or rows[-1][0] <= time
            rows.append((time, value))
            return
        if event["type"] == END:
            # Slices nest, and an end that had a name would end others.
            assert set(event) == {"type", "track_uuid"}, event
            name, begin, arguments = stack.pop()
            assert begin <= time and (not stack or stack[-1][1] <= begin)
            self.slices.append((uuid, name, begin, time, arguments, len(stack)))
            return
        name = event["name"] if "name" in event else \
            self.interned["event_names"][event["name_iid"]]["str"]
        for category in event.get("category_iids", []):
            assert category in self.interned["event_categories"]
        if event["type"] == BEGIN:
            stack.append((name, time, self.arguments(event)))
        else:
            assert event["type"] == INSTANT
            if track == {"uuid": uuid, "name": "Notes"}:
                self.notes = [value for _, value in self.arguments(event)]
                return
            self.instants.append((uuid, name, time, self.arguments(event), event))

    def thread_uuid(self, tid):
        return next(u for u, t in self.tracks.items() if t.get("thread", {}).get("tid") == tid)


def thread_of(trace, tid):
    thread = trace.threads[tid]
    return (koid(thread["pid"], trace.processes[thread["pid"]]["process_name"]),
            koid(tid, thread["thread_name"]))


def place_of(trace, uuid):
    """The thread or the process of a track, or of the one that it is below."""
    track = trace.tracks[uuid]
    if "thread" in track:
        return thread_of(trace, track["thread"]["tid"])
    if "process" in track:
        return koid(track["process"]["pid"], track["process"]["process_name"])
    return place_of(trace, track["parent_uuid"])


def add_slices(trace, found, start):
    for uuid, name, begin, end, arguments, _ in trace.slices:
        place = place_of(trace, uuid)
        if isinstance(place, tuple):
            found.spans.append((place, begin - start, end - start, name))
        elif begin != end:
            found.asyncs.append((place, dict(arguments)["id"], begin - start, end - start, name))


STATES = {"S": "blocked", "T": "suspended", "R": "runnable"}


def add_states(trace, found, start):
    """What a thread that does not run was doing, if only for some time."""
    for row in trace.scheduling.states:
        end = row.begin + trace.scheduling.length(row)
        if row.state in STATES and end > row.begin and row.tid in trace.threads:
            found.spans.append((thread_of(trace, row.tid), row.begin - start, end - start,
                                STATES[row.state]))


def add_instants(trace, found, start):
    for uuid, name, time, arguments, event in trace.instants:
        place = place_of(trace, uuid)
        flows = event.get("flow_ids"), event.get("terminating_flow_ids")
        if not isinstance(place, tuple):
            continue
        if any(flows):
            found.flows.append((place, time - start, int(dict(arguments)["id"], 16),
                                flows[1] is not None))
            found.flow_keys.append((flows[0] or flows[1])[0])
        else:
            found.instants.append((place, time - start, name))


def view(trace):
    """What all timelines say."""
    found = View()
    start = min([packet["timestamp"] for packet in trace.packets if "timestamp" in packet]
                + [row.begin for row in trace.scheduling.slices], default=0)
    for tid, thread in trace.threads.items():
        of = thread_of(trace, tid)
        found.names[of] = (trace.processes[thread["pid"]]["process_name"],
                           thread["thread_name"])
        found.shown[of] = thread["pid"], tid
    for time, tid, stack, sample in trace.samples:
        found.samples.append((time - start, thread_of(trace, tid), stack,
                              sample.get("timebase_count", 1)))
    add_slices(trace, found, start)
    add_states(trace, found, start)
    add_instants(trace, found, start)
    for (pid, name), rows in trace.counters.items():
        process = koid(pid, trace.processes[pid]["process_name"])
        found.counters[process, name] += [(time - start, value) for time, value in rows]
    return found


def definitions():
    """The messages for protoc."""
    kinds = {"number": "uint64", "int": "int64"}
    lines = ['syntax = "proto2";']
    for name, fields in FIELDS.items():
        lines.append("message %s {" % name)
        for number, (field, kind) in fields.items():
            one = kind.rstrip("*")
            lines.append("  %s %s %s = %d;" % ("repeated" if kind.endswith("*") else "optional",
                                               kinds.get(one, one), field, number))
        lines.append("}")
    return "\n".join(lines) + "\n"
