#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtrecord --gdb on Debian's kernels for arm64 under qemu, which have frame pointers and
signed return addresses: whether stacks are whole, judged by where the kernel is entered and
begins tasks, and by its code, and have the kernel's names. Arguments: the tools' build
directory, fxtrecord."""
import re

import boot_linux
from test_gdb_linux import (MODULES, fold, is_user, judge_images, judge_lengths,
                            judge_returns, record, stacks)

HANDLERS = ("el0t_64_sync_handler", "el0t_64_irq_handler", "el1h_64_sync_handler",
            "el1h_64_irq_handler")

# The part of these functions that calls others.
ROOTS, ROOT_BYTES = ("ret_from_fork", "__primary_switched", "__secondary_switched"), 256


def read_symbols(console):
    return {name: int(address, 16) for address, name in
            re.findall(r"^([0-9a-f]{16}) \w (\w+)", console.decode(errors="replace"), re.M)}


def is_entry(pc, symbols):
    """Code that enters the kernel; or what that calls, until it has a frame."""
    return symbols["__entry_text_start"] <= pc < symbols["__entry_text_end"] or any(
        0 <= pc - symbols[name] <= 8 for name in HANDLERS)


def is_whole(pcs, symbols):
    kernel = [pc for pc in pcs if not is_user(pc)]
    return not kernel or is_entry(kernel[-1], symbols) or any(
        0 <= kernel[-1] - symbols[name] < ROOT_BYTES for name in ROOTS)


def follows_call(read, pc):
    """BL, or BLR in one of its forms."""
    word = int.from_bytes(read(pc - 4, 4) or b"", "little")
    return word >> 26 == 0x25 or word & 0xfefff000 == 0xd63f0000


def judge(image, init, directory):
    with boot_linux.Guest(image, init, MODULES, directory) as guest:
        guest.wait_for(b"The load runs.")
        err = record(guest, "t.fxt")
        # It has no symbols of data, which say what the release is.
        assert re.search(r"gdb: Linux: \d{5,} symbols were read in", err), err
        symbols = read_symbols(boot_linux.read(guest.console))
        all_stacks = list(stacks("t.fxt"))
        judge_lengths(image[0], all_stacks, lambda pcs: is_whole(pcs, symbols), 100)
        # What was interrupted there is known by a register.
        vectors = symbols["vectors"]
        assert all(len(pcs) > 1 for pcs in all_stacks if 0 <= pcs[0] - vectors < 2048)
        judge_returns(all_stacks, guest, follows_call,
                      lambda callee, _: is_entry(callee, symbols))
        lines, names = fold("t.fxt")
        assert {"el0t_64_sync_handler", "invoke_syscall"} <= names, names
        # Its caller is in a register only. There are several functions of its name.
        assert not [line for line in lines
                    if re.search(r";unmap_vmas;tlb_flush( \([^)]*\))? \d+$", line)], lines
        assert sum(int(line.rsplit(" ", 1)[1]) for line in lines if ";[user]+" in line) == sum(
            any(map(is_user, pcs)) for pcs in all_stacks), lines


if __name__ == "__main__":
    judge_images("arm64", "aarch64-linux-gnu-gcc", "qemu-system-aarch64", judge)
