# SPDX-License-Identifier: BSD-2-Clause
"""What stands for the reader's own program, service, traces and kernel while the commands
of the documentation are tried."""

import functools
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import fxtwrite
from profile_cases import symbols, write

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../fxtrecord'))
import gdb_stub  # pylint: disable=wrong-import-position

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'include')

# It computes, waits, has a heap that grows, and could trace itself; after half a second it frees
# all and ends, but in the background goes on until it is killed. It creates the file `ready`
# when it is under way and, each time that this was removed, when its heap has grown since.
PROGRAM = r'''
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define FXT_TRACE_IMPLEMENTATION
#include <fxt/trace.h>

enum { N_ROUNDS = 100, ROUND_US = 3000, BLOCK = 20000 };

static volatile unsigned long sum;

__attribute__((noinline)) static void work_hard(void)
{
    clock_t end = clock() + ROUND_US * (CLOCKS_PER_SEC / 1000000);

    while (clock() < end) {
        for (unsigned i = 0; i < 10000; i++)
            sum = sum * 31 + i;
    }
}

int main(void)
{
    static char *blocks[N_ROUNDS];
    int stays = getenv("STAND_IN_STAYS") != NULL;

    alarm(600);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    for (unsigned i = 0; i < N_ROUNDS || stays; i++) {
        int is_awaited = stays && i >= 20 && access("ready", F_OK) != 0;

        FXT_SCOPE("http", "request", "round", i);
        work_hard();
        free(blocks[i % N_ROUNDS]);
        blocks[i % N_ROUNDS] = malloc(BLOCK + i);
        memset(blocks[i % N_ROUNDS], 1, BLOCK);
        usleep(2000);
        if (is_awaited)
            fclose(fopen("ready", "w"));
    }
    for (unsigned i = 0; i < N_ROUNDS; i++)
        free(blocks[i]);
    return 0;
}
'''

SCRIPT = '''
const end = Date.now() + 500;
let sum = 0;
while (Date.now() < end) {
    for (let i = 0; i < 1e5; i++)
        sum += Math.sqrt(i);
}
'''

# The tables of the heaps that are recorded here, apart from any others on this machine.
FXTHEAP = '''#!/bin/sh
case $1 in
run | attach | list | snapshot)
    command=$1
    shift
    exec {fxtheap} "$command" --directory {tables} "$@"
    ;;
esac
exec {fxtheap} "$@"
'''

# The client of ClickHouse, which is given a schema.
CLICKHOUSE_CLIENT = '''#!/bin/sh
[ "$*" = --multiquery ] && grep 'CREATE TABLE'
'''

STACK = ('timer_tick', 'idle_loop')


@functools.cache
def compiled_program():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'program')
        subprocess.run(['cc', '-g', '-O1', '-I', INCLUDE, '-x', 'c', '-', '-o', path],
                       input=PROGRAM, text=True, check=True)
        with open(path, 'rb') as file:
            return file.read()


def make_programs(directory):
    """A program by the names that examples have for theirs, in a directory; and what node runs."""
    for name in 'program', 'service', 'server', 'client', 'test':
        path = os.path.join(directory, name)
        with open(path, 'wb') as file:
            file.write(compiled_program())
        os.chmod(path, 0o755)
    with open(os.path.join(directory, 'server.js'), 'w', encoding='ascii') as file:
        file.write(SCRIPT)


def make_commands(directory, fxtheap, tables):
    for name, text in (('fxtheap', FXTHEAP.format(fxtheap=fxtheap, tables=tables)),
                       ('clickhouse-client', CLICKHOUSE_CLIENT)):
        path = os.path.join(directory, name)
        with open(path, 'w', encoding='ascii') as file:
            file.write(text)
        os.chmod(path, 0o755)


def events():
    """A trace of a program with durations, context switches and wakeups, of three seconds."""
    trace = fxtwrite.Trace()
    trace.magic()
    trace.init(1000)
    trace.process(1045, b'server')
    for i in range(40):
        trace.complete(500 + 50 * i, 540 + 50 * i, 1045, 2077, b'step %d' % (i % 3),
                       category=b'net')
    for i in range(5):
        trace.add(fxtwrite.context_switch(3000 + 4 * i, 0, 3, 2077 + i % 2, 2078 - i % 2))
        trace.add(fxtwrite.thread_wakeup(3002 + 4 * i, 0, 2077 + i % 2,
                                         [fxtwrite.arg(8, b'waker', 2078 - i % 2)]))
    return trace


def make_kernel():
    """A kernel's file, and the regions of its two CPUs."""
    elf = os.environ['ELF_KERNEL']
    at = symbols(elf)
    for name in 'vmlinux.elf', 'kernel.elf':
        shutil.copy(elf, name)
    for cpu in 0, 1:
        trace = fxtwrite.Trace()
        for i in range(20):
            trace.backtrace(1000 * i, 1, 2 + cpu, at[STACK[0]] + 1, at[STACK[1]] + 5)
        write(f'cpu{cpu}.bin', trace)


def start_emulator():
    """The debug stub of an emulator whose two CPUs are in that kernel; its address."""
    at = symbols(os.environ['ELF_KERNEL'])
    memory, threads = {}, {}
    for cpu in 0, 1:
        frame = 0xffff800000010f00 + 0x100000 * cpu
        gdb_stub.put_words(memory, frame, 0, at[STACK[1]] + 5)
        gdb_stub.put_zeros(memory, frame & ~4095, (frame & ~4095) + 4096)
        threads[f'0{cpu + 1}'] = {'rip': at[STACK[0]] + 1, 'rbp': frame, 'rsp': frame - 0x40,
                                  'name': f'CPU#{cpu} [running]'}
    return gdb_stub.Stub(threads=threads, memory=memory, tcp=True).address


def make_example(folder):
    """What is in the folder of an example that a script builds; the script runs there."""
    script = os.path.join(folder, 'build.sh')
    if os.path.exists(script):
        with open('build.sh', 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\nexec "{script}" "$@"\n')
        os.chmod('build.sh', 0o755)
        for path in glob.glob(f'{folder}/*.gdb') + glob.glob(f'{folder}/*.py'):
            os.symlink(path, os.path.basename(path))


def make_files():
    write('events.fxt', events())
    with open('known.txt', 'w', encoding='ascii') as file:
        file.write('leak:known_leak\n')
    if 'ELF_KERNEL' in os.environ:
        make_kernel()
