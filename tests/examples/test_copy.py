#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The reference reader judges libfxt's writer.

    test_copy.py FXTCOPY [--rounds N] [--seed N] [--seconds N]

Random archives, which another writer made, go through examples/fxtcopy in each of its
ways. The reference must read from the copy what it reads from the original, apart from
where records stand and how they refer to strings and threads, and must find no fault; and
copying copies must come to the same bytes.
"""
import argparse
import json
import random
import subprocess
import sys
import time

import fxtrandom
import fxtref
import fxtwrite

WAYS = ([], ["--in-line"], ["--as-given"])
ORDERS = ([], ["--big-endian"], ["--little-endian"])
LONGEST_STRING = 32000
U64 = 2**64 - 1


def read(data, **options):
    return fxtref.read_inputs([data], fxtref.Options(kind="archive", payload=True, **options))


def is_unresolved(value):
    """Whether a reference in a record leads nowhere."""
    if isinstance(value, dict):
        return any(
            key == "ref" or key.endswith("thread_ref") or is_unresolved(one)
            for key, one in value.items()
        )
    return isinstance(value, list) and any(map(is_unresolved, value))


def is_unknown(record):
    kind = record["type"]
    if kind == "unknown":
        return True
    return kind in ("metadata", "scheduling", "profiler") and isinstance(record[kind], int)


def is_too_long(record):
    return any(
        isinstance(value, str) and len(value.encode()) > LONGEST_STRING
        for value in record.values()
    )


def ends_before_it_begins(record):
    return record.get("end_timestamp", U64) < record.get("timestamp", 0)


def said(result, as_given):
    """What the records say that a copy must have."""
    records = []
    for record in result.objects:
        kind = record["type"]
        if kind == "error":
            continue
        if record.get("metadata") == "trace_info" and record["trace_info"] != "magic_number":
            continue
        if kind in ("string", "thread") and (not as_given or record["index"] == 0):
            continue
        if not as_given and (is_unresolved(record) or is_unknown(record)):
            continue
        if is_too_long(record) or ends_before_it_begins(record):
            continue
        record = {k: v for k, v in record.items() if k not in ("offset", "size")}
        # A stack's words are turned around with the byte order, and shown as its PCs.
        if kind == "large_blob" and "pcs" in record:
            record["payload"] = record["payload"][16 * len(record["pcs"]) :]
        records.append(record)
    return records


def faults(result):
    return [r for r in result.objects if r["type"] == "error"]


def copy(fxtcopy, words, data):
    done = subprocess.run([fxtcopy, *words], input=data, capture_output=True, check=False)
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    return done.stdout


def differences(expected, found):
    for i, (a, b) in enumerate(zip(expected, found)):
        # Not-a-number is not equal to itself.
        if a != b and json.dumps(a) != json.dumps(b):
            return "record %d:\n  %s\nis not\n  %s" % (i, json.dumps(b), json.dumps(a))
    if len(expected) != len(found):
        return "%d records and not %d" % (len(found), len(expected))
    return None


def check(fxtcopy, seed):
    rng = random.Random(seed)
    big_endian = rng.randrange(3) == 0
    generator = fxtrandom.Generator(rng.getrandbits(32), big_endian)
    data = generator.archive(rng.randrange(60))
    original = read(data)
    for way in WAYS:
        order = rng.choice(ORDERS)
        as_given = way == ["--as-given"]
        made = copy(fxtcopy, way + order, data)
        result = read(made)
        found = differences(said(original, as_given), said(result, as_given))
        if found is None and not as_given and faults(result):
            found = "a fault: %s" % faults(result)[0]
        again = copy(fxtcopy, way + order, made)
        found = found or differences(said(result, as_given), said(read(again), as_given))
        # What is refused has a say in which strings are registered when; in the second
        # copy nothing is.
        if found is None and copy(fxtcopy, way + order, again) != again:
            found = "the third copy differs"
        if found:
            with open("failed.fxt", "wb") as file:
                file.write(data)
            return "seed %s, %s, in failed.fxt: %s" % (seed, way + order, found)
    return len(original.objects)


def check_backwards(fxtcopy):
    """What the writer refuses is reported, and the rest is copied."""
    trace = fxtwrite.archive()
    trace.complete(5, 6, 1, 2, b"a")
    offset = trace.size
    trace.complete(5, 4, 1, 2, b"b")
    trace.complete(5, 5, 1, 2, b"c")
    done = subprocess.run([fxtcopy], input=trace.data(), capture_output=True, check=False)
    message = "fxtcopy: %#x: a complete duration ends before it begins\n" % offset
    names = [r["name"] for r in read(done.stdout).objects if r["type"] == "event"]
    assert (done.returncode, done.stderr.decode(), names) == (1, message, ["a", "c"]), done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fxtcopy")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()

    check_backwards(options.fxtcopy)
    end = time.monotonic() + options.seconds
    n_rounds = n_objects = 0
    while n_rounds < options.rounds and time.monotonic() < end:
        result = check(options.fxtcopy, "%d/%d" % (options.seed, n_rounds))
        if isinstance(result, str):
            print(result)
            return 1
        n_rounds += 1
        n_objects += result
    print("%d archives, %d records, copied in 3 ways" % (n_rounds, n_objects))
    return 0


if __name__ == "__main__":
    sys.exit(main())
