/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for the Linux kernel's header of that name: the types that it has, and no
 * macros, under -nostdinc. 64 bits are long long there on all machines. */
#ifndef TESTS_EMITTER_LINUX_STAND_IN_LINUX_TYPES_H
#define TESTS_EMITTER_LINUX_STAND_IN_LINUX_TYPES_H

typedef _Bool bool;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned long uintptr_t;

#endif
