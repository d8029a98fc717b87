# SPDX-License-Identifier: BSD-2-Clause
"""Boots Debian's kernels under qemu, with one static program as their init; and what else
boots them needs, too (tests/examples/linux_guest.py).

Images are looked for where the system has them, in build-check/linux-image-VERSION, to
which scripts/kernel-image.sh downloads them, and in the directories that FXT_TEST_KERNELS
names, separated by colons: each has boot/ and lib/ as a package of Debian's has them, so
that `dpkg -x linux-image-...deb DIRECTORY` makes one.
"""
import glob
import lzma
import os
import shutil
import subprocess
import sys
import time

import patience

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

DIRECTORY, PROGRAM, DEVICE = 0o40755, 0o100755, 0o20600

# On a machine that is busy the guest's timers are late, which is no fault.
ARGUMENTS = "panic=-1 quiet no_timer_check nowatchdog rcupdate.rcu_cpu_stall_suppress=1"

# What emulates Debian's architectures, and the guests' consoles.
MACHINES = {
    "amd64": (["qemu-system-x86_64"], "ttyS0"),
    "arm64": (["qemu-system-aarch64", "-machine", "virt", "-cpu", "max,pauth-impdef=on"],
              "ttyAMA0"),
    "riscv64": (["qemu-system-riscv64", "-machine", "virt"], "ttyS0"),
}


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def need(program):
    path = shutil.which(program)
    if path is None:
        skip("there is no " + program)
    return path


def architecture_of(version):
    """Debian's, with which its kernels' versions end."""
    last = version.rsplit("-", 1)[-1]
    return last if last in MACHINES else "amd64"


def find_images(architecture="amd64"):
    """All kernels of Debian's architecture: for each its version, the directory with boot/
    and lib/, and its file."""
    tops = ["/", *glob.glob(os.path.join(TOP, "build-check", "linux-image-*")),
            *filter(None, os.environ.get("FXT_TEST_KERNELS", "").split(":"))]
    images = []
    for top in map(os.path.abspath, tops):
        for path in sorted(glob.glob(os.path.join(top, "boot", "vmlinu[xz]-*"))):
            version = os.path.basename(path)[len("vmlinuz-"):]
            if os.access(path, os.R_OK) and architecture_of(version) == architecture:
                images.append((version, top, path))
    if not images:
        skip("there is no image of a kernel for %s: scripts/kernel-image.sh downloads one, "
             "and FXT_TEST_KERNELS names others" % architecture)
    return images


def read(path):
    with open(path, "rb") as file:
        return file.read()


def find_module(version, top, name):
    """A module's file, or None if the kernel does not have it as a module."""
    for lib in "lib", "usr/lib":
        kernel = os.path.join(top, lib, "modules", version, "kernel")
        for path in glob.glob(os.path.join(kernel, "**", name + ".ko*"), recursive=True):
            return lzma.decompress(read(path)) if path.endswith(".xz") else read(path)
    return None


def initramfs(files):
    """Files as the kernel unpacks them before it starts /init (cpio's format newc): for
    each its name, mode and data."""
    out = bytearray()
    for i, (name, mode, data) in enumerate([*files, ("TRAILER!!!", 0, b"")]):
        device = (5, 1) if mode == DEVICE else (0, 0)
        name = name.encode() + b"\0"
        fields = [i, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0]
        out += b"070701" + b"".join(b"%08x" % field for field in fields) + name
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    return bytes(out)


class Guest:
    """A machine that runs: `gdb` is the socket of its debug stub. What it writes to port
    0xe9, if it is an x86, is in the file `port`."""

    def __init__(self, image, init, modules, directory, cpus=4):
        version, top, path = image
        self.gdb = os.path.join(directory, "gdb")
        self.console = os.path.join(directory, "console")
        self.port = os.path.join(directory, "port")
        files = [("dev", DIRECTORY, b""), ("dev/console", DEVICE, b""),
                 ("modules", DIRECTORY, b""), ("init", PROGRAM, read(init))]
        for i, name in enumerate(modules):
            data = find_module(version, top, name)
            if data:
                files.append(("modules/%02d%s.ko" % (i, name), PROGRAM, data))
        with open(os.path.join(directory, "initramfs"), "wb") as file:
            file.write(initramfs(files))
        architecture = architecture_of(version)
        machine, console = MACHINES[architecture]
        port = ["-chardev", "file,id=port,path=" + self.port, "-device",
                "isa-debugcon,iobase=0xe9,chardev=port"]
        self.qemu = subprocess.Popen(
            [*machine, "-accel", "tcg,thread=multi", "-smp", str(cpus), "-m", "512M",
             "-nodefaults", "-display", "none", "-no-reboot", "-serial",
             "file:" + self.console, *(port if architecture == "amd64" else ()), "-gdb",
             "unix:%s,server,nowait" % self.gdb, "-kernel", path, "-initrd", file.name,
             "-append", "console=%s %s" % (console, ARGUMENTS)], stdin=subprocess.DEVNULL)

    def wait_for(self, text):
        """Waits until the guest has written this to its console."""
        deadline = time.monotonic() + patience.SECONDS
        while not os.path.exists(self.console) or text not in read(self.console):
            assert self.qemu.poll() is None and time.monotonic() < deadline, \
                read(self.console).decode(errors="replace")[-4000:]
            time.sleep(0.2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.qemu.kill()
        self.qemu.wait()
