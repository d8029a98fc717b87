#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Keys of table_items.h: those with padding, or that leave members out, do not compile; and
no source uses an array in the expression that may move it.

    test_table_items.py SOURCE_ROOT COMPILER...
"""

import os
import re
import subprocess
import sys

PROGRAM = """
#include <stdbool.h>
#include <stdint.h>
#include "common/base/table_items.h"

struct inner { uint32_t a; uint64_t b; };
struct thing { uint64_t x; uint32_t y; bool z; uint32_t w; struct inner inner; };

uint32_t find(const struct table *table, const struct thing *things, const struct thing *thing);
uint32_t find(const struct table *table, const struct thing *things, const struct thing *thing)
{
    return TABLE_FIND(table, things, thing, %s);
}
"""
GOOD = ['x', 'x, y', 'x, y, z']
BAD = {'y': 'padding', 'x, z': 'padding', 'x, y, z, w': 'padding', 'inner': 'error',
       'x, inner.a': 'padding', 'x, y, z, w, inner.a, inner.b': 'padding'}
# A compiler may load the array's address before it is moved, as Clang does.
MOVED = re.compile(r'\[\s*TABLE_PUT\(')


def compile_with(compiler, source, key):
    return subprocess.run([*compiler, '-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-fsyntax-only',
                           f'-I{source}', f'-I{source}/include', '-x', 'c', '-'], input=PROGRAM % key,
                          capture_output=True, text=True, check=False)


def main():
    source, *compiler = sys.argv[1:]
    for key in GOOD:
        done = compile_with(compiler, source, key)
        assert done.returncode == 0 and not done.stderr, done
    for key, why in BAD.items():
        done = compile_with(compiler, source, key)
        assert done.returncode != 0 and why in done.stderr, (key, done)
    n = 0
    for top in ('common', 'libfxtprofile', 'libfxtsampler', 'tools'):
        for directory, _, names in os.walk(os.path.join(source, top)):
            for path in (os.path.join(directory, name) for name in names if name.endswith('.c')):
                with open(path, encoding='utf-8') as file:
                    text = file.read()
                assert not MOVED.search(text), f'{path}: {MOVED.search(text)[0]}'
                n += text.count('TABLE_PUT(')
    assert n > 20, n


if __name__ == '__main__':
    main()
