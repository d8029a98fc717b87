#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The commands of README.md, docs/, the READMEs of examples/ and some manual pages, run as a
reader would who goes through a page from its first line to its last: each ends well, prints what
it is there for, and writes the files that it names.

    test_docs.py TOOLS_DIR SOURCE_ROOT BUILD_ROOT

stand_ins.py has what the commands are tried on. A block of commands that cannot be tried has
a comment before it, which is not seen in the rendered page: <!-- not run: REASON -->. What
this machine lacks for others, such as go or the right to record, is printed.
"""

import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import patience
import profile_services
from clickhouse_stand_in import StandIn, have_one_stack
from pages import (SUFFIXES, TOOLS, blocks_of, code_spans, outputs_of, prints, program_name,
                   stray_commands)
from patience import wait_for
from profile_cases import TOOLS as TOOLS_DIR, run
from stand_ins import make_commands, make_example, make_files, make_programs, start_emulator

SOURCE, BUILD = map(os.path.abspath, sys.argv[2:4])
PAGES = [f'{SOURCE}/README.md', *sorted(glob.glob(f'{SOURCE}/docs/*.md')),
         f'{SOURCE}/examples/README.md',
         # Those of examples/linux are for root; test_linux.py runs them in a guest.
         *[f'{SOURCE}/examples/{name}/README.md' for name in (
             'cortex-m3', 'kernel', 'kernel-rust', 'selfsample')],
         # Their examples need rights, services or programs that run; test_man_examples.py has
         # the other pages.
         *[f'{SOURCE}/tools/{name}/{name}.1' for name in (
             'fxtrecord', 'fxttrace', 'fxtheap', 'fxtship', 'fxt2clickhouse')]]
HEADERS = [f'{SOURCE}/include', *glob.glob(f'{SOURCE}/*/include'),
           f'{SOURCE}/bindings/cpp/include']
# How many command lines of all pages may be marked as not to be run.
MAX_NOT_RUN = 3
# What a command needs, by words in it, and a command that fails where it is missing.
NEEDS = [
    (r'^fxtrecord .*(-p |--last |-e )', 'fxtrecord -q --method perf -o probe.fxt true'),
    (r'^fxtrecord .*(-a|--all) ', 'fxtrecord -q -a -d 10ms -o probe.fxt'),
    (r'^fxtrecord .*--cgroup ', 'fxtrecord -q --cgroup / -o probe.fxt true'),
    (r'^fxtrecord .*--event cycles ', 'fxtrecord -q -a --event cycles -d 10ms -o probe.fxt'),
    (r'^fxtrecord .*--off-cpu ', 'fxtrecord -q --off-cpu -o probe.fxt true'),
    (r'^fxtrecord .*\.zst ', 'fxtrecord -q -o probe.fxt.zst true'),
    (r'^fxtheap attach', 'test $(uname -m) = x86_64'),
    (r'\bnode ', 'node -e 0'),
    (r'^gdb |--core ', 'gdb --version'),
    (r'^gdb-multiarch ', 'gdb-multiarch --version && qemu-system-arm --version'),
    (r'^qemu-system-x86_64 ', 'qemu-system-x86_64 --version'),
    (r'^\./build\.sh firmware', 'clang --version && ld.lld --version'),
    (r'^\./build\.sh x86_64', 'x86_64-linux-gnu-gcc --version'),
    (r'^\./build\.sh kernel', 'cargo --version && x86_64-linux-gnu-gcc --version'),
    (r'^curl ', 'curl --version'),
    (r'^go ', 'go version'),
    (r'--elf |--gdb |cpu0', 'test -n "$ELF_KERNEL"'),
]
# What the reader has, or would not wait for; {} are the stand-ins of this run.
REPLACED = [
    (r'--gdb :1234\b', '--gdb {emulator} --interval 1ms'),
    (r'--gdb \./gdb\.socket( --interval 20ms)?', '--gdb {emulator} --interval 1ms'),
    (r'\bcore\.1234\b', '{core}'),
    (r'(?<!:)\b1234\b', '{process}'),
    # Ctrl-C is what ends these.
    (r'^fxtrecord (?=-F 5000 -p |--all )', 'fxtrecord -d 1 '),
    (r'\bsleep 10\b', 'sleep 1'),
    (r'system\.slice/docker-0123\.scope', '/'),
    (r'(?<=--recover )stream\.fxt', '{stream}'),
    (r'/var/lib/fxt\b', '{archives}'),
    # A slow machine makes fewer points in that time.
    (r'--every 1s\b', '--every 5ms'),
    (r'--point 10\.\.60\b', '--point 1..6'),
    # Not to the source's folder, which may be read-only.
    (r'^\./build\.sh kernel\.elf', './build.sh kernel.elf "$PWD/target"'),
    # As the pages say, it turns the machine off with this status; and leaves a report.
    (r'^(qemu-system-x86_64 .*)', r'\1 || {{ test $? = 1 && grep -q FXReport memory; }}'),
    (r'\b6060\b', '{port}'),
    (r'-d 10\b', '-d 1'),
    (r'seconds=5\b', 'seconds=1'),
    (r'https://db\.example:8443|http://localhost:8123', '{clickhouse}'),
    (r'http://localhost:4040(?=/)', '{pyroscope}'),
    (r'http://localhost:7070(?=/)', '{parca}'),
    (r'http://localhost:4319(?=/)', '{collector}'),
]


class Page:
    """A directory in which the blocks of a page are run one after the other."""

    def __init__(self, path, directory, tables):
        self.path, self.directory = path, directory
        self.blocks, self.text = blocks_of(path)
        self.n_run = self.n_not_run = self.n_lacking = 0
        rustup = os.environ.get('RUSTUP_HOME', os.path.expanduser('~/.rustup'))
        self.environment = dict(os.environ, HOME=directory, PATH=self.search_path(),
                                RUSTUP_HOME=rustup,
                                LD_LIBRARY_PATH=BUILD, CPATH=':'.join(HEADERS),
                                PYTHONPATH=f'{SOURCE}/bindings/python',
                                PKG_CONFIG_PATH=f'{BUILD}/meson-uninstalled')
        os.chdir(directory)
        os.mkdir('bin')
        make_commands('bin', f'{TOOLS_DIR}/fxtheap/fxtheap', tables)
        make_programs('.')
        make_files()
        make_example(os.path.dirname(path))
        os.symlink(BUILD, 'build')

    def search_path(self):
        tools = [f'{TOOLS_DIR}/{tool}' for tool in TOOLS]
        return ':'.join([f'{self.directory}/bin', *tools, os.environ['PATH']])

    def shell(self, script, **options):
        return subprocess.run(['sh', '-c', script], env=self.environment, check=False,
                              stdin=subprocess.DEVNULL, **options)

    def lacks(self, commands):
        """The first thing that is needed and not there."""
        for needs, probe in NEEDS:
            if any(re.search(needs, line) for line in commands):
                if self.shell(probe, capture_output=True).returncode != 0:
                    return probe
        return None

    def try_all(self):
        for block in self.blocks:
            if block.language in SUFFIXES and (name := program_name(block, self.blocks)):
                with open(name, 'w', encoding='utf-8') as file:
                    file.write(block.text)
            if block.language == 'sh':
                self.try_block(block)

    def try_block(self, block):
        commands = block.commands()
        if block.reason is not None:
            self.n_not_run += len(commands)
            print(f'not run: {block.where}: {block.reason}')
        elif (probe := self.lacks(commands)) is not None:
            self.n_lacking += len(commands)
            print(f'not run: {block.where}: here fails: {probe}')
        else:
            print(f'{block.where}:', *commands, sep='\n    ', flush=True)
            run_block(commands, self.environment)
            self.n_run += len(commands)


# ---- Running a block ----


def replace(line, values):
    for pattern, replacement in REPLACED:
        if re.search(pattern, line):
            line = re.sub(pattern, replacement.format_map(values), line)
    return line


class Values(dict):
    """The stand-ins that commands name, each begun when it is first asked for."""

    def __init__(self, environment):
        super().__init__()
        self.environment = environment
        self.processes = []

    def __missing__(self, name):
        self[name] = getattr(self, name)()
        return self[name]

    def process(self):
        remove('ready')
        self.processes.append(subprocess.Popen(
            ['./program'], env=dict(self.environment, STAND_IN_STAYS='1')))
        wait_for(lambda: os.path.exists('ready'), 'the program')
        return self.processes[0].pid

    def core(self):
        """Of a process that has a trace in its memory."""
        process = str(self['process'])
        for command in (['fxttrace', '--start', process],
                        ['gdb', '-q', '-batch', '-ex', 'generate-core-file core', '-p', process]):
            subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL,
                           capture_output=True, check=True)
        return 'core'

    def stream(self):
        """Of a process that was killed."""
        self.environment = dict(self.environment, FXT_TRACE_FILE='stream.fxt',
                                FXT_TRACE_MODE='stream')
        self.process()
        self.end()
        return 'stream.fxt'

    @staticmethod
    def archives():
        os.mkdir('archives')
        return 'archives'

    @staticmethod
    def port():
        with socket.create_server(('127.0.0.1', 0)) as server:
            return server.getsockname()[1]

    @staticmethod
    def emulator():
        return start_emulator()

    @staticmethod
    def clickhouse():
        schema = run(f'{TOOLS_DIR}/fxt2clickhouse/fxt2clickhouse', '--schema')
        return StandIn(schema, have_one_stack).url

    @staticmethod
    def pyroscope():
        return profile_services.start(profile_services.check_pyroscope)

    @staticmethod
    def parca():
        return profile_services.start(profile_services.check_parca)

    @staticmethod
    def collector():
        return profile_services.start(profile_services.check_collector)

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def remove(name):
    if os.path.exists(name):
        os.unlink(name)


def is_background(line):
    return line.partition(' #')[0].rstrip().endswith('&')


def waiting(line):
    """What waits until a reader would type the next command after a background one: until
    its port answers, or until the stand-in is under way and has changed."""
    port = re.search(r' (\d{4,5})\b', line)
    if port:
        connect = f'import socket; socket.create_connection((\'127.0.0.1\', {port[1]}))'
        return [f'until python3 -c "{connect}" 2>/dev/null; do sleep 0.05; done']
    return ['rm -f ready', 'until [ -e ready ]; do sleep 0.05; done']


def script_of(commands):
    """The commands for a shell, each with its own output. After a background one, each
    waits for it: a heap that is looked at twice has to have changed."""
    script, wait = ['set -e'], []
    for i, line in enumerate(commands):
        run_it = [f'{{ {line}', f'}} >out.{i}']
        if is_background(line):
            wait = waiting(line)
            run_it = ['export STAND_IN_STAYS=1', *run_it, 'unset STAND_IN_STAYS']
        script += [*run_it, *wait]
    return '\n'.join(script)


def run_block(commands, environment):
    """Runs it in a new session, which is ended with it."""
    values = Values(environment)
    replaced = [replace(line, values) for line in commands]
    # Files of a second ago are old, whatever a file system's clock is.
    begun = time.time() - 0.1
    outputs = [name for line in replaced for name in outputs_of(line)]
    for name in outputs:
        remove(name)
    with open('errors', 'w+', encoding='utf-8', errors='replace') as errors:
        shell = subprocess.Popen(['sh', '-x', '-c', script_of(replaced)], env=environment,
                                 stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                 start_new_session=True)
        try:
            status = shell.wait(patience.SECONDS)
            errors.seek(0)
            assert status == 0, f'exit status {status}\n{errors.read()}'
            # What goes on in the background may write it later.
            if any(is_background(line) for line in replaced):
                wait_for(lambda: all(map(os.path.exists, outputs)), outputs)
            for name in outputs:
                assert os.path.exists(name), f'{name} was not written'
                assert os.path.getsize(name) > 100, f'{name} has nothing in it'
                assert os.path.getmtime(name) > begun, f'{name} is an old one'
        finally:
            end_session(shell)
            values.end()
    for i, line in enumerate(replaced):
        assert not prints(line) or os.path.getsize(f'out.{i}') > 0, f'prints nothing: {line}'


def end_session(shell):
    try:
        os.killpg(shell.pid, 9)
    except ProcessLookupError:
        pass
    shell.wait()


# ---- What the text says ----


def check_text(path, options):
    """The options that the text and the commands name are there, whether these are run or not;
    and no command is in no block."""
    faults = []
    blocks, text = blocks_of(path)
    commands = [line.partition(' #')[0].split() for block in blocks if block.language == 'sh'
                for line in block.commands()]
    for words in code_spans(text) + commands:
        tool = words[0] if words[0] in TOOLS else None
        if tool is None and not words[0].startswith('--'):
            continue
        known = options[tool] if tool else set().union(*options.values())
        for word in words:
            if word in ('--', '|', '&&') or re.match(r'node$|build/|\./[a-z]+$', word):
                break
            name = word.split('=')[0]
            if name.startswith('-') and name not in known | {'-'}:
                faults.append(f'{path}: there is no {name}: {" ".join(words)}')
    faults += [f'{path}: in no block: {line}' for line in stray_commands(text)]
    return faults


def options_of(tool):
    text = run(os.path.join(TOOLS_DIR, tool, tool), '--help')
    return set(re.findall(r'(?<![\w-])(--?\w[\w-]*)', text))


def main():
    options = {tool: options_of(tool) for tool in TOOLS}
    faults = [fault for path in PAGES for fault in check_text(path, options)]
    totals = [0, 0, 0]
    memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    for path in PAGES:
        with tempfile.TemporaryDirectory() as directory, \
                tempfile.TemporaryDirectory(dir=memory) as tables:
            page = Page(path, directory, tables)
            try:
                page.try_all()
            except AssertionError as fault:
                faults.append(f'{path}: {fault}')
            os.chdir('/')
            for i, n in enumerate((page.n_run, page.n_not_run, page.n_lacking)):
                totals[i] += n
    print('{} command lines run, {} marked as not to be run, {} without what they need'.format(
        *totals))
    if totals[1] > MAX_NOT_RUN:
        faults.append(f'more than {MAX_NOT_RUN} command lines are not run')
    print(*faults, sep='\n')
    sys.exit(1 if faults or totals[0] == 0 else 0)


if __name__ == '__main__':
    if shutil.which('cc') is None or shutil.which('pkg-config') is None:
        print('skipped: there is no C compiler, or no pkg-config')
        sys.exit(77)
    main()
