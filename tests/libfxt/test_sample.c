/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples from records: both generations of the kernel sampler, its drops, the profiler's
 * raw stacks, and everything that only looks like one of them. */
#include "tests/support/harness.h"

#include <string.h>

#include <fxt/fxt.h>

#include "tests/support/items.h"
#include "tests/support/pieces.h"
#include "tests/support/show.h"

/* ---- the last record of a stream as a sample ---- */

struct taken {
    enum fxt_sample_kind kind;
    struct show show;
};

static void show_sample(struct show *show, const struct fxt_sample *s)
{
    show_format(show, "at %llu of %llu/%llu", (unsigned long long)s->timestamp,
                (unsigned long long)s->thread.process,
                (unsigned long long)s->thread.thread);
    if (s->thread.ref != 0)
        show_format(show, " #%d%s", s->thread.ref, s->thread.known ? "" : "?");
    for (uint64_t i = 0; i < s->pcs.count; i++)
        show_format(show, " %llx", (unsigned long long)fxt_words_get(s->pcs, i));
    if (s->kind == FXT_SAMPLE_STACK && s->maybe_cut)
        show_format(show, " ...");
    if (s->kind == FXT_SAMPLE_STACK && s->end != FXT_STACK_END_UNKNOWN)
        show_format(show, " end %u", s->end);
    if (s->kind == FXT_SAMPLE_STACK && s->event != 0)
        show_format(show, " event %u", s->event);
    if (s->kind == FXT_SAMPLE_STACK && s->weight != 0)
        show_format(show, " weight %llu", (unsigned long long)s->weight);
    if (s->kind == FXT_SAMPLE_DROPS)
        show_format(show, " cpu %u: %llu, %llu bytes, until %llu", s->cpu,
                    (unsigned long long)s->dropped_records,
                    (unsigned long long)s->dropped_bytes,
                    (unsigned long long)s->last_timestamp);
}

static int on_record(void *context, const struct fxt_record *record)
{
    struct taken *taken = (struct taken *)context;
    struct fxt_sample sample;

    /* What an earlier call left in it must not show. */
    memset(&sample, 0xa5, sizeof(sample));
    taken->kind = fxt_sample_from_record(record, &sample);
    CHECK(sample.kind == taken->kind, "the kind is two things at once");
    CHECK(fxt_sample_is_stack(record, 1) == (taken->kind == FXT_SAMPLE_STACK),
          "a stack is two things at once");
    show_take(&taken->show);
    if (fxt_sample_is_stack(record, 0) && taken->kind == FXT_SAMPLE_NONE)
        show_format(&taken->show, "no whole PC");
    if (taken->kind != FXT_SAMPLE_NONE)
        show_sample(&taken->show, &sample);
    return 0;
}

static void check_last(const struct words *w, const char *name, enum fxt_sample_kind kind,
                       const char *text)
{
    struct taken taken = {FXT_SAMPLE_NONE, {0}};
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = on_record,
        .context = &taken,
        .stream = FXT_STREAM_REGION,
        .byte_order = w->big ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_LITTLE,
    };
    struct fxt_chunk chunk = {w->bytes, w->size, 0};
    struct fxt_reader *reader;
    const char *said;

    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "no reader");
    CHECK(fxt_reader_read(reader, &chunk) == FXT_OK, "%s is not read", name);
    said = show_take(&taken.show);
    CHECK(taken.kind == kind, "%s, big-endian %d: %d", name, w->big, taken.kind);
    CHECK(strcmp(said, text) == 0, "%s, big-endian %d: %s", name, w->big,
          show_difference(said, text));
    fxt_reader_destroy(reader);
    show_free(&taken.show);
}

struct row {
    const char *name;
    enum fxt_sample_kind kind;
    const char *text;
    struct item items[24];
};

static void check_row(const struct row *row, bool big)
{
    struct words w = {.big = big};

    put_items(&w, row->items);
    check_last(&w, row->name, row->kind, row->text);
    words_free(&w);
}

#define CHECK_ROWS(rows)                                                                 \
    for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++) {                      \
        check_row(&(rows)[i], false);                                                    \
        check_row(&(rows)[i], true);                                                     \
    }

/* ---- stacks ---- */

#define STRING(index, size, text) H(2 | AT(16, index) | AT(32, size)), S(text)

static const struct row stacks[] = {
    {"the first generation",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000 2000",
     {H(15), W(0), W(5), W(7), W(8), W(16), W(0x1000), W(0x2000)}},
    {"with a surplus word",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000",
     {H(15), W(0), W(5), W(7), W(8), W(8), W(0x1000), W(0x2000)}},
    {"with its thread registered",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 #2 1000",
     {H(3 | AT(16, 2)), W(7), W(8), H(15), W(AT(36, 2)), W(5), W(8), W(0x1000)}},
    {"with empty strings of another kind",
     FXT_SAMPLE_STACK,
     "at 5 of 0/0 #9? 1000",
     {STRING(4, 0, ""), H(15), W(4 | AT(16, IN_LINE(0)) | AT(36, 9)), W(5), W(8),
      W(0x1000)}},
    {"with an argument",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000",
     {H(15), W(AT(32, 1)), W(5), W(7), W(8), ARG(2, 1, 0, 1), W(8), W(0x1000)}},
    {"with an end",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000 end 3",
     {H(15), W(AT(32, 1)), W(5), W(7), W(8), ARG(2, 2, IN_LINE(3), 3), S("end"), W(8),
      W(0x1000)}},
    {"cut at the depth limit",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000 ... end 2",
     {H(15), W(AT(32, 1)), W(5), W(7), W(8), ARG(2, 2, IN_LINE(3), 2), S("end"), W(8),
      W(0x1000)}},
    {"with an end that is not a number",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000",
     {H(15), W(AT(32, 1)), W(5), W(7), W(8), ARG(9, 2, IN_LINE(3), 1), S("end"), W(8),
      W(0x1000)}},
    {"of an event",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000 end 1 event 2 weight 300",
     {H(15), W(AT(32, 3)), W(5), W(7), W(8), ARG(2, 2, IN_LINE(3), 1), S("end"),
      ARG(2, 2, IN_LINE(5), 2), S("event"), ARG(4, 3, IN_LINE(6), 0), S("weight"), W(300),
      W(8), W(0x1000)}},
    {"of an event whose number is 64 bits wide",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000",
     {H(15), W(AT(32, 1)), W(5), W(7), W(8), ARG(4, 3, IN_LINE(5), 0), S("event"), W(1),
      W(8), W(0x1000)}},
    {"no PC at all",
     FXT_SAMPLE_NONE,
     "no whole PC",
     {H(15), W(0), W(5), W(7), W(8), W(0)}},
    {"half a PC",
     FXT_SAMPLE_NONE,
     "no whole PC",
     {H(15), W(0), W(5), W(7), W(8), W(7), W(0x1000)}},
    {"three PCs and three bytes",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000 2000 3000",
     {H(15), W(0), W(5), W(7), W(8), W(27), W(0x1000), W(0x2000), W(0x3000), W(0x4000)}},
    {"a blob that has a name",
     FXT_SAMPLE_NONE,
     "",
     {H(15), W(AT(16, IN_LINE(1))), S("n"), W(5), W(7), W(8), W(8), W(0x1000)}},
    {"a blob that has a category",
     FXT_SAMPLE_NONE,
     "",
     {H(15), W(IN_LINE(1)), S("n"), W(5), W(7), W(8), W(8), W(0x1000)}},
    {"a blob whose name is not known",
     FXT_SAMPLE_NONE,
     "",
     {H(15), W(AT(16, 5)), W(5), W(7), W(8), W(8), W(0x1000)}},
    {"a blob without metadata",
     FXT_SAMPLE_NONE,
     "",
     {H(15 | AT(40, 1)), W(0), W(8), W(0x1000)}},
    {"a blob of a new format",
     FXT_SAMPLE_NONE,
     "",
     {H(15 | AT(40, 2)), W(0), W(5), W(7), W(8), W(8), W(0x1000)}},
    {"a large record of a new type",
     FXT_SAMPLE_NONE,
     "",
     {H(15 | AT(36, 1)), W(0), W(5), W(7), W(8), W(8), W(0x1000)}},
    {"the second generation",
     FXT_SAMPLE_STACK,
     "at 5 of 7/8 1000 2000",
     {H(10 | AT(16, 2) | AT(28, 2)), W(5), W(7), W(8), W(0x1000), W(0x2000)}},
    {"with a thread that is not registered, and a surplus word",
     FXT_SAMPLE_STACK,
     "at 5 of 0/0 #9? 1000",
     {H(10 | AT(16, 2) | AT(20, 9) | AT(28, 1)), W(5), W(0x1000), W(0x2000)}},
    {"a backtrace of no PC",
     FXT_SAMPLE_NONE,
     "no whole PC",
     {H(10 | AT(16, 2)), W(5), W(7), W(8), W(0x1000)}},
    {"a module", FXT_SAMPLE_NONE, "", {H(10), W(5), W(7), W(8)}},
    {"a profiler record of a new type",
     FXT_SAMPLE_NONE,
     "",
     {H(10 | AT(16, 3) | AT(28, 1)), W(5), W(7), W(8), W(0x1000)}},
    {"a log", FXT_SAMPLE_NONE, "", {H(9), W(5), W(7), W(8)}},
    {"a stack that is not unwound",
     FXT_SAMPLE_NOT_UNWOUND,
     "at 5 of 7/8",
     {H(15), W(IN_LINE(12) | AT(16, IN_LINE(12))), S("cpu_profiler"), S("stack_sample"),
      W(5), W(7), W(8), W(8), W(0x1000)}},
    {"the same with registered strings and no payload",
     FXT_SAMPLE_NOT_UNWOUND,
     "at 5 of 7/8",
     {STRING(4, 12, "cpu_profiler"), STRING(5, 12, "stack_sample"), H(15),
      W(4 | AT(16, 5)), W(5), W(7), W(8), W(0)}},
    {"with another name",
     FXT_SAMPLE_NONE,
     "",
     {H(15), W(IN_LINE(12) | AT(16, IN_LINE(12))), S("cpu_profiler"), S("stack_simple"),
      W(5), W(7), W(8), W(8), W(0x1000)}},
    {"with a longer category",
     FXT_SAMPLE_NONE,
     "",
     {H(15), W(IN_LINE(13) | AT(16, IN_LINE(12))), S("cpu_profilers"), S("stack_sample"),
      W(5), W(7), W(8), W(8), W(0x1000)}},
    {"with a name that is not known",
     FXT_SAMPLE_NONE,
     "",
     {H(15), W(IN_LINE(12) | AT(16, 5)), S("cpu_profiler"), W(5), W(7), W(8), W(8),
      W(0x1000)}},
};

TEST(sample, stacks_are_known_whichever_way_they_were_written){CHECK_ROWS(stacks)}

TEST(sample, empty_strings_of_a_blob_may_be_references_that_a_writer_gives)
{
    struct fxt_large_blob blob = {.format = FXT_LARGE_BLOB_METADATA};

    blob.payload.size = 8;
    CHECK(fxt_sample_is_blob(&blob, 1), "two references 0");
    CHECK(!fxt_sample_is_blob(&blob, 2), "it has one PC");
    blob.name.ref = 1;
    CHECK(!fxt_sample_is_blob(&blob, 1), "a name that is not known");
    blob.name.data = "";
    CHECK(fxt_sample_is_blob(&blob, 1), "a name that is registered and empty");
    blob.name.size = 1;
    CHECK(!fxt_sample_is_blob(&blob, 1), "a name");
}

TEST(sample, a_stack_of_as_many_as_there_can_be_may_be_cut)
{
    static const uint64_t counts[] = {63, 64, 65, 254, 255};

    for (unsigned i_count = 0; i_count < 5; i_count++) {
        uint64_t n = counts[i_count];

        for (int generation = 0; generation < 2; generation++) {
            struct words w = {0};
            struct show show = {0};

            if (generation == 0)
                put_sample(&w, 5, n);
            else
                put_backtrace(&w, 5, n);
            show_format(&show, "at 5 of 1045/2077");
            for (uint64_t i = 0; i < n; i++)
                show_format(&show, " %llx",
                            (generation == 0 ? 0x43dc387f8e10 : 0x2b069ffa16c) + 5 * 256 +
                                (unsigned long long)i);
            show_format(&show, n == 64 || (generation == 1 && n == 255) ? " ..." : "%s",
                        "");
            check_last(&w, "a long stack", FXT_SAMPLE_STACK, show_take(&show));
            show_free(&show);
            words_free(&w);
        }
    }
}

/* ---- drops ---- */

#define DROPS(ref)                                                                       \
    H(4 | AT(16, 4) | AT(20, 2) | AT(24, ref) | AT(32, 40) | AT(48, 41)), W(1)
#define DROPPED ARG(2, 1, 42, 17), ARG(2, 1, 43, 9248)

static const struct row drops[] = {
    {"drops as the kernel writes them",
     FXT_SAMPLE_DROPS,
     "at 1 of 0/0 cpu 3: 17, 9248 bytes, until 2",
     {DROPS(0), W(0), W(3), DROPPED, W(2)}},
    {"with all their strings",
     FXT_SAMPLE_DROPS,
     "at 1 of 0/0 cpu 4294967295: 17, 9248 bytes, until 2",
     {STRING(40, 11, "kernel:meta"), STRING(41, 10, "drop_stats"),
      STRING(42, 11, "num_records"), STRING(43, 9, "num_bytes"), DROPS(0), W(0),
      W(0xffffffff), DROPPED, W(2)}},
    {"of a thread that is no CPU",
     FXT_SAMPLE_NONE,
     "",
     {DROPS(0), W(0), W(AT(32, 1)), DROPPED, W(2)}},
    {"of a process", FXT_SAMPLE_NONE, "", {DROPS(0), W(1), W(3), DROPPED, W(2)}},
    {"of a registered thread",
     FXT_SAMPLE_NONE,
     "",
     {H(3 | AT(16, 1)), W(0), W(3), DROPS(1), DROPPED, W(2)}},
    {"with all their strings, of a registered thread",
     FXT_SAMPLE_DROPS,
     "at 1 of 0/0 cpu 3: 17, 9248 bytes, until 2",
     {STRING(40, 11, "kernel:meta"), STRING(41, 10, "drop_stats"),
      STRING(42, 11, "num_records"), STRING(43, 9, "num_bytes"), H(3 | AT(16, 1)), W(0),
      W(3), E, DROPS(1), DROPPED, W(2)}},
    {"in another category",
     FXT_SAMPLE_NONE,
     "",
     {STRING(40, 11, "kernel:mete"), DROPS(0), W(0), W(3), DROPPED, W(2)}},
    {"with another name",
     FXT_SAMPLE_NONE,
     "",
     {STRING(41, 9, "drop_stat"), DROPS(0), W(0), W(3), DROPPED, W(2)}},
    {"with another first argument",
     FXT_SAMPLE_NONE,
     "",
     {STRING(42, 9, "num_bytes"), DROPS(0), W(0), W(3), DROPPED, W(2)}},
    {"with another second argument",
     FXT_SAMPLE_NONE,
     "",
     {STRING(43, 0, ""), DROPS(0), W(0), W(3), DROPPED, W(2)}},
    {"with a first argument of another type",
     FXT_SAMPLE_NONE,
     "",
     {DROPS(0), W(0), W(3), ARG(1, 1, 42, 17), ARG(2, 1, 43, 18), W(2)}},
    {"with a second argument of another type",
     FXT_SAMPLE_NONE,
     "",
     {DROPS(0), W(0), W(3), ARG(2, 1, 42, 17), ARG(4, 2, 43, 0), W(18), W(2)}},
    {"of another kind",
     FXT_SAMPLE_NONE,
     "",
     {H(4 | AT(16, 2) | AT(20, 2) | AT(32, 40) | AT(48, 41)), W(1), W(0), W(3), DROPPED}},
    {"with one argument",
     FXT_SAMPLE_NONE,
     "",
     {H(4 | AT(16, 4) | AT(20, 1) | AT(32, 40) | AT(48, 41)), W(1), W(0), W(3),
      ARG(2, 1, 42, 17), W(2)}},
};

TEST(sample, drops_are_known_by_their_shape_and_near_misses_are_not){CHECK_ROWS(drops)}

TEST(sample, each_end_of_a_stack_has_a_name_of_its_own_and_a_message)
{
    for (uint32_t end = 0; end <= FXT_STACK_END_NOT_SAMPLED; end++) {
        CHECK(strlen(fxt_stack_end_name(end)) > 0, "%u has no name", end);
        CHECK(strlen(fxt_stack_end_message(end)) > 0, "%u has no message", end);
        for (uint32_t other = 0; other < end; other++)
            CHECK(strcmp(fxt_stack_end_name(end), fxt_stack_end_name(other)) != 0,
                  "%u and %u have the same name", end, other);
    }
    CHECK(strcmp(fxt_stack_end_name(FXT_STACK_END_NO_TABLE), "no_table") == 0, "renamed");
    CHECK(fxt_stack_end_name(FXT_STACK_END_NOT_SAMPLED + 1) == NULL,
          "an unknown end has a name");
    CHECK(fxt_stack_end_name(UINT32_MAX) == NULL, "an unknown end has a name");
    CHECK(strcmp(fxt_stack_end_message(UINT32_MAX), "unknown reason") == 0, "no message");
}
