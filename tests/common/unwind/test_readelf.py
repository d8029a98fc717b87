# SPDX-License-Identifier: BSD-2-Clause
"""Unwind tables against readelf's interpretation of the same files.

    test_readelf.py PRINT_TABLE LIBLZMA [FILE...]

Every row of every FDE is compared, and there must be none where no FDE is. Without FILEs:
libc, the dynamic linker and the C++ library of this machine, python3, and the libc of
aarch64 and riscv64, as far as they are installed; then files made with each form in which
tables come: .debug_frame, plain, compressed, and, where LIBLZMA is true, in .gnu_debugdata; no
section headers.
"""

import bisect
import glob
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

FILES = ["/lib/*-linux-gnu/libc.so.6", "/lib64/ld-linux-*.so.*", "/lib/ld-linux-*.so.*",
         "/usr/lib/*-linux-gnu/libstdc++.so.6", "/usr/lib/*-linux-gnu/libcrypto.so.3",
         sys.executable,
         "/usr/aarch64-linux-gnu/lib/libc.so.6", "/usr/aarch64-linux-gnu/lib/libstdc++.so.6",
         "/usr/riscv64-linux-gnu/lib/libc.so.6", "/usr/riscv64-linux-gnu/lib/ld-linux-*.so.*"]

# readelf's machine, its names of the stack and frame pointers, and their numbers.
MACHINES = {
    "X86-64": {"rsp": 7, "rbp": 6, "rax": 0, "rdx": 1, "rcx": 2, "rbx": 3, "rsi": 4, "rdi": 5,
               **{f"r{n}": n for n in range(8, 16)}, "rip": 16},
    "AArch64": {"sp": 31, **{f"x{n}": n for n in range(31)}},
    "RISC-V": {"sp": 2, "s0": 8, "fp": 8, "ra": 1, "gp": 3, "tp": 4,
               **{f"a{n}": n + 10 for n in range(8)}, "t0": 5, "t1": 6, "t2": 7,
               **{f"t{n}": n + 25 for n in range(3, 7)}, "s1": 9,
               **{f"s{n}": n + 16 for n in range(2, 12)}},
}
STACK = {"X86-64": "rsp", "AArch64": "sp", "RISC-V": "sp"}
FRAME = {"X86-64": "rbp", "AArch64": "x29", "RISC-V": "s0"}
HEAD = re.compile(r'[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ (CIE "([^"]*)".* ra=(\d+)|'
                  r'FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+))')
RA = {"X86-64": 16, "AArch64": 30, "RISC-V": 1}


def readelf(machine, *args):
    cross = {"AArch64": "aarch64-linux-gnu-readelf", "RISC-V": "riscv64-linux-gnu-readelf"}
    tool = cross.get(machine, "readelf")
    if not shutil.which(tool):
        tool = "readelf"
    # It also fails if there are no debug files, without a message.
    result = subprocess.run([tool, *args], capture_output=True, check=False,
                            env={**os.environ, "LC_ALL": "C", "DEBUGINFOD_URLS": ""})
    assert result.stdout or result.returncode == 0, result.stderr
    return result.stdout.decode("utf-8", "replace")


def machine_of(name):
    header = readelf(None, "-hW", name)
    for machine in MACHINES:
        if machine in header:
            return machine
    return None


def number(machine, value):
    """A register of readelf's with an offset, as print_table prints it."""
    found = re.fullmatch(r"([a-z0-9]+?)([+-]\d+)", value)
    return f"r{MACHINES[machine][found.group(1)]}{int(found.group(2)):+d}" if found else value


def value(machine, text):
    if text in ("u", "s"):
        return "u"
    if text in ("exp", "vexp"):
        return text
    if text[0] in "cv" and text[1] in "+-":
        return f"{text[0]}{int(text[1:]):+d}"
    return f"{text}+0"


def rule(machine, cie, columns, cells):
    """What print_table prints for a row of readelf's."""
    row = dict(zip(columns, cells))
    cfa = row["CFA"]
    if "S" in cie["augmentation"] and (machine != "X86-64" or cfa == "exp"):
        return "signal"
    # A stack pointer that is not the CFA is not supported.
    if row.get(STACK[machine], "u") not in ("u", "v+0"):
        return "refused"
    ra = row.get("ra", "u")
    if ra == "u" and cie["ra"] != RA[machine]:
        ra = f"r{cie['ra']}"
    fp = value(machine, row.get(FRAME[machine], "u"))
    return f"{number(machine, cfa)} {fp} {value(machine, ra)}"


def expected(machine, text):
    """[start, limit, augmentation, [(address, rule)...]] of each FDE. The offsets of CIEs
    count from 0 in each section."""
    cies = {}
    fdes = []
    here = None
    for line in text.splitlines():
        if line.startswith("Contents of"):
            cies = {}
            here = None
        head = HEAD.match(line)
        if head and head.group(1).startswith("CIE"):
            here = {"augmentation": head.group(2), "ra": int(head.group(3)), "rows": [],
                    "columns": [], "is_cie": True}
            cies[int(line.split()[0], 16)] = here
        elif head:
            cie = cies[int(head.group(4), 16)]
            here = {"cie": cie, "start": int(head.group(5), 16), "limit": int(head.group(6), 16),
                    "rows": [], "is_cie": False}
            fdes.append(here)
        elif here is not None and line.strip().startswith("LOC"):
            here["columns"] = line.split()[1:]
        elif here is not None and re.match(r"[0-9a-f]{16} ", line):
            cells = re.sub(r"\(\w+\)", "", line).split()
            cie = here if here["is_cie"] else here["cie"]
            here["rows"].append((int(cells[0], 16),
                                 rule(machine, cie, here["columns"], cells[1:])))
    return fdes


def rows_of(fde):
    if fde["rows"]:
        return fde["rows"]
    return [(fde["start"], row) for _, row in fde["cie"]["rows"][-1:]]


def pieces(fdes):
    """(start, limit, rule): the last FDE that starts at or before an address has it; of
    several with the same start the first."""
    starts = {}
    for fde in fdes:
        if fde["limit"] > fde["start"]:
            starts.setdefault(fde["start"], fde)
    ordered = [starts[start] for start in sorted(starts)]
    for fde, following in zip(ordered, ordered[1:] + [None]):
        limit = min(fde["limit"], following["start"]) if following else fde["limit"]
        rows = rows_of(fde)
        for (start, what), after in zip(rows, rows[1:] + [(limit, None)]):
            if min(after[0], limit) > start:
                yield start, min(after[0], limit), what


def is_same(got, wanted):
    """readelf prints the same for a return address that is undefined, which is the end of
    a stack, and one that is not mentioned."""
    return got == wanted or (got == "end" and wanted.endswith(" u"))


def covered(code, start):
    at = bisect.bisect_right(code, (start, float("inf"))) - 1
    return at >= 0 and code[at][0] <= start < code[at][1]


def in_code(name, start):
    """The linker may leave FDEs of functions that it left out."""
    return any(low <= start < high for low, high in in_code.ranges[name])


in_code.ranges = {}


def find_code(name):
    ranges = []
    for line in readelf(None, "-lW", name).splitlines():
        cells = line.split()
        if cells[:1] == ["LOAD"] and "E" in "".join(cells[6:-1]):
            low = int(cells[2], 16)
            ranges.append((low, low + int(cells[5], 16)))
    # As the table takes it: from the lowest to the highest.
    in_code.ranges[name] = [(min(r[0] for r in ranges), max(r[1] for r in ranges))] \
        if ranges else [(0, 1 << 64)]


def compare(print_table, name, original=None):
    """Returns how many pieces were compared. `original` is the file that readelf is to
    read, if it cannot read the other."""
    machine = machine_of(name)
    if machine is None:
        return None
    printed = subprocess.run([print_table, name], capture_output=True, check=True).stdout.decode()
    lines = printed.splitlines()
    table = [(int(line.split(" ", 1)[0], 16), line.split(" ", 1)[1]) for line in lines[1:]]
    find_code(name)
    fdes = [fde for fde in expected(machine, readelf(
        machine, "-W", "--debug-dump=frames-interp", original or name))
            if in_code(name, fde["start"])]
    addresses = [address for address, _ in table]
    compared = 0
    wrong = []
    for start, limit, wanted in pieces(fdes):
        at = bisect.bisect_right(addresses, start) - 1
        here = start
        while here < limit:
            got = table[at][1] if at >= 0 else "none"
            if not is_same(got, wanted):
                wrong.append((here, got, wanted))
            at += 1
            here = addresses[at] if at < len(table) else limit
        compared += 1
    code = sorted((fde["start"], fde["limit"]) for fde in fdes if fde["limit"] > fde["start"])
    for address, what in table:
        if what != "none" and not covered(code, address):
            wrong.append((address, what, "nothing"))
    if wrong or lines[0] != "# 0 refused":
        print(f"{name}: {lines[0]}, {len(wrong)} of {compared} rows are wrong:")
        for address, got, wanted in wrong[:20]:
            print(f"  {address:x}: {got}, but readelf: {wanted}")
        return False
    print(f"{name}: {compared} rows")
    return compared


SOURCE = """
#include <stdio.h>
int g(int *);
int f(int n) { int a[20]; a[0] = n; return g(a) + n; }
int g(int *a) { return a[0] + (a[0] > 2 ? f(a[0] - 1) : 0); }
int main(int argc, char **argv) { (void)argv; printf("%d\\n", f(argc)); return 0; }
"""


def make(folder, name, *options):
    source = os.path.join(folder, "program.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    made = os.path.join(folder, name)
    subprocess.run(["cc", "-O2", "-fno-inline", "-o", made, source, *options], check=True)
    return made


def strip_sections(name, to):
    """Without section headers, as some packers leave files: e_shoff, e_shnum, e_shstrndx."""
    with open(name, "rb") as file:
        data = bytearray(file.read())
    data[40:48] = bytes(8)
    data[60:64] = bytes(4)
    with open(to, "wb") as file:
        file.write(data)


def hide_debug_frame(name, to):
    """Stripped, but for .debug_frame in .gnu_debugdata, as Android has its programs."""
    mini = to + ".mini"
    subprocess.run(["objcopy", "--only-keep-debug", "-R", ".debug_[!f]*", "--keep-section",
                    ".debug_frame", name, mini], check=True)
    with open(mini, "rb") as file:
        data = lzma.compress(file.read())
    with open(mini, "wb") as file:
        file.write(data)
    subprocess.run(["strip", "-o", to, name], check=True)
    subprocess.run(["objcopy", "--add-section", f".gnu_debugdata={mini}", to], check=True)


def compare_made(print_table, has_lzma):
    """Each of the forms in which tables come."""
    no_tables = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-g"]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        plain = make(folder, "plain")
        results.append(compare(print_table, plain))
        results.append(compare(print_table, make(folder, "static", "-static")))
        for name, options in (("debug_frame", no_tables),
                              ("zlib", [*no_tables, "-Wl,--compress-debug-sections=zlib-gabi"]),
                              ("zdebug", [*no_tables, "-Wl,--compress-debug-sections=zlib-gnu"])):
            made = make(folder, name, *options)
            results.append(compare(print_table, made))
            assert "debug_frame" in readelf(None, "-SW", made), name
        if has_lzma:
            hidden = os.path.join(folder, "hidden")
            hide_debug_frame(os.path.join(folder, "debug_frame"), hidden)
            assert "debug_frame" not in readelf(None, "-SW", hidden)
            results.append(compare(print_table, hidden, os.path.join(folder, "debug_frame")))
        stripped = os.path.join(folder, "stripped")
        strip_sections(plain, stripped)
        results.append(compare(print_table, stripped, plain))
    return results


def main():
    print_table, has_lzma, *files = sys.argv[1:]
    results = []
    if not files:
        files = sorted({os.path.realpath(name) for pattern in FILES for name in glob.glob(pattern)})
        results += compare_made(print_table, has_lzma == "true")
    for name in files:
        results.append(compare(print_table, name))
    results = [result for result in results if result is not None]
    print(f"{sum(results)} rows of {len(results)} files")
    return 1 if False in [result is not False for result in results] or sum(results) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
