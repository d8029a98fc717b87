/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the reader is, beside what this machine's memory allows.
 *
 * Usage: bench_reader [MIB]     how much of each kind of data; 512 by default
 *
 * The base is a bare loop that hops from header to header and checks nothing, with the
 * same software prefetch that the reader uses; without one it would mostly wait.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>

#include "bench.h"
#include "traces.h"

enum { PREFETCH_WORDS = 256 };

/* ---- The bare loops ---------------------------------------------------------------- */

static uint64_t hop(void *context)
{
    const struct trace *data = (const struct trace *)context;
    uint64_t n_records = 0;

    for (size_t pos = 0; data->words[pos] != 0; n_records++) {
        __builtin_prefetch(&data->words[pos + PREFETCH_WORDS]);
        pos += FXT_GET(data->words[pos], LARGE_WORDS);
    }
    return n_records;
}

static uint64_t hop_and_sum(void *context)
{
    const struct trace *data = (const struct trace *)context;
    uint64_t sum = 0;

    for (size_t pos = 0; data->words[pos] != 0;) {
        size_t end = pos + FXT_GET(data->words[pos], LARGE_WORDS);

        __builtin_prefetch(&data->words[pos + PREFETCH_WORDS]);
        for (size_t i = pos + 6; i < end; i++)
            sum += data->words[i];
        pos = end;
    }
    return sum;
}

static uint64_t hop_archive(void *context)
{
    const struct trace *data = (const struct trace *)context;
    uint64_t n_records = 0;

    for (size_t pos = 0; pos < data->n_words; n_records++) {
        __builtin_prefetch(&data->words[pos + PREFETCH_WORDS]);
        pos += FXT_GET(data->words[pos], RECORD_WORDS);
    }
    return n_records;
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

static uint64_t read_with(struct trace *data, fxt_record_fn *on_record)
{
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = on_record,
        .on_error = count_report,
        .context = data,
        .resize = counting_resize,
        .resize_context = data,
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
    return read_with((struct trace *)context, count_sample);
}

static uint64_t read_region_and_sum(void *context)
{
    return read_with((struct trace *)context, sum_sample);
}

static uint64_t read_archive(void *context)
{
    return read_with((struct trace *)context, use_record);
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

static int bench_region(size_t mib)
{
    struct trace data = traces_region(mib);
    struct bench_candidate views[] = {
        {.name = "hop", .run = hop},
        {.name = "reader, sample view", .run = read_region},
    };
    struct bench_candidate sums[] = {
        {.name = "hop and sum", .run = hop_and_sum},
        {.name = "reader, every PC summed", .run = read_region_and_sum},
    };
    int over = 0;

    describe("region of samples", &data);
    bench_run(views, 2, &data);
    bench_print(views, 2, (double)data.n_records, "a sample");
    over += bench_ratio(&views[1], &views[0], 1.6);
    over += must_equal("samples read", views[1].result, data.n_records);
    bench_run(sums, 2, &data);
    bench_print(sums, 2, (double)data.n_records, "a sample");
    over += bench_ratio(&sums[1], &sums[0], 2.0);
    over += must_equal("sum of the PCs", sums[1].result, sums[0].result);
    over += must_equal("reports", data.n_reports, 0);
    traces_free(&data);
    return over;
}

static int bench_archive(size_t mib)
{
    struct trace data = traces_archive(mib);
    struct bench_candidate both[] = {
        {.name = "hop", .run = hop_archive},
        {.name = "reader, all resolved", .run = read_archive},
    };
    double ns;
    int over = 0;

    describe("general archive", &data);
    bench_run(both, 2, &data);
    bench_print(both, 2, (double)data.n_records, "a record");
    ns = both[1].median / (double)data.n_records * 1e9;
    printf("  reader: %.1f ns a record (limit 40 on the machine it was set for): %s\n",
           ns, ns <= 40 ? "ok" : "OVER");
    over += ns > 40;
    over += must_equal("allocations once the tables are full", data.n_allocations, 0);
    over += must_equal("reports", data.n_reports, 0);
    traces_free(&data);
    return over;
}

int main(int argc, char **argv)
{
    size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 512;
    int over;

    if (mib == 0 || mib > 65536) {
        fputs("usage: bench_reader [MIB]\n", stderr);
        return 2;
    }
    over = bench_region(mib);
    over += bench_archive(mib);
    return over > 0;
}
