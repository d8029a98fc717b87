# SPDX-License-Identifier: BSD-2-Clause
"""A command for gdb that takes the records out of a ring (fxt/ring.h) in a target's memory,
whatever the target is, and lets the program go on with the room:

    (gdb) source drain.py
    (gdb) fxt-drain sampler_ring samples.bin

appends to samples.bin, which is then a region without gaps. RING is an expression: an object
whose size is the ring's. The target must be stopped while this runs.
"""
import struct

import gdb

CONTROL_BYTES = 256
TAIL_OFFSET = 128 # Of struct fxt_ring_control; head and end are its first two members.
WORD_BYTES = 8


def spans(head, end, tail, n_words):
    """The ranges of words that are data, oldest first, as in fxt/ring.h."""
    if head >= n_words or tail >= n_words:
        raise gdb.GdbError("this is no ring: head %d, tail %d of %d words"
                           % (head, tail, n_words))
    if head >= tail:
        return [(tail, head)]
    if not tail <= end < n_words:
        raise gdb.GdbError("this is no ring: end %d, tail %d of %d words"
                           % (end, tail, n_words))
    return [(tail, end), (0, head)]


class Drain(gdb.Command):
    """fxt-drain RING FILE: moves what is in an FXT ring to the end of a file."""

    def __init__(self):
        super().__init__("fxt-drain", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _from_tty):
        arguments = gdb.string_to_argv(argument)
        if len(arguments) != 2:
            raise gdb.GdbError("fxt-drain RING FILE")
        ring = gdb.parse_and_eval(arguments[0])
        address = int(ring.address)
        n_words = (ring.type.sizeof - CONTROL_BYTES) // WORD_BYTES
        order = ">" if "big endian" in gdb.execute("show endian", to_string=True) else "<"
        memory = gdb.selected_inferior()
        head, end = struct.unpack(order + "2I", memory.read_memory(address, 8))
        tail, = struct.unpack(order + "I", memory.read_memory(address + TAIL_OFFSET, 4))
        words = address + CONTROL_BYTES
        data = b"".join(bytes(memory.read_memory(words + start * WORD_BYTES,
                                                 (stop - start) * WORD_BYTES))
                        for start, stop in spans(head, end, tail, n_words) if start < stop)
        with open(arguments[1], "ab") as file:
            file.write(data)
        # Only what is in the file is given back.
        memory.write_memory(address + TAIL_OFFSET, struct.pack(order + "I", head))
        print("%d bytes" % len(data))


Drain()
