#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recordings of stripped programs have the functions that the programs' symbols have.

    test_function_truth.py TOOLS_DIR FXTRECORD

Programs in several languages are recorded without symbols, and 99.5 % of the samples must be in
the function whose symbol has the address. Each function is one row of a report, and each row
is one function. bench/function_truth.py does the same with Debian's programs."""
import os
import subprocess
import sys

import function_truth
import fxtwrite
from profile_cases import FXT2FOLDED, FXT2PPROF, FXTREPORT, main, run, write

RECORDER = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
LEAST = 0.995
# Compilers may be set up there.
HOME = os.environ.get("HOME", "/")

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20000
struct pair { unsigned key, value; };
static int order(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}
static __attribute__((cold, noinline)) void complain(unsigned a, unsigned b) { fprintf(stderr, "%u %u", a, b); }
__attribute__((noinline)) unsigned mix(unsigned x) { for (int i = 0; i < 20; i++) x = x * 2654435761u ^ x >> 15; return x; }
__attribute__((noinline)) unsigned sum(const struct pair *pairs, unsigned n)
{
    unsigned all = 0;
    for (unsigned i = 0; i < n; i++) {
        if (pairs[i].key == 77777777) {
            complain(pairs[i].key, all);
            complain(n, all);
        }
        all += mix(pairs[i].value) ^ pairs[i].key;
    }
    return all;
}
static void fill(struct pair *pairs, unsigned seed)
{
    for (unsigned i = 0; i < N; i++)
        pairs[i] = (struct pair){mix(seed + i), i};
}
int main(void)
{
    struct pair *pairs = malloc(N * sizeof(*pairs));
    unsigned all = 0;
    for (unsigned i = 0; i < 100; i++) {
        fill(pairs, i);
        qsort(pairs, N, sizeof(*pairs), order);
        all += sum(pairs, N);
    }
    printf("%u\n", all);
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
    double area() const override { double x = a; for (int i = 0; i < 30; i++) x = x * x / a; return x; }
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
    for (int i = 0; i < 300000; i++) {
        try {
            square s(i % 100 == 0 ? -1 : i + 1);
            all[std::to_string(i % 300)].push_back(s.area());
        } catch (const std::exception &e) {
            all[e.what()].push_back(i);
        }
    }
    double total = 0;
    for (auto &entry : all) {
        std::sort(entry.second.begin(), entry.second.end(), [](double a, double b) { return a > b; });
        total += sum(entry.second);
    }
    std::cout << total << "\n";
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
    let mut words: Vec<String> = (0..200000).map(|i| format!("{}", i * 7919 % 3001)).collect();
    let mut n = 0;
    for _ in 0..5 { n += count(&words).len(); words.sort_by(|a, b| b.cmp(a)); words.reverse(); }
    println!("{}", n);
}
"""

GO = """package main

import "fmt"

type tree struct{ left, right *tree }

func grow(n int) *tree {
	if n == 0 {
		return nil
	}
	return &tree{grow(n - 1), grow(n - 1)}
}

func (t *tree) size() int {
	if t == nil {
		return 0
	}
	return 1 + t.left.size() + t.right.size()
}

func main() {
	n := 0
	for i := 0; i < 12; i++ {
		n += grow(18).size()
	}
	fmt.Println(n)
}
"""

# Without unwind tables: only calls tell where the functions begin.
ASSEMBLY = r"""
    .globl _start
    .type _start, @function
_start:
    mov $6000, %ebx
1:  mov $20000, %edi
    call spin
    call twice
    dec %ebx
    jne 1b
    xor %edi, %edi
    mov $60, %eax
    syscall
    .size _start, .-_start
    .type spin, @function
spin:
    test %edi, %edi
    jne 1f
    ret
1:  dec %edi
    jne 1b
    ret
    .size spin, .-spin
    .p2align 4
    .type mix, @function
mix:
    mov $30000, %ecx
1:  imul $77, %eax, %eax
    xor %ecx, %eax
    dec %ecx
    jne 1b
    ret
    .size mix, .-mix
    .type twice, @function
twice:
    call mix
    call mix
    ret
    .size twice, .-twice
    .section .note.GNU-stack,"",@progbits
"""

# What it is called, its source, and how it is built.
PROGRAMS = [
    ("c", "program.c", C, ["gcc", "-O2", "-o", "program", "program.c"]),
    ("c-by-clang", "program.c", C, ["clang", "-O2", "-o", "program", "program.c"]),
    ("c-static-pie", "program.c", C, ["gcc", "-O2", "-static-pie", "-o", "program", "program.c"]),
    ("assembly", "program.s", ASSEMBLY, ["gcc", "-nostdlib", "-static", "-Wl,--build-id", "-o",
                                         "program", "program.s"]),
    ("c++", "program.cpp", CPP, ["g++", "-O2", "-static-libstdc++", "-Wl,--build-id", "-o",
                                 "program", "program.cpp"]),
    ("rust", "program.rs", RUST, ["rustc", "-O", "-C", "debuginfo=0", "-C",
                                  "link-arg=-Wl,--build-id", "-o", "program", "program.rs"]),
    ("go", "program.go", GO, ["go", "build", "-ldflags=-B 0x0123456789abcdef", "-o", "program",
                              "program.go"]),
]


def build(source, text, command):
    """Returns whether there is such a compiler."""
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    environment = {**os.environ, "HOME": HOME, "CGO_ENABLED": "0", "GOFLAGS": "", "GO111MODULE": "off",
                   "GOCACHE": os.path.abspath("cache")}
    try:
        return subprocess.run(command, check=False, capture_output=True,
                              env=environment).returncode == 0
    except FileNotFoundError:
        return False


def check(what, truth):
    result = function_truth.compare(FXT2PPROF, "t.fxt", [truth])[truth.path]
    share = result.right / result.samples
    print(f"{what}: {result.samples} samples, {100 * share:.2f} % in their functions; "
          f"{len(result.functions)} functions")
    assert result.samples > 50, result.samples
    assert share >= LEAST, result.wrong.most_common(20)
    assert not result.unmatched(), result.unmatched()
    # A report has as many rows with symbols as without, and the same values in them.
    # Of those with names that is more rows: their own are not always the symbols' names.
    if what == "go":
        return
    module = os.path.basename(truth.path)
    without = function_truth.rows(FXTREPORT, "t.fxt")[module]
    assert len(without) >= len(result.functions)
    assert without == function_truth.rows(FXTREPORT, "t.fxt", "--debug-dir", "debug")[module]


def test_recordings_of_stripped_programs():
    if not RECORDER:
        return
    for what, source, text, command in PROGRAMS:
        if not build(source, text, command):
            print("left out:", what)
            continue
        truth = function_truth.split("program", "stripped", "debug")
        done = subprocess.run([RECORDER, "-q", "-F", "4000", "-o", "t.fxt", truth.path], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print("left out: nothing can be recorded here:", done.stderr.strip())
            return
        check(what, truth)


def test_a_part_elsewhere_is_the_function_with_symbols_and_without():
    if not build("program.c", C, PROGRAMS[0][3]):
        return
    at = {line.split()[2]: int(line.split()[0], 16) for line in run("nm", "program").splitlines()
          if line.split()[1] in "tT"}
    if "sum.cold" not in at:
        return
    run("strip", "-o", "stripped_program", "program")
    base = 0x555500000000
    trace = fxtwrite.Trace()
    for name in "sum", "sum.cold":
        trace.backtrace(100, 1, 1000, base + at[name])
    write("parts.bin", trace)
    for path, name in ("program", "sum"), ("stripped_program", f"stripped_program+{at['sum']:#x}"):
        stacks = run(FXT2FOLDED, "-q", "--elf", f"{path}@{base:#x}", "parts.bin").splitlines()
        assert len(stacks) == 1 and stacks[0].endswith(f";{name} 2"), stacks


if __name__ == "__main__":
    run("readelf", "--version")
    main(sys.modules[__name__])
