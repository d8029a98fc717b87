/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of functions that are in no file, of those only that some sample is in: a JIT
 * compiler names far more.
 */
#ifndef PROCESSES_CODE_NAMES_H
#define PROCESSES_CODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>
#include <fxt/writer.h>

#include "common/base/string_table.h"
#include "common/base/table.h"

/* The PCs in a process's samples. All zero is none. */
struct sampled_code {
    uint64_t *pcs;
    size_t n;
    size_t capacity;
    struct table table;
    /* In a sorted copy: those in a function whose name has its time. */
    bool *is_named;
};

void sampled_code_add(struct sampled_code *code, struct fxt_words pcs);
void sampled_code_add_pc(struct sampled_code *code, uint64_t pc);

/* Copies the PCs, sorted, for code_names_add; no more can be added to the copy. */
struct sampled_code sampled_code_sort(const struct sampled_code *code);
void sampled_code_free(struct sampled_code *code);

/* From `time_ns` on, by CLOCK_MONOTONIC, or always if that is 0. */
struct code_name {
    uint64_t start;
    uint64_t size;
    uint64_t time_ns;
    uint32_t name;
    /* What tells it from others of its name, if `has_home`. */
    uint32_t home;
    bool has_home;
};

/* All zero is none. */
struct code_names {
    /* Of those at an address the last one of the same or an earlier time counts. */
    struct code_name *all;
    size_t n;
    size_t capacity;
    struct string_table names;
    /* Lines or records that could not be understood. */
    uint64_t n_malformed;
};

/* Adds a function if a sample is in it. One without a time is of no use where another one
 * with a time is known. */
void code_names_add(struct code_names *names, struct sampled_code *code,
                    struct code_name function, struct string name);

void code_names_free(struct code_names *names);

/* Writes the names that a source, such as a file, has given to a process's code, as
 * records (docs/symbol-records.md). The clock is CLOCK_MONOTONIC. */
void symbol_records_write(struct fxt_writer *writer, pid_t process, uint64_t time_ns,
                          const char *source, const struct code_names *names);

#endif
