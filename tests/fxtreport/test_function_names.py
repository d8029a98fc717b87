#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The names of a real C++ program's functions, as they are shown in 80 columns.

test_function_names.py TOOLS_DIR [FXTRECORD WORKLOAD]"""
import json
import os
import re
import sys

from profile_cases import FXTREPORT, main, need, run, skip

RECORDER = [os.path.abspath(program) for program in sys.argv[2:3]]

PROGRAM = r"""
#include <algorithm>
#include <vector>

namespace a_namespace_with_a_long_name {
struct Sorter {
    std::vector<unsigned> values;
    unsigned calls = 0;

    __attribute__((noinline)) unsigned
    a_name_that_is_longer_than_its_column_of_a_table_or_of_a_tree(unsigned seed)
    {
        for (int round = 0; round < 8; round++)
            for (auto value : values)
                seed = seed * 1103515245 + (seed ^ value);
        return seed;
    }

    __attribute__((noinline)) void run(unsigned seed, const std::vector<unsigned> &more)
    {
        for (auto &value : values)
            value = seed = seed * 1103515245 + 12345 + more.size();
        std::sort(values.begin(), values.end(), [this](unsigned a, unsigned b)
                  __attribute__((noinline)) { calls++; return a < b; });
    }
};
}

int main()
{
    a_namespace_with_a_long_name::Sorter sorter;

    sorter.values.resize(10000);
    for (unsigned i = 0; i < 200; i++)
        sorter.run(sorter.a_name_that_is_longer_than_its_column_of_a_table_or_of_a_tree(i),
                   sorter.values);
    return sorter.calls == 0;
}
"""
LAMBDA = ("a_namespace_with_a_long_name::Sorter::run(unsigned int, std::vector<unsigned int, "
          "std::allocator<unsigned int> > const&)::{lambda(unsigned int, unsigned int)#1}::"
          "operator()(unsigned int, unsigned int) const")
LONG = "a_name_that_is_longer_than_its_column_of_a_table_or_of_a_tree"


def record(*options):
    if not RECORDER:
        skip("there is no recorder")
    need("g++")
    with open("sorter.cpp", "w") as file:
        file.write(PROGRAM)
    run("g++", "-O2", *options, "-o", "sorter", "sorter.cpp")
    run(*RECORDER, "-q", "-o", "trace.fxt", "./sorter")


def own_name(name):
    """Without what it returns, arguments, template arguments and namespaces."""
    before = None
    while name != before:
        before, name = name, re.sub(r"\([^()]*\)( const)?|<[^<>]*>", "", name)
    return name.split("::")[-1].split(" ")[-1]


def rows(text):
    """Of the table of functions."""
    table = re.split(r"^ +self .*function .*\n", text, flags=re.MULTILINE)[1]
    return [line for line in table.split("\n\n")[0].splitlines() if not line.startswith("...")]


def check_report():
    functions = json.loads(run(FXTREPORT, "-q", "--json", "trace.fxt"))["functions"]
    narrow = run(FXTREPORT, "-q", "--width", "80", "trace.fxt")
    wide = run(FXTREPORT, "-q", "--width", "0", "trace.fxt")
    tree = run(FXTREPORT, "-q", "--width", "80", "--tree", "trace.fxt")
    callers = run(FXTREPORT, "-q", "--width", "80", "--callers", LONG, "trace.fxt")

    for text in narrow, tree, callers:
        assert LONG in text, text
        for line in text.splitlines():
            # Commands to paste are whole, whatever the width, and so are own names.
            assert (len(line) <= 80 or line.startswith("    ") or
                    len(re.sub(r"[\w:()]{24,}", 24 * "x", line)) <= 80), line
    assert len(rows(narrow)) == len(rows(wide)) > 3
    for function, row, whole in zip(functions, rows(narrow), rows(wide)):
        if function["name"] is None:  # in a library without symbols
            continue
        assert function["name"] in whole, (function, whole)
        assert "operator" in function["name"] or own_name(function["name"]) in row, row
    assert "run::{lambda}" in narrow, narrow
    assert "run::{lambda}" in tree and "introsort_loop" in tree, tree
    assert LAMBDA in wide and LAMBDA in (f["name"] for f in functions), wide


def test_names_fit_without_debug_information():
    record()
    check_report()


def test_names_fit_with_inlined_functions():
    record("-g")
    check_report()


if __name__ == "__main__":
    main(sys.modules[__name__])
