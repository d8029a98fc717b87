#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How long a kernel of two CPUs under qemu is stopped for a capture of all stacks: by
fxtrecord --gdb, by a gdb process that stays, and by one that is started for each capture.

gdb.py FXTRECORD [KERNEL.ELF]

The kernel is examples/kernel unless another one is given. The candidates take turns, each
with a separate machine; the result is the median of the rounds' means. What fxtrecord
prints is the time from the request to stop to that to continue; of the process that is
started, it is all of its time, as it stops the kernel with its first packets and lets it
go when it ends.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
CAPTURES = 20
BACKTRACE = 'thread apply all backtrace -frame-arguments presence -frame-info short-location'
BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'examples', 'kernel',
                     'build.sh')


def start(elf, socket):
    qemu = subprocess.Popen(
        ['qemu-system-x86_64', '-machine', 'pc', '-device',
         'isa-debug-exit,iobase=0x501,iosize=1', '-accel', 'tcg,thread=single', '-icount',
         'shift=3,sleep=off', '-m', '64M', '-smp', '2', '-nodefaults', '-display', 'none',
         '-no-reboot', '-kernel', elf, '-S', '-gdb', f'unix:{socket},server,nowait'])
    while not os.path.exists(socket):
        time.sleep(0.01)
    return qemu


def record(fxtrecord, elf, socket, *options):
    done = subprocess.run([fxtrecord, '--gdb', socket, '--samples', str(CAPTURES),
                           '--interval', '5ms', '-o', socket + '.out', *options],
                          stderr=subprocess.PIPE, text=True, check=False)
    match = re.search(r'captures?, ([0-9.]+) ms stopped', done.stderr)
    if match is None:
        sys.exit(done.stderr)
    return float(match.group(1))


def run_gdb(elf, socket):
    times = []
    for _ in range(CAPTURES // 4):
        begun = time.monotonic()
        subprocess.run(['gdb', '-nx', '-batch', '-ex', 'set pagination 0', '-ex', 'file ' + elf,
                        '-ex', 'target remote ' + socket, '-ex', BACKTRACE],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append(1000 * (time.monotonic() - begun))
        time.sleep(0.005)
    return statistics.mean(times)


def main():
    fxtrecord = os.path.abspath(sys.argv[1])
    for program in ('qemu-system-x86_64', 'gdb'):
        if shutil.which(program) is None:
            sys.exit(f'there is no {program}')
    candidates = {
        'fxtrecord --gdb': lambda elf, socket: record(fxtrecord, elf, socket),
        'the same --with-gdb': lambda elf, socket: record(fxtrecord, elf, socket, '--with-gdb',
                                                          '--elf', elf),
        'a gdb each time': run_gdb,
    }
    results = {name: [] for name in candidates}
    with tempfile.TemporaryDirectory() as directory:
        elf = os.path.join(directory, 'kernel.elf')
        if len(sys.argv) > 2:
            elf = os.path.abspath(sys.argv[2])
        else:
            subprocess.run([BUILD, 'x86_64', elf], check=True, env=dict(os.environ, CC='gcc'))
        for i in range(ROUNDS):
            for j, (name, measure) in enumerate(candidates.items()):
                socket = os.path.join(directory, f'{i}.{j}')
                qemu = start(elf, socket)
                try:
                    results[name].append(measure(elf, socket))
                finally:
                    qemu.kill()
                    qemu.wait()
    best = statistics.median(results['fxtrecord --gdb'])
    for name, means in results.items():
        median = statistics.median(means)
        print(f'{name:20} {median:8.2f} ms stopped a capture ({min(means):.2f} to '
              f'{max(means):.2f}), {median / best:6.1f} times as long')


if __name__ == '__main__':
    main()
