/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of a profile by function, module, source file, line, process, thread or
 * CPU: how much of them ended there (self), and how much had it anywhere in the stack
 * (total), where it counts once however often it is there.
 *
 * An inlined function is a function like any other. Code without a symbol is one function
 * for each module.
 */
#ifndef FXTREPORT_MEASURE_H
#define FXTREPORT_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

#include "common/base/string_table.h"
#include "common/base/table.h"
#include "weights.h"

enum measure_by {
    BY_FUNCTION,
    BY_MODULE,
    BY_SOURCE,
    BY_LINE,
    BY_PROCESS,
    BY_THREAD,
    BY_CPU
};

/* One of them. Its strings are the profile's. */
struct measure_row {
    /* Of a function, a process or a thread; empty where it is not known. */
    struct fxt_string name;
    /* The path of the module. */
    struct fxt_string module;
    /* The source file, and a line: of a function the one at which it begins. */
    struct fxt_string file;
    uint32_t line;
    /* Of a process, a thread or a CPU; and of a thread, its process. */
    uint64_t number;
    uint64_t process;
    struct fxt_string process_name;
    /* Of a process or a thread, the number of its boot; 0 is the first. */
    uint32_t boot;
    /* Code without a symbol. */
    bool is_unnamed;
    /* It is inlined wherever it is. */
    bool is_inlined;
    /* It is in the kernel's half of the addresses. */
    bool is_kernel;

    struct weight self;
    struct weight total;
};

struct measure {
    enum measure_by by;
    struct measure_row *rows;
    size_t n;
    size_t capacity;
    /* All samples. */
    struct weight all;

    /* For functions and places in code: by the numbers of the profile's lines, the rows'
     * numbers; and the lines of each location. */
    uint32_t *line_rows;
    struct measure_span *locations;
};

/* The lines of a location: the innermost first. */
struct measure_span {
    uint32_t first;
    uint32_t n;
};

/* `keeps_addresses`: code without a symbol is a function for each address. */
void measure_make(struct measure *measure, const struct weights *weights,
                  enum measure_by by, bool keeps_addresses);

/* The same for a comparison with another recording: code is of one row if its modules
 * have the same name, wherever they were. */
void measure_make_comparable(struct measure *measure, const struct weights *weights,
                             enum measure_by by, bool keeps_addresses);

/* Whether a sample has it: there may be rows for code that none has. */
static inline bool measure_is_seen(const struct measure_row *row)
{
    return row->total.value != 0 || row->total.n != 0;
}

/* Sorts the rows by their weight, self or total, the largest first, and drops those that
 * no sample has. line_rows is then not valid any more. */
void measure_sort(struct measure *measure, bool by_total);

/* The order of rows of equal weights: by their names. */
int measure_order(const struct measure_row *a, const struct measure_row *b);

/* The functions of a measure's stack, the innermost first, into `rows`, which has room
 * for measure_depth of them. Returns their number. */
size_t measure_depth(const struct measure *measure,
                     const struct fxt_profile_stack *stack);
size_t measure_stack(const struct measure *measure, const struct fxt_profile_stack *stack,
                     uint32_t *rows);

/* The row's module as people know it: the last part of its path; [kernel], or "-" where
 * it is not known. */
struct string measure_module(const struct measure_row *row);

#endif
