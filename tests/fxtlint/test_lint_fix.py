#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtlint --fix over random archives, of all kinds of records, of several providers, in
both byte orders, sound and damaged: a repaired archive has nothing more to be repaired, and
repairing it again gives the same bytes; and fxtdump shows the same records in it, except for
those that fxtlint named. Arguments: the directory of the built tools."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import fxtrandom
import fxtwrite as w

# What is different in a repaired record because of one of these.
CHANGES = {"string-unknown", "thread-unknown", "not-utf8", "string-size", "negative-duration",
           "object-no-process", "unknown", "time-overflow"}
# The process of a thread may not be known, and names of any bytes cannot be in a table.
UNKNOWABLE = {"object-no-process", "object-name-inline"}
N_ARCHIVES = 300 if os.environ.get("FXT_TEST_LONG", "") == "1" else 60


class Tools:
    def __init__(self, directory):
        self.directory = directory

    def run(self, tool, *arguments):
        return subprocess.run([f"{self.directory}/{tool}/{tool}", *arguments], check=False,
                              capture_output=True, stdin=subprocess.DEVNULL)

    def records(self, path, *options):
        done = self.run("fxtdump", "-q", "--json", "--payload", *options, path)
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    def findings(self, path, *options):
        done = self.run("fxtlint", "--json", "--places", "100000", *options, path)
        assert done.returncode in (0, 1) and not done.stderr, done.stderr
        return {found["rule"]: found for found in json.loads(done.stdout)["findings"]}

    def fix(self, path, output, *options):
        done = self.run("fxtlint", "-q", "--fix", "-o", output, *options, path)
        # Records that became too large are reported: none of these do.
        assert done.returncode in (0, 1) and not done.stderr, done.stderr
        return pathlib.Path(output).read_bytes()


def places(findings, rules):
    return {place["offset"] for rule in rules if rule in findings
            for place in findings[rule]["places"]}


def is_left_out(record):
    """What is written again, is of a type that is not known, or cannot be decoded."""
    if record["type"] == "metadata":
        return record["metadata"] != "provider_event"
    return record["type"] in ("string", "thread", "initialization", "unknown", "error") or \
        isinstance(record.get("scheduling"), int) or isinstance(record.get("profiler"), int)


def contents(records):
    """(offset, provider, what does not depend on where it is and on clock rates)"""
    provider = 0
    for record in records:
        if record.get("metadata") in ("provider_info", "provider_section"):
            provider = record["provider_id"]
        if is_left_out(record):
            continue
        kept = {key: value for key, value in record.items()
                if key not in ("offset", "size", "timestamp", "end_timestamp")}
        # Words, in the byte order of the archive.
        if "pcs" in kept:
            kept.pop("payload", None)
        yield record["offset"], provider, kept


def check_equal(before, after, findings):
    """What was changed is what was named."""
    named = places(findings, CHANGES)
    before, after = list(contents(before)), list(contents(after))
    assert len(before) == len(after), (len(before), len(after))
    n_changed = 0
    for (offset, provider, was), (_, now_of, now) in zip(before, after):
        assert provider == now_of, (offset, provider, now_of)
        if was != now:
            assert offset in named, (hex(offset), was, now)
            n_changed += 1
    return n_changed


def check(tools, work, data, options):
    path, fixed, again = (f"{work}/{name}.fxt" for name in ("in", "fixed", "again"))
    pathlib.Path(path).write_bytes(data)
    findings = tools.findings(path, *options)
    first = tools.fix(path, fixed, *options)
    left = tools.findings(fixed)
    assert not [rule for rule in left if left[rule]["fixed"] and rule not in UNKNOWABLE], left
    assert tools.fix(fixed, again) == first
    return check_equal(tools.records(path, *options), tools.records(fixed), findings)


def long_archive():
    """Nearly all of it stays: events of two providers, for whom some indices differ in what
    they mean, and context switches."""
    def register(provider):
        return [w.provider_info(provider, b"provider"), w.initialization(10**9),
                *(w.string(i, b"%d of %d" % (i, provider if i == 6 else 0))
                  for i in range(1, 9)),
                *(w.thread(i, 5, 10 * provider + i if i == 4 else i) for i in range(1, 5))]

    def event(i):
        args = [w.arg(4, 7, i), w.arg(6, 8, 1 + i % 8)][:i % 3]
        return w.event(i // 5 % 2 * 2, i, 1 + i % 4, 1, 2 + i % 5, args)

    parts = [w.magic(), *register(1), *register(2)]
    for i in range(20000):
        if i % 1000 == 0:
            parts.append(w.provider_section(1 + i // 1000 % 2))
        parts.append(event(i))
        if i % 4 == 0:
            parts.append(w.context_switch(i, 1, 2, 11, 12))
    return b"".join(map(w.to_bytes, parts))


def check_long(tools, work):
    """Records that stay are copied, many at a time, and in a pipe their memory changes."""
    assert check(tools, work, long_archive(), []) == 0
    first = pathlib.Path(f"{work}/fixed.fxt").read_bytes()
    assert len(first) > 2**19, len(first)
    with subprocess.Popen(["cat", f"{work}/fixed.fxt"], stdout=subprocess.PIPE) as cat:
        subprocess.run([f"{tools.directory}/fxtlint/fxtlint", "-q", "--fix", "-o",
                        f"{work}/piped.fxt"], check=False, stdin=cat.stdout)
    assert pathlib.Path(f"{work}/piped.fxt").read_bytes() == first


def main(directory):
    tools = Tools(directory)
    n_changed = 0
    with tempfile.TemporaryDirectory() as work:
        for seed in range(N_ARCHIVES):
            big_endian = seed % 3 == 2
            generator = fxtrandom.Generator(seed, big_endian)
            data = generator.archive(generator.random.randrange(1, 120))
            options = []
            if seed % 2:
                data = fxtrandom.damaged(data, big_endian, random.Random(seed))
                options = ["--resync"] if seed % 4 == 3 else []
            try:
                n_changed += check(tools, work, data, options)
            except AssertionError:
                print("archive", seed, file=sys.stderr)
                raise
        check_long(tools, work)
    assert n_changed > N_ARCHIVES
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
