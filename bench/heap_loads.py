# SPDX-License-Identifier: BSD-2-Clause
"""The programs of which heap_compare.py and heap_programs.py record the heaps: what they are
given to do, in the size that each needs; and what both ask of their command lines."""

import os
import shutil
import subprocess
import sys
import tempfile

SQL = '''create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < {rows})
insert into t select i, 'text ' || (i * 7919 % 100003), i * 0.5 from n;
create index tb on t(b);
update t set b = b || 'x' where a % 3 = 0;
select count(distinct b) from t;
'''


def perl(n, n_keys, at_end=''):
    return (f'my %h; for my $i (1..{n}) {{ my $k = "key" . ($i % {n_keys}); '
            'push @{$h{$k}}, {n => $i, s => "x$i"}; shift @{$h{$k}} if $i % 3 == 0; } '
            f'$| = 1; print scalar(keys %h), "\\n"; {at_end}')


def python(n, at_end=''):
    return f'''
import json, sys
d = []
for i in range({n}):
    text = json.dumps([{{"a": [i] * 5, "b": "x" * 600, "k%d" % j: j}} for j in range(100)], indent=1)
    d.append(json.loads(text))
print(len(d), flush=True)
{at_end}
'''


def repository(directory, n_commits):
    """One of git; returns its path."""
    path = os.path.join(directory, 'repository')
    stream = ['reset refs/heads/master\n']
    for i in range(n_commits):
        files = ''.join(f'M 644 inline d{j % 7}/f{j}\ndata <<E\n{i} {j} text\nE\n'
                        for j in range(i % 40))
        stream.append(f'commit refs/heads/master\ncommitter A <a@b.c> {1600000000 + i} +0000\n'
                      f'data <<E\nmessage {i}\nE\n{files}\n')
    subprocess.run(['git', 'init', '-q', '--bare', path], check=True)
    subprocess.run(['git', '-C', path, 'fast-import', '--quiet'], input=''.join(stream),
                   text=True, check=True)
    return path


def theirs(directory):
    """The lines of heaptrack's recording in a directory, of which `theirs` is the name."""
    name = next(name for name in os.listdir(directory) if name.startswith('theirs'))
    unpack = ['zstd', '-dcq'] if name.endswith('.zst') else ['gzip', '-dc']
    process = subprocess.Popen([*unpack, os.path.join(directory, name)], stdout=subprocess.PIPE,
                               text=True, errors='replace')
    yield from process.stdout
    process.wait()


def judge_all(programs, judge):
    """Of the programs that are named on the command line, or all: calls `judge` with the
    name, what `programs` has of it, our tools and the reader of archives. Returns how many
    are good, and how many there are."""
    tools, chosen = sys.argv[1:4], sys.argv[5:]
    tests = os.path.dirname(os.path.abspath(sys.argv[4]))
    sys.path[:0] = [tests, os.path.join(os.path.dirname(tests), 'support')]
    from heaps import Archive  # pylint: disable=import-outside-toplevel
    n = n_bad = 0
    with tempfile.TemporaryDirectory(dir='/dev/shm') as directory:
        for name, command, program in programs(directory):
            if chosen and name not in chosen:
                continue
            if shutil.which(command) is None:
                print(f'{name:8} is not installed: left out')
                continue
            n += 1
            n_bad += judge(name, program, tools, Archive)
    return n - n_bad, n
