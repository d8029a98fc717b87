# SPDX-License-Identifier: BSD-2-Clause
"""Unwind tables of programs in Go, for three machines, from .gopclntab.

    test_go.py PRINT_TABLE

They must be those that readelf has from .debug_frame, for the CFA and the return address,
and be the same after stripping. Where .debug_frame says nothing of use, at the ends of
stacks and in functions that switch stacks, the functions are compared by name.
"""

import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile

from test_readelf import expected, pieces, readelf

SOURCE = """package main

func nest(n int) int {
	var local [64]int
	local[n%64] = n
	if n == 0 {
		return 1
	}
	return nest(n-1) + local[n%64]
}

func main() {
	done := make(chan int)
	go func() { done <- nest(20) }()
	println(<-done)
}
"""

MACHINES = {"amd64": "X86-64", "arm64": "AArch64", "riscv64": "RISC-V"}

OUTERMOST = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go"}
SWITCHES = {"runtime.mcall", "runtime.systemstack", "runtime.morestack",
            "runtime.asmcgocall"}


def build(folder, machine, name, *options):
    path = os.path.join(folder, name)
    subprocess.run(["go", "build", "-o", path, *options, "main.go"], cwd=folder, check=True,
                   env={**os.environ, "GOARCH": machine, "GOOS": "linux", "CGO_ENABLED": "0",
                        "GOFLAGS": "", "GO111MODULE": "off",
                        "GOCACHE": os.path.join(folder, "cache")})
    return path


def table_of(print_table, path):
    lines = subprocess.run([print_table, path], capture_output=True,
                           check=True).stdout.decode().splitlines()
    assert lines[0] == "# 0 refused", (path, lines[0])
    return [(int(line.split(" ", 1)[0], 16), line.split(" ", 1)[1]) for line in lines[1:]]


def rule_at(table, addresses, address):
    at = bisect.bisect_right(addresses, address) - 1
    return table[at][1] if at >= 0 else "none"


def symbols_of(path):
    for line in readelf(None, "-sW", path).splitlines():
        cells = line.split()
        if len(cells) >= 8 and cells[3] == "FUNC" and cells[6] != "UND":
            yield int(cells[1], 16), cells[7]


def without_frame(rule):
    """CFA and return address."""
    cells = rule.split()
    return [cells[0], cells[-1]]


def is_same(got, wanted):
    """Frames of 64 KiB and more, of functions for reflection, do not fit into a rule. A
    frame without a return address is the end of a stack, as .debug_frame has it for some
    machines; the handler of signals is none here."""
    offset = int(re.search(r"[+-]\d+", wanted).group())
    if offset >= 1 << 16 and got == "refused" or offset != 0 and wanted.endswith(" u"):
        return True
    return got in ("end", "switch", "signal") or without_frame(got) == without_frame(wanted)


def compare_rows(machine, table, path):
    addresses = [address for address, _ in table]
    compared = 0
    wrong = []
    fdes = expected(machine, readelf(machine, "-W", "--debug-dump=frames-interp", path))
    for start, limit, wanted in pieces(fdes):
        # What is changed within a piece has a separate row.
        inside = addresses[bisect.bisect_right(addresses, start):
                           bisect.bisect_left(addresses, limit)]
        for address in [start, *inside]:
            got = rule_at(table, addresses, address)
            if not is_same(got, wanted):
                wrong.append((address, got, wanted))
        compared += 1
    for address, got, wanted in wrong[:20]:
        print(f"  {address:x}: {got}, but readelf: {wanted}")
    assert not wrong and compared > 1000, (len(wrong), compared)
    return compared


def compare_marks(machine, table, path):
    addresses = [address for address, _ in table]
    marks = {}
    for address, name in symbols_of(path):
        marks.setdefault(rule_at(table, addresses, address), set()).add(name.split(".abi")[0])
        if name.startswith("runtime.sigreturn"):
            assert rule_at(table, addresses, address - 1) == "signal", name
    entry = {name for name in marks["end"] if name.startswith("_rt0_")}
    assert OUTERMOST <= marks["end"] and len(entry) == 1, (machine, marks["end"])
    assert SWITCHES <= marks["switch"], (machine, marks["switch"])
    for name in marks["end"] | marks["switch"]:
        assert not name.startswith("main."), name


def main():
    if not shutil.which("go"):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "main.go"), "w", encoding="ascii") as file:
            file.write(SOURCE)
        for go, machine in MACHINES.items():
            path = build(folder, go, "plain")
            table = table_of(sys.argv[1], path)
            n = compare_rows(machine, table, path)
            compare_marks(machine, table, path)
            stripped = build(folder, go, "stripped", "-ldflags=-s -w")
            assert table_of(sys.argv[1], stripped) == table, go
            if go == "amd64":
                # Its text is elsewhere, and known by a relocation only.
                pie = table_of(sys.argv[1], build(folder, go, "pie", "-buildmode=pie"))
                assert len(pie) > 1000 and {"end", "switch"} <= {rule for _, rule in pie}
            print(f"{go}: {n} rows")


if __name__ == "__main__":
    main()
