#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What it costs to compress an archive while it is recorded, and to read it compressed.

compressed.py FXTRECORD SAMPLE_LOAD FXTDUMP FXT2FOLDED [SECONDS]

The recorder samples a machine whose CPUs are all busy, at 1 kHz, and its own CPU time
counts. What it has recorded is repeated to some 200 MB and read, as it is and compressed:
beside the CPU time of each reader is that of the same without compression and of the
decompressor alone, which it should be the sum of; and how much of it could be saved, at
most, if another thread decompressed: all but the longer of both parts. CPU times count, the
least of several runs, as they depend less on what else the machine does.

No thread decompresses: of fxt2folded it could save 12 to 16 % where zstd has compressed the
file, and of fxtdump --stats 26 to 35 %, less what handing over would take (of gzip's files
23 to 32 % and 17 to 24 %); and `zstd -dc FILE |` before a command does the same in another
process.
"""

import os
import shutil
import subprocess
import sys
import tempfile

ROUNDS = 5
BYTES = 200 << 20
# Of a CPU, and of the sum of both parts.
MAX_COMPRESSING, MAX_READING = 0.01, 1.25


def cpu_seconds(command, to=None):
    with open(to or os.devnull, 'wb') as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f'{command}: status {process.returncode}')
    return used.ru_utime + used.ru_stime


def least(command):
    return min(cpu_seconds(command) for _ in range(ROUNDS))


def record(fxtrecord, load, seconds, directory):
    """Prints what compressing costs; returns the archive, and whether that is too much."""
    plain, packed = (os.path.join(directory, name) for name in ('x.fxt', 'x.fxt.zst'))
    loads = [subprocess.Popen([load, str(10**9)], stdout=subprocess.DEVNULL)
             for _ in range(os.cpu_count())]
    used = {plain: [], packed: []}
    try:
        for _ in range(ROUNDS):
            for archive, seen in used.items():
                seen.append(cpu_seconds([fxtrecord, '-q', '-a', '-F', '1000', '-d', str(seconds),
                                         '-o', archive]))
    finally:
        for process in loads:
            process.kill()
            process.wait()
    sizes = [os.path.getsize(archive) for archive in used]
    more = (min(used[packed]) - min(used[plain])) / seconds
    print(f'recording {os.cpu_count()} CPUs: {min(used[plain]) / seconds:.2%} of a CPU, '
          f'compressed {more:+.2%}, and {sizes[0] / sizes[1]:.1f} times as small')
    return plain, more > MAX_COMPRESSING


def read(name, reader, archive, compressed, decompressor):
    total, plain, alone = map(least, ([*reader, compressed], [*reader, archive],
                                      [*decompressor, compressed]))
    part = total - plain
    print(f'{name:40} {total:8.3f} s {plain:8.3f} s {alone:8.3f} s '
          f'{total / (plain + alone):6.2f} {1 - max(part, plain) / total:10.0%}')
    return total > MAX_READING * (plain + alone)


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
        print(f'{"":40} {"all":>10} {"plain":>10} {"alone":>10} {"ratio":>6} {"to save":>10}')
        for program in 'zstd', 'gzip':
            if shutil.which(program) is None:
                print(f'there is no {program}')
                continue
            compressed = archive + '.' + program
            cpu_seconds([program, '-c', archive], compressed)
            for name, reader in (('fxtdump --stats', [fxtdump, '--stats']),
                                 ('fxtdump', [fxtdump]),
                                 ('fxt2folded', [fxt2folded, '-q'])):
                is_bad |= read(f'{name}, of {program}', reader, archive, compressed,
                               [program, '-dc'])
    return is_bad


if __name__ == '__main__':
    sys.exit(main())
