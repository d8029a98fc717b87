#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What functions are called: PLT stubs, with objdump as the other opinion; the public one of
several names; symbols in .gnu_debugdata; C++ functions that have no name for linkers.
Arguments: the tools' build directory, and files to compare with objdump."""
import glob
import lzma
import os
import random
import re
import shutil
import subprocess
import sys

import fxtwrite
from profile_cases import FXT2FOLDED, HAS_LINES, main, need, run, symbols, write

BASE = 0x555500000000
HAS_LZMA = os.environ.get("HAS_LIBLZMA") == "1"
HAS_DEMANGLER = os.environ.get("HAS_LIBIBERTY") == "1"
# Longer stacks are cut.
N_FRAMES = 100


def names_at(elf, addresses, *options):
    """What is found at addresses of a file: {address: frames, the outermost first}, and what
    is printed. An address is that of a call, before its return address."""
    found, printed = {}, ""
    addresses = sorted(addresses)
    for i in range(0, len(addresses), N_FRAMES):
        part = addresses[i:i + N_FRAMES]
        trace = fxtwrite.Trace()
        trace.backtrace(100, 1, 2, *(BASE + address + (n > 0) for n, address in enumerate(part)))
        write("names.bin", trace)
        done = subprocess.run(
            [FXT2FOLDED, "--roots", "none", "--inlines", "off", "--elf", "%s+%#x" % (elf, BASE),
             *options, "names.bin"], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        frames = done.stdout.rstrip("\n").rsplit(" ", 1)[0].split(";")[::-1]
        assert len(frames) == len(part), (len(frames), len(part), done.stdout)
        found.update(zip(part, frames))
        printed += done.stderr
    return found, printed


# ---- Stubs ----

STUBS = [".plt", ".plt.sec", ".plt.got", ".iplt"]


def labels(elf, objdump="objdump"):
    """The stubs as objdump names them, without versions: {address: name}. None at all where
    objdump is wrong: that of binutils 2.44 takes aarch64's stubs of 24 bytes for 16."""
    done = subprocess.run([objdump, "-d", "--no-show-raw-insn"] +
                          [word for name in STUBS for word in ("-j", name)] + [elf],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if re.search(r"@plt>:\n\s*[0-9a-f]+:\s+br\s", done.stdout):
        return {}
    found = re.findall(r"^([0-9a-f]+) <(\S+)@plt>:", done.stdout, re.M)
    return {int(address, 16): re.sub("@.*", "", name) + "@plt" for address, name in found}


def compare_stubs(elf, objdump="objdump"):
    """How many stubs have objdump's names. It has none for targets that a function of the
    file chooses, nor for the first half of stubs with endbr64."""
    expected = {address: name for address, name in labels(elf, objdump).items()
                if not name.startswith("*ABS*")}
    addresses = list(expected) + [address + 5 for address in expected]
    found, _ = names_at(elf, addresses)
    for address, name in expected.items():
        assert is_called(found[address], name), (elf, hex(address), name, found[address])
        assert found[address + 5] == found[address], (elf, hex(address + 5), name)
    return len(expected)


def is_called(found, name):
    if not HAS_DEMANGLER or not name.startswith(("_Z", "_R")):
        return found == name
    return found.endswith("@plt") and not found.startswith(("_Z", "_R"))


def test_stubs_have_the_names_that_objdump_gives_them():
    files = sys.argv[2:]
    if not files:
        files = [file for pattern in ("/bin/[bdgs]*sh", "/usr/bin/ld", "/usr/bin/gdb", "/bin/grep",
                                      "/usr/bin/python3.*", "/lib/*-linux-gnu/lib[cmz].so.*",
                                      "/lib/*-linux-gnu/libstdc++.so.*")
                 for file in sorted(glob.glob(pattern))]
        files += [os.environ["ELF_PIE"], os.environ["ELF_STATIC"]]
    n = 0
    for file in {os.path.realpath(file) for file in files}:
        with open(file, "rb") as head:
            if head.read(4) == b"\x7fELF":
                n += compare_stubs(file)
    print(n, "stubs as in objdump")
    assert n > 20, n


CALLS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    void *(*volatile get)(size_t) = malloc;
    puts(argv[0]);
    free(get(strlen(argv[0])));
    qsort(argv, 1, sizeof(*argv), (int (*)(const void *, const void *))strcmp);
    return atoi(argv[0]);
}
"""


def test_stubs_of_every_machine_and_linker():
    with open("calls.c", "w") as file:
        file.write(CALLS)
    tried, n = 0, 0
    for compiler in ("cc", "clang", "clang -fuse-ld=lld", "i686-linux-gnu-gcc",
                     "aarch64-linux-gnu-gcc", "riscv64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc"):
        for options in ("", "-fPIE -pie", "-no-pie", "-Wl,-z,now",
                        "-fcf-protection=full -Wl,-z,ibtplt",
                        "-mbranch-protection=standard -Wl,-z,force-bti"):
            words = (compiler + " " + options).split()
            if shutil.which(words[0]) is None:
                continue
            done = subprocess.run(words + ["calls.c", "-o", "calls"], stderr=subprocess.DEVNULL,
                                  check=False)
            objdump = words[0].replace("gcc", "objdump") if "gcc" in words[0] else "objdump"
            if done.returncode != 0:
                continue
            found = compare_stubs(os.path.abspath("calls"), objdump)
            if found == 0 and "force-bti" in options:
                continue
            assert found >= 5, (words, found)
            tried, n = tried + 1, n + found
    print(n, "stubs of", tried, "programs")
    assert tried >= 1


def test_stubs_of_targets_that_a_function_chooses():
    """They are called as that function; in a static program, too."""
    elf = os.environ["ELF_STATIC"]
    names = {name: address for name, address in symbols(elf).items() if not name.endswith(".end")}
    section = re.search(r" \.plt +PROGBITS +(\w+) \w+ (\w+) ", run("readelf", "-SW", elf))
    if section is None:
        return
    address, size = int(section[1], 16), int(section[2], 16)
    found, _ = names_at(elf, range(address, address + size, 8))
    called = {name[:-4] for name in found.values() if name.endswith("@plt")}
    assert called and called <= set(names), called - set(names)


def test_stubs_of_a_stripped_file_with_a_file_for_debuggers():
    elf = os.environ["ELF_PIE"]
    run("objcopy", "--only-keep-debug", elf, "its.debug")
    run("objcopy", "--strip-all", "--add-gnu-debuglink=its.debug", elf, "stripped")
    at = symbols(elf)
    stubs = labels(elf)
    found, _ = names_at(os.path.abspath("stripped"), list(stubs) + [at["leaf"]])
    assert found[at["leaf"]] == "leaf"
    assert {address: found[address] for address in stubs} == stubs


# ---- Several names ----

ALIASES = """
#include <stddef.h>
int __impl_read(int x) { return x + 1; }
extern int read_it(int) __attribute__((weak, alias("__impl_read")));
extern int read_it64(int) __attribute__((weak, alias("__impl_read")));
extern int __read_it(int) __attribute__((alias("__impl_read")));
static int inner_name(int x) __attribute__((used, alias("__impl_read")));

int new_open(int x) { return x + 2; }
__asm__(".symver new_open, open_it@@V2");
__asm__(".symver new_open, aged@V1");

int old_call(int x) { return x + 3; }
__asm__(".symver old_call, call_it@V1");

static int __local_copy_variant(int x) { return x + 4; }
static int __local_move_variant(int x) __attribute__((used, alias("__local_copy_variant")));
int use(int x) { return __local_copy_variant(x); }
"""


def test_the_public_name_counts():
    with open("aliases.c", "w") as file:
        file.write(ALIASES)
    with open("aliases.map", "w") as file:
        file.write("V1 { global: aged; call_it; read_it; read_it64; __read_it; use; local: *; };\n"
                   "V2 { global: open_it; } V1;\n")
    for debug in "-g0", "-g":
        run("cc", "-O0", debug, "-fPIC", "-shared", "-Wl,--version-script=aliases.map",
            "-Wl,--build-id=sha1", "aliases.c", "-o", "aliases.so")
        run("objcopy", "--only-keep-debug", "aliases.so", "aliases.debug")
        run("objcopy", "--strip-all", "aliases.so", "bare.so")
        run("objcopy", "--strip-all", "--add-gnu-debuglink=aliases.debug", "aliases.so", "linked.so")
        at = symbols("aliases.so")
        wanted = {at["__impl_read"]: "read_it", at["use"]: "use",
                  at["open_it@@V2"]: "new_open" if debug == "-g" and HAS_LINES else "open_it",
                  at["call_it@V1"]: "old_call" if debug == "-g" and HAS_LINES else "call_it"}
        for file in "aliases.so", "linked.so":
            found, _ = names_at(os.path.abspath(file), wanted)
            assert found == wanted, (debug, file, found)
        wanted[at["open_it@@V2"]] = "open_it"
        wanted[at["call_it@V1"]] = "call_it"
        found, _ = names_at(os.path.abspath("bare.so"), wanted)
        assert found == wanted, (debug, found)
        # Neither is for others: as perf does it, the longer name, and else the first.
        found, _ = names_at(os.path.abspath("aliases.so"), [at["__local_copy_variant"]])
        assert found.popitem()[1] == "__local_copy_variant"


def test_functions_of_the_c_library_have_the_names_that_programs_call():
    """Whether or not there are symbols for debuggers."""
    maps = run("cat", "/proc/self/maps")
    libc = re.search(r"(/\S+/libc\.so\.6)$", maps, re.M)
    if libc is None:
        return
    libc = libc[1]
    dynamic = {}
    for line in run("readelf", "-W", "--dyn-syms", libc).splitlines():
        match = re.match(r" *\d+: (\w+) +\d+ FUNC +\w+ +DEFAULT +\d+ (\S+)$", line)
        if match and "@@" in match[2]:
            dynamic.setdefault(int(match[1], 16), set()).add(match[2].split("@")[0])
    names = {"read", "write", "malloc", "free", "calloc", "puts", "fopen", "open", "poll", "send",
             "recv", "qsort", "printf", "pthread_mutex_lock", "pthread_create", "lseek", "mmap"}
    wanted = {address: name for address, known in dynamic.items() for name in names & known}
    assert len(wanted) > 10
    for options in [], ["--debug-dir", "/usr/lib/debug"]:
        found, _ = names_at(libc, wanted, *options)
        assert found == wanted, [(wanted[a], found[a]) for a in wanted if wanted[a] != found[a]]
        # No address has a name of the library's own where it has one for others.
        found, _ = names_at(libc, dynamic, *options)
        inner = {address: name for address, name in found.items()
                 if name not in dynamic[address] and name.startswith(("__GI_", "__libc_"))}
        assert not inner, inner


# ---- .gnu_debugdata ----


def mini(elf, to, compress=lzma.compress):
    """A copy without symbols, but with those of functions in .gnu_debugdata, as
    distributions make it."""
    run("objcopy", "--only-keep-debug", elf, "whole.debug")
    run("objcopy", "--strip-debug", "whole.debug", "mini.debug")
    run("objcopy", "--strip-all", elf, to)
    with open("mini.debug", "rb") as file:
        data = file.read()
    with open("mini.debug.xz", "wb") as file:
        file.write(compress(data))
    run("objcopy", "--add-section", ".gnu_debugdata=mini.debug.xz", to)


def test_symbols_are_read_of_gnu_debugdata():
    elf = os.environ["ELF_PIE"]
    at = symbols(elf)
    wanted = {at[name]: name for name in ("leaf", "middle", "main")}
    for check in lzma.CHECK_CRC32, lzma.CHECK_CRC64, lzma.CHECK_SHA256:
        mini(elf, "small", lambda data: lzma.compress(data, check=check))
        found, printed = names_at(os.path.abspath("small"), wanted)
        if HAS_LZMA:
            assert found == wanted and "debugdata" not in printed, (found, printed)
        else:
            assert found != wanted and "liblzma" in printed, (found, printed)
    # The stubs are those of the file itself.
    stubs = labels(elf)
    found, _ = names_at(os.path.abspath("small"), stubs)
    assert found == stubs, found
    # A file for debuggers has more than functions' symbols, and counts.
    run("objcopy", "--add-gnu-debuglink=whole.debug", "small")
    assert names_at(os.path.abspath("small"), wanted)[0] == wanted


def test_damaged_gnu_debugdata_costs_names_only():
    if not HAS_LZMA:
        return
    elf = os.environ["ELF_PIE"]
    wanted = [symbols(elf)["leaf"]]
    random.seed(3)

    def flip(data):
        data = bytearray(lzma.compress(data))
        for _ in range(4):
            data[random.randrange(12, len(data))] ^= 1 << random.randrange(8)
        return bytes(data)

    def inner(data):
        data = bytearray(data)
        for _ in range(20):
            data[random.randrange(len(data))] = random.randrange(256)
        return lzma.compress(bytes(data))

    for compress, reason in (
            (lambda data: b"", "damaged"), (lambda data: b"no xz", "damaged"),
            (lambda data: lzma.compress(data)[:-1], "damaged"),
            (lambda data: lzma.compress(data)[:40], "damaged"),
            (lambda data: lzma.compress(b""), "no symbol table"),
            (lambda data: lzma.compress(b"\x7fELF" + bytes(100)), "no symbol table"),
            (lambda data: lzma.compress(bytes(300 << 20), preset=0), "too large"),
            *[(flip, "damaged")] * 8, *[(inner, "")] * 8):
        mini(elf, "small", compress)
        if os.path.getsize("mini.debug.xz") == 0:
            continue
        found, printed = names_at(os.path.abspath("small"), wanted)
        assert reason in printed, (reason, printed)
        if reason:
            assert ".gnu_debugdata" in printed and found[wanted[0]] != "leaf", printed


# ---- Scopes ----

SCOPES = {
    "outer::(anonymous namespace)::hidden", "outer::(anonymous namespace)::hidden_inline",
    "outer::(anonymous namespace)::worker::go", "outer::(anonymous namespace)::worker::turn",
    "outer::v1::box<double>::scaled", "outer::v1::box<int>::inner::deep", "outer::klass::stat",
    "outer::klass::member", "outer::klass::nested::visit", "outer::local_class",
    "outer::local_class::here::run", "outer::lambdas",
    "outer::lambdas::{lambda}::operator()", "main"}


def without_parameters(name):
    """Nor the numbers of lambdas, which Clang calls $_0."""
    name = name.replace("(anonymous namespace)", "[anonymous]").replace("operator()", "[call]")
    while re.search(r"\([^()]*\)", name):
        name = re.sub(r"\([^()]*\)( const)?", "", name)
    name = re.sub(r"\{lambda#?\d*\}|\$_\d+", "{lambda}", name)
    return name.replace("[anonymous]", "(anonymous namespace)").replace("[call]", "operator()")


def all_names(elf):
    """All names that there are in the code of a file."""
    at = symbols(elf)
    found = set()
    addresses = [address for name in at if name + ".end" in at
                 for address in range(at[name], at[name + ".end"], 3)]
    for i in range(0, len(addresses), N_FRAMES):
        trace = fxtwrite.Trace()
        for address in addresses[i:i + N_FRAMES]:
            trace.backtrace(100, 1, 2, BASE + address)
        write("names.bin", trace)
        for line in run(FXT2FOLDED, "--roots", "none", "--elf", "%s+%#x" % (elf, BASE),
                        "names.bin").splitlines():
            found |= set(line.rsplit(" ", 1)[0].split(";"))
    return found


def test_functions_have_the_names_of_their_scopes():
    elf = os.environ.get("ELF_SCOPES")
    if elf is None or not HAS_LINES or not HAS_DEMANGLER:
        return
    found = {without_parameters(name) for name in all_names(elf)}
    assert SCOPES <= found, SCOPES - found
    for name in found:
        assert name != "operator()" and not name.startswith("_Iter"), name


def test_functions_within_functions_of_d_have_the_names_of_their_symbols():
    """Debugging information that GDC makes has the last part only."""
    if not HAS_LINES or not HAS_DEMANGLER:
        return
    symbol = "_D4main3runFZ6workerMFZv"
    with open("nested.c", "w") as file:
        file.write("void worker(void) {} int main(void) { worker(); return 0; }")
    run("cc", "-g", "-O0", "-c", "nested.c")
    run("objcopy", "--redefine-sym", "worker=" + symbol, "nested.o")
    run("cc", "-o", "nested", "nested.o")
    address = symbols("nested")[symbol]
    assert names_at("nested", [address])[0] == {address: "main.run().worker()"}


def test_scopes_are_found_in_what_dwz_shares():
    elf = os.environ.get("ELF_SCOPES")
    if elf is None or not HAS_LINES or shutil.which("dwz") is None:
        return
    expected = all_names(elf)
    shutil.copy(elf, "one")
    run("dwz", "one")
    assert all_names(os.path.abspath("one")) == expected
    shutil.copy(elf, "one")
    shutil.copy(elf, "two")
    run("dwz", "-m", "shared", "one", "two")
    assert all_names(os.path.abspath("one")) == expected


if __name__ == "__main__":
    need("cc", "nm", "objcopy", "objdump", "readelf")
    main(sys.modules[__name__])
