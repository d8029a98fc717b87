/* SPDX-License-Identifier: BSD-2-Clause */
/* See conversion.h: what a profile holds and what it lacks. */
#include "conversion.h"

#include "common/base/text.h"
#include "tools/common/report.h"

static const char *noun_of(enum fxt_profile_kind kind)
{
    switch (kind) {
    case FXT_PROFILE_KIND_SPANS:
        return "span";
    case FXT_PROFILE_KIND_HEAPS:
        return "object";
    case FXT_PROFILE_KIND_WAITS:
        return "wait";
    case FXT_PROFILE_KIND_WALL_CLOCK:
        return "interval";
    case FXT_PROFILE_KIND_SAMPLES:
    case FXT_PROFILE_KIND_CAPTURES:
        break;
    }
    return "sample";
}

static bool is_of_times(enum fxt_profile_kind kind)
{
    return kind == FXT_PROFILE_KIND_SPANS || kind == FXT_PROFILE_KIND_WAITS ||
           kind == FXT_PROFILE_KIND_WALL_CLOCK;
}

/* "8 samples, merged into 3 stacks", by addresses: formats of names may show fewer. Of
 * spans and waits there can be fewer than stacks, where the time of one comes in parts,
 * or only that of those that began earlier is wanted; and of objects, where stacks are
 * there for what they have freed. */
static void add_merged(struct text *line, const struct fxt_profile *profile, uint64_t n)
{
    enum fxt_profile_kind kind = fxt_profile_kind(profile);
    size_t n_merged = fxt_profile_n_samples(profile);

    text_count(line, n, noun_of(kind));
    if (n_merged <= n)
        text_str(line, ", merged into ");
    else
        text_str(line, is_of_times(kind) ? ", with time on " : ", of ");
    text_count(line, n_merged, "stack");
}

static void print_counts(const char *program, const struct fxt_profile *profile)
{
    struct fxt_profile_statistics s = {.size = sizeof(s)};
    struct text line = {NULL, 0, 0};

    fxt_profile_get_statistics(profile, &s);
    if (s.n_samples == 0 && fxt_profile_n_samples(profile) == 0)
        return;
    add_merged(&line, profile, s.n_samples);
    if (s.n_frames > 0 &&
        (!is_of_times(fxt_profile_kind(profile)) || s.n_named_frames < s.n_frames)) {
        text_str(&line, "; ");
        text_share(&line, s.n_frames - s.n_named_frames, s.n_frames);
        text_str(&line, " of the frames without a name");
    }
    complain_text(program, NULL, &line);
}

static void print_events(const char *program, const struct fxt_profile *profile)
{
    struct text line = {NULL, 0, 0};

    if (fxt_profile_n_events(profile) == 0)
        return;
    text_count(&line, fxt_profile_n_events(profile), "event");
    complain_text(program, NULL, &line);
}

/* Stacks that are not whole are losses, which say how many they are. */
static void print_whole_stacks(const char *program, const struct fxt_profile *profile)
{
    struct fxt_profile_statistics s = {.size = sizeof(s)};

    fxt_profile_get_statistics(profile, &s);
    if (s.n_stack_ends > 0 && s.n_whole_stacks == s.n_stack_ends)
        complain(program, NULL, "all stacks are whole");
}

void summary_print(const char *program, const struct fxt_profile *profile)
{
    print_counts(program, profile);
    print_events(program, profile);
    print_whole_stacks(program, profile);
    for (size_t i = 0; i < fxt_profile_n_losses(profile); i++)
        complain(program, NULL, "%s", fxt_profile_loss(profile, i));
}

void summary_print_drops(const char *program, const struct fxt_profile *profile)
{
    struct text line = {NULL, 0, 0};

    for (size_t cpu = 0; cpu < fxt_profile_n_cpus(profile); cpu++) {
        struct fxt_profile_drops drops;

        fxt_profile_get_drops(profile, cpu, &drops);
        if (drops.n_records == 0)
            continue;
        line.size = 0;
        text_count(&line, drops.n_records, "record");
        text_str(&line, " dropped (");
        text_count(&line, drops.n_bytes, "byte");
        text_char(&line, ')');
        complain(program, NULL, "CPU %zu: %.*s", cpu, (int)line.size, line.data);
    }
}
