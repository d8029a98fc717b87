/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes through the reader, in any chunks, with any options: everything that feed.h
 * checks must hold, and the same bytes in one chunk must give the same.
 *
 * The end of the input says how the rest is read: its last bytes are the options of
 * struct how, and in front of them two bytes for each cut. So a file is a valid seed once
 * a few bytes are added, and what fuzzing does to the stream leaves the options alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/feed.h"
#include "how.h"
#include "target.h"

enum { MAX_CUTS = 16 };

struct failing_heap {
    unsigned n_calls;
    unsigned fail_at;
};

static void *resize(void *context, void *old, size_t old_size, size_t size)
{
    struct failing_heap *heap = (struct failing_heap *)context;

    (void)old_size;
    if (size == 0) {
        free(old);
        return NULL;
    }
    if (++heap->n_calls == heap->fail_at)
        return NULL;
    return realloc(old, size);
}

static int compare_cuts(const void *a, const void *b)
{
    size_t left = *(const size_t *)a;
    size_t right = *(const size_t *)b;

    return (left > right) - (left < right);
}

/* Takes the cuts off the end of the input; the places wrap where the input is shorter. */
static size_t take_cuts(const uint8_t *data, size_t *size, size_t n, size_t *cuts)
{
    if (n > *size / 2)
        n = *size / 2;
    *size -= 2 * n;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *at = data + *size + 2 * i;

        cuts[i] = (at[0] | (size_t)at[1] << 8) % (*size + 1);
    }
    qsort(cuts, n, sizeof(*cuts), compare_cuts);
    return n;
}

static struct feed_options options_for(const struct how *how)
{
    static const uint64_t record_limits[] = {0, 8, 40, 200, 4000, 7, 64, UINT64_MAX};
    static const uint64_t kept_limits[] = {0, 1, 8200, 9000, 12000, 20000, 40000, 100000};
    struct feed_options options = {
        .as_needed = how->as_needed,
        .stop = how->stop,
        /* An allocation that fails would fail only once. */
        .again = how->again && how->fail_at == 0,
    };

    options.reader.stream = (enum fxt_stream)how->stream;
    options.reader.byte_order = (enum fxt_byte_order)how->byte_order;
    options.reader.resync = how->resync;
    options.reader.stable_input = how->stable;
    options.reader.payloads_unused = how->payloads_unused;
    options.reader.max_record_bytes = record_limits[how->record_limit];
    options.reader.max_kept_bytes = kept_limits[how->kept_limit];
    return options;
}

static struct feed_result read_in(const uint8_t *data, size_t size,
                                  struct feed_options options, unsigned fail_at)
{
    struct failing_heap heap = {0, fail_at};

    options.reader.resize = resize;
    options.reader.resize_context = &heap;
    return feed(data, size, &options);
}

static void report(const uint8_t *data, size_t size, struct feed_options options,
                   const char *name)
{
    struct show show = {0};

    options.show = &show;
    feed(data, size, &options);
    fprintf(stderr, "%s:\n%s\n", name, show_take(&show));
    show_free(&show);
}

static void check(const struct feed_result *result, const char *name)
{
    if (result->fault == NULL)
        return;
    fprintf(stderr, "%s: %s\n", name, result->fault);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t cuts[MAX_CUTS];
    struct how how;
    struct feed_options whole, in_chunks;
    struct feed_result a, b;

    if (!how_take(data, &size, &how))
        return 0;
    whole = options_for(&how);
    in_chunks = whole;
    in_chunks.cuts = cuts;
    in_chunks.n_cuts = take_cuts(data, &size, how.n_cuts, cuts);
    whole.stop = false;
    whole.as_needed = false;
    whole.again = false;
    whole.reader.payloads_unused = false;
    a = read_in(data, size, whole, how.fail_at);
    check(&a, "whole");
    b = read_in(data, size, in_chunks, how.fail_at);
    check(&b, "in chunks");
    if (a.hash != b.hash || a.code != b.code) {
        report(data, size, whole, "whole");
        report(data, size, in_chunks, "in chunks");
        abort();
    }
    return 0;
}
