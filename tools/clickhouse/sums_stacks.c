/* SPDX-License-Identifier: BSD-2-Clause */
/* See sums_stacks.h. */
#include "sums_stacks.h"

#include <fxt/arg.h>
#include <fxt/format.h>

#include "common/base/memory.h"
#include "tools/tables/stack_ids.h"

/* The frames are numbers in `frames` from `first` on. */
struct sums_stack {
    bool is_known;
    size_t first;
    size_t n;
    uint32_t end;
};

void sums_stacks_add(struct sums_stacks *s, const char *id)
{
    if (string_table_add(&s->ids, id, HASH_BYTES) == s->n)
        MEMORY_ADD(s->all, s->n, s->capacity, (struct sums_stack){.is_known = false});
}

/* ---- Rows -------------------------------------------------------------------------- */

static uint32_t number_frame(struct sums_stacks *s, const char *id)
{
    uint32_t number = string_table_add(&s->frame_ids, id, HASH_BYTES);

    if (number == s->n_frame_numbers)
        MEMORY_ADD(s->frame_numbers, s->n_frame_numbers, s->frame_number_capacity, 0);
    return number;
}

void sums_stacks_take(struct sums_stacks *s, struct row_reader *r)
{
    const char *id = row_reader_bytes(r, HASH_BYTES);
    uint64_t n = row_reader_varint(r);
    const char *frames = row_reader_bytes(r, n <= UINT32_MAX ? n * HASH_BYTES : n);
    struct sums_stack stack = {.is_known = true, .first = s->n_frames};
    uint32_t number;

    stack.end = stack_ids_end(row_reader_string(r));
    if (r->is_bad || !string_table_find(&s->ids, id, HASH_BYTES, &number) ||
        s->all[number].is_known)
        return;
    for (; stack.n < n; stack.n++)
        MEMORY_ADD(s->frames, s->n_frames, s->frame_capacity,
                   number_frame(s, frames + stack.n * HASH_BYTES));
    s->all[number] = stack;
}

static struct fxt_string read_string(struct row_reader *r)
{
    struct string string = row_reader_string(r);

    return fxt_string_at(string.data, (uint32_t)string.size);
}

void sums_stacks_take_frame(struct sums_stacks *s, struct row_reader *r)
{
    struct fxt_profile_sum_frame frame = {.size = sizeof(frame)};
    const char *id = row_reader_bytes(r, HASH_BYTES);
    const char *inlined;
    int64_t line;
    uint32_t number;

    frame.name = read_string(r);
    frame.module = read_string(r);
    frame.build_id = read_string(r);
    frame.source_file = read_string(r);
    line = row_reader_int64(r);
    inlined = row_reader_bytes(r, 1);
    if (r->is_bad || !string_table_find(&s->frame_ids, id, HASH_BYTES, &number) ||
        s->frame_numbers[number] > 0)
        return;
    frame.line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
    frame.is_inlined = *inlined != 0;
    if (fxt_profile_builder_add_sum_frame(s->builder, &frame,
                                          &s->frame_numbers[number]) == FXT_OK)
        s->frame_numbers[number]++;
}

/* ---- What is known ----------------------------------------------------------------- */

static void add_id(struct string_table *to, const struct string_table *ids, size_t i)
{
    struct string id = string_table_get(ids, (uint32_t)i);

    string_table_add(to, id.data, id.size);
}

void sums_stacks_unknown(const struct sums_stacks *s, struct string_table *ids)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!s->all[i].is_known)
            add_id(ids, &s->ids, i);
    }
}

void sums_stacks_unknown_frames(const struct sums_stacks *s, struct string_table *ids)
{
    for (size_t i = 0; i < s->n_frame_numbers; i++) {
        if (s->frame_numbers[i] == 0)
            add_id(ids, &s->frame_ids, i);
    }
}

static void list_missing(struct sums_stacks *s, struct fxt_string name)
{
    struct fxt_profile_sum_frame frame = {.size = sizeof(frame), .name = name};
    uint32_t number = 0;

    fxt_profile_builder_add_sum_frame(s->builder, &frame, &number);
    MEMORY_ADD(s->listed, s->n_listed, s->listed_capacity, number);
}

void sums_stacks_get(struct sums_stacks *s, const char *id, struct fxt_profile_sum *sum)
{
    struct sums_stack stack = {.end = FXT_STACK_END_UNKNOWN};
    uint32_t number;

    if (string_table_find(&s->ids, id, HASH_BYTES, &number))
        stack = s->all[number];
    s->n_listed = 0;
    for (size_t i = 0; i < stack.n; i++) {
        number = s->frame_numbers[s->frames[stack.first + i]];
        if (number > 0)
            MEMORY_ADD(s->listed, s->n_listed, s->listed_capacity, number - 1);
        else
            list_missing(s, FXT_TEXT("[not in table frame]"));
    }
    if (s->n_listed == 0)
        list_missing(s, FXT_TEXT("[not in table stack]"));
    sum->frames = s->listed;
    sum->n_frames = s->n_listed;
    sum->end = stack.end;
}
