/* SPDX-License-Identifier: BSD-2-Clause */
/* See drain.h. Where another kernel would hand records to a program or a network, this
 * one collects them. */
#include "drain.h"

#include <fxt/ring.h>

#include "frame.h"
#include "report.h"

enum { N_WORDS = 1 << 16 };

struct drained {
    struct fxt_ring ring;
    uint64_t n_words;
    uint64_t words[N_WORDS];
};

static struct drained drained[N_CPUS][N_SOURCES];

void drain_open(const struct session *session)
{
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = 0; id < N_SOURCES; id++) {
            struct drained *to = &drained[cpu][id];

            to->n_words = 0;
            if (!fxt_ring_open(&to->ring, session_memory(session, cpu, id),
                               session->size))
                report_failure("a ring did not open", cpu);
        }
}

/* Takes out what is there, or as much as lies in one piece. */
static void drain(struct drained *to)
{
    const uint64_t *words;
    uint64_t n_words = fxt_ring_peek(&to->ring, &words);

    if (n_words > N_WORDS - to->n_words || to->ring.faults != 0) {
        report_failure("a ring has too much, or makes no sense", to->ring.faults);
        return;
    }
    for (uint64_t i = 0; i < n_words; i++)
        to->words[to->n_words++] = words[i];
    fxt_ring_consume(&to->ring, n_words);
}

void drain_all(void)
{
    KEEP_FRAME();
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = 0; id < N_SOURCES; id++)
            drain(&drained[cpu][id]);
}

bool drain_has_room(void)
{
    KEEP_FRAME();
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        for (unsigned id = 0; id < N_SOURCES; id++)
            if (drained[cpu][id].n_words > N_WORDS / 2)
                return false;
    return true;
}

const void *drain_data(unsigned cpu, enum source_id id, uint64_t *size)
{
    *size = drained[cpu][id].n_words * FXT_WORD_BYTES;
    return drained[cpu][id].words;
}
