#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is in the archives and regions of fxtrecord. See recorder.py."""

import json
import os
import re
import socket
import shutil
import subprocess
import time

from readelf import build_id
from recorder import (KERNEL, await_recording, build_c, check_mapped, interrupt, is_sample,
                      main, processes_of, recording_of, run, samples_of, wait_for)


def test_described(r, directory):
    """The archive says who, what and when, without anything else."""
    archive = os.path.join(directory, 'described.fxt')
    r.record('-q', '-o', archive, r.workload, '-n', '150')
    records = r.dump(archive)
    assert records[0].get('magic') == '0x16547846', records[0]
    said = recording_of(records)
    assert archive in said['command_line'] and r.workload in said['command_line'], said
    assert abs(said['start_unix_ns'] / 1e9 - time.time()) < 600, said
    assert said['method'] == r.method and said['period_ns'] > 0, said
    with open('/proc/sys/kernel/random/boot_id', encoding='ascii') as file:
        assert said['boot_id'] == file.read().strip(), said
    assert said['host'] == socket.gethostname(), said
    processes = processes_of(records)
    assert 'workload' in processes.values(), processes
    threads = [x for x in records if x.get('object_type') == 'thread']
    # One that no tick of the kernel's has met is not sampled by signals.
    assert 2 <= sum(x['name'] == 'worker' for x in threads) <= 4, threads
    for thread in threads:
        assert thread['args'][0]['name'] == 'process'
        assert thread['args'][0]['value'] in processes, thread
    cpus = [x['name'] for x in records if x.get('metadata') == 'provider_info']
    assert cpus[0] == 'fxtrecord' and all(re.fullmatch(r'cpu\d+', c) for c in cpus[1:]), cpus
    rates = [x['ticks_per_second'] for x in records if x['type'] == 'initialization']
    assert len(cpus) > 1 and rates == [10**9] * len(cpus), rates
    check_modules(r, records)
    check_mapped(records)


def check_modules(r, records):
    build_ids = {x['name']: x['build_id'] for x in records if x.get('profiler') == 'module'}
    assert build_ids[r.workload] == build_id(r.workload), build_ids
    assert any('libc.so' in name and build_id for name, build_id in build_ids.items())
    assert build_ids['[vdso]'], build_ids
    if r.method == 'perf' and os.geteuid() == 0:
        assert build_ids['[kernel.kallsyms]'], build_ids
        if os.path.exists('/proc/modules'):
            with open('/proc/modules') as file:
                loaded = {f'[{line.split()[0]}]' for line in file}
            assert loaded <= set(build_ids), (loaded, build_ids)


def test_deleted(r, directory):
    """A program that is deleted while it runs still has its build id."""
    archive, copy = os.path.join(directory, 'deleted.fxt'), os.path.join(directory, 'copy')
    shutil.copy(r.workload, copy)
    r.record('-q', '-o', archive, 'sh', '-c', f'{copy} -s 0.8 -j 1 & sleep 0.5; rm {copy}; wait')
    modules = {x['name']: x['build_id'] for x in r.dump(archive) if x.get('profiler') == 'module'}
    assert modules[copy] == build_id(r.workload), modules


def test_deleted_of_a_user(r, directory):
    """So has one recorded by a user other than root, to whom less is visible."""
    copy, archive = os.path.join(directory, 'copy'), os.path.join(directory, 'user.fxt')
    shutil.copy(r.workload, copy)
    os.chmod(directory, 0o777)
    user = {'user': 65534, 'group': 65534, 'extra_groups': ()}
    try:
        process = subprocess.Popen([copy, '-s', '30'], stdout=subprocess.DEVNULL, **user)
    except PermissionError as error:
        print('skipped: other users:', error)
        return
    try:
        wait_for(lambda: os.readlink(f'/proc/{process.pid}/exe') == copy, 'the program')
        os.unlink(copy)
        run(*r.command('-q', '-o', archive, '-d', '0.5', '-p', str(process.pid)), **user)
    except (AssertionError, PermissionError) as error:
        print('skipped: what another user records:', error)
        return
    finally:
        process.kill()
        process.wait()
    modules = {x['name']: x['build_id'] for x in r.dump(archive) if x.get('profiler') == 'module'}
    assert modules[copy] == build_id(r.workload), modules


SPIN = """
#include <time.h>
int main(void)
{
    while (clock() < CLOCKS_PER_SEC / 10)
        continue;
    return N;
}
"""


def check_both(r, archive, name, programs):
    build_ids = {x['build_id'] for x in r.dump(archive)
                 if x.get('profiler') == 'module' and x['name'] == name}
    assert build_ids == {build_id(p) for p in programs}, build_ids


def test_replaced(r, directory):
    """Two programs that had one name, one after the other, are distinguished, also where the
    whole system is recorded."""
    name = os.path.join(directory, 'replaced')
    programs = [build_c(directory, f'program{n}', SPIN, f'-DN={n}', '-Wl,--build-id')
                for n in range(2)]
    if None in programs:
        print('skipped: there is no compiler')
        return
    archive = os.path.join(directory, 'replaced.fxt')
    script = '; '.join(f'cp {p} {name}; {name}; rm {name}' for p in programs)
    r.record('-q', '-o', archive, 'sh', '-c', script)
    check_both(r, archive, name, programs)
    recorder = subprocess.Popen(r.command('-q', '-a', '-o', archive))
    await_recording(recorder)
    run('sh', '-c', script)
    interrupt(recorder)
    check_both(r, archive, name, programs)


def test_large(r, directory):
    """All samples that are counted are in the archive: regions are read in windows, and a
    record may end where one does."""
    archive = os.path.join(directory, 'large.fxt')
    for method in range(3):
        done = r.record('-F', '9001', '--user', '-o', archive, r.workload, '-j', '1', '-n', '600')
        n = int(re.search(r'(\d+) samples in ', done.stderr).group(1))
        assert 'damaged' not in done.stderr, done.stderr
        samples = samples_of(r.dump(archive))
        assert len(samples) == n, (len(samples), n)
        times = [x['time_ns'] for x in samples]
        total = json.loads(done.stdout)['total']
        assert max(times) - min(times) > 0.9 * total, (times[0], times[-1], total, method)


def test_full(r, directory):
    """What a full region refuses is counted, said, and in the archive."""
    archive = os.path.join(directory, 'full.fxt')
    done = r.record('-o', archive, '--buffer-size', '4K', '-F', '2000', r.workload, '-n', '150')
    said = re.search(r'(\d+) samples in .*; (\d+) dropped', done.stderr)
    assert int(said.group(2)) > 0 and '--buffer-size' in done.stderr, done.stderr
    records = r.dump(archive)
    assert sum(map(is_sample, records)) == int(said.group(1))
    drops = [x for x in records if x.get('name') == 'drop_stats']
    assert sum(x['args'][0]['value'] for x in drops) == int(said.group(2)), drops
    assert any(x.get('event') == 'buffer_full' for x in records)


def test_regions(r, directory):
    regions = os.path.join(directory, 'regions')
    r.record('-q', '--buffer-size', '1M', '--regions', regions, r.workload, '-n', '150')
    names = os.path.join(regions, 'names.fxt')
    files = [os.path.join(regions, f) for f in sorted(os.listdir(regions)) if f != 'names.fxt']
    assert files and all(re.fullmatch(r'cpu\d+\.bin', os.path.basename(f)) for f in files)
    assert all(os.path.getsize(f) % 4096 == 0 for f in files)
    n = 0
    for file in files:
        records = r.dump(file)
        n += len(records)
        assert all(map(is_sample, records))
        end = sum(x['size'] for x in records)
        with open(file, 'rb') as data:
            data.seek(end)
            assert not any(data.read()), 'no zero header ends the region'
    assert not any(map(is_sample, r.dump(names)))
    stacks = r.folded(names, *files)
    assert sum(count for _, count in stacks) == n > 0
    assert any('hash_blocks' in stack for stack, _ in stacks)
    period = recording_of(r.dump(names))['period_ns']
    times = r.folded('--value', 'time', names, *files)
    assert sum(ns for _, ns in times) == n * period


def test_selection(r, directory):
    archive = os.path.join(directory, 'some.fxt')
    r.record('-q', '-o', archive, '--kernel', '--backtraces', r.workload, '-n', '150')
    records = r.dump(archive)
    pcs = [int(pc, 16) for x in samples_of(records) for pc in x['pcs']]
    assert pcs and all(pc >= KERNEL for pc in pcs)
    assert any(x.get('profiler') == 'backtrace' for x in records)
    r.record('-q', '-o', archive, '--user', '--period', '500us', r.workload, '-n', '150')
    records = r.dump(archive)
    # Code without frame pointers may have anything in the place of a caller.
    leaves = [int(x['pcs'][0], 16) for x in samples_of(records)]
    assert leaves and all(pc < KERNEL for pc in leaves)
    assert recording_of(records)['asked_period_ns'] == 500000


if __name__ == '__main__':
    main(both=(test_described, test_deleted, test_large, test_full, test_regions),
         perf=(test_selection, test_deleted_of_a_user, test_replaced))
