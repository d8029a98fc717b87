#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Long recordings take no more memory than short ones. See recorder.py."""

import os
import re
import time

import patience
from live import check_order, children_of, kill_all, start
from recorder import build_c, main, wait_for


DEEP = """
#include <time.h>
static volatile int sink;
__attribute__((noinline)) int dive(int depth)
{
    int below = depth > 0 ? dive(depth - 1) : 0;
    if (depth == 0)
        for (volatile int i = 0; i < 10000000; i++)
            sink++;
    return below + sink;
}
int main(void)
{
    for (;;)
        dive(400);
}
"""


def allocated_kb(process):
    """The memory that a process has allocated and touched; rings, which are mapped and of
    a fixed size, are not in it."""
    with open(f'/proc/{process.pid}/status', encoding='ascii') as file:
        return int(re.search(r'RssAnon:\s+(\d+)', file.read()).group(1))


def test_memory(r, directory):
    """A recording of ten times the size takes no more memory."""
    program = build_c(directory, 'deep', DEEP, '-O1', '-fno-optimize-sibling-calls')
    if program is None:
        print('skipped: there is no compiler')
        return
    archive = os.path.join(directory, 'long.fxt')
    # glibc returns what is freed to the system only below a threshold that else grows.
    os.environ['MALLOC_MMAP_THRESHOLD_'] = str(1 << 17)
    recorder = start(r, '-F', '10000', '--user', '-o', archive, program)
    wait_for(lambda: os.path.exists(archive), 'the archive')
    # On a busy machine, samples wait in memory until they are unwound: so the least of
    # some measurements counts, and what was needed once may be kept.
    size, early, late = 0, [], []
    end = time.monotonic() + 25
    while size < 1e8 and time.monotonic() < end:
        time.sleep(0.05)
        assert recorder.poll() is None, recorder.communicate()
        size = os.path.getsize(archive)
        if 2e6 < size < 1e7:
            early.append(allocated_kb(recorder))
        elif size > 5e7:
            late.append(allocated_kb(recorder))
    kill_all(children_of(recorder))
    recorder.communicate(timeout=patience.SECONDS)
    print(f'# bytes of records: {size}; KB of memory: {early}, then {late}')
    assert size > 5e7 and early and late, size
    # A sanitizer keeps what is freed.
    grown = (min(late) - min(early)) * 1024
    assert r.sanitizers != 'none' or grown < size / 4, (early, late)
    os.unlink(archive)


FORKS = """
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void spin(long us)
{
    clock_t end = clock() + us;
    while (clock() < end)
        continue;
}
int main(void)
{
    for (;;) {
        if (fork() == 0) {
            spin(3000);
            _exit(0);
        }
        wait(NULL);
    }
}
"""


def test_ended_processes(r, directory):
    """Processes that have ended are forgotten, after some seconds; all have names."""
    program = build_c(directory, 'forks', FORKS, '-O1')
    if program is None:
        print('skipped: there is no compiler')
        return
    archive = os.path.join(directory, 'forks.fxt')
    recorder = start(r, '-o', archive, '-F', '5000', '-d', '12', program)
    wait_for(lambda: children_of(recorder), 'the command')
    left = children_of(recorder)
    time.sleep(13)
    kill_all(left)
    said = recorder.communicate(timeout=patience.SECONDS)[1]
    assert not said, said
    records = r.dump(archive)
    assert check_order(records) > 0
    names = {x['name'] for x in records if x.get('object_type') == 'process'}
    assert names <= {'forks', 'fxtrecord', ''}, names


if __name__ == '__main__':
    main(perf=(test_memory, test_ended_processes))
