/* SPDX-License-Identifier: BSD-2-Clause */
/* See html_tables.h. */
#include "html_tables.h"

#include "common/base/memory.h"
#include "common/base/table_items.h"

uint32_t html_tables_string(struct html_tables *t, struct string string)
{
    return string_table_add(&t->strings, string.size > 0 ? string.data : "", string.size);
}

/* ---- Functions and frames ---------------------------------------------------------- */

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
    /* The first of a function's files and lines is its own. */
    frame.function = TABLE_PUT(&t->function_table, t->functions, t->n_functions,
                               t->function_capacity, &function, name, module, kind);
    return TABLE_PUT(&t->frame_table, t->frames, t->n_frames, t->frame_capacity, &frame,
                     function, file, line, is_inlined);
}

/* The frames of a profile's lines. */
static uint32_t *add_lines(struct html_tables *t, const struct profile *p)
{
    uint32_t *frames = memory_allocate(p->n_lines * sizeof(*frames));

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
