/* SPDX-License-Identifier: BSD-2-Clause */
/* Files through a reader to a printer: what fxtdump does once it knows its options. */
#ifndef FXTDUMP_DUMP_H
#define FXTDUMP_DUMP_H

#include "options.h"

/* Prints all records of all files. */
enum dump_status dump_files(const struct dump_options *options, char *const *names,
                            size_t n_names);

#endif
