# SPDX-License-Identifier: BSD-2-Clause
"""The package as others get it: types, a wheel, and the examples."""

import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile

import examples
import pytest
from examples import run


def test_types_are_right(source, tmp_path):
    if shutil.which('mypy') is None:
        pytest.skip('there is no mypy')
    package = f'{source}/bindings/python'
    environment = {key: value for key, value in os.environ.items() if key != 'PYTHONPATH'}
    # A comment that is not needed is an error.
    wrong = tmp_path / 'wrong.py'
    wrong.write_text('import fxt\n'
                     'for event in fxt.Reader("a").events():\n'
                     '    event.name.value  # type: ignore[attr-defined]\n')
    run('mypy', '--cache-dir', str(tmp_path / 'cache'), '--warn-unused-ignores', '-p', 'fxt',
        cwd=package, env=environment)
    run('mypy', '--cache-dir', str(tmp_path / 'cache'), '--warn-unused-ignores', str(wrong),
        *glob.glob(f'{package}/examples/*.py'), cwd=package, env=environment)


SDIST = 'import sys; from setuptools import build_meta as b; print(b.build_sdist(sys.argv[1]))'


def test_a_wheel_is_built_offline(source, build, tmp_path):
    for module in ('pip', 'setuptools', 'wheel'):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f'there is no {module}')
    # The build writes into the source.
    tree = tmp_path / 'tree'
    shutil.copytree(f'{source}/bindings/python', tree / 'bindings/python')
    (tree / 'include/fxt').mkdir(parents=True)
    shutil.copy(f'{source}/include/fxt/version.h', tree / 'include/fxt')
    # As tools for packages do it: by way of a source distribution.
    sdist = run(sys.executable, '-c', SDIST, str(tmp_path), cwd=tree / 'bindings/python')
    run(sys.executable, '-m', 'pip', 'wheel', '--no-index', '--no-build-isolation',
        '--no-deps', '--quiet', '-w', str(tmp_path),
        str(tmp_path / sdist.stdout.decode().split()[-1]))
    wheel, = tmp_path.glob('*.whl')
    with open(f'{source}/include/fxt/version.h', encoding='utf-8') as file:
        version = re.search(r'FXT_VERSION_STRING "(.+)"', file.read())[1]
    assert wheel.name == f'fxt-{version}-py3-none-any.whl'
    zipfile.ZipFile(wheel).extractall(tmp_path / 'site')
    assert (tmp_path / 'site/fxt/py.typed').exists()
    environment = dict(os.environ, PYTHONPATH=str(tmp_path / 'site'), FXT_LIBRARY_DIR=build)
    printed = run(sys.executable, '-c', 'import fxt; print(fxt.__file__, fxt.version())',
                  env=environment, cwd='/')
    assert printed.stdout.decode().split() == [str(tmp_path / 'site/fxt/__init__.py'), version]


def test_a_folder_without_the_version_is_refused_in_one_line(source, tmp_path):
    if importlib.util.find_spec('setuptools') is None:
        pytest.skip('there is no setuptools')
    package = shutil.copytree(f'{source}/bindings/python', tmp_path / 'python')
    done = subprocess.run([sys.executable, '-c', SDIST, str(tmp_path)], cwd=package,
                          capture_output=True, check=False)
    assert done.returncode == 1 and done.stderr.count(b'\n') == 1, done
    assert b'version.h' in done.stderr and done.stdout == b'', done


def test_the_examples_work(source, build, tmp_path):
    def example(name, *arguments, **options):
        return run(sys.executable, f'{source}/bindings/python/examples/{name}.py', *arguments,
                   **options)

    examples.check(example, source, f'{build}/tools/fxtdump/fxtdump', tmp_path)
