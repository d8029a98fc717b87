#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The whole chain on a real program: selfsample samples itself, and what fxt2folded and
fxt2pprof make of its regions must agree with what it counted and measured itself.

test_chain.py SELFSAMPLE TOOLS_DIR
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import shares


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def elf_options(maps):
    """--elf FILE@ADDRESS for each file with code, from /proc/PID/maps as it was."""
    start, code = {}, []
    for line in maps.splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and fields[5].startswith('/'):
            start.setdefault(fields[5], fields[0].split('-')[0])
            if 'x' in fields[1] and fields[5] not in code:
                code.append(fields[5])
    return [word for file in code for word in ('--elf', f'{file}@0x{start[file]}')]


def read_folded(text):
    """The total, and how many samples have each function anywhere in their stack."""
    total, seen_in = 0, {}
    for line in text.splitlines():
        stack, count = line.rsplit(' ', 1)
        total += int(count)
        for function in set(stack.split(';')):
            seen_in[function] = seen_in.get(function, 0) + int(count)
    return total, seen_in


def cpu_ns(truth):
    return max(phase['cpu_ns'] for phase in truth['phases'])


def check_shares(seen_in, total, truth):
    """Each phase's share of the samples is its share of the CPU time."""
    whole = cpu_ns(truth)
    missing = shares.missing_part(whole, total, truth['period_ns'], truth['skipped_late'])
    print(f'{total} samples, {missing:.1%} of the time without')
    for phase in truth['phases']:
        expected = phase['cpu_ns'] / whole
        got = seen_in.get(phase['name'], 0) / total
        allowed = shares.allowed(expected, total, missing)
        print(f"{phase['name']:20} {expected:7.1%} of the time, {got:7.1%} of the samples")
        assert abs(got - expected) <= allowed, (phase['name'], expected, got, allowed)


def sample(selfsample, directory):
    """Its own truth of a run that took a second of CPU time, however long that is."""
    for seconds in 3, 30, 300:
        run(selfsample, '-d', str(seconds), directory)
        with open(os.path.join(directory, 'truth.json'), encoding='utf-8') as file:
            truth = json.load(file)
        if cpu_ns(truth) >= 1e9:
            break
    assert truth['samples_written'] > 0.5 * cpu_ns(truth) / truth['period_ns'], truth
    return truth


def main():
    selfsample, tools = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as directory:
        truth = sample(selfsample, directory)
        with open(os.path.join(directory, 'maps'), encoding='utf-8') as file:
            options = elf_options(file.read())
        regions = sorted(os.path.join(directory, name) for name in os.listdir(directory)
                         if re.fullmatch(r'cpu\d+\.bin', name))
        options += ['-q'] + regions

        folded = run(os.path.join(tools, 'fxt2folded', 'fxt2folded'), *options)
        total, seen_in = read_folded(folded)
        assert total == truth['samples_written'], (total, truth['samples_written'])
        check_shares(seen_in, total, truth)

        profile = os.path.join(directory, 'profile.pb.gz')
        run(os.path.join(tools, 'fxt2pprof', 'fxt2pprof'), '-o', profile, *options)
        if shutil.which('go') is None:
            print('no go here: the profile was not opened')
            return
        top = run('go', 'tool', 'pprof', '-sample_index=samples', '-top', '-nodecount=1000',
                  '-nodefraction=0', profile)
        shown = int(re.search(r'accounting for \d+, .*of (\d+) total', top).group(1))
        assert shown == total, (shown, total)
        for phase in truth['phases']:
            name = phase['name']
            row = re.search(rf'^ *\d+ +\S+ +\S+ +(\d+) +\S+ +{name}$', top, re.M)
            assert row and int(row.group(1)) == seen_in[name], (name, top)


main()
