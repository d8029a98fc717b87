/* SPDX-License-Identifier: BSD-2-Clause */
/* See event_summary.h. */
#include "event_summary.h"

#include "common/base/memory.h"

void event_summary_free(struct event_summary *s)
{
    for (int kind = 0; kind < SUMMARY_KINDS; kind++) {
        struct summary_rows *rows = &s->kinds[kind];

        memory_release(rows->rows);
        memory_release(rows->times);
        memory_release(rows->steps);
    }
    memory_release(s->counters);
    memory_release(s->values);
    memory_release(s->threads);
    string_table_free(&s->strings);
    *s = (struct event_summary){.n_counters = 0};
}
