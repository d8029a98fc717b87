/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Perf maps, /tmp/perf-PID.map: a line for each function, with its address and size in
 * hex and its name, which may have spaces. Compilers reuse memory without notice: where
 * functions overlap, the last line counts.
 */
#ifndef PROCESSES_PERF_MAP_H
#define PROCESSES_PERF_MAP_H

#include "common/base/io/file.h"
#include "common/processes/code_names.h"

/* Adds the functions that samples are in. */
void perf_map_read(struct file *file, struct sampled_code *code,
                   struct code_names *names);

#endif
