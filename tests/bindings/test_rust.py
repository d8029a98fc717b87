# SPDX-License-Identifier: BSD-2-Clause
"""The crates fxt-sys and fxt over the library: their tests, without warnings and without a
network; what fxt hands out is what fxtdump does; the examples work, and the program of
docs/bindings.md.

    test_rust.py SOURCE_ROOT LIBRARY FXTDUMP

Exits with 77, which meson counts as skipped, where there is no cargo.
"""

import json
import os
import re
import shutil
import sys
import tempfile

import examples
import records_agree
from examples import run

SOURCE, LIBRARY, FXTDUMP = map(os.path.abspath, sys.argv[1:])
CRATES = f'{SOURCE}/bindings/rust'


class Cargo:
    def __init__(self, work):
        self.work = work
        directory = os.path.dirname(LIBRARY)
        self.environment = dict(os.environ, CARGO_TARGET_DIR=work, FXT_LIB_DIR=directory,
                                LD_LIBRARY_PATH=directory)
        self.environment.pop('RUSTFLAGS', None)

    def __call__(self, crate, *arguments):
        done = run('cargo', *arguments, '--offline', '--locked', cwd=f'{CRATES}/{crate}',
                   env=self.environment)
        assert not re.search('^warning', done.stderr.decode(), re.M), done.stderr.decode()
        return done.stdout.decode()

    def dump_program(self):
        """The test that prints what the crate hands out."""
        lines = self('fxt', 'test', '--test', 'dump', '--no-run', '--message-format=json')
        found = [json.loads(line).get('executable') for line in lines.splitlines()]
        program, = filter(None, found)
        return program


def check_version(version):
    for crate in ('fxt-sys', 'fxt'):
        with open(f'{CRATES}/{crate}/Cargo.toml', encoding='utf-8') as file:
            assert f'\nversion = "{version}"\n' in file.read(), f'{crate}: not {version}'


def try_examples(cargo):
    cargo('fxt', 'build', '--examples')

    def example(name, *arguments, **options):
        return run(f'{cargo.work}/debug/examples/{name}', *arguments, env=cargo.environment,
                   **options)

    examples.check(example, SOURCE, FXTDUMP, cargo.work)


def try_page(cargo):
    """The program of docs/bindings.md, in a crate that uses fxt."""
    with open(f'{SOURCE}/docs/bindings.md', encoding='utf-8') as page:
        program, = re.findall(r'^```rust\n(.*?)^```$', page.read(), re.M | re.S)
    directory = f'{cargo.work}/page'
    os.makedirs(f'{directory}/src')
    shutil.copy(f'{cargo.work}/trace.fxt', f'{directory}/events.fxt')
    with open(f'{directory}/src/main.rs', 'w', encoding='utf-8') as file:
        file.write(program)
    with open(f'{directory}/Cargo.toml', 'w', encoding='utf-8') as file:
        file.write('[package]\nname = "page"\nversion = "0.0.0"\nedition = "2021"\n'
                   f'[dependencies]\nfxt = {{ path = "{CRATES}/fxt" }}\n')
    done = run('cargo', 'run', '--offline', cwd=directory, env=cargo.environment)
    assert not re.search('^warning', done.stderr.decode(), re.M), done.stderr.decode()
    assert done.stdout.count(b'receive\n') == 100, done.stdout


def main():
    for command in ('cargo', 'rustc'):
        if shutil.which(command) is None:
            print(f'skipped: there is no {command}')
            sys.exit(77)
    check_version(run(f'{SOURCE}/scripts/version.sh').stdout.decode().strip())
    with tempfile.TemporaryDirectory() as work:
        cargo = Cargo(work)
        print(cargo('fxt-sys', 'test', '--quiet'), cargo('fxt', 'test', '--quiet'))
        try_examples(cargo)
        try_page(cargo)
        program = cargo.dump_program()
        os.environ['LD_LIBRARY_PATH'] = cargo.environment['LD_LIBRARY_PATH']
        records_agree.compare(FXTDUMP, SOURCE, records_agree.program(program))


if __name__ == '__main__':
    main()
