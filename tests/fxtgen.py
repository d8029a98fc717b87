#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes FXT for tests, word by word, without any of libfxt.

As a program: reads one record a line, as a shell would split it, and writes the bytes to
standard output. Numbers are decimal or 0x hex; names take Python's backslash escapes.

    sample TIME PROCESS THREAD PC...            as the kernel sampler wrote until 2025
    backtrace TIME PROCESS THREAD PC...         and since then
    drops CPU RECORDS BYTES FIRST LAST
    magic | init RATE [TICKS WALL_NS] | provider ID NAME | section ID
    process KOID NAME | thread KOID NAME [PROCESS]
    module PROCESS ID NAME BUILD_ID
    mapping PROCESS ID START LENGTH VADDR [FLAGS [TIME]]
    unwound TIME PROCESS THREAD SIZE            stack memory that nobody has unwound
    begin TIME PROCESS THREAD NAME [CATEGORY] | end TIME PROCESS THREAD [NAME]
    complete TIME END PROCESS THREAD NAME [CATEGORY]
    event KIND TIME PROCESS THREAD NAME [ID]    an instant, async, flow event and so on
    words WORD...                               as they are
    pad SIZE                                    zeros, up to that many bytes in all
"""
import shlex
import struct
import sys


def stream(data):
    data = bytes(data)
    return list(struct.unpack("<%dQ" % ((len(data) + 7) // 8),
                              data + bytes(-len(data) % 8)))


def inline(data):
    return 0x8000 | len(data)


class Trace:
    def __init__(self, big_endian=False):
        self.pieces = []
        self.size = 0
        self.order = ">" if big_endian else "<"

    def words(self, *words):
        self.pieces.append(struct.pack("%s%dQ" % (self.order, len(words)), *words))
        self.size += 8 * len(words)

    def record(self, kind, bits, body):
        self.words(kind | (len(body) + 1) << 4 | bits, *body)

    def text(self, data):
        """The words of some bytes, which stay in their order."""
        words = stream(data)
        if self.order == ">":
            words = [int.from_bytes(w.to_bytes(8, "little"), "big") for w in words]
        return words

    def data(self):
        return b"".join(self.pieces)

    def sample(self, time, process, thread, *pcs):
        self.record(15, 0, [0, time, process, thread, 8 * len(pcs), *pcs])

    def backtrace(self, time, process, thread, *pcs):
        self.record(10, 2 << 16 | len(pcs) << 28, [time, process, thread, *pcs])

    def drops(self, cpu, records, size, first, last):
        self.record(4, 4 << 16 | 2 << 20 | 40 << 32 | 41 << 48,
                    [first, 0, cpu, 0x12 | 42 << 16 | records << 32,
                     0x12 | 43 << 16 | size << 32, last])

    def unwound(self, time, process, thread, size):
        category, name = b"cpu_profiler", b"stack_sample"
        self.record(15, 0, [inline(category) | inline(name) << 16, *self.text(category),
                            *self.text(name), time, process, thread, size,
                            *self.text(bytes(size))])

    def magic(self):
        self.words(0x0016547846040010)

    def init(self, rate, *base):
        self.record(1, 0, [rate, *base])

    def provider(self, number, name):
        self.record(0, 1 << 16 | number << 20 | len(name) << 52, self.text(name))

    def section(self, number):
        self.record(0, 2 << 16 | number << 20, [])

    def object(self, kind, koid, name, arguments=()):
        self.record(7, kind << 16 | inline(name) << 24 | (len(arguments) > 0) << 40,
                    [koid, *self.text(name), *arguments])

    def process(self, koid, name):
        self.object(1, koid, name)

    def thread(self, koid, name, process=None):
        if process is None:
            self.object(2, koid, name)
        else:
            self.object(2, koid, name, [8 | 3 << 4 | inline(b"process") << 16,
                                        *self.text(b"process"), process])

    def module(self, process, number, name, build_id):
        self.record(10, 0 << 16 | number << 28 | len(name) << 44 | len(build_id) << 52,
                    [0, process, 0, *self.text(name), *self.text(build_id)])

    def mapping(self, process, number, start, length, vaddr, flags=5, time=0):
        self.record(10, 1 << 16 | number << 28 | flags << 44,
                    [time, process, 0, start, length, vaddr])

    def event(self, kind, time, process, thread, name, *words, category=b""):
        self.record(4, kind << 16 | inline(category) << 32 | inline(name) << 48,
                    [time, process, thread, *self.text(category), *self.text(name),
                     *words])

    def begin(self, time, process, thread, name, category=b""):
        self.event(2, time, process, thread, name, category=category)

    def end(self, time, process, thread, name=b""):
        self.event(3, time, process, thread, name)

    def complete(self, time, end, process, thread, name, category=b""):
        self.event(4, time, process, thread, name, end, category=category)

    def pad(self, size):
        self.pieces.append(bytes(size - self.size))
        self.size = size


def value(word):
    try:
        return int(word, 0)
    except ValueError:
        return word.encode("latin-1").decode("unicode_escape").encode("latin-1")


def main():
    trace = Trace()
    for line in sys.stdin:
        words = shlex.split(line, comments=True)
        if not words:
            continue
        arguments = [value(word) for word in words[1:]]
        if words[0] == "module":
            arguments[3] = bytes.fromhex(words[4])
        getattr(trace, words[0])(*arguments)
    sys.stdout.buffer.write(trace.data())


if __name__ == "__main__":
    main()
