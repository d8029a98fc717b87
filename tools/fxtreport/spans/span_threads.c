/* SPDX-License-Identifier: BSD-2-Clause */
/* See span_threads.h. */
#include "span_threads.h"

#include "common/base/memory.h"
#include "common/base/sort.h"

SORT_ORDER(order_rows, struct span_thread_row,
           BY(boot) || BY(thread) || BY(process) || BY(index));

static bool have_one_number(const struct span_thread_row *a,
                            const struct span_thread_row *b)
{
    return a->boot == b->boot && a->thread == b->thread;
}

/* Rows of one boot and thread number, of which those without a process are the first. */
static void join_rows(struct span_threads *t, const struct span_thread_row *rows,
                      size_t n)
{
    bool is_one_process;
    size_t known = 0;

    while (known < n && rows[known].process == 0)
        known++;
    is_one_process = known < n && rows[known].process == rows[n - 1].process &&
                     rows[known].thread != 0;
    for (size_t i = 0; i < n; i++) {
        size_t first = i;

        if (i > 0 && rows[i].process == rows[i - 1].process)
            first = i - 1;
        else if (is_one_process && i == known)
            first = 0;
        t->first[rows[i].index] =
            first == i ? rows[i].index : t->first[rows[first].index];
    }
}

void span_threads_make(struct span_threads *t, const struct fxt_profile *profile)
{
    size_t n = fxt_profile_n_event_threads(profile);
    size_t last;

    *t = (struct span_threads){.profile = profile, .n = n};
    t->first = memory_allocate(n * sizeof(*t->first));
    t->rows = memory_allocate(n * sizeof(*t->rows));
    for (size_t i = 0; i < n; i++) {
        struct fxt_profile_event_thread thread;

        fxt_profile_get_event_thread(profile, i, &thread);
        t->rows[i] = (struct span_thread_row){thread.boot, thread.thread, thread.process,
                                              (uint32_t)i};
    }
    SORT(t->rows, n, order_rows);
    for (size_t first = 0; first < n; first = last) {
        for (last = first + 1;
             last < n && have_one_number(&t->rows[last], &t->rows[first]);)
            last++;
        join_rows(t, t->rows + first, last - first);
    }
}

uint32_t span_threads_find(const struct span_threads *t, uint32_t boot, uint64_t process,
                           uint64_t thread)
{
    const struct span_thread_row wanted = {boot, thread, process, 0};
    size_t from = 0;
    size_t to = t->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (order_rows(&t->rows[middle], &wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (thread == 0)
        return FXT_PROFILE_NONE;
    if (from < t->n && have_one_number(&t->rows[from], &wanted))
        return t->first[t->rows[from].index];
    if (from > 0 && have_one_number(&t->rows[from - 1], &wanted))
        return t->first[t->rows[from - 1].index];
    return FXT_PROFILE_NONE;
}

static void add_name(struct text *text, struct fxt_string name, uint64_t number)
{
    text_add(text, name.data, name.size);
    text_char(text, '[');
    text_u64(text, number);
    text_char(text, ']');
}

void span_threads_name(const struct span_threads *t, uint32_t index, struct text *text)
{
    struct fxt_profile_event_thread thread;

    fxt_profile_get_event_thread(t->profile, index, &thread);
    add_name(text, thread.thread_name, thread.thread);
    if (thread.process == 0)
        return;
    text_str(text, " of ");
    add_name(text, thread.process_name, thread.process);
}
