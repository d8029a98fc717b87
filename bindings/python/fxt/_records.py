# SPDX-License-Identifier: BSD-2-Clause
"""Records as objects, which own all that is in them. The fields are those of fxt/record.h.

Codes are members of the enumerations below, or plain numbers that this version does not
know. Text that is not UTF-8 has U+FFFD in place of what is ill-formed."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import NamedTuple, Optional, Union


class EventKind(enum.IntEnum):
    INSTANT = 0
    COUNTER = 1
    DURATION_BEGIN = 2
    DURATION_END = 3
    DURATION_COMPLETE = 4
    ASYNC_BEGIN = 5
    ASYNC_INSTANT = 6
    ASYNC_END = 7
    FLOW_BEGIN = 8
    FLOW_STEP = 9
    FLOW_END = 10


class ArgType(enum.IntEnum):
    NULL = 0
    INT32 = 1
    UINT32 = 2
    INT64 = 3
    UINT64 = 4
    DOUBLE = 5
    STRING = 6
    POINTER = 7
    KOID = 8
    BOOL = 9
    BLOB = 10


class MetadataKind(enum.IntEnum):
    PROVIDER_INFO = 1
    PROVIDER_SECTION = 2
    PROVIDER_EVENT = 3
    TRACE_INFO = 4


class SchedulingKind(enum.IntEnum):
    LEGACY_CONTEXT_SWITCH = 0
    CONTEXT_SWITCH = 1
    THREAD_WAKEUP = 2


class ThreadState(enum.IntEnum):
    NEW = 0
    RUNNING = 1
    SUSPENDED = 2
    BLOCKED = 3
    DYING = 4
    DEAD = 5


class ProfilerKind(enum.IntEnum):
    MODULE = 0
    MAPPING = 1
    BACKTRACE = 2


class Severity(enum.IntEnum):
    NOTE = 1
    WARNING = 2
    ERROR = 3
    FATAL = 4


class UnknownString(str):
    """In place of a string that was never registered: its index, as "#40"."""

    ref: int

    def __new__(cls, ref: int) -> UnknownString:
        made = super().__new__(cls, f'#{ref}')
        made.ref = ref
        return made


class Thread(NamedTuple):
    """A thread by its koids, or on Linux its ids. If it is not known, `ref` is the index that
    was never registered."""

    process: int = 0
    thread: int = 0
    known: bool = True
    ref: int = 0


Value = Union[None, bool, int, float, str, bytes]


class Arg(NamedTuple):
    """The value is None for NULL, and for types that this version does not know."""

    name: str
    type: int
    value: Value


@dataclass
class Provider:
    """The writer of records, as it was known at the record."""

    id: int = 0
    name: str = ''
    ticks_per_second: int = 1000000000
    # The wall clock, in nanoseconds since the Unix epoch, at a tick.
    base: Optional[tuple[int, int]] = None

    def to_ns(self, ticks: int) -> int:
        return ticks * 1000000000 // self.ticks_per_second


@dataclass
class Record:
    # Where it stands in the stream, in bytes; 0 in records that were not read.
    offset: int = field(default=0, kw_only=True)
    size: int = field(default=0, kw_only=True)
    provider: Provider = field(default_factory=Provider, kw_only=True)


@dataclass
class Timed(Record):
    """What all records with a time have. Times are in ticks of the provider."""

    timestamp: int = 0

    @property
    def time_ns(self) -> int:
        return self.provider.to_ns(self.timestamp)


@dataclass
class Metadata(Record):
    kind: int = 0
    provider_id: int = 0
    name: str = ''
    event: int = 0
    trace_info: int = 0
    magic: int = 0


@dataclass
class Initialization(Record):
    ticks_per_second: int = 1000000000
    base: Optional[tuple[int, int]] = None


@dataclass
class StringRegistration(Record):
    index: int = 0
    value: str = ''


@dataclass
class ThreadRegistration(Record):
    index: int = 0
    process: int = 0
    thread: int = 0


@dataclass
class WithArgs(Record):
    args: tuple[Arg, ...] = ()

    def arg(self, name: str) -> Value:
        """The value of the first argument of that name, or None."""
        for one in self.args:
            if one.name == name and not isinstance(one.name, UnknownString):
                return one.value
        return None


@dataclass
class Event(Timed, WithArgs):
    kind: int = EventKind.INSTANT
    thread: Thread = Thread()
    category: str = ''
    name: str = ''
    # Of complete durations, in ticks.
    end_timestamp: int = 0
    # Of counters, async and flow events.
    id: int = 0
    # Of instants: 0 thread, 1 process, 2 global.
    scope: int = 0

    @property
    def end_ns(self) -> int:
        """The end of a complete duration; of all others the time."""
        is_complete = self.kind == EventKind.DURATION_COMPLETE
        return self.provider.to_ns(self.end_timestamp if is_complete else self.timestamp)


@dataclass
class Blob(Record):
    name: str = ''
    type: int = 1
    payload: bytes = b''


@dataclass
class UserspaceObject(WithArgs):
    pointer: int = 0
    process: Thread = Thread()
    name: str = ''


@dataclass
class KernelObject(WithArgs):
    type: int = 0
    koid: int = 0
    name: str = ''


@dataclass
class Scheduling(Timed, WithArgs):
    kind: int = SchedulingKind.CONTEXT_SWITCH
    cpu: int = 0
    outgoing_state: int = 0
    outgoing: Thread = Thread()
    incoming: Thread = Thread()
    outgoing_priority: int = 0
    incoming_priority: int = 0
    waking_thread: int = 0


@dataclass
class Log(Timed):
    thread: Thread = Thread()
    message: str = ''


@dataclass
class Module(Timed):
    process: Thread = Thread()
    module_id: int = 0
    name: str = ''
    # In lower-case hex.
    build_id: str = ''


@dataclass
class Mapping(Timed):
    process: Thread = Thread()
    module_id: int = 0
    start: int = 0
    length: int = 0
    vaddr: int = 0
    flags: int = 0


@dataclass
class Backtrace(Timed):
    thread: Thread = Thread()
    # Leaf first.
    pcs: tuple[int, ...] = ()


@dataclass
class LargeBlob(Timed, WithArgs):
    """The timestamp, the thread and the arguments are there if the format is 0."""

    format: int = 0
    thread: Thread = Thread()
    category: str = ''
    name: str = ''
    payload: bytes = b''


@dataclass
class Unknown(Record):
    """A type, kind or format that is newer than this version: see fxt_record.unknown."""

    type: int = 0
    kind: int = 0
    format: int = 0
    header: int = 0
    body: tuple[int, ...] = ()


@dataclass
class Sample:
    """A stack that was sampled, of either form that samplers write: see fxt/sample.h."""

    timestamp: int
    time_ns: int
    thread: Thread
    # Leaf first.
    pcs: tuple[int, ...]
    end: int = 0
    maybe_cut: bool = False
    event: int = 0
    weight: int = 0


@dataclass
class Fault:
    """A report about the data: fxt_error in fxt/common.h."""

    code: str
    severity: Severity
    offset: int
    byte: int
    skipped: int
    value: int
    message: str
