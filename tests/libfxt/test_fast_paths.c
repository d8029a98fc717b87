/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records that decode.c decodes in fewer steps, beside what its general path makes of
 * the same bytes: random records that are close to these, in both byte orders.
 */
#include "tests/support/harness.h"

#include <string.h>

#include <fxt/fxt.h>

/* For the functions that are static. */
#include "libfxt/reader/decode.c"
#include "tests/support/random.h"
#include "tests/support/show.h"

enum { TURNS = 100000, WORDS_MAX = 16 };

static const char text[] = "a text";
static struct string_slot strings[STRING_PAGE];
static struct thread_slot threads[FXT_THREAD_INDEX_MAX + 1];
static struct tables tables = {.strings = {strings}, .threads = threads};

/* Every other index is registered; 0 never is. */
static void fill_tables(void)
{
    for (uint32_t i = 1; i < 8; i += 2) {
        strings[i] = (struct string_slot){text, 0, i};
        threads[i] = (struct thread_slot){100 + i, 1000 + i, true};
    }
}

static uint64_t pick_below(uint64_t *random, uint64_t below)
{
    return random_next(random) % below;
}

/* Mostly an index that is registered. */
static uint64_t pick_index(uint64_t *random)
{
    return pick_below(random, 8) | (pick_below(random, 6) > 0);
}

/* Mostly a reference to a string by index, or the empty one. */
static uint64_t pick_string(uint64_t *random)
{
    return pick_below(random, 12) == 0 ? FXT_STRING_REF_INLINE | pick_below(random, 20)
                                       : pick_index(random);
}

static uint64_t event_header(uint64_t *random)
{
    return FXT_RECORD_EVENT | FXT_PUT(EVENT_TYPE, pick_below(random, 12)) |
           FXT_PUT(EVENT_ARGS, pick_below(random, 8) == 0) |
           FXT_PUT(EVENT_THREAD, pick_index(random)) |
           FXT_PUT(EVENT_CATEGORY, pick_string(random)) |
           FXT_PUT(EVENT_NAME, pick_string(random)) |
           FXT_PUT(RECORD_WORDS, 1 + pick_below(random, 8));
}

static uint64_t event_with_args_header(uint64_t *random)
{
    return (event_header(random) + FXT_PUT(RECORD_WORDS, 2)) |
           FXT_PUT(EVENT_ARGS, 1 + pick_below(random, 2));
}

/* The header of an argument, mostly with the size that it needs and a name by index. */
static uint64_t arg_header(uint64_t *random)
{
    uint64_t type = pick_below(random, 11);
    uint64_t bits = type == FXT_ARG_STRING && pick_below(random, 2) == 0
                        ? FXT_STRING_REF_INLINE | pick_below(random, 20)
                        : pick_index(random);
    uint64_t n_words = 1 + (ARGS_WITH_WORD >> type & 1);

    if (type == FXT_ARG_STRING)
        n_words += inline_words(bits);
    return type | FXT_PUT(ARG_WORDS, n_words + pick_below(random, 12) / 11) |
           FXT_PUT(ARG_NAME, pick_string(random)) | FXT_PUT(ARG_VALUE, bits);
}

/* Every fourth one has the size that its PCs need. */
static uint64_t profiler_header(uint64_t *random)
{
    uint64_t n_pcs = pick_below(random, 10);
    uint64_t n_words = pick_below(random, 4) == 0 ? BACKTRACE_HEAD_WORDS + n_pcs
                                                  : 1 + pick_below(random, 14);

    return FXT_RECORD_PROFILER | FXT_PUT(PROFILER_TYPE, pick_below(random, 4)) |
           FXT_PUT(PROFILER_THREAD, pick_below(random, 4) == 0) |
           FXT_PUT(BACKTRACE_PCS, n_pcs) | FXT_PUT(RECORD_WORDS, n_words);
}

static uint64_t blob_header(uint64_t *random)
{
    return FXT_RECORD_LARGE | FXT_PUT(LARGE_BLOB_FORMAT, pick_below(random, 8) == 0) |
           FXT_PUT(LARGE_WORDS, 1 + pick_below(random, 15));
}

/* Fields past the header are zero, the size of what follows them, or near it; or those of
 * an argument. */
static void make_words(uint64_t *random, uint64_t header, bool swapped, uint64_t *words)
{
    uint64_t n_words = decode_n_words(header);

    words[0] = header;
    for (uint64_t i = 1; i < WORDS_MAX; i++) {
        words[i] = pick_below(random, 3) == 0 || i >= n_words
                       ? 0
                       : (n_words - i - 1) * 8 + pick_below(random, 4) / 3;
        if (FXT_GET(header, RECORD_TYPE) == FXT_RECORD_EVENT)
            words[i] = arg_header(random);
        if (swapped)
            words[i] = FXT_SWAP64(words[i]);
    }
}

/* Everything that is of use: the arguments of a faulty record are not, nor is what is
 * left over of its payload. */
static void show_result(struct show *show, const struct decoder *d)
{
    const struct decode_result *r = &d->result;

    struct fxt_record record = d->record;

    if (r->fault != FXT_OK)
        record.n_args = 0;
    show_content(show, &record);
    show_format(show,
                " fault %d at %llu, surplus %llu, unknown %d %llu, args %u, string %u, "
                "thread %u, left over %llu",
                r->fault, (unsigned long long)r->byte, (unsigned long long)r->n_surplus,
                r->unknown, (unsigned long long)r->unknown_value, r->n_unknown_args,
                r->unknown_string, r->unknown_thread,
                r->fault == FXT_OK ? (unsigned long long)r->n_left_over : 0);
}

/* What the general path says of the record that was just decoded. */
static bool decode_generally(struct decoder *d)
{
    d->record.kind = 0;
    d->record.unknown = false;
    d->record.n_args = 0;
    d->record.large_blob.format = FXT_LARGE_BLOB_METADATA;
    return decode_any(d, false, 0);
}

/* Returns 1 if the record is plain, and was decoded in fewer steps. */
static int check_record(uint64_t header, const uint64_t *words, bool swapped)
{
    static struct decoder fast;
    static struct decoder general;
    struct show a = {0};
    struct show b = {0};
    bool is_plain_fast, is_in_few_steps;

    fast.result.byte = UINT64_MAX;
    fast.tables = &tables;
    is_plain_fast = decode_record(&fast, words, header, decode_n_words(header), swapped);
    is_in_few_steps = is_plain_fast && fast.result.byte == UINT64_MAX;
    if (is_plain_fast)
        decode_result_start(&fast.result);
    general = fast;
    general.record.args = general.args;
    memset(&general.record.event, 0x5a, sizeof(general.record.event));
    memset(general.args, 0x5a, sizeof(general.args));
    CHECK(decode_generally(&general) == is_plain_fast, "%#llx: plain is %d",
          (unsigned long long)header, is_plain_fast);
    show_result(&a, &fast);
    show_result(&b, &general);
    CHECK(strcmp(a.text, b.text) == 0, "%#llx: %s, but %s", (unsigned long long)header,
          a.text, b.text);
    show_free(&a);
    show_free(&b);
    return is_in_few_steps;
}

/* At least one record in forty is decoded in few steps. */
static void check_headers(uint64_t (*make_header)(uint64_t *))
{
    uint64_t random = 1;
    int n_plain = 0;

    fill_tables();
    for (int i = 0; i < TURNS; i++) {
        uint64_t words[WORDS_MAX];
        uint64_t header = make_header(&random);
        bool swapped = i % 2;

        make_words(&random, header, swapped, words);
        n_plain += check_record(header, words, swapped);
    }
    CHECK(n_plain > TURNS / 40, "only %d records are plain", n_plain);
}

TEST(fast_paths, short_events_are_decoded_as_any_are)
{
    check_headers(event_header);
}

TEST(fast_paths, events_with_arguments_are_decoded_as_any_are)
{
    check_headers(event_with_args_header);
}

TEST(fast_paths, plain_backtraces_are_decoded_as_any_are)
{
    check_headers(profiler_header);
}

TEST(fast_paths, kernel_samples_are_decoded_as_any_are)
{
    check_headers(blob_header);
}
