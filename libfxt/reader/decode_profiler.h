/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiler records: modules, mappings and backtraces. For decode.c. */
#ifndef LIBFXT_READER_DECODE_PROFILER_H
#define LIBFXT_READER_DECODE_PROFILER_H

#include "decoder.h"

void decode_profiler(struct decoder *d, uint64_t header);

#endif
