/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes through the reader, what it hands out through the writer, and that through
 * both again: a copy must be without fault and say what was copied, and from then on the
 * bytes must stay the same.
 *
 * The last bytes of the input are the options of struct trip_how.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/libfxt/heap.h"
#include "tests/support/trip.h"
#include "how.h"
#include "target.h"

struct copy {
    struct fxt_buffer bytes;
    struct canon taken;
    struct trip trip;
};

static struct fxt_writer_options options_for(const struct trip_how *how)
{
    static const uint64_t kept_limits[] = {0, 1, 8200, 9000, 12000, 20000, 40000, 100000};
    static const size_t buffer_sizes[] = {0, 1, 7, 8, 100, 4096, 100000, 1 << 20};

    return (struct fxt_writer_options){
        .strings = (enum fxt_references)how->strings,
        .threads = (enum fxt_references)how->threads,
        .byte_order = (enum fxt_byte_order)how->to,
        .max_kept_bytes = kept_limits[how->kept_limit],
        .buffer_size = buffer_sizes[how->buffer_size],
    };
}

static struct copy copy(const void *data, size_t size, enum fxt_byte_order order,
                        const struct fxt_writer_options *options, bool resync)
{
    struct copy c = {.trip = {.resync = resync}};

    c.trip.canon = &c.taken;
    c.bytes = trip_copy(&c.trip, data, size, order, options);
    c.trip.canon = NULL;
    return c;
}

static void free_copy(struct copy *c)
{
    free(c->bytes.data);
    canon_free(&c->taken);
}

static bool same_bytes(const struct copy *a, const struct copy *b)
{
    return a->bytes.size == b->bytes.size &&
           (a->bytes.size == 0 ||
            memcmp(a->bytes.data, b->bytes.data, a->bytes.size) == 0);
}

/* Two copies of a copy, made with all the memory there is. */
static void check_copies(const struct copy *first, const struct trip_how *how,
                         bool may_differ)
{
    struct fxt_writer_options options = options_for(how);
    enum fxt_byte_order order =
        how->to == FXT_BYTE_ORDER_AUTO ? FXT_BYTE_ORDER_HOST : options.byte_order;
    bool as_given = options.strings == FXT_REFERENCES_AS_GIVEN ||
                    options.threads == FXT_REFERENCES_AS_GIVEN;
    struct copy second =
        copy(first->bytes.data, first->bytes.size, order, &options, false);
    struct copy third =
        copy(second.bytes.data, second.bytes.size, order, &options, false);

    require(second.trip.n_refused == 0 && third.trip.n_refused == 0,
            "what was written is refused");
    /* An index whose registration was damaged is unknown; in the copy nothing was. */
    require(as_given || canon_same(&first->taken, &second.taken),
            "what is read is not what was written");
    require(canon_same(&second.taken, &third.taken),
            "the second copy says something else");
    require(as_given || second.trip.n_errors == 0, "a copy has faults");
    require(may_differ || same_bytes(first, &second), "the second copy differs");
    require(same_bytes(&second, &third), "the third copy differs");
    free_copy(&second);
    free_copy(&third);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The writer itself takes the first two. */
    struct heap heap = {0};
    struct fxt_writer_options options;
    struct trip_how how;
    struct copy first;

    if (!trip_how_take(data, &size, &how))
        return 0;
    options = options_for(&how);
    heap.fail_at = how.fail_at > 0 ? how.fail_at + 2 : 0;
    options.resize = heap_resize;
    options.resize_context = &heap;
    first = copy(data, size, (enum fxt_byte_order)how.from, &options, how.resync);
    require(heap.n_bytes == 0, "memory is left");
    check_copies(&first, &how, first.trip.n_refused > 0 || how.fail_at > 0);
    free_copy(&first);
    return 0;
}
