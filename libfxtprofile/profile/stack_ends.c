/* SPDX-License-Identifier: BSD-2-Clause */
/* See stack_ends.h. */
#include "stack_ends.h"

#include <string.h>

#include <fxt/sample.h>

#include "common/base/sort.h"
#include "common/base/table_items.h"
#include "location_list.h"

/* ---- Files ------------------------------------------------------------------------- */

/* Whether the reason has to do with the code that the stack ended in. Where a stack is
 * too large to be copied or kept, it does not. */
static bool has_file(uint32_t end)
{
    return end == FXT_STACK_END_NO_TABLE || end == PROFILE_END_NO_FILE ||
           end == FXT_STACK_END_NOT_CODE || end == FXT_STACK_END_NO_PROGRESS ||
           end == FXT_STACK_END_SPECIAL_RULE || end == FXT_STACK_END_STACK_SWITCH;
}

void stack_ends_find_files(struct profile_builder *b)
{
    struct profile *p = &b->profile;

    if (!b->has_ends)
        return;
    b->end_files = (uint32_t *)memory_allocate(p->n_stacks * sizeof(*b->end_files));
    for (size_t i = 0; i < p->n_samples; i++) {
        uint32_t number = p->samples[i].stack;
        const struct profile_stack *stack = &p->stacks[number];
        uint32_t mapping = p->locations[stack->frames[stack->n - 1]].mapping;

        if (has_file(stack->end) && mapping != PROFILE_NO_MAPPING)
            b->end_files[number] = p->mappings[mapping].file + 1;
    }
}

/* ---- Frames ------------------------------------------------------------------------ */

/* Why a stack is not whole; NULL if it is, or does not say. */
static const char *cut_reason(uint32_t end)
{
    switch (end) {
    case FXT_STACK_END_UNKNOWN:
    case FXT_STACK_END_OUTERMOST:
        return NULL;
    case PROFILE_END_NO_FILE:
        return "file not found";
    default:
        return fxt_stack_end_message(end);
    }
}

/* What stands for time without samples is never left out, as it has no other frame. */
static const char *shown_reason(const struct profile_builder *b, uint32_t end)
{
    return b->shows_ends || end == FXT_STACK_END_NOT_SAMPLED ? cut_reason(end) : NULL;
}

/* The frame for an end, which is added unless it is there. */
static uint32_t make_frame(struct profile *p, uint32_t end, const char *reason,
                           struct location_list *locations,
                           struct function_list *functions)
{
    struct profile_location location = {
        .mapping = PROFILE_NO_MAPPING,
        .first_line = (uint32_t)p->n_lines,
        .n_lines = 1,
        .symbolized = true,
        .is_end = true,
    };
    struct text name = {NULL, 0, 0};
    uint32_t function;

    text_printf(&name, end == FXT_STACK_END_NOT_SAMPLED ? "[%s]" : "[cut: %s]", reason);
    function = function_list_add_name(functions, (struct string){name.data, name.size},
                                      string_from(""));
    text_free(&name);
    location_list_add_line(locations, (struct profile_line){function, 0});
    return location_list_add(locations, &location);
}

void stack_ends_show(struct profile_builder *b, struct function_list *functions)
{
    struct profile *p = &b->profile;
    struct location_list locations = {
        .builder = b, .capacity = p->n_locations, .line_capacity = p->n_lines};
    bool *is_done;

    if (!b->has_ends)
        return;
    is_done = (bool *)memory_allocate(p->n_stacks * sizeof(*is_done));
    for (size_t i = 0; i < p->n_samples; i++) {
        uint32_t number = p->samples[i].stack;
        struct profile_stack *stack = &p->stacks[number];
        const char *reason = shown_reason(b, stack->end);

        /* There is room: see add_stack in profile_builder_add.c. */
        if (reason != NULL && !is_done[number]) {
            if (stack->end == FXT_STACK_END_NOT_SAMPLED)
                stack->n = 0;
            stack->frames[stack->n++] =
                make_frame(p, stack->end, reason, &locations, functions);
        }
        is_done[number] = true;
    }
    memory_release(is_done);
    table_free(&locations.table);
}

/* ---- Counts ------------------------------------------------------------------------ */

/* The cuts so far, and their numbers by end and file. */
struct cut_counter {
    struct profile *profile;
    size_t capacity;
    struct table table;
};

static void count_cut(struct cut_counter *c, uint32_t end, uint32_t file, uint64_t n)
{
    struct profile *p = c->profile;
    struct profile_cut cut = {end, file, 0};
    uint32_t number =
        TABLE_PUT(&c->table, p->cuts, p->n_cuts, c->capacity, &cut, end, file);

    p->cuts[number].n += n;
}

/* A cut with the name of its file. */
struct cut_row {
    struct profile_cut cut;
    struct string file;
};

SORT_ORDER(order_cuts, struct cut_row,
           BY_DESCENDING(cut.n) || BY(cut.end) ||
               BY_ORDER(string_compare(a->file, b->file)));

static void sort_cuts(struct profile *p)
{
    struct cut_row *rows = (struct cut_row *)memory_allocate(p->n_cuts * sizeof(*rows));

    for (size_t i = 0; i < p->n_cuts; i++) {
        rows[i] = (struct cut_row){p->cuts[i], {"", 0}};
        if (p->cuts[i].file != PROFILE_NO_FILE)
            rows[i].file = string_table_get(&p->files, p->cuts[i].file);
    }
    SORT(rows, p->n_cuts, order_cuts);
    for (size_t i = 0; i < p->n_cuts; i++)
        p->cuts[i] = rows[i].cut;
    memory_release(rows);
}

void stack_ends_count(struct profile_builder *b)
{
    struct profile *p = &b->profile;
    struct cut_counter counter = {.profile = p};

    for (size_t i = 0; i < p->n_samples && b->has_ends; i++) {
        const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
        uint64_t n = profile_count(p, i);

        if (stack->end == FXT_STACK_END_UNKNOWN)
            p->n_unknown_ends += n;
        if (stack->end == FXT_STACK_END_UNKNOWN || stack->end == FXT_STACK_END_NO_STACK ||
            stack->end == FXT_STACK_END_NOT_SAMPLED)
            continue;
        p->n_ends += n;
        if (stack->end == FXT_STACK_END_OUTERMOST)
            p->n_whole += n;
        else
            count_cut(&counter, stack->end, b->end_files[p->samples[i].stack] - 1, n);
    }
    sort_cuts(p);
    table_free(&counter.table);
}
