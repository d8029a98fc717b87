# SPDX-License-Identifier: BSD-2-Clause
"""How long a test waits for something that takes seconds, or less: what takes longer hangs.
A machine that is busy with thirty other things is thirty times as slow."""

import os
import time

SECONDS = 600

# Whether a fault is to be tried at a hundred moments, or at every size, and not at some:
# FXT_TEST_LONG=1 meson test -C build record_live record_full
IS_LONG = os.environ.get('FXT_TEST_LONG', '') == '1'


def wait_for(condition, what, every=0.01):
    """For what another process does when it gets to it."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, f'waited in vain: {what}'
        time.sleep(every)
