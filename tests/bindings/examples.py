# SPDX-License-Identifier: BSD-2-Clause
"""The three examples that each binding has, in bindings/*/examples: what each prints."""

import subprocess


def run(*command, **options):
    """Runs a command, which must succeed."""
    done = subprocess.run(command, capture_output=True, check=False, **options)
    assert done.returncode == 0, (command, done.returncode, done.stdout, done.stderr)
    return done


def check(example, source, fxtdump, work):
    """`example` runs one by its name, with arguments and options of subprocess.run."""
    trace = f'{work}/trace.fxt'
    with open(trace, 'wb') as file:
        file.write(example('write').stdout)
    lines = example('read', trace).stdout.decode().splitlines()
    assert len(lines) == 100, lines
    assert lines[99] == '99000 ns, 700 ns long, thread 2: net:receive, 1599 bytes', lines[99]
    with open(f'{source}/tests/data/region.bin', 'rb') as region:
        lines = example('stacks', stdin=region).stdout.decode().splitlines()
    assert lines[0] == 'thread 2077: 0xffffffff80100f6f', lines
    expected = run(fxtdump, '--json', f'{source}/tests/data/region.bin').stdout
    assert len(lines) == expected.count(b'"pcs":') > 0, lines
