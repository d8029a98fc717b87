# SPDX-License-Identifier: BSD-2-Clause
"""Builds the module of examples/linux for a kernel of Debian's, boots that kernel under
qemu with a load, and has what the guest's init (linux/init) has written.

The kernel comes from scripts/kernel-image.sh, or is installed. There is no distribution in
the guest: one program, busybox, the load, and modules.
"""
import collections
import glob
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile

import patience
from boot_linux import (ARGUMENTS, DIRECTORY, PROGRAM, find_module, initramfs, need, read,
                        skip)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "docs"))
from pages import blocks_of  # pylint: disable=wrong-import-position

TOP = os.path.join(HERE, "..", "..")
BUILD = os.path.join(TOP, "examples", "linux", "build.sh")

# The commands of the example's page: those that build the module and start it, and those that
# stop it and read what it has left.
(BUILD_COMMAND, *START), (*STOP, FOLD) = [
    block.commands() for block in blocks_of(os.path.join(TOP, "examples", "linux", "README.md"))[0]]

# The modules of the block device that the results are written to; a kernel may have some
# of them built in.
MODULES = ["virtio", "virtio_ring", "virtio_pci_legacy_dev", "virtio_pci_modern_dev",
           "virtio_pci", "virtio_blk"]

# A kernel that was found: `top` is where the folders of its packages are, `image` is what
# qemu boots.
Kernel = collections.namedtuple("Kernel", "version top image")


def find_kernel():
    """A kernel of which there are both the headers and the image."""
    versions = sorted(path.split(os.sep)[3] for path in
                      glob.glob("/lib/modules/*/build/Makefile"))
    if not versions:
        skip("no kernel's headers are installed")
    for version in versions:
        for top in "/", os.path.join(TOP, "build-check", "linux-image-" + version):
            for image in "boot/vmlinuz-" + version, "usr/lib/modules/%s/vmlinuz" % version:
                if os.access(os.path.join(top, image), os.R_OK):
                    return Kernel(version, top, os.path.join(top, image))
    skip("there is no image of %s: scripts/kernel-image.sh downloads one" %
         " or ".join(versions))


def build_module(version, output):
    """Builds the module, as its page does, but for another kernel than that which runs;
    compiler, objtool and modpost must have nothing to say."""
    command = [*BUILD_COMMAND.split(), "/lib/modules/%s/build" % version, "W=1"]
    assert command[:2] == ["./build.sh", os.path.basename(output)], command
    done = subprocess.run([BUILD, output, *command[2:]], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    complaints = [line for line in done.stdout.splitlines()
                  if re.search("warning|error", line, re.I) and
                  "the compiler differs" not in line]
    assert done.returncode == 0 and not complaints, done.stdout


def build_load(output):
    """Static, since the guest has no libraries, and where its symbols say it is."""
    subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-static",
                    "-no-pie", "-fno-pie", "-fcf-protection=none",
                    "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer",
                    "-fno-optimize-sibling-calls", "-o", output,
                    os.path.join(HERE, "linux", "load.c")], check=True)


def make_initramfs(kernel, directory, settings):
    modules = {name + ".ko": find_module(kernel.version, kernel.top, name)
               for name in MODULES}
    modules = {name: data for name, data in modules.items() if data}
    settings = dict(settings, modules="'%s'" % " ".join(modules))
    lines = ["%s=%s\n" % setting for setting in settings.items()]
    return initramfs(
        [(name, DIRECTORY, b"") for name in ("bin", "dev", "proc", "sys", "modules")] +
        [("bin/busybox", PROGRAM, read(need("busybox"))),
         ("init", PROGRAM, read(os.path.join(HERE, "linux", "init"))),
         ("page_start", PROGRAM, "\n".join(START).encode()),
         ("page_stop", PROGRAM, "\n".join(STOP).encode())] +
        [(name, PROGRAM, read(os.path.join(directory, name)))
         for name in ("load", "fxtsampler.ko")] +
        [("modules/" + name, PROGRAM, data) for name, data in modules.items()] +
        [("settings", PROGRAM, "".join(lines).encode())])


def run(kernel, directory):
    """Boots the kernel; returns its console. Every oops ends it at once."""
    console = os.path.join(directory, "console")
    subprocess.run(
        [need("qemu-system-x86_64"), "-accel", "tcg,thread=multi", "-smp", "2", "-m", "256M",
         "-nodefaults", "-display", "none", "-no-reboot", "-serial", "file:" + console,
         "-drive", "if=virtio,format=raw,file=" + os.path.join(directory, "results"),
         "-kernel", kernel.image,
         "-initrd", os.path.join(directory, "initramfs"), "-append",
         "console=ttyS0 oops=panic " + ARGUMENTS],
        check=True, timeout=patience.SECONDS, stdin=subprocess.DEVNULL)
    return read(console).decode(errors="replace")


def unpack(results):
    """The files of a tar file, by name; none if it is incomplete."""
    try:
        with tarfile.open(fileobj=io.BytesIO(read(results)), mode="r:") as tar:
            return {os.path.basename(member.name): tar.extractfile(member).read()
                    for member in tar.getmembers() if member.isfile()}
    except tarfile.ReadError:
        return {}


def boot(**settings):
    """Boots a guest with the given settings of init; returns the files that it has left,
    by name, and that of the load."""
    if os.uname().machine != "x86_64":
        skip("the guest is one for x86-64")
    for program in "make", "gcc", "busybox", "qemu-system-x86_64":
        need(program)
    kernel = find_kernel()
    with tempfile.TemporaryDirectory() as directory:
        build_module(kernel.version, os.path.join(directory, "fxtsampler.ko"))
        build_load(os.path.join(directory, "load"))
        with open(os.path.join(directory, "initramfs"), "wb") as file:
            file.write(make_initramfs(kernel, directory, settings))
        results = os.path.join(directory, "results")
        with open(results, "wb") as file:
            file.truncate(256 << 20)
        console = run(kernel, directory)
        left = unpack(results)
        # The last that the guest writes.
        assert "done" in left, "the guest did not come to its end:\n" + console[-6000:]
        left["load"] = read(os.path.join(directory, "load"))
        return left
