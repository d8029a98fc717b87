# SPDX-License-Identifier: BSD-2-Clause
"""A debug stub for tests: it serves registers and memory that the test made up, and has
whatever faults the test wants."""
import os
import random
import socket
import struct
import threading
import time

X86_64 = [("rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip", 64),
          ("eflags cs ss ds es fs gs", 32)]
AARCH64 = [(" ".join("x%d" % i for i in range(31)) + " sp pc", 64), ("cpsr", 32)]
RISCV64 = [("zero ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 "
            "s9 s10 s11 t3 t4 t5 t6 pc", 64)]


def registers_of(description):
    return [(name, bits) for names, bits in description for name in names.split()]


def xml_of(description, file="target.xml"):
    """The description as files, by name: one that includes another."""
    registers = "".join('  <reg name="%s" bitsize="%d"/>\n' % register
                        for register in registers_of(description))
    return {file: '<?xml version="1.0"?><!-- <reg name="rip" bitsize="64"/> -->\n'
                  '<target><xi:include href="core.xml"/></target>',
            "core.xml": '<?xml version="1.0"?>\n<feature name="f">\n' + registers +
                        "</feature>"}


def packet(data):
    return b"$" + data + b"#%02x" % (sum(data) & 0xff)


def escaped(data):
    out = bytearray()
    for byte in data:
        out += bytes((0x7d, byte ^ 0x20)) if byte in b"$#}*" else bytes((byte,))
    return bytes(out)


def repeated(data):
    """With runs of bytes as the protocol has them."""
    out, at = bytearray(), 0
    while at < len(data):
        n = 1
        while at + n < len(data) and n < 98 and data[at + n] == data[at]:
            n += 1
        out.append(data[at])
        rest = n - 1
        while rest in (6, 7) or rest + 29 in b"+-":
            rest -= 1
        if rest < 3:
            rest = 0
        else:
            out += bytes((0x2a, rest + 29))
        at += 1 + rest
    return bytes(out)


class Stub(threading.Thread):
    """`threads` are, by id, dictionaries of registers and "name"; `memory` is bytes by
    address. Faults are arguments; what happened is in `commands`."""

    n_stubs = 0

    def __init__(self, description=X86_64, threads=None, memory=None, **how):
        super().__init__(daemon=True)
        self.description = description
        self.threads = threads or {"01": {"name": "CPU#0 [running]"}}
        self.memory = memory or {}
        self.how = how
        self.random = random.Random(how.get("seed", 0))
        self.commands = []
        # How many commands there were when more bytes came.
        self.reads = []
        self.error = None
        self.running = False
        self.signals = list(how.get("signals", ()))
        self.n_packets = 0
        self.current = next(iter(self.threads))
        if how.get("tcp"):
            self.server = socket.create_server(("127.0.0.1", 0))
            self.address = ":%d" % self.server.getsockname()[1]
        else:
            self.server = socket.socket(socket.AF_UNIX)
            Stub.n_stubs += 1
            self.address = os.path.join(os.getcwd(), "stub%d" % Stub.n_stubs)
            self.server.bind(self.address)
            self.server.listen(1)
        self.socket = None
        self.left = b""
        self.interrupts = []
        self.start()

    # ---- Bytes ----

    def write(self, data):
        if self.how.get("split"):
            while data:
                size = self.random.randrange(1, 6)
                self.socket.sendall(data[:size])
                data = data[size:]
                if self.random.randrange(4) == 0:
                    time.sleep(0.0002)
        else:
            self.socket.sendall(data)

    def send(self, data):
        data = escaped(data)
        if self.how.get("repeat"):
            data = repeated(data)
        whole = packet(data)
        self.n_packets += 1
        if self.n_packets == self.how.get("vanish"):
            self.write(whole[:self.random.randrange(len(whole))])
            raise ConnectionError
        if self.how.get("bad_sums") and self.random.randrange(3) == 0:
            self.write(whole[:-2] + b"%02x" % (int(whole[-2:], 16) ^ 0x11))
            assert self.ack() == b"-"
        if self.how.get("notices") and self.random.randrange(3) == 0:
            self.write(b"%Stop:T05#00 junk" + packet(b"x")[:-1] + packet(b"O6869"))
            assert self.ack() == b"+"
        self.write(whole)
        if not self.how.get("no_acks"):
            assert self.ack() == b"+"

    def byte(self):
        while not self.left:
            self.left = self.socket.recv(4096)
            self.reads.append(len(self.commands))
            if not self.left:
                raise ConnectionError
        byte, self.left = self.left[:1], self.left[1:]
        return byte

    def ack(self):
        while (byte := self.byte()) not in b"+-":
            # qemu takes a command for an acknowledgement.
            if byte == b"$" and self.how.get("qemu"):
                self.left = byte + self.left
                return b"+"
            assert byte == b"\x03", "a packet without an acknowledgement"
            self.interrupts.append(byte)
        return byte

    def receive(self):
        """The next command, or 0x03."""
        while True:
            byte = self.interrupts.pop() if self.interrupts else self.byte()
            if byte == b"\x03":
                return byte
            if byte != b"$":
                continue
            data = bytearray()
            while (byte := self.byte()) != b"#":
                data += byte if byte != b"}" else bytes((self.byte()[0] ^ 0x20,))
            digits = self.byte() + self.byte()
            assert int(digits, 16) == sum(data) & 0xff
            if self.how.get("naks") and self.random.randrange(3) == 0:
                self.write(b"-")
                continue
            if not self.how.get("no_acks"):
                self.write(b"+")
            return bytes(data)

    # ---- Commands ----

    def hex_registers(self):
        values = self.threads[self.current]
        hidden = self.how.get("hidden", ())
        out = ""
        for name, bits in registers_of(self.description):
            if name in hidden:
                out += "xx" * (bits // 8)
            else:
                out += values.get(name, 0).to_bytes(bits // 8, "little").hex()
        return out.encode()

    def read_memory(self, address, size):
        data = bytearray()
        while len(data) < size and address + len(data) in self.memory:
            data.append(self.memory[address + len(data)])
        return bytes(data).hex().encode() if len(data) == size else b"E14"

    def transfer(self, command):
        files = xml_of(self.description)
        name, at = command[len("qXfer:features:read:"):].rsplit(":", 1)
        offset, size = (int(number, 16) for number in at.split(","))
        size = min(size, self.how.get("piece", 4000))
        if name not in files:
            return b"E00"
        data = files[name].encode()
        return (b"m" if offset + size < len(data) else b"l") + data[offset:offset + size]

    def reply(self, command):
        name = command.split(":")[0]
        if name == "qSupported":
            features = "PacketSize=%x" % self.how.get("packet_size", 4096)
            if not self.how.get("no_description"):
                features += ";qXfer:features:read+"
            if "no_acks" in self.how:
                features += ";QStartNoAckMode+"
            return features.encode()
        if name == "QStartNoAckMode":
            return b"OK"
        if name == "qXfer":
            return self.transfer(command)
        if name == "qqemu.PhyMemMode" and self.how.get("qemu"):
            return b"0"
        if command == "?":
            return b"T05thread:%s;" % self.current.encode()
        if command in ("qfThreadInfo", "qsThreadInfo"):
            if self.how.get("no_threads"):
                return b""
            ids = list(self.threads)
            first = 0 if command[1] == "f" else self.listed
            self.listed = first + 3
            return b"m" + ",".join(ids[first:first + 3]).encode() if ids[first:] else b"l"
        if name.startswith("qThreadExtraInfo,"):
            thread = self.threads.get(name.split(",")[1], {})
            return thread.get("name", "").encode().hex().encode()
        if command.startswith("Hg"):
            if self.how.get("no_threads"):
                return b""
            if command[2:] not in self.threads:
                return b"E22"
            self.current = command[2:]
            return b"OK"
        if command == "g":
            return self.hex_registers()
        if command.startswith("p"):
            names = registers_of(self.description)
            value = self.threads[self.current].get(names[int(command[1:], 16)][0], 0)
            return value.to_bytes(8, "little").hex().encode()
        if command.startswith("m"):
            return self.read_memory(*(int(n, 16) for n in command[1:].split(",")))
        if command[0] == "D" or command.startswith("Hc"):
            return b"OK"
        return b""

    def flood(self, data):
        """Says the same for ever, and does not listen."""
        while True:
            self.socket.sendall(data * 100)

    def resume(self):
        self.running = True
        if "babble" in self.how:
            self.flood(self.how["babble"])
        if self.how.get("exits") and len(self.commands) > self.how["exits"]:
            self.send(b"W00")
            raise ConnectionError
        if self.how.get("talks"):
            self.send(b"O" + b"hello\n".hex().encode())
            self.send(b"Fwrite,1,1000,6")
            while (reply := self.receive()) == b"\x03":
                self.signals = [2]
            assert reply.startswith(b"F"), reply
        if self.signals:
            self.running = False
            self.send(b"T%02x" % self.signals.pop(0))

    def serve(self):
        if self.how.get("mute"):
            while True:
                self.byte()
        if "noise" in self.how:
            self.flood(self.how["noise"])
        if self.how.get("greets"):
            self.write(packet(b"T05thread:01;"))
        if "garbage" in self.how:
            self.socket.recv(100)
            self.write(self.how["garbage"])
            raise ConnectionError
        while True:
            command = self.receive().decode()
            if command != "\x03" or self.running:
                self.commands.append(command)
            if command == "\x03":
                if self.running:
                    self.running = False
                    self.send(b"T02thread:01;")
            elif command[0] in "cC":
                self.resume()
            else:
                self.running = False
                self.send(self.reply(command))
                if command == "QStartNoAckMode":
                    self.how["no_acks"] = True

    def run(self):
        try:
            self.socket, _ = self.server.accept()
            self.serve()
        except (ConnectionError, BrokenPipeError):
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.error = error
        finally:
            if self.socket:
                self.socket.close()
            self.server.close()


def put_words(memory, address, *words):
    for i, byte in enumerate(struct.pack("<%dQ" % len(words), *words)):
        memory[address + i] = byte


def put_zeros(memory, start, end):
    for address in range(start, end):
        memory.setdefault(address, 0)
