# SPDX-License-Identifier: BSD-2-Clause
"""Events as columns of numpy, or as a data frame of pandas: libfxt fills rows, a batch with
each call (fxt/rows.h), so that Python does nothing for single events."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import byref
from typing import TYPE_CHECKING, Any, Callable, Optional

from . import _library as c
from . import _records as r
from ._read import Faults, Input, Source, chunk_of, reader_options

if TYPE_CHECKING:
    import numpy
    import pandas

_BATCH = 1 << 16


class _Table:
    """Batches of rows, and what is in their strings."""

    def __init__(self, np: Any) -> None:
        self.np = np
        self.batch = np.empty(_BATCH, dtype=np.dtype(c.EventRow))
        self.rows = c.EventRows(self.batch.ctypes.data, 0, _BATCH)
        self.batches: list[Any] = []

    def take(self) -> None:
        self.batches.append(self.batch[:self.rows.n_rows].copy())
        self.rows.n_rows = 0

    def strings(self, rows: Any, name: str) -> tuple[list[str], Any]:
        """The distinct texts, and for each row the index of its text, or -1 if it has none. Each
        address is decoded once; in one input, with a size of 15 bits, it fits a number."""
        np = self.np
        addresses, sizes = rows[name], rows[f'{name}_size']
        keys = (addresses.astype(np.uint64) << np.uint64(15)) ^ sizes
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        numbers: dict[str, int] = {}
        of_address = [-1 if addresses[row] == 0 else
                      numbers.setdefault(_decode(addresses[row], sizes[row]), len(numbers))
                      for row in first]
        return list(numbers), np.array(of_address, dtype=np.int32)[codes]

    def columns(self) -> tuple[dict[str, Any], dict[str, tuple[list[str], Any]]]:
        """Those of numbers, and those of text."""
        np = self.np
        rows = np.concatenate(self.batches)
        names = ('time_ns', 'end_ns', 'process', 'thread', 'id', 'kind', 'provider_id')
        return ({name: np.ascontiguousarray(rows[name]) for name in names},
                {name: self.strings(rows, name) for name in ('category', 'name')})


def _decode(address: Any, size: Any) -> str:
    return ctypes.string_at(int(address), int(size)).decode('utf-8', 'replace')


def _read_columns(source: Source, on_fault: Optional[Callable[[r.Fault], None]],
                  resync: bool, stream: str, ticks_per_second: int,
                  ) -> tuple[dict[str, Any], dict[str, tuple[list[str], Any]]]:
    import numpy as np  # pylint: disable=import-outside-toplevel

    lib = c.libfxt()
    table = _Table(np)
    faults = Faults(on_fault)
    on_record = ctypes.cast(lib.fxt_event_rows_add, c.RecordFunction)
    options = reader_options(faults, on_record, resync=resync, stream=stream,
                             ticks_per_second=ticks_per_second)
    options.context = ctypes.addressof(table.rows)
    options.stable_input = True
    with contextlib.closing(Input(source)) as opened:
        data = opened.read_all()
    chunk = chunk_of(data)
    handle = ctypes.c_void_p()
    c.check(lib.fxt_reader_create(byref(options), byref(handle)))
    try:
        code = c.OK
        for call in (lib.fxt_reader_read, lib.fxt_reader_finish):
            if code in (c.OK, c.NEED_MORE, c.END):
                code = c.STOPPED
            while code == c.STOPPED:
                code = call(handle, byref(chunk))
                table.take()
                faults.pass_on()
        columns = table.columns()
    finally:
        lib.fxt_reader_destroy(handle)
    faults.warn()
    if code not in (c.OK, c.SIZE_ZERO):
        raise c.error_of(code)
    return columns


def event_columns(source: Source, *, on_fault: Optional[Callable[[r.Fault], None]] = None,
                  resync: bool = False, stream: str = 'auto',
                  ticks_per_second: int = 0) -> dict[str, numpy.ndarray[Any, Any]]:
    """All events of a source, as arrays of equal length: time_ns and end_ns (of complete
    durations; else the time), process, thread, id, kind (EventKind), provider_id, category
    and name (str, or None for strings that were never registered). For arguments, use
    Reader. The whole input is in memory during the call.

    Faults are reported as by Reader; where the framing is lost, the columns have what was
    before."""
    import numpy as np  # pylint: disable=import-outside-toplevel

    numbers, texts = _read_columns(source, on_fault, resync, stream, ticks_per_second)
    for name, (of, codes) in texts.items():
        # The last one is that of number -1.
        numbers[name] = np.array([*of, None], dtype=object)[codes]
    return numbers


def event_frame(source: Source, *, on_fault: Optional[Callable[[r.Fault], None]] = None,
                resync: bool = False, stream: str = 'auto',
                ticks_per_second: int = 0) -> pandas.DataFrame:
    """The same as a data frame of pandas, where category and name are categories."""
    import pandas  # pylint: disable=import-outside-toplevel

    numbers, texts = _read_columns(source, on_fault, resync, stream, ticks_per_second)
    frame = pandas.DataFrame(numbers)
    for name, (of, codes) in texts.items():
        frame[name] = pandas.Categorical.from_codes(codes, of)
    return frame
