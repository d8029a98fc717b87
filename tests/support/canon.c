/* SPDX-License-Identifier: BSD-2-Clause */
/* See canon.h. */
#include "canon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

void canon_free(struct canon *canon)
{
    free(canon->bytes);
    *canon = (struct canon){.with_refs = canon->with_refs};
}

static void raw(struct canon *canon, const void *data, size_t size)
{
    if (canon->room - canon->size < size) {
        canon->room = (canon->size + size) * 2;
        canon->bytes = (unsigned char *)realloc(canon->bytes, canon->room);
        if (canon->bytes == NULL)
            abort();
    }
    if (size > 0)
        memcpy(canon->bytes + canon->size, data, size);
    canon->size += size;
}

static void number(void *context, const char *field, uint64_t value)
{
    (void)field;
    raw((struct canon *)context, &value, sizeof(value));
}

static void bytes(void *context, const char *field, const void *data, uint64_t size)
{
    number(context, field, size);
    raw((struct canon *)context, data, (size_t)size);
}

static void words(void *context, const char *field, struct fxt_words w)
{
    number(context, field, w.count);
    for (uint64_t i = 0; i < w.count; i++)
        number(context, field, fxt_words_get(w, i));
}

/* A string of zeros is the empty one. */
static void string(void *context, const char *field, const struct fxt_string *s)
{
    bool known = s->data != NULL || s->ref == FXT_STRING_REF_EMPTY;

    if (((struct canon *)context)->with_refs)
        number(context, field, s->ref);
    number(context, field, known);
    bytes(context, field, s->data, known ? s->size : 0);
}

/* A thread of zeros is the unknown one, koids and all. */
static void thread(void *context, const char *field, const struct fxt_thread *t)
{
    if (((struct canon *)context)->with_refs)
        number(context, field, t->ref);
    number(context, field, t->known || t->ref == FXT_THREAD_REF_INLINE);
    number(context, field, t->process);
    number(context, field, t->thread);
}

/* Of the header of an unknown record all but its size, type and kind. */
static uint64_t unknown_header(const struct fxt_record *r)
{
    uint64_t shown = FXT_PUT(RECORD_TYPE, UINT64_MAX);

    shown |= r->type == FXT_RECORD_LARGE ? FXT_PUT(LARGE_WORDS, UINT64_MAX)
                                         : FXT_PUT(RECORD_WORDS, UINT64_MAX);
    if (r->type == FXT_RECORD_METADATA)
        shown |= FXT_PUT(METADATA_TYPE, UINT64_MAX);
    if (r->type == FXT_RECORD_SCHEDULING)
        shown |= FXT_PUT(SCHEDULING_TYPE, UINT64_MAX);
    if (r->type == FXT_RECORD_PROFILER)
        shown |= FXT_PUT(PROFILER_TYPE, UINT64_MAX);
    if (r->type == FXT_RECORD_LARGE)
        shown |= FXT_PUT(LARGE_TYPE, UINT64_MAX);
    return r->header & ~shown;
}

/* What walk.h does not show, or not in a way that fits. */
static void add_what_is_special(struct canon *canon, struct fxt_record *r)
{
    struct fxt_large_blob *b = &r->large_blob;
    struct fxt_sample sample;

    for (uint32_t i = 0; i < r->n_args; i++) {
        if (r->args[i].type > FXT_ARG_BLOB)
            number(canon, "", r->args[i].unknown_bits);
    }
    if (r->unknown) {
        if (r->type != FXT_RECORD_EVENT)
            number(canon, "", unknown_header(r));
        return;
    }
    if (r->type == FXT_RECORD_USERSPACE_OBJECT)
        r->userspace_object.process.thread = 0;
    if (r->type != FXT_RECORD_LARGE)
        return;
    if (b->category.data == NULL && b->category.ref == 0)
        b->category.data = "";
    if (b->name.data == NULL && b->name.ref == 0)
        b->name.data = "";
    if (fxt_sample_from_record(r, &sample) == FXT_SAMPLE_STACK) {
        uint64_t n_bytes = sample.pcs.count * FXT_WORD_BYTES;

        words(canon, "", sample.pcs);
        b->payload.data = (const unsigned char *)b->payload.data + n_bytes;
        b->payload.size -= n_bytes;
    }
}

void canon_add(struct canon *canon, const struct fxt_record *record)
{
    struct walker walker = {canon, number, string, thread, bytes, words};
    struct fxt_record r = *record;
    size_t start = canon->size;
    uint64_t size;

    if (!canon->with_refs && (r.type == FXT_RECORD_STRING || r.type == FXT_RECORD_THREAD))
        return;
    number(canon, "size", 0);
    number(canon, "provider", r.provider->id);
    /* Records that select a provider do not state its rate. */
    if (r.type != FXT_RECORD_METADATA)
        number(canon, "rate", r.provider->ticks_per_second);
    add_what_is_special(canon, &r);
    walk_content(&walker, &r);
    canon->n_records++;
    size = canon->size - start;
    memcpy(canon->bytes + start, &size, sizeof(size));
}

bool canon_same(const struct canon *a, const struct canon *b)
{
    size_t at = 0;

    for (size_t i = 0; at < a->size && at < b->size; i++) {
        uint64_t size;

        memcpy(&size, a->bytes + at, sizeof(size));
        if (size > b->size - at || memcmp(a->bytes + at, b->bytes + at, size) != 0) {
            fprintf(stderr, "record %zu differs\n", i);
            return false;
        }
        at += size;
    }
    if (a->size != b->size)
        fprintf(stderr, "%zu records and %zu\n", a->n_records, b->n_records);
    return a->size == b->size;
}
