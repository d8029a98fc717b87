/* SPDX-License-Identifier: BSD-2-Clause */
/* See summary.h. */
#include "summary.h"

#include "libfxtprofile/losses.h"
#include "tools/common/report.h"

/* "12.5 % of the frames", rounded to the nearest tenth. */
static void add_share(struct text *line, uint64_t part, uint64_t whole)
{
    double tenths = (double)part / (double)whole * 1000 + 0.5;
    uint64_t rounded = (uint64_t)tenths;

    text_u64(line, rounded / 10);
    text_char(line, '.');
    text_u64(line, rounded % 10);
    text_str(line, " %");
}

/* "8 samples, merged into 3". Of spans there can be fewer than stacks, where the time of
 * one comes in parts, around others, or only that of spans that began earlier is wanted;
 * and of objects, where stacks are there for what they have freed. */
static void add_merged(struct text *line, const struct profile *p, uint64_t n)
{
    losses_add_count(line, n, losses_noun(p));
    if (p->n_samples <= n)
        text_str(line, ", merged into ");
    else
        text_str(line, p->is_of_spans ? ", with time on " : ", of ");
    text_u64(line, p->n_samples);
    if (p->n_samples > n)
        text_str(line, p->n_samples == 1 ? " stack" : " stacks");
}

void summary_print(const char *program, const struct profile *p, const struct tally *t,
                   size_t first_comment)
{
    struct text line = {NULL, 0, 0};

    if (t->n_samples > 0 || p->n_samples > 0) {
        add_merged(&line, p, t->n_samples);
        if (!p->is_of_spans && p->n_frames > 0) {
            text_str(&line, "; ");
            add_share(&line, p->n_frames - p->n_named_frames, p->n_frames);
            text_str(&line, " of the frames without a name");
        }
        complain(program, NULL, "%.*s", (int)line.size, line.data);
        text_free(&line);
    }
    for (size_t i = first_comment; i < p->n_comments; i++)
        complain(program, NULL, "%s", p->comments[i]);
}

void summary_print_drops(const char *program, const struct tally *t)
{
    struct text line = {NULL, 0, 0};

    for (size_t cpu = 0; cpu < t->n_cpus; cpu++) {
        if (t->drops_by_cpu[cpu].records == 0)
            continue;
        line.size = 0;
        losses_add_count(&line, t->drops_by_cpu[cpu].records, "record");
        text_str(&line, " dropped (");
        losses_add_count(&line, t->drops_by_cpu[cpu].bytes, "byte");
        text_char(&line, ')');
        complain(program, NULL, "CPU %zu: %.*s", cpu, (int)line.size, line.data);
    }
    text_free(&line);
}
