#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's kernels, which have no symbol table in their vmlinuz: functions are named by the
symbols that a kernel has itself (kallsyms). What it exports to modules, a table beside these,
must have the same names.

test_kernel_image.py TOOLS_DIR"""
import collections
import ctypes
import lzma
import re
import struct
import sys
import zlib

import boot_linux
import fxtwrite
from profile_cases import FXT2FOLDED, main, run, skip, write
from readelf import readelf

# Of the exported names some are other names of a function.
LEAST = 0.999


def library(name):
    try:
        return ctypes.CDLL(name)
    except OSError:
        return skip("there is no " + name)


def unpack_lz4(data):
    """The legacy format: blocks of up to 8 MiB, and after these the size of all."""
    lz4, out, at = library("liblz4.so.1"), b"", 4
    block = ctypes.create_string_buffer(8 << 20)
    while at + 8 <= len(data):
        size, = struct.unpack_from("<I", data, at)
        n = lz4.LZ4_decompress_safe(data[at + 4:at + 4 + size], block, size, len(block))
        assert n > 0, (at, size, n)
        out += block.raw[:n]
        at += 4 + size
    return out


def unpack_zstd(data):
    zstd = library("libzstd.so.1")
    for function in zstd.ZSTD_decompress, zstd.ZSTD_findFrameCompressedSize:
        function.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(256 << 20)
    size = zstd.ZSTD_findFrameCompressedSize(data, ctypes.c_size_t(len(data)))
    n = zstd.ZSTD_decompress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(size))
    assert n <= len(out), n
    return ctypes.string_at(out, n)


UNPACK = [(b"\x02\x21\x4c\x18", unpack_lz4), (b"\x28\xb5\x2f\xfd", unpack_zstd),
          (b"\xfd7zXZ", lambda data: lzma.LZMADecompressor().decompress(data)),
          (b"\x1f\x8b", lambda data: zlib.decompressobj(31).decompress(data))]


def unpack(path):
    """The ELF file in an x86's image, by its header (Documentation/arch/x86/boot.rst)."""
    image = boot_linux.read(path)
    start = (image[0x1f1] + 1) * 512 + struct.unpack_from("<I", image, 0x248)[0]
    data = image[start:start + struct.unpack_from("<I", image, 0x24c)[0]]
    for magic, function in UNPACK:
        if data.startswith(magic):
            return function(data)
    return skip("%s is compressed in an unknown way" % path)


def sections(path):
    rows = re.findall(r"\] (\S+) +\w+ +([0-9a-f]{16}) ([0-9a-f]+) ([0-9a-f]+) ",
                      readelf("-SW", path))
    return {name: tuple(int(number, 16) for number in numbers) for name, *numbers in rows}


def exports(path):
    """The names of each exported function's address."""
    found, data, names = sections(path), boot_linux.read(path), collections.defaultdict(set)
    text, _, text_size = found[".text"]
    strings, strings_at, _ = found["__ksymtab_strings"]
    for table in "__ksymtab", "__ksymtab_gpl":
        address, at, size = found[table]
        for entry in range(0, size - size % 12, 12):
            value, name = struct.unpack_from("<ii", data, at + entry)
            value += address + entry
            name += address + entry + 4 - strings + strings_at
            if text <= value < text + text_size:
                names[value].add(data[name:data.index(b"\0", name)].decode())
    return names


def fold(addresses):
    """What a sample at each address of vmlinux has, by its number, from 1."""
    trace = fxtwrite.Trace()
    for i, address in enumerate(addresses):
        trace.sample(i + 1, 0, i + 1, address)
    folded = run(FXT2FOLDED, "-q", "--roots", "thread", "--elf", "vmlinux",
                 write("a.fxt", trace))
    return {int(number): name for number, name in re.findall(r"\[(\d+)\];(\S+) 1\n", folded)}


def check(path):
    with open("vmlinux", "wb") as file:
        file.write(unpack(path))
    expected = exports("vmlinux")
    assert len(expected) > 3000, len(expected)
    addresses = sorted(expected)
    found = fold(addresses)
    wrong = [(expected[address], found.get(i + 1)) for i, address in enumerate(addresses)
             if found.get(i + 1) not in expected[address]]
    print("%s: %d exported functions, %d of another name" % (path, len(expected), len(wrong)))
    assert len(wrong) <= (1 - LEAST) * len(expected), wrong[:20]
    check_without_names(addresses)


def check_without_names(addresses):
    """As one that was built without kallsyms, whose table of tokens has those for digits."""
    data = boot_linux.read("vmlinux")
    tokens = b"".join(b"%d\0" % i for i in range(10))
    assert tokens in data
    with open("vmlinux", "wb") as file:
        file.write(data.replace(tokens, bytes(len(tokens))))
    lowest = min(int(start, 16) for start in
                 re.findall(r"LOAD +0x\S+ 0x(\S+)", readelf("-lW", "vmlinux")))
    found = fold([address + 2 for address in addresses])
    right = sum(found.get(i + 1) == "vmlinux+%#x" % (address - lowest)
                for i, address in enumerate(addresses))
    print("%d of %d begin there without names" % (right, len(addresses)))
    assert right >= 0.97 * len(addresses)


def test_exported_functions_have_their_names():
    for _, _, path in boot_linux.find_images():
        check(path)


if __name__ == "__main__":
    main(sys.modules[__name__])
