# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of fxtrecord share: recording by each method, and reading what was
recorded.

    test_record_*.py FXTRECORD WORKLOAD TOOLS_DIR SANITIZERS [TEST...]

A test is a function of a Recorder and a directory. What needs perf events is left out,
and said, where they are forbidden; and what loads a shared object into programs that know
nothing of sanitizers, where it has some. Where nothing is left the exit status is 77.
"""

import ctypes
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile

import patience

KERNEL = 1 << 63
SKIPPED = 77


def run(*command, status=0, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **options)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done


class Recorder:
    def __init__(self, fxtrecord, workload, tools, sanitizers, method):
        self.fxtrecord, self.workload, self.tools = fxtrecord, workload, tools
        self.sanitizers, self.method = sanitizers, method

    def command(self, *arguments):
        return [self.fxtrecord, '--method', self.method, *arguments]

    def record(self, *arguments, status=0, **options):
        return run(*self.command(*arguments), status=status, **options)

    def dump(self, *files):
        tool = os.path.join(self.tools, 'fxtdump', 'fxtdump')
        return [json.loads(line) for line in
                run(tool, '--json', '--strict', *files).stdout.splitlines()]

    def folded(self, *arguments):
        """Stacks as lists of functions, and counts."""
        tool = os.path.join(self.tools, 'fxt2folded', 'fxt2folded')
        lines = run(tool, '-q', *arguments).stdout.splitlines()
        return [(line.rsplit(' ', 1)[0].split(';'), int(line.rsplit(' ', 1)[1]))
                for line in lines]


def is_sample(record):
    return 'pcs' in record


def samples_of(records):
    return list(filter(is_sample, records))


def processes_of(records):
    return {x['koid']: x['name'] for x in records if x.get('object_type') == 'process'}


def recording_of(records):
    """What the archive says of itself, at its beginning and at its end."""
    said = {}
    for x in records:
        if x.get('category') == 'fxtrecord' and x.get('name') in ('recording', 'recording_end'):
            said |= {a['name']: a['value'] for a in x['args']}
    return said


def check_mapped(records):
    """All PCs but strays are in some mapping of their process."""
    mappings = [x for x in records if x.get('profiler') == 'mapping']
    ranges = [(x['process'], int(x['start'], 16), int(x['start'], 16) + x['length'])
              for x in mappings]
    n, n_mapped = 0, 0
    for sample in samples_of(records):
        pc = int(sample['pcs'][0], 16)
        if pc == 0:
            # Time that was not sampled.
            continue
        n += 1
        n_mapped += any(p == sample['process'] and start <= pc < end
                        for p, start, end in ranges)
    assert n > 0 and n_mapped >= 0.99 * n, (n, n_mapped)


# ---- Waiting, for what a busy machine does later ----


def wait_for(condition, what):
    patience.wait_for(condition, what, every=0.001)


def threads_of(process):
    return [int(thread) for thread in os.listdir(f'/proc/{process}/task')]


def start_workload(r):
    """A workload whose four threads run until it is killed."""
    process = subprocess.Popen([r.workload, '-s', '10000'], stdout=subprocess.DEVNULL)
    wait_for(lambda: len(threads_of(process.pid)) == 5, 'its threads')
    return process


def open_files(process):
    files = []
    for file in os.listdir(f'/proc/{process.pid}/fd'):
        try:
            files.append(os.readlink(f'/proc/{process.pid}/fd/{file}'))
        except FileNotFoundError:
            pass
    return files


def are_cpus_allowed():
    with open('/proc/sys/kernel/perf_event_paranoid', encoding='ascii') as file:
        return os.geteuid() == 0 or int(file.read()) <= 0


def events_of(n_threads):
    """How many perf events a recorder of threads has: one on each CPU for each and, where
    it may replace them, a clock for each and one that has a CPU's ring."""
    more = n_threads + os.cpu_count() if are_cpus_allowed() else 0
    return n_threads * os.cpu_count() + more


def has_events(process, n):
    """Whether a recorder, or perf, has so many perf events."""
    assert process.poll() is None, 'it has ended'
    return sum('perf_event' in name for name in open_files(process)) >= n


def await_events(process, n):
    wait_for(lambda: has_events(process, n), 'perf events')


def await_recording(recorder):
    """Until its archive has its name, which it gets when all of its targets are sampled."""
    archive = os.path.realpath(recorder.args[recorder.args.index('-o') + 1])

    def has_begun():
        assert recorder.poll() is None, 'it has ended'
        return archive in open_files(recorder)

    wait_for(has_begun, 'the recording')


def cpu_ns(process, thread):
    """How much CPU time the kernel has given a thread."""
    try:
        with open(f'/proc/{process}/task/{thread}/schedstat', encoding='ascii') as file:
            return int(file.read().split()[0])
    except FileNotFoundError:
        with open(f'/proc/{process}/task/{thread}/stat', encoding='ascii') as file:
            times = file.read().rpartition(')')[2].split()[11:13]
        return sum(map(int, times)) * 10**9 // os.sysconf('SC_CLK_TCK')


def cpu_time_of(process):
    """What the threads that it has now have had, in nanoseconds."""
    return sum(cpu_ns(process, thread) for thread in threads_of(process))


def await_cpu_time(process, threads, ns):
    """Until each thread has had so much CPU time, from now on."""
    ends = {thread: cpu_ns(process, thread) + ns for thread in threads}
    wait_for(lambda: all(cpu_ns(process, t) >= end for t, end in ends.items()), 'CPU time')


def interrupt(recorder):
    recorder.send_signal(signal.SIGINT)
    assert recorder.wait(timeout=patience.SECONDS) == 0


def build_c(directory, name, source, *options):
    """Builds a program; None where there is no compiler, or no static C library."""
    path = os.path.join(directory, name)
    done = subprocess.run(['cc', '-x', 'c', '-', '-o', path, '-pthread', *options],
                          input=source, text=True, stderr=subprocess.PIPE, check=False)
    return path if done.returncode == 0 else None


def forbid(number):
    """A filter of system calls: this one fails with EPERM from here on."""
    def code(op, jt, jf, k):
        return struct.pack('HBBI', op, jt, jf, k)
    program = ctypes.create_string_buffer(
        code(0x20, 0, 0, 0) +               # load the number of the call
        code(0x15, 0, 1, number) +          # is it that one?
        code(0x06, 0, 0, 0x00050001) +      # then EPERM
        code(0x06, 0, 0, 0x7fff0000))       # else continue
    filters = struct.pack('HxxxxxxP', 4, ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, ctypes.c_char_p(filters), 0, 0) == 0


def forbid_perf():
    forbid({'x86_64': 298}.get(os.uname().machine, 241))


def is_perf_allowed(fxtrecord, directory):
    done = subprocess.run([fxtrecord, '--method', 'perf', '-q', '-o',
                           os.path.join(directory, 'probe.fxt'), 'true'],
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print('skipped, what needs perf events:', done.stderr.strip())
    return done.returncode == 0


def main(both=(), perf=(), signals=()):
    fxtrecord, workload, tools = map(os.path.abspath, sys.argv[1:4])
    sanitizers, wanted = sys.argv[4], sys.argv[5:]
    n_run = 0
    with tempfile.TemporaryDirectory() as directory:
        tests = {'signal': (*both, *signals), 'perf': (*both, *perf)}
        if sanitizers != 'none':
            print('skipped, what is sampled from inside: sanitizers')
            del tests['signal']
        if tests['perf'] and not is_perf_allowed(fxtrecord, directory):
            del tests['perf']
        for method, functions in tests.items():
            for function in functions:
                if wanted and function.__name__ not in wanted:
                    continue
                print(f'# {method}: {function.__name__}', flush=True)
                function(Recorder(fxtrecord, workload, tools, sanitizers, method), directory)
                n_run += 1
    sys.exit(0 if n_run > 0 else SKIPPED)
