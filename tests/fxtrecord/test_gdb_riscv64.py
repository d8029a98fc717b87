#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtrecord --gdb on Debian's kernels for riscv64 under qemu, which have frame pointers:
whether stacks are whole, what an interrupt has interrupted is in them, and the kernel's
names are found in its memory. Arguments: the tools' build directory, fxtrecord."""
import re

import boot_linux
from test_gdb_arm64 import read_symbols
from test_gdb_linux import (MODULES, fold, is_user, judge_images, judge_lengths,
                            judge_returns, record, stacks)

# The first functions of CPUs, and of tasks.
ROOTS, ROOT_BYTES = ("start_kernel", "smp_callin", "ret_from_fork"), 4096
ENTRY_BYTES = 512


def is_entry(pc, symbols):
    return symbols["handle_exception"] <= pc < symbols["ret_from_exception"] + ENTRY_BYTES


def is_whole(pcs, symbols):
    """Where the kernel was entered, the code that it came from is in the stack, too."""
    if is_user(pcs[-1]):
        return True
    return is_entry(pcs[0], symbols) or any(
        0 <= pcs[-1] - symbols[name] < ROOT_BYTES for name in ROOTS)


def follows_call(read, pc):
    """JAL or JALR with the return address in ra; C.JALR is of two bytes."""
    code = read(pc - 4, 4)
    word = int.from_bytes(code or b"", "little")
    return word & 0xfff in (0xef, 0xe7) or word >> 16 & 0xf07f == 0x9002


def judge_names(path):
    """Functions that every kernel has on its stacks, by their names."""
    _, names = fold(path)
    assert {"handle_exception", "ret_from_exception"} & names, names
    modules = {name.split("+")[0] for name in names}
    assert {"[user]", "[firmware]"} <= modules, modules
    assert len([name for name in names if not re.search(r"^0x|\+0x", name)]) > 50, names
    # Modules have labels, too, among their symbols.
    assert not any(name.startswith(".L") for name in names), names


def judge(image, init, directory):
    with boot_linux.Guest(image, init, MODULES, directory) as guest:
        guest.wait_for(b"The load runs.")
        err = record(guest, "t.fxt")
        assert re.search(r"Linux %s: \d{5,} symbols were read in" % re.escape(image[0]),
                         err), err
        symbols = read_symbols(boot_linux.read(guest.console))
        all_stacks = list(stacks("t.fxt"))
        judge_lengths(image[0], all_stacks, lambda pcs: is_whole(pcs, symbols), 100)
        # Firmware interrupts the kernel, too.
        judge_returns(all_stacks, guest, follows_call,
                      lambda callee, _: is_user(callee) or is_entry(callee, symbols))
        judge_names("t.fxt")


if __name__ == "__main__":
    judge_images("riscv64", "riscv64-linux-gnu-gcc", "qemu-system-riscv64", judge)
