#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How many stacks of ordinary programs are whole, and what share of the time each function
and its callees have, beside perf's DWARF mode.

whole.py FXTRECORD FXT2FOLDED FXTDUMP [PROGRAM...]

The programs are as their packages have them, without frame pointers and without debugging
information. Where at least nine tenths of perf's stacks are whole, each function of its
whole stacks is compared. What is not installed is left out, with a message.
"""

import bisect
import collections
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Enough samples that chance is less than a point.
FREQUENCY = 1999
STACK_BYTES = 65528
# Of the stacks, without those of threads in the midst of exec; and in points of a share.
WHOLE_LEAST = 0.99
APART_MOST = 0.03
# Of perf's, for which a comparison makes sense.
THEIR_LEAST = 0.9

SQL = '''
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500000)
insert into t select i, 'text ' || (i * 7919 % 100003), i * 0.5 from n;
create index tb on t(b);
select count(*), sum(length(b)) from t group by substr(b, 1, 7) order by 2 desc limit 3;
update t set b = b || 'x' where a % 3 = 0;
select count(distinct b), max(c) from t;
'''
PYTHON = '''
import json, re
for i in range(5000):
    text = json.dumps([{"a": [i] * 5, "b": "x" * 60, "k%d" % j: j} for j in range(100)], indent=1)
    json.loads(text)
    re.findall("k[0-9]+", text)
'''
PERL = ('my %h; for my $i (1..9000000) { my $k = "key" . ($i % 20000); $h{$k} .= "x$i"; '
        '$h{$k} = substr($h{$k}, 5) if $i % 3 == 0; } my $n = 0; '
        'for (sort keys %h) { $n += () = $h{$_} =~ /x\\d*7/g; } print "$n\\n";')
CPLUSPLUS = '''
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
int main()
{
    std::map<std::string, std::vector<std::regex>> all;
    std::unordered_map<std::string, int> counts;
    all["a"].emplace_back("x+");
    for (auto &[name, list] : all)
        counts[name] += (int)std::count_if(list.begin(), list.end(),
                                           [](auto &r) { return std::regex_match("xx", r); });
    std::cout << counts["a"] << std::endl;
}
'''


def compiler():
    found = sorted(glob.glob('/usr/lib/gcc/*-linux-gnu/*/cc1plus') +
                   glob.glob('/usr/libexec/gcc/*-linux-gnu/*/cc1plus'))
    return found[-1] if found else 'cc1plus'


def programs(directory):
    """Names, commands, and what they read; each takes some seconds."""
    def make(name, content):
        path = os.path.join(directory, name)
        with open(path, 'w', encoding='ascii') as file:
            file.write(content)
        return path

    lines = [f'{i * 7919 % 1000003} line {i % 977} of the file\n' for i in range(3000000)]
    text = make('text', ''.join(lines))
    source = make('source.cc', CPLUSPLUS)
    if shutil.which('g++') is not None:
        run(['g++', '-E', '-o', os.path.join(directory, 'source.ii'), source])
    library = next(iter(glob.glob('/usr/lib/*-linux-gnu/libcrypto.so.3')), '/bin/sh')
    out = os.path.join(directory, 'out')
    yield 'python3', ['/usr/bin/python3', '-c', PYTHON]
    yield 'xz', ['xz', '-T1', '-k', '-c', '-3', text]
    yield 'cc1plus', [compiler(), '-quiet', '-fpreprocessed', '-O2', '-o', out,
                      os.path.join(directory, 'source.ii')]
    yield 'perl', ['perl', '-e', PERL]
    yield 'sqlite3', ['sqlite3', ':memory:', SQL]
    yield 'sort', ['sort', '--parallel=2', '-k2', '-o', out, text]
    yield 'gzip', ['gzip', '-k', '-c', text]
    yield 'bzip2', ['bzip2', '-k', '-c', text]
    yield 'openssl', ['openssl', 'enc', '-aes-256-cbc', '-pbkdf2', '-iter', '6000000', '-k', 'a',
                      '-S', '0123456789abcdef', '-in', '/dev/null']
    yield 'objdump', ['objdump', '-d', *[library] * 4]
    yield 'sed', ['sed', '-E', 's/([0-9]+) line ([0-9]+)/\\2 \\1/', text]
    yield 'awk', ['awk', '{ n[$3] += $1; s = s substr($0, 1, 1) } END { print length(s), n[5] }',
                  *[text] * 3]


def run(command):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f'{command[:8]}: {done.stderr[-2000:]}')


# ---- Stacks: lists of functions outside the kernel, leaf first, and how many there are --

class Program:
    """What is needed to know the places in the program itself, which has no symbols."""

    def __init__(self, path):
        printed = subprocess.run(['readelf', '-hlW', path], stdout=subprocess.PIPE, check=True,
                                 env={**os.environ, 'LC_ALL': 'C'}, text=True).stdout
        self.name = os.path.basename(os.path.realpath(path))
        self.entry = int(re.search(r'Entry point address: +(0x[0-9a-f]+)', printed)[1], 16)
        code = re.search(r'LOAD +(0x[0-9a-f]+) (0x[0-9a-f]+) .* R E ', printed)
        # perf has the offset in the file of what it has no symbol for.
        self.bias = int(code[2], 16) - int(code[1], 16)

    def name_of(self, path, address):
        """What we call a function of a file without a symbol, by its unwind table."""
        name = os.path.basename(path)
        if name == self.name:
            address += self.bias
        if name == self.name and self.entry <= address <= self.entry + 64:
            return '_start'
        return f'{name}+{start_of(path, address):#x}'


def is_start(frame):
    return re.fullmatch(r'_start|_dl_start_user|(__)?clone3?', frame) is not None


def plain(name):
    """Without arguments and versions, which are written in different ways."""
    return name.split('(')[0].split('@@')[0] or name


def ends_of(fxtdump, archive):
    printed = subprocess.run([fxtdump, '--json', '--name', 'stack_ends', archive],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    return {argument['name']: argument['value'] for line in printed.splitlines()
            for argument in json.loads(line).get('args', ())}


def ours(tools, command, directory):
    """All of them, and how many ended for each reason."""
    fxtrecord, fxt2folded, fxtdump = tools
    archive = os.path.join(directory, 'ours.fxt')
    run([fxtrecord, '-q', '--method', 'perf', '-F', str(FREQUENCY), '-o', archive, *command])
    folded = subprocess.run([fxt2folded, '-q', '--roots', 'none', '--annotate', archive],
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    stacks = collections.Counter()
    for line in folded.splitlines():
        frames, n = line.rsplit(' ', 1)
        frames = [frame.removesuffix('_[i]') for frame in reversed(frames.split(';'))
                  if not frame.endswith('_[k]')]
        if frames:
            stacks[tuple(map(plain, frames))] += int(n)
    return stacks, ends_of(fxtdump, archive)


@functools.lru_cache(maxsize=None)
def functions_of(path):
    """Where a file's functions begin and end, by its unwind table."""
    printed = subprocess.run(['readelf', '--debug-dump=frames', path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=False, text=True).stdout
    return sorted((int(start, 16), int(limit, 16)) for start, limit in
                  re.findall(r' FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)', printed))


def start_of(path, address):
    functions = functions_of(path)
    i = bisect.bisect(functions, (address, float('inf'))) - 1
    return functions[i][0] if i >= 0 and address < functions[i][1] else address


def frame_of(line, program):
    """Where there is no symbol, perf has the address, and we have where the function begins."""
    address, name, module = re.fullmatch(r'\s*([0-9a-f]+) (.*) \((.*)\)\s*', line).groups()
    if name != '[unknown]':
        return plain(name)
    return program.name_of(os.path.realpath(module), int(address, 16))


def theirs(command, program, directory):
    data = os.path.join(directory, 'theirs')
    run(['perf', 'record', '-q', '-e', 'cpu-clock', '-F', str(FREQUENCY), '-m', '16M',
         '--call-graph', f'dwarf,{STACK_BYTES}', '-o', data, *command])
    script = subprocess.run(['perf', 'script', '-i', data, '--no-inline', '-F', 'ip,sym,dso'],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            check=True)
    os.unlink(data)
    stacks = collections.Counter()
    for block in re.split(r'\n\s*\n', script.stdout):
        frames = [frame_of(line, program) for line in block.splitlines()
                  if line.strip() and '[kernel' not in line]
        if frames:
            stacks[tuple(frames)] += 1
    return stacks


# ---- Comparing -------------------------------------------------------------------------

def shares_of(stacks):
    """Of functions, and where there are no symbols of calls, with all that they call."""
    total = sum(stacks.values())
    counts = collections.Counter()
    for stack, n in stacks.items():
        named = {stack[0]} if '+0x' not in stack[0] else set()
        for frame in named | set(stack[1:]):
            counts[frame] += n
    return {frame: n / total for frame, n in counts.items()}


def compare(our_stacks, their_stacks):
    """How many frames have a share worth comparing, which one is most apart, and its two
    shares. A function that only one has is named by another symbol at its address, or has a name
    only here, such as main."""
    a, b = shares_of(our_stacks), shares_of(their_stacks)
    frames = set(a) & set(b)
    worst = max(frames, key=lambda frame: abs(a[frame] - b[frame]))
    n = sum(max(a[frame], b[frame]) >= 0.01 for frame in frames)
    return n, worst, a[worst], b[worst]


def judge(name, command, tools, directory):
    program = Program(shutil.which(command[0]))
    our_stacks, ends = ours(tools, command, directory)
    n = sum(ends.values()) - ends.get('no_stack', 0) - ends.get('not_sampled', 0)
    whole = ends.get('whole', 0) / n if n else 0
    line = f'{name:9} {n:6} {whole:8.2%}'
    bad = whole < WHOLE_LEAST
    if shutil.which('perf') is not None:
        stacks = theirs(command, program, directory)
        total = sum(stacks.values())
        stacks = {stack: n for stack, n in stacks.items() if is_start(stack[-1])}
        part = sum(stacks.values()) / total if total else 0
        line += f' {total:7} {part:8.2%}'
        if part >= THEIR_LEAST:
            n_frames, worst, a, b = compare(our_stacks, stacks)
            line += f' {n_frames:6} {abs(a - b) * 100:6.1f}  {worst} {a:.1%} / {b:.1%}'
            bad = bad or abs(a - b) > APART_MOST
    cut = {reason: n for reason, n in ends.items() if n > 0 and reason != 'whole'}
    print(line + (f'  {cut}' if cut else '') + ('  OVER' if bad else ''), flush=True)
    return bad


def main():
    tools, chosen = sys.argv[1:4], sys.argv[4:]
    n_bad = n_programs = 0
    print(f'{"":9} {"stacks":>6} {"whole":>8} {"perf":>7} {"whole":>8} {"shares":>6} '
          f'{"points":>6}  most apart, ours / perf\'s')
    with tempfile.TemporaryDirectory(dir='/dev/shm') as directory:
        for name, command in programs(directory):
            if chosen and name not in chosen:
                continue
            if shutil.which(command[0]) is None:
                print(f'{name:9} is not installed: left out')
                continue
            n_programs += 1
            n_bad += judge(name, command, tools, directory)
    print(f'{n_programs - n_bad} of {n_programs} programs: at least {WHOLE_LEAST:.0%} whole, and '
          f'no function more than {APART_MOST * 100:.0f} points from perf\'s share')
    sys.exit(1 if n_bad else 0)


if __name__ == '__main__':
    main()
