#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that trace themselves with fxt/trace.h, and are recorded: one archive has their
spans and their samples. See recorder.py."""

import glob
import json
import os
import signal
import subprocess
import time

import patience
from recorder import build_c, main, processes_of, run, samples_of, wait_for

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'include')

# Forks, and calls exec, if it is asked to; a span of 5 ms of work for each request.
PROGRAM = r'''
#define _GNU_SOURCE
#define FXT_TRACE_IMPLEMENTATION
#include <fxt/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

__attribute__((noinline)) void compute(int ms)
{
    struct timespec now, end;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    do {
        for (volatile int i = 0; i < 100000; i++)
            continue;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - end.tv_sec) * 1000 + (now.tv_nsec - end.tv_nsec) / 1000000 < ms);
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);

    for (int i = 0; i < n; i++) {
        FXT_SCOPE("test", "request", "i", i);
        compute(5);
    }
    if (argc > 2) {
        if (fork() == 0) {
            FXT_INSTANT("test", "before exec");
            return execl(argv[0], argv[0], "10", (char *)NULL);
        }
        wait(NULL);
    }
    compute(20);
    puts("done");
    return 0;
}
'''


def build(directory):
    return build_c(directory, 'program', PROGRAM, '-O1', '-g', '-I', INCLUDE)


def requests_of(records):
    """How many spans each process has begun."""
    found = {}
    for x in records:
        if x.get('event') == 'duration_begin' and x['name'] == 'request':
            found[x['process']] = found.get(x['process'], 0) + 1
    return found


def left_in(directory):
    return glob.glob(os.path.join(directory, '*.programs-*'))


def environment(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith('FXT_TRACE')}, **more}


def check_one_archive(r, directory):
    program, trace = build(directory), os.path.join(directory, 't.fxt')
    done = r.record('-o', trace, program, '20', 'forks', env=environment())
    assert 'has what 3 programs traced' in done.stderr and 'done' in done.stdout, done
    records = r.dump(trace)
    requests = requests_of(records)
    assert sorted(requests.values()) == [10, 20], requests
    # What a process traced before it called exec is there, too.
    (before,) = [x for x in records if x.get('name') == 'before exec']
    assert requests[before['process']] == 10, before
    assert set(requests) <= set(processes_of(records)), processes_of(records)
    assert {x['process'] for x in samples_of(records)} >= set(requests)
    # Which functions ran inside: nearly all samples are in the spans, by the same clock.
    tool = os.path.join(r.tools, 'fxtreport', 'fxtreport')
    span = json.loads(run(tool, '-q', '--json', '--span', 'request', trace).stdout)['span']
    inside = [row for one in span['slowest'] for row in one.get('functions', ())]
    assert span['count'] == 30 and any(x['name'] == 'compute' for x in inside), inside
    assert left_in(directory) == []


def check_without(r, directory):
    program, trace = build(directory), os.path.join(directory, 't.fxt')
    own = os.path.join(directory, 'own.fxt')
    for options, more in ((['--no-program-traces'], {}), ([], {'FXT_TRACE_FILE': own})):
        done = r.record('-o', trace, *options, program, '2', env=environment(**more))
        assert 'traced' not in done.stderr and requests_of(r.dump(trace)) == {}, done
    assert list(requests_of(r.dump(own)).values()) == [2]
    # One that is no such program, and ways to write that leave nothing to merge into.
    for options in (['-o', trace, 'true'], ['-o', trace, '--max-size', '1M', program, '2'],
                    ['--regions', os.path.join(directory, 'regions'), program, '2']):
        assert 'traced' not in r.record(*options, env=environment()).stderr
    assert left_in(directory) == []


def has_request(r, path):
    """Of a trace that is being written: its last record may be half there."""
    tool = os.path.join(r.tools, 'fxtdump', 'fxtdump')
    done = subprocess.run([tool, '--json', path], capture_output=True, text=True, check=False)
    return requests_of(json.loads(line) for line in done.stdout.splitlines()) != {}


def check_killed(r, directory):
    """The archive of samples and the trace are both there, and can be merged by hand."""
    program, trace = build(directory), os.path.join(directory, 'killed.fxt')
    command = r.command('-o', trace, program, '100000')
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE,
                          start_new_session=True) as recorder:
        wait_for(lambda: any(has_request(r, x) for one in left_in(directory)
                             for x in glob.glob(one + '/*.fxt')), 'a trace')
        wait_for(lambda: os.path.exists(trace), 'its archive')
        recorder.kill()
        os.killpg(recorder.pid, signal.SIGKILL)
        recorder.wait(patience.SECONDS)
    assert requests_of(r.dump(trace)) == {}
    (left,) = left_in(directory)
    tool, both = os.path.join(r.tools, 'fxtmerge', 'fxtmerge'), os.path.join(directory, 'b.fxt')
    run(tool, '-q', '-o', both, trace, *glob.glob(left + '/*.fxt'))
    assert list(requests_of(r.dump(both)).values())[0] > 0
    for path in [trace, *glob.glob(left + '/*')]:
        os.unlink(path)
    os.rmdir(left)


def check_signalled_twice(r, directory):
    """timeout(1) signals the process and then its group, which is no second request, even
    if it comes late."""
    program, trace = build(directory), os.path.join(directory, 't.fxt')
    with subprocess.Popen(r.command('-o', trace, program, '100000'), env=environment(),
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as recorder:
        time.sleep(1)
        for _ in range(5):
            os.killpg(recorder.pid, signal.SIGINT)
            time.sleep(0.005)
        _, stderr = recorder.communicate(timeout=patience.SECONDS)
    assert 'has what 1 program traced' in stderr, stderr
    assert requests_of(r.dump(trace)) and left_in(directory) == []


def check_recording_ends_first(r, directory):
    """What the program traces afterwards belongs to no recording, as its samples."""
    program, trace = build(directory), os.path.join(directory, 't.fxt')
    done = r.record('-d', '0.2', '-o', trace, program, '80', env=environment())
    (n,) = requests_of(r.dump(trace)).values()
    assert 0 < n < 80 and 'done' in done.stdout, (n, done)
    assert left_in(directory) == []


def check_unmergeable(r, directory):
    """Where not all can be merged, it is not removed."""
    program, trace = build(directory), os.path.join(directory, 't.fxt')
    script = f'{program} 2; for f in {trace}.programs-*/*; do printf "%4096s" x > $f.fxt; ' \
             'head -c 8 $f | cat - $f.fxt > $f.2.fxt; rm $f.fxt; done'
    done = r.record('-o', trace, 'sh', '-c', script, status=1, env=environment())
    (left,) = left_in(directory)
    assert left in done.stderr and 'not all' in done.stderr, done
    assert samples_of(r.dump(trace)) and len(os.listdir(left)) == 2
    for path in glob.glob(left + '/*'):
        os.unlink(path)
    os.rmdir(left)


if __name__ == '__main__':
    main(both=(check_one_archive, check_without, check_recording_ends_first, check_killed,
               check_signalled_twice),
         perf=(check_unmergeable,))
