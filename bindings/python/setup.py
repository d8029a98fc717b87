# SPDX-License-Identifier: BSD-2-Clause
"""The version, which include/fxt/version.h alone states; all else is in pyproject.toml. A
source distribution is without that header, and has the version in PKG-INFO."""

import pathlib
import re
import sys

from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE / '../../include/fxt/version.h'
STATES = r'FXT_VERSION_STRING "(.+)"' if HEADER.exists() else r'(?m)^Version: (.+)$'
FILE = HEADER if HEADER.exists() else HERE / 'PKG-INFO'

version = re.search(STATES, FILE.read_text('utf-8')) if FILE.exists() else None
if version is None:
    sys.exit(f'{HERE}: the version is unknown without ../../include/fxt/version.h: build in the '
             'source of libfxt, or from a source distribution')
setup(version=version[1])
