/* SPDX-License-Identifier: BSD-2-Clause */
/* See stack_ids.h. */
#include "stack_ids.h"

#include <fxt/sample.h>

#include "common/base/binary.h"
#include "common/base/memory.h"
#include "common/base/sha256.h"
#include "common/base/table_items.h"
#include "strings.h"

#define NO_ROW UINT32_MAX

/* ---- Hashes ------------------------------------------------------------------------ */

static void add_number(struct sha256 *hash, uint64_t number)
{
    unsigned char bytes[8];

    store_le(bytes, number, sizeof(bytes));
    sha256_add(hash, bytes, sizeof(bytes));
}

static void add_string(struct sha256 *hash, struct fxt_string string, struct text *room)
{
    struct string valid = strings_valid(string, room);

    add_number(hash, valid.size);
    sha256_add(hash, valid.data, valid.size);
}

static struct hash end_hash(struct sha256 *hash)
{
    unsigned char digest[SHA256_BYTES];
    struct hash first;

    sha256_end(hash, digest);
    memcpy(first.bytes, digest, HASH_BYTES);
    return first;
}

static struct hash hash_frame(const struct frame_fields *f, struct text *room)
{
    struct sha256 hash;

    sha256_start(&hash);
    add_string(&hash, f->name, room);
    add_string(&hash, f->module, room);
    add_string(&hash, f->build_id, room);
    add_string(&hash, f->source_file, room);
    add_number(&hash, f->line_number);
    add_number(&hash, f->is_inlined);
    return end_hash(&hash);
}

static struct hash hash_stack(const struct hash *frames, size_t n, const char *ending)
{
    struct sha256 hash;

    sha256_start(&hash);
    add_number(&hash, n);
    sha256_add(&hash, frames, n * sizeof(*frames));
    if (ending != NULL)
        sha256_add(&hash, ending, strlen(ending));
    return end_hash(&hash);
}

/* Returns the number of the row with that hash. */
static uint32_t add_row(struct hashed_rows *rows, const struct hashed_row *row)
{
    return TABLE_PUT(&rows->table, rows->rows, rows->n, rows->capacity, row,
                     hash.words[0], hash.words[1]);
}

/* ---- Frames ------------------------------------------------------------------------ */

void stack_ids_get_frame(const struct stack_ids *ids, const struct hashed_row *row,
                         struct frame_fields *fields)
{
    struct fxt_profile_location location;
    struct fxt_profile_mapping mapping;
    struct fxt_profile_function function;
    struct fxt_profile_line line;

    fxt_profile_get_location(ids->profile, row->location, &location);
    fxt_profile_get_mapping(ids->profile, location.mapping, &mapping);
    fxt_profile_get_line(ids->profile, row->of, &line);
    fxt_profile_get_function(ids->profile, line.function, &function);
    *fields = (struct frame_fields){
        .name = function.name,
        .module = mapping.file,
        .build_id = mapping.build_id,
        .source_file = function.file,
        .line_number = line.line,
        .is_inlined = row->of + 1 < location.first_line + location.n_lines,
    };
}

static void find_frames(struct stack_ids *ids, uint32_t number, struct text *room)
{
    struct fxt_profile_location location;

    fxt_profile_get_location(ids->profile, number, &location);
    for (uint32_t i = 0; i < location.n_lines; i++) {
        struct hashed_row row = {.of = location.first_line + i, .location = number};
        struct frame_fields fields;

        if (ids->of_lines[row.of] != NO_ROW)
            return;
        stack_ids_get_frame(ids, &row, &fields);
        row.hash = hash_frame(&fields, room);
        ids->of_lines[row.of] = add_row(&ids->frames, &row);
    }
}

/* ---- Stacks ------------------------------------------------------------------------ */

const char *stack_ids_ending(uint32_t end)
{
    const char *name = fxt_stack_end_name(end);

    if (end == FXT_STACK_END_UNKNOWN)
        return NULL;
    return name != NULL ? name : "other";
}

uint32_t stack_ids_end(struct string ending)
{
    if (ending.size == 0)
        return FXT_STACK_END_UNKNOWN;
    for (uint32_t end = 1; fxt_stack_end_name(end) != NULL; end++) {
        if (string_compare(ending, string_from(stack_ids_ending(end))) == 0)
            return end;
    }
    return UINT32_MAX;
}

const struct hash *stack_ids_list(struct stack_ids *ids, uint32_t number,
                                  size_t *n_frames)
{
    struct fxt_profile_stack stack;
    struct fxt_profile_location location;
    size_t n = 0;

    fxt_profile_get_stack(ids->profile, number, &stack);
    for (size_t i = 0; i < stack.n_locations; i++) {
        fxt_profile_get_location(ids->profile, stack.locations[i], &location);
        for (uint32_t line = 0; line < location.n_lines; line++) {
            uint32_t row = ids->of_lines[location.first_line + line];

            MEMORY_ADD(ids->list, n, ids->list_capacity, ids->frames.rows[row].hash);
        }
    }
    *n_frames = n;
    return ids->list;
}

static void find_stack(struct stack_ids *ids, uint32_t number, struct text *room)
{
    struct hashed_row row = {.of = number};
    struct fxt_profile_stack stack;
    const struct hash *frames;
    size_t n;

    if (ids->of_stacks[number] != NO_ROW)
        return;
    fxt_profile_get_stack(ids->profile, number, &stack);
    for (size_t i = 0; i < stack.n_locations; i++)
        find_frames(ids, stack.locations[i], room);
    frames = stack_ids_list(ids, number, &n);
    row.hash = hash_stack(frames, n,
                          stack_ids_ending(fxt_profile_stack_end(ids->profile, number)));
    ids->of_stacks[number] = add_row(&ids->stacks, &row);
}

/* ---- All --------------------------------------------------------------------------- */

static uint32_t *allocate_rows(size_t n)
{
    uint32_t *rows = (uint32_t *)memory_reserve(n * sizeof(*rows));

    for (size_t i = 0; i < n; i++)
        rows[i] = NO_ROW;
    return rows;
}

void stack_ids_make(struct stack_ids *ids, const struct fxt_profile *profile)
{
    struct fxt_profile_sample sample;
    struct text room = {NULL, 0, 0};

    *ids = (struct stack_ids){.profile = profile};
    ids->of_lines = allocate_rows(fxt_profile_n_lines(profile));
    ids->of_stacks = allocate_rows(fxt_profile_n_stacks(profile));
    for (size_t i = 0; fxt_profile_get_sample(profile, i, &sample) == FXT_OK; i++)
        find_stack(ids, sample.stack, &room);
}
