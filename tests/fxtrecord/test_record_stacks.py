#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stacks by unwind tables: whole ones of programs without frame pointers, and what the
archive has of those that are not. See recorder.py."""

import os
import platform
import shutil
import subprocess

from recorder import (await_cpu_time, await_events, build_c, interrupt, main, run,
                      samples_of, threads_of)

SPIN = '''
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define APART __attribute__((noinline, noclone, noipa))

static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

APART void spin(int milliseconds)
{
    long long end = now() + milliseconds * 1000000LL;

    while (now() < end)
        for (volatile int i = 0; i < 20000; i++)
            ;
}
'''

# The C library calls back: its own frames are between ours. Without frame pointers, rbp
# has something else.
CALLBACK = SPIN + '''
APART static int compare(const void *a, const void *b)
{
    spin(4);
    return *(const int *)a - *(const int *)b;
}

APART static int work(int *numbers, int n)
{
    qsort(numbers, n, sizeof(*numbers), compare);
    return numbers[0];
}

int main(void)
{
    int numbers[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4};

    for (int i = 0; i < 3; i++) {
        numbers[0] += work(numbers, 20);
        numbers[7] = 5 - i;
    }
    return 0;
}
'''

CPLUSPLUS = SPIN + '''
#include <stdexcept>
#include <string>
#include <thread>

static volatile int sink;

APART int deep(int n, int i)
{
    char local[48];

    memset(local, i, sizeof(local));
    if (n == 0 && i % 8 == 0)
        spin(1);
    if (n == 0)
        throw std::runtime_error(std::to_string(i));
    return deep(n - 1, i) + local[i % 48];
}

APART void throw_and_catch()
{
    for (int i = 0; i < 2400; i++) {
        try {
            sink += deep(12, i);
        } catch (const std::exception &e) {
            sink += e.what()[0];
        }
    }
}

int main()
{
    std::thread thread(throw_and_catch);

    throw_and_catch();
    thread.join();
}
'''

# `main DEPTH SIZE`: frames of some size, the innermost of which spins.
DEEP = SPIN + '''
static volatile char sink;

APART int nest(int depth, int size)
{
    char *local = __builtin_alloca(size);
    int result = 1;

    local[0] = local[size - 1] = (char)depth;
    if (depth > 0)
        result += nest(depth - 1, size);
    else
        spin(300);
    sink = local[size - 1];
    return result;
}

int main(int argc, char **argv)
{
    return argc > 2 ? nest(atoi(argv[1]), atoi(argv[2])) == 0 : 1;
}
'''

# A large array of which only the far end is in memory.
HOLE = SPIN + '''
static volatile char sink;

APART void inner(void)
{
    spin(300);
    sink++;
}

APART void with_hole(int at)
{
    volatile char array[20000];

    array[at] = 1;
    inner();
    sink = array[at];
}

int main(void)
{
    with_hole(19999);
    return 0;
}
'''

LOADS = SPIN + '''
#include <dlfcn.h>

int main(int argc, char **argv)
{
    for (int i = 0; argc > 1 && i < 100; i++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        void (*work)(void (*)(int));

        if (library == NULL)
            return 1;
        *(void **)&work = dlsym(library, "call_back");
        work(spin);
        dlclose(library);
    }
    return 0;
}
'''

LIBRARY = '''
__attribute__((visibility("default"))) int call_back(void (*function)(int))
{
    volatile int n = 5;

    function(n - 1);
    return n;
}
'''


def build(directory, name, source, *options, compiler='cc', language='c'):
    path = os.path.join(directory, name)
    run(compiler, '-x', language, '-', '-o', path, '-O2', '-fomit-frame-pointer',
        '-fno-optimize-sibling-calls', '-pthread', *options, input=source)
    return path


def ends_of(records):
    """How many stacks ended for which reason, as the archive says, which is what its
    samples say."""
    ends = next({a['name']: a['value'] for a in x['args']} for x in records
                if x.get('name') == 'stack_ends')
    assert sum(ends.values()) == len(samples_of(records)), ends
    return ends


def record(r, directory, *command):
    """Records; returns the archive, its records, and what fxtrecord has printed."""
    archive = os.path.join(directory, 'stacks.fxt')
    printed = r.record('-o', archive, *command).stderr
    return archive, r.dump(archive), printed


def check_whole(records, least=0.99):
    ends = ends_of(records)
    n = sum(ends.values()) - ends.get('no_stack', 0)
    assert n >= 50 and ends.get('whole', 0) >= least * n, ends


def check_line(printed, records):
    ends = ends_of(records)
    n = sum(ends.values()) - ends.get('no_stack', 0)
    whole = 100 * ends.get('whole', 0) / n
    assert f'fxtrecord: {whole:.1f} % of stacks whole' in printed, (printed, ends)


def share(stacks, *functions):
    """The share of samples whose stacks have these functions, in this order."""
    def has(frames):
        rest = iter(frames)
        return all(function in rest for function in functions)
    total = sum(n for _, n in stacks)
    return sum(n for frames, n in stacks if has(frames)) / total


def test_callback(r, directory):
    """A callback below a function of the C library; by frame pointers its callers are not
    found, so that this test is one."""
    program = build(directory, 'callback', CALLBACK)
    archive, records, printed = record(r, directory, program)
    check_whole(records)
    check_line(printed, records)
    chain = '_start', 'main', 'work', 'compare', 'spin'
    assert share(r.folded(archive), *chain) >= 0.95
    archive, _, _ = record(r, directory, '--call-graph', 'fp', program)
    assert share(r.folded(archive), *chain) < 0.5


def test_exceptions(r, directory):
    if shutil.which('c++') is None:
        print('skipped: there is no C++ compiler')
        return
    program = build(directory, 'exceptions', CPLUSPLUS, compiler='c++', language='c++')
    archive, records, _ = record(r, directory, program)
    check_whole(records, 0.98)
    stacks = [([f.split('(')[0] for f in frames], n) for frames, n in r.folded(archive)]
    assert share(stacks, 'throw_and_catch', 'deep', 'deep', 'spin') >= 0.3


def test_programs(r, directory):
    """Programs of the system, as their packages have them."""
    data = os.path.join(directory, 'data')
    with open(data, 'wb') as file:
        file.write(os.urandom(300000) * 10)
    for command in (['python3', '-c', 'import json\nfor i in range(400): '
                                      'json.loads(json.dumps([{"a": [i]}] * 200, indent=1))'],
                    ['xz', '-k', '-f', '-1', data]):
        program = shutil.which(command[0])
        if program is None:
            print('skipped: there is no', command[0])
            continue
        _, records, _ = record(r, directory, program, *command[1:])
        check_whole(records)


def test_copy_too_short(r, directory):
    """The leaf part is kept, and the line says what helps."""
    program = build(directory, 'deep', DEEP)
    archive, records, printed = record(r, directory, '--stack-size', '2K', program, '20',
                                       '1000')
    ends = ends_of(records)
    assert ends.get('copy_too_short', 0) >= 0.9 * sum(ends.values()), ends
    assert 'larger than what is copied of a stack (--stack-size)' in printed, printed
    assert share(r.folded(archive), 'nest', 'spin') >= 0.9
    assert share(r.folded(archive), 'main') < 0.1
    _, records, _ = record(r, directory, program, '20', '1000')
    check_whole(records)


def test_depth(r, directory):
    program = build(directory, 'deep', DEEP)
    _, records, printed = record(r, directory, '--stack-size', '65528', program, '1200', '8')
    ends = ends_of(records)
    assert ends.get('depth_limit', 0) >= 0.9 * sum(ends.values()), ends
    assert max(len(x['pcs']) for x in samples_of(records)) == 1024
    assert 'more frames than a sample can have' in printed, printed


def test_hole(r, directory):
    """The kernel copies a stack up to the first page that is not in memory."""
    program = build(directory, 'hole', HOLE)
    archive, records, _ = record(r, directory, program)
    check_whole(records)
    assert share(r.folded(archive), 'main', 'with_hole', 'inner', 'spin') >= 0.95


def test_libraries(r, directory):
    """A library that is loaded and unloaded all the time."""
    library = build(directory, 'library.so', LIBRARY, '-shared', '-fPIC')
    program = build(directory, 'loads', LOADS, '-ldl')
    archive, records, _ = record(r, directory, program, library)
    check_whole(records)
    assert share(r.folded(archive), 'main', 'call_back', 'spin') >= 0.9


def test_running(r, directory):
    """A process that runs already, whose files and mappings come from /proc."""
    program = build(directory, 'callback', CALLBACK.replace('i < 3', 'i < 100000'))
    archive = os.path.join(directory, 'running.fxt')
    process = subprocess.Popen([program])
    recorder = subprocess.Popen(r.command('-q', '-o', archive, '-p', str(process.pid)))
    try:
        await_events(recorder, os.cpu_count())
        await_cpu_time(process, threads_of(process), 300000000)
        interrupt(recorder)
    finally:
        process.kill()
        process.wait()
    check_whole(r.dump(archive))
    assert share(r.folded(archive), '_start', 'main', 'work', 'compare', 'spin') >= 0.95


def test_static(r, directory):
    """No .eh_frame_hdr, and nothing is mapped but the program."""
    program = build_c(directory, 'static', CALLBACK, '-static', '-O2',
                      '-fomit-frame-pointer')
    if program is None:
        print('skipped: there is no static C library')
        return
    _, records, _ = record(r, directory, program)
    check_whole(records)


def test_no_garbage(r, directory):
    """By frame pointers, too, nothing past the first PC outside all code is kept."""
    program = build(directory, 'callback', CALLBACK)
    for how in 'fp', 'dwarf':
        _, records, _ = record(r, directory, '--call-graph', how, '--user', program)
        ranges = [(int(x['start'], 16), int(x['start'], 16) + x['length'])
                  for x in records if x.get('profiler') == 'mapping']
        for sample in samples_of(records):
            for pc in (int(pc, 16) for pc in sample['pcs'][1:]):
                assert any(start < pc <= end for start, end in ranges), (how, sample)


if platform.machine() == 'x86_64':
    main(perf=[test_callback, test_exceptions, test_programs, test_copy_too_short, test_depth,
               test_hole, test_libraries, test_running, test_static, test_no_garbage])
else:
    main(perf=[test_callback, test_exceptions, test_programs, test_copy_too_short,
               test_libraries, test_running, test_no_garbage])
