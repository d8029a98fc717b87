#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxt2perfetto --into-fxt: the samples that Perfetto finds in the copy of an archive are
those of fxt2perfetto, and to all others the copy is the archive.

test_into_fxt.py TOOLS_DIR DATA_DIR [FXTRECORD WORKLOAD]"""
import glob
import gzip
import os
import random
import shutil
import subprocess
import sys

import fxtrandom
import fxtwrite
import perfetto_read
import timeline_cases
from profile_cases import TOOLS, busy_trace, main, run, write
from timeline_view import koid

RECORDER = [os.path.abspath(program) for program in sys.argv[3:5]]
DATA = os.path.abspath(sys.argv[2])
FXT2PERFETTO = os.path.join(TOOLS, "fxt2perfetto", "fxt2perfetto")
FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")
NAME = b"fxt2perfetto"
# All tools, and all of their formats that differ in what they read.
READERS = (
    ("fxt2folded", "--format", "folded"), ("fxt2folded", "--format", "speedscope"),
    ("fxt2folded", "--spans"), ("fxt2pprof", "--no-gzip"), ("fxt2firefox",),
    ("fxt2perfetto",), ("fxt2chrome",), ("fxtreport",), ("fxtreport", "--json", "--tree"))


def copy(name="a.fxt", *options, status=0):
    """Makes copy/NAME of NAME."""
    os.makedirs("copy", exist_ok=True)
    return run(FXT2PERFETTO, "-q", "--into-fxt", *options, "-o", "copy/" + name, name,
               status=status)


def records(data):
    """(offset, header, bytes) of each record of a sound archive."""
    order = "little" if data[:1] == b"\x10" else "big"
    at = 0
    while at < len(data):
        header = int.from_bytes(data[at:at + 8], order)
        words = header >> 4 & (0xffffffff if header & 15 == 15 else 0xfff)
        yield at, header, data[at:at + 8 * words]
        at += 8 * words


def blobs(data, name=NAME):
    """The payloads of the blobs for Perfetto, whose names are inline."""
    for _, header, record in records(data):
        if header & 15 != 5 or header >> 48 & 255 != 3:
            continue
        size, ref = header >> 32 & 0x7fff, header >> 16 & 0xffff
        assert ref == 0x8000 | len(name) and len(record) <= 4095 * 8
        start = 8 + (len(name) + 7) // 8 * 8
        assert record[8:8 + len(name)] == name
        assert not record[start + size:].strip(b"\0")
        yield record[start:start + size]


def read(name):
    with open(name, "rb") as file:
        return file.read()


def embedded(name):
    return perfetto_read.Trace(b"".join(blobs(read(name))), embedded=True)


def rows(trace, ids):
    return [(time, *ids(sample), stack, sample.get("cpu"), sample.get("cpu_mode"))
            for time, _, stack, sample in trace.samples]


def low_koids(trace):
    """What Perfetto makes of the koids of an archive, from the names of a trace."""
    def ids(sample):
        pid, tid = sample["pid"], sample["tid"]
        return (koid(pid, trace.processes[pid]["process_name"]) & 0xffffffff,
                koid(tid, trace.threads[tid]["thread_name"]) & 0xffffffff)
    return ids


def same_samples(name="a.fxt", *options):
    """The packets in the copy are those of a trace."""
    copy(name, *options)
    whole = perfetto_read.Trace(run(FXT2PERFETTO, "-q", *options, name, text=False))
    found = embedded("copy/" + name)
    assert rows(found, lambda sample: (sample["pid"], sample["tid"])) == \
        rows(whole, low_koids(whole))
    assert found.interned == {key: value for key, value in whole.interned.items()
                              if not key.startswith(("event", "debug"))}
    assert found.defaults == whole.defaults
    return found


def same_outputs(name="a.fxt"):
    """All tools print the same of both, fxtdump but for the blobs and for the places of
    what comes after them, which could not be read."""
    def done(directory, tool, *options):
        result = subprocess.run([os.path.join(TOOLS, tool, tool), *options, name], check=False,
                                cwd=directory, capture_output=True)
        return result.returncode, result.stdout
    for reader in READERS:
        assert done(".", *reader, "-q") == done("copy", *reader, "-q"), reader
    (status, text), (copy_status, copy_text) = (
        done(directory, "fxtdump", "-q") for directory in (".", "copy"))
    assert status == copy_status
    assert [line.split(None, 1)[1:] for line in text.splitlines()] == \
        [line.split(None, 1)[1:] for line in copy_text.splitlines() if NAME not in line]


# ---- what is in it ----


def test_the_packets_are_those_of_a_trace():
    write("a.fxt", busy_trace())
    assert len(same_samples().samples) == 200
    for options in (["--pid", "1045"], ["--time", "1.2ms-2ms"], ["--skip-above", "libc"],
                    ["--period", "1ms"]):
        same_samples("a.fxt", *options)
    for seed in range(10):
        write("a.fxt", timeline_cases.random_samples(random.Random(seed), seed % 3 == 0))
        same_samples()


def test_ids_are_cut_as_perfetto_cuts_those_of_the_archive():
    trace, koids = timeline_cases.large_ids()
    write("a.fxt", trace)
    same_samples()
    found = {sample["pid"] for _, _, _, sample in embedded("copy/a.fxt").samples}
    assert found == {koid & 0xffffffff for koid in koids}


def test_packets_may_fill_several_blobs():
    trace = fxtwrite.archive()
    for i in range(3000):
        trace.backtrace(i, 1, 2 + i % 3, *(0x1000 * (i % 50 + j) for j in range(1, 20)))
    write("a.fxt", trace)
    same_samples()
    sizes = [len(payload) for payload in blobs(read("copy/a.fxt"))]
    assert len(sizes) > 2 and set(sizes[:-1]) == {(4095 - 1 - 2) * 8}, sizes


def test_an_archive_without_samples_is_copied():
    trace = fxtwrite.archive()
    trace.complete(1, 2, 3, 4, b"span")
    write("a.fxt", trace)
    copy()
    assert read("copy/a.fxt").startswith(read("a.fxt")) and not embedded("copy/a.fxt").samples


# ---- what it is to others ----


def test_all_tools_read_the_copy_as_the_archive():
    write("a.fxt", busy_trace())
    copy()
    assert read("copy/a.fxt").startswith(read("a.fxt"))
    same_outputs()


def test_also_of_random_archives():
    for name in sorted(glob.glob(os.path.join(DATA, "*.fxt"))):
        shutil.copy(name, "a.fxt")
        copy(status=None)
        same_outputs()
    for seed in range(4):
        with open("a.fxt", "wb") as file:
            file.write(fxtrandom.Generator(seed, seed % 2 == 0).archive(80))
        copy(status=None)
        same_outputs()


def test_a_recording():
    if timeline_cases.record(RECORDER) is None:
        return
    assert len(same_samples("r.fxt").samples) > 20
    same_outputs("r.fxt")


def test_what_is_cut_off_stays_at_the_end():
    whole = busy_trace().data()
    *_, (last, _, _) = records(whole)
    for size in last + 8, last + 12, len(whole) - 3:
        with open("a.fxt", "wb") as file:
            file.write(whole[:size])
        copy(status=1)
        copied = read("copy/a.fxt")
        assert copied.startswith(whole[:last]) and copied.endswith(whole[last:size])
        assert len(list(blobs(copied[:len(copied) - (size - last)]))) == 1
        same_outputs()


def test_a_copy_of_a_copy_has_no_sample_twice():
    write("a.fxt", busy_trace())
    copy()
    os.rename("copy/a.fxt", "once.fxt")
    copy("once.fxt")
    assert read("copy/once.fxt") == read("once.fxt")


def test_blobs_of_others_stay():
    trace = busy_trace()
    trace.add(fxtwrite.blob(b"perfetto", 3, b"\x0a\x00"))
    trace.add(fxtwrite.blob(NAME, 1, b"data"))
    write("a.fxt", trace)
    copy()
    assert read("copy/a.fxt").startswith(read("a.fxt"))


def test_compressed_archives_are_copied_uncompressed():
    write("a.fxt", busy_trace())
    copy()
    with gzip.open("b.fxt", "wb") as file:
        file.write(read("a.fxt"))
    copy("b.fxt")
    assert [record for _, header, record in records(read("copy/a.fxt")) if header & 15 != 5] == \
        [record for _, header, record in records(read("copy/b.fxt")) if header & 15 != 5]


def test_what_perfetto_cannot_read_is_reported():
    for what, words in (("zero words", [0]), ("records of more than 4095 words", [15 | 5000 << 4])):
        trace = busy_trace()
        trace.words(*words, *[0x1234] * (4999 if words[0] else 0))
        write("a.fxt", trace)
        done = subprocess.run([FXT2PERFETTO, "--into-fxt", "-o", "b.fxt", "a.fxt"], check=False,
                              capture_output=True, text=True)
        assert ("fxt2perfetto: a.fxt: has " + what) in done.stderr, done.stderr


def test_what_cannot_be_copied_is_refused():
    write("a.fxt", busy_trace())
    shutil.copy(os.path.join(DATA, "region.bin"), "region.bin")
    for arguments in (["-"], ["a.fxt", "a.fxt"], ["--spans", "a.fxt"], ["--region", "a.fxt"],
                      ["--sched", "off-cpu", "a.fxt"], ["region.bin"], []):
        run(FXT2PERFETTO, "-q", "--into-fxt", "-o", "b.fxt", *arguments, status=2, input=b"")
        assert not os.path.exists("b.fxt"), arguments
    for name in "b.pftrace", "b.svg", "b.fxt.gz", "a.fxt":
        run(FXT2PERFETTO, "-q", "--into-fxt", "-o", name, "a.fxt", status=2)
    run(FXT2PERFETTO, "-q", "-o", "b.fxt", "a.fxt", status=2)
    assert sorted(os.listdir()) == ["a.fxt", "region.bin"]


if __name__ == "__main__":
    main(sys.modules[__name__])
