#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How long a kernel under qemu is stopped for a capture of all stacks: by fxtrecord --gdb,
by a gdb process that stays, and by one that is started for each capture.

gdb.py FXTRECORD [KERNEL.ELF]

The kernels are examples/kernel with two CPUs, unless another one is given, and Debian's
that tests/support/boot_linux.py finds, with four CPUs and a load, of which gdb has no
file. All is on one CPU of this machine, so that a part of the time is that qemu's thread
waits for it while the kernel still runs. The candidates take turns; the result is the
median of the rounds' medians. What fxtrecord prints is the time from the request to stop
to that to continue; of the process that is started, it is all of its time, as it stops the
kernel with its first packets and lets it go when it ends.

It fails where a kernel is stopped by fxtrecord for longer than a twentieth of what a gdb
that is started each time takes, or for longer than by a gdb that stays.
"""

import contextlib
import itertools
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
sys.path.append(os.path.join(TOP, 'tests', 'support'))
import boot_linux  # pylint: disable=wrong-import-position

ROUNDS = 5
CAPTURES = 100
# What the others take at least, as a multiple of fxtrecord's time.
WITH_GDB_LEAST, EACH_TIME_LEAST = 1, 20
BACKTRACE = 'thread apply all backtrace -frame-arguments presence -frame-info short-location'
BUILD = os.path.join(TOP, 'examples', 'kernel', 'build.sh')
LOAD = os.path.join(TOP, 'tests', 'fxtrecord', 'linux_load.c')


class Kernel:
    """A machine with a kernel of which there is a file."""

    def __init__(self, elf, socket):
        self.gdb = socket
        self.qemu = subprocess.Popen(
            ['qemu-system-x86_64', '-machine', 'pc', '-device',
             'isa-debug-exit,iobase=0x501,iosize=1', '-accel', 'tcg,thread=single', '-icount',
             'shift=3,sleep=off', '-m', '64M', '-smp', '2', '-nodefaults', '-display', 'none',
             '-no-reboot', '-kernel', elf, '-S', '-gdb', f'unix:{socket},server,nowait'])
        while not os.path.exists(socket):
            time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.qemu.kill()
        self.qemu.wait()


def record(fxtrecord, socket, *options):
    done = subprocess.run([fxtrecord, '--gdb', socket, '--samples', str(CAPTURES),
                           '--interval', '5ms', '-o', socket + '.out', *options],
                          stderr=subprocess.PIPE, text=True, check=False)
    match = re.search(r'([0-9.]+) ms at the median', done.stderr)
    if match is None:
        sys.exit(done.stderr)
    return float(match.group(1))


def run_gdb(socket, elf):
    times = []
    for _ in range(CAPTURES // 20):
        begun = time.monotonic()
        subprocess.run(['gdb', '-nx', '-batch', '-ex', 'set pagination 0',
                        *(('-ex', 'file ' + elf) if elf else ()), '-ex',
                        'target remote ' + socket, '-ex', BACKTRACE],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append(1000 * (time.monotonic() - begun))
        time.sleep(0.005)
    return statistics.median(times)


def measure(fxtrecord, name, boot, elf):
    """`boot` starts a machine, or has one that runs already. Returns whether fxtrecord is
    within the limits."""
    options = ('--elf', elf) if elf else ()
    candidates = {
        'fxtrecord --gdb': lambda socket: record(fxtrecord, socket),
        'the same --with-gdb': lambda socket: record(fxtrecord, socket, '--with-gdb', *options),
        'a gdb each time': lambda socket: run_gdb(socket, elf),
    }
    results = {name: [] for name in candidates}
    for _ in range(ROUNDS):
        for candidate, run in candidates.items():
            with boot() as machine:
                results[candidate].append(run(machine.gdb))
    best = statistics.median(results['fxtrecord --gdb'])
    print(f'{name}:')
    good = True
    for (candidate, times), least in zip(results.items(), (1, WITH_GDB_LEAST, EACH_TIME_LEAST)):
        median = statistics.median(times)
        good &= median >= least * best
        print(f'{candidate:20} {median:8.2f} ms stopped a capture ({min(times):.2f} to '
              f'{max(times):.2f}), {median / best:6.1f} times as long (limit {least})')
    return good


def measure_linux(fxtrecord, image, directory):
    init = os.path.join(directory, 'init')
    subprocess.run(['gcc', '-D_GNU_SOURCE', '-std=c11', '-O1', '-static', '-o', init, LOAD],
                   check=True)
    with boot_linux.Guest(image, init, [], directory) as guest:
        guest.wait_for(b'The load runs.')
        return measure(fxtrecord, f'Linux {image[0]}, four CPUs',
                       lambda: contextlib.nullcontext(guest), None)


def main():
    fxtrecord = os.path.abspath(sys.argv[1])
    for program in ('qemu-system-x86_64', 'gdb'):
        if shutil.which(program) is None:
            sys.exit(f'there is no {program}')
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as directory:
        elf = os.path.join(directory, 'kernel.elf')
        sockets = (os.path.join(directory, f'gdb{i}') for i in itertools.count())
        if len(sys.argv) > 2:
            elf = os.path.abspath(sys.argv[2])
        else:
            subprocess.run([BUILD, 'x86_64', elf], check=True, env=dict(os.environ, CC='gcc'))
        good = measure(fxtrecord, 'A kernel with two CPUs', lambda: Kernel(elf, next(sockets)), elf)
    for image in boot_linux.find_images():
        with tempfile.TemporaryDirectory() as directory:
            good &= measure_linux(fxtrecord, image, directory)
    sys.exit(not good)


if __name__ == '__main__':
    main()
