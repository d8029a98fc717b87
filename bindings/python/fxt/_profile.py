# SPDX-License-Identifier: BSD-2-Clause
"""Profiles by libfxtprofile: samples, spans and waits to stacks with names and values, and to
the formats of viewers."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_int64,
                    c_size_t, c_uint32, c_uint64, c_void_p)
from dataclasses import dataclass
from typing import Any, Callable, Iterator, NamedTuple, Optional, Sequence

from . import _library as c
from ._read import Input, Source, bytes_of

# ---- libfxtprofile/include/fxt ----


class Report(Structure):
    _fields_ = [('kind', c_int), ('severity', c_int), ('error', POINTER(c.Error)),
                ('input', c_size_t), ('name', c_char_p), ('message', c_char_p)]


ReportFunction = CFUNCTYPE(None, c_void_p, POINTER(Report))


class ProfileOptions(Structure):
    """Up to what is used here: `size` tells the library that the rest is not there."""
    _fields_ = [('size', c_size_t), ('on_report', ReportFunction), ('on_progress', c_void_p),
                ('on_download', c_void_p), ('accept_captures', c_void_p),
                ('context', c_void_p), ('source', c_int), ('format', c_int),
                ('keep_times', c_bool), ('keep_blocks', c_bool), ('only_heaps', c_bool),
                ('ignore_renames', c_bool), ('resync', c_bool), ('is_zircon_arm64', c_bool),
                ('no_inlines', c_bool), ('full_names', c_bool), ('find_modules', c_bool),
                ('use_running_kernel', c_bool), ('use_debuginfod', c_bool)]


class ProfileOutput(Structure):
    _fields_ = [('size', c_size_t), ('format', c_int), ('value', c_int)]


class ValueType(Structure):
    _fields_ = [('type', c_char_p), ('unit', c_char_p)]


class ProfileSample(Structure):
    _fields_ = [('values', POINTER(c_int64)), ('stack', c_uint32), ('cpu', c_uint32),
                ('process', c_uint64), ('thread', c_uint64), ('process_name', c.String),
                ('thread_name', c.String), ('time_ns', c_uint64),
                ('block_address', c_uint64), ('block_size', c_uint64),
                ('event_type', c_uint32)]


class ProfileStack(Structure):
    _fields_ = [('locations', POINTER(c_uint32)), ('n_locations', c_size_t)]


class ProfileLocation(Structure):
    _fields_ = [('address', c_uint64), ('mapping', c_uint32), ('first_line', c_uint32),
                ('n_lines', c_uint32), ('is_symbolized', c_bool), ('has_function', c_bool)]


class ProfileLine(Structure):
    _fields_ = [('function', c_uint32), ('line', c_uint32)]


class ProfileFunction(Structure):
    _fields_ = [('name', c.String), ('system_name', c.String), ('file', c.String),
                ('start_line', c_uint32)]


class ProfileMapping(Structure):
    _fields_ = [('start', c_uint64), ('limit', c_uint64), ('file_offset', c_uint64),
                ('file', c.String), ('build_id', c.String)]


_NONE = 0xffffffff
_SOURCES = {'samples': 0, 'spans': 1, 'off-cpu': 2, 'wakeups': 3, 'wall-clock': 4}
_PARTS = {'value_type': ValueType, 'sample': ProfileSample, 'stack': ProfileStack,
          'location': ProfileLocation, 'line': ProfileLine, 'function': ProfileFunction,
          'mapping': ProfileMapping}

_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    'fxt_profile_builder_create': (c_int, [POINTER(ProfileOptions), POINTER(c_void_p)]),
    'fxt_profile_builder_destroy': (None, [c_void_p]),
    'fxt_profile_builder_message': (c_char_p, [c_void_p]),
    'fxt_profile_builder_add_file': (c_int, [c_void_p, c_void_p, c_char_p]),
    'fxt_profile_builder_add_memory': (c_int, [c_void_p, c_void_p, c_char_p, c_size_t]),
    'fxt_profile_builder_add_module_file': (c_int, [c_void_p, c_char_p]),
    'fxt_profile_builder_add_kallsyms': (c_int, [c_void_p, c_char_p]),
    'fxt_profile_builder_add_debug_dir': (c_int, [c_void_p, c_char_p]),
    'fxt_profile_builder_want_process': (c_int, [c_void_p, c_uint64]),
    'fxt_profile_builder_finish': (c_int, [c_void_p, POINTER(c_void_p)]),
    'fxt_profile_destroy': (None, [c_void_p]),
    'fxt_profile_format_find': (c_int, [c_char_p]),
    'fxt_profile_write': (c_int, [c_void_p, POINTER(ProfileOutput), c.WriteFunction,
                                  c_void_p]),
    'fxt_profile_n_losses': (c_size_t, [c_void_p]),
    'fxt_profile_loss': (c_char_p, [c_void_p, c_size_t]),
    **{f'fxt_profile_n_{part}s': (c_size_t, [c_void_p]) for part in _PARTS},
    **{f'fxt_profile_get_{part}': (c_int, [c_void_p, c_size_t, POINTER(struct)])
       for part, struct in _PARTS.items()}}


@functools.lru_cache(maxsize=None)
def _libfxtprofile() -> ctypes.CDLL:
    """Its calls take long, so that other threads of Python run during them."""
    return c.load('fxtprofile', _FUNCTIONS, ctypes.CDLL)


def _text(value: c.String) -> str:
    return bytes_of(value).decode('utf-8', 'replace')


# ---- Objects ----


class Frame(NamedTuple):
    """A function, or where none is known, a name that is made from an address. The line is 0
    if it is not known."""

    name: str
    file: str
    line: int
    address: int
    module: str


@dataclass
class StackSample:
    """Equal stacks of one thread are one sample, with the sums of their values."""

    # One for each of Profile.value_types.
    values: tuple[int, ...]
    # Leaf first; inlined functions come before those that they were inlined into.
    frames: tuple[Frame, ...]
    process: int
    thread: int
    process_name: str
    thread_name: str
    cpu: Optional[int]
    # With keep_times, else 0.
    time_ns: int


class Profile:
    """A profile of one source or several, each a path, bytes, or a binary file.

    `source` says of what: samples (also heaps and captures), spans, off-cpu, wakeups or
    wall-clock. Functions are found in the modules that the input names, if find_modules is
    set; in `elf`, files as FILE, FILE@ADDRESS or FILE+SLIDE; in `kallsyms`; and in files of
    these build ids or names below `debug_dirs`. Sentences about what is wrong with an input
    are passed to on_report."""

    def __init__(self, *sources: Source, source: str = 'samples', elf: Sequence[str] = (),
                 kallsyms: Optional[str] = None, debug_dirs: Sequence[str] = (),
                 find_modules: bool = False, keep_times: bool = False, resync: bool = False,
                 processes: Sequence[int] = (),
                 on_report: Optional[Callable[[str], None]] = None) -> None:
        self._lib = _libfxtprofile()
        self._handle = c_void_p()
        self._failure: Optional[BaseException] = None
        self._on_report = on_report
        function = ReportFunction(self._report)
        options = ProfileOptions(ctypes.sizeof(ProfileOptions), function,
                                 source=_SOURCES[source], keep_times=keep_times,
                                 resync=resync, find_modules=find_modules)
        builder = c_void_p()
        c.check(self._lib.fxt_profile_builder_create(byref(options), byref(builder)))
        try:
            for process in processes:
                self._call(builder, 'want_process', process)
            for name in elf:
                self._call(builder, 'add_module_file', os.fsencode(name))
            if kallsyms is not None:
                self._call(builder, 'add_kallsyms', os.fsencode(kallsyms))
            for name in debug_dirs:
                self._call(builder, 'add_debug_dir', os.fsencode(name))
            for one in sources:
                self._add(builder, one)
            self._call(builder, 'finish', byref(self._handle))
        finally:
            self._lib.fxt_profile_builder_destroy(builder)

    def __del__(self) -> None:
        if hasattr(self, '_handle'):
            self._lib.fxt_profile_destroy(self._handle)

    # ---- Building ----

    def _report(self, _: object, report: ctypes._Pointer[Report]) -> None:
        try:
            said = report.contents
            name = said.name.decode('utf-8', 'replace') + ': ' if said.name else ''
            if self._on_report is not None:
                self._on_report(name + said.message.decode('utf-8', 'replace'))
        except BaseException as failure:  # pylint: disable=broad-except
            self._failure = failure

    def _call(self, builder: c_void_p, name: str, *arguments: object) -> None:
        code = getattr(self._lib, f'fxt_profile_builder_{name}')(builder, *arguments)
        self._raise()
        if code != c.OK:
            message = self._lib.fxt_profile_builder_message(builder)
            raise c.FxtError(c.error_of(code).code, message.decode('utf-8', 'replace'))

    def _raise(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _add(self, builder: c_void_p, source: Source) -> None:
        if isinstance(source, (str, os.PathLike)):
            self._call(builder, 'add_file', None, os.fsencode(source))
            return
        data = Input(source).read_all()
        self._call(builder, 'add_memory', None, data, len(data))

    # ---- What is in it ----

    def _get(self, part: str, i: int) -> Any:
        found = _PARTS[part]()
        c.check(getattr(self._lib, f'fxt_profile_get_{part}')(self._handle, i, byref(found)))
        return found

    def _number(self, part: str) -> int:
        n: int = getattr(self._lib, f'fxt_profile_n_{part}s')(self._handle)
        return n

    @property
    def value_types(self) -> list[tuple[str, str]]:
        """The type and the unit of each value, such as ('samples', 'count')."""
        found = [self._get('value_type', i) for i in range(self._number('value_type'))]
        return [(one.type.decode(), one.unit.decode()) for one in found]

    @property
    def losses(self) -> list[str]:
        """What it lacks: what was left out, dropped, or lost to damage."""
        return [self._lib.fxt_profile_loss(self._handle, i).decode('utf-8', 'replace')
                for i in range(self._lib.fxt_profile_n_losses(self._handle))]

    def __len__(self) -> int:
        return self._number('sample')

    def __iter__(self) -> Iterator[StackSample]:
        n_values = self._number('value_type')
        frames: dict[int, tuple[Frame, ...]] = {}
        for i in range(len(self)):
            sample = self._get('sample', i)
            if sample.stack not in frames:
                frames[sample.stack] = self._frames(sample.stack)
            yield StackSample(tuple(sample.values[:n_values]), frames[sample.stack],
                              sample.process, sample.thread, _text(sample.process_name),
                              _text(sample.thread_name),
                              None if sample.cpu == _NONE else sample.cpu, sample.time_ns)

    def _frames(self, stack: int) -> tuple[Frame, ...]:
        found = self._get('stack', stack)
        return tuple(frame for i in found.locations[:found.n_locations]
                     for frame in self._location(i))

    def _location(self, i: int) -> Iterator[Frame]:
        location = self._get('location', i)
        module = ''
        if location.mapping != _NONE:
            module = _text(self._get('mapping', location.mapping).file)
        for at in range(location.first_line, location.first_line + location.n_lines):
            line = self._get('line', at)
            function = self._get('function', line.function)
            yield Frame(_text(function.name), _text(function.file), line.line,
                        location.address, module)

    # ---- Formats ----

    def write(self, form: str = 'pprof') -> bytes:
        """As pprof (compressed by gzip), folded, svg, speedscope, markup, firefox, perfetto,
        html or chrome. Those with times need keep_times."""
        number = self._lib.fxt_profile_format_find(form.encode())
        if number == 0:
            raise ValueError(f'there is no format {form}')
        pieces: list[bytes] = []

        def take(_: object, data: int, size: int) -> int:
            pieces.append(ctypes.string_at(data, size))
            return 0

        output = ProfileOutput(ctypes.sizeof(ProfileOutput), number)
        c.check(self._lib.fxt_profile_write(self._handle, byref(output),
                                            c.WriteFunction(take), None))
        return b''.join(pieces)

    def pprof(self) -> bytes:
        """For go tool pprof and other readers of profile.proto."""
        return self.write('pprof')
