# SPDX-License-Identifier: BSD-2-Clause
"""What readelf prints of a file, for comparisons with what the tools read."""

import re
import subprocess


def readelf(option, path):
    return subprocess.run(["readelf", option, path], check=True, capture_output=True,
                          text=True).stdout


def build_id(path):
    return re.search("Build ID: ([0-9a-f]+)", readelf("-n", path))[1]


def code_segment(path):
    """The address and the size of the executable segment."""
    match = re.search(r"LOAD\s+0x\S+ (0x\S+) 0x\S+ 0x\S+ (0x\S+) R E", readelf("-lW", path))
    return int(match[1], 16), int(match[2], 16)
