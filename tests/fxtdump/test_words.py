#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fxtdump shows of a record's words: --fields against fxtfields.py, and --hex
against the input, every byte of which must be there.

    test_words.py FXTDUMP DATA_DIR
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import fxtfields
import fxtrandom
import patience

N_ARCHIVES = 30
FOLDER = tempfile.TemporaryDirectory()


def dump(data, *args):
    """The lines for an archive: those that begin one, each with those below it."""
    path = os.path.join(FOLDER.name, "input")
    with open(path, "wb") as file:
        file.write(data)
    done = subprocess.run([sys.argv[1], "-q", "--archive", *args, path], timeout=patience.SECONDS,
                          stdout=subprocess.PIPE, check=False)
    assert done.returncode in (0, 1), done
    found = []
    for line in done.stdout.decode("utf-8").split("\n")[:-1]:
        if line.startswith("  "):
            found[-1][1].append(line)
        else:
            found.append((line, []))
    return found


def order(big_endian):
    return "big" if big_endian else "little"


def archives():
    for name, big_endian in (("every.fxt", False), ("every_big_endian.fxt", True)):
        with open(os.path.join(sys.argv[2], name), "rb") as file:
            yield file.read(), big_endian
    for seed in range(N_ARCHIVES):
        big_endian = seed % 3 == 2
        yield fxtrandom.Generator(seed, big_endian).archive(60), big_endian


# ---- --fields ----


def agree(expected, line):
    """Text of strings follows their name, and is not judged here."""
    is_stream = re.match("  0x[0-9a-f]+  [0-9]+ bytes? ", expected)
    return line == expected or bool(
        is_stream and line.startswith(expected + ' "') and line.endswith('"'))


def fields_are_what_the_format_says(data, big_endian, seen):
    found = dump(data, "--fields", "--byte-order", order(big_endian))
    starts = list(fxtrandom.headers(data, big_endian))
    assert len(found) == len(starts), (len(found), len(starts))
    ends = [at for at, _ in starts[1:]] + [len(data)]
    for (head, lines), (at, header), end in zip(found, starts, ends):
        assert int(head.split()[0], 16) == at, (head, at)
        expected = fxtfields.lines_of(data[at:end], at, big_endian)
        for one, line in zip(expected + [""] * len(lines), lines + [""] * len(expected)):
            assert agree(one, line), "%s\nexpected: %s\n     got: %s" % (head, one, line)
        seen.add(fxtfields.kind_of(header))


def of_what_is_damaged_the_header_is_shown(data, big_endian):
    for head, lines in dump(data, "--fields", "--byte-order", order(big_endian)):
        at = int(head.split()[0], 16)
        header = int.from_bytes(data[at : at + 8], order(big_endian))
        assert lines or at + 8 > len(data), head
        if lines:
            assert lines[0] == "  0x%08x  %016x  header" % (at, header), lines[0]
            fields = fxtfields.field_lines(header, fxtfields.fields_of(header))
            assert lines[1 : 1 + len(fields)] == fields, (lines, fields)


# ---- --hex ----

GONE = re.compile("  0x([0-9a-f]{8,}) ([0-9]+) bytes are no longer in memory$")
REST = re.compile("  0x([0-9a-f]{8,})  bytes((?: [0-9a-f]{2})+)$")


def shown(data):
    return "".join(chr(b) if 0x20 <= b < 0x7F else "." for b in data).rstrip(" ")


def bytes_of(line, big_endian):
    """Where a line's bytes stand, and the bytes."""
    rest = REST.match(line)
    if rest:
        return int(rest[1], 16), bytes.fromhex(rest[2])
    offset, words, text = re.match(
        "  0x([0-9a-f]{8,}) ((?:[0-9a-f]{16} ?){1,4}) *(.*)$", line).groups()
    data = b"".join(int(word, 16).to_bytes(8, order(big_endian)) for word in words.split())
    # The characters have separate columns, which begin after those of four words.
    assert line[line.index(offset) + len(offset) + 4 * 17 + 2 :] == shown(data), line
    assert text or not shown(data), line
    return int(offset, 16), data


def is_beyond_the_limit(head):
    said = re.search(r"ends inside a record \([0-9]+ bytes of ([0-9]+)\)", head)
    return said and int(said[1]) > 256 << 20


def every_byte_is_shown(data, big_endian):
    """Once, in its place, but for zeros between records, records beyond the limit on their
    size, and what is after a place where the framing was lost."""
    at = 0
    for head, lines in dump(data, "--hex", "--byte-order", order(big_endian)):
        start = int(head.split()[0], 16)
        assert start >= at and not any(data[at:start]), (head, at)
        at = start
        for line in lines:
            gone = GONE.match(line)
            if gone:
                n_before = 4096 if "size zero" in head else 0
                assert int(gone[1], 16) == at == start + n_before, line
                assert n_before > 0 or is_beyond_the_limit(head), head
                at += int(gone[2])
                continue
            offset, found = bytes_of(line, big_endian)
            assert offset == at and data[at : at + len(found)] == found, line
            at += len(found)
        assert at > start or start == len(data), head
    assert not any(data[at:]), at


def main():
    seen = set()
    rng = random.Random(1)
    n_archives = 0
    for data, big_endian in archives():
        fields_are_what_the_format_says(data, big_endian, seen)
        every_byte_is_shown(data, big_endian)
        broken = fxtrandom.damaged(data, big_endian, rng)
        every_byte_is_shown(broken, big_endian)
        of_what_is_damaged_the_header_is_shown(broken, big_endian)
        n_archives += 1
    missing = (set(fxtfields.KINDS) | {(kind, None) for kind in fxtfields.HEADERS}) - seen
    assert not missing, "of these there was none: %s" % missing
    print("%d archives, %d kinds of records" % (n_archives, len(seen)))


if __name__ == "__main__":
    main()
