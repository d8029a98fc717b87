#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How fxtrecord begins and ends: command lines, exit statuses, interrupts, what a terminal
shows, and systems that forbid things. See recorder.py."""

import json
import os
import pty
import re
import resource
import signal
import subprocess
import time

import patience
from recorder import (forbid, forbid_perf, is_sample, main, recording_of, run, samples_of,
                      wait_for)


def test_usage(r, _):
    """A wrong command line is reported, and nothing is recorded."""
    bad = ([], ['-a', '--gdb', 'x'], ['--cgroup', 'x', '--gdb', 'x'], ['-p', 'x'],
           ['-p', '1,'], ['-p', '0'], ['-t', '4294967296'], ['-F', '0', 'true'],
           ['-F', '100001', 'true'], ['--period', '9us', 'true'], ['--period', '1', 'true'],
           ['-d', '0', 'true'], ['-d', 'x', 'true'], ['--buffer-size', '0', 'true'],
           ['--buffer-size', '1025M', 'true'], ['--method', 'magic', 'true'],
           ['--kernel', '--user', 'true'], ['--kernel', '--method', 'signal', 'true'],
           ['--event', 'magic', 'true'], ['--event', 'cycles', '--method', 'signal', 'true'],
           ['--event', 'cycles', '--gdb', 'x'],
           ['-o', 'x', '--regions', 'y', 'true'], ['--nope'], ['-F'])
    for arguments in bad:
        done = run(r.fxtrecord, *arguments, status=2)
        hint = done.stderr.splitlines()[-1]
        assert hint == "Try 'fxtrecord --help'." or hint.endswith('; try fxtrecord --help'), done
        assert not done.stdout, (arguments, done)
    assert run(r.fxtrecord, '--help').stdout.startswith('Usage: fxtrecord')
    assert run(r.fxtrecord, '-V').stdout.startswith('fxtrecord ')
    done = run(r.fxtrecord, '-p', '4194399', status=1)
    assert 'no such process' in done.stderr or 'can sample only a COMMAND' in done.stderr, done.stderr


def test_names_that_promise_another_format(r, directory):
    """An archive has its name from the start, and nothing is recorded under another."""
    for name, remedy in (('x.svg', "then run 'fxt2folded -o x.svg x.fxt'"),
                         ('x.pb', "then run 'fxt2pprof -o x.pb x.fxt'"),
                         ('x.pb.gz', "then run 'fxt2pprof -o x.pb.gz x.fxt'"),
                         ('x.speedscope.json', 'fxt2folded'), ('x.FOLDED', 'fxt2folded'),
                         ('x.svg.gz', 'fxt2folded -o x.svg x.fxt'), ('x.html', '-o x.fxt'),
                         ('x.txt', '-o x.fxt'), ('x.fxt.gz', 'gzip x.fxt')):
        done = run(r.fxtrecord, '-o', name, 'sh', '-c', 'echo started', status=2, cwd=directory)
        assert remedy in done.stderr and not done.stdout, (name, done)
        assert not os.path.exists(os.path.join(directory, name)), name
    for name in ('x', 'x.FXT', 'x.trace', '.svg/x'):
        os.makedirs(os.path.join(directory, '.svg'), exist_ok=True)
        r.record('-q', '-o', os.path.join(directory, name), 'true')


def test_statuses(r, directory):
    archive = os.path.join(directory, 'status.fxt')
    r.record('-q', '-o', archive, 'sh', '-c', 'exit 7', status=7)
    r.record('-q', '-o', archive, '--', 'sh', '-c', 'kill -9 $$', status=137)
    r.dump(archive)
    os.unlink(archive)
    done = r.record('-q', '-o', archive, '/nonexistent/program', status=127)
    assert '/nonexistent/program: No such file' in done.stderr, done.stderr
    done = r.record('-q', '-o', archive, directory, status=126)
    assert not os.path.exists(archive)


def test_no_files(r, directory):
    """Where files run out the command is not run, or it is recorded; and nothing waits for
    a command that takes no notice of SIGTERM."""
    archive, ran = os.path.join(directory, 'few.fxt'), os.path.join(directory, 'ran')
    for n in range(6, 14):
        def limit(n=n):
            resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        done = subprocess.run(r.command('-q', '-o', archive, 'touch', ran), stderr=subprocess.PIPE,
                              timeout=patience.SECONDS, preexec_fn=limit, check=False)
        assert os.path.exists(ran) == os.path.exists(archive), (n, done)
        assert (done.returncode == 0) == os.path.exists(ran), (n, done)
        for path in archive, ran:
            if os.path.exists(path):
                os.unlink(path)


def test_few_files(r, directory):
    """If they are not enough for all mapped files, that is reported."""
    archive = os.path.join(directory, 'few.fxt')

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (14, 14))
    done = subprocess.run(r.command('-a', '-d', '0.2', '-o', archive), preexec_fn=limit,
                          stderr=subprocess.PIPE, text=True, check=True)
    assert 'ulimit -n' in done.stderr, done.stderr
    r.dump(archive)


def test_standard_output(r, directory):
    """An archive there has nothing of the command's in it; elsewhere it keeps it."""
    says = ['sh', '-c', 'echo said; echo complained >&2; sh -c "echo child said"']
    archive = os.path.join(directory, 'out.fxt')
    with open(archive, 'wb') as file:
        done = subprocess.run(r.command('-q', '-o', '-', *says), stdout=file,
                              stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr == 'said\ncomplained\nchild said\n', done.stderr
    assert r.dump(archive)[0]['type'] == 'metadata'
    with open(archive, 'rb') as file:
        assert file.read(8) == bytes.fromhex('1000044678541600')
    done = r.record('-q', '-o', archive, *says)
    assert done.stdout == 'said\nchild said\n' and done.stderr == 'complained\n', done
    done = r.record('-q', '--regions', os.path.join(directory, 'regions'), *says)
    assert done.stdout == 'said\nchild said\n' and done.stderr == 'complained\n', done
    # Without a standard error it goes nowhere.
    with open(archive, 'wb') as file:
        subprocess.run(['sh', '-c', 'exec "$0" "$@" 2>&-', *r.command('-q', '-o', '-', *says)],
                       stdout=file, check=True)
    r.dump(archive)


def test_nowhere(r, directory):
    """Where a recording cannot be left, it is not made, and the command does not run."""
    ran = os.path.join(directory, 'ran')
    for option, name, why in (('-o', '/nonexistent/trace.fxt', 'No such file'),
                              ('-o', directory, 'Is a directory'),
                              ('--regions', '/nonexistent/regions', 'No such file'),
                              ('--regions', r.workload, 'Not a directory')):
        done = r.record('-q', option, name, 'touch', ran, status=1)
        assert done.stderr.startswith(f'fxtrecord: {name}: {why}'), done.stderr
        assert not os.path.exists(ran), (option, name)


def test_inherited_signals(r, directory):
    """SIGCHLD, or SIGHUP as by nohup, that is ignored stays ignored."""
    archive = os.path.join(directory, 'inherited.fxt')

    def ignore(*numbers):
        return lambda: [signal.signal(number, signal.SIG_IGN) for number in numbers]
    done = subprocess.run(r.command('-q', '-o', archive, 'sh', '-c', 'exit 7'), check=False,
                          preexec_fn=ignore(signal.SIGCHLD))
    assert done.returncode == 7, done
    recorder = subprocess.Popen(r.command('-q', '-o', archive, r.workload, '-s', '1.5'),
                                preexec_fn=ignore(signal.SIGHUP), stdout=subprocess.PIPE)
    time.sleep(0.5)
    recorder.send_signal(signal.SIGHUP)
    recorder.communicate(timeout=patience.SECONDS)
    assert recorder.returncode == 0
    times = [x['time_ns'] for x in samples_of(r.dump(archive))]
    assert max(times) - min(times) > 0.9e9, (min(times), max(times))


def start(r, archive, *arguments, **options):
    # A shell that runs this in the background may have interrupts ignored.
    return subprocess.Popen(r.command('-o', archive, *arguments), text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                            **options)


def await_work(r, recorder):
    """Until a thread of the workload has had CPU time for a hundred samples."""
    def child():
        with open(f'/proc/{recorder.pid}/task/{recorder.pid}/children', encoding='ascii') as file:
            return int((file.read().split() or ['0'])[0])

    def has_worked():
        pid = child()
        try:
            if os.readlink(f'/proc/{pid}/exe') != r.workload:
                return False
            with open(f'/proc/{pid}/stat', encoding='ascii') as file:
                ticks = sum(map(int, file.read().rpartition(')')[2].split()[11:13]))
        except OSError:
            return False
        return ticks / os.sysconf('SC_CLK_TCK') >= 0.1
    wait_for(has_worked, 'work')


def test_interrupt(r, directory):
    """An interrupt ends the recording, and the archive is whole; the command continues."""
    archive = os.path.join(directory, 'interrupted.fxt')
    recorder = start(r, archive, r.workload, '-s', '4',
                     stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    await_work(r, recorder)
    recorder.send_signal(signal.SIGINT)
    output, said = recorder.communicate(timeout=patience.SECONDS)
    assert recorder.returncode == 0, said
    assert re.search(r'\d+ samples in ', said), said
    assert json.loads(output)['total'] > 0
    samples = samples_of(r.dump(archive))
    times = [x['time_ns'] for x in samples]
    assert samples, said
    assert max(times) - min(times) < 3.8e9, (max(times) - min(times), said)


def test_duration(r, directory):
    archive = os.path.join(directory, 'duration.fxt')
    r.record('-q', '-d', '1', '-o', archive, r.workload, '-s', '3')
    times = [x['time_ns'] for x in samples_of(r.dump(archive))]
    assert times and max(times) - min(times) < 2.8e9, times


def test_terminal(r, directory):
    """Counts are shown while it lasts, and are gone at the end."""
    archive = os.path.join(directory, 'terminal.fxt')
    ours, theirs = pty.openpty()
    recorder = start(r, archive, r.workload, '-s', '1', stderr=theirs,
                     stdout=subprocess.DEVNULL)
    os.close(theirs)
    shown = b''
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:
        pass
    assert recorder.wait() == 0
    lines = shown.decode().split('\r\033[K')
    assert len(lines) > 3, shown
    counts = [re.match(r'fxtrecord: (\d+) (samples?|programs?)', line) for line in lines[1:-1]]
    assert all(counts) and int(counts[-1].group(1)) > 0, shown
    assert re.match(r'fxtrecord: \d+ samples? in ', lines[-1]), shown
    os.close(ours)


def test_forbidden(r, directory):
    """Where perf events are forbidden the reason is reported, and signals are used unless
    perf events are requested."""
    archive = os.path.join(directory, 'forbidden.fxt')
    done = run(r.fxtrecord, '-o', archive, r.workload, '-n', '200', preexec_fn=forbid_perf)
    assert 'perf events are forbidden (Operation not permitted; kernel.perf' in done.stderr
    assert 'sampled by signals' in done.stderr, done.stderr
    records = r.dump(archive)
    assert any(map(is_sample, records))
    assert recording_of(records)['method'] == 'signal'
    for arguments in (['--method', 'perf', 'true'], ['-a'], ['--kernel', 'true'],
                      ['--event', 'cycles', 'true']):
        done = run(r.fxtrecord, '-o', archive, *arguments, preexec_fn=forbid_perf, status=1)
        assert 'perf events are forbidden' in done.stderr, done.stderr


def test_stacks_forbidden(r, directory):
    """By signals stacks are read by a system call that a filter may forbid, too."""
    number = {'x86_64': 310}.get(os.uname().machine, 270)
    done = r.record('-o', os.path.join(directory, 'none.fxt'), 'true', status=1,
                    preexec_fn=lambda: forbid(number))
    assert 'process_vm_readv, which reads stacks, is forbidden' in done.stderr, done.stderr


def test_signals_stay_inside(r, _):
    for target in (['-d', '1', '-a'], ['-p', '1'], ['-t', '1']):
        done = r.record(*target, status=1)
        assert 'can sample only a COMMAND' in done.stderr, done.stderr


if __name__ == '__main__':
    main(both=(test_usage, test_names_that_promise_another_format, test_statuses,
               test_standard_output, test_nowhere,
               test_inherited_signals, test_interrupt, test_duration, test_terminal),
         perf=(test_no_files, test_few_files),
         signals=(test_forbidden, test_stacks_forbidden, test_signals_stay_inside))
