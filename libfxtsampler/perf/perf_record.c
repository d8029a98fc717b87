/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_record.h. */
#include "perf_record.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <fxt/format.h>

#include "perf_body.h"

/* Samples have it at an offset in their body, and other records from their end. */
static uint64_t read_field(const struct perf_event_header *record, size_t in_sample,
                           size_t from_end)
{
    const size_t header = sizeof(*record);
    bool is_sample = record->type == PERF_RECORD_SAMPLE;
    size_t size = record->size;
    uint64_t field = 0;

    if (size < header + (is_sample ? in_sample + sizeof(field) : from_end))
        return 0;
    memcpy(&field,
           (const unsigned char *)record +
               (is_sample ? header + in_sample : size - from_end),
           sizeof(field));
    return field;
}

/* What this process's CLOCK_MONOTONIC is ahead of perf's, in nanoseconds; modulo 2^64. */
static uint64_t clock_offset;

void perf_read_clock_offset(void)
{
    FILE *file = fopen("/proc/self/timens_offsets", "re");
    char clock[16];
    long long seconds;
    long long ns;

    clock_offset = 0;
    while (file != NULL && fscanf(file, "%15s %lld %lld", clock, &seconds, &ns) == 3) {
        if (strcmp(clock, "monotonic") == 0)
            clock_offset = (uint64_t)seconds * 1000000000 + (uint64_t)ns;
    }
    if (file != NULL)
        fclose(file);
}

uint64_t perf_read_time(const struct perf_event_header *record)
{
    uint64_t time = read_field(record, 16, 16);

    return time != 0 ? time + clock_offset : 0;
}

uint64_t perf_read_id(const struct perf_event_header *record)
{
    return read_field(record, 24, 8);
}

uint64_t perf_read_period(const struct perf_event_header *record)
{
    struct perf_body body = perf_body_of(record);
    uint64_t period;

    return perf_body_skip(&body, 32) && perf_body_take(&body, &period, 8) ? period : 0;
}

/* A name ends in zeros up to a multiple of eight bytes. */
static const char *take_name(struct perf_body *body)
{
    const char *name = (const char *)body->at;

    return memchr(name, '\0', body->left) != NULL ? name : NULL;
}

bool perf_read_lost(const struct perf_event_header *record, uint64_t *n)
{
    struct perf_body body = perf_body_of(record);
    uint64_t id;

    return perf_body_take(&body, &id, 8) && perf_body_take(&body, n, 8);
}

static bool read_name(const struct perf_event_header *record,
                      struct fxt_sampler_event *event)
{
    struct perf_body body = perf_body_of(record);

    event->kind = (record->misc & PERF_RECORD_MISC_COMM_EXEC) != 0 ? FXT_SAMPLER_EXECUTED
                                                                   : FXT_SAMPLER_NAMED;
    if (!perf_body_take(&body, &event->process, 4) ||
        !perf_body_take(&body, &event->thread, 4))
        return false;
    event->name = take_name(&body);
    return event->name != NULL;
}

static bool read_fork(const struct perf_event_header *record,
                      struct fxt_sampler_event *event)
{
    struct perf_body body = perf_body_of(record);

    event->kind = FXT_SAMPLER_FORKED;
    return perf_body_take(&body, &event->process, 4) &&
           perf_body_take(&body, &event->parent, 4) &&
           perf_body_take(&body, &event->thread, 4) &&
           perf_body_take(&body, &event->parent_thread, 4);
}

/* PROT_EXEC and so on to enum fxt_mapping_flag. */
static uint32_t flags_of(uint32_t protection)
{
    return ((protection & PROT_EXEC) != 0 ? FXT_MAPPING_EXECUTE : 0u) |
           ((protection & PROT_WRITE) != 0 ? FXT_MAPPING_WRITE : 0u) |
           ((protection & PROT_READ) != 0 ? FXT_MAPPING_READ : 0u);
}

/* The fields that identify the mapped file: its build id, or its device and inode. */
enum { FILE_ID_BYTES = 24 };

static void take_build_id(const struct perf_body *id, struct fxt_sampler_event *event)
{
    event->build_id = id->at + 4;
    event->build_id_size = id->at[0] <= 20 ? id->at[0] : 0;
}

static void take_inode(struct perf_body *id, struct fxt_sampler_event *event)
{
    perf_body_take(id, &event->device_major, 4);
    perf_body_take(id, &event->device_minor, 4);
    perf_body_take(id, &event->inode, 8);
    perf_body_take(id, &event->inode_generation, 8);
}

static bool read_mapping(const struct perf_event_header *record, bool has_build_id,
                         struct fxt_sampler_event *event)
{
    struct perf_body body = perf_body_of(record);
    uint32_t protection;
    uint32_t map_flags;
    struct perf_body id;

    event->kind = FXT_SAMPLER_MAPPED;
    if (!perf_body_take(&body, &event->process, 4) ||
        !perf_body_take(&body, &event->thread, 4) ||
        !perf_body_take(&body, &event->start, 8) ||
        !perf_body_take(&body, &event->length, 8) ||
        !perf_body_take(&body, &event->offset, 8))
        return false;
    id = body;
    if (!perf_body_skip(&body, FILE_ID_BYTES) || !perf_body_take(&body, &protection, 4) ||
        !perf_body_take(&body, &map_flags, 4))
        return false;
    /* The record's build id is valid only where build ids were requested (perf.c). */
    if (has_build_id && (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0)
        take_build_id(&id, event);
    else
        take_inode(&id, event);
    event->flags = flags_of(protection);
    event->name = take_name(&body);
    return event->name != NULL;
}

bool perf_read_exit(const struct perf_event_header *record, pid_t *process, pid_t *thread)
{
    struct perf_body body = perf_body_of(record);

    return perf_body_take(&body, process, 4) && perf_body_skip(&body, 4) &&
           perf_body_take(&body, thread, 4);
}

bool perf_read_owner(const struct perf_event_header *record, pid_t *process,
                     pid_t *thread)
{
    struct perf_body body = perf_body_of(record);

    return perf_body_skip(&body, 8) && perf_body_take(&body, process, 4) &&
           perf_body_take(&body, thread, 4);
}

bool perf_read_event(const struct perf_event_header *record, bool has_build_id,
                     struct fxt_sampler_event *event)
{
    memset(event, 0, sizeof(*event));
    switch (record->type) {
    case PERF_RECORD_COMM:
        return read_name(record, event);
    case PERF_RECORD_FORK:
        return read_fork(record, event);
    case PERF_RECORD_MMAP2:
        return read_mapping(record, has_build_id, event);
    default:
        return false;
    }
}
