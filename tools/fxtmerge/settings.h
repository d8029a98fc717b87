/* SPDX-License-Identifier: BSD-2-Clause */
/* What is merged, and how. */
#ifndef FXTMERGE_SETTINGS_H
#define FXTMERGE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/io/input.h"
#include "common/base/io/output.h"
#include "tools/common/option_table.h"

#define MERGE_DEFAULT_WINDOW_BYTES ((uint64_t)16 << 20)

struct merge_input {
    /* "-" is standard input. */
    const char *name;
    /* What is read and closed, or NULL for what is opened by that name. */
    struct input *opened;
    /* The machine that it is from, or NULL. */
    const char *machine;
    /* What is added to its times, in place of an alignment by wall clocks. */
    bool has_offset;
    int64_t offset_ns;
};

struct merge_options {
    /* Whose messages are printed. */
    const char *program;
    struct merge_input *inputs;
    size_t n_inputs;
    /* NULL for standard output. */
    const char *output;
    /* What is written and closed, or NULL for what is opened by that name. */
    struct output *opened;
    /* The memory for records that are out of order, of all inputs together. */
    uint64_t window_bytes;
    /* It was asked for: inputs are read ahead so far from the start, in order or not. */
    bool has_window;
    /* Records that are further apart are not reported. */
    bool allows_disorder;
    bool one_table;
    bool quiet;
    bool verbose;
    /* What is given about inputs, until these are known: FILE=NAME and FILE=TIME. */
    struct value_list machines;
    struct value_list offsets;
};

#endif
