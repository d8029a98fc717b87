/* SPDX-License-Identifier: BSD-2-Clause */
/* See fold.h. */
#include "fold.h"

#include <string.h>

#include "common/base/quote.h"

/* ---- Names ------------------------------------------------------------------------- */

static uint32_t add_name(struct fold *f, struct string name)
{
    if (f->raw)
        return string_table_add(&f->names, name.data, name.size);
    f->quoted.size = 0;
    quote_frame(&f->quoted, name.data, name.size);
    return string_table_add(&f->names, f->quoted.data, f->quoted.size);
}

/* " (file.c:12)", where lines are asked for and known. */
static void add_source(struct fold *f, const struct profile_line *line)
{
    const struct profile *p = f->profile;
    struct string file = string_last_component(
        string_table_get(&p->files, p->functions[line->function].file));

    if (!f->settings->wanted.lines || file.size == 0)
        return;
    text_str(&f->text, " (");
    text_add(&f->text, file.data, file.size);
    if (line->line > 0)
        text_printf(&f->text, ":%u", line->line);
    text_char(&f->text, ')');
}

/* `_[i]` after inlined functions, `_[k]` after functions of a kernel. */
static void add_mark(struct fold *f, const struct profile_location *location, uint32_t i)
{
    if (!f->settings->wanted.annotate)
        return;
    if (i + 1 < location->n_lines)
        text_str(&f->text, "_[i]");
    else if (profile_is_in_kernel(location->address))
        text_str(&f->text, "_[k]");
}

static uint32_t name_line(struct fold *f, const struct profile_location *location,
                          uint32_t i)
{
    const struct profile *p = f->profile;
    struct string name = profile_line_name(p, location->first_line + i);

    f->text.size = 0;
    text_add(&f->text, name.data, name.size);
    add_source(f, &p->lines[location->first_line + i]);
    add_mark(f, location, i);
    return add_name(f, (struct string){f->text.data, f->text.size});
}

static void name_locations(struct fold *f)
{
    const struct profile *p = f->profile;

    for (size_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *location = &p->locations[i];

        for (uint32_t j = 0; j < location->n_lines; j++)
            f->line_names[location->first_line + j] = name_line(f, location, j);
    }
}

/* If only functions are shown, all lines of a function have one name. */
static void name_functions(struct fold *f)
{
    const struct profile *p = f->profile;
    /* By function, the number of its name, plus one. */
    uint32_t *named = (uint32_t *)memory_allocate(p->n_functions * sizeof(*named));

    for (uint32_t i = 0; i < p->n_lines; i++) {
        uint32_t *name = &named[p->lines[i].function];

        if (*name == 0)
            *name = add_name(f, profile_line_name(p, i)) + 1;
        f->line_names[i] = *name - 1;
    }
    memory_release(named);
}

static void name_lines(struct fold *f)
{
    f->line_names =
        (uint32_t *)memory_allocate(f->profile->n_lines * sizeof(*f->line_names));
    if (f->settings->wanted.lines || f->settings->wanted.annotate)
        name_locations(f);
    else
        name_functions(f);
}

static void make_room(struct fold *f, size_t n)
{
    f->frames = (uint32_t *)memory_make_room(f->frames, f->n_frames, n,
                                             &f->frame_capacity, sizeof(*f->frames));
}

static uint32_t name_root(struct fold *f, enum fxt_profile_root root,
                          const struct profile_labels *labels)
{
    f->text.size = 0;
    root_names_add(&f->root_namer, root, labels, &f->text);
    return add_name(f, (struct string){f->text.data, f->text.size});
}

/* Names the roots of a sample; the next one often has the same labels. */
static void name_roots(struct fold *f, uint32_t labels)
{
    if (f->has_roots && f->root_labels == labels)
        return;
    for (size_t i = 0; i < f->settings->n_roots; i++)
        f->roots[i] = name_root(f, f->settings->roots[i], &f->profile->labels[labels]);
    f->root_labels = labels;
    f->has_roots = true;
}

uint32_t fold_add_frames(struct fold *f, size_t sample)
{
    const struct profile *p = f->profile;
    const struct profile_stack *stack = &p->stacks[p->samples[sample].stack];
    size_t start = f->n_frames;

    name_roots(f, p->samples[sample].labels);
    make_room(f, f->settings->n_roots);
    for (size_t i = 0; i < f->settings->n_roots; i++)
        f->frames[f->n_frames++] = f->roots[i];
    for (uint32_t i = stack->n; i > 0; i--) {
        const struct profile_location *location = &p->locations[stack->frames[i - 1]];

        make_room(f, location->n_lines);
        for (uint32_t j = location->n_lines; j > 0; j--)
            f->frames[f->n_frames++] = f->line_names[location->first_line + j - 1];
    }
    return (uint32_t)(f->n_frames - start);
}

void fold_start(struct fold *f, const struct profile *p,
                const struct output_settings *settings, bool raw)
{
    *f = (struct fold){
        .profile = p,
        .settings = settings,
        .raw = raw,
        .value_type = output_value_type(p, settings),
    };
    name_lines(f);
    root_names_start(&f->root_namer, p, settings);
}

/* ---- Stacks ------------------------------------------------------------------------ */

static bool has_inlines(const struct profile *p)
{
    for (size_t i = 0; i < p->n_locations; i++) {
        if (p->locations[i].n_lines != 1)
            return true;
    }
    return false;
}

/* Frames are locations, which have one line each. */
static void take_locations(struct fold *f)
{
    const struct profile *p = f->profile;

    f->location_names =
        (uint32_t *)memory_allocate(p->n_locations * sizeof(*f->location_names));
    for (size_t i = 0; i < p->n_locations; i++)
        f->location_names[i] = f->line_names[p->locations[i].first_line];
    f->frame_names = f->location_names;
    f->n_frame_names = p->n_locations;
}

/* Frames are lines. */
static void take_lines(struct fold *f)
{
    f->frame_names = f->line_names;
    f->n_frame_names = f->profile->n_lines;
    f->stack_lines = (struct fold_frames *)memory_allocate(f->profile->n_stacks *
                                                           sizeof(*f->stack_lines));
}

static void find_lines(struct fold *f, uint32_t number)
{
    const struct profile_stack *stack = &f->profile->stacks[number];
    struct fold_frames *known = &f->stack_lines[number];
    uint32_t *line;

    if (known->n > 0)
        return;
    for (uint32_t i = 0; i < stack->n; i++)
        known->n += f->profile->locations[stack->frames[i]].n_lines;
    line = arena_add(&f->lines, known->n);
    known->frames = line;
    for (uint32_t i = 0; i < stack->n; i++) {
        const struct profile_location *location =
            &f->profile->locations[stack->frames[i]];

        for (uint32_t j = 0; j < location->n_lines; j++)
            *line++ = location->first_line + j;
    }
}

/* The number of the set of the roots just named. */
static uint32_t find_root_set(struct fold *f)
{
    size_t size = f->n_roots * sizeof(*f->roots);
    uint64_t hash = hash_bytes(f->roots, size);
    struct table_probe probe = table_probe(&f->root_table, hash);
    uint32_t set;

    while (table_next(&f->root_table, &probe, &set)) {
        if (memcmp(f->root_names + (size_t)set * f->n_roots, f->roots, size) == 0)
            return set;
    }
    table_add(&f->root_table, hash, f->n_root_sets);
    f->root_names = (uint32_t *)memory_make_room(
        f->root_names, f->n_root_sets * f->n_roots, OUTPUT_ROOTS, &f->root_capacity,
        sizeof(*f->root_names));
    memcpy(f->root_names + f->n_root_sets * f->n_roots, f->roots, size);
    return (uint32_t)f->n_root_sets++;
}

/* The set of the roots of samples with some labels. */
static uint32_t roots_of(struct fold *f, uint32_t labels)
{
    if (f->root_sets[labels] == 0) {
        name_roots(f, labels);
        f->root_sets[labels] = find_root_set(f) + 1;
    }
    return f->root_sets[labels] - 1;
}

/* Counts a sample in the last row of its stack, if that has the same roots, as samples of
 * other threads and CPUs have if the roots do not show these. `last` has these rows by
 * the number of the stack, plus one. */
static void fold_sample(struct fold *f, uint32_t *last, size_t i)
{
    const struct profile *p = f->profile;
    uint32_t stack = p->samples[i].stack;
    uint64_t count = (uint64_t)p->values[i * p->n_types + f->value_type];
    struct sort_row *row;
    uint32_t roots;

    if (count == 0)
        return;
    roots = roots_of(f, p->samples[i].labels);
    if (last[stack] != 0 && !f->settings->wanted.no_merge) {
        row = &f->rows[last[stack] - 1];
        if (row->item == roots) {
            row->key = fold_add_up(row->key, count);
            return;
        }
    }
    if (f->stack_lines != NULL)
        find_lines(f, stack);
    f->rows[f->n_stacks++] = (struct sort_row){count, stack, roots};
    last[stack] = (uint32_t)f->n_stacks;
}

static void fold_samples(struct fold *f)
{
    const struct profile *p = f->profile;
    uint32_t *last = (uint32_t *)memory_allocate(p->n_stacks * sizeof(*last));

    f->root_sets = (uint32_t *)memory_allocate(p->n_labels * sizeof(*f->root_sets));
    f->rows = (struct sort_row *)memory_reserve(p->n_samples * sizeof(*f->rows));
    for (size_t i = 0; i < p->n_samples; i++)
        fold_sample(f, last, i);
    memory_release(f->root_sets);
    memory_release(last);
    f->root_sets = NULL;
}

uint32_t output_value_type(const struct profile *p,
                           const struct output_settings *settings)
{
    bool first = settings->wanted.value == FXT_PROFILE_VALUE_COUNT ||
                 settings->wanted.value == FXT_PROFILE_VALUE_OBJECTS;
    uint32_t type;

    if (settings->wanted.value_name != NULL)
        return profile_find_type(p, settings->wanted.value_name, &type) ? type : 0;
    if (settings->wanted.value == FXT_PROFILE_VALUE_DEFAULT &&
        (p->has_events || settings->has_default_type))
        return p->default_type;
    if (p->has_events && settings->wanted.value == FXT_PROFILE_VALUE_TIME)
        return profile_find_time(p, &type) ? type : 0;
    if (settings->wanted.value == FXT_PROFILE_VALUE_DEFAULT)
        first = !profile_is_of_times(p) && !p->is_of_heap;
    return first || p->n_types < 2 ? 0 : 1;
}

void fold_profile(struct fold *f, const struct profile *p,
                  const struct output_settings *settings)
{
    fold_start(f, p, settings, false);
    f->n_roots = (uint32_t)settings->n_roots;
    if (has_inlines(p))
        take_lines(f);
    else
        take_locations(f);
    fold_samples(f);
}
