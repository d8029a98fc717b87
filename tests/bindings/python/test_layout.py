# SPDX-License-Identifier: BSD-2-Clause
"""The structs of the package have the sizes and offsets that a C compiler gives those of the
headers."""

import re
import shutil
import subprocess

import pytest
from fxt import _library, _profile

# What has no name in a header, or is only the first part of a struct.
INNER = {'ArgValue', 'RecordUnion'}
PARTS = {'ReaderOptions', 'WriterOptions', 'ProfileOptions', 'ProfileOutput'}
NAMES = {'Report': 'fxt_profile_report', 'ValueType': 'fxt_profile_value_type'}
MEMBERS = [(_library.ArgValue, 'fxt_arg', 'value.'), (_library.RecordUnion, 'fxt_record', '')]


def name_of(struct):
    snake = re.sub(r'(?<!^)(?=[A-Z])', '_', struct.__name__).lower()
    return NAMES.get(struct.__name__, f'fxt_{snake}')


def all_structs():
    for module in (_library, _profile):
        for one in vars(module).values():
            if isinstance(one, type) and hasattr(one, '_fields_') \
                    and one.__module__ == module.__name__ and one.__name__ not in INNER:
                yield one


def rows():
    """Expressions of C and what they must be."""
    for struct in all_structs():
        name = f'struct {name_of(struct)}'
        if struct.__name__ not in PARTS:
            yield f'sizeof({name})', _library.ctypes.sizeof(struct)
        for field, *_ in struct._fields_:
            if field == 'of_type':
                continue
            place = getattr(struct, field)
            yield f'offsetof({name}, {field})', place.offset
            yield f'sizeof((({name} *)0)->{field})', place.size
    for union, outer, prefix in MEMBERS:
        base = _library.Arg.value if outer == 'fxt_arg' else _library.Record.of_type
        for field, *_ in union._fields_:
            yield f'offsetof(struct {outer}, {prefix}{field})', base.offset
            yield (f'sizeof(((struct {outer} *)0)->{prefix}{field})',
                   getattr(union, field).size)


def test_structs_are_as_in_c(source, tmp_path):
    if shutil.which('cc') is None:
        pytest.skip('there is no cc')
    expected = list(rows())
    assert len(expected) > 300
    lines = ['#include <stddef.h>', '#include <fxt/fxt.h>', '#include <fxt/profile.h>',
             *(f'_Static_assert({expression} == {value}, "{expression}");'
               for expression, value in expected)]
    program = tmp_path / 'layout.c'
    program.write_text('\n'.join(lines) + '\n')
    subprocess.run(['cc', '-std=c11', '-fsyntax-only', f'-I{source}/include',
                    f'-I{source}/libfxtprofile/include', str(program)], check=True)


def test_the_soversion_is_that_of_the_header(source):
    with open(f'{source}/include/fxt/version.h', encoding='utf-8') as file:
        text = file.read()
    assert f'#define FXT_SOVERSION {_library.SOVERSION}\n' in text
    assert f'"{_library.version()}"' in text
