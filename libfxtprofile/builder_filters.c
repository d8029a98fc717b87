/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: filters. */
#include "builder.h"

static const char too_late[] = "CPUs and times are to be named before the first input";

/* ---- CPUs and times ---------------------------------------------------------------- */

struct wanted_cpus {
    const uint32_t *cpus;
    size_t n;
};

static enum fxt_code want_cpus(struct fxt_profile_builder *b, void *context)
{
    const struct wanted_cpus *wanted = (const struct wanted_cpus *)context;
    struct fxt_profile *p = b->profile;

    if (p->is_started)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, NULL, too_late);
    for (size_t i = 0; i < wanted->n; i++) {
        if (wanted->cpus[i] > CPU_MAX)
            return FXT_E_INVALID;
        cpu_set_add(&p->cpus, wanted->cpus[i]);
    }
    p->has_cpus = true;
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_want_cpus(struct fxt_profile_builder *b,
                                            const uint32_t *cpus, size_t n_cpus)
{
    struct wanted_cpus wanted = {cpus, n_cpus};

    return builder_call(b, want_cpus, &wanted);
}

static enum fxt_code want_time(struct fxt_profile_builder *b, void *context)
{
    const struct time_window *window = (const struct time_window *)context;

    if (b->profile->is_started)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, NULL, too_late);
    if (window->first_ns > window->last_ns)
        return FXT_E_INVALID;
    b->profile->window = *window;
    b->profile->has_window = true;
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_want_time(struct fxt_profile_builder *b,
                                            uint64_t first_ns, uint64_t last_ns)
{
    struct time_window window = {first_ns, last_ns};

    return builder_call(b, want_time, &window);
}

/* ---- Points of heaps --------------------------------------------------------------- */

static enum fxt_code want_heap_point(struct fxt_profile_builder *b, void *context)
{
    b->profile->pipeline.heap.wanted_point = *(const uint64_t *)context;
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_want_heap_point(struct fxt_profile_builder *b,
                                                  uint64_t point)
{
    return builder_call(b, want_heap_point, &point);
}

/* ---- Processes and threads --------------------------------------------------------- */

static enum fxt_code want_process(struct fxt_profile_builder *b, void *context)
{
    filter_add_number(&b->profile->filter.processes, *(const uint64_t *)context);
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_want_process(struct fxt_profile_builder *b,
                                               uint64_t process)
{
    return builder_call(b, want_process, &process);
}

static enum fxt_code want_thread(struct fxt_profile_builder *b, void *context)
{
    filter_add_number(&b->profile->filter.threads, *(const uint64_t *)context);
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_want_thread(struct fxt_profile_builder *b,
                                              uint64_t thread)
{
    return builder_call(b, want_thread, &thread);
}

static enum fxt_code want_process_name(struct fxt_profile_builder *b, void *context)
{
    const char *pattern = memory_copy_string(*(const char *const *)context);

    if (filter_add_pattern(&b->profile->filter.process_names, pattern))
        return FXT_OK;
    return builder_fail(b, FXT_E_INVALID, NULL, "the pattern of a name is empty");
}

enum fxt_code fxt_profile_builder_want_process_name(struct fxt_profile_builder *b,
                                                    const char *pattern)
{
    return builder_call(b, want_process_name, &pattern);
}

/* ---- Functions --------------------------------------------------------------------- */

static enum fxt_code add_expression(struct fxt_profile_builder *b,
                                    struct filter_expressions *to, const char *expression)
{
    if (filter_add_expression(to, expression))
        return FXT_OK;
    return builder_fail(b, FXT_E_INVALID, expression, "no regular expression");
}

static enum fxt_code skip_idle(struct fxt_profile_builder *b, void *context)
{
    b->profile->filter.hides_idle = true;
    return add_expression(b, &b->profile->filter.idle, *(const char *const *)context);
}

static enum fxt_code skip_above(struct fxt_profile_builder *b, void *context)
{
    return add_expression(b, &b->profile->filter.above, *(const char *const *)context);
}

static enum fxt_code skip_below(struct fxt_profile_builder *b, void *context)
{
    return add_expression(b, &b->profile->filter.below, *(const char *const *)context);
}

static enum fxt_code fold_recursion(struct fxt_profile_builder *b, void *context)
{
    (void)context;
    b->profile->filter.folds_recursion = true;
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_skip_idle(struct fxt_profile_builder *b,
                                            const char *expression)
{
    return builder_call(b, skip_idle, &expression);
}

enum fxt_code fxt_profile_builder_skip_above(struct fxt_profile_builder *b,
                                             const char *expression)
{
    return builder_call(b, skip_above, &expression);
}

enum fxt_code fxt_profile_builder_skip_below(struct fxt_profile_builder *b,
                                             const char *expression)
{
    return builder_call(b, skip_below, &expression);
}

enum fxt_code fxt_profile_builder_fold_recursion(struct fxt_profile_builder *b)
{
    return builder_call(b, fold_recursion, NULL);
}
