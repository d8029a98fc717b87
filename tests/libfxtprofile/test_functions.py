# SPDX-License-Identifier: BSD-2-Clause
"""Functions of stripped files against the symbols that the files had before.

    test_functions.py PRINT_FUNCTIONS

Programs in several languages and for several machines are built, and stripped copies of
them are asked in which function addresses are: that must be the one whose symbol has the
address, for 99.5 % of the code of functions. The same for the C library of this machine,
if its debug symbols are installed.
"""

import collections
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PRINT_FUNCTIONS = sys.argv.pop(1)
LEAST = 0.995

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { int key; int value; };
static int order(const void *a, const void *b)
{
    return ((const struct pair *)a)->key - ((const struct pair *)b)->key;
}
static __attribute__((cold, noinline)) void complain(int value, int other)
{
    fprintf(stderr, "%d %d\n", value, other);
}
/* The branch that calls it is a part elsewhere, .cold. */
__attribute__((noinline)) int careful(int *values, int n)
{
    int buffer[64];
    int sum = 0;
    memset(buffer, n, sizeof(buffer));
    for (int i = 0; i < n; i++) {
        if (values[i] == 1234567) {
            complain(values[i], buffer[i % 64]);
            complain(n, sum);
            sum = values[0] / (sum | 1);
        }
        sum += values[i] ^ buffer[i % 64];
    }
    return sum;
}
static __attribute__((constructor)) void early(void) { setvbuf(stdout, NULL, _IOFBF, 64); }
int main(int argc, char **argv)
{
    struct pair pairs[100];
    int values[100];
    for (int i = 0; i < 100; i++) {
        pairs[i].key = (i * 7919) % 101;
        values[i] = pairs[i].key;
    }
    qsort(pairs, 100, sizeof(pairs[0]), order);
    printf("%d %d %s\n", careful(values, 100), argc, argv[0]);
    return 0;
}
"""

CPP = r"""
#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct shape { virtual ~shape() {} virtual double area() const = 0; };
struct square : shape {
    double a;
    explicit square(double side) : a(side) { if (side < 0) throw std::runtime_error("side"); }
    double area() const override { return a * a; }
};
template <class T> __attribute__((noinline)) T sum(const std::vector<T> &v)
{
    T all = T();
    for (const T &item : v)
        all = all + item;
    return all;
}
int main()
{
    std::map<std::string, std::vector<double>> all;
    for (int i = -2; i < 20; i++) {
        try {
            square s(i);
            all[std::to_string(i % 3)].push_back(s.area());
        } catch (const std::exception &e) {
            std::cerr << e.what() << "\n";
        }
    }
    for (auto &entry : all) {
        std::sort(entry.second.begin(), entry.second.end(), [](double a, double b) { return a > b; });
        std::cout << entry.first << sum(entry.second) << "\n";
    }
}
"""

RUST = r"""
use std::collections::HashMap;
#[inline(never)]
fn count(words: &[String]) -> HashMap<&str, usize> {
    let mut all = HashMap::new();
    for word in words { *all.entry(word.as_str()).or_insert(0) += 1; }
    all
}
fn main() {
    let words: Vec<String> = std::env::args().collect();
    println!("{:?}", count(&words));
}
"""

GO = """package main

import "fmt"

type tree struct{ left, right *tree }

func (t *tree) size() int {
	if t == nil {
		return 0
	}
	return 1 + t.left.size() + t.right.size()
}

func main() {
	t := &tree{&tree{}, nil}
	fmt.Println(t.size())
}
"""

# Compiled without tables: only arrays and relocations know where these begin.
BARE = r"""
#include <stdio.h>
static int count;
static __attribute__((constructor)) void early(void) { count++; }
static __attribute__((destructor)) void late(void) { count--; }
static int one(int x) { return x + count; }
static __attribute__((used)) int (*choose(void))(int) { return count ? one : one; }
__attribute__((visibility("hidden"))) int chosen(int x) __attribute__((ifunc("choose")));
int main(int argc, char **argv) { (void)argv; return chosen(argc); }
"""

# The first function is main, which jumps to another and takes the address of one. Of the others
# one is called by the next, one by nothing, so that it is a part of the one before, one by main
# and has constants before it, and in data there are the address of one and a table of labels in
# it, as interpreters have them.
ASSEMBLY = r"""
    .text
    .globl main
    .type main, @function
main:
    .cfi_startproc
    xor %eax, %eax
    lea pointed(%rip), %rdx
    call preceded
    jmp.d32 tail
    .cfi_endproc
    .size main, .-main
    .type called, @function
called:
    test %eax, %eax
    je 1f
    ret
1:  ud2
    .size called, .-called
    .type uncalled, @function
uncalled:
    call called
    ret
    .size uncalled, .-uncalled
    .p2align 5
    .type aligned, @function
aligned:
    call called + 1
    call aligned
    ret
    .size aligned, .-aligned
    .type pointed, @function
pointed:
    cltq
    ret
    .size pointed, .-pointed
    .type tail, @function
tail:
    cltq
    ret
    .size tail, .-tail
    .p2align 4
    .quad 0, 0
    .type preceded, @function
preceded:
    cltq
    ret
    .size preceded, .-preceded
    .type tabled, @function
tabled:
    cltq
    jmp *%rax
label:
    cltq
    ret
    .size tabled, .-tabled
    .data
    .quad tabled, 0
    .rept 16
    .quad label
    .endr
    .section .note.GNU-stack,"",@progbits
"""

# A function with a part elsewhere, which begins after a push; and code that makes it long.
HOT = """
    .type hot{0}, @function
hot{0}:
    .cfi_startproc
    push %rbx
    .cfi_def_cfa_offset 16
    test %eax, %eax
    jne.d32 cold{0}
    .skip 100, 0x90
    pop %rbx
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size hot{0}, .-hot{0}
"""
COLD = """
    .type cold{0}, @function
cold{0}:
    .cfi_startproc
    .cfi_def_cfa_offset 16
    mov %eax, %edi
    ud2
    .cfi_endproc
    .size cold{0}, .-cold{0}
"""

# Functions of a kernel without names: by ORC the third begins, which nothing calls, and not the
# next ones, as they are not aligned, are not after padding, or have more on the stack. An entry has an
# address and, in another section, offsets of SP and BP, and what has registers in its lowest bits.
ORC = r"""
    .macro orc sp, flags
97: .pushsection .orc_unwind_ip, "a"
    .long 97b - .
    .popsection
    .pushsection .orc_unwind, "a"
    .short \sp, 0, \flags
    .popsection
    .endm
    .text
    .globl first
first:
    orc 8, 5
    push %rbx
    orc 16, 5
    pop %rbx
    orc 8, 5
    ret
    orc 0, 0
    .p2align 4
    orc 8, 5
second:
    test %eax, %eax
    ret
    orc 0, 0
    .p2align 4
    orc 8, 5
third:
    test %eax, %eax
    ret
    orc 0, 0
    nop
    orc 8, 5
unaligned:
    test %eax, %eax
    ret
    .p2align 4
    orc 8, 5
unpadded:
    test %eax, %eax
    ret
    orc 0, 0
    .p2align 4
    orc 16, 5
part:
    test %eax, %eax
    ret
    .section .note.GNU-stack,"",@progbits
"""

# Three functions without tables, of which others see the second. It calls and takes the addresses
# of two of another file, so that there are two entries of .plt.got right before the first.
EXPORTED = r"""
    .type first, @function
first:
    ret
    .size first, .-first
    .globl seen
    .type seen, @function
seen:
    mov one@GOTPCREL(%rip), %rax
    mov two@GOTPCREL(%rip), %rax
    call one@PLT
    call two@PLT
    ret
    .size seen, .-seen
    .type unseen, @function
unseen:
    ret
    .size unseen, .-unseen
    .section .note.GNU-stack,"",@progbits
"""

# By the prefix of a compiler: a function that calls, one that returns early, one with a loop, and
# what they have between them.
CALLS = {
    "": ("call {0}", "test %eax, %eax; jne 1f; ret; 1: xor %eax, %eax; ret",
         "1: dec %eax; jne 1b; ret", "ret", ".p2align 4"),
    "aarch64-linux-gnu-": ("bl {0}", "cbz x0, 1f; ret; 1: mov x0, 1; ret",
                           "1: subs x0, x0, 1; b.ne 1b; ret", "ret", ".p2align 4"),
    "riscv64-linux-gnu-": ("jal {0}; call {0}", "beqz a0, 1f; ret; 1: li a0, 1; ret",
                           "1: addi a0, a0, -1; bnez a0, 1b; ret", "ret", ".p2align 2"),
}
# By the prefix of a compiler: instructions after which a function goes on, and such that it ends
# with, each in a function without a table.
CODE = {
    "": ("call other; je other; call *%rax; nop",
         ("ret", "jmp other", "jmp 1f; 1:", "jmp *%rax", "jmp *(%rcx)", "ud2")),
    "aarch64-linux-gnu-": ("bl other; b.eq .; cbz x0, .; blr x1; nop",
                           ("ret", "b other", "br x16", "brk #1")),
    "riscv64-linux-gnu-": ("call other; beqz a0, .; jalr ra, 4(a5); jalr a5; addi x0, x0, 0; nop",
                           ("ret", "j other", "jr 4(a5)", "jr a5", "tail other", "ebreak",
                            ".option norvc; ret; .option rvc",
                            ".option norvc; j other; .option rvc")),
}
FUNCTION = """
    .type f{0}, @function
f{0}:
    {1}
    {2}
    .size f{0}, .-f{0}
    .type after{0}, @function
after{0}:
    nop; nop; nop; nop
    .size after{0}, .-after{0}
    .pushsection .init_array,"aw"
    .quad f{0}
    .popsection
"""


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options).stdout.decode()


def symbols(path):
    """Of functions with code and a size: starts, limits, and all names."""
    found = {}
    for line in run("readelf", "-sW", path, env={**os.environ, "LC_ALL": "C"}).splitlines():
        cells = line.split()
        if len(cells) < 8 or cells[3] not in ("FUNC", "IFUNC") or not cells[6].isdigit():
            continue
        start, size = int(cells[1], 16), int(cells[2], 0)
        if size > 0:
            limit, names = found.get(start, (0, set()))
            found[start] = (max(limit, start + size), names | {cells[7].split("@")[0]})
    return found


def ask_counted(path, addresses):
    """Also of how many functions the file's tables were read."""
    text = "".join(f"{address:x}\n" for address in addresses)
    *lines, count = run(PRINT_FUNCTIONS, path, input=text.encode()).splitlines()
    assert len(lines) == len(addresses)
    return [None if line == "none" else
            (int(line.split(" ", 1)[0], 16), line.split(" ", 1)[1])
            for line in lines], int(count)


def ask(path, addresses):
    return ask_counted(path, addresses)[0]


def starts_of(start, names, by_name):
    """Where the function may begin that a symbol names: itself, or for a part the whole. Local
    functions can have one name."""
    wholes = (re.sub(r"\.cold(\.\d+)?$", "", name) for name in names if ".cold" in name)
    return {start}.union(*(by_name[whole] for whole in wholes))


def starts(path):
    """Where symbols of code begin, with a size or without, by name."""
    return {line.split()[2]: int(line.split()[0], 16) for line in run("nm", path).splitlines()
            if line.split()[1] in "tTiW"}


def drop_section_headers(path):
    """As some packers and sstrip do."""
    with open(path, "r+b") as file:
        file.seek(0x28)
        file.write(bytes(8))
        file.seek(0x3a)
        file.write(bytes(6))


def enlarge_code(path):
    """Makes the segment with code larger in memory than any file."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        first, = struct.unpack_from("<Q", data, 0x20)
        count, = struct.unpack_from("<H", data, 0x38)
        for at in range(first, first + 56 * count, 56):
            if struct.unpack_from("<II", data, at) == (1, 5):
                struct.pack_into("<Q", data, at + 40, 1 << 62)
        file.seek(0)
        file.write(data)


class Functions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def need(self, *commands):
        for command in commands:
            if not shutil.which(command):
                self.skipTest(f"there is no {command}")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def build(self, source, text, compiler, *options):
        self.need(compiler)
        path = os.path.join(self.folder, "program")
        run(compiler, "-o", path, *options, self.write(source, text))
        return path

    def compare(self, full, stripped, machine_strip=None):
        """Returns what is found at the start of each symbol, by name."""
        if machine_strip:
            self.need(machine_strip)
            run(machine_strip, "-o", stripped, full)
            self.assertNotIn(".symtab", run("readelf", "-SW", stripped))
        wanted = symbols(full)
        by_name = collections.defaultdict(set)
        asked = []
        for start, (_, names) in wanted.items():
            for name in names:
                by_name[name].add(start)
        for start, (limit, names) in sorted(wanted.items()):
            for address in sorted({start, start + (limit - start) // 2, limit - 1}):
                asked.append((address, start, limit - start, names))
        found = ask(stripped, [row[0] for row in asked])
        all_bytes = right = 0
        at_start = {}
        wrong = []
        for (address, start, size, names), got in zip(asked, found):
            starts = starts_of(start, names, by_name)
            all_bytes += size
            if got and got[0] in starts:
                right += size
            else:
                wrong.append((hex(address), sorted(names), got))
            if address == start:
                at_start.update((name, got) for name in names)
        self.assertGreater(len(wanted), 2)
        self.assertGreaterEqual(right / all_bytes, LEAST, wrong[:20])
        return at_start

    def try_machine(self, prefix, *options):
        full = self.build("program.c", C, prefix + "gcc", "-O2", *options)
        return self.compare(full, full + ".stripped", prefix + "strip")

    def find_main(self, prefix, *options):
        full = self.build("program.c", C, prefix + "gcc", "-O2", *options)
        main = starts(full)["main"]
        self.need(prefix + "strip")
        run(prefix + "strip", full)
        self.assertEqual(ask(full, [main + 2]), [(main, "main")], options)

    def test_c_with_parts_elsewhere(self):
        found = self.try_machine("")
        self.assertEqual(found["main"][1], "main")
        self.assertEqual(found["_start"][1], "_start")
        self.assertIn("careful.cold", found)
        self.assertEqual(found["careful.cold"][0], found["careful"][0])
        full = os.path.join(self.folder, "program")
        self.assertEqual(ask(full + ".stripped", [starts(full)["careful.cold"]]),
                         [found["careful"]])
        self.assertEqual(found["careful"][1], "-")

    def test_at_a_fixed_address(self):
        self.assertEqual(self.try_machine("", "-no-pie")["main"][1], "main")

    def test_static(self):
        self.try_machine("", "-static")

    def test_static_pie(self):
        self.try_machine("", "-static-pie")

    def test_by_clang(self):
        self.need("clang")
        full = self.build("program.c", C, "clang", "-O2")
        self.compare(full, full + ".stripped", "strip")

    def test_aarch64(self):
        found = self.try_machine("aarch64-linux-gnu-", "-static",
                                 "-freorder-blocks-and-partition")
        self.assertEqual(found["careful.cold"][0], found["careful"][0])
        self.assertEqual(found["main"][1], "main")
        for options in ["-static-pie"], ["-no-pie"], ["-pie", "-fPIE"]:
            self.find_main("aarch64-linux-gnu-", *options)

    def test_riscv64(self):
        # Its compiler makes tables only when asked.
        for options in ["-pie", "-fPIE"], ["-no-pie"]:
            found = self.try_machine("riscv64-linux-gnu-", "-fasynchronous-unwind-tables",
                                     *options)
            self.assertEqual(found["main"][1], "main", options)

    def test_cpp_with_exceptions(self):
        full = self.build("program.cpp", CPP, "g++", "-O2")
        self.compare(full, full + ".stripped", "strip")

    def test_rust(self):
        full = self.build("program.rs", RUST, "rustc", "-O", "-C", "debuginfo=0")
        self.compare(full, full + ".stripped", "strip")

    def test_go_has_names(self):
        self.need("go")
        full = os.path.join(self.folder, "program")
        run("go", "build", "-o", full, self.write("main.go", GO), cwd=self.folder,
            env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "", "GO111MODULE": "off",
                 "GOCACHE": os.path.join(self.folder, "cache")})
        found = self.compare(full, full + ".stripped", "strip")
        self.assertEqual(found["main.(*tree).size"][1], "main.(*tree).size")

    def test_what_runs_before_and_after_main(self):
        full = self.build("program.c", BARE, "gcc", "-O2", "-fno-asynchronous-unwind-tables")
        at = starts(full)
        run("strip", full)
        names = ["early", "late", "choose", "main", "_init", "frame_dummy",
                 "__do_global_dtors_aux"]
        for has_sections in True, False:
            if not has_sections:
                drop_section_headers(full)
                # Relocations are found by their sections.
                names.remove("choose")
            found = ask(full, [at[name] + 3 for name in names])
            self.assertEqual([got and got[0] for got in found], [at[name] for name in names])
            self.assertEqual([name for _, name in found if name != "-"], ["main", "_init"])

    def test_assembly_without_tables_is_functions_that_are_called(self):
        full = self.build("program.s", ASSEMBLY, "gcc", "-x", "assembler")
        at = starts(full)
        run("strip", full)
        names = ["main", "called", "uncalled", "aligned", "pointed", "tail", "preceded",
                 "tabled", "label"]
        for has_sections in True, False:
            if not has_sections:
                drop_section_headers(full)
            found = ask(full, [at[name] + 2 for name in names])
            # Data is found by its sections.
            last = at["tabled" if has_sections else "preceded"]
            self.assertEqual(found, [(at["main"], "main"), (at["called"], "-"),
                                     (at["called"], "-"), (at["aligned"], "-"),
                                     (at["pointed"], "-"), (at["tail"], "-"),
                                     (at["preceded"], "-"), (last, "-"), (last, "-")])
            self.assertEqual([ask(full, [at[name] + 2])[0] for name in names], found)

    def test_a_kernel_without_names(self):
        full = self.build("orc.s", ORC, "gcc", "-nostdlib", "-static", "-Wl,-e,first")
        at = starts(full)
        run("strip", full)
        names = ["third", "unaligned", "unpadded", "part"]
        self.assertEqual(ask(full, [at["first"], at["second"]] + [at[name] + 1 for name in names]),
                         [(at["first"], "_start"), (at["second"], "-")] +
                         4 * [(at["third"], "-")])

    def test_one_part_of_many_in_large_code(self):
        parts = range(3000)
        for order in parts, reversed(parts), [i ^ 1365 for i in range(2048)]:
            order = list(order)
            text = ("\n".join(HOT.format(i) for i in order) +
                    '\n.section .text.unlikely,"ax",@progbits\n' +
                    "\n".join(COLD.format(i) for i in sorted(order)))
            full = self.build("parts.s", text, "gcc", "-nostdlib", "-shared")
            at = starts(full)
            run("strip", full)
            for some in *([i] for i in order[::500] + order[-2:]), [1, 700, 1500, 2047]:
                found, count = ask_counted(full, [at[f"cold{i}"] for i in some])
                self.assertEqual(found, [(at[f"hot{i}"], "-") for i in some])
                # Each part and function, and what follows these.
                self.assertLessEqual(count, 4 * len(some))

    def test_code_ends_with_the_file(self):
        text = ("\n".join(HOT.format(i) for i in range(3000)) +
                '\n.section .text.unlikely,"ax",@progbits\n' +
                "\n".join(COLD.format(i) for i in range(3000)))
        full = self.build("parts.s", text, "gcc", "-nostdlib", "-shared")
        at = starts(full)
        run("strip", full)
        enlarge_code(full)
        self.assertEqual(ask(full, [at["cold1234"]]), [(at["hot1234"], "-")])
        self.assertEqual(ask(full, [at["hot1234"] + 1]), [(at["hot1234"], "-")])

    def test_symbols_end_functions_without_tables(self):
        full = self.build("exported.s", EXPORTED, "gcc", "-nostdlib", "-shared")
        at = starts(full)
        run("strip", full)
        found = ask(full, [at["first"] - 1, at["first"], at["seen"], at["unseen"]])
        self.assertIn(found[0][1], ["one@plt", "two@plt"])
        self.assertEqual(found[1:], [(at["first"], "-"), (at["seen"], "seen"),
                                     (at["unseen"], "-")])

    def test_calls_between_functions_without_tables(self):
        for prefix, (call, early, loop, ret, padding) in CALLS.items():
            if not shutil.which(prefix + "gcc"):
                continue
            bodies = {"_start": "; ".join([call.format("early"), call.format("loop"),
                                           call.format("far"), ret]),
                      "early": early, "loop": call.format("early") + "; " + loop, "far": loop}
            text = ".globl _start\n" + "".join(
                f".type {name}, @function\n{name}: {body}\n.size {name}, .-{name}\n{padding}\n"
                for name, body in bodies.items())
            full = self.build("calls.s", text, prefix + "gcc", "-nostdlib", "-static")
            self.assertEqual(self.compare(full, full + ".stripped", prefix + "strip")["far"][0],
                             starts(full)["far"], prefix)

    def test_without_tables_functions_reach_to_where_they_go_elsewhere(self):
        for prefix, (middle, lasts) in CODE.items():
            text = "\n.hidden other\nother: nop; nop\n" + "".join(
                FUNCTION.format(i, middle, last) for i, last in enumerate(lasts))
            if not shutil.which(prefix + "gcc"):
                continue
            full = self.build("code.s", text, prefix + "gcc", "-nostdlib", "-shared")
            at = symbols(full)
            run(prefix + "strip", full)
            for start, (limit, names) in at.items():
                found = ask(full, range(start, limit))
                wanted = (start, "-") if min(names).startswith("f") else None
                self.assertEqual(set(found), {wanted}, (prefix, names))

    def test_the_c_library(self):
        for path in glob.glob("/lib/*-linux-gnu/libc.so.6"):
            notes = run("readelf", "-n", path)
            build_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
            debug = f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
            if os.path.exists(debug):
                self.compare(debug, path)
                return
        self.skipTest("there are no debug symbols of the C library")


if __name__ == "__main__":
    unittest.main()
