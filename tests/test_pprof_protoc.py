#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Profiles as protoc reads them. Arguments: the tools' build directory, profile.proto."""
import os
import re
import sys

import fxtwrite
from profile_cases import FXT2PPROF, busy_trace, main, need, run, write

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


def check_references(text):
    """Asserts that ids are dense, and everything is used and is there."""
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
    for label in re.findall(r"label \{\n(.*?)\}", text, re.S):
        assert ("str:" in label) != ("num_unit:" in label), label
    assert all("location_id" in sample for sample in blocks(text, "sample"))


def test_a_busy_profile_is_canonical_and_its_ids_are_dense():
    write("p.fxt", busy_trace())
    check_references(check("--period", "250us", "--start-time", "1700000000", "p.fxt"))


def test_what_is_filtered_leaves_nothing_behind():
    write("p.fxt", busy_trace())
    for options in (["--pid", "1045"], ["--tid", "2078"], ["--process", "sh*"],
                    ["--skip-above", "libc"], ["--skip-below", "app"],
                    ["--idle", "hide", "--idle-function", "app"], ["--fold-recursion"],
                    ["--skip-above", "libc", "--skip-below", "libc", "--pid", "1046"]):
        check_references(check("-q", *options, "p.fxt"))


def test_spans():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.begin(100, 1, 2, b"main")
    trace.complete(110, 120, 1, 2, b"inner")
    trace.end(200, 1, 2)
    write("p.fxt", trace)
    text = check("--spans", "p.fxt")
    check_references(text)
    assert "value: 1\n  value: 10\n" in text and "value: 1\n  value: 90\n" in text, text
    assert "duration_nanos: 100\n" in text


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
