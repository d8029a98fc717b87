/* SPDX-License-Identifier: BSD-2-Clause */
/* See golden.h. */
#include "golden.h"

#include <string.h>

#include "pieces.h"
#include "worked.h"

/* ---- everything ---- */

static void put_tables(struct words *w)
{
    char longest[300];

    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    put_string_record(w, 1, "category");
    put_string_record(w, 2, "name");
    put_string_record(w, 4, "");
    put_string_record(w, 0x7fff, longest);
    put_string_record(w, 2, "another name");
    put_string_record(w, 0, "ignored");
    put_thread_record(w, 1, 10, 11);
    put_thread_record(w, 255, 12, 13);
    put_thread_record(w, 0, 14, 15);
}

static void put_events(struct words *w)
{
    for (uint64_t kind = 0; kind < 16; kind++) {
        put_begin(w, 4 | AT(16, kind) | AT(20, kind) | AT(24, kind % 3) | AT(32, 1) |
                         AT(48, kind % 2 ? IN_LINE(3) : 2));
        put(w, 1000 + kind);
        if (kind % 3 == 0) {
            put(w, 20);
            put(w, 21);
        }
        if (kind % 2)
            put_text(w, "tic");
        for (uint64_t i = 0; i < kind; i++)
            put_arg(w, i, i % 2 ? IN_LINE(1) : i);
        put(w, 2000 + kind);
        put_end(w);
    }
}

static void put_objects(struct words *w)
{
    /* A userspace object of a registered process; with one koid, with two; a blob. */
    put_begin(w, 6 | AT(16, 1) | AT(24, IN_LINE(2)) | AT(40, 1));
    put(w, 0xdead0000);
    put_text(w, "us");
    put_arg(w, 9, 1);
    put_end(w);
    for (uint64_t n_koids = 1; n_koids <= 2; n_koids++) {
        put_begin(w, 6 | AT(24, 2) | AT(40, 2));
        put(w, 0xdead0008);
        for (uint64_t i = 0; i < n_koids; i++)
            put(w, 30 + i);
        put_arg(w, 4, 1);
        put_arg(w, 6, IN_LINE(1));
        put_end(w);
    }
    put_begin(w, 5 | AT(16, 1) | AT(32, 9) | AT(48, 1));
    put_text(w, "nine byte");
    put_zeros(w, 2);
    put_end(w);
}

static void put_scheduling_and_log(struct words *w)
{
    put_plain(w, 8 | AT(16, 4) | AT(24, 2) | AT(28, 1) | AT(36, 255), 1);
    put_plain(w, 8 | AT(16, 4) | AT(28, 77), 3);
    put_plain(w, 8 | AT(60, 2) | AT(20, 65535), 2);
    put_plain(w, 8 | AT(60, 7), 2);
    put_begin(w, 9 | AT(16, 4) | AT(32, 255));
    put(w, 3000);
    put_text(w, "logs");
    put_end(w);
}

static void put_profiler(struct words *w)
{
    /* The three dialects of modules, and two of mappings. */
    put_begin(w, 10 | AT(28, 5) | AT(44, 4) | AT(52, 40));
    put(w, 4000);
    put(w, 40);
    put_text(w, "libc");
    put_text(w, "3e1c4eb82f79af6a4fd142db11f83979772f9867");
    put_end(w);
    for (uint64_t n_koids = 1; n_koids <= 2; n_koids++) {
        put_begin(w, 10 | AT(28, 5) | AT(44, 4) | AT(52, 20));
        put(w, 4001);
        for (uint64_t i = 0; i < n_koids; i++)
            put(w, 40);
        put_text(w, "libc");
        put_text(w, "twenty bytes of hash");
        put_end(w);
        put_plain(w, 10 | AT(16, 1) | AT(28, 5) | AT(44, 5), 4 + n_koids);
    }
    put_plain(w, 10 | AT(16, 9), 3);
    put_backtrace(w, 4002, 2);
}

static void put_large(struct words *w)
{
    put_begin(w, 15);
    put(w, IN_LINE(12) | AT(16, IN_LINE(12)) | AT(32, 1) | AT(36, 255));
    put_text(w, "cpu_profiler");
    put_text(w, "stack_sample");
    put(w, 5000);
    put_arg(w, 5, 1);
    put(w, 13);
    put_text(w, "13 of payload");
    put_end(w);
    put_begin(w, 15 | AT(40, 1));
    put(w, 1 | AT(16, 2));
    put(w, 3);
    put_text(w, "abc");
    put_zeros(w, 1);
    put_end(w);
    put_sample(w, 5001, 3);
    put_plain(w, 15 | AT(36, 3), 2);
    put_plain(w, 15 | AT(40, 9), 2);
}

static void put_unknown(struct words *w)
{
    put_plain(w, 11, 2);
    put_plain(w, 14, 0);
    put_plain(w, AT(16, 9), 1);
    put_plain(w, AT(16, 4) | AT(20, 3), 0);
    put_plain(w, AT(16, 3) | AT(20, 7) | AT(52, 5), 0);
    put_plain(w, AT(16, 3) | AT(20, 7), 0);
}

static void put_everything(struct words *w)
{
    put(w, MAGIC);
    put_string_record(w, 1, "of provider 0");
    put_provider_info(w, 7, "sampler");
    put_begin(w, 1);
    put(w, 24000000);
    put_end(w);
    put_tables(w);
    put_events(w);
    put_zeros(w, 3);
    put_objects(w);
    put_scheduling_and_log(w);
    put_profiler(w);
    put_large(w);
    put_unknown(w);
    put_section(w, 0xffffffff);
    put_begin(w, 1);
    put(w, 19200000);
    put(w, 77);
    put(w, 1700000000000000000);
    put_end(w);
    put_events(w);
    put_section(w, 7);
    put_events(w);
    put_zeros(w, 2);
}

static void put_worked(struct words *w)
{
    for (size_t i = 0; i < N_WORKED; i++)
        put_worked_example(w, &worked_examples[i]);
}

/* ---- regions ---- */

static void put_samples(struct words *w)
{
    for (uint64_t i = 0; i < 4; i++) {
        put_sample(w, i, i);
        put_backtrace(w, i, i);
    }
    put_drops(w);
    put_sample(w, 5, 64);
}

static void put_region(struct words *w)
{
    put_samples(w);
    put_zeros(w, 9);
}

static void put_region_with_tail(struct words *w)
{
    put_region(w);
    put(w, 0x77);
    put_samples(w);
    put_region(w);
    put_raw(w, "tail", 4);
}

/* ---- damage ---- */

/* Records that contradict themselves, each in its own way, with sizes that can be
 * believed. */
static void put_contradictions(struct words *w)
{
    put_plain(w, AT(16, 4) | AT(24, 0x12345678), 0);
    put_plain(w, 1, 1);
    put_plain(w, 2 | AT(16, 2) | AT(32, 9), 1);
    put_plain(w, 3 | AT(16, 1), 1);
    put_plain(w, AT(16, 1) | AT(20, 8) | AT(52, 9), 1);
    put_plain(w, 4 | AT(16, 4) | AT(24, 1), 1);
    put_plain(w, 4 | AT(20, 3) | AT(24, 1), 1);
    put_plain(w, 4 | AT(20, 3) | AT(24, 1), 2);
    put_plain(w, 5 | AT(32, 100), 3);
    put_plain(w, 6, 1);
    put_plain(w, 10 | AT(16, 2) | AT(28, 200), 9);
    put_plain(w, 15, 9);
    put_begin(w, 15);
    put_zeros(w, 4);
    put(w, UINT64_MAX);
    put_zeros(w, 2);
    put_end(w);
    put_begin(w, 4 | AT(20, 1) | AT(24, 1));
    put(w, 1);
    put(w, 4 | AT(4, 9));
    put_end(w);
    put_begin(w, 4 | AT(20, 1) | AT(24, 1));
    put(w, 1);
    put(w, 4 | AT(4, 1));
    put(w, 1);
    put_end(w);
}

static void put_damaged_records(struct words *w)
{
    put(w, MAGIC);
    put_tables(w);
    put_events(w);
    put_contradictions(w);
    /* The provider that was introduced there, though its name is too long, is current. */
    put_tables(w);
    put_events(w);
}

static void put_size_zero(struct words *w)
{
    put(w, MAGIC);
    put_tables(w);
    put(w, 0x4);
    put_events(w);
}

/* Sizes that lead into the middle of other records, words that are none, a hole. */
static void put_damaged_framing(struct words *w)
{
    put(w, MAGIC);
    put_tables(w);
    put(w, 0x4 | AT(4, 3) | AT(16, 4));
    put_events(w);
    put(w, 0x2 | AT(4, 17) | AT(16, 1) | AT(32, 3));
    put_text(w, "abc");
    put_objects(w);
    put(w, 0xffffffffffffffff);
    put(w, 0x5);
    put_profiler(w);
    put_large(w);
    put_plain(w, 12, 5);
    put(w, 0x0123456789abcdef);
    put_tables(w);
    put(w, 0x4 | AT(4, 4000));
    put_samples(w);
}

static void put_damaged_region(struct words *w)
{
    put_samples(w);
    put(w, 0x123456789abcdef1);
    put_samples(w);
    put_zeros(w, 3);
    put(w, 0xf);
    put_samples(w);
    put(w, 0xf | AT(4, 0xfffffff0));
    put_samples(w);
    put_zeros(w, 4);
}

static void put_truncated(struct words *w)
{
    put_damaged_framing(w);
    w->size -= 3;
}

static void put_too_large(struct words *w)
{
    put(w, MAGIC);
    put_tables(w);
    put_samples(w);
    put_events(w);
    put_plain(w, 2 | AT(16, 2) | AT(32, 250), 32);
    put_plain(w, AT(16, 1) | AT(20, 9) | AT(52, 255), 32);
    put_string_record(w, 1, "of provider 9");
    put_events(w);
    put_sample(w, 9, 64);
}

static void put_too_large_cut_off(struct words *w)
{
    put_too_large(w);
    w->size -= 100;
}

static void put_zero_runs(struct words *w)
{
    put(w, MAGIC);
    put_zeros(w, 1);
    put_string_record(w, 1, "between");
    put_zeros(w, 5);
    put_thread_record(w, 1, 2, 3);
    put_zeros(w, 2);
    put_raw(w, "\0\0\0", 3);
}

const struct golden goldens[] = {
    {"everything", put_everything, FXT_STREAM_AUTO, false, 0},
    {"worked examples", put_worked, FXT_STREAM_AUTO, false, 0},
    {"region", put_region, FXT_STREAM_AUTO, false, 0},
    {"full region", put_samples, FXT_STREAM_REGION, false, 0},
    {"region with a tail", put_region_with_tail, FXT_STREAM_REGION, false, 0},
    {"region with a tail, resync", put_region_with_tail, FXT_STREAM_REGION, true, 0},
    {"damaged records", put_damaged_records, FXT_STREAM_ARCHIVE, false, 0},
    {"damaged records, resync", put_damaged_records, FXT_STREAM_ARCHIVE, true, 0},
    {"size zero", put_size_zero, FXT_STREAM_ARCHIVE, false, 0},
    {"damaged framing", put_damaged_framing, FXT_STREAM_ARCHIVE, false, 0},
    {"damaged framing, resync", put_damaged_framing, FXT_STREAM_ARCHIVE, true, 0},
    {"damaged region", put_damaged_region, FXT_STREAM_REGION, false, 0},
    {"damaged region, resync", put_damaged_region, FXT_STREAM_REGION, true, 0},
    {"truncated", put_truncated, FXT_STREAM_ARCHIVE, false, 0},
    {"truncated, resync", put_truncated, FXT_STREAM_ARCHIVE, true, 0},
    {"too large", put_too_large, FXT_STREAM_ARCHIVE, false, 200},
    {"too large, resync", put_too_large, FXT_STREAM_ARCHIVE, true, 200},
    {"too large, cut off", put_too_large_cut_off, FXT_STREAM_ARCHIVE, false, 200},
    {"zero runs", put_zero_runs, FXT_STREAM_ARCHIVE, false, 0},
    {"zero runs, resync", put_zero_runs, FXT_STREAM_ARCHIVE, true, 0},
};

const size_t n_goldens = sizeof(goldens) / sizeof(goldens[0]);

struct fxt_reader_options golden_options(const struct golden *golden, bool big)
{
    return (struct fxt_reader_options){
        .size = sizeof(struct fxt_reader_options),
        .stream = golden->stream,
        .byte_order = big ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_LITTLE,
        .resync = golden->resync,
        .max_record_bytes = golden->max_record_bytes,
    };
}
