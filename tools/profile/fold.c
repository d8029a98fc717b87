/* SPDX-License-Identifier: BSD-2-Clause */
/* See fold.h. */
#include "fold.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "quote.h"

/* Instead of the name of a location with several lines. */
#define SEVERAL_NAMES UINT32_MAX

/* ---- Names ------------------------------------------------------------------------- */

static uint32_t add_name(struct fold *f, struct string name)
{
    if (f->raw)
        return strings_add(&f->names, name.data, name.size);
    f->quoted.size = 0;
    quote_frame(&f->quoted, name.data, name.size);
    return strings_add(&f->names, f->quoted.data, f->quoted.size);
}

/* " (file.c:12)", where lines are wanted and known. */
static void add_source(struct fold *f, const struct profile_line *line)
{
    const struct profile *p = f->profile;
    struct string file =
        string_last_component(strings_get(&p->files, p->functions[line->function].file));

    if (!f->settings->lines || file.size == 0)
        return;
    text_str(&f->text, " (");
    text_add(&f->text, file.data, file.size);
    if (line->line > 0)
        text_printf(&f->text, ":%u", line->line);
    text_char(&f->text, ')');
}

/* `_[i]` behind what the compiler put into another function, `_[k]` behind what is in a
 * kernel. */
static void add_mark(struct fold *f, const struct profile_location *location, uint32_t i)
{
    if (!f->settings->annotate)
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

static void name_lines(struct fold *f)
{
    const struct profile *p = f->profile;

    f->line_names = (uint32_t *)must_allocate(p->n_lines * sizeof(*f->line_names));
    f->location_names =
        (uint32_t *)must_allocate(p->n_locations * sizeof(*f->location_names));
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *location = &p->locations[i];

        for (uint32_t j = 0; j < location->n_lines; j++)
            f->line_names[location->first_line + j] = name_line(f, location, j);
        f->location_names[i] =
            location->n_lines == 1 ? f->line_names[location->first_line] : SEVERAL_NAMES;
    }
}

static void make_room(struct fold *f, size_t n)
{
    f->frames = (uint32_t *)must_make_room(f->frames, f->n_frames, n, &f->frame_capacity,
                                           sizeof(*f->frames));
}

static uint32_t name_root(struct fold *f, enum folded_root root,
                          const struct profile_labels *labels)
{
    const struct who *who = &f->profile->who;

    f->text.size = 0;
    switch (root) {
    case FOLDED_PROCESS:
        who_describe(who, labels->process, "process", &f->text);
        break;
    case FOLDED_THREAD:
        who_describe(who, labels->thread, "thread", &f->text);
        break;
    case FOLDED_CPU:
    case FOLDED_ROOTS:
        if (labels->cpu == PROFILE_NO_CPU)
            text_str(&f->text, "cpu?");
        else
            text_printf(&f->text, "cpu%u", labels->cpu);
        break;
    }
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

/* The frames of a location of several, the outermost first. */
static void add_lines(struct fold *f, const struct profile_location *location)
{
    make_room(f, location->n_lines);
    for (uint32_t i = location->n_lines; i > 0; i--)
        f->frames[f->n_frames++] = f->line_names[location->first_line + i - 1];
}

uint32_t fold_add_frames(struct fold *f, size_t sample)
{
    const struct profile *p = f->profile;
    const struct profile_stack *stack = &p->stacks[p->samples[sample].stack];
    const uint32_t *frames = p->frames + stack->first;
    size_t start = f->n_frames;

    profile_prefetch(p, p->frames, sample);
    name_roots(f, p->samples[sample].labels);
    make_room(f, f->settings->n_roots + stack->n);
    for (size_t i = 0; i < f->settings->n_roots; i++)
        f->frames[f->n_frames++] = f->roots[i];
    for (uint32_t j = stack->n; j > 0; j--) {
        uint32_t name = f->location_names[frames[j - 1]];

        if (FXT_LIKELY(name != SEVERAL_NAMES)) {
            f->frames[f->n_frames++] = name;
        } else {
            add_lines(f, &p->locations[frames[j - 1]]);
            make_room(f, j);
        }
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
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* The largest count is all that is known of larger ones. */
void fold_count(struct fold_stack *stack, uint64_t count)
{
    stack->count = stack->count > UINT64_MAX - count ? UINT64_MAX : stack->count + count;
}

/* Counts a sample whose stack was met before, and then behind the same roots, as it is
 * when threads or CPUs that make no difference to these have it in common. */
static bool count_again(struct fold *f, const struct profile_sample *sample,
                        uint64_t count)
{
    uint32_t last = f->last[sample->stack];
    struct fold_stack *stack;

    if (last == 0)
        return false;
    name_roots(f, sample->labels);
    stack = &f->stacks[last - 1];
    if (memcmp(f->frames + stack->first, f->roots,
               f->settings->n_roots * sizeof(*f->roots)) != 0)
        return false;
    fold_count(stack, count);
    return true;
}

static void fold_sample(struct fold *f, size_t i)
{
    const struct profile *p = f->profile;
    uint64_t count = (uint64_t)p->values[i * p->n_types + f->value_type];
    size_t first = f->n_frames;
    uint32_t n;

    if (count == 0)
        return;
    if (!f->settings->no_merge && count_again(f, &p->samples[i], count))
        return;
    n = fold_add_frames(f, i);
    f->stacks = (struct fold_stack *)must_grow(f->stacks, f->n_stacks, &f->stack_capacity,
                                               sizeof(*f->stacks));
    f->stacks[f->n_stacks++] = (struct fold_stack){f, first, n, count};
    f->last[p->samples[i].stack] = (uint32_t)f->n_stacks;
}

uint32_t output_value_type(const struct profile *p,
                           const struct output_settings *settings)
{
    bool first =
        settings->value == OUTPUT_VALUE_COUNT || settings->value == OUTPUT_VALUE_OBJECTS;

    if (settings->value == OUTPUT_VALUE_DEFAULT)
        first = !p->is_of_spans && !p->is_of_heap;
    return first || p->n_types < 2 ? 0 : 1;
}

void fold_profile(struct fold *f, const struct profile *p,
                  const struct output_settings *settings)
{
    fold_start(f, p, settings, false);
    f->last = (uint32_t *)must_allocate(p->n_stacks * sizeof(*f->last));
    for (size_t i = 0; i < p->n_samples; i++)
        fold_sample(f, i);
    free(f->last);
    f->last = NULL;
}

void fold_free(struct fold *f)
{
    free(f->line_names);
    free(f->location_names);
    free(f->frames);
    free(f->stacks);
    strings_free(&f->names);
    text_free(&f->text);
    text_free(&f->quoted);
}
