/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libfxtemit: all functions of the freestanding headers, as functions that a linker
 * finds, for languages that cannot include a C header. Each header is the definition;
 * this file only changes what FXT_INLINE means in it.
 *
 * Like the headers it needs no library but memcpy. A kernel compiles it for its machine
 * with one command,
 *
 *     clang --target=riscv64-none-elf -march=rv64imac -mcmodel=medany -ffreestanding \
 *         -fno-short-enums -std=c11 -O2 -I include -c libfxt/emit.c -o emit.o
 *
 * and bindgen, given this file, makes declarations of all types and functions.
 */
#if defined(__GNUC__)
/* Headers are to be included: there are no other declarations. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#endif

#ifndef FXT_FUNCTION_ATTRIBUTES
#define FXT_FUNCTION_ATTRIBUTES
#endif
#define FXT_INLINE extern FXT_FUNCTION_ATTRIBUTES
#define FXT_OUT_OF_LINE extern __attribute__((__noinline__)) FXT_FUNCTION_ATTRIBUTES

#include <fxt/arg.h>
#include <fxt/emit.h>
#include <fxt/emit_records.h>
#include <fxt/gate.h>
#include <fxt/ring.h>
#include <fxt/unwind.h>

/* Other languages declare enumerations as 32 bits. */
_Static_assert(sizeof(enum fxt_unwind_stop) == 4, "compile with -fno-short-enums");
