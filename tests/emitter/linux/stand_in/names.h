/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros that the Linux kernel has before the first line of a file, or in headers that it
 * may include before ours, by names that are not reserved. */
#ifndef TESTS_EMITTER_LINUX_STAND_IN_NAMES_H
#define TESTS_EMITTER_LINUX_STAND_IN_NAMES_H

/* Compilers warn of a macro by the name of a keyword. */
#pragma GCC system_header

#define inline                                                                           \
    inline __attribute__((__gnu_inline__, __unused__, __no_instrument_function__))
#define noinline __attribute__((__noinline__))
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define barrier() __asm__ volatile("" : : : "memory")
#define current get_current()
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

/* Nothing keeps a driver from macros by the names of the format's fields. */
#define BLOB_TYPE (!)
#define EVENT_NAME (!)
#define MAPPING_FLAGS (!)
#define MODULE_ID (!)
#define RECORD_TYPE (!)
#define STRING_INDEX (!)

#endif
