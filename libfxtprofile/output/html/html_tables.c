/* SPDX-License-Identifier: BSD-2-Clause */
/* See html_tables.h. */
#include "html_tables.h"

#include "common/base/memory.h"

uint32_t html_tables_string(struct html_tables *t, struct string string)
{
    return string_table_add(&t->strings, string.size > 0 ? string.data : "", string.size);
}

/* ---- Functions and frames ---------------------------------------------------------- */

static uint64_t hash_function(const struct html_function *f)
{
    return hash_word(hash_word(hash_start(), (uint64_t)f->name << 32 | f->module),
                     f->kind);
}

/* The first of a function's files and lines is its own. */
static uint32_t find_function(struct html_tables *t, const struct html_function *function)
{
    uint64_t hash = hash_function(function);
    struct table_probe probe = table_probe(&t->function_table, hash);
    uint32_t number;

    while (table_next(&t->function_table, &probe, &number)) {
        const struct html_function *other = &t->functions[number];

        if (other->name == function->name && other->module == function->module &&
            other->kind == function->kind)
            return number;
    }
    table_add(&t->function_table, hash, t->n_functions);
    t->functions = (struct html_function *)memory_grow(
        t->functions, t->n_functions, &t->function_capacity, sizeof(*t->functions));
    t->functions[t->n_functions] = *function;
    return (uint32_t)t->n_functions++;
}

static uint32_t find_frame(struct html_tables *t, const struct html_frame *frame)
{
    uint64_t place = (uint64_t)frame->line << 1 | frame->is_inlined;
    uint64_t hash = hash_word(
        hash_word(hash_start(), (uint64_t)frame->function << 32 | frame->file), place);
    struct table_probe probe = table_probe(&t->frame_table, hash);
    uint32_t number;

    while (table_next(&t->frame_table, &probe, &number)) {
        const struct html_frame *other = &t->frames[number];

        if (other->function == frame->function && other->file == frame->file &&
            other->line == frame->line && other->is_inlined == frame->is_inlined)
            return number;
    }
    table_add(&t->frame_table, hash, t->n_frames);
    t->frames = (struct html_frame *)memory_grow(t->frames, t->n_frames,
                                                 &t->frame_capacity, sizeof(*t->frames));
    t->frames[t->n_frames] = *frame;
    return (uint32_t)t->n_frames++;
}

/* ---- Code -------------------------------------------------------------------------- */

static uint32_t kind_of(const struct profile *p, const struct profile_location *location)
{
    uint32_t kind = 0;

    if (location->is_end)
        return HTML_CUT;
    if (profile_is_in_kernel(location->address))
        kind |= HTML_KERNEL;
    if (!location->symbolized && !location->has_function && !profile_is_of_names(p))
        kind |= HTML_UNNAMED;
    if (location->mapping != PROFILE_NO_MAPPING && p->mappings[location->mapping].is_jit)
        kind |= HTML_JIT;
    return kind;
}

static uint32_t add_line(struct html_tables *t, const struct profile *p,
                         const struct profile_location *location, uint32_t i)
{
    const struct profile_line *line = &p->lines[location->first_line + i];
    const struct profile_function *from = &p->functions[line->function];
    struct string file = string_table_get(&p->files, from->file);
    struct html_function function = {.line = from->start_line,
                                     .kind = kind_of(p, location)};
    struct html_frame frame = {.line = line->line,
                               .is_inlined = i + 1 < location->n_lines};

    function.name = html_tables_string(t, profile_line_name(p, location->first_line + i));
    function.module = html_tables_string(
        t, location->mapping != PROFILE_NO_MAPPING
               ? string_table_get(&p->files, p->mappings[location->mapping].file)
               : (struct string){"", 0});
    function.file = html_tables_string(t, file);
    frame.file = function.file;
    frame.function = find_function(t, &function);
    return find_frame(t, &frame);
}

/* The frames of a profile's lines. */
static uint32_t *add_lines(struct html_tables *t, const struct profile *p)
{
    uint32_t *frames = (uint32_t *)memory_allocate(p->n_lines * sizeof(*frames));

    for (size_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *location = &p->locations[i];

        for (uint32_t j = 0; j < location->n_lines; j++)
            frames[location->first_line + j] = add_line(t, p, location, j);
    }
    return frames;
}

uint32_t *html_tables_add(struct html_tables *t, const struct profile *p)
{
    uint32_t *frames = add_lines(t, p);
    uint32_t *leaves = stack_tree_add(&t->tree, p, frames);

    memory_release(frames);
    return leaves;
}

void html_tables_free(struct html_tables *t)
{
    string_table_free(&t->strings);
    memory_release(t->functions);
    table_free(&t->function_table);
    memory_release(t->frames);
    table_free(&t->frame_table);
    stack_tree_free(&t->tree);
}
