#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stacks by unwind tables: whole ones of programs without frame pointers, and what the
archive has of those that are not. See recorder.py."""

import os
import platform
import shutil
import signal
import subprocess

from recorder import (await_cpu_time, await_events, build_c, events_of, interrupt, main, run,
                      samples_of, threads_of)

# FXT_STACK_END_OUTERMOST.
OUTERMOST = 1

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

# A function with an array that is not touched, on the new stacks of many threads, and two
# functions by turns that call it: each leads to its own leaf function.
TURNS = SPIN + '''
#include <pthread.h>
#include <sys/mman.h>
enum { STACK_SIZE = 1 << 20 };

static volatile char sink;

APART void spin_a(volatile char *array)
{
    for (volatile int i = 0; i < 200000; i++)
        ;
    array[0] = 1;
}

APART void spin_b(volatile char *array)
{
    for (volatile int i = 0; i < 200000; i++)
        ;
    array[0] = 2;
}

APART void big(int is_b)
{
    volatile char array[12288];

    (is_b ? spin_b : spin_a)(array);
    sink = array[0];
}

APART void side_a(void)
{
    long long end = now() + 5000000;

    while (now() < end)
        big(0);
    sink++;
}

APART void side_b(void)
{
    long long end = now() + 5000000;

    while (now() < end)
        big(1);
    sink++;
}

/* What is above the large array is in another page. */
static void *run(void *unused)
{
    volatile char above[1536];

    above[0] = 1;
    for (int i = 0; i < 6; i++) {
        side_a();
        side_b();
    }
    return unused;
}

int main(void)
{
    for (int i = 0; i < 15; i++) {
        pthread_attr_t attributes;
        pthread_t thread;
        void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, STACK_SIZE);
        pthread_create(&thread, &attributes, run, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
'''

# Of these functions only outer needs a frame pointer.
FRAMELESS = '''
#define APART __attribute__((noinline, noclone, noipa))

static volatile char sink;

APART void inner(void)
{
    for (volatile int i = 0; i < 1000000000; i++)
        ;
}

APART void middle(void)
{
    inner();
    sink++;
}

APART void outer(int n)
{
    volatile char array[n * 16];

    array[0] = 1;
    middle();
    sink = array[0];
}

int main(int argc, char **argv)
{
    (void)argv;
    outer(argc);
    return sink - 1;
}
'''

# Code that is made at run time, and has zero in the register that may be the frame pointer:
# push %rbp; xor %ebp,%ebp; mov $1<<28,%ecx; loop; pop %rbp; ret.
ZERO = '''
#include <string.h>
#include <sys/mman.h>

int main(void)
{
    static const unsigned char code[] = {0x55, 0x31, 0xed, 0xb9, 0,    0,    0,
                                         0x10, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*function)(void);

    memcpy(memory, code, sizeof(code));
    memcpy(&function, &memory, sizeof(memory));
    for (int i = 0; i < 5; i++)
        function();
    return 0;
}
'''

# Python's (-X perf): code that is made at run time, keeps no frame pointer, and is called
# by code that has something else in it.
TRAMPOLINE = SPIN + '''
#include <sys/mman.h>

static volatile int sink;

APART void work(void)
{
    spin(500);
    sink++;
}

APART void call(void (*trampoline)(void), void (*function)(void))
{
    __asm__ volatile("mov $77, %%ebp; call *%0"
                     : : "r"(trampoline), "c"(function)
                     : "rax", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "rbp", "memory");
    sink++;
}

int main(void)
{
    static const unsigned char code[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3};
    char *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memcpy(made, code, sizeof(code));
    call((void (*)(void))made, work);
    usleep(200000);
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
        for (int j = 0; j < 4; j++)
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


LOADS_LATE = SPIN + '''
#include <dlfcn.h>
#include <signal.h>

static volatile sig_atomic_t is_late;

static void note(int number)
{
    (void)number;
    is_late = 1;
}

int main(int argc, char **argv)
{
    void (*work)(void (*)(int));

    signal(SIGUSR1, note);
    while (!is_late)
        spin(1);
    *(void **)&work = dlsym(dlopen(argv[argc - 1], RTLD_NOW), "call_back");
    for (;;)
        work(spin);
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
    assert n >= 30 and ends.get('whole', 0) >= least * n, ends


def check_in_code(samples, records):
    """Every caller is in a mapping that the archive has; before exec, the process is a copy
    of fxtrecord, whose mappings are not."""
    mappings = [x for x in records if x.get('profiler') == 'mapping']
    ranges = [(int(x['start'], 16), int(x['start'], 16) + x['length']) for x in mappings]
    begun = min(x['time_ns'] for x in mappings)
    for sample in (x for x in samples if x['time_ns'] >= begun):
        for pc in (int(pc, 16) for pc in sample['pcs'][1:]):
            assert any(start < pc <= end for start, end in ranges), sample


def check_line(printed, records):
    ends = ends_of(records)
    n = sum(ends.values()) - ends.get('no_stack', 0)
    whole = 100 * ends.get('whole', 0) / n
    assert f'fxtrecord: {whole:.1f} % of stacks whole' in printed, (printed, ends)


def check_unknown_lines(r, printed, archive, records):
    """Some stacks are known to be cut; of the others it is not known, and not claimed."""
    ends = ends_of(records)
    n = sum(ends.values()) - ends.get('no_stack', 0)
    unknown = 100 * ends.get('unknown', 0) / n
    assert 0 < unknown < 100 and ends.get('whole', 0) == 0, ends
    line = f'how {unknown:.1f} % of stacks ended is not known; '
    assert f'fxtrecord: {line}' in printed, (printed, ends)
    said = run(os.path.join(r.tools, 'fxt2folded', 'fxt2folded'), '-o', os.devnull,
               archive).stderr
    assert f' % of stacks not whole; {line}' in said and 'whole' not in printed, (said, ends)


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
    framed = build(directory, 'framed', DEEP, '-fno-omit-frame-pointer')
    archive, records, printed = record(r, directory, '--call-graph', 'fp', 'sh', '-c',
                                       f'{program}; {framed} 3 16')
    check_unknown_lines(r, printed, archive, records)


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
        file.write(os.urandom(300000) * 30)
    for command in (['python3', '-c', 'import json\nfor i in range(1200): '
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
    # Until the page is there, which is so when the first copies have been looked at.
    check_whole(records, 0.85)
    assert share(r.folded(archive), 'main', 'with_hole', 'inner', 'spin') >= 0.85


def test_hole_is_not_read_late(r, directory):
    """What was above it when the sample was taken is not known: the stack is cut there, and
    has no callers that it got later."""
    program = build(directory, 'turns', TURNS)
    archive, records, printed = record(r, directory, program)
    ends = ends_of(records)
    stacks = r.folded(archive)
    for side, other in ('ab', 'ba'):
        assert share(stacks, f'side_{side}', 'big', f'spin_{other}') == 0, (ends, stacks)
        assert share(stacks, 'run', f'side_{side}', 'big', f'spin_{side}') >= 0.2, stacks
    assert ends.get('unreadable', 0) >= 20, ends
    assert 'were in part not in memory' in printed, printed


def test_frameless(r, directory):
    """Without tables and frame pointers, the frame pointer of a caller further up does not
    lead to the next one. With them it does."""
    no_tables = '-fno-asynchronous-unwind-tables', '-fno-unwind-tables'
    program = build(directory, 'frameless', FRAMELESS, *no_tables)
    archive, records, _ = record(r, directory, program)
    ends = ends_of(records)
    assert ends.get('no_table', 0) >= 0.9 * sum(ends.values()) >= 20, ends
    assert share(r.folded(archive), 'inner') >= 0.9
    assert share(r.folded(archive), 'main', 'inner') == 0
    program = build(directory, 'frames', FRAMELESS, *no_tables, '-fno-omit-frame-pointer')
    archive, records, _ = record(r, directory, program)
    check_whole(records, 0.95)
    assert share(r.folded(archive), 'main', 'outer', 'middle', 'inner') >= 0.95


def test_zero_is_no_frame(r, directory):
    """Where no frame record has led to code that was made at run time, a zero in the
    register does not say that nothing has called it."""
    program = build(directory, 'zero', ZERO)
    _, records, _ = record(r, directory, program)
    ends = ends_of(records)
    assert ends.get('no_table', 0) >= 0.9 * sum(ends.values()) >= 20, ends


def test_trampoline(r, directory):
    program = build(directory, 'trampoline', TRAMPOLINE.replace('#include', '#include <unistd.h>\n#include', 1))
    archive, records, _ = record(r, directory, program)
    check_whole(records, 0.95)
    assert share(r.folded(archive), '_start', 'main', 'work', 'spin') >= 0.95


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
        await_events(recorder, events_of(1))
        await_cpu_time(process.pid, threads_of(process.pid), 300000000)
        interrupt(recorder)
    finally:
        process.kill()
        process.wait()
    check_whole(r.dump(archive))
    assert share(r.folded(archive), '_start', 'main', 'work', 'compare', 'spin') >= 0.95


def test_lost(r, directory):
    """A recorder that was not run for a while: rings were full, also when a library was
    loaded. The record of its mapping is larger than a sample, for which there is no room."""
    place = os.path.join(directory, *['x' * 200] * 8)
    os.makedirs(place)
    library = build(place, 'library.so', LIBRARY, '-shared', '-fPIC')
    program = build(directory, 'late', LOADS_LATE, '-ldl')
    archive = os.path.join(directory, 'lost.fxt')
    process = subprocess.Popen([program, library])
    os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})
    recorder = subprocess.Popen(r.command('-F', '10000', '--stack-size', '1K', '-o',
                                          archive, '-p', str(process.pid)),
                                stderr=subprocess.PIPE, text=True)
    threads = threads_of(process.pid)
    try:
        await_events(recorder, os.cpu_count())
        await_cpu_time(process.pid, threads, 100000000)
        recorder.send_signal(signal.SIGSTOP)
        await_cpu_time(process.pid, threads, 400000000)
        process.send_signal(signal.SIGUSR1)
        await_cpu_time(process.pid, threads, 100000000)
        recorder.send_signal(signal.SIGCONT)
        await_cpu_time(process.pid, threads, 300000000)
        interrupt(recorder)
    finally:
        recorder.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
    printed = recorder.stderr.read()
    assert ' 0 lost' not in printed, printed
    assert 'were lost before fxtrecord read them: fewer samples a second (-F)' in printed
    records = r.dump(archive)
    late = samples_of(records)[-1000:]
    whole = sum(sample['args'][0]['value'] == OUTERMOST for sample in late)
    assert whole >= 0.98 * len(late), (whole, late[-1])
    check_in_code(late, records)


def test_static(r, directory):
    """No .eh_frame_hdr, and nothing is mapped but the program."""
    program = build_c(directory, 'static', CALLBACK, '-static', '-O2',
                      '-fomit-frame-pointer')
    if program is None:
        print('skipped: there is no static C library')
        return
    _, records, _ = record(r, directory, program)
    check_whole(records)


# `contexts how`: in a context of makecontext, or in a signal's handler that has a stack of
# its own.
CONTEXTS = SPIN + '''
#include <signal.h>
#include <ucontext.h>

static ucontext_t first;
static ucontext_t second;
static char stack[1 << 16];

APART static void work(void)
{
    spin(300);
    __asm__ volatile("");
}

APART static void handle(int number)
{
    (void)number;
    work();
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    if (argv[1][0] == 'c') {
        getcontext(&second);
        second.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof(stack)};
        second.uc_link = &first;
        makecontext(&second, work, 0);
        return swapcontext(&first, &second);
    }
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle, .sa_flags = SA_ONSTACK},
              NULL);
    return raise(SIGUSR1);
}
'''


def test_contexts(r, directory):
    """A context begins at its function; where a handler has a separate stack, the other
    one is not copied, and that is the reason."""
    program = build(directory, 'contexts', CONTEXTS)
    archive, records, _ = record(r, directory, program, 'context')
    check_whole(records)
    assert share(r.folded(archive), 'work', 'spin') >= 0.9
    archive, records, printed = record(r, directory, program, 'signal')
    ends = ends_of(records)
    assert ends['stack_switch'] >= 0.9 * sum(ends.values()), ends
    assert 'where the stack is switched' in printed, printed
    assert share(r.folded(archive), 'handle', 'work', 'spin') >= 0.9


def test_zstd(r, directory):
    """Tables that cannot be read are not said to be missing."""
    program = build_c(directory, 'compressed', CALLBACK, '-g', '-O2', '-fomit-frame-pointer',
                      '-fno-asynchronous-unwind-tables', '-fno-unwind-tables')
    done = subprocess.run(['objcopy', '--compress-debug-sections=zstd', program],
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        print('skipped: objcopy has no zstd')
        return
    _, _, printed = record(r, directory, program)
    assert 'compressed, whose unwind tables are compressed by zstd' in printed, printed


# Without frames where a stack begins, and on another stack while it asks for the time. How
# long it does either goes by its own CPU time: on a busy machine, a time that passes is
# another share of the samples.
GO = '''
package main

import (
	"syscall"
	"time"
)

func used() int64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func nest(n int, end int64) int {
	var local [16]int
	local[n%16] = n
	if n > 0 {
		return nest(n-1, end) + local[n%16]
	}
	for used() < end {
		for i := 0; i < 200000; i++ {
			local[i%16] += i
		}
	}
	return local[3]
}

func main() {
	done := make(chan int)
	end := used() + 500e6
	go func() { done <- nest(10, end) }()
	println(<-done > 0)
	end = used() + 200e6
	for used() < end {
		for i := 0; i < 10000; i++ {
			time.Now()
		}
	}
}
'''


def test_go(r, directory):
    """Stripped, too: the runtime's own tables stay in the program."""
    if shutil.which('go') is None:
        print('skipped: there is no Go')
        return
    source = os.path.join(directory, 'main.go')
    with open(source, 'w', encoding='ascii') as file:
        file.write(GO)
    environment = {**os.environ, 'CGO_ENABLED': '0', 'GO111MODULE': 'off', 'GOFLAGS': '',
                   'GOCACHE': os.path.join(directory, 'cache')}
    for options in [], ['-ldflags=-s -w']:
        program = os.path.join(directory, 'in_go')
        subprocess.run(['go', 'build', '-o', program, *options, source], check=True,
                       env=environment)
        archive, records, _ = record(r, directory, program)
        ends = ends_of(records)
        n = sum(ends.values()) - ends.get('no_stack', 0)
        assert ends['whole'] + ends.get('stack_switch', 0) >= 0.99 * n, ends
        assert ends['whole'] >= 0.5 * n and ends['stack_switch'] > 0, ends
        if not options:
            chain = 'runtime.goexit.abi0', 'main.main.func1', 'main.nest', 'main.nest'
            assert share(r.folded(archive), *chain) >= 0.5


def test_no_garbage(r, directory):
    """By frame pointers, too, nothing past the first PC outside all code is kept."""
    program = build(directory, 'callback', CALLBACK)
    for how in 'fp', 'dwarf':
        _, records, _ = record(r, directory, '--call-graph', how, '--user', program)
        check_in_code(samples_of(records), records)


if platform.machine() == 'x86_64':
    main(both=[test_frameless, test_zero_is_no_frame],
         perf=[test_callback, test_exceptions, test_programs, test_copy_too_short, test_depth,
               test_hole, test_hole_is_not_read_late, test_libraries, test_running, test_lost,
               test_static, test_go, test_trampoline, test_contexts, test_zstd,
               test_no_garbage])
else:
    main(perf=[test_callback, test_exceptions, test_programs, test_copy_too_short,
               test_libraries, test_running, test_lost, test_no_garbage])
