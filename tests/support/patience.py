# SPDX-License-Identifier: BSD-2-Clause
"""How long a test waits for something that takes seconds, or less: what takes longer hangs.
A machine that is busy with thirty other things is thirty times as slow."""

SECONDS = 600
