# SPDX-License-Identifier: BSD-2-Clause
"""The version, which include/fxt/version.h alone states; all else is in pyproject.toml. A
source distribution is without that header, and has the version in PKG-INFO."""

import pathlib
import re

from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parents[1] / 'include/fxt/version.h'
STATES = r'FXT_VERSION_STRING "(.+)"' if HEADER.exists() else r'(?m)^Version: (.+)$'

text = (HEADER if HEADER.exists() else HERE / 'PKG-INFO').read_text('utf-8')
setup(version=re.search(STATES, text)[1])
