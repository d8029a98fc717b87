# SPDX-License-Identifier: BSD-2-Clause
"""Writing: objects to libfxt's structs, and these to a file or to memory."""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import byref
from typing import Any, BinaryIO, Mapping, Optional, Sequence, Union

from . import _library as c
from . import _records as r

Target = Union[str, 'os.PathLike[str]', BinaryIO]
Args = Union[Mapping[str, r.Value], Sequence[r.Arg]]

# Of integers, what they may be.
_RANGES = {1: (-1 << 31, 1 << 31), 2: (0, 1 << 32), 3: (-1 << 63, 1 << 63), 4: (0, 1 << 64),
           7: (0, 1 << 64), 8: (0, 1 << 64)}


def args_of(args: Args) -> tuple[r.Arg, ...]:
    """Arguments of a dictionary have the types of their values: integers are int64, or
    uint64 if only that has them."""
    if isinstance(args, Mapping):
        return tuple(r.Arg(name, _type_of(value), value) for name, value in args.items())
    return tuple(args)


def _type_of(value: r.Value) -> r.ArgType:
    if value is None:
        return r.ArgType.NULL
    if isinstance(value, bool):
        return r.ArgType.BOOL
    if isinstance(value, int):
        return r.ArgType.INT64 if value < 1 << 63 else r.ArgType.UINT64
    if isinstance(value, float):
        return r.ArgType.DOUBLE
    if isinstance(value, str):
        return r.ArgType.STRING
    if isinstance(value, (bytes, bytearray, memoryview)):
        return r.ArgType.BLOB
    raise TypeError(f'no argument can be a {type(value).__name__}')


class _Maker:
    """Makes a struct of a record; keeps what it points to."""

    def __init__(self) -> None:
        self.record = c.Record()
        self.kept: list[object] = []

    def address(self, data: bytes) -> Any:
        self.kept.append(data)
        return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p)

    def text(self, value: str) -> c.String:
        if isinstance(value, r.UnknownString):
            return c.String(None, 0, value.ref)
        data = value.encode('utf-8', 'surrogatepass')
        return c.String(self.address(data), _number(len(data), 32), 0)

    def bytes_of(self, value: bytes) -> c.Bytes:
        data = bytes(value)
        return c.Bytes(self.address(data), len(data))

    def words(self, values: Sequence[int]) -> c.Words:
        data = b''.join(_number(value).to_bytes(8, sys.byteorder) for value in values)
        return c.Words(self.address(data), len(values), False)

    def arg(self, arg: r.Arg, to: c.Arg) -> None:
        to.name = self.text(arg.name)
        to.type = _number(arg.type, 32)
        value: Any = arg.value
        if arg.type in _RANGES:
            low, high = _RANGES[arg.type]
            if not low <= value < high:
                raise OverflowError(f'argument {arg.name}: {value} is no {arg.type!r}')
        if arg.type in c.ARG_MEMBERS:
            setattr(to.value, c.ARG_MEMBERS[arg.type], value)
        elif arg.type == r.ArgType.STRING:
            to.value.string = self.text(value)
        elif arg.type == r.ArgType.BLOB:
            to.value.blob = self.bytes_of(value)

    def args(self, args: Args) -> None:
        given = args_of(args)
        made = (c.Arg * len(given))()
        for one, to in zip(given, made):
            self.arg(one, to)
        self.kept.append(made)
        self.record.args = ctypes.cast(made, ctypes.POINTER(c.Arg))
        self.record.n_args = len(given)


def _number(value: int, bits: int = 64) -> int:
    """ctypes would cut it."""
    if not 0 <= value < 1 << bits:
        raise OverflowError(f'{value} is no unsigned number of {bits} bits')
    return int(value)


def _thread(value: r.Thread) -> c.Thread:
    return c.Thread(_number(value.process), _number(value.thread), 0 if value.known
                    else _number(value.ref, 8), value.known)


# ---- Types of records ----


def _metadata(made: _Maker, value: r.Metadata) -> int:
    m = made.record.metadata
    made.record.kind = _number(value.kind, 32)
    m.provider_id = _number(value.provider_id, 32)
    m.name = made.text(value.name)
    m.event = _number(value.event, 32)
    m.trace_info = _number(value.trace_info, 32)
    m.magic = _number(value.magic, 32)
    return 0


def _initialization(made: _Maker, value: r.Initialization) -> int:
    init = made.record.initialization
    init.ticks_per_second = _number(value.ticks_per_second)
    if value.base is not None:
        init.has_base = True
        init.base_ticks, init.base_wall_ns = map(_number, value.base)
    return 1


def _string(made: _Maker, value: r.StringRegistration) -> int:
    made.record.string.index = _number(value.index, 32)
    made.record.string.value = made.text(value.value)
    return 2


def _thread_registration(made: _Maker, value: r.ThreadRegistration) -> int:
    to = made.record.thread
    to.index = _number(value.index, 32)
    to.process = _number(value.process)
    to.thread = _number(value.thread)
    return 3


def _event(made: _Maker, value: r.Event) -> int:
    e = made.record.event
    made.record.kind = _number(value.kind, 32)
    e.timestamp = _number(value.timestamp)
    e.end_timestamp = _number(value.end_timestamp)
    e.thread = _thread(value.thread)
    e.category = made.text(value.category)
    e.name = made.text(value.name)
    e.id = _number(value.id)
    e.scope = _number(value.scope)
    made.args(value.args)
    return 4


def _blob(made: _Maker, value: r.Blob) -> int:
    b = made.record.blob
    b.name = made.text(value.name)
    b.type = _number(value.type, 32)
    b.payload = made.bytes_of(value.payload)
    return 5


def _userspace_object(made: _Maker, value: r.UserspaceObject) -> int:
    o = made.record.userspace_object
    o.pointer = _number(value.pointer)
    o.process = _thread(value.process)
    o.name = made.text(value.name)
    made.args(value.args)
    return 6


def _kernel_object(made: _Maker, value: r.KernelObject) -> int:
    o = made.record.kernel_object
    o.type = _number(value.type, 32)
    o.koid = _number(value.koid)
    o.name = made.text(value.name)
    made.args(value.args)
    return 7


def _scheduling(made: _Maker, value: r.Scheduling) -> int:
    s = made.record.scheduling
    made.record.kind = _number(value.kind, 32)
    s.timestamp = _number(value.timestamp)
    s.cpu = _number(value.cpu, 32)
    s.outgoing_state = _number(value.outgoing_state, 32)
    s.outgoing = _thread(value.outgoing)
    s.incoming = _thread(value.incoming)
    s.outgoing_priority = _number(value.outgoing_priority, 32)
    s.incoming_priority = _number(value.incoming_priority, 32)
    s.waking_thread = _number(value.waking_thread)
    made.args(value.args)
    return 8


def _log(made: _Maker, value: r.Log) -> int:
    to = made.record.log
    to.timestamp = _number(value.timestamp)
    to.thread = _thread(value.thread)
    to.message = made.text(value.message)
    return 9


def _module(made: _Maker, value: r.Module) -> int:
    p = made.record.profiler
    made.record.kind = r.ProfilerKind.MODULE
    p.timestamp = _number(value.timestamp)
    p.thread = _thread(value.process)
    p.module_id = _number(value.module_id, 32)
    p.name = made.text(value.name)
    p.build_id = made.bytes_of(bytes.fromhex(value.build_id))
    return 10


def _mapping(made: _Maker, value: r.Mapping) -> int:
    p = made.record.profiler
    made.record.kind = r.ProfilerKind.MAPPING
    p.timestamp = _number(value.timestamp)
    p.thread = _thread(value.process)
    p.module_id = _number(value.module_id, 32)
    p.start = _number(value.start)
    p.length = _number(value.length)
    p.vaddr = _number(value.vaddr)
    p.flags = _number(value.flags, 32)
    return 10


def _backtrace(made: _Maker, value: r.Backtrace) -> int:
    p = made.record.profiler
    made.record.kind = r.ProfilerKind.BACKTRACE
    p.timestamp = _number(value.timestamp)
    p.thread = _thread(value.thread)
    p.pcs = made.words(value.pcs)
    return 10


def _large_blob(made: _Maker, value: r.LargeBlob) -> int:
    b = made.record.large_blob
    b.format = _number(value.format, 32)
    b.timestamp = _number(value.timestamp)
    b.thread = _thread(value.thread)
    b.category = made.text(value.category)
    b.name = made.text(value.name)
    b.payload = made.bytes_of(value.payload)
    made.args(value.args)
    return 15


_FILL: dict[type, Any] = {
    r.Metadata: _metadata, r.Initialization: _initialization,
    r.StringRegistration: _string, r.ThreadRegistration: _thread_registration,
    r.Event: _event, r.Blob: _blob, r.UserspaceObject: _userspace_object,
    r.KernelObject: _kernel_object, r.Scheduling: _scheduling, r.Log: _log,
    r.Module: _module, r.Mapping: _mapping, r.Backtrace: _backtrace,
    r.LargeBlob: _large_blob}


class Writer:
    """Writes a stream to a path, or to a file that is open for binary data and stays so.

    What the format cannot represent is refused with an FxtError, and later records can still
    be written. close(), which the end of a with block calls, writes what is buffered."""

    def __init__(self, target: Target, *, ticks_per_second: Optional[int] = 1000000000) -> None:
        """Begins an archive with this clock; with None, a stream without a magic number."""
        self._lib = c.libfxt()
        self._handle = ctypes.c_void_p()
        self._failure: Optional[BaseException] = None
        self._owned: Optional[BinaryIO] = None
        if isinstance(target, (str, os.PathLike)):
            self._file: BinaryIO = open(target, 'wb')
            self._owned = self._file
        else:
            self._file = target
        self._write = c.WriteFunction(self._take)
        options = c.WriterOptions(ctypes.sizeof(c.WriterOptions), self._write)
        c.check(self._lib.fxt_writer_create(byref(options), byref(self._handle)))
        if ticks_per_second is not None:
            self.write(r.Metadata(r.MetadataKind.TRACE_INFO, magic=0x16547846))
            self.write(r.Initialization(ticks_per_second))

    def write(self, record: r.Record) -> None:
        """Any record, read or made, but those of types that this version does not know. Strings
        and threads are registered as needed. Which provider a record is of is what the
        metadata before it says, and not its `provider`."""
        fill = _FILL.get(type(record))
        if fill is None:
            raise TypeError(f'a {type(record).__name__} cannot be written')
        made = _Maker()
        made.record.type = fill(made, record)
        self._check(self._lib.fxt_writer_write(self._open(), byref(made.record)))

    # ---- Events, by their kinds; times are in ticks ----

    def _event(self, kind: r.EventKind, category: str, name: str, timestamp: int,
               thread: tuple[int, int], args: Args, end: int = 0, event_id: int = 0) -> None:
        self.write(r.Event(timestamp=timestamp, args=args_of(args), kind=kind,
                           thread=r.Thread(thread[0], thread[1]), category=category,
                           name=name, end_timestamp=end, id=event_id))

    def span(self, category: str, name: str, begin: int, end: int, thread: tuple[int, int],
             args: Args = ()) -> None:
        """A complete duration; `thread` is a process and a thread, by their ids."""
        self._event(r.EventKind.DURATION_COMPLETE, category, name, begin, thread, args,
                    end)

    def instant(self, category: str, name: str, timestamp: int, thread: tuple[int, int],
                args: Args = ()) -> None:
        self._event(r.EventKind.INSTANT, category, name, timestamp, thread, args)

    def counter(self, category: str, name: str, timestamp: int, thread: tuple[int, int],
                args: Args, counter_id: int = 0) -> None:
        """Its values are the arguments."""
        self._event(r.EventKind.COUNTER, category, name, timestamp, thread, args,
                    event_id=counter_id)

    def sample(self, timestamp: int, thread: tuple[int, int], pcs: Sequence[int]) -> None:
        """A stack, leaf first."""
        self.write(r.Backtrace(timestamp, r.Thread(thread[0], thread[1]), tuple(pcs)))

    def process_name(self, process: int, name: str) -> None:
        self.write(r.KernelObject(type=1, koid=process, name=name))

    def thread_name(self, process: int, thread: int, name: str) -> None:
        self.write(r.KernelObject((r.Arg('process', r.ArgType.KOID, process),), 2, thread,
                                  name))

    # ---- The end ----

    def flush(self) -> None:
        self._check(self._lib.fxt_writer_flush(self._open()))

    def close(self) -> None:
        """Raises an error of the file, but not again those of records that were refused."""
        if not self._handle:
            return
        code = self._lib.fxt_writer_flush(self._handle)
        self._lib.fxt_writer_finish(self._handle)
        self._destroy()
        if self._owned is not None:
            self._owned.close()
        self._check(code)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, '_handle'):
            self._destroy()

    def _destroy(self) -> None:
        handle, self._handle = self._handle, ctypes.c_void_p()
        self._lib.fxt_writer_destroy(handle)

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError('the writer is closed')
        return self._handle

    def _take(self, _: object, data: int, size: int) -> int:
        try:
            rest = memoryview(ctypes.string_at(data, size))
            while rest:
                written = self._file.write(rest)
                if written == 0:
                    raise BlockingIOError('the file takes no more')
                rest = rest[len(rest) if written is None else written:]
            return 0
        except BaseException as failure:  # pylint: disable=broad-except
            self._failure = failure
            return 1

    def _check(self, code: int) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        c.check(code)
