/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of functions in no file as records of an archive: docs/symbol-records.md. */
#ifndef PROCESSES_SYMBOL_RECORDS_H
#define PROCESSES_SYMBOL_RECORDS_H

#include <stdint.h>

#include <fxt/writer.h>

#include "code_names.h"

/* Writes the names that a source, such as a file, has given to a process's code. The
 * clock is CLOCK_MONOTONIC. */
void symbol_records_write(struct fxt_writer *writer, pid_t process, uint64_t time_ns,
                          const char *source, const struct code_names *names);

#endif
