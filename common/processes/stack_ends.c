/* SPDX-License-Identifier: BSD-2-Clause */
/* See stack_ends.h. */
#include "stack_ends.h"

#include <string.h>

#include <fxt/sample.h>
#include <fxt/writer.h>

#include "common/base/memory.h"

/* ---- Counting ---------------------------------------------------------------------- */

/* The file that has the last PC, the caller nearest the root. The latest of mappings that
 * overlap counts, of those that were there already; or the first one. */
static uint32_t find_file(struct process_table *table, const struct fxt_sample *sample)
{
    const struct process_entry *process =
        process_table_process(table, (pid_t)sample->thread.process);
    uint64_t n = sample->pcs.count;
    uint64_t pc = fxt_words_get(sample->pcs, n - 1) - (n > 1);
    uint32_t file = STACK_END_NO_FILE;

    for (size_t i = process->n_mappings; i > 0; i--) {
        const struct process_mapping *mapping = &process->mappings[i - 1];

        if (pc < mapping->start || pc - mapping->start >= mapping->length)
            continue;
        file = mapping->file;
        if (mapping->since_ns <= sample->timestamp)
            break;
    }
    return file;
}

static void add_place(struct stack_ends *ends, enum fxt_stack_end end, uint32_t file)
{
    for (size_t i = 0; i < ends->n_places; i++) {
        if (ends->places[i].end == end && ends->places[i].file == file) {
            ends->places[i].n++;
            return;
        }
    }
    MEMORY_ADD(ends->places, ends->n_places, ends->capacity,
               (struct stack_end_place){end, file, 1});
}

/* Where a stack is too long to be copied or kept, it is not the module's fault. */
static bool has_place(enum fxt_stack_end end)
{
    return end == FXT_STACK_END_NO_TABLE || end == FXT_STACK_END_NOT_CODE ||
           end == FXT_STACK_END_NO_PROGRESS || end == FXT_STACK_END_SPECIAL_RULE ||
           end == FXT_STACK_END_STACK_SWITCH;
}

void stack_ends_add(struct stack_ends *ends, struct process_table *table,
                    const struct fxt_sample *sample)
{
    enum fxt_stack_end end = sample->end < STACK_ENDS ? (enum fxt_stack_end)sample->end
                                                      : FXT_STACK_END_UNKNOWN;

    ends->counts[end]++;
    if (end == FXT_STACK_END_UNKNOWN || end == FXT_STACK_END_OUTERMOST ||
        end == FXT_STACK_END_NO_STACK || end == FXT_STACK_END_NOT_SAMPLED)
        return;
    add_place(ends, end, has_place(end) ? find_file(table, sample) : STACK_END_NO_FILE);
}

/* ---- Describing -------------------------------------------------------------------- */

/* The largest reasons, up to so many. */
enum { PLACES_SHOWN = 3 };

static const struct stack_end_place *find_next(const struct stack_ends *ends,
                                               const struct stack_end_place *last)
{
    const struct stack_end_place *next = NULL;

    for (size_t i = 0; i < ends->n_places; i++) {
        const struct stack_end_place *place = &ends->places[i];
        bool is_after =
            last == NULL || place->n < last->n || (place->n == last->n && place > last);

        if (is_after && (next == NULL || place->n > next->n))
            next = place;
    }
    return next;
}

static const char *base_name(const struct stack_end_place *place,
                             const struct process_table *table)
{
    const char *name;
    const char *slash;

    if (place->file == STACK_END_NO_FILE)
        return "code that is in no file";
    name = table->files.all[place->file].name;
    slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

static const char *why_no_table(const struct stack_end_place *place,
                                const struct process_table *table)
{
    if (place->file == STACK_END_NO_FILE)
        return "which has no unwind tables";
    return table->files.all[place->file].has_zstd_tables
               ? "whose unwind tables are compressed by zstd, which is not supported"
               : "which has no unwind tables there";
}

static void describe_place(struct text *to, const struct stack_end_place *place,
                           const struct process_table *table, double total)
{
    const char *name = base_name(place, table);

    text_printf(to, "; %.1f %% ", 100.0 * (double)place->n / total);
    switch (place->end) {
    case FXT_STACK_END_NO_TABLE:
        text_printf(to, "end in %s, %s", name, why_no_table(place, table));
        break;
    case FXT_STACK_END_COPY_TOO_SHORT:
        text_str(to, "are larger than what is copied of a stack (--stack-size)");
        break;
    case FXT_STACK_END_DEPTH:
        text_str(to, "have more frames than a sample can have");
        break;
    case FXT_STACK_END_UNREADABLE:
        text_str(to, "were in part not in memory");
        break;
    case FXT_STACK_END_NOT_CODE:
        text_printf(to, "end in %s, at a return address that is not in code", name);
        break;
    case FXT_STACK_END_NO_PROGRESS:
        text_printf(to, "end in %s, where the stack is damaged", name);
        break;
    case FXT_STACK_END_SPECIAL_RULE:
        text_printf(to, "end in %s, at an unwind rule that is not supported", name);
        break;
    case FXT_STACK_END_STACK_SWITCH:
        text_printf(to, "end in %s, where the stack is switched", name);
        break;
    case FXT_STACK_END_UNKNOWN:
    case FXT_STACK_END_OUTERMOST:
    case FXT_STACK_END_NO_STACK:
    case FXT_STACK_END_NOT_SAMPLED:
        break;
    }
}

/* Of stacks that were found by frame pointers it is known only of some that they are cut:
 * the others are not claimed to be whole, and neither not to be. */
static void describe_known(struct text *to, const struct stack_ends *ends, double total)
{
    uint64_t n_unknown = ends->counts[FXT_STACK_END_UNKNOWN];
    uint64_t n_whole = ends->counts[FXT_STACK_END_OUTERMOST];

    if (n_unknown == 0 || n_whole > 0)
        text_printf(to, "%.1f %% of stacks whole", 100.0 * (double)n_whole / total);
    if (n_unknown > 0)
        text_printf(to, "%show %.1f %% of stacks ended is not known",
                    n_whole > 0 ? "; " : "", 100.0 * (double)n_unknown / total);
}

/* Threads that had no stack, in exec or exit, are left out. */
static void describe_stacks(struct text *to, const struct stack_ends *ends,
                            const struct process_table *table)
{
    const struct stack_end_place *place = NULL;
    uint64_t n_unknown = ends->counts[FXT_STACK_END_UNKNOWN];
    uint64_t total = n_unknown;

    for (unsigned i = FXT_STACK_END_OUTERMOST; i < FXT_STACK_END_NO_STACK; i++)
        total += ends->counts[i];
    if (n_unknown == total)
        return;
    describe_known(to, ends, (double)total);
    for (unsigned i = 0; i < PLACES_SHOWN; i++) {
        place = find_next(ends, place);
        if (place == NULL || (double)place->n < 0.0005 * (double)total)
            return;
        describe_place(to, place, table, (double)total);
    }
}

static void describe_not_sampled(struct text *to, const struct stack_ends *ends)
{
    uint64_t n = ends->counts[FXT_STACK_END_NOT_SAMPLED];
    uint64_t total = 0;

    for (unsigned i = 0; i < STACK_ENDS; i++)
        total += ends->counts[i];
    if (n > 0)
        text_printf(to,
                    "%s%.1f %% of the time could not be sampled (threads that block "
                    "SIGPROF, or late signals)",
                    to->size > 0 ? "; " : "", 100.0 * (double)n / (double)total);
}

void stack_ends_describe(struct text *to, const struct stack_ends *ends,
                         const struct process_table *table)
{
    describe_stacks(to, ends, table);
    describe_not_sampled(to, ends);
}

/* ---- Arguments --------------------------------------------------------------------- */

size_t stack_ends_args(const uint64_t *counts, struct fxt_arg *args)
{
    size_t n = 0;

    for (unsigned i = 0; i < STACK_ENDS; i++) {
        if (counts[i] == 0)
            continue;
        memset(&args[n], 0, sizeof(args[n]));
        args[n].name = fxt_string_from(fxt_stack_end_name(i));
        args[n].type = FXT_ARG_UINT64;
        args[n++].value.uint64 = counts[i];
    }
    return n;
}

void stack_ends_free(struct stack_ends *ends)
{
    memory_release(ends->places);
    *ends = (struct stack_ends){0};
}
