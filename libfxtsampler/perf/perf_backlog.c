/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_backlog.h. */
#include "perf_backlog.h"

#include <stdlib.h>
#include <string.h>

/* Some seconds of samples with copies of stacks, at a thousand of them a second. */
enum { BYTES_MIN = 1 << 20, BYTES_MAX = 1 << 28 };

/* Before each record is its CPU, in a word, so that records are aligned. */
enum { PREFIX_BYTES = 8 };

/* Each byte is moved once, on average, at most. */
static void move_to_front(struct perf_backlog *backlog)
{
    size_t size = backlog->end - backlog->begin;

    memmove(backlog->bytes, backlog->bytes + backlog->begin, size);
    backlog->begin = 0;
    backlog->end = size;
}

static bool make_room(struct perf_backlog *backlog, size_t size)
{
    size_t capacity = backlog->capacity > 0 ? backlog->capacity : BYTES_MIN;
    unsigned char *bytes;

    if (backlog->capacity - backlog->end < size && backlog->begin >= backlog->end / 2 &&
        backlog->begin > 0)
        move_to_front(backlog);
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
                      const struct perf_event_header *record, struct perf_gap gap)
{
    const unsigned char *from = (const unsigned char *)record;
    struct perf_event_header header = *record;
    uint64_t prefix = cpu;
    unsigned char *to;

    header.size = (uint16_t)(record->size - gap.size);
    if (!make_room(backlog, PREFIX_BYTES + header.size))
        return false;
    to = backlog->bytes + backlog->end;
    memcpy(to, &prefix, PREFIX_BYTES);
    to += PREFIX_BYTES;
    memcpy(to, from, gap.offset);
    memcpy(to + gap.offset, from + gap.offset + gap.size, header.size - gap.offset);
    memcpy(to, &header, sizeof(header));
    backlog->end += PREFIX_BYTES + header.size;
    backlog->n++;
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
    backlog->n--;
    return true;
}

void perf_backlog_free(struct perf_backlog *backlog)
{
    free(backlog->bytes);
    *backlog = (struct perf_backlog){0};
}
