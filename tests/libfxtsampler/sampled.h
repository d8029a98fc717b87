/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of libfxtsampler: sessions, time to sample, and what is in a region then.
 * Where perf events are forbidden, what needs them says so and is left out. */
#ifndef TESTS_LIBFXTSAMPLER_SAMPLED_H
#define TESTS_LIBFXTSAMPLER_SAMPLED_H

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <fxt/fxt.h>
#include <fxt/sampler.h>

#include "tests/support/harness.h"

enum { MS = 1000000 };

/* The thread sanitizer does, until a function of the C library is called. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KEEPS_SIGNALS_BACK 1
#endif
#endif

static inline struct fxt_sampler_config config_of(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = {.size = sizeof(config)};

    config.period_ns = 1 * MS;
    config.buffer_size = 1 << 20;
    config.method = method;
    return config;
}

static inline struct fxt_sampler *create(const struct fxt_sampler_config *config)
{
    struct fxt_sampler *sampler;
    enum fxt_sampler_code code = fxt_sampler_create(0, config, &sampler);

    if (config->method == FXT_SAMPLER_PERF &&
        (code == FXT_SAMPLER_E_PERMISSION || code == FXT_SAMPLER_E_SUPPORT)) {
        printf("# skipped: perf events: %s\n", fxt_sampler_code_message(code));
        return NULL;
    }
    CHECK(code == FXT_SAMPLER_OK, "%s", fxt_sampler_code_message(code));
    return sampler;
}

static inline void expect(enum fxt_sampler_code code, enum fxt_sampler_code expected,
                          const char *what)
{
    CHECK(code == expected, "%s: %s, and not %s", what, fxt_sampler_code_name(code),
          fxt_sampler_code_name(expected));
}

/* Attaches a target, and starts. */
static inline void start_with(struct fxt_sampler *sampler, enum fxt_sampler_target target,
                              pid_t id)
{
    expect(fxt_sampler_attach(sampler, target, id), FXT_SAMPLER_OK, "attach");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
}

static inline uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline void spin(uint64_t ns)
{
    uint64_t end = cpu_ns() + ns;
    volatile unsigned sum = 0;

    while (cpu_ns() < end) {
        for (unsigned i = 0; i < 10000; i++)
            sum = sum + i;
    }
}

/* ---- Streams ----------------------------------------------------------------------- */

/* A stream that is being read. */
struct stream_read {
    fxt_record_fn *on_record;
    void *context;
    uint64_t n_errors;
};

static inline int pass_record(void *context, const struct fxt_record *record)
{
    struct stream_read *r = context;

    return r->on_record(r->context, record);
}

static inline int count_error(void *context, const struct fxt_error *error)
{
    struct stream_read *r = context;

    printf("# %s at %llu\n", error->message, (unsigned long long)error->offset);
    r->n_errors++;
    return 0;
}

/* Reads it, and returns what the reader did: no fault may be in it. */
static inline enum fxt_code read_stream(enum fxt_stream stream, const void *data,
                                        uint64_t size, fxt_record_fn *on_record,
                                        void *context)
{
    struct stream_read r = {on_record, context, 0};
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = pass_record,
                                         .on_error = count_error,
                                         .context = &r,
                                         .stream = stream};
    struct fxt_chunk chunk = {data, size, 0};
    struct fxt_reader *reader;
    enum fxt_code code;

    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "reader");
    code = fxt_reader_read(reader, &chunk);
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
    CHECK(r.n_errors == 0, "the data is damaged");
    return code;
}

/* ---- What is in a region ----------------------------------------------------------- */

struct seen {
    uint64_t n_samples;
    uint64_t last_time;
    bool backtraces;
    uint64_t thread;
    uint64_t max_pcs;
};

static inline int take_record(void *context, const struct fxt_record *record)
{
    struct seen *seen = context;
    struct fxt_sample sample;

    CHECK(fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK, "no sample");
    CHECK(sample.timestamp >= seen->last_time, "samples are not in order");
    seen->last_time = sample.timestamp;
    seen->backtraces = record->type == FXT_RECORD_PROFILER;
    seen->n_samples++;
    seen->thread = sample.thread.thread;
    if (sample.pcs.count > seen->max_pcs)
        seen->max_pcs = sample.pcs.count;
    return 0;
}

/* Reads a whole region, which must have samples, then a zero header, and nothing else. */
static inline void read_region(const struct fxt_sampler_region *region, struct seen *seen)
{
    uint64_t before = seen->n_samples;
    uint64_t word;

    seen->last_time = 0;
    CHECK(read_stream(FXT_STREAM_REGION, region->data, region->size, take_record, seen) ==
              FXT_END,
          "no zero header ends the region");
    memcpy(&word, (const char *)region->data + region->used, sizeof(word));
    CHECK(word == 0, "no zero where the records end");
    CHECK(seen->n_samples - before == region->counts.samples,
          "%llu samples counted, %llu there", (unsigned long long)region->counts.samples,
          (unsigned long long)(seen->n_samples - before));
}

static inline struct seen read_all(struct fxt_sampler *sampler)
{
    struct seen seen = {0};
    struct fxt_sampler_region region;
    uint32_t i = 0;

    while (fxt_sampler_read(sampler, i, &region) == FXT_SAMPLER_OK) {
        read_region(&region, &seen);
        i++;
    }
    CHECK(i > 0, "no regions");
    return seen;
}

/* The sleep is for the thread sanitizer, which keeps signals back until a call waits. */
static inline void spin_until_sampled(struct fxt_sampler *sampler)
{
    struct fxt_sampler_counts counts;

    do {
        spin(20 * MS);
        usleep(1000);
        fxt_sampler_count(sampler, &counts);
    } while (counts.samples == 0);
}

#endif
