/* SPDX-License-Identifier: BSD-2-Clause */
/* See conversion.h: the earlier recording. */
#include "conversion.h"

#include <string.h>

#include "tools/common/report.h"

int conversion_read_before(struct conversion *before, const struct conversion *now,
                           struct fxt_profile_file *file)
{
    int status;

    *before = (struct conversion){.converter = now->converter, .options = now->options};
    before->about = file->path;
    before->options.files = file;
    before->options.n_files = 1;
    before->options.where = now->options.before_where;
    before->options.has_point = now->options.has_earlier_point;
    before->options.point = now->options.earlier_point;
    before->options.has_earlier_point = false;
    /* Servers that were given up stay so. */
    before->options.build.use_debuginfod &=
        !reports_have(&now->reports, FXT_PROFILE_REPORT_DEBUGINFOD);
    text_add(&before->command, now->command.data, now->command.size);
    status = conversion_start(before);
    if (status == EXIT_GOOD)
        status = conversion_read(before);
    if (status != EXIT_GOOD)
        return EXIT_UNUSABLE;
    if (before->statistics.n_unusable_inputs > 0 || !conversion_fits(before) ||
        !conversion_spares_symbols(before))
        return EXIT_UNUSABLE;
    conversion_summarize(before);
    return conversion_judge(before);
}

static const char *kind_name(const struct conversion *c)
{
    static const char *const names[] = {
        [FXT_PROFILE_KIND_SAMPLES] = "samples",
        [FXT_PROFILE_KIND_SPANS] = "spans",
        [FXT_PROFILE_KIND_HEAPS] = "allocations",
        [FXT_PROFILE_KIND_CAPTURES] = "a debugger's captures",
        [FXT_PROFILE_KIND_WAITS] = "waits",
        [FXT_PROFILE_KIND_WALL_CLOCK] = "intervals",
    };

    return names[fxt_profile_kind(c->profile)];
}

static bool is_empty(const struct conversion *c)
{
    return fxt_profile_n_samples(c->profile) == 0;
}

static const char *value_name(const struct conversion *c)
{
    struct fxt_profile_value_type type;

    fxt_profile_get_value_type(c->profile, conversion_value(c), &type);
    return type.type;
}

/* Whether one is known as numbers of samples only, and the other also as CPU time. */
static bool lacks_time(const char *one, const char *other)
{
    return strcmp(one, "samples") == 0 && strcmp(other, "cpu") == 0;
}

static void complain_of_kinds(const struct conversion *now,
                              const struct conversion *before)
{
    complain(now->converter->name, before->about,
             "cannot be compared: it has %s, and the later recording %s",
             kind_name(before), kind_name(now));
}

static void complain_of_values(const struct conversion *now,
                               const struct conversion *before)
{
    const char *after = value_name(now);
    const char *earlier = value_name(before);
    const char *problem = NULL;

    if (is_empty(before))
        problem = "it has no samples";
    else if (is_empty(now))
        problem = "the later recording has no samples";
    else if (now->options.write.value_name != NULL)
        problem = "it has no such value";
    else if (lacks_time(after, earlier) || lacks_time(earlier, after))
        problem = "the time of only one of the recordings is known: see --period";
    if (problem != NULL)
        complain(now->converter->name, before->about, "cannot be compared: %s", problem);
    else
        complain(now->converter->name, before->about,
                 "cannot be compared: it has %s, and the later recording %s: see --value "
                 "samples",
                 earlier, after);
}

bool conversion_is_comparable(const struct conversion *now,
                              const struct conversion *before)
{
    bool has_empty = is_empty(now) || is_empty(before);

    /* Formats of the library have room for what is only in one of them. */
    if (has_empty && !conversion_writes_own(now))
        return true;
    if (!has_empty && fxt_profile_kind(now->profile) != fxt_profile_kind(before->profile))
        complain_of_kinds(now, before);
    else if (strcmp(value_name(now), value_name(before)) != 0)
        complain_of_values(now, before);
    else
        return true;
    return false;
}
