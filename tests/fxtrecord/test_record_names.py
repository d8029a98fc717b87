#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fxtrecord calls processes and threads: a process has the name of its program, and
its main thread a separate one; both have the names of their time. See recorder.py."""

import os
import subprocess
import time

from recorder import build_c, main, samples_of

SERVER = '''
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void spin(const char *milliseconds)
{
    struct timespec now;
    long long end;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    end = now.tv_sec * 1000000000LL + now.tv_nsec + atoll(milliseconds) * 1000000;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec * 1000000000LL + now.tv_nsec < end);
}

static void *work(void *milliseconds)
{
    prctl(PR_SET_NAME, "a long worker");
    spin(milliseconds);
    return NULL;
}

/* server TIME [TIME PROGRAM]: another program follows in this process */
int main(int argc, char **argv)
{
    pthread_t thread;

    prctl(PR_SET_NAME, "accept loop");
    if (argc > 3) {
        spin(argv[1]);
        execl(argv[3], argv[3], argv[2], NULL);
        return 1;
    }
    pthread_create(&thread, NULL, work, argv[1]);
    spin(argv[1]);
    pthread_join(thread, NULL);
    if (fork() == 0) {
        spin(argv[1]);
        return 0;
    }
    wait(NULL);
    return 0;
}
'''


def build(directory, name):
    program = build_c(directory, name, SERVER)
    if program is None:
        print('skipped: there is no C compiler')
    return program


def names(r, archive, *options):
    """How many samples each process and thread has, by their names."""
    counts = {}
    for frames, n in r.folded('--roots', 'process,thread', *options, archive):
        key = frames[0].split('[')[0], frames[1].split('[')[0]
        counts[key] = counts.get(key, 0) + n
    return counts


def test_main_threads(r, directory):
    """A process is called what its program is, though its main thread is called something
    else; and so is its child."""
    program = build(directory, 'server')
    if program is None:
        return
    archive = os.path.join(directory, 'server.fxt')
    r.record('-q', '-o', archive, program, '300')
    counts = names(r, archive)
    assert {process for process, _ in counts} == {'server'}, counts
    # Of a thread that was renamed, the first samples may have the name from before.
    assert counts['server', 'accept loop'] >= 40, counts
    assert counts['server', 'a long worker'] >= 10, counts
    assert sum(names(r, archive, '--process', 'server').values()) == \
        sum(counts.values()) == len(samples_of(r.dump(archive))), counts


def test_exec(r, directory):
    """A process that executes another program is that from then on."""
    first, second = build(directory, 'first program'), build(directory, 'second')
    if first is None or second is None:
        return
    archive = os.path.join(directory, 'exec.fxt')
    r.record('-q', '-o', archive, first, '300', '200', second)
    counts = names(r, archive)
    assert {process for process, _ in counts} == {'first program', 'second'}, counts
    assert counts['first program', 'accept loop'] >= 20, counts
    assert counts['second', 'accept loop'] >= 20, counts
    assert counts['second', 'a long worker'] >= 10, counts
    assert sum(names(r, archive, '--process', 'second').values()) == \
        sum(n for (process, _), n in counts.items() if process == 'second'), counts


RENAMES = SERVER[:SERVER.index('static void *work')] + '''
static volatile int step;

static void *work(void *unused)
{
    while (step < 1)
        ;
    spin("200");
    prctl(PR_SET_NAME, "second");
    spin("200");
    pthread_setname_np(pthread_self(), "third");
    spin("200");
    step = 2;
    while (step < 3)
        ;
    spin("200");
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    pthread_setname_np(thread, "first");
    step = 1;
    while (step < 2)
        usleep(1000);
    pthread_setname_np(thread, "fourth");
    step = 3;
    pthread_join(thread, NULL);
    return 0;
}
'''


def test_renamed(r, directory):
    """A name counts from when it was given, by whichever thread."""
    program = build_c(directory, 'renames', '#define _GNU_SOURCE\n' + RENAMES)
    if program is None:
        print('skipped: there is no C compiler')
        return
    archive = os.path.join(directory, 'renames.fxt')
    r.record('-q', '-F', '1000', '-o', archive, program)
    counts = names(r, archive)
    parts = [counts.get(('renames', name), 0) for name in ('first', 'second', 'third', 'fourth')]
    assert min(parts) >= 50 and max(parts) <= 2 * min(parts), counts


def test_running(r, directory):
    """What began long before has its names, too: also a script, and a program whose main
    thread has another name by now."""
    program = build(directory, 'server')
    if program is None:
        return
    script = os.path.join(directory, 'script.sh')
    with open(script, 'w', encoding='ascii') as file:
        file.write('#!/bin/sh\nwhile :; do :; done\n')
    os.chmod(script, 0o755)
    archive = os.path.join(directory, 'running.fxt')
    running = [subprocess.Popen([program, '30000']), subprocess.Popen([script])]
    try:
        time.sleep(0.3)
        r.record('-q', '-d', '0.5', '-o', archive, '-p', ','.join(str(p.pid) for p in running))
    finally:
        for process in running:
            process.kill()
            process.wait()
    assert {key for key, n in names(r, archive).items() if n > 0} == {
        ('server', 'accept loop'), ('server', 'a long worker'), ('script.sh', 'script.sh')}


if __name__ == '__main__':
    main(both=[test_main_threads, test_exec, test_renamed], perf=[test_running])
