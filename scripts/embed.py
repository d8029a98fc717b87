#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Text files as arrays of their lines in a C header: embed.py HEADER FILE..."""
import os
import sys


def quote(line):
    # Of "??" and another character C may make a trigraph.
    line = line.replace("\\", "\\\\").replace('"', '\\"').replace("??", "?\\?")
    return '"' + line.replace("\n", "\\n") + '"'


def main(header, *names):
    with open(header, "w", encoding="ascii") as out:
        for name in names:
            with open(name, encoding="ascii") as file:
                lines = file.readlines()
            identifier = os.path.basename(name).replace(".", "_")
            out.write("static const char *const %s[] = {\n" % identifier)
            out.writelines("    %s,\n" % quote(line) for line in lines)
            out.write("};\n")


main(*sys.argv[1:])
