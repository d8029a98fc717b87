/* SPDX-License-Identifier: BSD-2-Clause */
/* What the book knows as records of an archive. */
#ifndef COMMON_PROCESS_RECORDS_H
#define COMMON_PROCESS_RECORDS_H

#include <stdint.h>

#include <fxt/writer.h>

#include "process_table.h"

/* The same moment by two clocks. */
struct process_table_moment {
    uint64_t monotonic_ns;
    uint64_t wall_ns;
};

/* From here on, what is written is this provider's, whose clock is the monotonic one. */
void process_table_write_provider(struct fxt_writer *writer, uint32_t id,
                                  const char *name, struct process_table_moment moment);

/* The processes and threads that were sampled. */
void process_table_write_objects(struct fxt_writer *writer,
                                 const struct process_table *book);

/* The modules of a process as they are written, each with the next number. */
struct process_table_modules {
    struct fxt_writer *writer;
    pid_t process;
    uint64_t time_ns;
    uint32_t id;
};

struct process_table_placed {
    uint64_t start;
    uint64_t length;
    uint64_t vaddr;
    uint32_t flags;
};

/* All that a process has mapped, with its modules. */
void process_table_write_mappings(struct process_table_modules *modules,
                                  const struct process_table *book,
                                  const struct process_table_entry *process);

/* A module, and a mapping of the last one. */
void process_table_write_module(struct process_table_modules *modules,
                                const struct image *image);
void process_table_write_mapping(const struct process_table_modules *modules,
                                 struct process_table_placed placed);

#endif
