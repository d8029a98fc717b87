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
#include <sys/mman.h>

#include <fxt/fxt.h>

#include "bench.h"

enum { SAMPLE_PCS = 30, SAMPLE_WORDS = 6 + SAMPLE_PCS, PREFETCH_WORDS = 256 };

struct data {
    uint64_t *words;
    size_t n_words;
    uint64_t n_records;
    /* How many times memory was asked for while reading, after the first half. */
    uint64_t n_allocations;
    uint64_t n_reports;
};

static uint64_t state = 88172645463325252;

/* Marsaglia's xorshift: the same numbers on every machine. */
static uint64_t pick(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static struct data allocate(size_t mib)
{
    struct data data = {NULL, (mib << 20) / FXT_WORD_BYTES, 0, 0, 0};
    void *memory = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory == MAP_FAILED) {
        perror("bench_reader");
        exit(EXIT_FAILURE);
    }
    data.words = (uint64_t *)memory;
    return data;
}

/* ---- Data -------------------------------------------------------------------------- */

static struct data make_region(size_t mib)
{
    struct data data = allocate(mib);
    size_t pos = 0;

    while (data.n_words - pos > SAMPLE_WORDS) {
        uint64_t *w = data.words + pos;

        w[0] =
            FXT_PUT(RECORD_TYPE, FXT_RECORD_LARGE) | FXT_PUT(LARGE_WORDS, SAMPLE_WORDS);
        w[1] = 0;
        w[2] = pos;
        w[3] = 1000 + pick(8);
        w[4] = 2000 + pick(64);
        w[5] = SAMPLE_PCS * FXT_WORD_BYTES;
        for (int i = 0; i < SAMPLE_PCS; i++)
            w[6 + i] = 0xffffffff80100000 + pick(1 << 20);
        pos += SAMPLE_WORDS;
        data.n_records++;
    }
    data.n_words = pos + 1;
    return data;
}

enum { N_STRINGS = 1000, N_THREADS = 200 };

static size_t put_tables(uint64_t *w)
{
    size_t pos = 0;

    w[pos++] = FXT_MAGIC_RECORD;
    for (uint64_t i = 1; i <= N_STRINGS; i++) {
        uint64_t size = 4 + i % 21;
        uint64_t n_words = 1 + (size + 7) / 8;

        w[pos] = FXT_RECORD_STRING | FXT_PUT(RECORD_WORDS, n_words) |
                 FXT_PUT(STRING_INDEX, i) | FXT_PUT(STRING_SIZE, size);
        memcpy(&w[pos + 1], "a_name_of_some_length_that_is_used", size);
        pos += n_words;
    }
    for (uint64_t i = 1; i <= N_THREADS; i++) {
        w[pos] = FXT_RECORD_THREAD | FXT_PUT(RECORD_WORDS, 3) | FXT_PUT(THREAD_INDEX, i);
        w[pos + 1] = 100 + i % 10;
        w[pos + 2] = 1000 + i;
        pos += 3;
    }
    return pos;
}

static size_t put_arg(uint64_t *w)
{
    uint64_t name = FXT_PUT(ARG_NAME, 1 + pick(N_STRINGS));

    switch (pick(4)) {
    case 0:
        w[0] = FXT_ARG_UINT32 | FXT_PUT(ARG_WORDS, 1) | name |
               FXT_PUT(ARG_VALUE, pick(1000));
        return 1;
    case 1:
        w[0] = FXT_ARG_UINT64 | FXT_PUT(ARG_WORDS, 2) | name;
        w[1] = pick(UINT64_MAX);
        return 2;
    case 2:
        w[0] = FXT_ARG_STRING | FXT_PUT(ARG_WORDS, 1) | name |
               FXT_PUT(ARG_STRING, 1 + pick(N_STRINGS));
        return 1;
    default:
        w[0] = FXT_ARG_STRING | FXT_PUT(ARG_WORDS, 3) | name |
               FXT_PUT(ARG_STRING, FXT_STRING_REF_INLINE | 11);
        memcpy(&w[1], "some detail\0\0\0\0\0", 16);
        return 3;
    }
}

static size_t put_event(uint64_t *w, uint64_t now)
{
    static const uint64_t kinds[] = {
        FXT_EVENT_INSTANT,      FXT_EVENT_COUNTER,           FXT_EVENT_DURATION_BEGIN,
        FXT_EVENT_DURATION_END, FXT_EVENT_DURATION_COMPLETE, FXT_EVENT_DURATION_COMPLETE,
        FXT_EVENT_ASYNC_BEGIN,  FXT_EVENT_FLOW_STEP,
    };
    uint64_t kind = kinds[pick(8)];
    uint64_t n_args = kind == FXT_EVENT_DURATION_END ? 0 : pick(4);
    size_t pos = 2;

    w[1] = now;
    for (uint64_t i = 0; i < n_args; i++)
        pos += put_arg(w + pos);
    if (kind != FXT_EVENT_INSTANT && kind != FXT_EVENT_DURATION_BEGIN &&
        kind != FXT_EVENT_DURATION_END)
        w[pos++] = now + 100;
    w[0] = FXT_RECORD_EVENT | FXT_PUT(RECORD_WORDS, pos) | FXT_PUT(EVENT_TYPE, kind) |
           FXT_PUT(EVENT_ARGS, n_args) | FXT_PUT(EVENT_THREAD, 1 + pick(N_THREADS)) |
           FXT_PUT(EVENT_CATEGORY, 1 + pick(20)) |
           FXT_PUT(EVENT_NAME, 1 + pick(N_STRINGS));
    return pos;
}

static size_t put_context_switch(uint64_t *w, uint64_t now)
{
    uint64_t name = FXT_PUT(ARG_NAME, 1 + pick(N_STRINGS));

    w[0] = FXT_RECORD_SCHEDULING | FXT_PUT(RECORD_WORDS, 6) |
           FXT_PUT(SCHEDULING_TYPE, FXT_SCHEDULING_CONTEXT_SWITCH) |
           FXT_PUT(CONTEXT_SWITCH_ARGS, 2) | FXT_PUT(CONTEXT_SWITCH_CPU, pick(8)) |
           FXT_PUT(CONTEXT_SWITCH_STATE, FXT_THREAD_BLOCKED);
    w[1] = now;
    w[2] = 1000 + pick(N_THREADS);
    w[3] = 1000 + pick(N_THREADS);
    w[4] = FXT_ARG_INT32 | FXT_PUT(ARG_WORDS, 1) | name | FXT_PUT(ARG_VALUE, 20);
    w[5] = FXT_ARG_INT32 | FXT_PUT(ARG_WORDS, 1) | name | FXT_PUT(ARG_VALUE, 16);
    return 6;
}

/* A general archive: four fifths events of all kinds, one fifth context switches. */
static struct data make_archive(size_t mib)
{
    struct data data = allocate(mib);
    size_t pos = put_tables(data.words);

    while (data.n_words - pos > 64) {
        if (pick(5) > 0)
            pos += put_event(data.words + pos, pos);
        else
            pos += put_context_switch(data.words + pos, pos);
        data.n_records++;
    }
    data.n_words = pos;
    return data;
}

/* ---- The bare loops ---------------------------------------------------------------- */

static uint64_t hop(void *context)
{
    const struct data *data = (const struct data *)context;
    uint64_t n_records = 0;

    for (size_t pos = 0; data->words[pos] != 0; n_records++) {
        __builtin_prefetch(&data->words[pos + PREFETCH_WORDS]);
        pos += FXT_GET(data->words[pos], LARGE_WORDS);
    }
    return n_records;
}

static uint64_t hop_and_sum(void *context)
{
    const struct data *data = (const struct data *)context;
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
    const struct data *data = (const struct data *)context;
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
    ((struct data *)context)->n_reports++;
    return 0;
}

static void *counting_resize(void *context, void *old, size_t old_size, size_t size)
{
    (void)old_size;
    if (size > 0) {
        ((struct data *)context)->n_allocations++;
        return realloc(old, size);
    }
    free(old);
    return NULL;
}

static uint64_t read_with(struct data *data, fxt_record_fn *on_record)
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
    return read_with((struct data *)context, count_sample);
}

static uint64_t read_region_and_sum(void *context)
{
    return read_with((struct data *)context, sum_sample);
}

static uint64_t read_archive(void *context)
{
    return read_with((struct data *)context, use_record);
}

/* ---- Comparisons ------------------------------------------------------------------- */

static void describe(const char *what, const struct data *data)
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
    struct data data = make_region(mib);
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
    munmap(data.words, mib << 20);
    return over;
}

static int bench_archive(size_t mib)
{
    struct data data = make_archive(mib);
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
    munmap(data.words, mib << 20);
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
