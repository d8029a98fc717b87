/* SPDX-License-Identifier: BSD-2-Clause */
/* See assign_refs.h. One pass over the record, whose size is bounded by that of its
 * strings. tests/libfxt/test_plain_writes.c compares it with the general path. */
#include "assign_refs.h"

#include <stddef.h>

struct plain {
    struct ref_assigner *r;
    /* Where the next word goes. */
    uint64_t *at;
};

/* ---- Strings and threads ----------------------------------------------------------- */

/* At least one byte. A call of memcpy for so few costs more than they do. */
static inline void put_plain_bytes(struct plain *p, const char *data, uint32_t size)
{
    uint32_t n_zeros = -size % FXT_WORD_BYTES;
    uint64_t last = size < 8 ? intern_load_few_(data, size)
                             : intern_load_8_(data + size - 8) >> 8 * n_zeros;

    for (const char *end = data + (size - 1) / 8 * 8; data < end; data += 8)
        FXT_COPY(p->at++, data, 8);
    *p->at++ = FXT_HOST_IS_BIG_ENDIAN ? FXT_SWAP64(last) : last;
}

static inline bool is_given_index(const struct plain *p, const struct fxt_string *s)
{
    return p->r->strings == FXT_REFERENCES_AS_GIVEN && s->ref != FXT_STRING_REF_EMPTY &&
           (s->ref & FXT_STRING_REF_INLINE) == 0;
}

/* Returns false if the string is neither empty, nor registered, nor to be inline. */
static inline bool put_plain_string(struct plain *p, const struct fxt_string *s,
                                    uint64_t *ref)
{
    *ref = FXT_STRING_REF_EMPTY;
    if (FXT_UNLIKELY(s->data == NULL || s->size == 0))
        return s->size == 0 && (s->data != NULL || s->ref == FXT_STRING_REF_EMPTY) &&
               p->r->strings != FXT_REFERENCES_AS_GIVEN;
    if (s->size > FXT_TABLE_STRING_SIZE_MAX)
        return false;
    if (p->r->strings == FXT_REFERENCES_TABLE) {
        *ref = intern_known_string(&p->r->intern, s);
        return *ref != 0;
    }
    if (is_given_index(p, s)) {
        *ref = s->ref;
        return true;
    }
    *ref = FXT_STRING_REF_INLINE | s->size;
    put_plain_bytes(p, s->data, s->size);
    return true;
}

static inline bool put_plain_thread(struct plain *p, const struct fxt_thread *t,
                                    uint64_t *ref)
{
    if (FXT_UNLIKELY(!t->known && t->ref != FXT_THREAD_REF_INLINE))
        return false;
    if (p->r->threads == FXT_REFERENCES_TABLE) {
        *ref = intern_known_thread(&p->r->intern, t->process, t->thread);
        return *ref != 0;
    }
    *ref = p->r->threads == FXT_REFERENCES_AS_GIVEN ? t->ref : FXT_THREAD_REF_INLINE;
    if (*ref != FXT_THREAD_REF_INLINE)
        return true;
    *p->at++ = t->process;
    *p->at++ = t->thread;
    return true;
}

/* ---- Arguments --------------------------------------------------------------------- */

/* The types that have a number in the header, or in a word after it, as bits. Types come
 * in no order that a processor could predict, so there are as few branches as possible;
 * a word that is stored in vain is overwritten. */
enum {
    ARGS_WITH_BITS = 1 << FXT_ARG_INT32 | 1 << FXT_ARG_UINT32,
    ARGS_WITH_WORD = 1 << FXT_ARG_INT64 | 1 << FXT_ARG_UINT64 | 1 << FXT_ARG_DOUBLE |
                     1 << FXT_ARG_POINTER | 1 << FXT_ARG_KOID
};

/* The value, and what it has in the header. */
static inline bool put_plain_value(struct plain *p, const struct fxt_arg *arg,
                                   uint64_t *header)
{
    uint64_t ref;

    if (arg->type == FXT_ARG_STRING) {
        if (!put_plain_string(p, &arg->value.string, &ref))
            return false;
        *header = FXT_PUT(ARG_STRING, ref);
        return true;
    }
    if (FXT_UNLIKELY(arg->type >= FXT_ARG_BOOL)) {
        *header = arg->type == FXT_ARG_BOOL ? FXT_PUT(ARG_BOOL, arg->value.boolean) : 0;
        return arg->type == FXT_ARG_BOOL;
    }
    *header = (ARGS_WITH_BITS >> arg->type & 1) * FXT_PUT(ARG_VALUE, arg->value.uint32);
    *p->at = arg->value.uint64;
    p->at += ARGS_WITH_WORD >> arg->type & 1;
    return true;
}

static inline bool put_plain_arg(struct plain *p, const struct fxt_arg *arg)
{
    uint64_t *start = p->at++;
    uint64_t name, value;

    if (!put_plain_string(p, &arg->name, &name) || !put_plain_value(p, arg, &value))
        return false;
    *start =
        arg->type | FXT_PUT(ARG_WORDS, p->at - start) | FXT_PUT(ARG_NAME, name) | value;
    return true;
}

static inline bool put_plain_args(struct plain *p, const struct fxt_record *record)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (!put_plain_arg(p, &record->args[i]))
            return false;
    }
    return true;
}

/* ---- Records ----------------------------------------------------------------------- */

/* The kinds of event that end in an id, as bits. */
enum {
    EVENTS_WITH_ID = 1 << FXT_EVENT_COUNTER | 1 << FXT_EVENT_ASYNC_BEGIN |
                     1 << FXT_EVENT_ASYNC_INSTANT | 1 << FXT_EVENT_ASYNC_END |
                     1 << FXT_EVENT_FLOW_BEGIN | 1 << FXT_EVENT_FLOW_STEP |
                     1 << FXT_EVENT_FLOW_END
};

static inline bool is_plain_event(const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;

    if (record->kind == FXT_EVENT_INSTANT)
        return e->scope == FXT_SCOPE_THREAD;
    if (record->kind == FXT_EVENT_DURATION_COMPLETE)
        return e->end_timestamp >= e->timestamp;
    return record->kind <= FXT_EVENT_FLOW_END;
}

/* Returns the header without the record's size, or 0. */
static inline uint64_t put_plain_event(struct plain *p, const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;
    bool is_complete = record->kind == FXT_EVENT_DURATION_COMPLETE;
    uint64_t thread, category, name;

    if (!is_plain_event(record))
        return 0;
    *p->at++ = e->timestamp;
    if (!put_plain_thread(p, &e->thread, &thread) ||
        !put_plain_string(p, &e->category, &category) ||
        !put_plain_string(p, &e->name, &name) || !put_plain_args(p, record))
        return 0;
    *p->at = is_complete ? e->end_timestamp : e->id;
    p->at += is_complete | (EVENTS_WITH_ID >> record->kind & 1);
    return FXT_RECORD_EVENT | FXT_PUT(EVENT_TYPE, record->kind) |
           FXT_PUT(EVENT_ARGS, record->n_args) | FXT_PUT(EVENT_THREAD, thread) |
           FXT_PUT(EVENT_CATEGORY, category) | FXT_PUT(EVENT_NAME, name);
}

/* The same for a context switch. */
static inline uint64_t put_plain_switch(struct plain *p, const struct fxt_record *record)
{
    const struct fxt_scheduling *s = &record->scheduling;

    if (record->kind != FXT_SCHEDULING_CONTEXT_SWITCH ||
        s->cpu > FXT_MAX(CONTEXT_SWITCH_CPU) ||
        s->outgoing_state > FXT_MAX(CONTEXT_SWITCH_STATE))
        return 0;
    *p->at++ = s->timestamp;
    *p->at++ = s->outgoing.thread;
    *p->at++ = s->incoming.thread;
    if (!put_plain_args(p, record))
        return 0;
    return FXT_RECORD_SCHEDULING | FXT_PUT(SCHEDULING_TYPE, record->kind) |
           FXT_PUT(CONTEXT_SWITCH_ARGS, record->n_args) |
           FXT_PUT(CONTEXT_SWITCH_CPU, s->cpu) |
           FXT_PUT(CONTEXT_SWITCH_STATE, s->outgoing_state);
}

uint64_t plain_write(struct ref_assigner *r, const struct fxt_record *record,
                     uint64_t *words)
{
    struct plain p = {r, words + 1};
    uint64_t header = 0;
    uint64_t n_words;

    if (record->type == FXT_RECORD_EVENT)
        header = put_plain_event(&p, record);
    else if (record->type == FXT_RECORD_SCHEDULING)
        header = put_plain_switch(&p, record);
    n_words = (uint64_t)(p.at - words);
    if (header == 0 || n_words > FXT_RECORD_WORDS_MAX)
        return 0;
    words[0] = header | FXT_PUT(RECORD_WORDS, n_words);
    return n_words;
}
