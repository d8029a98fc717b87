/* SPDX-License-Identifier: BSD-2-Clause */
/* See summary.h. */
#include "summary.h"

#include "report.h"

/* "1 sample", "2 samples" */
static void add_count(struct text *text, uint64_t n, const char *what)
{
    text_u64(text, n);
    text_char(text, ' ');
    text_str(text, what);
    if (n != 1)
        text_char(text, 's');
}

static void comment(struct profile *p, struct text *sentence)
{
    text_char(sentence, '\0');
    profile_comment(p, sentence->data);
    sentence->size = 0;
}

static void comment_count(struct profile *p, uint64_t n, const char *what,
                          const char *rest)
{
    struct text sentence = {NULL, 0, 0};

    if (n == 0)
        return;
    add_count(&sentence, n, what);
    text_str(&sentence, rest);
    comment(p, &sentence);
    text_free(&sentence);
}

/* ", on CPU 3", or on how many. */
static void add_cpus(struct text *sentence, const struct tally *t)
{
    size_t n = 0;
    size_t last = 0;

    for (size_t cpu = 0; cpu < t->n_cpus; cpu++) {
        if (t->drops_by_cpu[cpu].records > 0) {
            last = cpu;
            n++;
        }
    }
    if (n == 1)
        text_printf(sentence, ", on CPU %zu", last);
    else if (n > 1)
        text_printf(sentence, ", on %zu CPUs", n);
}

static void comment_drops(struct profile *p, const struct tally *t)
{
    struct text sentence = {NULL, 0, 0};

    if (t->drops.records == 0 && t->drops.bytes == 0)
        return;
    add_count(&sentence, t->drops.records, "record");
    text_str(&sentence, " dropped by the sampler for lack of room (");
    add_count(&sentence, t->drops.bytes, "byte");
    text_char(&sentence, ')');
    add_cpus(&sentence, t);
    comment(p, &sentence);
    text_free(&sentence);
}

void summary_comment(struct profile *p, const struct tally *t, uint64_t n_errors)
{
    comment_drops(p, t);
    comment_count(p, t->n_maybe_cut, "sample",
                  " with as many frames as the sampler takes: outer ones may be missing");
    comment_count(p, t->n_not_unwound, "sample",
                  " left out: raw stack memory, not unwound");
    comment_count(p, t->n_without_pcs, "sample", " left out: not a single whole PC");
    comment_count(p, t->n_other_cpu, "sample", " left out: of other CPUs");
    comment_count(p, t->n_no_cpu, "sample", " left out: of no known CPU");
    comment_count(p, t->n_lost_mappings, "mapping",
                  " ignored: of no length, or of a module that was not announced");
    comment_count(p, n_errors, "error",
                  " in the input: what could not be read is not counted here");
}

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

void summary_print(const char *program, const struct profile *p, const struct tally *t,
                   size_t first_comment)
{
    struct text line = {NULL, 0, 0};

    if (t->n_samples > 0) {
        add_count(&line, t->n_samples, "sample");
        text_printf(&line, ", merged into %zu; ", p->n_samples);
        add_share(&line, p->n_frames - p->n_named_frames, p->n_frames);
        text_str(&line, " of the frames without a name");
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
        add_count(&line, t->drops_by_cpu[cpu].records, "record");
        text_str(&line, " dropped (");
        add_count(&line, t->drops_by_cpu[cpu].bytes, "byte");
        text_char(&line, ')');
        complain(program, NULL, "CPU %zu: %.*s", cpu, (int)line.size, line.data);
    }
    text_free(&line);
}
