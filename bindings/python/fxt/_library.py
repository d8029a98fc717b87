# SPDX-License-Identifier: BSD-2-Clause
"""libfxt's C interface: its structs, with the names of include/fxt, and its functions.

The libraries are those that the dynamic linker finds, or in the directory that the environment
variable FXT_LIBRARY_DIR names."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_bool, c_char_p, c_double, c_int,
                    c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64,
                    c_void_p)
from typing import Any

# FXT_SOVERSION of include/fxt/version.h, with which these structs were written.
SOVERSION = 0


class String(Structure):
    _fields_ = [('data', c_void_p), ('size', c_uint32), ('ref', c_uint16)]


class Bytes(Structure):
    _fields_ = [('data', c_void_p), ('size', c_uint64)]


class Words(Structure):
    _fields_ = [('data', c_void_p), ('count', c_uint64), ('swapped', c_bool)]


class Thread(Structure):
    _fields_ = [('process', c_uint64), ('thread', c_uint64), ('ref', c_uint8),
                ('known', c_bool)]


class ArgValue(Union):
    _fields_ = [('int32', c_int32), ('uint32', c_uint32), ('int64', c_int64),
                ('uint64', c_uint64), ('float64', c_double), ('string', String),
                ('pointer', c_uint64), ('koid', c_uint64), ('boolean', c_bool),
                ('blob', Bytes), ('unknown', Words)]


class Arg(Structure):
    _fields_ = [('name', String), ('type', c_uint32), ('unknown_bits', c_uint32),
                ('value', ArgValue)]


# By type, the members of ArgValue that Python has as numbers and booleans.
ARG_MEMBERS = {1: 'int32', 2: 'uint32', 3: 'int64', 4: 'uint64', 5: 'float64', 7: 'pointer',
               8: 'koid', 9: 'boolean'}


class Provider(Structure):
    _fields_ = [('id', c_uint32), ('name', String), ('ticks_per_second', c_uint64),
                ('has_base', c_bool), ('base_ticks', c_uint64), ('base_wall_ns', c_uint64)]


class Metadata(Structure):
    _fields_ = [('provider_id', c_uint32), ('name', String), ('event', c_uint32),
                ('trace_info', c_uint32), ('magic', c_uint32)]


class Initialization(Structure):
    _fields_ = [('ticks_per_second', c_uint64), ('has_base', c_bool),
                ('base_ticks', c_uint64), ('base_wall_ns', c_uint64)]


class StringRegistration(Structure):
    _fields_ = [('index', c_uint32), ('value', String)]


class ThreadRegistration(Structure):
    _fields_ = [('index', c_uint32), ('process', c_uint64), ('thread', c_uint64)]


class Event(Structure):
    _fields_ = [('timestamp', c_uint64), ('thread', Thread), ('category', String),
                ('name', String), ('id', c_uint64), ('end_timestamp', c_uint64),
                ('scope', c_uint64)]


class Blob(Structure):
    _fields_ = [('name', String), ('type', c_uint32), ('payload', Bytes)]


class UserspaceObject(Structure):
    _fields_ = [('pointer', c_uint64), ('process', Thread), ('name', String)]


class KernelObject(Structure):
    _fields_ = [('type', c_uint32), ('koid', c_uint64), ('name', String)]


class Scheduling(Structure):
    _fields_ = [('timestamp', c_uint64), ('cpu', c_uint32), ('outgoing_state', c_uint32),
                ('outgoing', Thread), ('incoming', Thread), ('outgoing_priority', c_uint32),
                ('incoming_priority', c_uint32), ('waking_thread', c_uint64)]


class Log(Structure):
    _fields_ = [('timestamp', c_uint64), ('thread', Thread), ('message', String)]


class Profiler(Structure):
    _fields_ = [('timestamp', c_uint64), ('thread', Thread), ('module_id', c_uint32),
                ('name', String), ('build_id', Bytes), ('build_id_is_hex', c_bool),
                ('start', c_uint64), ('length', c_uint64), ('vaddr', c_uint64),
                ('flags', c_uint32), ('pcs', Words)]


class LargeBlob(Structure):
    _fields_ = [('format', c_uint32), ('timestamp', c_uint64), ('thread', Thread),
                ('category', String), ('name', String), ('payload', Bytes)]


class RecordUnion(Union):
    _fields_ = [('metadata', Metadata), ('initialization', Initialization),
                ('string', StringRegistration), ('thread', ThreadRegistration),
                ('event', Event), ('blob', Blob), ('userspace_object', UserspaceObject),
                ('kernel_object', KernelObject), ('scheduling', Scheduling), ('log', Log),
                ('profiler', Profiler), ('large_blob', LargeBlob)]


class Record(Structure):
    _anonymous_ = ['of_type']
    _fields_ = [('offset', c_uint64), ('size', c_uint64), ('header', c_uint64),
                ('data', c_void_p), ('swapped', c_bool), ('provider', POINTER(Provider)),
                ('type', c_uint32), ('kind', c_uint32), ('unknown', c_bool), ('body', Words),
                ('n_args', c_uint32), ('args', POINTER(Arg)), ('of_type', RecordUnion)]


class Error(Structure):
    _fields_ = [('code', c_int), ('severity', c_int), ('offset', c_uint64),
                ('byte', c_uint64), ('skipped', c_uint64), ('value', c_uint64),
                ('header', c_uint64), ('provider_id', c_uint32), ('message', c_char_p),
                ('path', c_char_p)]


class Sample(Structure):
    _fields_ = [('kind', c_int), ('timestamp', c_uint64), ('thread', Thread), ('pcs', Words),
                ('end', c_uint32), ('maybe_cut', c_bool), ('event', c_uint32),
                ('weight', c_uint64), ('cpu', c_uint32), ('dropped_records', c_uint64),
                ('dropped_bytes', c_uint64), ('last_timestamp', c_uint64)]


class Chunk(Structure):
    _fields_ = [('data', c_void_p), ('size', c_size_t), ('pos', c_size_t)]


class EventRow(Structure):
    # The strings' addresses as numbers, which numpy can hold.
    _fields_ = [('time_ns', c_uint64), ('end_ns', c_uint64), ('process', c_uint64),
                ('thread', c_uint64), ('id', c_uint64), ('category', c_size_t),
                ('name', c_size_t), ('category_size', c_uint32), ('name_size', c_uint32),
                ('kind', c_uint32), ('provider_id', c_uint32)]


class EventRows(Structure):
    _fields_ = [('rows', c_void_p), ('n_rows', c_size_t), ('capacity', c_size_t)]


RecordFunction = CFUNCTYPE(c_int, c_void_p, POINTER(Record))
ErrorFunction = CFUNCTYPE(c_int, c_void_p, POINTER(Error))
WriteFunction = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)


class ReaderOptions(Structure):
    _fields_ = [('size', c_size_t), ('on_record', RecordFunction), ('on_error', ErrorFunction),
                ('context', c_void_p), ('stream', c_int), ('byte_order', c_int),
                ('stable_input', c_bool), ('resync', c_bool), ('max_record_bytes', c_uint64),
                ('max_kept_bytes', c_uint64), ('ticks_per_second', c_uint64)]


class WriterOptions(Structure):
    _fields_ = [('size', c_size_t), ('write', WriteFunction), ('context', c_void_p),
                ('byte_order', c_int), ('strings', c_int), ('threads', c_int),
                ('buffer_size', c_size_t), ('max_kept_bytes', c_uint64)]


OK, NEED_MORE, END, STOPPED = range(4)
SIZE_ZERO = 10

# What each function returns and takes.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    'fxt_code_message': (c_char_p, [c_int]),
    'fxt_code_name': (c_char_p, [c_int]),
    'fxt_event_rows_add': (c_int, [c_void_p, POINTER(Record)]),
    'fxt_reader_create': (c_int, [POINTER(ReaderOptions), POINTER(c_void_p)]),
    'fxt_reader_destroy': (None, [c_void_p]),
    'fxt_reader_finish': (c_int, [c_void_p, POINTER(Chunk)]),
    'fxt_reader_needed': (c_uint64, [c_void_p]),
    'fxt_reader_next': (c_int, [c_void_p, POINTER(Chunk), POINTER(POINTER(Record))]),
    'fxt_reader_offset': (c_uint64, [c_void_p]),
    'fxt_reader_read': (c_int, [c_void_p, POINTER(Chunk)]),
    'fxt_sample_from_record': (c_int, [POINTER(Record), POINTER(Sample)]),
    'fxt_version': (c_char_p, []),
    'fxt_writer_create': (c_int, [POINTER(WriterOptions), POINTER(c_void_p)]),
    'fxt_writer_destroy': (None, [c_void_p]),
    'fxt_writer_finish': (c_int, [c_void_p]),
    'fxt_writer_flush': (c_int, [c_void_p]),
    'fxt_writer_write': (c_int, [c_void_p, POINTER(Record)]),
}


def load(name: str, functions: dict[str, tuple[Any, list[Any]]],
         kind: type[ctypes.CDLL]) -> ctypes.CDLL:
    file = f'lib{name}.so.{SOVERSION}'
    directory = os.environ.get('FXT_LIBRARY_DIR')
    library = kind(os.path.join(directory, file) if directory else file)
    for function, (result, arguments) in functions.items():
        declared = getattr(library, function)
        declared.restype = result
        declared.argtypes = arguments
    return library


@functools.lru_cache(maxsize=None)
def libfxt() -> ctypes.CDLL:
    """Its calls are short, and keep Python's lock: no other thread comes between them."""
    return load('fxtrace', _FUNCTIONS, ctypes.PyDLL)


def version() -> str:
    found: bytes = libfxt().fxt_version()
    return found.decode()


class FxtError(Exception):
    """A call that failed; `code` is its name in enum fxt_code, in lower case."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def error_of(code: int, what: str = '') -> FxtError:
    name = libfxt().fxt_code_name(code).decode()
    message = libfxt().fxt_code_message(code).decode()
    return FxtError(name, f'{what}: {message}' if what else message)


def check(code: int) -> None:
    if code != OK:
        raise error_of(code)
