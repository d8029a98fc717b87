/* SPDX-License-Identifier: BSD-2-Clause */
/* test_load.c compiles libfxt with this in front, so that it sees each load. */
#ifndef TESTS_LIBFXT_LOAD_WATCH_H
#define TESTS_LIBFXT_LOAD_WATCH_H

#include <stdint.h>

uint64_t watch_load(const void *address);

#define LOAD_WORD(address) watch_load(address)

#endif
