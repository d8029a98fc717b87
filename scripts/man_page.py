#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A manual page with what it has in common with others: man_page.py PAGE FOLDER OUTPUT.
A line ".so NAME" stands for the lines of that file in the folder, except comments."""
import os
import sys


def lines(name):
    with open(name, encoding="utf-8") as file:
        return file.readlines()


def main(page, folder, output):
    with open(output, "w", encoding="utf-8") as out:
        for line in lines(page):
            if line.startswith(".so "):
                included = lines(os.path.join(folder, line.split()[1]))
                out.writelines(each for each in included if not each.startswith('.\\"'))
            else:
                out.write(line)


main(*sys.argv[1:])
