/* SPDX-License-Identifier: BSD-2-Clause */
/* See flame_diff.h. */
#include "flame_diff.h"

#include "svg.h"
#include "common/base/sort.h"

/* ---- The other profile ------------------------------------------------------------- */

static struct share_whole whole_of(const struct fold *fold)
{
    const struct profile *p = fold->profile;
    struct share_whole whole = {.value = (double)flame_total(fold)};

    for (size_t i = 0; i < p->n_samples && profile_is_of_samples(p); i++)
        whole.n_samples += profile_count(p, i);
    return whole;
}

void flame_diff_start(struct flame_diff *d, struct fold *fold,
                      const struct profile *before, struct output_settings *settings)
{
    fold_profile(&d->before, before, settings);
    d->names = memory_allocate(((size_t)d->before.names.n + 1) * sizeof(*d->names));
    for (uint32_t i = 0; i < d->before.names.n; i++) {
        struct string name = string_table_get(&d->before.names, i);

        d->names[i] = string_table_add(&fold->names, name.data, name.size);
    }
    d->all_before = whole_of(&d->before);
    d->all_after = whole_of(fold);
    /* A heap that grows everywhere grows: both are compared as parts of the later one. */
    if (before->is_of_heap)
        d->all_before.value = d->all_after.value;
}

/* ---- Frames ------------------------------------------------------------------------ */

static struct share_change change_of(const struct flame_diff *d, uint64_t before,
                                     uint64_t after)
{
    return share_change((double)before, d->all_before, (double)after, d->all_after);
}

static double size_of(const struct share_change *change)
{
    return change->difference < 0 ? -change->difference : change->difference;
}

void flame_diff_scale(struct flame_diff *d, const struct flame_tree *tree)
{
    for (size_t i = 0; i < tree->n_frames; i++) {
        struct share_change change =
            change_of(d, tree->frames[i].before, tree->frames[i].count);

        if (!share_change_is_noise(&change) && size_of(&change) > d->largest)
            d->largest = size_of(&change);
    }
}

/* One of the colour's three parts: `part`, from 0 to 1, of the way between two. */
static uint32_t mix(unsigned from, unsigned to, double part)
{
    return (uint32_t)((double)from + ((double)to - (double)from) * part + 0.5);
}

/* From a light grey to red or blue, which people see who do not see green and red apart.
 */
uint32_t flame_diff_color(const struct flame_diff *d, const struct flame_frame *frame)
{
    enum { GREY = 0xe4 };
    struct share_change change = change_of(d, frame->before, frame->count);
    double part;

    if (share_change_is_noise(&change))
        return GREY << 16 | GREY << 8 | GREY;
    /* The smallest change is still a colour. */
    part = 0.2 + 0.8 * size_of(&change) / d->largest;
    if (change.difference > 0)
        return mix(GREY, 0xf4, part) << 16 | mix(GREY, 0x6c, part) << 8 |
               mix(GREY, 0x5c, part);
    return mix(GREY, 0x68, part) << 16 | mix(GREY, 0x9c, part) << 8 |
           mix(GREY, 0xf0, part);
}

static void add_share(struct text *text, double share)
{
    svg_add_percent(text, (uint64_t)(share * 10000 + 0.5));
}

void flame_diff_describe(const struct flame_diff *d, const struct flame_frame *frame,
                         struct text *text)
{
    struct share_change change = change_of(d, frame->before, frame->count);

    if (frame->before == 0) {
        text_str(text, share_change_is_noise(&change) ? "; new, within noise" : "; new");
        return;
    }
    text_str(text, "; before ");
    add_share(text, change.before);
    text_str(text, change.difference < 0 ? ": -" : ": +");
    add_share(text, size_of(&change));
    if (share_change_is_noise(&change) && change.difference != 0)
        text_str(text, ", within noise");
}

void flame_diff_explain(const struct flame_diff *d, struct text *text)
{
    if (d->largest == 0) {
        text_str(text, "compared: no change beyond noise");
        return;
    }
    text_str(text, "compared: red is more than before, blue is less, by up to ");
    add_share(text, d->largest);
    if (d->before.profile->is_of_heap)
        text_str(text, " of the heap");
    text_str(text, d->all_after.n_samples > 0 ? "; grey is unchanged or within noise"
                                              : "; grey is unchanged");
}

/* ---- Functions that are gone ------------------------------------------------------- */

struct gone {
    struct string name;
    uint64_t before;
};

/* Adds to the counts of each stack's names, once for each stack. */
static void count_names(const struct fold *fold, const uint32_t *names, uint64_t *counts,
                        size_t n_names)
{
    size_t *seen = memory_allocate(n_names * sizeof(*seen));

    for (size_t i = 0; i < fold->n_stacks; i++) {
        struct fold_stack stack = fold_stack_at(fold, i);

        for (uint32_t j = 0; j < fold_depth(fold, &stack); j++) {
            uint32_t name = fold_name(fold, &stack, j);

            if (names != NULL)
                name = names[name];
            if (seen[name] != i + 1)
                counts[name] = fold_add_up(counts[name], stack.count);
            seen[name] = i + 1;
        }
    }
    memory_release(seen);
}

SORT_ORDER(order_gone, struct gone,
           BY_DESCENDING(before) || BY_ORDER(string_compare(a->name, b->name)));

/* The functions that are gone, of which `n_noise`, the last ones, may be noise. */
static struct gone *find_gone(const struct flame_diff *d, const struct fold *fold,
                              size_t *n, size_t *n_noise)
{
    size_t n_names = fold->names.n;
    uint64_t *before = memory_allocate(n_names * sizeof(*before));
    uint64_t *after = memory_allocate(n_names * sizeof(*after));
    struct gone *gone = memory_allocate(n_names * sizeof(*gone));

    *n = 0;
    *n_noise = 0;
    count_names(&d->before, d->names, before, n_names);
    count_names(fold, NULL, after, n_names);
    for (uint32_t i = 0; i < n_names; i++) {
        struct share_change change = change_of(d, before[i], after[i]);

        if (before[i] == 0 || after[i] > 0)
            continue;
        gone[(*n)++] = (struct gone){string_table_get(&fold->names, i), before[i]};
        *n_noise += share_change_is_noise(&change);
    }
    memory_release(before);
    memory_release(after);
    SORT(gone, *n, order_gone);
    return gone;
}

static void add_number(struct text *text, uint64_t n, const char *separator,
                       const char *after)
{
    text_str(text, separator);
    svg_add_count(text, n);
    text_str(text, after);
}

void flame_diff_add_gone(const struct flame_diff *d, const struct fold *fold, size_t max,
                         struct text *text)
{
    size_t n;
    size_t n_noise;
    struct gone *gone = find_gone(d, fold, &n, &n_noise);
    size_t n_listed = n - n_noise < max ? n - n_noise : max;

    if (n > 0)
        text_str(text, "Gone: ");
    for (size_t i = 0; i < n_listed; i++) {
        struct share_change change = change_of(d, gone[i].before, 0);

        text_str(text, i > 0 ? ", " : "");
        text_add(text, gone[i].name.data, gone[i].name.size);
        text_char(text, ' ');
        add_share(text, change.before);
    }
    if (n - n_noise > n_listed)
        add_number(text, n - n_noise - n_listed, ", ", " more");
    if (n_noise > 0)
        add_number(text, n_noise, n > n_noise ? ", " : "", " within noise");
    memory_release(gone);
}
