#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Targets that change what a name or a file stands for while they are recorded: chains of
exec, ids of processes that are used again, programs that are replaced, libraries that are
mapped in place of others, and storms of forks.
Each function's name is in one program only, so that a sample of the wrong one is seen.
See recorder.py."""

import os
import shutil
import signal
import subprocess
import time

import patience
import shares
from live import check_order, children_of, start
from readelf import build_id
from recorder import build_c, main, recording_of, run, samples_of, wait_for

# SPIN(NAME) is a function that uses so many milliseconds of its thread's CPU time.
SPIN = '''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long cpu_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

__attribute__((noinline)) void SPIN(int ms)
{
    long long end = cpu_us() + ms * 1000;

    while (cpu_us() < end)
        for (volatile int i = 0; i < 1000; i++)
            continue;
}
'''

# What the linker makes build ids of: names are not in it.
DIFFERENT = 'int different_{} = {};'


def build(directory, name, body, *options):
    """A program whose function is spin_NAME, once for both methods."""
    path = os.path.join(directory, name)
    if os.path.exists(path):
        return path
    source = SPIN + DIFFERENT.format(name, sum(name.encode())) + body
    return build_c(directory, name, source, '-O1', '-fno-omit-frame-pointer',
                   f'-DSPIN=spin_{name}', '-Wl,--build-id', '-ldl', *options)


def check_archive(r, archive):
    """It has no error, all samples that it counts, and times in order; every sample comes
    after what names it."""
    records = r.dump(archive)
    n = check_order(records)
    assert recording_of(records)['samples'] == n, (recording_of(records), n)
    section, last = None, {}
    for record in records:
        if record.get('metadata') in ('provider_section', 'provider_info'):
            section = record['provider_id']
        if 'pcs' in record:
            key = section, record['process'], record['thread']
            assert record['time_ns'] >= last.get(key, 0), (key, record)
            last[key] = record['time_ns']
    return records


def spins_of(r, archive):
    """How many samples there are of each process name, with its id, and function."""
    found = {}
    for stack, n in r.folded('--roots', 'process', archive):
        for function in stack:
            if function.startswith('spin_'):
                key = stack[0], function[5:]
                found[key] = found.get(key, 0) + n
    return found


def check_equal(found, names):
    """Each function has its process's name, and all have had as much CPU time."""
    total = sum(found.values())
    assert {process.partition('[')[0] for process, _ in found} == set(names), found
    assert all(process.partition('[')[0] == name for process, name in found), found
    for name in names:
        n = sum(n for (_, spin), n in found.items() if spin == name)
        allowed = shares.allowed(1 / len(names), total)
        assert abs(n / total - 1 / len(names)) <= allowed, (name, allowed, found)


# Becomes the next program of a circle, so many times: from its first thread, and from
# another one, which then is the first thread of the next program.
CHAIN = '''
static char *arguments[5];

static void *go(void *unused)
{
    SPIN(3);
    execv(arguments[0], arguments);
    return unused;
}

int main(int argc, char **argv)
{
    static const char *const names = "abcde";
    int n = atoi(argv[1]);
    static char program[4096];
    static char number[16];
    pthread_t thread;

    SPIN(8);
    if (argc < 3 || n == 0)
        return 3;
    snprintf(program, sizeof(program), "%s/%c", argv[2], names[(n - 1) % 5]);
    snprintf(number, sizeof(number), "%d", n - 1);
    arguments[0] = program;
    arguments[1] = number;
    arguments[2] = argv[2];
    if (n % 2 == 1 && pthread_create(&thread, NULL, go, NULL) == 0)
        for (;;)
            pause();
    go(NULL);
    return 4;
}
'''


def test_exec_chain(r, directory):
    """A process that becomes fifty programs, one after the other, within a second."""
    for name in 'abcde':
        if build(directory, name, CHAIN) is None:
            print('skipped: there is no compiler')
            return
    archive = os.path.join(directory, 'chain.fxt')
    r.record('-q', '-F', '1000', '-o', archive, os.path.join(directory, 'e'), '49', directory,
             status=3)
    check_archive(r, archive)
    found = spins_of(r, archive)
    check_equal(found, 'abcde')
    assert len({process.partition('[')[2] for process, _ in found}) == 1, found
    # By signals a program's first milliseconds are not sampled.
    assert sum(found.values()) > 250, found


REUSE = '''
for name in one two three; do
    echo 299 > /proc/sys/kernel/ns_last_pid
    {directory}/$name
done
'''


def test_reused_id(r, directory):
    """Three programs that have the same process id, one after the other."""
    inside = ['unshare', '-p', '-f', '--mount-proc']
    probe = inside + ['sh', '-c', 'echo 299 > /proc/sys/kernel/ns_last_pid']
    if subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode:
        print('skipped: namespaces of process ids are needed, and to set the next one')
        return
    names = 'one', 'two', 'three'
    if None in [build(directory, x, 'int main(void) { SPIN(60); return 0; }') for x in names]:
        print('skipped: there is no compiler')
        return
    archive = os.path.join(directory, 'reused.fxt')
    run(*inside, *r.command('-q', '-F', '1000', '-o', archive, 'sh', '-c',
                            REUSE.format(directory=directory)))
    check_archive(r, archive)
    found = spins_of(r, archive)
    check_equal(found, names)
    assert {process for process, _ in found} == {f'{name}[300]' for name in names}, found


def test_replaced(r, directory):
    """A program that is deleted, or replaced by another one, while it runs: its module is
    the one that ran, and its functions never have the other's names."""
    body = 'int main(void) { SPIN(100); return 0; }'
    old, new = build(directory, 'old', body), build(directory, 'new', body)
    if old is None or new is None or shutil.which('readelf') is None:
        print('skipped: a compiler and readelf are needed')
        return
    program, archive = os.path.join(directory, 'program'), os.path.join(directory, 'p.fxt')
    for how in 'deleted', 'renamed', 'rewritten':
        shutil.copy(old, program)
        recorder = start(r, '-F', '1000', '-o', archive, program)
        wait_for(lambda: any(os.path.exists(f'/proc/{child}/exe') and
                             os.readlink(f'/proc/{child}/exe') == program
                             for child in children_of(recorder)), 'the program')
        if how == 'renamed':
            shutil.copy(new, program + '.new')
            os.rename(program + '.new', program)
        else:
            os.unlink(program)
        if how == 'rewritten':
            shutil.copy(new, program)
        said = recorder.communicate(timeout=patience.SECONDS)[1]
        assert recorder.returncode == 0 and not said, (how, said)
        records = check_archive(r, archive)
        modules = {(x['name'], x['build_id']) for x in records
                   if x.get('profiler') == 'module' and x['name'].startswith(program)}
        assert modules == {(program, build_id(old))}, (how, modules)
        assert not any(name == 'new' for _, name in spins_of(r, archive)), how
        named = sum(n for stack, n in r.folded('--elf', old, archive) if 'spin_old' in stack)
        assert named >= 0.9 * len(samples_of(records)) - 10 > 0, (how, named, len(records))


CHANGED_LIBRARY = '''
int main(int argc, char **argv)
{
    void *library = dlopen(argv[2], RTLD_NOW);
    FILE *file;

    if (library == NULL || argc < 3)
        return 1;
    if (argv[1][0] == 't') {
        if (truncate(argv[2], 0) != 0)
            return 2;
    } else {
        static char bytes[1 << 20];
        size_t size;

        file = fopen(argv[2], "r+");
        size = fread(bytes, 1, sizeof(bytes), file);
        rewind(file);
        if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
            return 3;
        ((void (*)(int))dlsym(library, "spin_library"))(100);
    }
    SPIN(100);
    _exit(5);
}
'''


def test_changed_library(r, directory):
    """A library that is truncated where it is mapped, which the target alone would die of,
    and one that is written again in place, as by prelink."""
    program = build(directory, 'changer', CHANGED_LIBRARY)
    library = build_c(directory, 'library.so', SPIN, '-O1', '-fno-omit-frame-pointer',
                      '-DSPIN=spin_library', '-shared', '-fPIC')
    if program is None or library is None:
        print('skipped: there is no compiler')
        return
    archive = os.path.join(directory, 'library.fxt')
    for how in 'rewrite', 'truncate':
        r.record('-q', '-F', '1000', '-o', archive, program, how, library, status=5)
        check_archive(r, archive)
        spins = {name: n for (_, name), n in spins_of(r, archive).items()}
        assert spins['changer'] > 20, (how, spins)
        assert how == 'truncate' or spins['library'] > 20, (how, spins)


# Each library calls its own function of the program.
ALTERNATING = '''
void back_left(void) { SPIN(2); __asm__ volatile(""); }
void back_right(void) { SPIN(2); __asm__ volatile(""); }

int main(int argc, char **argv)
{
    for (int i = 0; i < 160; i++) {
        void *library = dlopen(argv[1 + i % (argc - 1)], RTLD_NOW);
        void (*work)(void) =
            library != NULL ? dlsym(library, i % 2 == 0 ? "work_left" : "work_right") : NULL;

        if (work == NULL)
            return 1;
        work();
        dlclose(library);
    }
    return 0;
}
'''

SIDE = '''
void back_{0}(void);

void work_{0}(void)
{{
    SPIN(3);
    back_{0}();
    __asm__ volatile("");
}}
'''


def alternate(r, archive, *command):
    """How many samples have functions of each library, of both, or are not whole."""
    said = r.record('-F', '1000', '-o', archive, *command).stderr
    total = {'left': 0, 'right': 0, 'mixed': 0, 'cut': 0}
    for stack, n in r.folded(archive):
        sides = {f.rpartition('_')[2] for f in stack if f.startswith(('work_', 'back_'))}
        if len(sides) == 2:
            total['mixed'] += n
        elif sides:
            total[sides.pop() if 'main' in stack else 'cut'] += n
        elif 'spin_library' in stack:
            total['cut'] += n
    return total, said


def test_alternating(r, directory):
    """Libraries that are mapped by turns at the same address, for some milliseconds each:
    their functions and their tables are never those of another one, with a build id and
    without one."""
    program = build(directory, 'alternating', ALTERNATING, '-rdynamic')
    archive = os.path.join(directory, 'alternating.fxt')
    for build_ids in 'sha1', 'none':
        libraries = [
            build_c(directory, f'alternating{i}{build_ids}.so',
                    SPIN + SIDE.format(('left', 'right')[i % 2]) + DIFFERENT.format(i, i),
                    '-O1', '-fomit-frame-pointer', '-DSPIN=spin_library', '-shared', '-fPIC',
                    f'-Wl,--build-id={build_ids}') for i in range(8)]
        if program is None or None in libraries:
            print('skipped: there is no compiler')
            return
        total, said = alternate(r, archive, program, *libraries)
        wrong = total['mixed'] + total['cut']
        assert wrong <= 0.01 * sum(total.values()) + 1, (build_ids, total, said)
        assert abs(total['left'] - total['right']) < 0.2 * sum(total.values()), total


STORM = '''
static void grow(int depth)
{
    SPIN(1);
    for (int i = 0; i < 3 && depth > 0; i++) {
        if (fork() == 0)
            grow(depth - 1);
    }
    while (wait(NULL) > 0)
        continue;
    _exit(0);
}

int main(void)
{
    setpgid(0, 0);
    for (;;) {
        if (fork() == 0)
            grow(3);
        wait(NULL);
    }
}
'''


def test_storm(r, directory):
    """Thousands of processes that fork, of which none is left in the end: all are killed in
    the middle of that."""
    program = build(directory, 'storm', STORM)
    if program is None:
        print('skipped: there is no compiler')
        return
    archive = os.path.join(directory, 'storm.fxt')
    recorder = start(r, '-F', '1000', '-o', archive, program)
    wait_for(lambda: os.path.exists(archive) and os.path.getsize(archive) > 20000, 'samples')
    time.sleep(1)
    os.killpg(children_of(recorder)[0], signal.SIGKILL)
    said = recorder.communicate(timeout=patience.SECONDS)[1]
    assert recorder.returncode == 128 + signal.SIGKILL and 'damaged' not in said, said
    records = check_archive(r, archive)
    found = spins_of(r, archive)
    assert {process.partition('[')[0] for process, _ in found} == {'storm'}, found
    sampled = {x['process'] for x in samples_of(records)}
    assert len(sampled) > 20, len(sampled)


if __name__ == '__main__':
    main(both=(test_exec_chain, test_reused_id, test_replaced, test_changed_library, test_storm),
         perf=(test_alternating,))
