#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Archives have the names that readers elsewhere lack. See recorder.py."""

import os
import re
import signal

from live import children_of, kill_all, start
from recorder import KERNEL, main, recording_of, samples_of, wait_for

SYSCALLS = ('dd', 'if=/dev/zero', 'of=/dev/null', 'bs=64k')
OTHER_BOOT = b'01234567-89ab-cdef-0123-456789abcdef'


def knows_kernel():
    with open('/proc/kallsyms', encoding='ascii') as file:
        return any(int(line.split()[0], 16) != 0 for line in file)


def change_boot(r, archive):
    """The archive as it would be from another boot."""
    with open(archive, 'rb') as file:
        data = file.read()
    boot = recording_of(r.dump(archive))['boot_id'].encode()
    assert data.count(boot) == 1, data.count(boot)
    other = archive + '.other.fxt'
    with open(other, 'wb') as file:
        file.write(data.replace(boot, OTHER_BOOT))
    return other


def is_of_kernel(sample):
    return int(sample['pcs'][0], 16) >= KERNEL


def unnamed(stacks):
    return {x for frames, _ in stacks for x in frames if re.search(r'^\[.*\]\+0x|^0xffff', x)}


def check_kernel_names(r, archive):
    """All functions of the kernel have the names that the running kernel has, in whatever
    boot the archive is read."""
    stacks = r.folded(archive)
    assert stacks == r.folded('--kallsyms', '/proc/kallsyms', archive), 'other names'
    assert not unnamed(stacks), unnamed(stacks)
    assert r.folded(change_boot(r, archive)) == stacks


def test_kernel(r, directory):
    archive = os.path.join(directory, 'kernel.fxt')
    if not knows_kernel():
        print('skipped: addresses of the kernel are hidden')
        return
    r.record('-q', '-F', '5000', '-o', archive, *SYSCALLS, 'count=100000')
    records = r.dump(archive)
    assert sum(map(is_of_kernel, samples_of(records))) > 50, len(records)
    check_kernel_names(r, archive)
    names = [x for x in records if x.get('name') == 'functions' and x['process'] == 0]
    entries = sum(a['value'] for x in names for a in x['args'] if a['name'] == 'entries')
    assert 0 < entries < 2000, entries


def test_kernel_of_a_killed_recorder(r, directory):
    """Names are written together with the samples that need them."""
    archive = os.path.join(directory, 'killed.fxt')
    if not knows_kernel():
        return
    recorder = start(r, '-F', '5000', '-o', archive, *SYSCALLS)
    wait_for(lambda: os.path.exists(archive) and os.path.getsize(archive) > 200000, 'samples')
    left = children_of(recorder)
    recorder.send_signal(signal.SIGKILL)
    recorder.wait()
    kill_all(left)
    stacks = r.folded(archive)
    assert sum(n for _, n in stacks) > 100
    assert not unnamed(stacks), unnamed(stacks)


if __name__ == '__main__':
    main(perf=(test_kernel, test_kernel_of_a_killed_recorder))
