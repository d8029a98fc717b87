#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tables of processes in other PID namespaces, as in containers that share /dev/shm.

test_heap_namespaces.py BUILD_DIR [TEST...]
"""

import os
import shutil
import struct
import subprocess

from heap_table import HEADER, HEADER_SIZE
from heaps import Program, main, test
from patience import wait_for

CONTAINER = ['unshare', '--pid', '--fork', '--kill-child']
# Without this capability there is no lease on the file of another user: the error is not
# the one of a file that is mapped.
NO_LEASES = ['setpriv', '--bounding-set=-lease']
OTHER_USER = 65534


def lacks_namespaces():
    """Whether there can be none here, which is reported then."""
    for command in (CONTAINER, NO_LEASES):
        if shutil.which(command[0]) is None or os.geteuid() != 0 or \
                subprocess.run([*command, 'true'], check=False).returncode != 0:
            print('skipped: this takes root, and', command[0])
            return True
    return False


def clean(heap, *prefix):
    subprocess.run([*prefix, heap.fxtheap, 'list', '--clean', '--directory', heap.tables],
                   stdout=subprocess.DEVNULL, check=True)


def only_table(heap):
    (name,) = heap.left()
    return os.path.join(heap.tables, name)


def stated_namespace(path):
    """What follows the known part of the header."""
    with open(path, 'rb') as file:
        head = file.read(HEADER_SIZE + 8)
    assert struct.unpack_from(HEADER, head)[2] >= len(head)
    return struct.unpack_from('<Q', head, HEADER_SIZE)[0]


def namespace(process):
    return os.stat(f'/proc/{process}/ns/pid').st_ino


@test
def the_header_has_the_namespace(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        assert stated_namespace(only_table(heap)) == namespace(program.pid)


@test
def tables_of_a_live_container_remain(heap):
    if lacks_namespaces():
        return
    with Program([*CONTAINER, *heap.command(heap.program('heap_steps'), 'stacks')]) as program:
        program.wait_until_ready()
        path = only_table(heap)
        assert stated_namespace(path) not in (0, namespace('self'))
        clean(heap)
        clean(heap, *CONTAINER)
        os.chown(path, OTHER_USER, -1)
        clean(heap)
        clean(heap, *NO_LEASES)
        assert only_table(heap) == path, 'its process runs'
        program.kill()
    clean(heap, *NO_LEASES)
    assert only_table(heap) == path, 'its process may run'
    os.chown(path, 0, -1)

    def is_removed():
        clean(heap)
        return heap.left() == []
    wait_for(is_removed, 'the table of a container that has ended')


@test
def without_leases_proc_shows_which_processes_have_ended(heap):
    if lacks_namespaces():
        return
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        clean(heap, *NO_LEASES)
        path = only_table(heap)
        program.kill()
    os.chown(path, OTHER_USER, -1)
    # /proc is of the namespace outside.
    clean(heap, *CONTAINER, *NO_LEASES)
    assert only_table(heap) == path
    clean(heap, *NO_LEASES)
    assert heap.left() == []


@test
def unfinished_tables_remain_without_leases(heap):
    if lacks_namespaces():
        return
    path = os.path.join(heap.tables, '.fxtheap.4194304')
    with open(path, 'w'):
        pass
    os.chown(path, OTHER_USER, -1)
    clean(heap, *NO_LEASES)
    assert only_table(heap) == path
    os.chown(path, 0, -1)
    clean(heap, *NO_LEASES)
    assert heap.left() == []


if __name__ == '__main__':
    main()
