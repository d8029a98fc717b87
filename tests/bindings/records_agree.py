# SPDX-License-Identifier: BSD-2-Clause
"""What a binding hands out, against fxtdump --json, over all streams of tests/data and all of
fuzz/corpus.

A binding's dump prints an object a line with fxtdump's keys, except that names of numbers are
the numbers; text is {"text": its bytes in hex}, doubles are {"bits": theirs}; errors have no
message; and what a binding does not know of one that ends the stream is null.
"""

import glob
import json
import os
import struct
import subprocess

NUMBERS = {
    'type': {'metadata': 0, 'initialization': 1, 'string': 2, 'thread': 3, 'event': 4,
             'blob': 5, 'userspace_object': 6, 'kernel_object': 7, 'scheduling': 8, 'log': 9,
             'profiler': 10, 'large_blob': 15},
    'metadata': {'provider_info': 1, 'provider_section': 2, 'provider_event': 3,
                 'trace_info': 4},
    'trace_info': {'magic_number': 0},
    'event': {'instant': 0, 'counter': 1, 'duration_begin': 2, 'duration_end': 3,
              'duration_complete': 4, 'async_begin': 5, 'async_instant': 6, 'async_end': 7,
              'flow_begin': 8, 'flow_step': 9, 'flow_end': 10, 'buffer_full': 0},
    'blob_type': {'data': 1, 'last_branch': 2, 'perfetto': 3},
    'object_type': {'process': 1, 'thread': 2},
    'scheduling': {'legacy_context_switch': 0, 'context_switch': 1, 'thread_wakeup': 2},
    'outgoing_state': {'new': 0, 'running': 1, 'suspended': 2, 'blocked': 3, 'dying': 4,
                       'dead': 5},
    'profiler': {'module': 0, 'mapping': 1, 'backtrace': 2},
    'format': {'metadata': 0, 'no_metadata': 1},
}
ARG_TYPES = ['null', 'int32', 'uint32', 'int64', 'uint64', 'double', 'string', 'pointer',
             'koid', 'bool', 'blob']
NOT_FINITE = {'Infinity': float('inf'), '-Infinity': float('-inf'), 'NaN': float('nan')}


def bits(number):
    """A NaN is a NaN, whatever else is in it."""
    if number != number:
        return 'NaN'
    return struct.unpack('<Q', struct.pack('<d', number))[0]


def numbered_arg(arg):
    kind = arg['type']
    value = arg['value']
    if kind == 'double':
        value = {'bits': bits(float(NOT_FINITE.get(value, value)))}
    if kind in ARG_TYPES:
        kind = ARG_TYPES.index(kind)
    return {'name': arg['name'], 'type': kind, 'value': value}


def numbered(record):
    """What fxtdump prints, with numbers for names."""
    made = {}
    for key, value in record.items():
        if key == 'args':
            value = [numbered_arg(arg) for arg in value]
        elif isinstance(value, str):
            value = NUMBERS.get(key, {}).get(value, value)
        if not (key == 'message' and record['type'] == 'error'):
            made[key] = value
    return made


def read(value):
    """What a dump prints, with its text and its bits as above."""
    if isinstance(value, list):
        return [read(one) for one in value]
    if not isinstance(value, dict):
        return value
    if 'text' in value:
        return bytes.fromhex(value['text']).decode('utf-8', 'replace')
    if 'bits' in value:
        return {'bits': bits(struct.unpack('<d', struct.pack('<Q', value['bits']))[0])}
    return {key: read(one) for key, one in value.items()}


def same(expected, got):
    if expected.get('type') == got.get('type') == 'error':
        expected = {key: value if got.get(key) is not None else None
                    for key, value in expected.items()}
    if 'build_id' in got:
        got['build_id'] = got['build_id'].lower()
    return expected == got


def by_region(lines, make):
    """Lists of the objects of each file, and of lines that are none."""
    regions = {}
    for line in lines:
        record = make(json.loads(line))
        regions.setdefault(record['region'], []).append(record)
    return regions


def run(command):
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode, done.stdout.decode().split('\n')[:-1], done.stderr.decode()


def is_compressed(path):
    with open(path, 'rb') as file:
        return file.read(2) == b'\x1f\x8b'


def streams(source, compressed):
    found = glob.glob(f'{source}/tests/data/*') + glob.glob(f'{source}/fuzz/corpus/*/*')
    return sorted(path for path in found if os.path.isfile(path)
                  and not path.endswith(('.py', '.proto'))
                  and (compressed or not is_compressed(path)))


def expected_of(fxtdump, paths, resync):
    """What fxtdump prints of each path; it refuses those that are plainly something else."""
    refused = run([fxtdump, '--json', *paths])[2]
    paths = [path for path in paths if f' {path}: not FXT but ' not in refused]
    status, lines, errors = run([fxtdump, '--json', '--payload', '-q',
                                 *(['--resync'] if resync else []), *paths])
    assert status in (0, 1), errors
    return paths, by_region(lines, numbered)


def compare(fxtdump, source, dump, compressed=False):
    """`dump` makes lines of a list of paths, and of whether to go on after damage."""
    n_records = 0
    for resync in (False, True):
        paths, expected = expected_of(fxtdump, streams(source, compressed), resync)
        got = by_region(dump(paths, resync), read)
        for region, path in enumerate(paths):
            pair = expected.get(region, []), got.get(region, [])
            for one, other in zip(*pair):
                assert same(one, other), f'{path}:\nfxtdump: {one}\nbinding: {other}'
            assert len(pair[0]) == len(pair[1]), (path, len(pair[0]), len(pair[1]))
            n_records += len(pair[0])
        assert len(paths) > 300, 'most of the corpus is not FXT'
    assert n_records > 5000, n_records
    print(f'{n_records} records of {len(paths)} streams are the same')


def program(*command):
    """A dump that is a program."""
    def dump(paths, resync):
        status, lines, errors = run([*command, *(['--resync'] if resync else []), *paths])
        assert status == 0, (status, errors)
        return lines
    return dump
