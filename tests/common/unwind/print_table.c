/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints unwind tables for test_readelf.py: a line for each row, with the address and how
 * the CFA, the frame pointer and the return address are found.
 *
 *     print_table FILE
 *     print_table -t FILE...    only sizes, and the time that building took
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/memory.h"
#include "common/unwind/unwind_file.h"
#include "common/unwind/unwind_rule.h"

struct job {
    const char *name;
    bool only_sizes;
    bool failed;
};

static void print_offset(const char *from, int64_t offset)
{
    printf(" %s%+" PRId64, from, offset);
}

static void print_value(const struct unwind_value *value)
{
    char name[8];

    snprintf(name, sizeof(name), "r%u", value->number);
    switch ((enum unwind_value_kind)value->kind) {
    case UNWIND_SAME:
    case UNWIND_UNDEFINED:
        printf(" u");
        return;
    case UNWIND_AT_CFA:
        print_offset("c", value->offset);
        return;
    case UNWIND_IS_CFA:
        print_offset("v", value->offset);
        return;
    case UNWIND_REGISTER:
        print_offset(name, value->offset);
        return;
    case UNWIND_AT_EXPRESSION:
        printf(" exp");
        return;
    case UNWIND_IS_EXPRESSION:
        printf(" vexp");
        return;
    }
}

static void print_simple(const struct unwind_table *table, uint32_t rule)
{
    struct unwind_columns columns = unwind_columns_of(table->machine);
    bool from_frame = (rule & UNWIND_RULE_FROM_FRAME) != 0;
    int64_t slot = -(int64_t)unwind_rule_slot_bytes(rule);
    enum unwind_return_place place = unwind_rule_return(rule);
    struct unwind_value fp = {.kind = UNWIND_AT_CFA, .offset = (int32_t)slot};
    struct unwind_value ra = fp;

    printf(" r%u+%" PRIu64, from_frame ? columns.fp : columns.sp,
           unwind_rule_cfa_bytes(rule));
    if (place == UNWIND_RETURN_SLOT || slot == 0)
        fp.kind = UNWIND_SAME;
    if (place == UNWIND_RETURN_LINK)
        ra.kind = UNWIND_SAME;
    else if (place == UNWIND_RETURN_TOP)
        ra.offset = -8;
    else if (place == UNWIND_RETURN_ABOVE_FRAME)
        ra.offset += 8;
    print_value(&fp);
    print_value(&ra);
}

static void print_rule(const struct unwind_table *table, uint32_t rule)
{
    if ((rule & UNWIND_RULE_SIMPLE) != 0) {
        print_simple(table, rule);
    } else if ((rule & UNWIND_RULE_ODD) != 0) {
        const struct unwind_odd *odd = &table->odd[rule & ~UNWIND_RULE_ODD];

        if (odd->cfa.kind == UNWIND_IS_EXPRESSION)
            printf(" exp");
        else
            print_value(&odd->cfa);
        print_value(&odd->fp);
        print_value(&odd->ra);
    } else if (rule == UNWIND_RULE_NONE) {
        printf(" none");
    } else if (rule == UNWIND_RULE_END) {
        printf(" end");
    } else if (rule == UNWIND_RULE_SIGNAL) {
        printf(" signal");
    } else if (rule == UNWIND_RULE_SWITCH) {
        printf(" switch");
    } else {
        printf(" refused");
    }
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void print_sizes(const struct job *job, const struct unwind_table *table,
                        double ms)
{
    uint32_t n_simple = 0;

    for (uint32_t i = 0; i < table->n_rows; i++)
        n_simple += (table->rows[i].rule & UNWIND_RULE_ODD) == 0 ||
                    (table->rows[i].rule & UNWIND_RULE_SIMPLE) != 0;
    printf("%s: %u functions, %u refused, %u rows, %u odd in %u rows, %u saved, %zu "
           "bytes (%.2f a row), %.2f ms\n",
           job->name, table->n_functions, table->n_refused, table->n_rows, table->n_odd,
           table->n_rows - n_simple, table->n_saved, table->memory_size,
           (double)table->memory_size / (table->n_rows ? table->n_rows : 1), ms);
}

static void print_rows(const struct unwind_table *table)
{
    printf("# %u refused\n", table->n_refused);
    for (uint32_t i = 0; i < table->n_rows; i++) {
        printf("%" PRIx64, table->base + table->rows[i].offset);
        print_rule(table, table->rows[i].rule);
        putchar('\n');
    }
}

static void print_file(void *context)
{
    struct job *job = (struct job *)context;
    struct text why = {NULL, 0, 0};
    struct file *file = file_open(job->name, &why);
    struct unwind_table table;
    double start = now_ms();

    job->failed = true;
    if (!file || unwind_file_read(&table, file, &unwind_base_allocator, &why) != 0) {
        fprintf(stderr, "%s: %.*s\n", job->name, (int)why.size, why.data);
        return;
    }
    job->failed = false;
    if (job->only_sizes)
        print_sizes(job, &table, now_ms() - start);
    else
        print_rows(&table);
    unwind_table_free(&table);
    file_close(file);
}

int main(int argc, char **argv)
{
    struct job job = {.only_sizes = argc > 1 && strcmp(argv[1], "-t") == 0};
    int status = 0;

    for (int i = 1 + job.only_sizes; i < argc; i++) {
        job.name = argv[i];
        if (memory_run(NULL, print_file, &job) || job.failed)
            status = 1;
    }
    return status;
}
