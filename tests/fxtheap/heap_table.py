#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Small tables of all versions, as libfxtheap/shared/layout.h has them, put together by
hand: seeds for fuzz/fuzz_heap.c, and one for test_heap.py, which must be read for ever.

heap_table.py CORPUS_DIR DATA_DIR [--check]
"""

import os
import struct
import sys

MAGIC = b'FXTHEAP\n'
HEADER = '<8sIIQ6Q16s1024s18Q'
HEADER_SIZE = struct.calcsize(HEADER)
PROCESS, START = 4194000, 123456


def key(address, use=1, moving=0, filling=0):
    return address // 8 << 19 | use << 2 | filling << 1 | moving


def slot(address, time, size, stack, thread, **flags):
    return struct.pack('<4Q', key(address, **flags), time, size, thread << 32 | stack)


def stack(objects, size, *pcs):
    return struct.pack(f'<{3 + len(pcs)}Q', objects, size, len(pcs), *pcs)


def counts(moved, resized, temporary):
    """What precedes a stack, where the end of the header says so."""
    return struct.pack('<3Q', moved, resized, temporary)


def state(view_ns, end):
    """The same, in front of the counts."""
    return struct.pack('<2Q', view_ns, end)


def live(objects, size, peak=(0, 0), peak_objects=0, peak_size=0):
    """What follows a stack where the peak is kept; a peak is its number and its bytes."""
    return struct.pack('<4Q', objects, size, *(peak[0] << 48 | n
                                               for n in (peak_objects, peak_size)))


def thread(number, name):
    return struct.pack('<Q16s', number, name)


def table(slots, stacks, threads, maps, sample_bytes=0, lost=(0, 0, 0, 0, 0), version=1,
          peak=b'', n_counts=0):
    """The parts one after the other; stacks are numbered by where they are in the pool, of
    which the first words are counts."""
    pool, index = b'\0' * 8, b''
    for one in stacks:
        index += struct.pack('<Q', 0xabcd << 32 | len(pool) // 8 + n_counts)
        pool += one
    at = struct.calcsize(HEADER) + len(peak)
    parts, places = b'', []
    for part, size in ((b''.join(slots), 32), (index, 8), (pool, 8), (b''.join(threads), 24),
                       (maps, 1)):
        places += [at + len(parts), len(part) // size]
        parts += part + b'\0' * (-len(part) % 8)
    head = struct.pack(HEADER, MAGIC, version, at, at + len(parts), PROCESS, START, 1000, 2000,
                       sample_bytes, 64, b'golden', b'/usr/bin/golden', *places,
                       len(pool) // 8, len(threads), len(maps), *lost)
    return head + peak + parts


def peak_table(size, largest):
    """There was a peak of 300 bytes before. Since the last one the first stack has changed,
    the second has not, the third did between the two, and the blocks without a stack have
    changed."""
    last = (2, largest)
    stacks = [stack(9, 900, 0x401001) + live(1, 100, last, 3, 350),
              stack(4, 40, 0x402001) + live(4, 40, (1, 300), 1, 10),
              stack(0, 0, 0x403001) + live(2, 20)]
    peak = struct.pack('<4Q', size, last[0] << 48 | largest, 500, 400) + live(0, 0, last, 1, 7)
    return table([], stacks, THREADS, MAPS, version=4, peak=peak)


STACKS = [stack(5, 500, 0x401001, 0x402002), stack(7, 700, 0x403003)]
THREADS = [thread(PROCESS, b'golden'), thread(77, b'old name'), thread(77, b'worker')]
MAPS = b'00401000-00405000 r-xp 00001000 00:00 0      /usr/bin/golden\n'
WHOLE = table([slot(0x10000, 10, 100, 1, PROCESS),
               slot(0x20000, 11, 200, 6, 77, use=0x1ffff),
               # Given back by a realloc that is under way, and another thread's since.
               slot(0x30000, 12, 300, 1, PROCESS, moving=1),
               slot(0x30000, 13, 50, 6, 77),
               # Free, and being filled.
               slot(0, 9, 999, 1, 1), slot(0, 9, 999, 1, 1, filling=1),
               # An older one in the place of the first, which is 0x10000 to 0x10064.
               slot(0x10060, 8, 16, 1, 77),
               # Without a stack.
               slot(0x40000, 14, 0, 0, PROCESS)],
              STACKS, THREADS, MAPS, lost=(3, 333, 4, 0, 0))

PEAK = peak_table(160, 417)

COUNTED = table([slot(0x10000, 10, 100, 4, PROCESS)],
                [counts(1, 2, 3) + STACKS[0], counts(40, 50, 6) + STACKS[1]], THREADS, MAPS,
                version=2, peak=struct.pack('<3Q', 0, 3, 9999), n_counts=3)


# Another file's code was where the first one's was: the same PCs are two stacks.
TURNS = table([slot(0x10000, 10, 100, 6, PROCESS)],
              [state(0, 2) + counts(0, 0, 0) + STACKS[0],
               state(1500, 0) + counts(0, 0, 0) + STACKS[0]], THREADS,
              MAPS + b'@1500\n' + MAPS.replace(b'golden', b'silver'),
              version=2, peak=struct.pack('<4Q', 0, 5, 9999, 5), n_counts=5)


def seeds():
    """By name."""
    yield 'whole', WHOLE
    yield 'empty', table([], [], [], b'')
    yield 'samples', table([slot(0x10000, 1, 1 << 20, 1, 7)], STACKS, [], MAPS, 1 << 19)
    yield 'second_version', WHOLE[:8] + struct.pack('<I', 2) + WHOLE[12:]
    yield 'namespace', table([], [], [], b'', version=2, peak=struct.pack('<Q', 4026531836))
    yield 'counts', COUNTED
    yield 'counts_before_the_pool', COUNTED.replace(struct.pack('<Q', 0xabcd << 32 | 4),
                                                    struct.pack('<Q', 0xabcd << 32 | 3))
    yield 'states', TURNS
    yield 'states_too_far', TURNS.replace(struct.pack('<3Q', 5, 9999, 5),
                                          struct.pack('<3Q', 5, 9999, 1 << 63))
    yield 'states_before_the_pool', TURNS.replace(struct.pack('<Q', 0xabcd << 32 | 6),
                                                  struct.pack('<Q', 0xabcd << 32 | 4))
    yield 'attached', table([], [], [], b'', version=2,
                            peak=struct.pack('<6Q', 4026531836, 0, 0, 0, 123456, 7))
    yield 'newer', table([], [], [], b'', version=5)
    yield 'unknown', table([], [], [], b'', version=3)
    yield 'peak', PEAK
    yield 'peak_now', peak_table(1000, 417)
    yield 'peak_cut', PEAK[:struct.calcsize(HEADER) + 16]
    yield 'peak_without_stacks', PEAK[:-100]
    yield 'short', WHOLE[:100]
    yield 'cut', WHOLE[:-8]
    yield 'no_such_stack', table([slot(0x10000, 1, 2, 99, 7)], [stack(1, 2)], [], b'')
    yield 'same_stack_twice', WHOLE.replace(struct.pack('<Q', 0xabcd << 32 | 6),
                                            struct.pack('<Q', 0xabcd << 32 | 1))


def main():
    corpus, data = sys.argv[1:3]
    files = {os.path.join(corpus, name): content for name, content in seeds()}
    files[os.path.join(data, 'heap_v1.bin')] = WHOLE
    for path, content in files.items():
        if sys.argv[3:] == ['--check']:
            with open(path, 'rb') as file:
                assert file.read() == content, f'{path} is not what {sys.argv[0]} makes'
        else:
            with open(path, 'wb') as file:
                file.write(content)


if __name__ == '__main__':
    main()
