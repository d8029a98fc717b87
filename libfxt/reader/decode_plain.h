/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records that come by the million, in their commonest forms: decode.c decodes them
 * in these few steps, with the result of its general path, beside which
 * tests/libfxt/test_fast_paths.c puts them.
 */
#ifndef LIBFXT_READER_DECODE_PLAIN_H
#define LIBFXT_READER_DECODE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "decoder.h"
#include "take.h"

/* Types from metadata to thread exist to change what the others mean. */
static inline bool is_plain(const struct decoder *d)
{
    const struct decode_result *result = &d->result;

    return d->record.type > FXT_RECORD_THREAD &&
           (result->n_surplus | result->fault | result->unknown | result->n_unknown_args |
            result->unknown_string | result->unknown_thread | result->n_left_over) == 0;
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* The payload of a kernel sample, at word `at`, should be whole words. */
static inline void find_left_over(struct decode_result *result, uint64_t size,
                                  uint64_t at)
{
    result->n_left_over = size % FXT_WORD_BYTES;
    result->left_over_byte = at * FXT_WORD_BYTES + size - result->n_left_over;
}

enum { SAMPLE_HEAD_WORDS = 6 };

/* The record that a kernel sampler writes, millions of times: a large blob with metadata
 * but without strings, without arguments and with the thread inline, so that all fields
 * are at fixed positions. Returns true if the record is plain. */
static inline bool decode_kernel_sample(struct decoder *d, uint64_t n_words)
{
    struct fxt_large_blob *b = &d->record.large_blob;
    uint64_t room = (n_words - SAMPLE_HEAD_WORDS) * FXT_WORD_BYTES;
    struct cursor c;

    cursor_start(&c, d->record.data, n_words, d->record.swapped);
    b->category = (struct fxt_string){"", 0, 0};
    b->name = (struct fxt_string){"", 0, 0};
    b->timestamp = cursor_load_(&c, 2);
    set_thread(&b->thread, FXT_THREAD_REF_INLINE, cursor_load_(&c, 3),
               cursor_load_(&c, 4));
    b->payload.data = c.view + SAMPLE_HEAD_WORDS * FXT_WORD_BYTES;
    b->payload.size = cursor_load_(&c, 5);
    if (FXT_LIKELY(b->payload.size == room))
        return true;
    decode_result_start(&d->result);
    if (b->payload.size < room) {
        d->result.n_surplus = (room - b->payload.size) / FXT_WORD_BYTES;
        if (b->payload.size >= FXT_WORD_BYTES)
            find_left_over(&d->result, b->payload.size, SAMPLE_HEAD_WORDS);
    } else {
        d->result.fault = FXT_E_BLOB_OVERRUN;
        d->result.byte = 5 * FXT_WORD_BYTES;
    }
    return is_plain(d);
}

enum { BACKTRACE_HEAD_WORDS = 4 };

/* What today's kernel sampler writes: a backtrace with the thread inline and nothing
 * after its PCs. */
static inline bool is_plain_backtrace(uint64_t header, uint64_t n_words)
{
    return FXT_GET(header, PROFILER_TYPE) == FXT_PROFILER_BACKTRACE &&
           FXT_GET(header, PROFILER_THREAD) == FXT_THREAD_REF_INLINE &&
           FXT_GET(header, BACKTRACE_PCS) + BACKTRACE_HEAD_WORDS == n_words;
}

/* Field by field: compilers clear a struct of this size with one slow instruction. */
static inline void clear_module(struct fxt_profiler *p)
{
    p->module_id = 0;
    p->name = (struct fxt_string){"", 0, 0};
    p->build_id.data = NULL;
    p->build_id.size = 0;
    p->build_id_is_hex = false;
    p->start = 0;
    p->length = 0;
    p->vaddr = 0;
    p->flags = 0;
}

static inline void decode_plain_backtrace(struct decoder *d, uint64_t n_words)
{
    struct fxt_profiler *p = &d->record.profiler;
    struct cursor c;

    cursor_start(&c, d->record.data, n_words, d->record.swapped);
    d->record.kind = FXT_PROFILER_BACKTRACE;
    p->timestamp = cursor_load_(&c, 1);
    set_thread(&p->thread, FXT_THREAD_REF_INLINE, cursor_load_(&c, 2),
               cursor_load_(&c, 3));
    clear_module(p);
    p->pcs.data = c.view + BACKTRACE_HEAD_WORDS * FXT_WORD_BYTES;
    p->pcs.count = n_words - BACKTRACE_HEAD_WORDS;
    p->pcs.swapped = d->record.swapped;
}

/* ---- Events ------------------------------------------------------------------------ */

/* Kinds of events, and types of arguments, come in no order that a processor could
 * predict. A wrong guess takes as long as half of an event, so they are distinguished
 * with as few branches as possible. */

/* `a` if `bit` is 1, `b` if it is 0. */
static inline uint64_t choose(uint64_t bit, uint64_t a, uint64_t b)
{
    uint64_t mask = 0 - bit;

    /* Or a compiler may make a branch of it. */
    FXT_FORGET_ORIGIN(mask);
    return (a & mask) | (b & ~mask);
}

/* The cursor's word if there is one, else 0. */
static inline uint64_t load_if(const struct cursor *c, uint64_t has_word)
{
    static const uint64_t zero = 0;
    uint64_t at = choose(has_word, (uintptr_t)(c->words + c->pos * FXT_WORD_BYTES),
                         (uintptr_t)&zero);
    uint64_t word = LOAD_WORD((const unsigned char *)(uintptr_t)at);

    return c->words_swapped ? FXT_SWAP64(word) : word;
}

/* The kinds of event that end in one more word, as bits. */
enum {
    EVENTS_WITH_WORD = 1 << FXT_EVENT_COUNTER | 1 << FXT_EVENT_DURATION_COMPLETE |
                       1 << FXT_EVENT_ASYNC_BEGIN | 1 << FXT_EVENT_ASYNC_INSTANT |
                       1 << FXT_EVENT_ASYNC_END | 1 << FXT_EVENT_FLOW_BEGIN |
                       1 << FXT_EVENT_FLOW_STEP | 1 << FXT_EVENT_FLOW_END
};

/* The word at the end of an event, 0 for those that have none. */
static inline void set_event_word(struct fxt_event *e, uint32_t kind, uint64_t word)
{
    e->end_timestamp = choose(kind == FXT_EVENT_DURATION_COMPLETE, word, 0);
    e->id = word - e->end_timestamp;
    e->scope = FXT_SCOPE_THREAD;
}

/* The numbers among the types of arguments. */
enum { ARGS_NUMBERS = ARGS_WITH_WORD | 1 << FXT_ARG_INT32 | 1 << FXT_ARG_UINT32 };

/* A number or a string with a registered name and no more words than it needs. Its header
 * is loaded; if it is another argument, the cursor stays after that. */
static inline bool take_plain_arg(const struct decoder *d, struct cursor *c,
                                  uint64_t header, struct fxt_arg *arg)
{
    struct fxt_string *s = &arg->value.string;
    uint32_t type = (uint32_t)FXT_GET(header, RECORD_TYPE);
    uint64_t name = FXT_GET(header, ARG_NAME);
    uint64_t ref = FXT_GET(header, ARG_STRING);
    uint64_t size = ref & FXT_STRING_REF_SIZE_MASK;
    uint64_t is_inline = ref / FXT_STRING_REF_INLINE;
    uint64_t has_word = ARGS_WITH_WORD >> type & 1;
    uint64_t n_words = has_word;

    if (type == FXT_ARG_STRING)
        n_words = is_inline * words_for(size);
    if (FXT_GET(header, ARG_WORDS) != 1 + n_words || n_words > cursor_left(c) ||
        (name & FXT_STRING_REF_INLINE) != 0 ||
        !tables_get_string(d->tables, (uint32_t)name, &arg->name))
        return false;
    arg->name.ref = (uint16_t)name;
    arg->type = type;
    if (type == FXT_ARG_STRING) {
        uintptr_t bytes = (uintptr_t)(c->view + c->pos * FXT_WORD_BYTES);

        if (!tables_get_string(d->tables, (uint32_t)choose(is_inline, name, ref), s))
            return false;
        s->data = (const char *)(uintptr_t)choose(is_inline, bytes, (uintptr_t)s->data);
        s->size = (uint32_t)choose(is_inline, size, s->size);
        s->ref = (uint16_t)ref;
    } else if (ARGS_NUMBERS >> type & 1) {
        /* As value.uint32, which is the first half. */
        uint64_t half = header >> 32 << (FXT_HOST_IS_BIG_ENDIAN ? 32 : 0);

        arg->value.uint64 = choose(has_word, load_if(c, has_word), half);
    } else {
        return false;
    }
    c->pos += n_words;
    return true;
}

/* Takes an event's strings and its thread, if they are registered and the event may be
 * whole: what tracers write most. The header and the tables decide this. */
static inline bool take_plain_refs(struct decoder *d, uint64_t header, uint64_t n_words)
{
    struct fxt_event *e = &d->record.event;
    uint64_t kind = FXT_GET(header, EVENT_TYPE);
    uint64_t category = FXT_GET(header, EVENT_CATEGORY);
    uint64_t name = FXT_GET(header, EVENT_NAME);
    uint64_t thread = FXT_GET(header, EVENT_THREAD);

    if (kind > FXT_EVENT_FLOW_END || n_words < 2U + (EVENTS_WITH_WORD >> kind & 1) ||
        ((category | name) & FXT_STRING_REF_INLINE) != 0 ||
        !tables_get_string(d->tables, (uint32_t)category, &e->category) ||
        !tables_get_string(d->tables, (uint32_t)name, &e->name) ||
        !tables_get_thread(d->tables, (uint32_t)thread, &e->thread))
        return false;
    e->category.ref = (uint16_t)category;
    e->name.ref = (uint16_t)name;
    e->thread.ref = (uint8_t)thread;
    return true;
}

#endif
