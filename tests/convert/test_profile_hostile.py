#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Input that means harm, or nothing: no crash, no hang, memory with bounds, clear words,
and outputs that their readers take. Arguments: the tools' build directory, and the
sanitizers that it was built with."""
import collections
import json
import os
import random
import resource
import struct
import subprocess
import sys
import unicodedata
import xml.dom.minidom

import fxtwrite
import patience
import pprof_read
import speedscope_read
from profile_cases import (FXT2FOLDED, FXT2PPROF, FXTREPORT, busy_trace, formats, main,
                           write)

SANITIZED = sys.argv[2] != "none"
FORMATS = formats()
# They keep all samples in memory.
IN_ORDER_OF_TIME = {"speedscope", "json"}


def limit_memory(mib):
    def limit():
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))
    return limit


def convert(tool, *arguments, mib=200, **options):
    """Standard output and error of a run, whose status says good, bad or unusable."""
    done = subprocess.run([tool, *arguments], capture_output=True, timeout=patience.SECONDS,
                          check=False, preexec_fn=limit_memory(mib), **options)
    assert done.returncode in (0, 1, 2), (arguments, done)
    said = done.stderr.decode()
    # U+FFFE is no character, but valid UTF-8, and no terminal does anything with it.
    assert all(c.isprintable() or c in "\n\ufffe" for c in said), said
    return done.returncode, done.stdout, said


def check_outputs(name, *arguments, samples=None):
    """Every output can be read, and they agree about how many samples there are."""
    counts = {}
    _, out, _ = convert(FXT2FOLDED, "-q", *arguments, name)
    counts["folded"] = sum(pprof_read.read_folded(out.decode()).values())
    _, out, _ = convert(FXT2FOLDED, "-q", "--format", "svg", *arguments, name)
    xml.dom.minidom.parseString(out)
    _, out, _ = convert(FXT2FOLDED, "-q", "--format", "speedscope", *arguments, name)
    counts["speedscope"] = sum(
        weight for intervals in speedscope_read.stacks(json.loads(out)).values()
        for stack, weight in intervals if stack)
    if "--spans" not in arguments:
        _, out, _ = convert(FXT2FOLDED, "-q", "--format", "json", *arguments, name)
        counts["json"] = sum(map(len, json.loads(out)["stack_traces"]))
        _, out, _ = convert(FXT2FOLDED, "-q", "--format", "markup", *arguments, name)
        counts["markup"] = sum(int(line.split()[0]) for line in out.decode().splitlines()
                               if " of thread" in line and line[0].isdigit())
    _, out, _ = convert(FXTREPORT, "-q", "--json", *arguments, name)
    counts["report"] = sum(row["self"] for row in json.loads(out)["functions"])
    for view in "--rows=0", "--tree", "--lines", "--by=cpu":
        if view != "--lines" or "--spans" not in arguments:
            _, out, _ = convert(FXTREPORT, "-q", view, *arguments, name)
            assert not any(unicodedata.category(c) == "Cc" and c != "\n"
                           for c in out.decode()), (name, view)
    convert(FXT2PPROF, "-q", "-o", "p.pb.gz", *arguments, name)
    profile = pprof_read.read("p.pb.gz")
    counts["pprof"] = sum(sample["value"][-1] for sample in profile["sample"])
    assert len(set(counts.values())) == 1, (name, arguments, counts)
    assert samples is None or counts["pprof"] == samples, (name, counts, samples)
    return counts["pprof"]


def test_every_cut():
    """As many samples as there are whole records of them, wherever the input is cut."""
    data = busy_trace().data()
    ends, at = [], 0
    while at < len(data):
        header, = struct.unpack_from("<Q", data, at)
        size = 8 * (header >> 4 & (0xffffffff if header & 15 == 15 else 0xfff))
        at += size
        if header & 0xf000f == 0x2000a:
            ends.append(at)
    for cut in range(0, len(data), len(data) // 150 | 1):
        with open("cut.fxt", "wb") as file:
            file.write(data[:cut])
        _, out, _ = convert(FXT2FOLDED, "-q", "cut.fxt")
        found = sum(pprof_read.read_folded(out.decode()).values())
        assert found == sum(end <= cut for end in ends), (cut, found)


def test_random_bytes():
    for seed in range(12):
        rng = random.Random(seed)
        data = bytearray(busy_trace().data())
        if seed % 4 == 0:
            data = bytearray(rng.randbytes(20000))
        for _ in range(rng.choice((1, 10, 200))):
            data[rng.randrange(8, len(data))] = rng.choice((0, 255, rng.randrange(256)))
        with open("r.fxt", "wb") as file:
            file.write(data)
        check_outputs("r.fxt", "--resync")


def test_the_largest_record():
    """It says that it has 2^32 - 1 words, more than any machine has: nothing is made ready for
    that many, and what comes instead is passed over as it comes."""
    header = struct.pack("<Q", 15 | 0xffffffff << 4)
    region = fxtwrite.Trace()
    region.backtrace(1, 2, 3, 4)
    with open("large.bin", "wb") as file:
        file.write(region.data() + header + bytes(48 << 20))
    for options in ([], ["--archive"], ["--resync"], ["--resync", "--archive"],
                    ["--region-size", "64M"], ["--threads", "4"]):
        status, out, said = convert(FXT2FOLDED, *options, "large.bin", mib=64)
        assert status == 1 and out == b"process[2];0x4 1\n", (options, out)
        assert "large.bin:0x28: large blob record: " in said, said
        with open("large.bin", "rb") as file:
            status, out, said = convert(FXT2FOLDED, *options, mib=64, stdin=file)
            assert status == 1 and out == b"process[2];0x4 1\n", (options, out)


def test_a_large_record_that_is_there():
    """A sample of 262144 PCs."""
    n = 1 << 18
    with open("large.bin", "wb") as file:
        file.write(struct.pack("<6Q", 15 | (6 + n) << 4, 0, 1, 2, 3, 8 * n))
        file.write(b"".join(struct.pack("<1024Q", *range(i, i + 1024))
                            for i in range(0, n, 1024)))
    status, out, _ = convert(FXT2FOLDED, "-q", "large.bin", mib=300)
    assert status == 0 and out.count(b";") == n, (status, len(out))


def test_names_with_every_byte():
    everything = bytes(range(256))
    trace = fxtwrite.archive()
    names = [everything[i:i + 51] for i in range(0, 256, 51)]
    names += [bytes([byte]) for byte in range(256)] + [bytes([byte]) * 3 for byte in range(256)]
    names += [b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbf\xbe", b"]]>", b"<!--", b"{{{reset}}}",
              "\u202e\u2066\ufeff\u0085\u2028".encode(), b"a" * 255]
    for i, name in enumerate(names):
        trace.process(1000 + i, name)
        trace.thread(3000 + i, name, 1000 + i)
        trace.module(1000 + i, 1, name, name[:40])
        trace.mapping(1000 + i, 1, 0x7000, 0x1000, 0)
        trace.backtrace(i, 1000 + i, 3000 + i, 0x7010, 0x10)
        trace.complete(i, i + 1, 1000 + i, 3000 + i, name, category=name)
    write("names.fxt", trace)
    for options in ([], ["--unsymbolized", "--roots", "process,thread,cpu"]):
        done = subprocess.run([FXT2FOLDED, "-q", *options, "names.fxt"], check=True,
                              stdout=subprocess.PIPE)
        assert done.stdout.count(b"\n") == len(names), (options, done.stdout)
        assert not any(byte < 32 and byte != 10 or byte == 127 for byte in done.stdout)
    assert check_outputs("names.fxt", samples=len(names)) == len(names)
    check_outputs("names.fxt", "--spans", samples=len(names))
    convert(FXT2FOLDED, "-v", "names.fxt")


def test_many_of_everything():
    """Processes, threads, modules, strings, CPUs, mappings and spans: memory grows as the
    input does, and no faster."""
    n = 20000
    trace = fxtwrite.archive()
    for i in range(n):
        trace.process(i, b"p%d" % i)
        trace.thread(n + i, b"t%d" % i, i)
        trace.module(i % 500, i % 65536, b"m%d" % i, struct.pack("<Q", i))
        trace.mapping(i % 500, i % 65536, 4096 * (i % 3000), 8192, i, 5, i)
        trace.backtrace(i, i % 500, n + i, 4096 * (i % 3000) + 1, i)
        if i % 100 == 0:
            trace.provider(i, b"cpu%d" % i)
        trace.begin(i, 1, 2, b"deep")
    write("many.fxt", trace)
    _, out, _ = convert(FXT2FOLDED, "-q", "--roots", "thread", "many.fxt", mib=300)
    assert out.count(b"\n") == n
    convert(FXT2FOLDED, "-q", "--spans", "many.fxt", mib=600)
    convert(FXT2PPROF, "-q", "-o", "p.pb.gz", "many.fxt", mib=300)
    assert sum(s["value"][0] for s in pprof_read.read("p.pb.gz")["sample"]) == n


def block(n_stacks, n):
    """Records of samples, of few stacks."""
    records = []
    for i in range(n):
        pcs = [0x1000 * (i * 7 % n_stacks) + j for j in range(10)]
        records.append(struct.pack("<14Q", 10 | 14 << 4 | 2 << 16 | 10 << 28, i * 1000003, 1,
                                   2 + i % 3, *pcs))
    return b"".join(records)


def peak_of(tool, name, *options):
    """The largest memory of a run, in KiB."""
    process = subprocess.Popen([tool, "-q", *options, name], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss


def alike(n):
    """Numbers that a product modulo 2 to the power of 64, as hash tables like it, makes
    alike: in what their upper halves come to, and in all but a few bits."""
    inverse = pow(0x9e3779b97f4a7c15, -1, 1 << 64)
    for i in range(n // 2):
        yield (7 << 32 | i) * inverse % (1 << 64)
        yield i % (1 << 16) << 48 | i >> 16


def test_numbers_that_hashes_have_trouble_with():
    """A look-up of each would go past all before it, which would take minutes."""
    numbers = list(alike(300000))
    region = fxtwrite.Trace()
    for at in range(0, len(numbers), 100):
        region.backtrace(at, 1, 1, 0x10, *numbers[at:at + 100])
    write("region.bin", region)
    archive = fxtwrite.archive()
    for number in numbers:
        archive.process(number, b"x" + number.to_bytes(8, "little"))
    archive.backtrace(1, numbers[1], 1, 0x10)
    write("archive.fxt", archive)
    status, out, _ = convert(FXT2FOLDED, "-q", "region.bin", mib=400)
    assert status == 0 and out.count(b"\n") == len(numbers) // 100
    status, out, _ = convert(FXT2FOLDED, "-q", "archive.fxt", mib=400)
    assert status == 0 and out.endswith(b";0x10 1\n"), out


def test_memory_grows_with_the_stacks_and_not_with_the_samples():
    if SANITIZED:
        return
    samples = block(50, 10000)
    archive = fxtwrite.archive()
    for name, start in ("region.bin", b""), ("archive.fxt", archive.data()):
        peaks = collections.defaultdict(list)
        for times in (3, 30):
            with open(name, "wb") as file:
                file.write(start)
                for _ in range(times):
                    file.write(samples)
            for form in set(FORMATS) - IN_ORDER_OF_TIME:
                peaks[form].append(peak_of(FXT2FOLDED, name, "--format", form))
            peaks["pprof"].append(peak_of(FXT2PPROF, name))
        for form, (few, many) in peaks.items():
            assert many < few + 2048, (name, form, few, many)


if __name__ == "__main__":
    main(sys.modules[__name__])
