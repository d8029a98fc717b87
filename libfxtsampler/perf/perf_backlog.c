/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_backlog.h. */
#include "perf_backlog.h"

#include <stdlib.h>
#include <string.h>

/* Some seconds of samples with copies of stacks, at a thousand of them a second. */
enum { BYTES_MIN = 1 << 20, BYTES_MAX = 1 << 28 };

/* Before each record is its CPU, in a word, so that records are aligned. */
enum { PREFIX_BYTES = 8 };

static bool make_room(struct perf_backlog *backlog, size_t size)
{
    size_t capacity = backlog->capacity > 0 ? backlog->capacity : BYTES_MIN;
    unsigned char *bytes;

    while (capacity - backlog->end < size)
        capacity *= 2;
    if (capacity == backlog->capacity)
        return true;
    bytes = capacity <= BYTES_MAX ? realloc(backlog->bytes, capacity) : NULL;
    if (bytes == NULL)
        return false;
    backlog->bytes = bytes;
    backlog->capacity = capacity;
    return true;
}

bool perf_backlog_add(struct perf_backlog *backlog, uint32_t cpu,
                      const struct perf_event_header *record)
{
    uint64_t prefix = cpu;

    if (!make_room(backlog, PREFIX_BYTES + record->size))
        return false;
    memcpy(backlog->bytes + backlog->end, &prefix, PREFIX_BYTES);
    memcpy(backlog->bytes + backlog->end + PREFIX_BYTES, record, record->size);
    backlog->end += PREFIX_BYTES + record->size;
    return true;
}

bool perf_backlog_take(struct perf_backlog *backlog, uint32_t *cpu, unsigned char *to)
{
    struct perf_event_header header;
    const unsigned char *at;
    uint64_t prefix;

    if (backlog->begin == backlog->end) {
        perf_backlog_free(backlog);
        return false;
    }
    at = backlog->bytes + backlog->begin;
    memcpy(&prefix, at, PREFIX_BYTES);
    memcpy(&header, at + PREFIX_BYTES, sizeof(header));
    memcpy(to, at + PREFIX_BYTES, header.size);
    *cpu = (uint32_t)prefix;
    backlog->begin += PREFIX_BYTES + header.size;
    return true;
}

void perf_backlog_free(struct perf_backlog *backlog)
{
    free(backlog->bytes);
    *backlog = (struct perf_backlog){0};
}
