# SPDX-License-Identifier: BSD-2-Clause
"""Reading: libfxt's structs to objects, and streams of any size, compressed or not."""

from __future__ import annotations

import collections
import ctypes
import gzip
import importlib
import io
import os
import re
import threading
import warnings
from ctypes import byref
from typing import Any, BinaryIO, Callable, Iterator, Optional, TypeVar, Union

from . import _library as c
from . import _records as r

Source = Union[str, 'os.PathLike[str]', bytes, bytearray, memoryview, BinaryIO]

_FIRST_SIZE = 1 << 18
# The start of a frame; those to skip are what pzstd begins with.
_ZSTD_MAGIC = re.compile(rb'\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18', re.DOTALL)
# Small, as each byte may become 32 KiB.
_ZSTD_PIECE = 1 << 12
# How many reports are kept before they are passed on.
_MAX_FAULTS = 1024
_E = TypeVar('_E', bound=int)

# ---- Structs to objects ----


def _named(kind: type[_E], number: int) -> int:
    try:
        return kind(number)
    except ValueError:
        return number


def bytes_of(value: Union[c.Bytes, c.String]) -> bytes:
    return ctypes.string_at(value.data, value.size) if value.data and value.size else b''


def _text(value: c.String) -> str:
    if value.data is None:
        return r.UnknownString(value.ref)
    return ctypes.string_at(value.data, value.size).decode('utf-8', 'replace')


def _words(value: c.Words) -> tuple[int, ...]:
    if not value.count:
        return ()
    words = memoryview(ctypes.string_at(value.data, 8 * value.count)).cast('Q')
    if not value.swapped:
        return tuple(words)
    return tuple(int.from_bytes(word.to_bytes(8, 'little'), 'big') for word in words)


def _thread(value: c.Thread) -> r.Thread:
    return r.Thread(value.process, value.thread, value.known, 0 if value.known else value.ref)


def _process(value: c.Thread) -> r.Thread:
    """Where only the process means something."""
    return _thread(value)._replace(thread=0)


def _arg(arg: c.Arg) -> r.Arg:
    kind = arg.type
    value = arg.value
    made: r.Value
    if kind == r.ArgType.STRING:
        made = _text(value.string)
    elif kind == r.ArgType.BLOB:
        made = bytes_of(value.blob)
    elif kind in c.ARG_MEMBERS:
        made = getattr(value, c.ARG_MEMBERS[kind])
    else:
        made = None
    return r.Arg(_text(arg.name), _named(r.ArgType, kind), made)


def _args(record: c.Record) -> tuple[r.Arg, ...]:
    return tuple(_arg(record.args[i]) for i in range(record.n_args))


def _base(value: Union[c.Provider, c.Initialization]) -> Optional[tuple[int, int]]:
    return (value.base_ticks, value.base_wall_ns) if value.has_base else None


def _metadata(record: c.Record) -> r.Record:
    m = record.metadata
    kind = _named(r.MetadataKind, record.kind)
    name = _text(m.name) if kind == r.MetadataKind.PROVIDER_INFO else ''
    return r.Metadata(kind, m.provider_id, name, m.event, m.trace_info, m.magic)


def _initialization(record: c.Record) -> r.Record:
    return r.Initialization(record.initialization.ticks_per_second,
                            _base(record.initialization))


def _string(record: c.Record) -> r.Record:
    return r.StringRegistration(record.string.index, _text(record.string.value))


def _thread_registration(record: c.Record) -> r.Record:
    value = record.thread
    return r.ThreadRegistration(value.index, value.process, value.thread)


def _event(record: c.Record) -> r.Record:
    e = record.event
    return r.Event(timestamp=e.timestamp, args=_args(record),
                   kind=_named(r.EventKind, record.kind), thread=_thread(e.thread),
                   category=_text(e.category), name=_text(e.name),
                   end_timestamp=e.end_timestamp, id=e.id, scope=e.scope)


def _blob(record: c.Record) -> r.Record:
    return r.Blob(_text(record.blob.name), record.blob.type, bytes_of(record.blob.payload))


def _userspace_object(record: c.Record) -> r.Record:
    o = record.userspace_object
    return r.UserspaceObject(_args(record), o.pointer, _process(o.process), _text(o.name))


def _kernel_object(record: c.Record) -> r.Record:
    o = record.kernel_object
    return r.KernelObject(_args(record), o.type, o.koid, _text(o.name))


def _scheduling(record: c.Record) -> r.Record:
    s = record.scheduling
    return r.Scheduling(timestamp=s.timestamp, args=_args(record),
                        kind=_named(r.SchedulingKind, record.kind), cpu=s.cpu,
                        outgoing_state=_named(r.ThreadState, s.outgoing_state),
                        outgoing=_thread(s.outgoing), incoming=_thread(s.incoming),
                        outgoing_priority=s.outgoing_priority,
                        incoming_priority=s.incoming_priority,
                        waking_thread=s.waking_thread)


def _log(record: c.Record) -> r.Record:
    return r.Log(record.log.timestamp, _thread(record.log.thread), _text(record.log.message))


def _profiler(record: c.Record) -> r.Record:
    p = record.profiler
    if record.kind == r.ProfilerKind.MODULE:
        build_id = bytes_of(p.build_id)
        as_hex = build_id.decode('latin-1').lower() if p.build_id_is_hex else build_id.hex()
        return r.Module(p.timestamp, _process(p.thread), p.module_id, _text(p.name), as_hex)
    if record.kind == r.ProfilerKind.MAPPING:
        return r.Mapping(p.timestamp, _process(p.thread), p.module_id, p.start, p.length,
                         p.vaddr, p.flags)
    return r.Backtrace(p.timestamp, _thread(p.thread), _words(p.pcs))


def _large_blob(record: c.Record) -> r.Record:
    b = record.large_blob
    return r.LargeBlob(timestamp=b.timestamp, args=_args(record), format=b.format,
                       thread=_thread(b.thread), category=_text(b.category),
                       name=_text(b.name), payload=bytes_of(b.payload))


_MAKE: dict[int, Callable[[c.Record], r.Record]] = {
    0: _metadata, 1: _initialization, 2: _string, 3: _thread_registration, 4: _event,
    5: _blob, 6: _userspace_object, 7: _kernel_object, 8: _scheduling, 9: _log, 10: _profiler,
    15: _large_blob}


def _unknown(record: c.Record) -> r.Record:
    blob_format = record.large_blob.format if record.type == 15 else 0
    return r.Unknown(record.type, record.kind, blob_format, record.header,
                     _words(record.body))


def _provider(value: c.Provider) -> r.Provider:
    return r.Provider(value.id, _text(value.name), value.ticks_per_second, _base(value))


def _record(record: c.Record, provider: r.Provider) -> r.Record:
    """Unknown metadata and events have their kinds' numbers and all other fields."""
    make = _MAKE.get(record.type)
    is_whole = not record.unknown or record.type in (0, 4)
    made = make(record) if make is not None and is_whole else _unknown(record)
    made.offset = record.offset
    made.size = record.size
    made.provider = provider
    return made


def _sample(record: c.Record, provider: r.Provider) -> Optional[r.Sample]:
    found = c.Sample()
    if c.libfxt().fxt_sample_from_record(record, byref(found)) != 1:
        return None
    return r.Sample(found.timestamp, provider.to_ns(found.timestamp), _thread(found.thread),
                    _words(found.pcs), found.end, found.maybe_cut, found.event, found.weight)


def _fault(error: c.Error) -> r.Fault:
    name = c.libfxt().fxt_code_name(error.code).decode()
    return r.Fault(name, r.Severity(error.severity), error.offset, error.byte, error.skipped,
                   error.value, error.message.decode())


# ---- Sources ----


class _Prefixed:
    """A file of which the first bytes were read already."""

    def __init__(self, start: bytes, file: BinaryIO) -> None:
        self._start = start
        self._file = file

    def read(self, size: int = -1) -> bytes:
        if self._start:
            size = len(self._start) if size < 0 else size
            start, self._start = self._start[:size], self._start[size:]
            return start
        return self._file.read(size) or b''


def _zstd_decompressor() -> Any:
    """Of one frame: Python's own since 3.14, or that of a package."""
    for module in ('compression.zstd', 'zstandard', 'pyzstd'):
        try:
            made = importlib.import_module(module).ZstdDecompressor()
        except ImportError:
            continue
        return made.decompressobj() if module == 'zstandard' else made
    raise ImportError('the source is compressed by zstd: install zstandard or pyzstd, use '
                      'Python 3.14, or decompress it by fxtcut -o - FILE')


class _Zstd:
    """What is in the frames of a file, one after the other."""

    def __init__(self, file: _Prefixed) -> None:
        self._file = file
        self._frame = _zstd_decompressor()
        self._ahead = b''

    def read(self, _: int) -> bytes:
        while True:
            if self._frame is not None and self._frame.eof:
                self._ahead, self._frame = self._frame.unused_data, None
            data = self._ahead or self._file.read(_ZSTD_PIECE)
            self._ahead = b''
            if not data:
                if self._frame is not None:
                    raise EOFError('Compressed file ended before the end of its last frame')
                return b''
            self._frame = self._frame or _zstd_decompressor()
            if piece := self._frame.decompress(data):
                return bytes(piece)


def _start_of(file: BinaryIO) -> bytes:
    """Four bytes, or all if there are fewer; a pipe may give them one by one."""
    start = b''
    while len(start) < 4 and (piece := file.read(4 - len(start))):
        start += piece
    return start


class Input:
    """The bytes of a source, decompressed if they are gzip's or zstd's."""

    def __init__(self, source: Source) -> None:
        self._owned: Optional[BinaryIO] = None
        if isinstance(source, (bytes, bytearray, memoryview)):
            file: BinaryIO = io.BytesIO(source)
        elif isinstance(source, (str, os.PathLike)):
            file = self._owned = open(source, 'rb')
        else:
            file = source
        try:
            start = _start_of(file)
            whole = _Prefixed(start, file)
            self._read: Callable[[int], bytes] = whole.read
            if start[:2] == b'\x1f\x8b':
                self._read = gzip.GzipFile(fileobj=whole, mode='rb').read1  # type: ignore
            elif _ZSTD_MAGIC.match(start):
                self._read = _Zstd(whole).read
        except BaseException:
            self.close()
            raise

    def read(self, size: int) -> bytes:
        """At least one byte, unless there are no more."""
        data: bytes = self._read(size)
        return data

    def read_all(self) -> bytes:
        pieces = []
        while piece := self.read(1 << 20):
            pieces.append(piece)
        return b''.join(pieces)

    def close(self) -> None:
        if self._owned is not None:
            self._owned.close()


# ---- Streams ----


class FxtWarning(UserWarning):
    """Part of a stream was lost, and there is no on_fault that it was reported to."""


class Faults:
    """Reports about the data, which are passed on outside of the library's calls."""

    def __init__(self, on_fault: Optional[Callable[[r.Fault], None]]) -> None:
        self.n_errors = 0
        self._on_fault = on_fault
        self._first: Optional[r.Fault] = None
        self._new: collections.deque[r.Fault] = collections.deque()
        self.function = c.ErrorFunction(self._take)

    def _take(self, _: object, error: ctypes._Pointer[c.Error]) -> int:
        fault = _fault(error.contents)
        if fault.severity >= r.Severity.ERROR:
            self.n_errors += 1
            self._first = self._first or fault
        if self._on_fault is not None:
            self._new.append(fault)
        return int(len(self._new) >= _MAX_FAULTS)

    def pass_on(self, n_kept: int = 0) -> None:
        """All but the last ones, which came after something else."""
        while len(self._new) > n_kept:
            try:
                fault = self._new.popleft()
            except IndexError:  # another thread was faster
                return
            if self._on_fault is not None:
                self._on_fault(fault)

    @property
    def n_new(self) -> int:
        return len(self._new)

    def warn(self) -> None:
        """At the end of a stream, once."""
        first, self._first = self._first, None
        if first is not None and self._on_fault is None:
            warnings.warn(f'{self.n_errors} errors; the first: {first.offset:#x}: '
                          f'{first.message}', FxtWarning, stacklevel=3)


_STREAMS = {'auto': 0, 'region': 1, 'archive': 2}


def reader_options(faults: Faults, on_record: object, *, resync: bool, stream: str,
                   ticks_per_second: int) -> c.ReaderOptions:
    return c.ReaderOptions(ctypes.sizeof(c.ReaderOptions), on_record, faults.function,
                           stream=_STREAMS[stream], resync=resync,
                           ticks_per_second=ticks_per_second)


def chunk_of(data: bytes) -> c.Chunk:
    """Of bytes that the caller keeps."""
    return c.Chunk(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data), 0)


_T = TypeVar('_T')
_Convert = Callable[[c.Record, r.Provider], Optional[_T]]


def _only_event(record: c.Record, provider: r.Provider) -> Optional[r.Event]:
    if record.type != 4:
        return None
    made = _record(record, provider)
    assert isinstance(made, r.Event)
    return made


class Reader:
    """Reads a stream once, from its start to its end: a path, a binary file, or bytes, each
    of which may be compressed by gzip, or by zstd (with Python 3.14, zstandard or pyzstd).

    Iterate over the reader for all its records, over events() or over samples(). What they
    yield owns all that is in it.

    Faults in the data are reported to on_fault, before the record that follows them; without
    it, there is one FxtWarning at the end if anything was lost. Where the framing is lost,
    an FxtError is raised after all that could be read."""

    def __init__(self, source: Source, *, on_fault: Optional[Callable[[r.Fault], None]] = None,
                 resync: bool = False, stream: str = 'auto',
                 ticks_per_second: int = 0) -> None:
        self._lock = threading.Lock()
        self._handle = ctypes.c_void_p()
        self._lib = c.libfxt()
        self._faults = Faults(on_fault)
        self._late: list[tuple[int, object]] = []
        self._late_failure: Optional[BaseException] = None
        self._failure: Optional[c.FxtError] = None
        self._convert: _Convert[object] = _record
        self._on_late = c.RecordFunction(self._take_late)
        options = reader_options(self._faults, self._on_late, resync=resync, stream=stream,
                                 ticks_per_second=ticks_per_second)
        self._input = Input(source)
        self._data = b''
        self._chunk = c.Chunk()
        self._providers: dict[int, r.Provider] = {}
        self._at_end = False
        self._finished = False
        c.check(self._lib.fxt_reader_create(byref(options), byref(self._handle)))

    def __iter__(self) -> Iterator[r.Record]:
        return self._items(_record)

    def events(self) -> Iterator[r.Event]:
        return self._items(_only_event)

    def samples(self) -> Iterator[r.Sample]:
        return self._items(_sample)

    @property
    def n_errors(self) -> int:
        """How many records, or stretches of input, were lost so far."""
        return self._faults.n_errors

    def close(self) -> None:
        with self._lock:
            self._destroy()
        self._input.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, '_handle'):
            self._destroy()

    # ---- The library's calls, each with the lock, and with its records made objects ----

    def _destroy(self) -> None:
        handle, self._handle = self._handle, ctypes.c_void_p()
        self._lib.fxt_reader_destroy(handle)

    def _items(self, convert: _Convert[_T]) -> Iterator[_T]:
        while not self._finished:
            made = self._next(convert)
            n_reports = self._faults.n_new
            for n_before, one in made:
                self._faults.pass_on(n_reports - n_before)
                yield one
            self._faults.pass_on()
        self._faults.warn()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _next(self, convert: _Convert[_T]) -> list[tuple[int, _T]]:
        """The next object or, at the end, all that are left; or none so far. Each with how many
        of the new reports came before it."""
        record = ctypes.POINTER(c.Record)()
        with self._lock:
            if not self._handle:
                raise ValueError('the reader is closed')
            if self._finished:
                return []
            if self._at_end:
                return self._finish(convert)
            code = self._lib.fxt_reader_next(self._handle, byref(self._chunk), byref(record))
            if record:
                found = record.contents
                made = convert(found, self._provider(found))
                return [] if made is None else [(self._faults.n_new, made)]
            if code in (c.OK, c.NEED_MORE, c.END):
                self._at_end = not self._refill()
            elif code != c.STOPPED:
                self._end(code)
        return []

    def _provider(self, record: c.Record) -> r.Provider:
        """A copy of the record's provider, made again when records may have changed it."""
        address = ctypes.addressof(record.provider.contents)
        if record.type < 2 or address not in self._providers:
            self._providers[address] = _provider(record.provider.contents)
        return self._providers[address]

    def _refill(self) -> bool:
        """Reads on after what is left of a record; false at the end of the source."""
        left = self._data[self._chunk.pos:]
        needed = self._lib.fxt_reader_needed(self._handle) - len(left)
        # A record may claim any size: no more is read at once than is there already.
        size = min(max(needed, _FIRST_SIZE), max(len(left), _FIRST_SIZE))
        new = self._input.read(size)
        self._data = left + new
        self._chunk = chunk_of(self._data)
        return len(new) > 0

    def _take_late(self, _: object, record: ctypes._Pointer[c.Record]) -> int:
        """What fxt_reader_finish finds after damage at the end."""
        try:
            found = record.contents
            made = self._convert(found, self._provider(found))
            if made is not None:
                self._late.append((self._faults.n_new, made))
            return 0
        except BaseException as failure:  # pylint: disable=broad-except
            self._late_failure = failure
            return 1

    def _finish(self, convert: _Convert[_T]) -> list[tuple[int, _T]]:
        self._convert = convert
        code = self._lib.fxt_reader_finish(self._handle, byref(self._chunk))
        late, self._late = self._late, []
        if self._late_failure is not None:
            raise self._late_failure
        if code != c.STOPPED:
            self._end(code)
        return late  # type: ignore

    def _end(self, code: int) -> None:
        """The error, if there is one, is for after all objects and reports."""
        self._finished = True
        if code != c.OK:
            place = self._lib.fxt_reader_offset(self._handle)
            self._failure = c.error_of(code, f'{place:#x}')
