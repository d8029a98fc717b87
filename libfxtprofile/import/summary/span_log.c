/* SPDX-License-Identifier: BSD-2-Clause */
/* See span_log.h. */
#include "span_log.h"

#include "common/base/binary.h"
#include "common/base/memory.h"
#include "common/spans/span_match.h"

/* An entry is a name and a kind, a difference of times and, of a complete span, its
 * length: at most so many bytes. */
enum { MOST_BYTES = 25 };

/* Blocks are small at first, for there may be as many threads as events, and get as large
 * as huge pages are worth, which they fill: the sizes include what is before the
 * entries. */
enum { FIRST_BLOCK = 128, LARGEST_BLOCK = 1 << 22 };

struct span_block {
    struct span_block *next;
    size_t size;
    size_t capacity;
    unsigned char bytes[];
};

#define BEFORE_ENTRIES (MEMORY_BLOCK_BYTES + sizeof(struct span_block))

static void add_block(struct span_log *log)
{
    size_t size =
        log->last != NULL ? 4 * (BEFORE_ENTRIES + log->last->capacity) : FIRST_BLOCK;
    struct span_block *block;

    if (size > LARGEST_BLOCK)
        size = LARGEST_BLOCK;
    size -= BEFORE_ENTRIES;
    block = (struct span_block *)memory_reserve(sizeof(*block) + size);
    block->next = NULL;
    block->size = 0;
    block->capacity = size;
    if (log->last != NULL)
        log->last->next = block;
    else
        log->first = block;
    log->last = block;
}

static const unsigned char *get_number(const unsigned char *from, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0;; shift += 7) {
        *number |= (uint64_t)(*from & 0x7f) << shift;
        if (*from++ < 0x80)
            return from;
    }
}

/* Small numbers for small differences in both directions. */
static uint64_t fold_sign(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unfold_sign(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

void span_log_add(struct span_log *log, const struct span_event *event)
{
    enum span_kind kind = span_kind_of(event);
    struct span_block *block = log->last;
    unsigned char *to;

    if (block == NULL || block->capacity - block->size < MOST_BYTES) {
        add_block(log);
        block = log->last;
    }
    to = store_varint(block->bytes + block->size, (uint64_t)event->name << 2 | kind);
    to = store_varint(to, fold_sign(event->time_ns - log->last_ns));
    if (kind == SPAN_COMPLETE) {
        to = store_varint(to, event->end_ns - event->time_ns);
    } else {
        log->is_unsorted |= event->time_ns < log->last_edge_ns;
        log->last_edge_ns = event->time_ns;
    }
    block->size = (size_t)(to - block->bytes);
    log->last_ns = event->time_ns;
    log->n++;
}

struct span_log_reader span_log_read(const struct span_log *log)
{
    return (struct span_log_reader){.block = log->first};
}

bool span_log_next(struct span_log_reader *r, struct span_event *event)
{
    const unsigned char *from;
    uint64_t number;

    while (r->block != NULL && r->at == r->block->size) {
        r->block = r->block->next;
        r->at = 0;
    }
    if (r->block == NULL)
        return false;
    from = get_number(r->block->bytes + r->at, &number);
    event->name = (uint32_t)(number >> 2);
    event->order = r->n++ << 2 | (number & 3);
    from = get_number(from, &number);
    event->time_ns = r->last_ns + unfold_sign(number);
    event->end_ns = event->time_ns;
    event->thread = 0;
    if (span_kind_of(event) == SPAN_COMPLETE) {
        from = get_number(from, &number);
        event->end_ns += number;
    }
    r->last_ns = event->time_ns;
    r->at = (size_t)(from - r->block->bytes);
    return true;
}

void span_log_free(struct span_log *log)
{
    while (log->first != NULL) {
        struct span_block *next = log->first->next;

        memory_release(log->first);
        log->first = next;
    }
    *log = (struct span_log){.n = 0};
}
