/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader and memory: how much it takes and when, what it does without, and that it
 * gives everything back.
 */
#include "tests/support/harness.h"

#include <string.h>

#include "tests/support/feed.h"
#include "tests/support/golden.h"
#include "heap.h"
#include "tests/support/pieces.h"

enum { MANY_STEPS = 400 };

static struct feed_step steps[MANY_STEPS];

static struct feed_result feed_golden(size_t i, struct heap *heap,
                                      uint64_t max_kept_bytes)
{
    struct words w = {0};
    struct feed_options options = {.reader = golden_options(&goldens[i], false)};
    struct feed_result result;

    goldens[i].put(&w);
    options.reader.resize = heap_resize;
    options.reader.resize_context = heap;
    options.reader.max_kept_bytes = max_kept_bytes;
    options.steps = steps;
    options.n_steps = MANY_STEPS;
    result = feed(w.bytes, w.size, &options);
    words_free(&w);
    CHECK(heap->n_bytes == 0, "%s: %llu bytes are left", goldens[i].name,
          (unsigned long long)heap->n_bytes);
    return result;
}

static bool is_reported(const struct feed_result *result, enum fxt_code code)
{
    for (uint64_t i = 0; i < result->n_records + result->n_errors; i++) {
        if (steps[i].code == code)
            return true;
    }
    return false;
}

/* Whatever fails, the same records come, some of them with less in them. */
static void check_failing(size_t i, bool fail_on)
{
    struct heap whole = {0};
    struct feed_result good = feed_golden(i, &whole, 0);

    for (uint64_t at = 1; at <= whole.n_calls; at++) {
        struct heap heap = {.fail_at = at, .fail_on = fail_on};
        struct feed_result result = feed_golden(i, &heap, 0);

        CHECK(result.fault == NULL, "%s, call %llu: %s", goldens[i].name,
              (unsigned long long)at, result.fault);
        if (at == 1) {
            CHECK(result.code == FXT_E_NO_MEMORY, "%s", fxt_code_name(result.code));
            continue;
        }
        CHECK(result.code == good.code && result.n_records == good.n_records,
              "%s, call %llu", goldens[i].name, (unsigned long long)at);
        CHECK(is_reported(&result, FXT_E_NO_MEMORY), "%s, call %llu: not reported",
              goldens[i].name, (unsigned long long)at);
    }
}

TEST(memory, any_allocation_may_fail)
{
    for (size_t i = 0; i < n_goldens; i++) {
        check_failing(i, false);
        check_failing(i, true);
    }
}

TEST(memory, a_reader_that_is_not_made_is_null)
{
    struct heap heap = {.fail_at = 1};
    struct fxt_reader_options options = {
        .size = sizeof(options), .resize = heap_resize, .resize_context = &heap};
    struct fxt_reader *reader = (struct fxt_reader *)&heap;

    CHECK(fxt_reader_create(&options, &reader) == FXT_E_NO_MEMORY, "");
    CHECK(reader == NULL, "");
}

TEST(memory, what_is_kept_stays_within_the_limit)
{
    struct heap without = {0};
    uint64_t reader_bytes;

    feed_golden(2, &without, 0);
    reader_bytes = without.most_bytes;
    for (uint64_t limit = 1; limit < 30000; limit += limit / 8 + 1) {
        for (size_t i = 0; i < n_goldens; i++) {
            struct heap heap = {0};
            struct feed_result result = feed_golden(i, &heap, limit);

            CHECK(result.fault == NULL, "%s: %s", goldens[i].name, result.fault);
            CHECK(heap.most_bytes <= reader_bytes + limit, "%s: %llu, not %llu",
                  goldens[i].name, (unsigned long long)heap.most_bytes,
                  (unsigned long long)(reader_bytes + limit));
        }
    }
}

TEST(memory, a_reset_gives_the_next_stream_the_whole_limit)
{
    struct heap heap = {0};
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .stream = FXT_STREAM_ARCHIVE,
                                         .max_kept_bytes = 20000,
                                         .resize = heap_resize,
                                         .resize_context = &heap};
    struct fxt_reader *reader;
    struct words w = {0};
    struct fxt_chunk chunk;
    uint64_t reader_bytes;

    for (uint64_t i = 1; i < 1000; i++)
        put_string_record(&w, i, "of some length, more than sixteen");
    put_provider_info(&w, 3, "three");
    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "");
    reader_bytes = heap.n_bytes;
    chunk = (struct fxt_chunk){w.bytes, w.size, 0};
    CHECK(fxt_reader_read(reader, &chunk) == FXT_OK, "");
    CHECK(heap.n_bytes > reader_bytes, "nothing was kept");
    CHECK(fxt_reader_reset(reader) == FXT_OK, "");
    CHECK(heap.n_bytes == reader_bytes, "%llu bytes are kept",
          (unsigned long long)(heap.n_bytes - reader_bytes));
    fxt_reader_destroy(reader);
    words_free(&w);
}

/* ---- when it allocates ---- */

static void read_all(struct fxt_reader *reader, const struct words *w)
{
    struct fxt_chunk chunk = {w->bytes, w->size, 0};

    CHECK(fxt_reader_read(reader, &chunk) == FXT_OK, "not read");
}

TEST(memory, a_region_needs_none_and_an_archive_none_once_its_tables_are_full)
{
    struct heap heap = {0};
    struct fxt_reader_options options = {
        .size = sizeof(options), .resize = heap_resize, .resize_context = &heap};
    struct fxt_reader *reader;
    struct words region = {0};
    struct words archive = {0};
    uint64_t n_calls;

    for (uint64_t i = 0; i < 1000; i++) {
        put_sample(&region, i, i % 64);
        put_backtrace(&region, i, i % 64);
    }
    put_provider_info(&archive, 3, "three");
    for (uint64_t i = 1; i < 1000; i++)
        put_string_record(&archive, i, "of some length, more than sixteen");
    put_thread_record(&archive, 1, 2, 3);
    put_section(&archive, 0);
    put_string_record(&archive, 1, "one more");

    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "");
    CHECK(heap.n_calls == 1, "%llu calls to make a reader",
          (unsigned long long)heap.n_calls);
    read_all(reader, &region);
    CHECK(heap.n_calls == 1, "a region takes memory");
    CHECK(fxt_reader_reset(reader) == FXT_OK, "");
    read_all(reader, &archive);
    n_calls = heap.n_calls;
    for (int i = 0; i < 10; i++) {
        read_all(reader, &archive);
        CHECK(heap.n_calls == n_calls, "what is replaced takes memory");
    }
    fxt_reader_destroy(reader);
    CHECK(heap.n_bytes == 0, "");
    words_free(&region);
    words_free(&archive);
}

/* Strings of stable input are not copied, however long they are. */
TEST(memory, stable_strings_take_a_slot_each_and_no_more)
{
    struct heap heap = {0};
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .stream = FXT_STREAM_ARCHIVE,
                                         .stable_input = true,
                                         .resize = heap_resize,
                                         .resize_context = &heap};
    struct fxt_reader *reader;
    struct words w = {0};

    for (uint64_t i = 1; i <= 255; i++) {
        put_begin(&w, 2 | AT(16, i) | AT(32, 30000));
        put_zeros(&w, 30000 / 8);
        put_end(&w);
    }
    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "");
    read_all(reader, &w);
    CHECK(heap.n_calls == 2, "%llu calls", (unsigned long long)heap.n_calls);
    fxt_reader_destroy(reader);
    words_free(&w);
}
