/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records that the writer writes in fewer steps, beside what its general path makes
 * of them: random records that are close to these, with tables that are full most of the
 * time, so that it also shows where the two remember different things.
 */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>

/* For the function that is static. */
#include "libfxt/writer/writer.c"
#include "tests/support/random.h"
#include "tests/support/trip.h"

enum { TURNS = 20000, N_TEXTS = 150, TEXT_ROOM = 1100 };

struct texts {
    char bytes[N_TEXTS][TEXT_ROOM];
    uint32_t sizes[N_TEXTS];
};

static struct texts texts;

static uint64_t pick_below(uint64_t *random, uint64_t below)
{
    return random_next(random) % below;
}

/* Most have few bytes, with nulls and equal beginnings and ends; some have as many as a
 * table takes, or more. */
static void make_texts(uint64_t *random)
{
    for (size_t i = 0; i < N_TEXTS; i++) {
        texts.sizes[i] = 1 + (uint32_t)(i % 37);
        if (i % 15 == 0)
            texts.sizes[i] = FXT_TABLE_STRING_SIZE_MAX - 1 + (uint32_t)(i % 4);
        memset(texts.bytes[i], 'a', texts.sizes[i]);
        texts.bytes[i][pick_below(random, texts.sizes[i])] =
            (char)pick_below(random, 256);
    }
}

static struct fxt_string pick_text(uint64_t *random, uint64_t below)
{
    uint64_t i = pick_below(random, below);
    struct fxt_string s = {
        texts.bytes[i], texts.sizes[i],
        (uint16_t)(pick_below(random, 3) << 14 | pick_below(random, 3))};

    switch (pick_below(random, 60)) {
    case 0:
        return (struct fxt_string){"", 0, 0};
    case 1:
        return (struct fxt_string){NULL, 0, 0};
    case 2:
        return (struct fxt_string){NULL, (uint32_t)(i % 2), 3};
    default:
        return s;
    }
}

static void make_arg(uint64_t *random, uint64_t below, struct fxt_arg *arg)
{
    memset(arg, 0, sizeof(*arg));
    arg->name = pick_text(random, below);
    arg->type = (uint32_t)pick_below(random, FXT_ARG_BOOL + 1);
    if (pick_below(random, 40) == 0)
        arg->type = FXT_ARG_BLOB + (uint32_t)pick_below(random, 30);
    if (arg->type == FXT_ARG_STRING)
        arg->value.string = pick_text(random, below);
    else if (arg->type == FXT_ARG_BOOL)
        arg->value.boolean = pick_below(random, 2) != 0;
    else if (arg->type < FXT_ARG_BLOB)
        arg->value.uint64 = random_next(random);
}

static void make_event(uint64_t *random, uint64_t below, struct fxt_record *record)
{
    struct fxt_event *e = &record->event;

    record->type = FXT_RECORD_EVENT;
    record->kind = (uint32_t)pick_below(random, FXT_EVENT_FLOW_END + 1);
    if (pick_below(random, 40) == 0)
        record->kind = (uint32_t)pick_below(random, 100);
    e->timestamp = random_next(random) >> pick_below(random, 2);
    e->end_timestamp = random_next(random) >> pick_below(random, 2);
    e->id = random_next(random);
    e->scope = pick_below(random, 4) == 0 ? FXT_SCOPE_PROCESS : FXT_SCOPE_THREAD;
    e->thread = fxt_thread_from(pick_below(random, 4), pick_below(random, below));
    e->thread.ref = (uint8_t)pick_below(random, 2);
    e->thread.known = pick_below(random, 40) > 0;
    e->category = pick_text(random, below);
    e->name = pick_text(random, below);
}

static void make_scheduling(uint64_t *random, struct fxt_record *record)
{
    struct fxt_scheduling *s = &record->scheduling;

    record->type = FXT_RECORD_SCHEDULING;
    record->kind = FXT_SCHEDULING_CONTEXT_SWITCH;
    if (pick_below(random, 10) == 0)
        record->kind = (uint32_t)pick_below(random, 5);
    s->timestamp = random_next(random);
    s->cpu = (uint32_t)pick_below(random, pick_below(random, 10) == 0 ? 70000 : 60000);
    s->outgoing_state = (uint32_t)pick_below(random, 17);
    s->outgoing.thread = random_next(random);
    s->incoming.thread = random_next(random);
}

/* Of few texts, so that they are registered, or of more than fit in a table. */
static void make_record(uint64_t *random, struct fxt_record *record, struct fxt_arg *args)
{
    uint64_t below = pick_below(random, 4) == 0 ? N_TEXTS : 20;

    memset(record, 0, sizeof(*record));
    if (pick_below(random, 4) > 0)
        make_event(random, below, record);
    else
        make_scheduling(random, record);
    record->n_args =
        (uint32_t)pick_below(random, pick_below(random, 10) == 0 ? FXT_ARGS_MAX + 2 : 4);
    record->args = record->n_args > 0 && pick_below(random, 100) == 0 ? NULL : args;
    for (uint32_t i = 0; i < record->n_args; i++)
        make_arg(random, below, &args[i]);
}

/* An event with as many arguments as there may be, and with strings of a size at which it
 * is just too large if all of them are inline. */
static void make_large_event(uint64_t *random, struct fxt_record *record,
                             struct fxt_arg *args)
{
    struct fxt_string long_text = {
        texts.bytes[0], FXT_TABLE_STRING_SIZE_MAX - (uint32_t)pick_below(random, 30), 0};

    memset(record, 0, sizeof(*record));
    make_event(random, 1, record);
    record->event.category = long_text;
    record->event.name = long_text;
    record->n_args = FXT_ARGS_MAX;
    record->args = args;
    for (uint32_t i = 0; i < FXT_ARGS_MAX; i++)
        args[i] = fxt_arg_string(long_text, long_text);
}

/* What fxt_writer_write does, but by the general path. */
static enum fxt_code write_generally(struct fxt_writer *w,
                                     const struct fxt_record *record)
{
    enum fxt_code code = encode_check_args(record);

    if (code == FXT_OK)
        code = buffer_any(w, record);
    return writer_note(w, code == FXT_OK ? write_buffer_flush_if_full(&w->out) : code);
}

/* Returns how many records took the fast path. */
static int check_options(const struct fxt_writer_options *options, uint64_t seed)
{
    static struct fxt_arg args[FXT_ARGS_MAX + 1];
    struct fxt_buffer streams[2] = {{0}, {0}};
    struct fxt_writer *fast = trip_writer(options, &streams[0]);
    struct fxt_writer *general = trip_writer(options, &streams[1]);
    uint64_t random = seed;
    int n_plain = 0;

    make_texts(&random);
    for (int i = 0; i < TURNS; i++) {
        struct fxt_record record;
        uint32_t n_begun = fast->assigner.intern.record;
        enum fxt_code codes[2];

        if (i % 100 == 0)
            make_large_event(&random, &record, args);
        else
            make_record(&random, &record, args);
        codes[0] = fxt_writer_write(fast, &record);
        codes[1] = write_generally(general, &record);
        n_plain += codes[0] == FXT_OK && fast->assigner.intern.record == n_begun;
        CHECK(codes[0] == codes[1] &&
                  fxt_writer_offset(fast) == fxt_writer_offset(general),
              "seed %d, record %d: %s, but %s", (int)seed, i, fxt_code_name(codes[0]),
              fxt_code_name(codes[1]));
    }
    CHECK(fxt_writer_finish(fast) == fxt_writer_finish(general), "");
    CHECK(streams[0].size == streams[1].size &&
              memcmp(streams[0].data, streams[1].data, streams[0].size) == 0,
          "seed %d: the bytes differ", (int)seed);
    for (int i = 0; i < 2; i++)
        free(streams[i].data);
    fxt_writer_destroy(fast);
    fxt_writer_destroy(general);
    return n_plain;
}

/* At least one record in ten is plain, so that the fast path has been taken. */
TEST(plain_writes, plain_records_are_written_as_any_are)
{
    static const uint64_t kept[] = {0, 9000, 14000, 30000};

    for (int way = 0; way < 9 * 4; way++) {
        struct fxt_writer_options options = {
            .strings = (enum fxt_references)(way % 3),
            .threads = (enum fxt_references)(way / 3 % 3),
            .max_kept_bytes = kept[way / 9],
            .name_unresolved = way % 3 == 0 && way % 2 == 0,
        };
        int n_plain = check_options(&options, (uint64_t)way);

        CHECK(n_plain > TURNS / 10, "way %d: %d records are plain", way, n_plain);
    }
}
