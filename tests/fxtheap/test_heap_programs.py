#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Real programs under libfxtheap: what they do is what they do without it.

test_heap_programs.py BUILD_DIR [TEST...]
"""

import os
import random
import re
import socket
import subprocess
import sys
import time

from heaps import main, needs_compiler, test

MODES = ((), ('--sample', '64K'), ('--mmap', '--no-children'))


def outcome(command, **how):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    return done.returncode, done.stdout, done.stderr


def check(heap, *command, made=(), **how):
    """The same status, outputs and files as without the library, in all modes."""
    plain = outcome(command, **how)
    files = [read(path) for path in made]
    for mode in MODES:
        for path in made:
            os.unlink(path)
        assert outcome(heap.command(*command, options=mode), **how) == plain, (command, mode)
        assert [read(path) for path in made] == files, (command, mode)
    assert heap.left() == [], command
    return plain


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, text):
    with open(path, 'w') as file:
        file.write(text)
    return path


@test
def python_runs_as_ever(heap):
    script = write(heap.path('script.py'), '''
import collections, json, re, subprocess, sys, threading
words = collections.Counter(re.findall('[a-z]+', open(sys.argv[1]).read()))
lists = [json.loads(json.dumps([i] * i)) for i in range(300)]
results = []
threads = [threading.Thread(target=lambda i=i: results.append(sum(range(i * 1000)))) for i in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(words.most_common(5), sum(map(len, lists)), sorted(results))
print(subprocess.check_output(['sh', '-c', 'echo from a child; exit 0'], text=True))
try:
    bytearray(1 << 46)
except MemoryError:
    print('no memory')
sys.exit(7)
''')
    status, out, _ = check(heap, sys.executable, '-I', script, script)
    assert status == 7 and b'from a child' in out and b'no memory' in out


@test
@needs_compiler('gcc', 'cc')
def a_compiler_makes_the_same(heap, compiler):
    source, made = heap.path('source.c'), heap.path('made.o')
    write(source, '#include <stdio.h>\n#include <stdlib.h>\n' + ''.join(
        f'int f{i}(int x) {{ return x * {i} + (x > 3 ? f{i - 1}(x - 1) : {i}); }}\n'
        for i in range(1, 300)).replace('f0(', 'abs(') + '#warning this\n')
    status, _, err = check(heap, compiler, '-O2', '-g', '-c', '-o', made, source, made=[made])
    assert status == 0 and b'warning' in err


def check_cpp(heap, compiler, name, out, *options):
    source = os.path.join(os.path.dirname(__file__), 'programs', name + '.cc')
    program = heap.path(name)
    for linked in ((), ('-static-libstdc++',)):
        subprocess.run([compiler, '-std=c++17', *options, *linked, '-o', program, source],
                       check=True)
        assert check(heap, program)[:2] == (0, out)


@test
@needs_compiler('c++')
def programs_keep_their_own_operators_of_cpp(heap, compiler):
    check_cpp(heap, compiler, 'operators', b'8 new, 8 deleted\n')


@test
@needs_compiler('c++')
def operators_of_cpp_call_a_program_s_own_malloc(heap, compiler):
    check_cpp(heap, compiler, 'own_malloc', b'3000 allocated, 3000 freed\n', '-fno-builtin')


@test
def sort_sorts(heap):
    chance = random.Random(3)
    numbers = write(heap.path('numbers'),
                    ''.join(f'{chance.getrandbits(60)}\n' for _ in range(200000)))
    made = heap.path('sorted')
    check(heap, 'sort', '-n', '--parallel=2', '-S', '4M', '-T', heap.work, '-o', made, numbers,
          made=[made])


@test
def a_pipeline_of_shells_is_unharmed(heap):
    status, out, _ = check(heap, 'sh', '-c',
                           'for i in 1 2 3; do (echo $i | sed s/^/x/ | tr x y); done; '
                           'find / -maxdepth 1 | wc -l; exit 5')
    assert status == 5 and out.startswith(b'y1\ny2\ny3\n')


def talk(port, lines):
    with socket.create_connection(('127.0.0.1', port)) as connection:
        stream = connection.makefile('rw')
        answers = []
        for line in lines:
            stream.write(line + '\n')
            stream.flush()
            answers.append(stream.readline())
        return answers


@test
def a_threaded_server_answers(heap):
    lines = [f'{i} ' * (i % 50 + 1) for i in range(100)]
    for mode in MODES:
        command = heap.command(heap.program('heap_server'), options=mode)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            port = int(server.stdout.readline())
            for _ in range(20):
                assert talk(port, lines) == [line[::-1] + '\n' for line in lines]
                if not mode:
                    heap.snapshot('--by-name', 'heap_server')
            assert talk(port, ['end']) == ['']
            assert server.wait() == 0


@test
@needs_compiler('gcc', 'cc')
def programs_that_cannot_be_recorded_run_all_the_same(heap, compiler):
    source = write(heap.path('source.c'), '''
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *block = malloc(10); printf("%d\\n", block != NULL); free(block); return 5; }
''')
    program = heap.path('program')
    for options, why in ((['-static'], 'linked statically'),
                         (['-static-pie'], 'linked statically'),
                         (['-fsanitize=address'], 'has a sanitizer'),
                         (['-fsanitize=address', '-static-libasan'], 'has a sanitizer'),
                         (['-g'], None)):
        done = subprocess.run([compiler, *options, '-o', program, source],
                              stderr=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            print('skipped: the compiler cannot do', *options)
            continue
        said = f'fxtheap: {program}: {why}' if why else ''
        status, out, err = outcome(heap.command(program))
        assert (status, out) == (5, b'1\n') and err.decode().startswith(said), (options, err)
        assert bool(err) == bool(why), err
        env = {**os.environ, 'PATH': heap.work}
        assert outcome(heap.command('program'), env=env)[:2] == (5, b'1\n')
        at_exit = heap.command(program, options=('--at-exit', heap.path('left.fxt')))
        status, _, err = outcome(at_exit)
        assert status == 5 and (b'no process has left a table' in err) == bool(why), err
    os.chmod(program, 0o6755)
    if os.geteuid() == 0:
        os.chown(program, 1, 1)
        os.chmod(program, 0o6755)
        status, out, err = outcome(heap.command(program))
        assert (status, out) == (5, b'1\n') and b'gains privileges' in err, err
    assert heap.left() == []


@test
@needs_compiler('gcc', 'cc')
def a_program_that_calls_what_only_its_allocator_has_is_recorded_with_a_warning(heap, compiler):
    library, program = heap.path('liballocator.so'), heap.path('program')
    source = write(heap.path('library.c'), '''
#include <stdlib.h>
void *mi_malloc(size_t size) { return malloc(size); }
''')
    subprocess.run([compiler, '-shared', '-fPIC', '-o', library, source], check=True)
    source = write(heap.path('source.c'), '''
#include <stddef.h>
void *mi_malloc(size_t);
int main(void) { return mi_malloc(1234) == NULL; }
''')
    subprocess.run([compiler, '-o', program, source, library], check=True)
    status, _, err = outcome(heap.command(program, options=('--at-exit', heap.path('left.fxt'))))
    said = f'fxtheap: {program}: calls functions that only its allocator has'
    assert status == 0 and err.decode().startswith(said), (status, err)
    assert 1234 in heap.folded('left.fxt').values()


@test
@needs_compiler('gcc', 'cc')
def sized_frees_of_c23_are_followed(heap, compiler):
    """The functions of the library do nothing: only libfxtheap's free the blocks."""
    library, program = heap.path('liballocator.so'), heap.path('program')
    source = write(heap.path('library.c'), '''
#include <stddef.h>
void free_sized(void *block, size_t size) {}
void free_aligned_sized(void *block, size_t alignment, size_t size) {}
''')
    subprocess.run([compiler, '-fno-builtin', '-shared', '-fPIC', '-o', library, source],
                   check=True)
    source = write(heap.path('source.c'), '''
#include <stdlib.h>
void free_sized(void *, size_t);
void free_aligned_sized(void *, size_t, size_t);
void *volatile kept;
int main(void)
{
    free_sized(malloc(1111), 1111);
    free_sized(NULL, 0);
    free_aligned_sized(aligned_alloc(64, 2240), 64, 2240);
    kept = malloc(3333);
    return 0;
}
''')
    subprocess.run([compiler, '-fno-builtin', '-o', program, source, library], check=True)
    status, _, err = outcome(heap.command(program, options=('--at-exit', heap.path('left.fxt'))))
    assert status == 0, (status, err)
    left = heap.folded('left.fxt').values()
    assert 3333 in left and not {1111, 2240} & set(left), left


JEMALLOC = '''
#include <stdlib.h>
void *mallocx(size_t, int) WEAK;
void *rallocx(void *, size_t, int) WEAK;
size_t xallocx(void *, size_t, size_t, int) WEAK;
void dallocx(void *, int) WEAK;
void sdallocx(void *, size_t, int) WEAK;
void *volatile kept[8];
enum { ALIGNED_AND_ZERO = 12 | 0x40 };
__attribute__((noinline)) static void keep(void)
{
    kept[0] = mallocx(1001, 0);
    kept[1] = mallocx(2002, ALIGNED_AND_ZERO);
    kept[2] = rallocx(mallocx(100, 0), 30003, 0);
    kept[3] = rallocx(malloc(100), 4004, 0);
    kept[4] = malloc(5005);
    if (xallocx(kept[4], (size_t)1 << 40, 0, 0) >= (size_t)1 << 40)
        abort();
    if ((size_t)kept[1] % 4096 != 0 || *(char *)kept[1] != 0)
        abort();
}
__attribute__((noinline)) static void leave_none(void)
{
    dallocx(mallocx(100, 0), 0);
    sdallocx(mallocx(100, ALIGNED_AND_ZERO), 100, ALIGNED_AND_ZERO);
    sdallocx(malloc(100), 100, 0);
    dallocx(calloc(1, 100), 0);
    free(mallocx(100, 0));
}
int main(void) { return keep(), leave_none(), 0; }
'''

TCMALLOC = '''
#include <stdlib.h>
void *tc_malloc(size_t) WEAK;
void *tc_calloc(size_t, size_t) WEAK;
void *tc_realloc(void *, size_t) WEAK;
void *tc_memalign(size_t, size_t) WEAK;
int tc_posix_memalign(void **, size_t, size_t) WEAK;
void *tc_new(size_t) WEAK;
void tc_free(void *) WEAK;
void tc_free_sized(void *, size_t) WEAK;
void tc_delete(void *) WEAK;
void *volatile kept[8];
__attribute__((noinline)) static void keep(void)
{
    kept[0] = tc_malloc(1001);
    kept[1] = tc_memalign(64, 2002);
    kept[2] = tc_realloc(tc_malloc(100), 30003);
    kept[3] = tc_realloc(NULL, 4004);
    if (tc_posix_memalign((void **)&kept[4], 64, 5005) != 0 || (size_t)kept[1] % 64 != 0)
        abort();
}
__attribute__((noinline)) static void leave_none(void)
{
    tc_free(tc_malloc(100));
    tc_free_sized(malloc(100), 100);
    tc_delete(tc_new(100));
    free(tc_calloc(10, 10));
    tc_free(NULL);
    if (tc_realloc(tc_malloc(100), 0) != NULL)
        abort();
}
int main(void) { return keep(), leave_none(), 0; }
'''

def check_own_functions(heap, program, options=()):
    done = outcome(heap.command(program, options=(*options, '-q', '--at-exit',
                                                  heap.path('left.fxt'))))
    assert done == (0, b'', b''), done
    found = {stack: n for stack, n in heap.folded('left.fxt').items() if 'main' in stack}
    assert sum(n for stack, n in found.items() if 'keep' in stack) == 42015, found
    assert not any('leave_none' in stack for stack in found), found


@test
@needs_compiler('gcc', 'cc')
def functions_that_only_some_allocators_have_are_followed(heap, compiler):
    program = heap.path('program')
    for name, text in (('jemalloc', JEMALLOC), ('tcmalloc_minimal', TCMALLOC)):
        source = write(heap.path('source.c'), text)
        for weak, libraries in (('', ['-l' + name]), ('__attribute__((weak))', [])):
            done = subprocess.run([compiler, '-fno-builtin', '-DWEAK=' + weak, '-o', program,
                                   source, '-Wl,--no-as-needed', *libraries],
                                  stderr=subprocess.DEVNULL, check=False)
            if done.returncode != 0:
                print(f'skipped: {name} is not installed')
                continue
            for options in (), ('--sample', '1'):
                check_own_functions(heap, program, options)


@test
@needs_compiler('gcc', 'cc')
def functions_that_a_program_has_itself_or_whose_names_end_alike_are_no_warning(heap, compiler):
    library, program = heap.path('libalike.so'), heap.path('program')
    source = write(heap.path('library.c'), 'int my_mi_malloc(void) { return 0; }\n')
    subprocess.run([compiler, '-shared', '-fPIC', '-o', library, source], check=True)
    source = write(heap.path('source.c'), '''
int my_mi_malloc(void);
void mi_free(void *block);
void mi_free(void *block) { (void)block; }
int main(void) { return mi_free(0), my_mi_malloc(); }
''')
    subprocess.run([compiler, '-rdynamic', '-o', program, source, library], check=True)
    assert outcome(heap.command(program)) == (0, b'', b'')



if __name__ == '__main__':
    main()
