# SPDX-License-Identifier: BSD-2-Clause
"""Prints the events of a trace: when, how long, of which thread, what, and "bytes" if it has
an argument of that name.

    read.py trace.fxt
"""

import sys

import fxt

for event in fxt.Reader(sys.argv[1]).events():
    line = (f'{event.time_ns} ns, {event.end_ns - event.time_ns} ns long, '
            f'thread {event.thread.thread}: {event.category}:{event.name}')
    n_bytes = event.arg('bytes')
    print(line if n_bytes is None else f'{line}, {n_bytes!r} bytes')
