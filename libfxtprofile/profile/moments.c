/* SPDX-License-Identifier: BSD-2-Clause */
/* See moments.h. */
#include "moments.h"

#include <assert.h>
#include <string.h>

#include "common/base/sort.h"

#define DROPPED UINT32_MAX

void moments_start(struct moments *m, size_t n_samples)
{
    if (!m->is_kept)
        return;
    m->numbers = (uint32_t *)memory_reserve(n_samples * sizeof(*m->numbers));
    m->n_numbers = n_samples;
    for (size_t i = 0; i < n_samples; i++)
        m->numbers[i] = (uint32_t)i;
}

void moments_note(struct moments *m, size_t n_samples, size_t sample, size_t number)
{
    size_t size = n_samples * sizeof(*m->next);

    if (m->numbers == NULL)
        return;
    assert(sample < n_samples);
    if (m->next == NULL) {
        m->next = (uint32_t *)memory_reserve(size);
        memset(m->next, 0xff, size);
    }
    m->next[sample] = (uint32_t)number;
}

void moments_renumber(struct moments *m)
{
    for (size_t i = 0; i < m->n_numbers; i++) {
        if (m->numbers[i] != DROPPED)
            m->numbers[i] = m->next != NULL ? m->next[m->numbers[i]] : DROPPED;
    }
    memory_release(m->next);
    m->next = NULL;
}

/* ---- The end ----------------------------------------------------------------------- */

SORT_ORDER(order_moments, struct profile_moment, BY(time_ns) || BY(sample));

void moments_finish(struct moments *m, struct profile *p)
{
    struct profile_moment last = {0, 0};
    bool is_ordered = true;
    size_t n = 0;

    if (m->numbers == NULL || p->is_of_heap)
        return;
    for (size_t i = 0; i < m->n; i++) {
        struct profile_moment next = m->all[i];

        next.sample = next.sample != TIME_LOG_MARK ? m->numbers[next.sample] : DROPPED;
        if (next.sample == DROPPED)
            continue;
        is_ordered &= last.time_ns < next.time_ns ||
                      (last.time_ns == next.time_ns && last.sample <= next.sample);
        m->all[n++] = next;
        last = next;
    }
    if (!is_ordered)
        SORT(m->all, n, order_moments);
    p->moments = m->all;
    p->n_moments = n;
    m->all = NULL;
}

void moments_free(struct moments *m)
{
    memory_release(m->all);
    memory_release(m->numbers);
    memory_release(m->next);
    *m = (struct moments){.is_kept = false};
}
