# SPDX-License-Identifier: BSD-2-Clause
"""Running programs under fxtheap, and reading what it writes, for test_heap*.py."""

import collections
import functools
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import heap_table

Block = collections.namedtuple('Block', 'address size stack thread time')


class Archive:
    """An archive as docs/heap-records.md has it, read with the help of fxtdump alone."""

    def __init__(self, fxtdump, path):
        done = subprocess.run([fxtdump, '--json', '--strict', path], stdout=subprocess.PIPE,
                              check=True, text=True)
        self.records = [json.loads(line) for line in done.stdout.splitlines()]
        with open(path, 'rb') as file:
            self.data = file.read()
        self.events = {record['process']: self.arguments(record) for record in self.records
                       if record.get('name') == 'snapshot'}
        self.recordings = {record['process']: self.arguments(record)
                           for record in self.records if record.get('name') == 'recording'}
        self.attached = {record['process']: self.arguments(record) for record in self.records
                         if record.get('name') == 'attached'}
        self.stacks = {}
        # Of each stack the temporary blocks, where they are counted.
        self.temporary = {}
        # The times of views, and ends, of those that have any.
        self.states = {}
        self.groups = collections.defaultdict(collections.Counter)
        self.blocks = collections.defaultdict(list)
        for record in self.records:
            if record['type'] == 'large_blob':
                self.take(record)

    @staticmethod
    def arguments(record):
        return {argument['name']: argument['value'] for argument in record['args']}

    def words(self, record):
        end = record['offset'] + record['size']
        payload = self.data[end - record['payload_size']:end]
        assert len(payload) % 8 == 0
        return struct.unpack(f'<{len(payload) // 8}Q', payload)

    def take(self, record):
        arguments = self.arguments(record)
        assert record['category'] == 'heap' and record['thread'] == 0, record
        assert arguments['version'] == 1
        take = {'stacks': self.take_stacks, 'stack_states': self.take_states,
                'groups': self.take_groups, 'blocks': self.take_blocks}[record['name']]
        n = take(record['process'], self.words(record), arguments['entry_words'])
        assert n == arguments['entries'], (n, arguments)

    def take_stacks(self, process, words, entry_words):
        at = n = 0
        while at < len(words):
            number, objects, size, n_pcs = words[at:at + 4]
            if entry_words > 4:
                self.temporary[process, number] = words[at + 4]
            at += entry_words
            assert number > 0 and (process, number) not in self.stacks
            self.stacks[process, number] = (objects, size, words[at:at + n_pcs])
            at += n_pcs
            n += 1
        return n

    def take_states(self, process, words, entry_words):
        for at in range(0, len(words), entry_words):
            number, view, end = words[at:at + 3]
            assert (process, number) in self.stacks and (view, end) != (0, 0)
            assert (process, number) not in self.states
            self.states[process, number] = (view, end)
        return len(words) // entry_words

    def take_groups(self, process, words, entry_words):
        for at in range(0, len(words), entry_words):
            stack, size, count = words[at:at + 3]
            assert stack == 0 or (process, stack) in self.stacks
            assert count > 0 and (stack, size) not in self.groups[process]
            self.groups[process][stack, size] = count
        return len(words) // entry_words

    def take_blocks(self, process, words, entry_words):
        for at in range(0, len(words), entry_words):
            block = Block(*words[at:at + 5])
            assert block.stack == 0 or (process, block.stack) in self.stacks
            self.blocks[process].append(block)
        return len(words) // entry_words

    def only(self):
        """The blocks of the one process."""
        assert len(self.events) == 1, self.events
        return self.blocks[next(iter(self.events))]

    def name(self, koid):
        return next((record['name'] for record in self.records
                     if record['type'] == 'kernel_object' and record['koid'] == koid), None)


def preloaded(library):
    """Variables that load it, from a directory that may have spaces in its name."""
    folders = [os.path.dirname(library), os.environ.get('LD_LIBRARY_PATH')]
    return {**os.environ, 'LD_PRELOAD': os.path.basename(library),
            'LD_LIBRARY_PATH': ':'.join(filter(None, folders))}


class Heap:
    """fxtheap with a separate directory."""

    def __init__(self, build, work):
        self.fxtheap = os.path.join(build, 'tools', 'fxtheap', 'fxtheap')
        self.tools = os.path.join(build, 'tools')
        self.programs = os.path.join(build, 'tests', 'fxtheap', 'programs')
        self.library = os.path.join(build, 'libfxtheap.so')
        self.work = work
        self.tables = tempfile.mkdtemp(
            prefix='test_heap_', dir='/dev/shm' if os.access('/dev/shm', os.W_OK) else work)

    def path(self, name):
        return os.path.join(self.work, name)

    def tool(self, name):
        return os.path.join(self.tools, name, name)

    def program(self, name):
        return os.path.join(self.programs, name)

    def command(self, *command, options=()):
        return [self.fxtheap, 'run', '--directory', self.tables, *options, '--', *command]

    def call(self, *arguments, status=0):
        done = subprocess.run([self.fxtheap, arguments[0], '--directory', self.tables,
                               *arguments[1:]], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        assert done.returncode == status, (arguments, done.returncode, done.stderr)
        return done

    def snapshot(self, *options, name='snap.fxt'):
        path = self.path(name)
        self.call('snapshot', '-q', '-o', path, *options)
        return Archive(self.tool('fxtdump'), path)

    def rows(self):
        """What the list shows: process, state, objects, bytes, counts, name, blocks that
        were lost, blocks without a stack."""
        lines = self.call('list').stdout.splitlines()[1:]
        columns = [line.split(None, 7) for line in lines]
        return [(*column[:5], column[7], int(column[5]), int(column[6])) for column in columns]

    def folded(self, archive, *options):
        done = subprocess.run([self.tool('fxt2folded'), '-q', *options, self.path(archive)],
                              stdout=subprocess.PIPE, check=True, text=True)
        return {tuple(line.rsplit(' ', 1)[0].split(';')): int(line.rsplit(' ', 1)[1])
                for line in done.stdout.splitlines()}

    def left(self):
        return os.listdir(self.tables)

    def put_table(self, data):
        """A table by hand, as heap_table.py has them."""
        name = f'fxtheap.{heap_table.PROCESS}.{heap_table.START}'
        with open(os.path.join(self.tables, name), 'wb') as file:
            file.write(data)


class Program:
    """A program that says when it is ready to be looked at, and waits."""

    def __init__(self, command, env=None, user=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=env, user=user)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    @property
    def pid(self):
        return self.process.pid

    def wait_until_ready(self, word='ready'):
        line = self.process.stdout.readline()
        assert line == word + '\n', line

    def resume(self):
        self.process.stdin.write('\n')
        self.process.stdin.flush()

    def end(self, status=0):
        assert self.process.wait() == status, self.process.returncode

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait()


TESTS = []


def test(function):
    """Makes a function a test, which main runs."""
    TESTS.append(function)
    return function


def needs_compiler(*names):
    """A test that also takes a compiler, which is the first of these that there is."""
    def wrap(function):
        @functools.wraps(function)
        def run(heap):
            compiler = next(filter(None, map(shutil.which, names)), None)
            if compiler is None:
                print('skipped: there is no', *names)
            else:
                function(heap, compiler)
        return run
    return wrap


def main():
    """Runs the tests whose names are in the arguments, or all, after the directory of the
    build; each has a separate directory."""
    build, *names = sys.argv[1:]
    for function in TESTS:
        if names and function.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory() as work:
            heap = Heap(build, work)
            try:
                function(heap)
                print('ok', function.__name__.replace('_', ' '), flush=True)
            finally:
                for name in heap.left():
                    os.unlink(os.path.join(heap.tables, name))
                os.rmdir(heap.tables)
