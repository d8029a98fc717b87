/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the reader is, beside what this machine's memory allows.
 *
 * Usage: bench_reader [MIB]     how much of each kind of data; 512 by default
 *
 * The bases are bare loops that hop from header to header and check nothing. They
 * prefetch each line of memory a fixed distance ahead; without that they would mostly
 * wait, and nothing could be slow beside them. For archives they also resolve: a hop
 * alone takes 3 ns, and what it takes says nothing of the reader.
 *
 * On an AMD EPYC (Zen 5), samples of mixed depths take 10 to 11 ns, beside 5 to 8, and 24
 * to 26 with their PCs summed, beside 16 to 17; a base that calls a function for each
 * sample, as a library must, takes 18. The processor cannot predict where a stack ends,
 * and begins with the reader's next steps only then; where all have 30 PCs, the same
 * costs 3 ns. To prefetch the next header before the call changes nothing, and to leave a
 * backtrace's unused fields as they are gains 0.5 ns. A general archive takes 29 ns a
 * record, beside 16, and short events 15, beside 6. The library as one unit of
 * compilation (-flto) is not faster.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>

#include "bench.h"
#include "traces.h"

/* ---- The bare loops ---------------------------------------------------------------- */

enum { AHEAD_WORDS = 256, LINE_WORDS = 8 };

/* So many words, but at least those of so many lines, without a branch. */
static inline __attribute__((always_inline)) void prefetch(const uint64_t *record,
                                                           uint64_t n_words,
                                                           uint64_t n_lines)
{
    uint64_t i = 0;

    for (; i < n_lines * LINE_WORDS; i += LINE_WORDS)
        __builtin_prefetch(record + AHEAD_WORDS + i);
    for (; i < n_words; i += LINE_WORDS)
        __builtin_prefetch(record + AHEAD_WORDS + i);
}

/* Large blobs have their size where records of other types have more than that. */
static inline uint64_t n_words_of(uint64_t header)
{
    return FXT_GET(header, RECORD_TYPE) == FXT_RECORD_LARGE
               ? FXT_GET(header, LARGE_WORDS)
               : FXT_GET(header, RECORD_WORDS);
}

static uint64_t hop(void *context)
{
    const struct trace *data = (const struct trace *)context;
    uint64_t n_records = 0;

    for (size_t pos = 0; pos < data->n_words && data->words[pos] != 0; n_records++) {
        uint64_t n_words = n_words_of(data->words[pos]);

        prefetch(data->words + pos, n_words, 8);
        pos += n_words;
    }
    return n_records;
}

/* The PCs are what follows the head of a sample. */
static inline uint64_t hop_and_sum(const struct trace *data, uint64_t n_head)
{
    uint64_t sum = 0;

    for (size_t pos = 0; data->words[pos] != 0;) {
        size_t end = pos + n_words_of(data->words[pos]);

        __builtin_prefetch(&data->words[pos + AHEAD_WORDS]);
        for (size_t i = pos + n_head; i < end; i++)
            sum += data->words[i];
        pos = end;
    }
    return sum;
}

static uint64_t hop_and_sum_blobs(void *context)
{
    return hop_and_sum((const struct trace *)context, 6);
}

static uint64_t hop_and_sum_backtraces(void *context)
{
    return hop_and_sum((const struct trace *)context, 4);
}

/* What strings and threads have been registered, by their indices. */
struct names {
    uint64_t sizes[FXT_STRING_INDEX_MAX + 1];
    uint64_t threads[FXT_THREAD_INDEX_MAX + 1];
};

static inline uint64_t size_of(const struct names *names, uint64_t ref)
{
    return ref & FXT_STRING_REF_INLINE ? ref & FXT_STRING_REF_SIZE_MASK
                                       : names->sizes[ref];
}

static uint64_t resolve_args(const struct names *names, const uint64_t *arg, uint64_t n)
{
    uint64_t sum = 0;

    for (; n > 0; n--) {
        sum += size_of(names, FXT_GET(*arg, ARG_NAME));
        if (FXT_GET(*arg, ARG_TYPE) == FXT_ARG_STRING)
            sum += size_of(names, FXT_GET(*arg, ARG_STRING));
        arg += FXT_GET(*arg, ARG_WORDS);
    }
    return sum;
}

static uint64_t resolve_record(struct names *names, const uint64_t *w)
{
    switch (FXT_GET(*w, RECORD_TYPE)) {
    case FXT_RECORD_STRING:
        names->sizes[FXT_GET(*w, STRING_INDEX)] = FXT_GET(*w, STRING_SIZE);
        return 0;
    case FXT_RECORD_THREAD:
        names->threads[FXT_GET(*w, THREAD_INDEX)] = w[2];
        return 0;
    case FXT_RECORD_EVENT:
        return size_of(names, FXT_GET(*w, EVENT_CATEGORY)) +
               size_of(names, FXT_GET(*w, EVENT_NAME)) +
               names->threads[FXT_GET(*w, EVENT_THREAD)] +
               resolve_args(names, w + 2, FXT_GET(*w, EVENT_ARGS));
    case FXT_RECORD_SCHEDULING:
        return resolve_args(names, w + 4, FXT_GET(*w, CONTEXT_SWITCH_ARGS));
    default:
        return 0;
    }
}

/* What use_record() below does, where threads are by index. */
static uint64_t resolve(void *context)
{
    static struct names names;
    const struct trace *data = (const struct trace *)context;
    uint64_t sum = 0;

    for (size_t pos = 0; pos < data->n_words && data->words[pos] != 0; sum++) {
        uint64_t n_words = n_words_of(data->words[pos]);

        prefetch(data->words + pos, n_words, 1);
        sum += resolve_record(&names, data->words + pos);
        pos += n_words;
    }
    return sum;
}

/* ---- The reader -------------------------------------------------------------------- */

static uint64_t total;

static int count_sample(void *context, const struct fxt_record *record)
{
    struct fxt_sample sample;

    (void)context;
    if (fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK)
        total++;
    return 0;
}

static int sum_sample(void *context, const struct fxt_record *record)
{
    struct fxt_sample sample;
    uint64_t sum = 0;

    (void)context;
    if (fxt_sample_from_record(record, &sample) != FXT_SAMPLE_STACK)
        return 0;
    for (uint64_t i = 0; i < sample.pcs.count; i++)
        sum += fxt_words_get(sample.pcs, i);
    total += sum;
    return 0;
}

/* Uses everything that was resolved. */
static int use_record(void *context, const struct fxt_record *record)
{
    (void)context;
    for (uint32_t i = 0; i < record->n_args; i++) {
        total += record->args[i].name.size;
        if (record->args[i].type == FXT_ARG_STRING)
            total += record->args[i].value.string.size;
    }
    if (record->type == FXT_RECORD_EVENT)
        total += record->event.name.size + record->event.category.size +
                 record->event.thread.thread;
    total++;
    return 0;
}

static int count_report(void *context, const struct fxt_error *error)
{
    (void)error;
    ((struct trace *)context)->n_reports++;
    return 0;
}

static void *counting_resize(void *context, void *old, size_t old_size, size_t size)
{
    (void)old_size;
    if (size > 0) {
        ((struct trace *)context)->n_allocations++;
        return realloc(old, size);
    }
    free(old);
    return NULL;
}

static uint64_t read_with(struct trace *data, fxt_record_fn *on_record,
                          bool payloads_unused)
{
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = on_record,
        .on_error = count_report,
        .context = data,
        .resize = counting_resize,
        .resize_context = data,
        .payloads_unused = payloads_unused,
    };
    size_t size = data->n_words * FXT_WORD_BYTES;
    struct fxt_chunk first = {data->words, size / 2, 0};
    struct fxt_chunk rest;
    struct fxt_reader *reader;

    total = 0;
    if (fxt_reader_create(&options, &reader) != FXT_OK)
        exit(EXIT_FAILURE);
    fxt_reader_read(reader, &first);
    data->n_allocations = 0;
    rest = (struct fxt_chunk){data->words, size, first.pos};
    fxt_reader_read(reader, &rest);
    fxt_reader_finish(reader, &rest);
    fxt_reader_destroy(reader);
    return total;
}

static uint64_t read_region(void *context)
{
    return read_with((struct trace *)context, count_sample, true);
}

/* The same, asking for each record. */
static uint64_t pull(struct trace *data, fxt_record_fn *use, bool payloads_unused)
{
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_error = count_report,
        .context = data,
        .payloads_unused = payloads_unused,
    };
    struct fxt_chunk chunk = {data->words, data->n_words * FXT_WORD_BYTES, 0};
    const struct fxt_record *record;
    struct fxt_reader *reader;

    total = 0;
    if (fxt_reader_create(&options, &reader) != FXT_OK)
        exit(EXIT_FAILURE);
    while (fxt_reader_next(reader, &chunk, &record) == FXT_OK && record != NULL)
        use(NULL, record);
    fxt_reader_destroy(reader);
    return total;
}

static uint64_t pull_region(void *context)
{
    return pull((struct trace *)context, count_sample, true);
}

static uint64_t pull_archive(void *context)
{
    return pull((struct trace *)context, use_record, false);
}

static uint64_t read_region_and_sum(void *context)
{
    return read_with((struct trace *)context, sum_sample, false);
}

static uint64_t read_archive(void *context)
{
    return read_with((struct trace *)context, use_record, false);
}

/* ---- Comparisons ------------------------------------------------------------------- */

static void describe(const char *what, const struct trace *data)
{
    printf("%s: %" PRIu64 " records, %.1f bytes each\n", what, data->n_records,
           (double)data->n_words * FXT_WORD_BYTES / (double)data->n_records);
}

static int must_equal(const char *what, uint64_t a, uint64_t b)
{
    if (a == b)
        return 0;
    printf("  %s: %" PRIu64 " is not %" PRIu64 "\n", what, a, b);
    return 1;
}

/* What a kind of samples is to reach. */
struct region_limits {
    const char *what;
    struct trace (*make)(size_t mib);
    uint64_t (*sum)(void *);
    double view;
    double summed;
};

static int bench_region(size_t mib, const struct region_limits *limits)
{
    struct trace data = limits->make(mib);
    struct bench_candidate views[] = {
        {.name = "hop", .run = hop},
        {.name = "reader, sample view", .run = read_region},
        {.name = "reader, asked for each", .run = pull_region},
    };
    struct bench_candidate sums[] = {
        {.name = "hop and sum", .run = limits->sum},
        {.name = "reader, every PC summed", .run = read_region_and_sum},
    };
    int over = 0;

    describe(limits->what, &data);
    bench_run(views, 3, &data);
    bench_print(views, 3, (double)data.n_records, "a sample");
    over += bench_ratio(&views[1], &views[0], limits->view);
    /* 2 ns a record. */
    over += bench_ratio(&views[2], &views[1], 1.25);
    over += must_equal("samples read", views[1].result, data.n_records);
    bench_run(sums, 2, &data);
    bench_print(sums, 2, (double)data.n_records, "a sample");
    over += bench_ratio(&sums[1], &sums[0], limits->summed);
    over += must_equal("sum of the PCs", sums[1].result, sums[0].result);
    over += must_equal("reports", data.n_reports, 0);
    traces_free(&data);
    return over;
}

static int bench_archive(const char *what, struct trace data, double limit)
{
    struct bench_candidate ways[] = {
        {.name = "hop and resolve", .run = resolve},
        {.name = "reader, all resolved", .run = read_archive},
        {.name = "reader, asked for each", .run = pull_archive},
    };
    int over = 0;

    describe(what, &data);
    bench_run(ways, 3, &data);
    bench_print(ways, 3, (double)data.n_records, "a record");
    over += bench_ratio(&ways[1], &ways[0], limit);
    over += bench_ratio(&ways[2], &ways[1], 1.15);
    over += must_equal("all resolved", ways[1].result, ways[0].result);
    over += must_equal("asked for each", ways[2].result, ways[1].result);
    over += must_equal("allocations once the tables are full", data.n_allocations, 0);
    over += must_equal("reports", data.n_reports, 0);
    traces_free(&data);
    return over;
}

int main(int argc, char **argv)
{
    static const struct region_limits regions[] = {
        {"large blobs of 30 PCs", traces_region, hop_and_sum_blobs, 2.0, 1.7},
        {"large blobs of mixed depths", traces_mixed_region, hop_and_sum_blobs, 2.0, 1.7},
        {"profiler backtraces of mixed depths", traces_backtraces, hop_and_sum_backtraces,
         2.0, 1.7},
    };
    size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 512;
    int over = 0;

    if (mib == 0 || mib > 65536) {
        fputs("usage: bench_reader [MIB]\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++)
        over += bench_region(mib, &regions[i]);
    over += bench_archive("general archive", traces_archive(mib), 2.3);
    over += bench_archive("archive of short events", traces_short_events(mib), 3.0);
    return over > 0;
}
