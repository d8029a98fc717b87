# SPDX-License-Identifier: BSD-2-Clause
"""Reads and writes FXT, the Fuchsia trace format, by libfxt.

    for event in fxt.Reader('trace.fxt').events():
        print(event.time_ns, event.name, event.arg('bytes'))

    frame = fxt.event_frame('trace.fxt')            # with pandas
    pprof = fxt.Profile('trace.fxt').pprof()        # with libfxtprofile

    with fxt.Writer('new.fxt') as writer:
        writer.span('net', 'receive', 1000, 1700, (process, thread), {'bytes': 1500})

It needs libfxtrace.so, and Profile needs libfxtprofile.so, where the dynamic linker finds
them or in the directory FXT_LIBRARY_DIR. Objects own what is in them. A reader may be used by
several threads, and each record goes to one of them."""

from ._columns import event_columns, event_frame
from ._library import FxtError, version
from ._profile import Frame, Profile, StackSample
from ._read import FxtWarning, Reader
from ._records import (Arg, ArgType, Backtrace, Blob, Event, EventKind, Fault, Initialization,
                       KernelObject, LargeBlob, Log, Mapping, Metadata, MetadataKind, Module,
                       ProfilerKind, Provider, Record, Sample, Scheduling, SchedulingKind,
                       Severity, StringRegistration, Thread, ThreadRegistration, ThreadState,
                       Unknown, UnknownString, UserspaceObject)
from ._write import Writer

__all__ = [
    'Arg', 'ArgType', 'Backtrace', 'Blob', 'Event', 'EventKind', 'Fault', 'Frame', 'FxtError',
    'FxtWarning', 'Initialization', 'KernelObject', 'LargeBlob', 'Log', 'Mapping', 'Metadata',
    'MetadataKind', 'Module', 'Profile', 'ProfilerKind', 'Provider', 'Reader', 'Record',
    'Sample', 'Scheduling', 'SchedulingKind', 'Severity', 'StackSample',
    'StringRegistration', 'Thread', 'ThreadRegistration', 'ThreadState', 'Unknown',
    'UnknownString', 'UserspaceObject', 'Writer', 'event_columns', 'event_frame', 'version']
