# SPDX-License-Identifier: BSD-2-Clause
"""The version, which include/fxt/version.h alone states; all else is in pyproject.toml."""

import pathlib
import re

from setuptools import setup

HEADER = pathlib.Path(__file__).resolve().parents[2] / 'include/fxt/version.h'

setup(version=re.search(r'FXT_VERSION_STRING "(.+)"', HEADER.read_text('utf-8'))[1])
