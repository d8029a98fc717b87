#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What it costs to compress an archive while it is recorded, and to read it compressed.

compressed.py FXTRECORD SAMPLE_LOAD FXTDUMP FXT2FOLDED [SECONDS]

The recorder samples a machine whose CPUs are all busy, at 1 kHz. Two of its runs differ by
more than compressing costs, so that the cost is taken from samples of the recorder itself,
by perf: how many are in libzstd.

What it has recorded is repeated to some 200 MB and read, as it is and compressed. Another
thread decompresses, so that with a processor to spare this takes what the longer of both
parts takes: reading as it is, and the decompressor alone. The CPU time is that of both. Of
times, the least of several runs counts.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
BYTES = 200 << 20
# Of a CPU; of the time of the longer part, and of the CPU time of both.
MAX_COMPRESSING, MAX_TIME, MAX_CPU = 0.01, 1.25, 1.25
PERF_HZ = 10000


def measure(command, to=None):
    """Seconds, and CPU seconds."""
    begin = time.monotonic()
    with open(to or os.devnull, 'wb') as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f'{command}: status {process.returncode}')
    return time.monotonic() - begin, used.ru_utime + used.ru_stime


def compressing(record, seconds, data):
    """The part of a CPU that is spent in libzstd, and the recorder's all."""
    subprocess.run(['perf', 'record', '-q', '-e', 'cpu-clock', '-F', str(PERF_HZ), '-o', data,
                    *record], check=True, stderr=subprocess.DEVNULL)
    modules = subprocess.run(['perf', 'script', '-i', data, '-F', 'ip,dso'], check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True).stdout.splitlines()
    n = sum('libzstd' in line for line in modules)
    return n / PERF_HZ / seconds, len(modules) / PERF_HZ / seconds


def record(fxtrecord, load, seconds, directory):
    """Prints what compressing costs; returns the archive, and whether that is too much."""
    plain, packed = (os.path.join(directory, name) for name in ('x.fxt', 'x.fxt.zst'))
    command = [fxtrecord, '-q', '-a', '-F', '1000', '-d', str(seconds), '-o']
    has_perf = shutil.which('perf') is not None
    loads = [subprocess.Popen([load, str(10**9)], stdout=subprocess.DEVNULL)
             for _ in range(os.cpu_count())]
    try:
        measure([*command, plain])
        measure([*command, packed])
        costs = [compressing([*command, packed], seconds, os.path.join(directory, 'perf'))
                 for _ in range(ROUNDS if has_perf else 0)]
    finally:
        for process in loads:
            process.kill()
            process.wait()
    size = os.path.getsize(plain) / os.path.getsize(packed)
    print(f'recording {os.cpu_count()} CPUs, compressed: {size:.1f} times as small')
    if not has_perf:
        print('perf is not installed: what compressing costs is left out')
        return plain, False
    cost, total = min(costs)
    print(f'in libzstd {cost:.2%} of a CPU (limit {MAX_COMPRESSING:.0%}), of {total:.2%}')
    return plain, cost > MAX_COMPRESSING


def read(name, reader, archive, compressed, decompressor):
    """Returns whether it takes too long, or too much."""
    runs = [[measure(command) for _ in range(ROUNDS)]
            for command in ([*reader, compressed], [*reader, archive],
                            [*decompressor, compressed])]
    (time_all, cpu_all), (time_plain, cpu_plain), (time_alone, cpu_alone) = (
        [min(column) for column in zip(*rounds)] for rounds in runs)
    ratio = time_all / max(time_plain, time_alone)
    cpu_ratio = cpu_all / (cpu_plain + cpu_alone)
    is_bad = ratio > MAX_TIME or cpu_ratio > MAX_CPU
    print(f'{name:26} {time_all:8.3f} s {time_plain:8.3f} s {time_alone:8.3f} s {ratio:6.2f} '
          f'{cpu_ratio:6.2f} {"OVER" if is_bad else ""}', flush=True)
    return is_bad


def main():
    fxtrecord, load, fxtdump, fxt2folded = sys.argv[1:5]
    seconds = int(sys.argv[5]) if len(sys.argv) > 5 else 10
    with tempfile.TemporaryDirectory() as directory:
        short, is_bad = record(fxtrecord, load, seconds, directory)
        archive = os.path.join(directory, 'long.fxt')
        with open(short, 'rb') as file:
            data = file.read()
        with open(archive, 'wb') as file:
            for _ in range(BYTES // len(data) + 1):
                file.write(data)
        print(f'{"":26} {"all":>10} {"plain":>10} {"alone":>10} {"ratio":>6} {"of CPU":>6}')
        for program in 'zstd', 'gzip':
            if shutil.which(program) is None:
                print(f'there is no {program}')
                continue
            compressed = archive + '.' + program
            measure([program, '-c', archive], compressed)
            for name, reader in (('fxtdump --stats', [fxtdump, '--stats']),
                                 ('fxtdump', [fxtdump]),
                                 ('fxt2folded', [fxt2folded, '-q'])):
                is_bad |= read(f'{name}, of {program}', reader, archive, compressed,
                               [program, '-dc'])
    return is_bad


if __name__ == '__main__':
    sys.exit(main())
