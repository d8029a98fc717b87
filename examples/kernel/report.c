/* SPDX-License-Identifier: BSD-2-Clause */
/* See report.h. */
#include "report.h"

#include "arch.h"

struct report report = {.magic = REPORT_MAGIC, .ticks_per_second = ARCH_TICKS_PER_SECOND};

void report_add(unsigned session, unsigned cpu, enum source_id id, const void *data,
                uint64_t size)
{
    const struct source *source = session_source(cpu, id);

    if (report.n == MAX_REPORTED) {
        report_failure("the report is full", 0);
        return;
    }
    report.all[report.n++] = (struct reported){
        .session = session,
        .cpu = cpu,
        .source = id,
        .address = (uintptr_t)data,
        .size = size,
        .n_taken = source->n_taken,
        .n_dropped = source->emit.dropped_records,
        .n_invalid = source->emit.invalid_records,
    };
}

void report_failure(const char *why, uint64_t pc)
{
    if (report.why[0] != '\0')
        return;
    report.pc = pc;
    for (unsigned i = 0; i + 1 < sizeof(report.why) && why[i] != '\0'; i++)
        report.why[i] = why[i];
}
