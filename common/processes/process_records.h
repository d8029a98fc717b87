/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of a process table as records of an archive. */
#ifndef PROCESSES_PROCESS_RECORDS_H
#define PROCESSES_PROCESS_RECORDS_H

#include <stdint.h>

#include <fxt/writer.h>

#include "process_table.h"

/* What two clocks show at the same time. */
struct clock_readings {
    uint64_t monotonic_ns;
    uint64_t wall_ns;
};

/* Begins what a provider has written, whose clock is CLOCK_MONOTONIC. */
void process_records_provider(struct fxt_writer *writer, uint32_t id, const char *name,
                              struct clock_readings readings);

/* Writes the names of the processes and threads that were sampled, as far as the archive
 * does not have them yet. */
void process_records_names(struct fxt_writer *writer, struct process_table *table);

/* Writes the modules of a process, each with the next id. */
struct module_writer {
    struct fxt_writer *writer;
    pid_t process;
    uint64_t time_ns;
    uint32_t last_id;
};

struct module_mapping {
    uint64_t start;
    uint64_t length;
    uint64_t vaddr;
    uint32_t flags;
    /* Since when; 0 for the module writer's time. */
    uint64_t since_ns;
};

/* Writes all that a process has mapped, with its modules, as far as the archive does not
 * have it yet. */
void process_records_mappings(struct module_writer *modules,
                              const struct process_table *table,
                              struct process_entry *process);

/* Write a module, and a mapping of the last one. */
void process_records_module(struct module_writer *modules,
                            const struct mapped_file *file);
void process_records_mapping(const struct module_writer *modules,
                             struct module_mapping mapping);

#endif
