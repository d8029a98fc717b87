# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of archives share that are written while something is recorded."""

import os
import signal
import subprocess


def start(r, *arguments, **options):
    """Starts a recorder; the file of an earlier one is removed."""
    if '-o' in arguments and os.path.exists(arguments[arguments.index('-o') + 1]):
        os.unlink(arguments[arguments.index('-o') + 1])
    return subprocess.Popen(r.command('-q', *arguments), stdout=subprocess.DEVNULL, text=True,
                            stderr=subprocess.PIPE, **options)


def children_of(process):
    path = f'/proc/{process.pid}/task/{process.pid}/children'
    with open(path, encoding='ascii') as file:
        return [int(word) for word in file.read().split()]


def kill_all(processes):
    """Kills processes that have lost their parent, by their ids."""
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def check_order(records):
    """Each sample comes after the names of its process and thread, and after the mapping
    that its first PC is in; returns how many samples there are."""
    threads, processes, mappings = set(), set(), {}
    n, n_mapped = 0, 0
    for x in records:
        if x.get('object_type') == 'process':
            processes.add(x['koid'])
        elif x.get('object_type') == 'thread':
            threads.add(x['koid'])
        elif x.get('profiler') == 'mapping':
            mappings.setdefault(x['process'], []).append(
                range(int(x['start'], 16), int(x['start'], 16) + x['length']))
        elif 'pcs' in x:
            assert x['process'] in processes and x['thread'] in threads, x
            pc = int(x['pcs'][0], 16)
            n += 1
            # Time that could not be sampled is at no PC.
            n_mapped += pc == 0 or any(pc in mapped for mapped in mappings.get(x['process'], ()))
    # By perf events, a child is sampled before its first exec.
    assert n_mapped >= 0.95 * n - 2, (n, n_mapped)
    return n
