/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_ring.h. */
#include "perf_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- The ring ---------------------------------------------------------------------- */

/* Two megabytes hold what a CPU does in some 60 ms at the shortest period. A user other
 * than root may often have no more than half of one. */
enum { RING_BYTES = 1 << 21, RING_BYTES_MIN = 1 << 14 };

bool perf_ring_map(struct perf_ring *ring, int event)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t size = RING_BYTES; size >= RING_BYTES_MIN && size >= page; size /= 2) {
        void *memory =
            mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);

        if (memory == MAP_FAILED && errno != EPERM && errno != ENOMEM)
            return false;
        if (memory == MAP_FAILED)
            continue;
        ring->scratch = malloc(PERF_RECORD_BYTES_MAX);
        if (ring->scratch == NULL) {
            munmap(memory, page + size);
            return false;
        }
        ring->page = memory;
        ring->data = (const unsigned char *)memory + page;
        ring->size = size;
        ring->mapped_size = page + size;
        return true;
    }
    return false;
}

void perf_ring_unmap(struct perf_ring *ring)
{
    if (ring->page != NULL)
        munmap(ring->page, ring->mapped_size);
    perf_ring_forget(ring);
}

void perf_ring_forget(struct perf_ring *ring)
{
    free(ring->scratch);
    *ring = (struct perf_ring){NULL, NULL, 0, 0, NULL};
}

/* Copies a record that wraps around the end. */
static void copy_out(struct perf_ring *ring, uint64_t at, size_t size)
{
    size_t offset = (size_t)(at & (ring->size - 1));
    size_t first = ring->size - offset < size ? ring->size - offset : size;

    memcpy(ring->scratch, ring->data + offset, first);
    memcpy(ring->scratch + first, ring->data, size - first);
}

const struct perf_event_header *perf_ring_next(struct perf_ring *ring)
{
    uint64_t head = FXT_LOAD_ACQUIRE(&ring->page->data_head);
    uint64_t tail = ring->page->data_tail;
    size_t offset = (size_t)(tail & (ring->size - 1));
    struct perf_event_header header;
    const void *record = ring->data + offset;

    /* Records are aligned to 8 bytes, so that a header does not go around the end. */
    if (head - tail < sizeof(header) || ring->size - offset < sizeof(header))
        return NULL;
    memcpy(&header, record, sizeof(header));
    if (header.size < sizeof(header) || header.size % 8 != 0 || header.size > head - tail)
        return NULL;
    if (header.size > ring->size - offset) {
        copy_out(ring, tail, header.size);
        record = ring->scratch;
    }
    return (const struct perf_event_header *)record;
}

void perf_ring_drop(struct perf_ring *ring, const struct perf_event_header *record)
{
    FXT_STORE_RELEASE(&ring->page->data_tail, ring->page->data_tail + record->size);
}

/* ---- Records ----------------------------------------------------------------------- */

/* What of a record's body is not read yet. */
struct body {
    const unsigned char *at;
    size_t left;
};

static struct body body_of(const struct perf_event_header *record)
{
    const unsigned char *bytes = (const unsigned char *)record;

    return (struct body){bytes + sizeof(*record), record->size - sizeof(*record)};
}

static bool skip(struct body *body, size_t size)
{
    if (size > body->left)
        return false;
    body->at += size;
    body->left -= size;
    return true;
}

static bool take(struct body *body, void *to, size_t size)
{
    const unsigned char *from = body->at;

    if (!skip(body, size))
        return false;
    memcpy(to, from, size);
    return true;
}

/* A name ends in zeros up to a multiple of eight bytes. */
static const char *take_name(struct body *body)
{
    const char *name = (const char *)body->at;

    return memchr(name, '\0', body->left) != NULL ? name : NULL;
}

static bool is_marker(uint64_t pc)
{
    return pc >= (uint64_t)PERF_CONTEXT_MAX;
}

bool perf_read_sample(const struct perf_event_header *record, struct perf_sample *sample)
{
    struct body body = body_of(record);
    uint64_t ip;
    uint64_t n;

    if (!take(&body, &ip, 8) || !take(&body, &sample->process, 4) ||
        !take(&body, &sample->thread, 4) || !take(&body, &sample->time, 8) ||
        !take(&body, &n, 8) || n > body.left / 8)
        return false;
    sample->n_pcs = 0;
    for (uint64_t i = 0; i < n && sample->n_pcs < FXT_SAMPLER_PCS_MAX; i++) {
        uint64_t pc;

        if (take(&body, &pc, 8) && !is_marker(pc))
            sample->pcs[sample->n_pcs++] = pc;
    }
    /* The kernel has no stack of a thread that is on its way out. */
    if (sample->n_pcs == 0)
        sample->pcs[sample->n_pcs++] = ip;
    return true;
}

bool perf_read_lost(const struct perf_event_header *record, uint64_t *n)
{
    struct body body = body_of(record);
    uint64_t id;

    return take(&body, &id, 8) && take(&body, n, 8);
}

static bool read_name(const struct perf_event_header *record,
                      struct fxt_sampler_event *event)
{
    struct body body = body_of(record);

    event->kind = (record->misc & PERF_RECORD_MISC_COMM_EXEC) != 0 ? FXT_SAMPLER_EXECUTED
                                                                   : FXT_SAMPLER_NAMED;
    if (!take(&body, &event->process, 4) || !take(&body, &event->thread, 4))
        return false;
    event->name = take_name(&body);
    return event->name != NULL;
}

static bool read_fork(const struct perf_event_header *record,
                      struct fxt_sampler_event *event)
{
    struct body body = body_of(record);

    event->kind = FXT_SAMPLER_FORKED;
    return take(&body, &event->process, 4) && take(&body, &event->parent, 4) &&
           take(&body, &event->thread, 4) && take(&body, &event->parent_thread, 4);
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

static void take_build_id(const struct body *id, struct fxt_sampler_event *event)
{
    event->build_id = id->at + 4;
    event->build_id_size = id->at[0] <= 20 ? id->at[0] : 0;
}

static void take_inode(struct body *id, struct fxt_sampler_event *event)
{
    take(id, &event->device_major, 4);
    take(id, &event->device_minor, 4);
    take(id, &event->inode, 8);
    take(id, &event->inode_generation, 8);
}

static bool read_mapping(const struct perf_event_header *record, bool has_build_id,
                         struct fxt_sampler_event *event)
{
    struct body body = body_of(record);
    uint32_t protection;
    uint32_t map_flags;
    struct body id;

    event->kind = FXT_SAMPLER_MAPPED;
    if (!take(&body, &event->process, 4) || !take(&body, &event->thread, 4) ||
        !take(&body, &event->start, 8) || !take(&body, &event->length, 8) ||
        !take(&body, &event->offset, 8))
        return false;
    id = body;
    if (!skip(&body, FILE_ID_BYTES) || !take(&body, &protection, 4) ||
        !take(&body, &map_flags, 4))
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

bool perf_read_event(const struct perf_event_header *record,
                     const struct perf_event_attr *attr, struct fxt_sampler_event *event)
{
    memset(event, 0, sizeof(*event));
    switch (record->type) {
    case PERF_RECORD_COMM:
        return read_name(record, event);
    case PERF_RECORD_FORK:
        return read_fork(record, event);
    case PERF_RECORD_MMAP2:
        return read_mapping(record, attr->build_id != 0, event);
    default:
        return false;
    }
}
