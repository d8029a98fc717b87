/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler: what is sampled is taken out of the regions while the session runs. */
#include <stdlib.h>

#include "sampled.h"

/* ---- Records ----------------------------------------------------------------------- */

/* Records that were taken, of all CPUs. */
struct taken {
    uint64_t n_records;
    uint64_t n_samples;
    uint64_t n_bytes;
    unsigned n_left;
};

static int count_record(void *context, const struct fxt_record *record)
{
    struct taken *taken = context;
    struct fxt_sample sample;

    taken->n_records++;
    taken->n_samples += fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK;
    return 0;
}

static int take_records(void *context, uint32_t cpu, const void *records, size_t size)
{
    struct taken *taken = context;

    (void)cpu;
    read_stream(FXT_STREAM_REGION, records, size, count_record, taken);
    taken->n_bytes += size;
    return 0;
}

static int refuse_records(void *context, uint32_t cpu, const void *records, size_t size)
{
    unsigned *n = context;

    (void)cpu;
    (void)records;
    (void)size;
    ++*n;
    return 1;
}

static int count_sample(void *context, uint32_t cpu, const struct fxt_sample *sample)
{
    struct taken *taken = context;

    (void)cpu;
    CHECK(sample->thread.process == (uint64_t)getpid() && sample->pcs.count > 0,
          "no sample of this process");
    taken->n_samples++;
    return 0;
}

static struct fxt_sampler *start_self(enum fxt_sampler_method method, uint64_t size,
                                      uint32_t flags)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler;

    config.buffer_size = size;
    config.flags = flags;
    sampler = create(&config);
    if (sampler == NULL)
        return NULL;
    start_with(sampler, FXT_SAMPLER_PROCESS, getpid());
    return sampler;
}

/* Far more than the regions hold. */
static void drain_running(enum fxt_sampler_method method)
{
    struct fxt_sampler *sampler = start_self(method, 1 << 15, 0);
    struct fxt_sampler_counts counts;
    struct taken taken = {0};

    if (sampler == NULL)
        return;
    while (taken.n_bytes < 6 << 15) {
        spin(5 * MS);
        expect(fxt_sampler_drain(sampler, take_records, &taken), FXT_SAMPLER_OK, "drain");
    }
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    expect(fxt_sampler_drain(sampler, take_records, &taken), FXT_SAMPLER_OK, "drain");
    fxt_sampler_count(sampler, &counts);
    CHECK(taken.n_records == taken.n_samples, "damaged records");
    CHECK(taken.n_samples == counts.samples, "%llu of %llu samples",
          (unsigned long long)taken.n_samples, (unsigned long long)counts.samples);
    CHECK(read_all(sampler).n_samples == 0, "some are still there");
    fxt_sampler_destroy(sampler);
}

TEST(sampler_drain, whole_records_are_taken_by_signals)
{
    drain_running(FXT_SAMPLER_SIGNAL);
}

TEST(sampler_drain, whole_records_are_taken_by_perf)
{
    drain_running(FXT_SAMPLER_PERF);
}

TEST(sampler_drain, samples_are_taken_one_by_one)
{
    struct fxt_sampler *sampler = start_self(FXT_SAMPLER_SIGNAL, 1 << 20, 0);
    struct fxt_sampler_counts counts;
    struct taken taken = {0};

    while (taken.n_samples < 20) {
        spin(5 * MS);
        expect(fxt_sampler_drain_samples(sampler, count_sample, &taken), FXT_SAMPLER_OK,
               "drain");
    }
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    expect(fxt_sampler_drain_samples(sampler, count_sample, &taken), FXT_SAMPLER_OK,
           "drain");
    fxt_sampler_count(sampler, &counts);
    CHECK(taken.n_samples == counts.samples, "%llu of %llu samples",
          (unsigned long long)taken.n_samples, (unsigned long long)counts.samples);
    fxt_sampler_destroy(sampler);
}

TEST(sampler_drain, what_is_refused_comes_again)
{
    struct fxt_sampler *sampler = start_self(FXT_SAMPLER_SIGNAL, 1 << 20, 0);
    struct fxt_sampler_counts counts;
    struct taken taken = {0};
    unsigned n_calls = 0;

    spin_until_sampled(sampler);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    expect(fxt_sampler_drain(sampler, refuse_records, &n_calls), FXT_SAMPLER_E_SINK,
           "drain");
    CHECK(n_calls == 1, "%u calls", n_calls);
    expect(fxt_sampler_drain(sampler, take_records, &taken), FXT_SAMPLER_OK, "drain");
    fxt_sampler_count(sampler, &counts);
    CHECK(taken.n_samples == counts.samples && counts.samples > 0, "samples are lost");
    fxt_sampler_destroy(sampler);
}

TEST(sampler_drain, a_cleared_session_starts_again)
{
    struct fxt_sampler *sampler = start_self(FXT_SAMPLER_SIGNAL, 1, 0);
    struct fxt_sampler_counts counts = {0};

    while (counts.dropped == 0) {
        spin(5 * MS);
        fxt_sampler_count(sampler, &counts);
    }
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_E_FULL, "start");
    expect(fxt_sampler_clear(sampler), FXT_SAMPLER_OK, "clear");
    CHECK(read_all(sampler).n_samples == 0, "samples are there");
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    for (uint64_t n = counts.samples; counts.samples == n;) {
        spin(5 * MS);
        fxt_sampler_count(sampler, &counts);
    }
    fxt_sampler_destroy(sampler);
}

/* ---- Archives ---------------------------------------------------------------------- */

/* What was written so far can be read at any time. */
static void append_running(enum fxt_sampler_method method)
{
    struct fxt_sampler *sampler = start_self(method, 1 << 20, FXT_SAMPLER_ARCHIVE);
    struct fxt_sampler_summary summary = {.size = sizeof(summary)};
    struct fxt_buffer buffer = {0};
    struct fxt_sampler_counts counts;
    struct taken taken = {0};
    size_t size = 0;

    if (sampler == NULL)
        return;
    expect(fxt_sampler_open_archive(sampler, NULL, fxt_buffer_write, &buffer),
           FXT_SAMPLER_OK, "open");
    for (unsigned i = 0; i < 5; i++) {
        CHECK(buffer.size > size, "nothing was written");
        size = buffer.size;
        taken = (struct taken){0};
        read_stream(FXT_STREAM_ARCHIVE, buffer.data, buffer.size, count_record, &taken);
        spin(20 * MS);
        while (buffer.size == size) {
            spin(5 * MS);
            expect(fxt_sampler_append(sampler), FXT_SAMPLER_OK, "append");
        }
    }
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    expect(fxt_sampler_append(sampler), FXT_SAMPLER_OK, "append");
    expect(fxt_sampler_close_archive(sampler, &summary), FXT_SAMPLER_OK, "close");
    taken = (struct taken){0};
    read_stream(FXT_STREAM_ARCHIVE, buffer.data, buffer.size, count_record, &taken);
    fxt_sampler_count(sampler, &counts);
    CHECK(taken.n_samples == counts.samples && summary.samples == counts.samples &&
              summary.damaged == 0,
          "%llu samples in the archive, %llu said, of %llu",
          (unsigned long long)taken.n_samples, (unsigned long long)summary.samples,
          (unsigned long long)counts.samples);
    CHECK(read_all(sampler).n_samples == 0, "samples stay in the regions");
    free(buffer.data);
    fxt_sampler_destroy(sampler);
}

TEST(sampler_drain, an_archive_is_written_meanwhile_by_signals)
{
    append_running(FXT_SAMPLER_SIGNAL);
}

TEST(sampler_drain, an_archive_is_written_meanwhile_by_perf)
{
    append_running(FXT_SAMPLER_PERF);
}

/* A disk that takes so many bytes, and then nothing but small parts. */
struct full_disk {
    struct fxt_buffer written;
    size_t left;
    unsigned n_refused;
};

static int write_to_full(void *context, const void *data, size_t size)
{
    struct full_disk *disk = context;

    if (size > disk->left) {
        disk->n_refused++;
        return 1;
    }
    disk->left -= size;
    return fxt_buffer_write(&disk->written, data, size);
}

TEST(sampler_drain, a_full_disk_is_not_tried_again_until_the_end)
{
    struct fxt_sampler *sampler =
        start_self(FXT_SAMPLER_SIGNAL, 1 << 20, FXT_SAMPLER_ARCHIVE);
    struct fxt_sampler_summary summary = {.size = sizeof(summary)};
    struct full_disk disk = {.left = 6000};
    enum fxt_sampler_code code = FXT_SAMPLER_OK;
    struct taken taken = {0};
    size_t before;

    expect(fxt_sampler_open_archive(sampler, NULL, write_to_full, &disk), FXT_SAMPLER_OK,
           "open");
    while (code == FXT_SAMPLER_OK) {
        spin(5 * MS);
        code = fxt_sampler_append(sampler);
    }
    expect(code, FXT_SAMPLER_E_SINK, "append");
    expect(fxt_sampler_append(sampler), FXT_SAMPLER_E_SINK, "append again");
    CHECK(disk.n_refused == 1, "%u times", disk.n_refused);
    disk.left += 1000;
    before = disk.left;
    expect(fxt_sampler_close_archive(sampler, &summary), FXT_SAMPLER_E_SINK, "close");
    read_stream(FXT_STREAM_ARCHIVE, disk.written.data, disk.written.size, count_record,
                &taken);
    CHECK(taken.n_samples == summary.samples && disk.left < before,
          "%llu samples, %llu said", (unsigned long long)taken.n_samples,
          (unsigned long long)summary.samples);
    free(disk.written.data);
    fxt_sampler_destroy(sampler);
}

TEST(sampler_drain, the_last_samples_are_kept_and_written_twice)
{
    struct fxt_sampler *sampler =
        start_self(FXT_SAMPLER_SIGNAL, 1 << 20, FXT_SAMPLER_ARCHIVE);
    struct taken taken[2] = {{0}, {0}};
    struct fxt_sampler_counts counts = {0};

    while (counts.samples < 300) {
        spin(20 * MS);
        expect(fxt_sampler_keep(sampler, 50 * MS), FXT_SAMPLER_OK, "keep");
        fxt_sampler_count(sampler, &counts);
    }
    expect(fxt_sampler_keep(sampler, 3600000 * (uint64_t)MS), FXT_SAMPLER_OK, "keep all");
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    for (unsigned i = 0; i < 2; i++) {
        struct fxt_buffer buffer = {0};

        expect(fxt_sampler_open_archive(sampler, NULL, fxt_buffer_write, &buffer),
               FXT_SAMPLER_OK, "open");
        expect(fxt_sampler_append(sampler), FXT_SAMPLER_OK, "append");
        expect(fxt_sampler_close_archive(sampler, NULL), FXT_SAMPLER_OK, "close");
        read_stream(FXT_STREAM_ARCHIVE, buffer.data, buffer.size, count_record,
                    &taken[i]);
        free(buffer.data);
    }
    CHECK(taken[0].n_samples == taken[1].n_samples &&
              taken[0].n_records == taken[1].n_records,
          "the archives differ");
    CHECK(taken[0].n_samples < counts.samples, "all %llu samples were kept",
          (unsigned long long)counts.samples);
    fxt_sampler_destroy(sampler);
}

/* ---- Labels ------------------------------------------------------------------------ */

struct labels {
    char names[128];
};

static int see_name(void *context, const struct fxt_record *record)
{
    struct labels *labels = context;
    size_t used = strlen(labels->names);

    if (record->type == FXT_RECORD_KERNEL_OBJECT &&
        record->kernel_object.type == FXT_OBJECT_THREAD &&
        record->kernel_object.koid == (uint64_t)gettid())
        snprintf(labels->names + used, sizeof(labels->names) - used, "%.*s;",
                 (int)record->kernel_object.name.size, record->kernel_object.name.data);
    return 0;
}

TEST(sampler_drain, labels_take_the_place_of_names)
{
    struct fxt_sampler *sampler =
        start_self(FXT_SAMPLER_SIGNAL, 1 << 20, FXT_SAMPLER_ARCHIVE);
    struct labels labels = {""};
    struct fxt_buffer buffer = {0};

    spin_until_sampled(sampler);
    expect(fxt_sampler_label(sampler, gettid(), "request 7"), FXT_SAMPLER_OK, "label");
    spin(20 * MS);
    expect(fxt_sampler_label(sampler, gettid(), NULL), FXT_SAMPLER_OK, "no label");
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    expect(fxt_sampler_write(sampler, NULL, fxt_buffer_write, &buffer), FXT_SAMPLER_OK,
           "write");
    read_stream(FXT_STREAM_ARCHIVE, buffer.data, buffer.size, see_name, &labels);
    CHECK(strcmp(labels.names, "test_sampler_dr;request 7;test_sampler_dr;") == 0,
          "the names are %s", labels.names);
    free(buffer.data);
    fxt_sampler_destroy(sampler);
}
