/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwind tables of the files that sampled processes have mapped: each is made when a
 * stack first needs it. All functions need a memory_run.
 */
#ifndef LIBFXTSAMPLER_PERF_TABLES_H
#define LIBFXTSAMPLER_PERF_TABLES_H

#include <sys/stat.h>

#include "common/unwind/unwind_walk.h"
#include "common/processes/mapped_files.h"

/* The id of a module whose code is in no file. */
#define PERF_NO_FILE UINT32_MAX

/* A page of a file's code. */
struct perf_code_page {
    uint32_t file;
    uint64_t offset;
    bool is_read;
    unsigned char bytes[4096];
};

enum { PERF_CODE_PAGES = 32 };

struct perf_table {
    /* perf_tables_build has been called, with the file open. */
    bool is_built;
    /* unwind_module_flag. */
    uint32_t flags;
    /* NULL if the file has none, or cannot be read. */
    const struct unwind_table *table;
    /* By which it is recognised if it has another name, too. */
    struct stat identity;
};

/* All zero is none. */
struct perf_tables {
    struct mapped_files files;
    /* As many as there are files. */
    struct perf_table *all;
    size_t n;
    size_t capacity;
    struct perf_code_page pages[PERF_CODE_PAGES];
};

/* The number of the file that a mapping is of; if it cannot be opened, of the same file
 * under another name. */
uint32_t perf_tables_add(struct perf_tables *tables, const struct file_mapping *mapping);

/* Whether making the table takes so long that rings may fill up. */
bool perf_tables_is_large(const struct perf_tables *tables, uint32_t file);

/* Makes a file's table, if it has none yet and is open. */
void perf_tables_build(struct perf_tables *tables, uint32_t file);

/* Reads code at an address of the file. */
bool perf_tables_read_code(struct perf_tables *tables, uint32_t file, uint64_t address,
                           unsigned char *bytes, size_t n);

#endif
