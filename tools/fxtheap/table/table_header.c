/* SPDX-License-Identifier: BSD-2-Clause */
/* See table_header.h. */
#include "table_header.h"

#include <string.h>

#include <fxt/compiler.h>

/* More than any process of ours makes, and little enough for a hostile one to be read. */
#define INDEX_MAX ((uint64_t)1 << 25)
#define THREADS_MAX ((uint64_t)1 << 20)
#define MAPS_MAX ((uint64_t)1 << 21)

/* Whether `n` items of a size stand at `at` in a file of `file_size` bytes. */
static bool is_inside(uint64_t at, uint64_t n, size_t size, uint64_t file_size)
{
    return at % sizeof(uint64_t) == 0 && at <= file_size && n <= (file_size - at) / size;
}

static bool check_parts(const struct heap_header_v1 *h, uint64_t file_size)
{
    return h->header_size >= sizeof(*h) && h->n_slots <= TABLE_SLOTS_MAX &&
           h->n_index <= INDEX_MAX && h->n_threads <= THREADS_MAX &&
           h->maps_size <= MAPS_MAX &&
           is_inside(h->slots_at, h->n_slots, sizeof(struct heap_slot_v1), file_size) &&
           is_inside(h->index_at, h->n_index, sizeof(uint64_t), file_size) &&
           is_inside(h->pool_at, h->n_pool_words, sizeof(uint64_t), file_size) &&
           is_inside(h->threads_at, h->n_threads, sizeof(struct heap_thread_v1),
                     file_size) &&
           is_inside(h->maps_at, h->maps_size, 1, file_size);
}

static bool read_header_v1(struct file *file, struct heap_header_v1 *h, struct text *why)
{
    if (!file_read(file, 0, h, sizeof(*h)))
        return text_fail(why, "the table ends inside its header");
    if (!check_parts(h, file_size(file)))
        return text_fail(why,
                         "the table is damaged: a part of it is not inside the file");
    return true;
}

/* Any version begins like this. */
static bool read_version(struct file *file, uint32_t *version, struct text *why)
{
    struct {
        uint64_t magic;
        uint32_t version;
        uint32_t header_size;
    } start;

    if (!file_read(file, 0, &start, sizeof(start)))
        return text_fail(why, "not a heap table: it is too short");
    if (start.magic == FXT_SWAP64(HEAP_MAGIC))
        return text_fail(why, "the table is in another byte order");
    if (start.magic != HEAP_MAGIC)
        return text_fail(why, "not a heap table: wrong magic number");
    *version = start.version;
    return true;
}

/* All have the structures of the first. */
static bool is_known(uint32_t version)
{
    return version == 1 || version == HEAP_VERSION || version == HEAP_VERSION_PEAK;
}

static bool fail_version(struct text *why, uint32_t version)
{
    return text_fail(why, "the table has version %u, which %s", (unsigned)version,
                     version > HEAP_VERSION_PEAK ? "is newer than this program supports"
                                                 : "no release has written");
}

static void take_head(const struct heap_header_v1 *h, struct table_head *head)
{
    *head = (struct table_head){
        .process = h->process,
        .start_ticks = h->start_ticks,
        .monotonic_ns = h->monotonic_ns,
        .wall_ns = h->wall_ns,
        .sample_bytes = h->sample_bytes,
        .depth = h->depth,
        .lost_blocks = h->lost_blocks,
        .lost_bytes = h->lost_bytes,
        .lost_stacks = h->lost_stacks,
        .lost_threads = h->lost_threads,
        .lost_maps = h->lost_maps,
    };
    memcpy(head->name, h->name, sizeof(h->name));
    memcpy(head->program, h->program, sizeof(h->program));
}

/* Whether the state of a stack can be there. */
static bool is_place(uint64_t state_at, bool has_counts)
{
    uint64_t least = HEAP_STATE_WORDS + (has_counts ? HEAP_COUNT_WORDS : 0);

    return state_at >= least && state_at <= TABLE_WORDS_BEFORE_MAX;
}

/* Tables of earlier versions of the library lack it, or its end. */
static bool read_header_end(struct file *file, const struct heap_header_v1 *h,
                            struct table_head *head, struct text *why)
{
    struct heap_header_end end = {.n_count_words = 0};
    uint64_t at = heap_header_end_at(h->version);
    uint64_t size = h->header_size > at ? h->header_size - at : 0;

    size = size < sizeof(end) ? size : sizeof(end);
    if (size > 0 && !file_read(file, at, &end, (size_t)size))
        return text_fail(why, "the table ends inside its header");
    head->pid_namespace = end.pid_namespace;
    head->has_counts = end.n_count_words >= HEAP_COUNT_WORDS;
    head->end_ns = end.end_ns;
    head->state_at = is_place(end.state_at, head->has_counts) ? end.state_at : 0;
    return true;
}

/* Only tables of processes that were attached to have it. */
static bool read_attached(struct file *file, const struct heap_header_v1 *h,
                          struct table_head *head, struct text *why)
{
    uint64_t at = heap_attached_at(h->version);
    struct heap_attached_v1 attached;

    if (h->header_size < at + sizeof(attached))
        return true;
    if (!file_read(file, at, &attached, sizeof(attached)))
        return text_fail(why, "the table ends inside its header");
    head->is_attached = true;
    head->bytes_before = attached.bytes_before;
    head->unknown_frees = attached.unknown_frees;
    return true;
}

/* What follows the structure of the version. */
static bool read_more(struct file *file, const struct heap_header_v1 *h,
                      struct table_head *head, struct text *why)
{
    return read_header_end(file, h, head, why) && read_attached(file, h, head, why);
}

bool table_read_header(struct file *file, struct heap_header_v1 *header,
                       struct table_head *head, struct text *why)
{
    uint32_t version = 0;

    if (!read_version(file, &version, why))
        return false;
    if (!is_known(version))
        return fail_version(why, version);
    if (!read_header_v1(file, header, why))
        return false;
    take_head(header, head);
    return read_more(file, header, head, why);
}
