#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtrecord on real programs: what it records must agree with what the programs measured
themselves, and with what another profiler says.

test_record.py FXTRECORD WORKLOAD TOOLS_DIR SANITIZERS [TEST...]

What needs perf events is left out, and said, where they are forbidden; and what loads a
shared object into programs that know nothing of sanitizers, where it has some.
"""

import collections
import ctypes
import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

PHASES = ('hash_blocks', 'solve_queens', 'sort_numbers', 'read_zeros')
KERNEL = 1 << 63


def run(*command, status=0):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == status, (command, done.returncode, done.stderr)
    return done


class Recorder:
    def __init__(self, fxtrecord, workload, tools, method):
        self.fxtrecord, self.workload, self.tools = fxtrecord, workload, tools
        self.method = method

    def command(self, *arguments):
        return [self.fxtrecord, '--method', self.method, *arguments]

    def record(self, *arguments, status=0):
        return run(*self.command(*arguments), status=status)

    def dump(self, *files):
        tool = os.path.join(self.tools, 'fxtdump', 'fxtdump')
        return [json.loads(line) for line in
                run(tool, '--json', '--strict', *files).stdout.splitlines()]

    def folded(self, records, *files):
        """Stacks as lists of functions, and counts; functions of the workload have names."""
        tool = os.path.join(self.tools, 'fxt2folded', 'fxt2folded')
        elf = []
        for record in records:
            if record.get('profiler') == 'mapping' and name_of(records, record) == self.workload:
                base = int(record['start'], 16) - int(record['vaddr'], 16)
                elf = ['--elf', f'{self.workload}@{base:#x}']
        lines = run(tool, '-q', *elf, *files).stdout.splitlines()
        return [(line.rsplit(' ', 1)[0].split(';'), int(line.rsplit(' ', 1)[1]))
                for line in lines]


def name_of(records, mapping):
    """The module that a mapping shows: the last one of its process and number before it."""
    name = None
    for record in records:
        if record is mapping:
            return name
        if record.get('profiler') == 'module' and record['process'] == mapping['process'] \
                and record['module_id'] == mapping['module_id']:
            name = record['name']
    raise AssertionError('no such mapping')


def is_sample(record):
    return 'pcs' in record


def shares_of(stacks):
    total = sum(count for _, count in stacks)
    return total, {phase: sum(count for stack, count in stacks if phase in stack) / total
                   for phase in PHASES}


def check_shares(truth, stacks, what):
    """Each phase's share of the samples is its share of the CPU time within five points;
    where a busy machine leaves few samples, within what chance allows: of those by
    signals, one in three stands for itself."""
    total, shares = shares_of(stacks)
    for phase in PHASES:
        expected = truth[phase] / truth['total']
        chance = 4 * math.sqrt(expected * (1 - expected) / (total / 3))
        print(f'{what}: {phase:14} {expected:6.1%} of the time, '
              f'{shares[phase]:6.1%} of {total} samples')
        assert abs(shares[phase] - expected) <= max(0.05, chance), (what, phase)
    return shares


# ---- Truth ----

def test_truth(r, directory):
    archive = os.path.join(directory, 'truth.fxt')
    done = r.record('-q', '-o', archive, r.workload, '-s', '4')
    truth = json.loads(done.stdout)
    records = r.dump(archive)
    # The kernel's half of the stacks has no names here, and would end below the C library.
    check_shares(truth, r.folded(records, archive), r.method)
    samples = [record for record in records if is_sample(record)]
    in_kernel = sum(int(record['pcs'][0], 16) >= KERNEL for record in samples)
    assert (in_kernel > 0) == (r.method == 'perf'), in_kernel
    period = next(a['value'] for x in records if x.get('name') == 'recording'
                  for a in x['args'] if a['name'] == 'period_ns')
    spent = len(samples) * period / truth['total']
    print(f'{r.method}: samples by period are {spent:.1%} of the time')
    # A virtual machine that has to wait for its host has CPU time but no timers.
    assert 0.4 < spent < 1.15, spent
    check_described(r, records, archive)


def check_described(r, records, archive):
    """The archive says who, what and when, without anything else."""
    kinds = [record['type'] for record in records]
    assert records[0].get('magic') == '0x16547846', records[0]
    recording = next(record for record in records if record.get('name') == 'recording')
    arguments = {a['name']: a['value'] for a in recording['args']}
    assert archive in arguments['command_line'], arguments
    assert abs(arguments['start_unix_ns'] / 1e9 - time.time()) < 600, arguments
    assert arguments['method'] == r.method
    threads = [x for x in records if x.get('object_type') == 'thread']
    processes = {x['koid']: x['name'] for x in records if x.get('object_type') == 'process'}
    assert 'workload' in processes.values(), processes
    assert sum(x['name'] == 'worker' for x in threads) == 4, threads
    for thread in threads:
        assert thread['args'][0]['name'] == 'process'
        assert thread['args'][0]['value'] in processes, thread
    cpus = [x['name'] for x in records if x.get('metadata') == 'provider_info']
    assert cpus[0] == 'fxtrecord' and all(re.fullmatch(r'cpu\d+', c) for c in cpus[1:]), cpus
    assert len(cpus) > 1 and kinds.count('initialization') == len(cpus)
    build_ids = {x['name']: x['build_id'] for x in records if x.get('profiler') == 'module'}
    assert build_ids[r.workload] == build_id_of(r.workload), build_ids
    assert any('libc.so' in name and build_id for name, build_id in build_ids.items())
    check_mapped(records)


def check_mapped(records):
    """All user PCs but strays are in some mapping of their process, whose module's own
    addresses are as in the file."""
    mappings = [x for x in records if x.get('profiler') == 'mapping']
    ranges = [(x['process'], int(x['start'], 16), int(x['start'], 16) + x['length'])
              for x in mappings]
    n, n_mapped = 0, 0
    for sample in filter(is_sample, records):
        pc = int(sample['pcs'][0], 16)
        n += 1
        n_mapped += any(p == sample['process'] and start <= pc < end
                        for p, start, end in ranges)
    assert n > 0 and n_mapped >= 0.99 * n, (n, n_mapped)


def build_id_of(path):
    text = run('readelf', '-n', path).stdout
    return re.search(r'Build ID: ([0-9a-f]+)', text).group(1)


def test_perf_agrees(r, directory):
    if shutil.which('perf') is None:
        print('skipped: there is no perf')
        return
    data = os.path.join(directory, 'perf.data')
    done = run('perf', 'record', '-q', '-e', 'cpu-clock', '-F', '997', '--call-graph', 'fp',
               '-o', data, r.workload, '-s', '3')
    truth = json.loads(done.stdout)
    script = run('perf', 'script', '-i', data, '-F', 'ip,sym').stdout
    stacks = []
    for block in script.strip().split('\n\n'):
        lines = [line.split(maxsplit=1) for line in block.splitlines() if line.strip()]
        stacks.append(([line[-1].strip() for line in lines], 1))
    theirs = check_shares(truth, stacks, 'perf record')
    archive = os.path.join(directory, 'ours.fxt')
    r.record('-q', '-o', archive, r.workload, '-s', '3')
    ours = shares_of(r.folded(r.dump(archive), archive))[1]
    for phase in PHASES:
        assert abs(ours[phase] - theirs[phase]) < 0.05, (phase, ours, theirs)


# ---- Targets ----

def test_children(r, directory):
    """Children, and theirs, are followed, and are known though they ended long before."""
    archive = os.path.join(directory, 'children.fxt')
    r.record('-q', '-o', archive, 'sh', '-c',
             f'{r.workload} -s 0.5 -j 1; ({r.workload} -s 0.5 -j 2 & wait); exec sleep 0.2')
    records = r.dump(archive)
    sampled = collections.Counter(x['process'] for x in records if is_sample(x))
    names = {x['koid']: x['name'] for x in records if x.get('object_type') == 'process'}
    # A sanitizer looks for leaks in a process of its own, which is soon over.
    workers = [p for p, n in sampled.items() if names.get(p) == 'workload' and n >= 10]
    assert len(workers) == 2, (sampled, names)
    assert set(sampled) <= set(names), (sampled, names)
    modules = {(x['process'], x['name']) for x in records if x.get('profiler') == 'module'}
    for process in workers:
        assert (process, r.workload) in modules, (process, modules)


def start_workload(r, seconds):
    process = subprocess.Popen([r.workload, '-s', str(seconds)], stdout=subprocess.PIPE)
    while len(os.listdir(f'/proc/{process.pid}/task')) < 5:
        time.sleep(0.01)
    return process


def test_running(r, directory):
    """A process that runs already, with its threads; one thread; the whole system."""
    process = start_workload(r, 30)
    tids = [int(t) for t in os.listdir(f'/proc/{process.pid}/task') if int(t) != process.pid]
    archive = os.path.join(directory, 'running.fxt')
    begun = time.monotonic()
    r.record('-q', '-d', '0.7', '-o', archive, '-p', str(process.pid))
    assert 0.7 <= time.monotonic() - begun < 3
    samples = [x for x in r.dump(archive) if is_sample(x)]
    assert {x['thread'] for x in samples} == set(tids), (tids, samples[:3])
    check_mapped(r.dump(archive))
    r.record('-q', '-d', '500ms', '-o', archive, '-t', f'{tids[0]},{tids[2]}')
    samples = [x for x in r.dump(archive) if is_sample(x)]
    assert {x['thread'] for x in samples} == {tids[0], tids[2]}
    r.record('-q', '-d', '500ms', '-o', archive, '-a')
    records = r.dump(archive)
    processes = {x['process'] for x in records if is_sample(x)}
    assert process.pid in processes
    check_mapped([x for x in records if x.get('process') == process.pid])
    process.kill()
    process.wait()


def test_gone(r, directory):
    """A process ends by itself while it is recorded."""
    process = start_workload(r, 0.5)
    archive = os.path.join(directory, 'gone.fxt')
    recorder = subprocess.Popen(r.command('-q', '-o', archive, '-p', str(process.pid)))
    process.wait()
    assert recorder.wait(timeout=10) == 0
    check_mapped(r.dump(archive))


def test_deleted(r, directory):
    """A program that is deleted while it runs has its build id all the same."""
    archive = os.path.join(directory, 'deleted.fxt')
    copy = os.path.join(directory, 'copy')
    shutil.copy(r.workload, copy)
    r.record('-q', '-o', archive, 'sh', '-c', f'{copy} -s 1 & sleep 0.7; rm {copy}; wait')
    modules = {x['name']: x['build_id'] for x in r.dump(archive) if x.get('profiler') == 'module'}
    assert modules[copy] == build_id_of(r.workload), modules


ONLINE = '/sys/devices/system/cpu/online'


def test_cpus(r, directory):
    """A CPU that comes meanwhile is sampled from then on, and it is said."""
    online, archive = os.path.join(directory, 'online'), os.path.join(directory, 'cpus.fxt')
    inside = ['unshare', '-m', 'sh', '-c', f'mount --bind {online} {ONLINE} && exec "$@"', 'sh']
    with open(online, 'w') as file:
        file.write('0\n')
    if os.cpu_count() < 2 or subprocess.run([*inside, 'true'], stderr=subprocess.DEVNULL).returncode:
        print('skipped: two CPUs and a mount namespace are needed')
        return
    workload = start_workload(r, 5)
    recorder = subprocess.Popen([*inside, *r.command('-o', archive, '-a', '-d', '4')],
                                stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    with open(online, 'w') as file:
        file.write('0-1\n')
    said = recorder.communicate()[1]
    workload.wait()
    assert recorder.returncode == 0 and 'came meanwhile: 1, that went: 0' in said, said
    first, cpu = {}, None
    for record in r.dump(archive):
        if record.get('metadata') == 'provider_info':
            cpu = record['name']
        elif is_sample(record):
            first.setdefault(cpu, record['time_ns'])
    assert set(first) == {'cpu0', 'cpu1'}, first
    assert first['cpu1'] - first['cpu0'] > 0.5e9, first


# ---- Endings ----

def test_statuses(r, directory):
    archive = os.path.join(directory, 'status.fxt')
    r.record('-q', '-o', archive, 'sh', '-c', 'exit 7', status=7)
    r.record('-q', '-o', archive, 'sh', '-c', 'kill -9 $$', status=137)
    r.dump(archive)
    os.unlink(archive)
    done = r.record('-q', '-o', archive, '/nonexistent/program', status=127)
    assert '/nonexistent/program: No such file' in done.stderr, done.stderr
    assert not os.path.exists(archive)
    done = r.record('-q', '-o', '/nonexistent/trace.fxt', 'true', status=1)
    assert 'No such file' in done.stderr, done.stderr


def test_interrupt(r, directory):
    """An interrupt ends the recording, and the archive is whole."""
    archive = os.path.join(directory, 'interrupted.fxt')
    # Whoever runs this in the background may have had interrupts ignored.
    recorder = subprocess.Popen(r.command('-o', archive, r.workload, '-s', '2'),
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                                stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    recorder.send_signal(signal.SIGINT)
    output, said = recorder.communicate(timeout=20)
    assert recorder.returncode == 0, said
    assert re.search(r'\d+ samples in ', said), said
    assert json.loads(output)['total'] > 0
    samples = [x for x in r.dump(archive) if is_sample(x)]
    times = [x['time_ns'] for x in samples]
    assert samples, said
    assert max(times) - min(times) < 1.8e9, (max(times) - min(times), said)


def test_full(r, directory):
    archive = os.path.join(directory, 'full.fxt')
    done = r.record('-o', archive, '--buffer-size', '4K', r.workload, '-s', '1')
    said = re.search(r'(\d+) samples in .*; (\d+) dropped', done.stderr)
    assert int(said.group(2)) > 0, done.stderr
    records = r.dump(archive)
    assert sum(map(is_sample, records)) == int(said.group(1))
    drops = [x for x in records if x.get('name') == 'drop_stats']
    assert sum(x['args'][0]['value'] for x in drops) == int(said.group(2)), drops
    assert any(x.get('event') == 'buffer_full' for x in records)


def test_regions(r, directory):
    regions = os.path.join(directory, 'regions')
    done = r.record('-q', '--buffer-size', '1M', '--regions', regions, r.workload, '-s', '1')
    truth = json.loads(done.stdout)
    names = os.path.join(regions, 'names.fxt')
    files = [os.path.join(regions, f) for f in sorted(os.listdir(regions)) if f != 'names.fxt']
    assert files and all(re.fullmatch(r'cpu\d+\.bin', os.path.basename(f)) for f in files)
    assert all(os.path.getsize(f) % 4096 == 0 for f in files)
    for file in files:
        assert all(map(is_sample, r.dump(file)))
    assert not any(map(is_sample, r.dump(names)))
    stacks = r.folded(r.dump(names), names, *files)
    assert stacks and truth['total'] > 0
    assert any('hash_blocks' in stack for stack, _ in stacks)


def test_selection(r, directory):
    archive = os.path.join(directory, 'some.fxt')
    r.record('-q', '-o', archive, '--kernel', '--backtraces', r.workload, '-s', '1')
    records = r.dump(archive)
    pcs = [int(pc, 16) for x in records if is_sample(x) for pc in x['pcs']]
    assert pcs and all(pc >= KERNEL for pc in pcs)
    assert any(x.get('profiler') == 'backtrace' for x in records)
    assert any(x.get('name') == '[kernel.kallsyms]' for x in records) or os.geteuid() != 0
    r.record('-q', '-o', archive, '--user', '-F', '2000', r.workload, '-s', '1')
    pcs = [int(pc, 16) for x in r.dump(archive) if is_sample(x) for pc in x['pcs']]
    assert pcs and all(pc < KERNEL for pc in pcs)


def test_usage(r, _):
    """What is wrong with a command line is said, and nothing is recorded."""
    bad = ([], ['-p', '1', 'true'], ['-p', '1', '-t', '2'], ['-a', '-t', '2'], ['-p', 'x'],
           ['-p', '1,'], ['-p', '0'], ['-t', '4294967296'], ['-F', '0', 'true'],
           ['-F', '100001', 'true'], ['--period', '9us', 'true'], ['--period', '1', 'true'],
           ['-d', '0', 'true'], ['-d', 'x', 'true'], ['--buffer-size', '0', 'true'],
           ['--buffer-size', '1025M', 'true'], ['--method', 'magic', 'true'],
           ['--kernel', '--user', 'true'], ['--kernel', '--method', 'signal', 'true'],
           ['-o', 'x', '--regions', 'y', 'true'], ['--nope'], ['-F'])
    for arguments in bad:
        done = run(r.fxtrecord, *arguments, status=2)
        assert 'try fxtrecord --help' in done.stderr and not done.stdout, (arguments, done)
    assert run(r.fxtrecord, '--help').stdout.startswith('Usage: fxtrecord')
    assert run(r.fxtrecord, '-V').stdout.startswith('fxtrecord ')
    done = run(r.fxtrecord, '-p', '4194399', status=1)
    assert 'no such process' in done.stderr or 'only a COMMAND' in done.stderr, done.stderr


def forbid_perf():
    """A filter of system calls: perf_event_open returns EPERM from here on."""
    number = {'x86_64': 298}.get(os.uname().machine, 241)
    def code(op, jt, jf, k):
        return struct.pack('HBBI', op, jt, jf, k)
    program = ctypes.create_string_buffer(
        code(0x20, 0, 0, 0) +               # load the number of the call
        code(0x15, 0, 1, number) +          # is it that one?
        code(0x06, 0, 0, 0x00050001) +      # then EPERM
        code(0x06, 0, 0, 0x7fff0000))       # else go on
    filters = struct.pack('HxxxxxxP', 4, ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, ctypes.c_char_p(filters), 0, 0) == 0


def test_forbidden(r, directory):
    """Where perf events are forbidden it is said why, and signals are used if nobody wants
    perf events."""
    archive = os.path.join(directory, 'forbidden.fxt')
    command = [r.fxtrecord, '-o', archive]
    done = subprocess.run([*command, r.workload, '-s', '1'], preexec_fn=forbid_perf,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    assert 'perf events are forbidden (Operation not permitted; kernel.perf' in done.stderr
    assert 'sampled by signals' in done.stderr, done.stderr
    records = r.dump(archive)
    assert any(map(is_sample, records))
    assert any(a['value'] == 'signal' for x in records for a in x.get('args', ()))
    for arguments in (['--method', 'perf', 'true'], ['-a'], ['--kernel', 'true']):
        done = subprocess.run([*command, *arguments], preexec_fn=forbid_perf,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1, (arguments, done.stderr)
        assert 'does not allow it' in done.stderr or 'only a COMMAND' in done.stderr, done.stderr


def test_signals_stay_inside(r, _):
    done = r.record('-d', '1', '-a', status=1)
    assert 'only a COMMAND can be sampled' in done.stderr, done.stderr
    done = r.record('-p', '1', status=1)
    assert 'only a COMMAND can be sampled' in done.stderr, done.stderr


BOTH = (test_usage, test_truth, test_children, test_deleted, test_statuses, test_interrupt, test_full)
PERF = (test_perf_agrees, test_running, test_gone, test_cpus, test_regions, test_selection)
SIGNAL = (test_forbidden, test_regions, test_signals_stay_inside)


def main():
    fxtrecord, workload, tools = map(os.path.abspath, sys.argv[1:4])
    sanitizers, wanted = sys.argv[4], sys.argv[5:]
    tests = {'signal': BOTH + SIGNAL, 'perf': BOTH + PERF}
    if sanitizers != 'none':
        print('skipped, what is sampled from inside: sanitizers')
        del tests['signal']
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([fxtrecord, '--method', 'perf', '-q', '-o',
                               os.path.join(directory, 'probe.fxt'), 'true'],
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print('skipped, what needs perf events:', done.stderr.strip())
            del tests['perf']
        for method, functions in tests.items():
            for function in functions:
                if not wanted or function.__name__ in wanted:
                    print(f'# {method}: {function.__name__}', flush=True)
                    function(Recorder(fxtrecord, workload, tools, method), directory)


if __name__ == '__main__':
    main()
