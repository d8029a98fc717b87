# SPDX-License-Identifier: BSD-2-Clause
"""Writes an archive of a hundred spans to standard output.

    write.py > trace.fxt
"""

import sys

import fxt

with fxt.Writer(sys.stdout.buffer) as writer:
    for now in range(100):
        writer.span('net', 'receive', 1000 * now, 1000 * now + 700, (1, 2),
                    {'bytes': 1500 + now, 'from': 'eth0'})
