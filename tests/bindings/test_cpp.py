# SPDX-License-Identifier: BSD-2-Clause
"""bindings/cpp/fxt.hpp: it compiles without warnings as C++17 and C++20, by GCC and by Clang,
without exceptions; it hands out what fxtdump does; its objects and its examples work.

    test_cpp.py SOURCE_ROOT LIBRARY FXTDUMP

Exits with 77, which meson counts as skipped, where there is no C++ compiler.
"""

import os
import shutil
import subprocess
import sys
import tempfile

import examples
import records_agree
from examples import run

SOURCE, LIBRARY, FXTDUMP = sys.argv[1:]
TESTS = f'{SOURCE}/tests/bindings/cpp'
EXAMPLES = f'{SOURCE}/bindings/cpp/examples'
STRICT = ('-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef '
          '-Wcast-align -Wcast-qual -Wwrite-strings -Wvla -Werror').split()
INCLUDE = [f'-I{SOURCE}/bindings/cpp/include', f'-I{SOURCE}/include']


def can_link(compiler, flags):
    done = subprocess.run([compiler, *flags, '-x', 'c++', '-o', os.devnull, '-'],
                          input=b'int main() {}', capture_output=True, check=False)
    return done.returncode == 0


def build(compiler, source, output, *flags):
    run(compiler, '-std=c++17', '-fno-exceptions', '-fno-rtti', *STRICT, *INCLUDE, *flags,
        '-o', output, source, LIBRARY, f'-Wl,-rpath,{os.path.dirname(LIBRARY)}')


def try_examples(compiler, work):
    for name in ('read', 'write', 'stacks'):
        build(compiler, f'{EXAMPLES}/{name}.cpp', f'{work}/{name}', '-O2')

    def example(name, *arguments, **options):
        return run(f'{work}/{name}', *arguments, **options)

    examples.check(example, SOURCE, FXTDUMP, work)
    assert run(f'{work}/read', input=example('write').stdout).stdout.count(b'\n') == 100


def main():
    compilers = [name for name in ('g++', 'clang++') if shutil.which(name)]
    if not compilers:
        print('skipped: there is no g++ and no clang++')
        sys.exit(77)
    for compiler in compilers:
        for flags in (['-std=c++17', '-fno-exceptions', '-fno-rtti'], ['-std=c++20']):
            run(compiler, *flags, *STRICT, *INCLUDE, '-fsyntax-only', f'{TESTS}/objects.cpp')
    sanitize = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']
    compiler = compilers[0]
    if not can_link(compiler, sanitize):
        print('without sanitizers, which the compiler does not have')
        sanitize = []
    with tempfile.TemporaryDirectory() as work:
        try_examples(compiler, work)
        for name in ('objects', 'dump'):
            build(compiler, f'{TESTS}/{name}.cpp', f'{work}/{name}', '-O1', *sanitize)
        run(f'{work}/objects', work)
        records_agree.compare(FXTDUMP, SOURCE, records_agree.program(f'{work}/dump'))


if __name__ == '__main__':
    main()
