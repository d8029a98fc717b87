/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel with no headers of the compiler's or of a C library would name in
 * FXT_TYPES_HEADER; see headers.sh. */
#ifndef TESTS_EMITTER_OWN_TYPES_H
#define TESTS_EMITTER_OWN_TYPES_H

#ifndef __cplusplus
typedef _Bool bool;
enum { false = 0, true = 1 };
#endif

typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;

#endif
