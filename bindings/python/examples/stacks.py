# SPDX-License-Identifier: BSD-2-Clause
"""Prints the stacks that a sampler took, leaf first.

    stacks.py < cpu0.bin
"""

import sys

import fxt

for sample in fxt.Reader(sys.stdin.buffer).samples():
    print(f'thread {sample.thread.thread}:', *map(hex, sample.pcs))
