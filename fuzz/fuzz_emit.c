/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of emitter calls, into a region or a ring, in which a reader must find no
 * fault: what was written reads back as what was asked for, and nothing else does; what
 * was refused is impossible; what was dropped did not fit, and is counted and said.
 *
 * The first bytes choose the memory; then come calls (calls.h) and, for rings, drains.
 */
#include <stdlib.h>
#include <string.h>

#include <fxt/emit_records.h>
#include <fxt/reader.h>
#include <fxt/ring.h>

#include "calls.h"
#include "tests/support/guard.h"
#include "target.h"

enum { MAX_WORDS = 8192, CONTROL_WORDS = FXT_RING_CONTROL_BYTES / 8 };

/* What the emitter must have counted, and the reader must see. */
struct model {
    uint64_t time;
    uint64_t n_dropped;
    uint64_t dropped_bytes;
    uint64_t n_invalid;
    /* Not reported yet. */
    uint64_t n_unreported;
    uint64_t unreported_bytes;
    uint64_t first;
    uint64_t last;
    struct show expected;
};

struct session {
    struct calls calls;
    struct model model;
    struct fxt_emit emit;
    struct fxt_ring ring;
    bool is_ring;
    uint64_t *words;
    uint64_t n_words;
    /* All that was drained, concatenated. */
    unsigned char *drained;
    size_t n_drained;
};

/* ---- What is expected -------------------------------------------------------------- */

static struct fxt_arg count_of(const char *name, uint64_t value)
{
    struct fxt_string string = fxt_string_at(name, (uint32_t)strlen(name));

    string.ref = (uint16_t)(0x8000 | string.size);
    return value > UINT32_MAX ? fxt_arg_uint64(string, value)
                              : fxt_arg_uint32(string, (uint32_t)value);
}

static void expect_drops(struct session *s)
{
    struct model *m = &s->model;
    struct fxt_arg args[] = {count_of("num_records", m->n_unreported),
                             count_of("num_bytes", m->unreported_bytes)};
    struct fxt_record record = {
        .type = FXT_RECORD_EVENT,
        .kind = FXT_EVENT_DURATION_COMPLETE,
        .n_args = 2,
        .args = args,
        .event = {.timestamp = m->first,
                  .thread = fxt_thread_from(0, s->emit.cpu),
                  .category = {"kernel:meta", 11, 0x8000 | 11},
                  .name = {"drop_stats", 10, 0x8000 | 10},
                  .end_timestamp = m->last},
    };

    show_content(&m->expected, &record);
    m->n_unreported = 0;
    m->unreported_bytes = 0;
}

static void expect_dropped(struct model *m, uint64_t n_words)
{
    if (m->n_unreported == 0 || m->time < m->first)
        m->first = m->time;
    if (m->n_unreported == 0 || m->time > m->last)
        m->last = m->time;
    m->n_dropped++;
    m->n_unreported++;
    m->dropped_bytes += n_words * 8;
    m->unreported_bytes += n_words * 8;
}

/* Whether there was room is known for regions; for rings, when there can be none. */
static void check_room(const struct session *s, const struct call *call, uint64_t pos,
                       bool was_full)
{
    if (s->is_ring)
        require(!call->written || call->n_words < s->n_words,
                "it is larger than the ring");
    else
        require(call->written == (!was_full && call->n_words < s->n_words - pos),
                "a region takes what fits until something did not");
}

static void make_call(struct session *s)
{
    uint64_t pos = s->emit.pos;
    bool was_full = s->emit.full;
    struct model *m = &s->model;
    const struct call *call = calls_make(&s->calls);

    if (!call->possible) {
        require(!call->written, "what is impossible was written");
        m->n_invalid++;
        return;
    }
    if (call->has_time)
        m->time = call->time;
    check_room(s, call, pos, was_full);
    if (!call->written) {
        expect_dropped(m, call->n_words);
        return;
    }
    if (s->is_ring && m->n_unreported > 0)
        expect_drops(s);
    show_content(&m->expected, &call->record);
}

/* ---- Running ----------------------------------------------------------------------- */

static void drain(struct session *s, uint64_t max_bytes)
{
    s->drained = (unsigned char *)realloc(s->drained, s->n_drained + max_bytes + 1);
    require(s->drained != NULL, "no memory");
    s->n_drained += fxt_ring_read(&s->ring, s->drained + s->n_drained, max_bytes);
    require(s->ring.faults == 0, "the consumer found a fault");
}

static void step(struct session *s)
{
    uint64_t choice = calls_take(&s->calls, 1);

    if (choice < 0x20 && s->is_ring) {
        drain(s, calls_take(&s->calls, 2) % (MAX_WORDS * 8));
    } else if (choice < 0x30) {
        bool all_said = fxt_emit_drops(&s->emit);

        require(s->model.n_unreported == 0 ? all_said : s->is_ring || !all_said, "drops");
        if (all_said && s->model.n_unreported > 0)
            expect_drops(s);
    } else {
        make_call(s);
    }
    require(s->emit.dropped_records == s->model.n_dropped &&
                s->emit.dropped_bytes == s->model.dropped_bytes &&
                s->emit.invalid_records == s->model.n_invalid &&
                s->emit.unreported_records == s->model.n_unreported &&
                s->emit.unreported_bytes == s->model.unreported_bytes &&
                s->emit.faults == 0,
            "the counts are wrong");
}

/* Memory that ends at an inaccessible page. */
static uint64_t *find_memory(uint64_t n_words)
{
    static struct guard guard;

    if (guard.start == NULL)
        guard_create(&guard, (MAX_WORDS + CONTROL_WORDS) * 8);
    return (uint64_t *)(void *)(guard.end - n_words * 8);
}

static void start(struct session *s, const uint8_t *data, size_t size)
{
    uint64_t how;

    s->calls = (struct calls){.data = data, .size = size, .emit = &s->emit};
    how = calls_take(&s->calls, 2);
    s->is_ring = how & 1;
    s->n_words = 2 + (how >> 1) % (MAX_WORDS - 2);
    s->words = find_memory(s->n_words + (s->is_ring ? CONTROL_WORDS : 0));
    memset(s->words, 0xff, (s->n_words + (s->is_ring ? CONTROL_WORDS : 0)) * 8);
    if (s->is_ring) {
        uint64_t bytes = (s->n_words + CONTROL_WORDS) * 8;

        require(fxt_emit_init_ring(&s->emit, s->words, bytes, 5), "no ring");
        require(fxt_ring_open(&s->ring, s->words, bytes), "no ring to open");
    } else {
        require(fxt_emit_init(&s->emit, s->words, s->n_words * 8), "no region");
    }
}

/* ---- What is there in the end ------------------------------------------------------ */

static int take_record(void *context, const struct fxt_record *record)
{
    show_content((struct show *)context, record);
    return 0;
}

static int take_error(void *context, const struct fxt_error *error)
{
    show_error((struct show *)context, error);
    return 0;
}

static void read_back(struct session *s, const void *data, size_t size)
{
    struct show actual = {0};
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = take_record,
        .on_error = take_error,
        .context = &actual,
        .stream = FXT_STREAM_REGION,
        .byte_order = FXT_BYTE_ORDER_HOST,
    };
    struct fxt_chunk chunk = {data, size, 0};
    struct fxt_reader *reader;
    const char *read;
    const char *expected;

    require(fxt_reader_create(&options, &reader) == FXT_OK, "no memory");
    require(fxt_reader_finish(reader, &chunk) == FXT_OK, "the reader did not finish");
    fxt_reader_destroy(reader);
    read = show_take(&actual);
    expected = show_take(&s->model.expected);
    require(strcmp(read, expected) == 0, show_difference(read, expected));
    show_free(&actual);
}

static void check_region(struct session *s)
{
    require(s->emit.pos < s->n_words, "the end has no room");
    require(s->words[s->emit.pos] == 0, "there is no end");
    for (uint64_t i = s->emit.pos + 1; i < s->n_words; i++)
        require(s->words[i] == UINT64_MAX, "something was written past the end");
    read_back(s, s->words, (s->emit.pos + 1) * 8);
}

static void check_ring(struct session *s)
{
    size_t before;

    do {
        before = s->n_drained;
        drain(s, MAX_WORDS * 8);
    } while (s->n_drained > before);
    read_back(s, s->drained, s->n_drained);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session s = {0};

    start(&s, data, size);
    while (s.calls.pos < s.calls.size)
        step(&s);
    if (s.is_ring)
        check_ring(&s);
    else
        check_region(&s);
    free(s.drained);
    show_free(&s.model.expected);
    return 0;
}
