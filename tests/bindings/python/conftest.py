# SPDX-License-Identifier: BSD-2-Clause
"""Where things are: SOURCE and BUILD are set by ../test_python.py, as are the search paths."""

import os

import pytest


@pytest.fixture
def source():
    return os.environ['SOURCE']


@pytest.fixture
def build():
    return os.environ['BUILD']


@pytest.fixture
def data(source):
    return f'{source}/tests/data'
