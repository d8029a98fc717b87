/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a program, which runs or is in a core dump. Nothing in it is trusted: a
 * process may change it at any time, or end.
 */
#ifndef FXTTRACE_TARGET_H
#define FXTTRACE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/text.h"
#include "common/base/io/file.h"

/* Memory that the program could write to. */
struct target_part {
    uint64_t address;
    uint64_t size;
    /* Where a core dump has it. */
    uint64_t offset;
};

struct target {
    /* 0 for a core dump. */
    pid_t process;
    /* /proc/PID/mem, which stays that of the process if its id is used again; or -1. */
    int memory;
    struct file *core;
    /* In order; of a process, those that files are mapped to: its variables. */
    struct target_part *parts;
    size_t n_parts;
    size_t part_capacity;
};

/* Opens the memory of a process. Returns false with errno set. */
bool target_open_process(struct target *target, pid_t process, bool for_writing);

/* Opens a core dump of a program for this machine. Returns false and adds the reason to
 * `why`. */
bool target_open_core(struct target *target, const char *name, struct text *why);

/* Reads or writes all of it. Returns false if there is no such memory, or no process any
 * more; core dumps are not written. */
bool target_read(const struct target *target, uint64_t address, void *to, size_t size);
bool target_write(const struct target *target, uint64_t address, const void *from,
                  size_t size);

void target_close(struct target *target);

#endif
