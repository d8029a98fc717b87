/* SPDX-License-Identifier: BSD-2-Clause */
/* See filter.h: the options, and samples of other processes and threads. */
#include "filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"

/* ---- Options ----------------------------------------------------------------------- */

void filter_add_number(struct filter_numbers *to, uint64_t number)
{
    to->numbers =
        (uint64_t *)memory_grow(to->numbers, to->n, &to->capacity, sizeof(*to->numbers));
    to->numbers[to->n++] = number;
}

bool filter_add_pattern(struct filter_patterns *to, const char *pattern)
{
    to->patterns = (const char **)memory_grow(to->patterns, to->n, &to->capacity,
                                              sizeof(*to->patterns));
    to->patterns[to->n++] = pattern;
    return pattern[0] != '\0';
}

static void release_expression(void *context)
{
    regfree(&((struct filter_expression *)context)->compiled);
}

bool filter_add_expression(struct filter_expressions *to, const char *extended)
{
    struct filter_expression *expression;

    if (extended[0] == '\0')
        return false;
    to->expressions = (struct filter_expression **)memory_grow(
        to->expressions, to->n, &to->capacity, sizeof(struct filter_expression *));
    expression = (struct filter_expression *)memory_allocate(sizeof(*expression));
    if (regcomp(&expression->compiled, extended, REG_EXTENDED | REG_NOSUB) != 0) {
        memory_release(expression);
        return false;
    }
    memory_cleanup_add(&expression->cleanup, release_expression, expression);
    to->expressions[to->n++] = expression;
    return true;
}

static void free_expressions(struct filter_expressions *expressions)
{
    for (size_t i = 0; i < expressions->n; i++) {
        struct filter_expression *expression = expressions->expressions[i];

        memory_cleanup_remove(&expression->cleanup);
        release_expression(expression);
        memory_release(expression);
    }
    memory_release(expressions->expressions);
}

void filter_free(struct filter *f)
{
    memory_release(f->processes.numbers);
    memory_release(f->threads.numbers);
    memory_release(f->process_names.patterns);
    free_expressions(&f->idle);
    free_expressions(&f->above);
    free_expressions(&f->below);
}

/* ---- Samples ----------------------------------------------------------------------- */

static bool has_number(const struct filter_numbers *numbers, uint64_t number)
{
    for (size_t i = 0; i < numbers->n; i++) {
        if (numbers->numbers[i] == number)
            return true;
    }
    return false;
}

static bool is_process_kept(const struct filter *f, const struct koid_names *names,
                            struct koid_names_id process)
{
    struct string name;

    if (f->processes.n == 0 && f->process_names.n == 0)
        return true;
    if (has_number(&f->processes, process.koid))
        return true;
    name = koid_names_name(names, process);
    for (size_t i = 0; i < f->process_names.n; i++) {
        if (name.size > 0 &&
            glob_matches(f->process_names.patterns[i], name.data, name.size))
            return true;
    }
    return false;
}

void filter_count(struct filter_count *count, const struct profile *p, size_t sample)
{
    count->n += profile_count(p, sample);
    if (p->is_of_spans)
        count->ns = profile_add_up(count->ns, p->values[sample * p->n_types + 1]);
}

/* Whether a sample is kept; if not, it is counted. */
static bool is_sample_kept(const struct filter *f, const struct profile *p, size_t sample,
                           struct filter_tally *tally)
{
    const struct profile_labels *labels = &p->labels[p->samples[sample].labels];

    if (!is_process_kept(f, &p->koid_names, profile_process(labels))) {
        filter_count(&tally->other_process, p, sample);
        return false;
    }
    if (f->threads.n > 0 && !has_number(&f->threads, labels->thread)) {
        filter_count(&tally->other_thread, p, sample);
        return false;
    }
    return true;
}

void filter_samples(const struct filter *f, struct profile_builder *b,
                    struct filter_tally *tally)
{
    struct profile *p = &b->profile;
    size_t kept = 0;

    if (f->processes.n == 0 && f->process_names.n == 0 && f->threads.n == 0)
        return;
    for (size_t i = 0; i < p->n_samples; i++) {
        if (is_sample_kept(f, p, i, tally))
            profile_builder_move_sample(b, i, kept++);
    }
    p->n_samples = kept;
}
