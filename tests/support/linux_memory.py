# SPDX-License-Identifier: BSD-2-Clause
"""The memory of a made-up x86-64 Linux kernel, as far as fxtrecord --gdb looks at it: its
symbols (kallsyms) in either order of their tables, its ORC tables, its banner, and a module
with symbols, too.

    linux_memory.py DIRECTORY
    linux_memory.py --elf DIRECTORY

writes seeds for fuzz/fuzz_guest.c; or the same kernels as files without symbol tables, for
fuzz/fuzz_elf.c.
"""
import os
import struct
import sys

BASE = 0xffffffff81000000
FUNCTIONS, FUNCTION_BYTES = 300, 64
# A sample of memory is taken at each 64 KiB: it has only offsets that are not absolute.
OFFSETS = BASE + 0x20000 - 32
MODULE = 0xffffffffc0200000
MODULE_TEXT = 0xffffffffc0201000
VERSION = "6.9.0-made-up"

# Types and registers of entries: those of 4.14, which has a bit for the end, and of 6.4.
OLD = {"call": 0, "registers": 1, "few": 2, "end": 4, "nothing": 0}
NEW = {"call": 2, "registers": 3, "few": 4, "end": 1, "nothing": 0}
SIGNAL = 8
SP = 5


def function(i):
    return BASE + 0x1000 + FUNCTION_BYTES * i


def entry(is_old, kind, offset):
    types = OLD if is_old else NEW
    flags = types[kind] << 8 | (SP if kind not in ("end", "nothing") else 0)
    if not is_old and kind == "registers":
        flags |= SIGNAL << 8
    return struct.pack("<hhH", offset, 0, flags)


def kind_of(i):
    """Of functions: 20 was entered by a system call, 21 is a thread's first."""
    return {20: ("registers", 0), 21: ("end", 0)}.get(i, ("call", 8 + 8 * (i % 3)))


def orc(is_old, address, pcs, kinds):
    """Tables at an address: of PCs, and after them of entries."""
    places = b"".join(struct.pack("<i", pc - (address + 4 * i)) for i, pc in enumerate(pcs))
    return places, b"".join(entry(is_old, *kind) for kind in kinds)


def pad(data):
    return data + bytes(-len(data) % 8)


def encode_names(symbols):
    """Names as tokens, which are single characters but for two, and their markers."""
    out, markers = b"", []
    for i, (name, _) in enumerate(symbols):
        if i % 256 == 0:
            markers.append(len(out))
        # Token 1 is "func", token 2 is "_orc_unwind".
        coded = name.replace("func", "\1").replace("_orc_unwind", "\2").encode()
        if len(coded) < 128:
            out += bytes((len(coded),)) + coded
        else:
            out += bytes((len(coded) & 0x7f | 0x80, len(coded) >> 7)) + coded
    return pad(out), pad(b"".join(struct.pack("<I", at) for at in markers))


def encode_tokens():
    tokens = [chr(i) if 32 < i < 127 else "?%d" % i for i in range(256)]
    tokens[1], tokens[2] = "func", "_orc_unwind"
    index, data = [], b""
    for token in tokens:
        index.append(len(data))
        data += token.encode() + b"\0"
    return pad(data), struct.pack("<256H", *index)


def encode_symbols(symbols, is_older, has_sequence):
    """The tables, and how far from their start the offsets are."""
    offsets = pad(b"".join(
        struct.pack("<I", value if value < 1 << 31 else (BASE - 1 - value) & 0xffffffff)
        for _, value in symbols))
    count = struct.pack("<Q", len(symbols))
    names, markers = encode_names(symbols)
    tokens, index = encode_tokens()
    base = struct.pack("<Q", BASE)
    sequence = pad(bytes(3 * len(symbols))) if has_sequence else b""
    if is_older:
        return offsets + base + count + names + markers + sequence + tokens + index, 0
    before = count + names + markers + tokens + index
    return before + offsets + base + sequence, len(before)


def symbols_at(places):
    """The kernel's symbols, sorted: absolute ones first."""
    functions = [("tfunc%d" % i, function(i)) for i in range(FUNCTIONS)]
    functions[7] = ("t" + "long" * 40, function(7))
    data = sorted(places.items(), key=lambda place: place[1])
    return ([("Afixed", 0), ("Aother", 0x1000), ("T_text", BASE), ("T_stext", BASE)] +
            functions + [("T_etext", function(FUNCTIONS))] + data)


# The module's: their types, names and places.
MODULE_SYMBOLS = [("t", "gadget_work", MODULE_TEXT + 64), ("T", "gadget_wait", MODULE_TEXT + 128),
                  ("t", ".L0", MODULE_TEXT + 66), ("d", "gadget_state", MODULE + 1),
                  ("t", "per_cpu", 0x1234)]


def module_symbols(address, symbols):
    """The fields of struct module that point to symbols, which are at an address; and the
    symbols, after one that is all zero."""
    names = b"\0".join([b"", *(name.encode() for _, name, _ in symbols), b""])
    entries = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", names.index(b"\0" + name.encode() + b"\0") + 1, 0, 0, 1, place, 0)
        for _, name, place in symbols)
    types = "".join(["?", *(kind for kind, _, _ in symbols)]).encode()
    fields = struct.pack("<QQQQ", address, len(symbols) + 1, address + len(entries),
                         address + len(entries) + len(names))
    return fields, entries + names + types


def module(is_old):
    """struct module, whose tables and symbols follow it."""
    fields = MODULE + 600
    n = 8
    pcs, entries = orc(is_old, fields + 24, [MODULE_TEXT + 64 * i for i in range(n)],
                       [("call", 8)] * (n - 1) + [("nothing", 0)])
    # The fields before are the length of another table, and no pointers to such tables.
    header = bytes(8) + struct.pack("<QQ", 0, 0) + b"gadget".ljust(56, b"\0")
    middle = struct.pack("<QQQ", 5, MODULE, MODULE + 8)
    where, symbols = module_symbols(MODULE + 1024, MODULE_SYMBOLS)
    # Before them is a pointer to them.
    middle += struct.pack("<Q", MODULE + len(header) + len(middle) + 8) + where
    out = (header + middle).ljust(600, b"\0")
    out += struct.pack("<QQQ", n, fields + 24, fields + 24 + len(pcs)) + pcs + entries
    return out.ljust(1024, b"\0") + symbols


class Kernel:
    """`memory` has pairs of an address and bytes."""

    def __init__(self, is_older=False, has_sequence=True, is_old_orc=False):
        names = ["D_linux_banner", "Dmodules", "R__start_orc_unwind_ip",
                 "R__stop_orc_unwind_ip", "R__start_orc_unwind", "R__stop_orc_unwind"]
        names[0] = "Dlinux_banner"
        size, before = self.lay_out(dict.fromkeys(names, BASE + 0x30000), is_older,
                                    has_sequence)
        at = OFFSETS - before + size
        banner = pad(("Linux version %s (made up)\n" % VERSION).encode() + bytes(64))
        pcs = [function(i) for i in range(FUNCTIONS)]
        kinds = [kind_of(i) for i in range(FUNCTIONS)]
        self.modules = at + len(banner)
        table = self.modules + 16
        places, entries = orc(is_old_orc, table, pcs, kinds)
        addresses = [at, self.modules, table, table + len(places), table + len(places),
                     table + len(places) + len(entries)]
        self.places = dict(zip(names, addresses))
        self.lay_out(self.places, is_older, has_sequence)
        links = struct.pack("<QQ", MODULE + 8, MODULE + 8)
        gadget = bytearray(module(is_old_orc))
        gadget[8:24] = struct.pack("<QQ", self.modules, self.modules)
        self.image = OFFSETS - before, self.tables + banner + links + places + entries
        self.memory = [self.image, (MODULE, bytes(gadget))]

    def lay_out(self, places, is_older, has_sequence):
        self.tables, before = encode_symbols(symbols_at(places), is_older, has_sequence)
        return len(self.tables), before


def section(name, kind, offset, size, entry_size=0):
    return struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset, size, 0, 0, 8, entry_size)


def elf_file(kernel, relocates_itself):
    """A kernel that relocates itself has 0 for its base, and a relocation."""
    start, image = kernel.image
    image = bytes(start % 4096) + image
    start -= start % 4096
    names = b"\0.rela.dyn\0.shstrtab\0"
    relocations = b""
    if relocates_itself:
        at = image.index(struct.pack("<Q", BASE))
        image = image[:at] + bytes(8) + image[at + 8:]
        relocations = struct.pack("<QQQ", start + at, 8, BASE)
    segments = [(BASE, 5, bytes(64), FUNCTION_BYTES * FUNCTIONS + 0x1000),
                (start, 4, image, len(image))]
    parts, headers = b"", b""
    first = 64 + 56 * len(segments)
    for address, flags, data, memory_size in segments:
        headers += struct.pack("<IIQQQQQQ", 1, flags, first + len(parts), address, address,
                               len(data), memory_size, 4096)
        parts += pad(data)
    sections = section(0, 0, 0, 0)
    for name, kind, data, entry_size in ((1, 4, relocations, 24), (11, 3, names, 0)):
        sections += section(name, kind, first + len(parts), len(data), entry_size)
        parts += pad(data)
    return struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1" + bytes(9), 2, 62, 1, BASE, 64,
                       first + len(parts), 0, 64, 56, len(segments), 64, 3,
                       2) + headers + parts + sections


def write_files(directory):
    for name, options, relocates_itself in (("kernel_older", (True, False), False),
                                            ("kernel_newer", (False, True), False),
                                            ("kernel_relocated", (True, True), True)):
        with open(os.path.join(directory, name), "wb") as file:
            file.write(elf_file(Kernel(*options), relocates_itself))


def write_seeds(directory):
    """A seed is where the memory begins, the number of bytes of the image, the image, and
    the module."""
    for name, options in (("older", (True, False, True)), ("sequence", (True, True, True)),
                          ("newer", (False, True, False))):
        kernel = Kernel(*options)
        (start, image), (_, gadget) = kernel.memory
        with open(os.path.join(directory, name), "wb") as file:
            file.write(struct.pack("<II", start - BASE, len(image)) + image + gadget)


def main():
    if sys.argv[1] == "--elf":
        write_files(sys.argv[2])
    else:
        write_seeds(sys.argv[1])


if __name__ == "__main__":
    main()
