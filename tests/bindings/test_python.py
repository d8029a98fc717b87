# SPDX-License-Identifier: BSD-2-Clause
"""The package in bindings/python, by pytest over python/.

    test_python.py SOURCE_ROOT BUILD_ROOT

Exits with 77, which meson counts as skipped, where there is no Python 3.10 with pytest, or
where the libraries are static ones only.
"""

import os
import subprocess
import sys

SOURCE, BUILD = map(os.path.abspath, sys.argv[1:])
PROBE = 'import sys, pytest; sys.exit(sys.version_info < (3, 10))'


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


def find_python():
    """This one, or the system's, where Debian's packages are."""
    for name in (sys.executable, '/usr/bin/python3'):
        if os.path.exists(name) and subprocess.run([name, '-c', PROBE], capture_output=True,
                                                   check=False).returncode == 0:
            return name
    return skip('there is no Python 3.10 with pytest')


def main():
    if not os.path.exists(f'{BUILD}/libfxtprofile.so.0'):
        skip('there are no shared libraries')
    tests = os.path.join(SOURCE, 'tests/bindings')
    path = [f'{SOURCE}/bindings/python', tests]
    environment = dict(os.environ, SOURCE=SOURCE, BUILD=BUILD, FXT_LIBRARY_DIR=BUILD,
                       PYTHONDONTWRITEBYTECODE='1', PYTHONPATH=os.pathsep.join(path))
    # -rs names the tests that are skipped, and why.
    done = subprocess.run([find_python(), '-m', 'pytest', '-q', '-rs', '-p', 'no:cacheprovider',
                           f'{tests}/python'], env=environment, check=False)
    sys.exit(done.returncode)


if __name__ == '__main__':
    main()
