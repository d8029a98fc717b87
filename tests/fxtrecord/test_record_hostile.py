#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs and systems that make it hard for fxtrecord: none of them is disturbed, and
what is missing is reported. See recorder.py."""

import os
import re
import resource
import signal
import subprocess
import time

from recorder import (build_c, main, processes_of, recording_of, run, samples_of,
                      start_workload)

SPIN = '''
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>

static __attribute__((noinline)) void spin(int ms)
{
    struct timespec now;
    struct timespec start;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}
'''


def build(r, directory, name, body, *options):
    program = build_c(directory, name, SPIN + body, '-fno-omit-frame-pointer', *options)
    if program is None:
        print(f'skipped: {name}: it cannot be compiled')
    return program


def test_forks(r, directory):
    """A process that forks many times: all children are over soon, and some do nothing."""
    program = build(r, directory, 'forks', '''
int main(void)
{
    for (int i = 0; i < 500; i++) {
        if (fork() == 0) {
            if (i % 50 == 0)
                spin(20);
            _exit(0);
        }
        if (i % 20 == 19)
            while (wait(NULL) > 0)
                continue;
    }
    while (wait(NULL) > 0)
        continue;
    return 3;
}''')
    archive = os.path.join(directory, 'forks.fxt')
    done = r.record('-o', archive, program, status=3)
    assert 'damaged' not in done.stderr, done.stderr
    records = r.dump(archive)
    names = processes_of(records)
    assert len({x['process'] for x in samples_of(records)}) >= 8, done.stderr
    assert {x['process'] for x in samples_of(records)} <= set(names)


def test_programs(r, directory):
    """A process that becomes one program after another, with a long command line."""
    archive = os.path.join(directory, 'programs.fxt')
    long = 'x' * 30000
    script = f'[ $# = 200 ] && exec sh -c "exec {r.workload} -j 1 -n 150" {long}'
    r.record('-q', '-o', archive, 'sh', '-c', script, 'sh', *[long[:500]] * 200)
    records = r.dump(archive)
    assert 'workload' in processes_of(records).values(), processes_of(records)
    command_line = recording_of(records)['command_line']
    assert len(command_line) > 10000 and r.workload in command_line


def test_static(r, directory):
    """A static program cannot be sampled from inside, and that is reported."""
    program = build(r, directory, 'static', 'int main(void) { spin(100); }', '-static')
    if program is None:
        return
    archive = os.path.join(directory, 'static.fxt')
    done = r.record('-o', archive, program)
    n = len(samples_of(r.dump(archive)))
    if r.method == 'perf':
        assert n > 20, done.stderr
    else:
        assert n == 0 and 'statically linked' in done.stderr, done.stderr


def test_own_sigprof(r, directory):
    """A program that has its own use for SIGPROF, or is to be ended by it, gets
    it; one that blocks it continues."""
    program = build(r, directory, 'sigprof', '''
static volatile sig_atomic_t n;
static void count(int signal) { (void)signal; n++; }
int main(int argc, char **argv)
{
    struct sigaction own = {.sa_handler = count};
    sigset_t set;

    spin(50);
    if (strcmp(argv[1], "handler") == 0)
        sigaction(SIGPROF, &own, NULL);
    if (strcmp(argv[1], "signal") == 0)
        signal(SIGPROF, count);
    if (strcmp(argv[1], "default") == 0)
        for (int i = 1; i < 32; i++)
            signal(i, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    if (strcmp(argv[1], "block") == 0)
        sigprocmask(SIG_BLOCK, &set, NULL);
    spin(50);
    if (argc > 2)
        raise(SIGPROF);
    printf("%d\\n", (int)n);
    return 5;
}''')
    archive = os.path.join(directory, 'sigprof.fxt')
    for how, n, gave_up in (('handler', 1, 1), ('signal', 1, 1), ('default', 0, 1),
                            ('block', 0, 0), ('nothing', 0, 0)):
        raises = ['raise'] if n else []
        done = r.record('-o', archive, program, how, *raises, status=5)
        # A last signal of the sampler's may be on its way to a new handler.
        assert n <= int(done.stdout) <= n + 1, (how, done.stdout)
        assert ('SIGPROF themselves' in done.stderr) == bool(gave_up), (how, done.stderr)
        assert samples_of(r.dump(archive)), how


def test_killed(r, directory):
    """The samples of a program that is killed are kept, and a full region is reported."""
    archive = os.path.join(directory, 'killed.fxt')
    program = build(r, directory, 'killed', '''
int main(void) { spin(200); kill(getpid(), SIGKILL); }''')
    done = r.record('-o', archive, program, status=128 + signal.SIGKILL)
    assert samples_of(r.dump(archive)), done.stderr
    done = r.record('-o', archive, '--buffer-size', '4K', '-F', '2000', program,
                    status=128 + signal.SIGKILL)
    assert samples_of(r.dump(archive)), done.stderr
    assert ('full region' in done.stderr if r.method == 'signal'
            else int(re.search(r'(\d+) dropped', done.stderr).group(1)) > 0), done.stderr


def mounted(directory, size, *command):
    """The command where `directory` is a small file system."""
    return ['unshare', '-m', 'sh', '-c',
            f'mount -t tmpfs -o size={size} none {directory} && exec "$@"', 'sh', *command]


def test_full_disk(r, directory):
    """A full disk is not the end of the program that is sampled, nor of the recorder."""
    small = os.path.join(directory, 'small')
    os.makedirs(small, exist_ok=True)
    if subprocess.run(mounted(small, '4k', 'true'), check=False,
                      stderr=subprocess.DEVNULL).returncode:
        print('skipped: a mount namespace is needed')
        return
    work = [r.workload, '-j', '2', '-n', '200']
    archive = os.path.join(directory, 'disk.fxt')
    for size in '12k', '140k', '200k':
        environment = {**os.environ, 'TMPDIR': small}
        done = run(*mounted(small, size, *r.command('-F', '5000', '-o', archive, *work)),
                   env=environment)
        assert '"total"' in done.stdout, done
        n = len(samples_of(r.dump(archive)))
        if r.method == 'signal' and size == '12k':
            assert n < 200 and 'could not be sampled' in done.stderr, done.stderr
        done = subprocess.run(mounted(small, size, *r.command(
            '-F', '5000', '-o', small + '/t.fxt', *work)), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, check=False)
        assert '"total"' in done.stdout, done
        assert done.returncode == 1 or size != '12k', done
        assert done.returncode == 0 or 'No space left' in done.stderr, done
        done = subprocess.run(mounted(small, size, *r.command(
            '-F', '5000', '--regions', small + '/r', *work)), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode in (0, 1), done
        assert done.returncode == 0 or 'fxtrecord: ' in done.stderr, done


def test_few_files(r, directory):
    """Without files, or timers, it is reported that they are used up."""
    archive = os.path.join(directory, 'few.fxt')
    for n in 4, 7, 10, 14:
        done = subprocess.run(
            r.command('-o', archive, r.workload, '-j', '8', '-n', '20'), check=False,
            preexec_fn=lambda n=n: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode in (0, 1, 127), done
        assert done.returncode == 0 or done.stderr.startswith('fxtrecord: ') or \
            'error while loading' in done.stderr, done


def test_stopped(r, directory):
    """A process that is stopped is waited for, as long as requested."""
    process = start_workload(r)
    archive = os.path.join(directory, 'stopped.fxt')
    try:
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        done = r.record('-d', '300ms', '-o', archive, '-p', str(process.pid))
        assert len(samples_of(r.dump(archive))) < 5, done.stderr
        process.send_signal(signal.SIGCONT)
        r.record('-q', '-d', '300ms', '-o', archive, '-p', str(process.pid))
        assert len(samples_of(r.dump(archive))) > 5
    finally:
        process.kill()
        process.wait()


def test_small_stack(r, directory):
    """An alternate stack with little more room than a signal takes is enough: nothing is
    looked up for the first time in the handler, as the dynamic linker takes as much again."""
    archive = os.path.join(directory, 'small.fxt')
    program = build(r, directory, 'small_stack', '''
#include <sys/auxv.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

int main(void)
{
    size_t least = getauxval(AT_MINSIGSTKSZ);
    stack_t stack = {.ss_size = (least > 0 ? least : 8192) + 2048};

    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    spin(200);
    return 5;
}''')
    r.record('-q', '-o', archive, program, status=5)
    assert samples_of(r.dump(archive))


def test_unseen(r, directory):
    """If a program that runs yields no samples, the reason is reported."""
    archive = os.path.join(directory, 'unseen.fxt')
    program = build(r, directory, 'blocks', '''
int main(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    spin(500);
    return 4;
}''')
    done = r.record('-o', archive, program, status=4)
    if r.method == 'signal':
        assert 'could not be sampled (threads that block SIGPROF' in done.stderr, done.stderr
        assert {stack[-1] for stack, _ in r.folded(archive)} == {'[not sampled]'}
        return
    assert 'nothing was sampled' not in done.stderr, done.stderr
    if os.geteuid() != 0:
        print('skipped: it takes root to be another user')
        return
    os.chmod(directory, 0o777)
    os.chmod(program, 0o711)
    os.unlink(archive)
    try:
        done = r.record('-o', archive, program, status=4, user=65534, group=65534,
                        extra_groups=[])
    except PermissionError:
        print('skipped: another user may not go where this was built')
        return
    assert 'is unreadable' in done.stderr, done.stderr


def test_others(r, directory):
    """Processes of another user are not sampled, and the reason is reported."""
    if os.geteuid() != 0:
        print('skipped: it takes root to be another user')
        return

    def become_nobody():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    own = subprocess.Popen(['sleep', '60'])
    place = os.path.join(directory, 'nobody')
    os.makedirs(place, exist_ok=True)
    os.chmod(directory, 0o755)
    os.chown(place, 65534, 65534)
    try:
        done = subprocess.run(
            r.command('-o', os.path.join(place, 'x.fxt'), '-p', str(own.pid)), check=False,
            preexec_fn=become_nobody, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and ('forbidden' in done.stderr or
                                         'does not allow it' in done.stderr), done
    except PermissionError:
        print('skipped: others cannot run the program here')
    finally:
        own.kill()
        own.wait()


if __name__ == '__main__':
    main(both=(test_forks, test_programs, test_static, test_killed, test_full_disk,
               test_few_files, test_unseen),
         perf=(test_stopped, test_others), signals=(test_own_sigprof, test_small_stack))
