#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces compressed by zstd: fxtdump reads what is in them, and no more than there is.

    test_zstd.py FXTDUMP DATA_DIR HAS_LIBZSTD SANITIZERS

Frames are made by hand, of blocks that are stored or of one byte repeated; and by zstd
itself, where it is installed.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import fxtrandom

FXTDUMP, DATA_DIR, HAS_LIBZSTD, SANITIZERS = sys.argv[1:5]
FOLDER = tempfile.TemporaryDirectory()
MAGIC = b"\x28\xb5\x2f\xfd"
STORED, REPEATED = 0, 1
BLOCK_MAX = 1 << 17
# Filling what is allocated makes memory of it that is in use.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}


def block(kind, size, content, is_last):
    return struct.pack("<I", is_last | kind << 1 | size << 3)[:3] + content


def frame(data, piece=BLOCK_MAX, window_log=17):
    """A frame of stored blocks."""
    at = list(range(0, len(data), piece)) or [0]
    blocks = [block(STORED, len(data[i : i + piece]), data[i : i + piece], i == at[-1])
              for i in at]
    return MAGIC + bytes((0, window_log - 10 << 3)) + b"".join(blocks)


def repeated(byte, n_blocks, window_log=17):
    """A frame of blocks that are one byte repeated: 128 KiB in 4 bytes."""
    blocks = [block(REPEATED, BLOCK_MAX, byte, i + 1 == n_blocks) for i in range(n_blocks)]
    return MAGIC + bytes((0, window_log - 10 << 3)) + b"".join(blocks)


def skippable(content):
    return struct.pack("<II", 0x184D2A53, len(content)) + content


def dump(data, *args, is_pipe=False):
    """The exit status, both outputs and the largest size in memory, in MiB."""
    path = os.path.join(FOLDER.name, "input")
    with open(path, "wb") as file:
        file.write(data)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([FXTDUMP, *args, *([] if is_pipe else [path])], stdout=out,
                                   stderr=err, stdin=subprocess.PIPE, env=ENVIRONMENT)
        with process.stdin as pipe:
            if is_pipe:
                pipe.write(data)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return (process.returncode, out.read(), err.read().decode().replace(path, "FILE"),
                used.ru_maxrss / 1024)


def plain_and(data):
    return dump(data, "--json", "-q")[:2]


def archive(seed, n=300):
    return fxtrandom.Generator(seed, False).archive(n)


def test_same_records():
    """However it is cut into blocks and frames, with others that are to be skipped between
    them, from a file or a pipe."""
    for seed in range(8):
        rng = random.Random(seed)
        data = archive(seed)
        cuts = sorted(rng.randrange(len(data)) for _ in range(rng.randrange(5)))
        parts = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)])]
        packed = b""
        for i, part in enumerate(parts):
            if i > 0 and rng.randrange(2):
                packed += skippable(rng.randbytes(rng.randrange(70000)))
            packed += frame(part, piece=rng.choice((1, 7, 1000, BLOCK_MAX)))
        packed += bytes(rng.choice((0, 512)))
        for is_pipe in False, True:
            found = dump(packed, "--json", "-q", is_pipe=is_pipe)[:2]
            assert found == plain_and(data), seed


def test_zstd_itself():
    if shutil.which("zstd") is None:
        print("skipped: there is no zstd")
        return
    data = b"".join(archive(seed) for seed in range(20))
    for options in ("-1",), ("-19",), ("--long=27",), ("--no-check",), ("-T2", "-B100000"):
        packed = subprocess.run(["zstd", "-qc", *options], input=data, stdout=subprocess.PIPE,
                                check=True).stdout
        assert len(packed) < len(data)
        assert plain_and(packed) == plain_and(data), options


def present(size, n):
    """How much of n bytes in blocks of 16 is in the first `size` bytes of their frame."""
    return sum(min(16, n - i * 16, max(0, size - 6 - 3 * (i + 1) - 16 * i))
               for i in range((n + 15) // 16))


def test_cuts():
    """What is before a cut is printed, and the cut is reported with its place. One between
    frames is none."""
    with open(os.path.join(DATA_DIR, "region.bin"), "rb") as file:
        data = file.read()[:0xC0]
    records = dump(data)[1].splitlines()
    first, second = frame(data[:0x38], 16), frame(data[0x38:], 16)
    whole = first + second
    assert len(records) == 3, records
    # 1 to 3 bytes are no magic.
    for size in range(4, len(whole)):
        status, out, _, _ = dump(whole[:size])
        lines = out.splitlines()
        n_bytes = present(size, 0x38) + present(size - len(first), 0xC0 - 0x38)
        n = (n_bytes >= 0x38) + (n_bytes >= 0x78) + (n_bytes >= 0xC0)
        assert lines[:n] == records[:n], (size, lines)
        if size == len(first):
            assert status == 0 and len(lines) == 1, lines
            continue
        assert status == 1, size
        assert b"the zstd data ends early at byte %d of the file" % size in lines[-1], (size, lines)


def test_damage():
    """Each is reported by what is wrong and where; what came before is printed."""
    with open(os.path.join(DATA_DIR, "region.bin"), "rb") as file:
        data = file.read()[:0x38]
    record = dump(data)[1]
    good = frame(data)
    # A block of a type that does not exist.
    broken = MAGIC + b"\0\x38" + block(STORED, len(data), data, False) + b"\x07\0\0"
    # A frame with a dictionary's number: 7.
    dictionary = MAGIC + b"\x01\x38\x07" + b"\x01\0\0"
    rows = ((good + b"garbage", "something else follows the zstd data at byte %d" % len(good)),
            (good + b"\x28garbage", "the zstd data is broken at byte %d" % (len(good) + 2)),
            (good + good[:3], "the zstd data ends early at byte %d" % (len(good) + 3)),
            (broken, "the zstd data is broken at byte "),
            (good + dictionary, "the zstd data needs a dictionary at byte "),
            (good + frame(b"", window_log=28), "has a window of more than 128 MiB"))
    for packed, message in rows:
        for is_pipe in False, True:
            status, out, err, _ = dump(packed, is_pipe=is_pipe)
            assert status == 1 and out.startswith(record), (message, out)
            assert message in err and "of the file" in err, (message, err)


def test_memory():
    """What a frame claims takes no memory; what it is takes none that lasts."""
    base = dump(frame(b""))[3]
    for window_log in 27, 28, 31, 41:
        used = dump(frame(b"", window_log=window_log))[3]
        assert used < base + 8, (window_log, used)
    # A quarter of a GiB of zeros: padding of an archive.
    zeros = frame(archive(1)) + repeated(b"\0", 2048)
    status, _, _, used = dump(zeros, "--stats", "--archive")
    assert status == 0 and used < base + 16, (status, used)
    # A record that claims 1 GiB, of which there is nothing.
    claim = struct.pack("<Q", 15 | (1 << 27) << 4)
    status, _, err, used = dump(frame(claim), "--stats")
    assert status == 1 and used < base + 8 and "ends inside a record" in err, (err, used)


def test_without():
    status, _, err, _ = dump(frame(b""))
    assert status == 2 and "put 'zstd -dc FILE |' before the command" in err, err


def main():
    tests = [test_same_records, test_zstd_itself, test_cuts, test_damage]
    if SANITIZERS == "none":
        tests.append(test_memory)
    for test in tests if HAS_LIBZSTD == "true" else [test_without]:
        test()
        print(test.__name__)


if __name__ == "__main__":
    main()
