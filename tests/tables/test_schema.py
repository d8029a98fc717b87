#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/schema.md has the tables as they are in the source. Arguments: print_schema, and
docs/schema.md."""
import subprocess
import sys

HEADING = "## The tables\n\n"


def main(printer, page):
    with open(page, encoding="utf-8") as file:
        _, found, tables = file.read().partition(HEADING)
    assert found, f"{page}: no heading {HEADING.strip()!r}"
    printed = subprocess.run([printer], check=True, capture_output=True, text=True).stdout
    if tables.strip() != printed.strip():
        sys.exit(f"{page} differs: replace what follows '{HEADING.strip()}' by what "
                 f"{printer} prints")


main(*sys.argv[1:])
