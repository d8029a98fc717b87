# SPDX-License-Identifier: BSD-2-Clause
"""What a page of the documentation has for a reader to try: blocks of commands (sh), and
programs (those of SUFFIXES)."""

import os
import re

NOT_RUN = re.compile(r'<!-- not run: (.+) -->$')
TOOLS = ('fxtcut', 'fxtdump', 'fxtrecord', 'fxtreport', 'fxtlint', 'fxtmerge', 'fxtsymbolize',
         'fxtheap', 'fxttrace', 'fxt2chrome', 'fxt2firefox', 'fxt2folded', 'fxt2perfetto',
         'fxt2pprof', 'fxt2parquet', 'fxt2sqlite', 'fxt2clickhouse', 'fxtship', 'fxtquery')
# Of languages of programs, and of the files that they are in.
SUFFIXES = {'c': 'c', 'cpp': 'cpp', 'python': 'py'}


class Block:
    """Commands or a program; `reason` says why it is not run, if it is not."""

    def __init__(self, page, number, language, reason):
        self.where = f'{"/".join(page.split("/")[-2:])}:{number}'
        self.language, self.reason = language, reason
        self.lines = []

    @property
    def text(self):
        return ''.join(line + '\n' for line in self.lines)

    def commands(self):
        """The command lines, those that go on joined."""
        joined = self.text.replace('\\\n', ' ').splitlines()
        return [line for line in joined if line.strip()]


def blocks_of(page):
    """The blocks of a page, in order, and its text without them."""
    if page.endswith('.1'):
        return examples_of(page)
    blocks, rest, block, before = [], [], None, ''
    with open(page, encoding='utf-8') as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        if block is not None and line == '```':
            block = None
        elif block is not None:
            block.lines.append(line)
        elif line.startswith('```'):
            reason = NOT_RUN.match(before)
            block = Block(page, number, line[3:], reason and reason[1])
            blocks.append(block)
        else:
            rest.append(line)
        before = line
    assert block is None, f'{page}: a block does not end'
    return blocks, '\n'.join(rest)


def examples_of(page):
    """The blocks of a manual page, which are displays of a line or more among its examples."""
    blocks, before = [], None
    with open(page, encoding='utf-8') as file:
        lines = file.read().splitlines()
    begin = lines.index('.Sh EXAMPLES')
    for number, line in enumerate(lines[begin:], begin + 1):
        if line.startswith('.Dl '):
            if not before.startswith('.Dl '):
                blocks.append(Block(page, number, 'sh', None))
            blocks[-1].lines.append(re.sub(r'^\.Dl ([$#] )?', '', line))
        before = line
    assert blocks, f'{page} has no examples'
    return blocks, ''


def stray_commands(text):
    """Commands of our tools that are in no block."""
    return [line for line in text.splitlines()
            if line.startswith('    ') and line.split()[0] in TOOLS]


def code_spans(text):
    """What is in the text as code, as lists of words."""
    spans = re.findall(r'`([^`]+)`', text)
    return [span.split() for span in spans if span.strip()]


def program_name(program, blocks):
    """The file of a program: what the commands after it compile or run."""
    after = blocks[blocks.index(program) + 1:]
    suffix = SUFFIXES[program.language]
    names = re.findall(rf'\b\w+\.{suffix}\b', after[0].text) if after else []
    return names[0] if names and after[0].language == 'sh' else None


def outputs_of(line):
    """The files that a command line writes."""
    command, _, comment = line.partition(' #')
    names = re.findall(r' (?:-o|--output|--at-exit) (\S+)', command)
    names += re.findall(r'> ?(\S+)', command)
    names += [name + '/names.fxt' for name in re.findall(r' --regions (\S+)', command)]
    names += re.findall(r'\bwrites (\S+)', comment)
    if command.startswith('fxtrecord ') and not names and ' --last ' not in command:
        names = ['trace.fxt']
    # The series of --rotate has other names, which a comment tells.
    return [name for name in names if ' --rotate ' not in command or name in comment]


def prints(line):
    """Whether a command line is there for what it prints."""
    return (re.match(r'fxtreport|fxtdump|fxtheap (list|report)|go tool pprof -top|\./\w+ <', line)
            is not None and not outputs_of(line))
