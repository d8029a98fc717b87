/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that a JIT compiler writes for perf, jit-PID.dump: records of functions that were
 * compiled and moved, with the times of CLOCK_MONOTONIC, in the byte order of the writer.
 * Linux describes them in tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef PROCESSES_JITDUMP_H
#define PROCESSES_JITDUMP_H

#include <stdbool.h>

#include "common/base/io/file.h"
#include "common/processes/code_names.h"

/* Whether a file's name is that of such a file. */
bool jitdump_is_name(struct string path);

/* Adds the functions that samples are in. Where the times are of another clock, none has
 * a time. */
void jitdump_read(struct file *file, struct sampled_code *code, struct code_names *names);

#endif
