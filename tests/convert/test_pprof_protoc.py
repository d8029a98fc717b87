#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Profiles as protoc reads them. Arguments: the tools' build directory, profile.proto."""
import os
import re
import sys

import fxtwrite
from profile_cases import FXT2PPROF, HAS_LINES, busy_trace, main, need, run, symbols, write

PROTO = os.path.abspath(sys.argv[2])
MESSAGE = "perftools.profiles.Profile"


def protoc(action, data):
    return run("protoc", "--proto_path=" + os.path.dirname(PROTO), action + "=" + MESSAGE,
               PROTO, input=data, text=False)


def check(*arguments):
    """Asserts that a profile is encoded as protoc would encode it; returns its text."""
    profile = run(FXT2PPROF, "-q", "--no-gzip", *arguments, text=False)
    text = protoc("--decode", profile)
    assert protoc("--encode", text) == profile, "not the bytes that protoc writes"
    assert not re.search(rb"^\s*\d+: ", text, re.M), "a field that is not in the format"
    return text.decode()


def blocks(text, name):
    return re.findall(r"^%s \{\n(.*?)^\}" % name, text, re.M | re.S)


def check_numbers(text):
    """Ids are dense, and all that has one is used."""
    used = {"location": set(), "mapping": set(), "function": set()}
    for name in ("mapping", "location", "function"):
        ids = [int(re.search(r"^  id: (\d+)", b, re.M)[1]) for b in blocks(text, name)]
        assert ids == list(range(1, len(ids) + 1)), (name, ids)
        for kind in used:
            for other in blocks(text, "sample") + blocks(text, "location"):
                used[kind].update(int(i) for i in
                                  re.findall(r"\b%s_id: (\d+)" % kind, other))
        assert used[name] == set(ids), (name, used[name])
    strings = re.findall(r'^string_table: "(.*)"', text, re.M)
    assert strings[0] == "" and len(strings) == len(set(strings))
    indices = {int(i) for i in re.findall(
        r"\b(?:type|unit|key|str|num_unit|filename|build_id|name|system_name|comment|"
        r"default_sample_type): (\d+)", text)}
    assert indices == set(range(1, len(strings))), "every string is used"


def test_a_busy_profile_is_canonical_and_its_ids_are_dense():
    write("p.fxt", busy_trace())
    text = check("--period", "250us", "--start-time", "1700000000", "p.fxt")
    check_numbers(text)
    for label in re.findall(r"label \{\n(.*?)\}", text, re.S):
        assert ("str:" in label) != ("num_unit:" in label), label
    assert all("location_id" in sample for sample in blocks(text, "sample"))


def functions(text):
    """(name, system name, file, first line) of each function."""
    strings = re.findall(r'^string_table: "(.*)"', text, re.M)
    found = []
    for block in blocks(text, "function"):
        fields = dict(re.findall(r"^  (\w+): (\d+)", block, re.M))
        found.append(tuple(strings[int(fields.get(f, 0))] for f in
                           ("name", "system_name", "filename")) +
                     (int(fields.get("start_line", 0)),))
    return found


def test_functions_have_two_names_and_a_place_in_the_source():
    elf = os.environ.get("ELF_CPLUSPLUS")
    if elf is None or not HAS_LINES or os.environ["HAS_LIBIBERTY"] != "1":
        return
    at = symbols(elf)
    mangled = "_ZN5outer5countB5cxx11Ei"
    trace = fxtwrite.Trace()
    for i in range(at["main"], at["main.end"]):
        trace.backtrace(100, 1, 2, at[mangled] + 1, i)
    write("p.bin", trace)
    for how in "lines", "frames", "off":
        text = check("--elf", elf, "--inlines", how, "p.bin")
        check_numbers(text)
        names = {name: rest for name, *rest in functions(text)}
        system_name, file, line = names["outer::count[abi:cxx11](int)"]
        assert system_name == mangled
        with open(file, encoding="utf-8") as source:
            assert " count(int n)" in source.readlines()[line - 1]
        assert names["main"][0] == "main"
        assert any(n.startswith("std::") for n in names) == (how != "off"), names
        # What has template arguments is mangled, or no name of a linker's.
        assert all(system_name == "" or system_name.startswith("_Z")
                   for name, (system_name, *_) in names.items() if "<" in name), names
        assert all("<" in name or system_name != ""
                   for name, (system_name, *_) in names.items()), names


def test_what_is_filtered_leaves_no_trace():
    write("p.fxt", busy_trace())
    for options in (["--pid", "1045"], ["--tid", "2078"], ["--process", "sh*"],
                    ["--skip-above", "libc"], ["--skip-below", "app"],
                    ["--idle", "hide", "--idle-function", "app"], ["--fold-recursion"],
                    ["--skip-above", "libc", "--skip-below", "libc", "--pid", "1046"]):
        check_numbers(check("-q", *options, "p.fxt"))


def test_spans():
    trace = fxtwrite.archive()
    trace.begin(100, 1, 2, b"main")
    trace.complete(110, 120, 1, 2, b"inner")
    trace.end(200, 1, 2)
    write("p.fxt", trace)
    text = check("--spans", "p.fxt")
    check_numbers(text)
    assert "value: 1\n  value: 10\n" in text and "value: 1\n  value: 90\n" in text, text
    assert "duration_nanos: 100\n" in text


def test_what_is_filtered_of_inlined_functions_leaves_no_trace():
    elf = os.environ["ELF_INLINES"]
    if not HAS_LINES:
        return
    at = symbols(elf)
    trace = fxtwrite.Trace()
    for i in range(at["main"], at["main.end"]):
        trace.backtrace(100, 1, 2, i, at["main"] + 1, 0x10)
    write("p.bin", trace)
    for how in "lines", "frames", "off":
        for options in (["--skip-above", "^mix_twice"], ["--skip-below", "^mix_twice"],
                        ["--skip-above", "^mix_twice", "--skip-below", "^mix_twice"],
                        ["--fold-recursion"], ["--idle", "hide", "--idle-function", "^mix$"]):
            text = check("-q", "--elf", elf, "--inlines", how, *options, "p.bin")
            check_numbers(text)
            names = {name for name, *_ in functions(text)}
            if "-above" in options[0] and "--skip-below" not in options and how != "off":
                assert "mix" in names, names
            if options[0] == "--idle" and how != "off":
                assert "mix" not in names, names


def test_large_numbers():
    trace = fxtwrite.Trace()
    trace.backtrace(1, (1 << 64) - 1, 1 << 63, (1 << 64) - 1, 1 << 63, 0)
    trace.backtrace((1 << 64) - 1, (1 << 64) - 1, 1 << 63, (1 << 64) - 1, 1 << 63, 0)
    write("p.bin", trace)
    text = check("--period", "9223372036s", "p.bin")
    assert "num: -1\n" in text and "address: 18446744073709551615" in text
    # A sum stays at the largest number, and so does the duration.
    assert "value: [" not in text
    assert "value: 2\n  value: 9223372036854775807\n" in text, text
    assert "duration_nanos: 9223372036854775807" in text


def test_an_empty_profile():
    write("p.bin", fxtwrite.Trace())
    profile = run(FXT2PPROF, "-q", "--no-gzip", "p.bin", text=False, status=1)
    assert protoc("--encode", protoc("--decode", profile)) == profile


if __name__ == "__main__":
    need("protoc")
    main(sys.modules[__name__])
